//! Readable Rust tokens: short paths, literals without suffixes, on one line.

use proc_macro2::{Delimiter, Group, Literal, Spacing, TokenTree};

/// The tokens with path prefixes like `::adjoint::__private::` and the literal suffixes of generated code removed,
/// except inside of groups.
pub fn shorten_paths(tokens: impl IntoIterator<Item = TokenTree>) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        let goes_on = matches!(out.last(), Some(TokenTree::Ident(_)));
        let skipped = if goes_on {
            0
        } else {
            path_prefix(&tokens[at..])
        };
        if skipped > 0 {
            at += skipped;
            continue;
        }
        out.push(match &tokens[at] {
            TokenTree::Literal(l) => TokenTree::Literal(without_suffix(l)),
            token => token.clone(),
        });
        at += 1;
    }
    out
}

/// The number of tokens of `::core::option::Option` to omit: up to a type; for other paths, all but the last module.
fn path_prefix(tokens: &[TokenTree]) -> usize {
    let mut segments: Vec<String> = Vec::new();
    while let [
        TokenTree::Punct(a),
        TokenTree::Punct(b),
        TokenTree::Ident(name),
        ..,
    ] = &tokens[3 * segments.len()..]
    {
        if a.as_char() != ':' || b.as_char() != ':' {
            break;
        }
        segments.push(name.to_string());
    }
    match segments.first().map(String::as_str) {
        Some("core" | "std" | "adjoint") => {}
        _ => return 0,
    }
    let is_type = |s: &String| s.starts_with(char::is_uppercase);
    let last = segments.len() - 1;
    let module = segments[last - last.min(1)] == "partial" || segments.contains(&"mem".to_string());
    let from = segments
        .iter()
        .position(is_type)
        .unwrap_or(last - usize::from(module).min(last));
    // The `::` before the rest is omitted too.
    3 * from + 2
}

fn without_suffix(literal: &Literal) -> Literal {
    const SUFFIXES: [&str; 14] = [
        "f64", "f32", "usize", "isize", "u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32",
        "i64", "i128",
    ];
    let text = literal.to_string();
    let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && !text.starts_with("0x");
    let short = SUFFIXES
        .iter()
        .find_map(|s| text.strip_suffix(s))
        .filter(|_| is_number);
    short
        .and_then(|s| s.trim_end_matches('_').parse().ok())
        .unwrap_or_else(|| literal.clone())
}

/// The tokens on one line, spaced as `rustfmt` would.
pub fn one_line(tokens: impl IntoIterator<Item = TokenTree>) -> String {
    let mut line = LineWriter {
        text: String::new(),
        preceding: Preceding::Start,
        open_angles: 0,
    };
    line.stream(tokens);
    line.text
}

/// The kind of the preceding token, for spacing.
#[derive(Clone, Copy, PartialEq)]
enum Preceding {
    /// Nothing: the start, an opening delimiter, a prefix operator, a dot, a path separator.
    Start,
    /// The end of a value: a name, a literal, a closing delimiter.
    Value,
    /// A keyword that begins something (`if`, `mut`).
    Keyword,
    /// An infix operator, or a comma.
    Infix,
    /// `::`
    Path,
}

struct LineWriter {
    text: String,
    preceding: Preceding,
    /// The number of open angle brackets.
    open_angles: usize,
}

const KEYWORDS: [&str; 14] = [
    "as", "break", "else", "for", "if", "in", "let", "loop", "match", "move", "mut", "ref",
    "return", "while",
];

impl LineWriter {
    fn stream(&mut self, tokens: impl IntoIterator<Item = TokenTree>) {
        let tokens = shorten_paths(tokens);
        let mut at = 0;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Ident(word) => self.word(&word.to_string()),
                TokenTree::Literal(l) => self.word(&l.to_string()),
                TokenTree::Group(g) => self.group(g),
                TokenTree::Punct(_) => {
                    let operator = self.operator(&tokens[at..]);
                    at += operator.chars().count();
                    self.punctuation(&operator);
                    continue;
                }
            }
            at += 1;
        }
    }

    /// The longest run of joint punctuation that is one operator.
    fn operator(&self, tokens: &[TokenTree]) -> String {
        const MULTI_CHAR_OPERATORS: [&str; 21] = [
            "..=", "<<=", ">>=", "::", "..", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=",
            "-=", "*=", "/=", "%=", "<<", ">>", "^=",
        ];
        let mut run = String::new();
        for token in tokens {
            let TokenTree::Punct(p) = token else { break };
            run.push(p.as_char());
            if p.spacing() == Spacing::Alone {
                break;
            }
        }
        let closes = self.open_angles > 0 && run.starts_with('>');
        let long = MULTI_CHAR_OPERATORS
            .iter()
            .find(|op| run.starts_with(**op))
            .filter(|_| !closes);
        long.map_or_else(|| run.chars().take(1).collect(), |op| op.to_string())
    }

    fn space(&mut self) {
        if !matches!(self.preceding, Preceding::Start | Preceding::Path) {
            self.text.push(' ');
        }
    }

    fn word(&mut self, word: &str) {
        self.space();
        self.text.push_str(word);
        let keyword = KEYWORDS.contains(&word);
        self.preceding = if keyword {
            Preceding::Keyword
        } else {
            Preceding::Value
        };
    }

    fn group(&mut self, group: &Group) {
        let (open, close) = match group.delimiter() {
            Delimiter::Parenthesis => ("(", ")"),
            Delimiter::Bracket => ("[", "]"),
            Delimiter::Brace => ("{ ", " }"),
            Delimiter::None => ("", ""),
        };
        let is_call = self.preceding == Preceding::Value && group.delimiter() != Delimiter::Brace;
        if !is_call {
            self.space();
        }
        self.text.push_str(open);
        let outer = std::mem::take(&mut self.open_angles);
        self.preceding = Preceding::Start;
        self.stream(group.stream());
        self.open_angles = outer;
        self.text.push_str(close);
        self.preceding = Preceding::Value;
    }

    fn punctuation(&mut self, operator: &str) {
        let is_prefix = self.preceding != Preceding::Value;
        match operator {
            "," | ";" | ":" => self.tight(operator, Preceding::Infix),
            "." | ".." | "..=" => self.tight(operator, Preceding::Start),
            "::" => {
                if matches!(self.preceding, Preceding::Infix | Preceding::Keyword) {
                    self.text.push(' ');
                }
                self.tight(operator, Preceding::Path);
            }
            "?" => self.tight(operator, Preceding::Value),
            "!" if self.preceding == Preceding::Value => self.tight(operator, Preceding::Value),
            "<" if is_prefix || self.is_after_type() => {
                if self.preceding == Preceding::Infix {
                    self.text.push(' ');
                }
                self.open_angles += 1;
                self.tight(operator, Preceding::Start);
            }
            ">" if self.open_angles > 0 => {
                self.open_angles -= 1;
                self.tight(operator, Preceding::Value);
            }
            "-" | "!" | "*" | "&" | "&&" | "'" | "|" if is_prefix => {
                self.space();
                self.tight(operator, Preceding::Start);
            }
            _ => {
                self.space();
                self.tight(operator, Preceding::Infix);
            }
        }
    }

    fn tight(&mut self, text: &str, before: Preceding) {
        self.text.push_str(text);
        self.preceding = before;
    }

    /// Whether the last word is a type's name, so that `<` opens its arguments.
    fn is_after_type(&self) -> bool {
        let start = self
            .text
            .rfind(|c: char| !(c.is_alphanumeric() || c == '_'));
        let word = &self.text[start.map_or(0, |at| at + 1)..];
        let shouting = word.chars().all(|c| !c.is_lowercase()) && word.len() > 1;
        word.starts_with(char::is_uppercase) && !shouting
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    fn check(tokens: &str, text: &str) {
        let tokens: proc_macro2::TokenStream = tokens.parse().unwrap();
        assert_eq!(one_line(tokens), text);
    }

    #[test]
    fn tokens_are_spaced_like_rust() {
        check(
            "x [ i ] = j as f64 + x [ i ] . sin ( ) ;",
            "x[i] = j as f64 + x[i].sin();",
        );
        check("- p [ 0usize ] * ( - t ) . exp ( )", "-p[0] * (-t).exp()");
        check(
            "let mut v : Vec < f64 > = & mut * y",
            "let mut v: Vec<f64> = &mut *y",
        );
        check(
            "if a < n && ! b { } else { 1.5f32 }",
            "if a < n && !b {  } else { 1.5 }",
        );
        check("for i in a . b ..= n - 1", "for i in a.b..=n - 1");
    }

    #[test]
    fn long_paths_are_cut() {
        check(
            ":: adjoint :: __private :: partial :: sin ( x )",
            "partial::sin(x)",
        );
        check(
            ":: core :: clone :: Clone :: clone ( & x )",
            "Clone::clone(&x)",
        );
        check(":: std :: vec :: Vec < f64 >", "Vec<f64>");
        check(":: core :: mem :: swap ( a , b )", "mem::swap(a, b)");
        check(":: adjoint :: __private :: trips ( 0 , n )", "trips(0, n)");
        check("T :: from ( x )", "T::from(x)");
    }
}
