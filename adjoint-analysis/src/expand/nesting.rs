//! How deep an item may be nested. It is parsed, looked through, lowered and printed by recursion, all on rustc's stack:
//! what is too deep for that is found before it is parsed.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use crate::refuse::{Reason, Refusal};

/// How many brackets and signs before an operand may lie within each other.
const LEVELS: usize = 200;

/// Words that an operand, a pattern or a type follows.
const BEFORE_OPERANDS: &[&str] = &[
    "break", "const", "dyn", "if", "in", "let", "match", "move", "mut", "ref", "return", "while",
];

/// How many tokens may stand between separators: each operator or method of a chain is a level of its own.
const CHAIN: usize = 2_000;

/// The refusal of tokens that are nested too deep, at the first that is.
pub fn refused(tokens: &TokenStream) -> Option<Refusal> {
    Some(Refusal {
        span: too_deep(tokens.clone(), 0)?,
        reason: Reason::Expression("an expression nested this deeply".into()),
    })
}

fn too_deep(tokens: TokenStream, level: usize) -> Option<Span> {
    let (mut chain, mut tokens) = (Chain::default(), tokens.into_iter().peekable());
    while let Some(token) = tokens.next() {
        chain.count(&token);
        if level + chain.signs + chain.open > LEVELS || chain.tokens > CHAIN {
            return Some(token.span());
        }
        match token {
            TokenTree::Group(group) => {
                let inner = too_deep(group.stream(), level + 1);
                if inner.is_some() {
                    return inner;
                }
                if group.delimiter() == Delimiter::Brace && !goes_on(tokens.peek()) {
                    chain = Chain::default();
                }
            }
            TokenTree::Punct(sign) if matches!(sign.as_char(), ';' | ',') => {
                chain = Chain::default();
            }
            _ => {}
        }
    }
    None
}

/// What stands between separators.
#[derive(Default)]
struct Chain {
    tokens: usize,
    /// The signs and words since the last operand.
    signs: usize,
    /// Twice the angle brackets that are open, and the bars of closures.
    open: usize,
}

impl Chain {
    fn count(&mut self, token: &TokenTree) {
        self.tokens += 1;
        let is_before_operand = match token {
            TokenTree::Punct(_) => true,
            TokenTree::Ident(word) => BEFORE_OPERANDS.iter().any(|known| word == known),
            _ => false,
        };
        self.signs = if is_before_operand { self.signs + 1 } else { 0 };
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '<' => self.open += 2,
            TokenTree::Punct(sign) if sign.as_char() == '>' => {
                self.open = self.open.saturating_sub(2);
            }
            TokenTree::Punct(sign) if sign.as_char() == '|' => self.open += 1,
            _ => {}
        }
    }
}

/// Whether a token behind braces belongs to the same expression.
fn goes_on(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Punct(sign)) => sign.as_char() != '#',
        Some(TokenTree::Ident(word)) => word == "else" || word == "as",
        _ => false,
    }
}
