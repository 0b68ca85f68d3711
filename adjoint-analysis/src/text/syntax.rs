//! The rules that the printer and the parser of the text form share: keywords, names, numbers, precedences, and which
//! parts may be omitted.

use crate::ir::{BinOp, Block, Func, LoopHead, Origin, StmtKind};

/// Words that begin a statement or an operand: a variable of such a name is printed in backticks.
const RESERVED: [&str; 30] = [
    "as", "break", "call", "else", "false", "for", "forward", "if", "in", "insert", "let", "loop",
    "mut", "passive", "pop", "push", "record", "remove", "restore", "rev", "reverse", "seed",
    "step", "swap", "times", "true", "way", "while", "zero", "_",
];

/// Type names with a meaning of their own.
const KNOWN_TYPES: [&str; 8] = ["f32", "f64", "bool", "Vec", "Box", "Option", "Result", "_"];

/// The precedence of prefix operators; that of binary operators is lower, see [`precedence`].
pub(super) const UNARY: u8 = 11;
/// The precedence of atoms, which need no parentheses.
pub(super) const ATOM: u8 = 12;

/// The precedence of a binary operator.
pub(super) fn precedence(op: BinOp) -> u8 {
    match op {
        BinOp::Or => 1,
        BinOp::And => 2,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => 3,
        BinOp::BitOr => 4,
        BinOp::BitXor => 5,
        BinOp::BitAnd => 6,
        BinOp::Shl | BinOp::Shr => 7,
        BinOp::Add | BinOp::Sub => 8,
        BinOp::Mul | BinOp::Div | BinOp::Rem => 9,
    }
}

/// The least precedence of a left operand without parentheses.
pub(super) fn left_precedence(op: BinOp) -> u8 {
    precedence(op) + u8::from(op.is_comparison())
}

/// The default origin of each variable.
pub(super) fn default_origins(func: &Func) -> Vec<Origin> {
    let mut origins = vec![Origin::Local; func.vars.len()];
    let mut set = |id: usize, origin| {
        if let Some(slot) = origins.get_mut(id) {
            *slot = origin;
        }
    };
    for index in loop_indices(&func.body) {
        set(index, Origin::Index);
    }
    if let Some(ret) = func.ret {
        set(ret.index(), Origin::Ret);
    }
    for param in &func.params {
        set(param.index(), Origin::Param);
    }
    origins
}

fn loop_indices(block: &Block) -> Vec<usize> {
    let mut indices = Vec::new();
    block.walk(&mut |stmt| {
        if let StmtKind::Loop(LoopHead::Counted(v, _) | LoopHead::Reversed(v, _), _) = &stmt.kind {
            indices.push(v.index());
        }
    });
    indices
}

/// The length of the identifier at the start of the text.
pub(super) fn ident_len(text: &str) -> usize {
    match text.starts_with(|c: char| c.is_alphabetic() || c == '_') {
        true => text
            .find(|c: char| !(c.is_alphanumeric() || c == '_'))
            .unwrap_or(text.len()),
        false => 0,
    }
}

/// Whether the name is an identifier.
pub(super) fn is_ident(name: &str) -> bool {
    !name.is_empty() && ident_len(name) == name.len()
}

/// Whether a variable of this name is written without backticks.
pub(super) fn is_plain_var(name: &str) -> bool {
    is_ident(name) && !RESERVED.contains(&name)
}

/// Whether a field of this name is written without backticks: an identifier or a number.
pub(super) fn is_plain_field(name: &str) -> bool {
    is_ident(name) || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
}

/// The length of the path at the start of the text: `a::b`, with generic arguments `a::B<C>`, `a::b::<C>`.
pub(super) fn path_len(text: &str) -> usize {
    let mut end = ident_len(text);
    while end > 0 {
        let rest = &text[end..];
        let turbofish = if rest.starts_with("::<") { 2 } else { 0 };
        end += generics_len(&rest[turbofish..]).map_or(0, |n| turbofish + n);
        match text[end..].strip_prefix("::").map(ident_len) {
            Some(n) if n > 0 => end += 2 + n,
            _ => return end,
        }
    }
    0
}

/// The length of the list in angle brackets at the start of the text, if there is one.
fn generics_len(text: &str) -> Option<usize> {
    if !text.starts_with('<') {
        return None;
    }
    let mut open = Vec::new();
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' => open.push(c),
            '>' if before == '-' => {}
            '>' | ']' | ')' => {
                let matching = match c {
                    '>' => '<',
                    ']' => '[',
                    _ => '(',
                };
                if open.pop() != Some(matching) {
                    return None;
                }
            }
            ';' if open.last() == Some(&'[') => {}
            ';' | '"' | '`' | '/' | '{' | '}' | '\n' => return None,
            _ => {}
        }
        if open.is_empty() {
            return Some(at + 1);
        }
        before = c;
    }
    None
}

/// Whether a path is written without backticks or quotes.
pub(super) fn is_plain_path(path: &str) -> bool {
    !path.is_empty() && path_len(path) == path.len()
}

/// Whether the type name is written without quotes: it is a path without a meaning of its own.
pub(super) fn is_plain_type(path: &str) -> bool {
    let known =
        |name: &str| KNOWN_TYPES.contains(&name) || crate::ir::IntTy::from_name(name).is_some();
    let first = &path[..ident_len(path)];
    let alone = first.len() == path.len() || path[first.len()..].starts_with('<');
    is_plain_path(path) && !(alone && known(first))
}

/// The length of the array extent at the start of the text, up to its closing bracket.
pub(super) fn extent_len(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' | '(' | '{' => depth += 1,
            ']' | ')' | '}' if depth == 0 => return text[..at].trim_end().len(),
            ']' | ')' | '}' => depth -= 1,
            '"' | '`' | '/' | '\n' => return 0,
            _ => {}
        }
    }
    if depth == 0 { text.trim_end().len() } else { 0 }
}

/// Whether an array extent is written without quotes.
pub(super) fn is_plain_extent(extent: &str) -> bool {
    !extent.is_empty() && extent.trim_start() == extent && extent_len(extent) == extent.len()
}

/// The length of the number at the start of the text, without suffix.
pub(super) fn number_len(text: &str) -> usize {
    let digits = |text: &str| {
        let begins = text.starts_with(|c: char| c.is_ascii_digit());
        let end = text
            .find(|c: char| !(c.is_ascii_digit() || c == '_'))
            .unwrap_or(text.len());
        if begins { end } else { 0 }
    };
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            let end = rest.find(|c: char| !(c.is_digit(radix) || c == '_'));
            return 2 + end.unwrap_or(rest.len());
        }
    }
    let mut end = digits(text);
    if end == 0 {
        return 0;
    }
    if let Some(rest) = text[end..].strip_prefix('.') {
        let fraction = digits(rest);
        end += if fraction > 0 { 1 + fraction } else { 0 };
    }
    if let Some(rest) = text[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(rest.starts_with(['+', '-']));
        let exponent = digits(&rest[sign..]);
        end += if exponent > 0 { 1 + sign + exponent } else { 0 };
    }
    end
}

/// Whether the text is a number without suffix.
pub(super) fn is_number(text: &str) -> bool {
    !text.is_empty() && number_len(text) == text.len()
}

/// The text in quotes; quotes inside are escaped by a backslash.
pub(super) fn quoted(text: &str, quote: char) -> String {
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}
