//! The nesting limit of an item. Parsing, visiting, lowering and printing are recursive and run on rustc's stack, so an
//! item that is nested too deeply is refused before it is parsed.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};

use crate::refuse::{Reason, Refusal};

/// The limit of nested delimiters and prefix operators.
const MAX_LEVELS: usize = 200;

/// Keywords that are followed by an operand, a pattern or a type.
const BEFORE_OPERANDS: &[&str] = &[
    "break", "const", "dyn", "if", "in", "let", "match", "move", "mut", "ref", "return", "while",
];

/// The limit of tokens between separators: each operator or method call of a chain is one level of the tree.
const MAX_CHAIN: usize = 2_000;

/// The refusal of tokens that are nested too deeply, at the first such token.
pub fn refuse_deep(tokens: &TokenStream) -> Option<Refusal> {
    Some(Refusal {
        span: too_deep(tokens.clone(), 0)?,
        reason: Reason::Expression("an expression nested this deeply".into()),
    })
}

fn too_deep(tokens: TokenStream, level: usize) -> Option<Span> {
    let (mut chain, mut tokens) = (Chain::default(), tokens.into_iter().peekable());
    while let Some(token) = tokens.next() {
        chain.count(&token);
        if level + chain.operators + chain.open_angles > MAX_LEVELS || chain.tokens > MAX_CHAIN {
            return Some(token.span());
        }
        match token {
            TokenTree::Group(group) => {
                let inner = too_deep(group.stream(), level + 1);
                if inner.is_some() {
                    return inner;
                }
                if group.delimiter() == Delimiter::Brace && !continues_expr(tokens.peek()) {
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

/// The tokens since the last separator.
#[derive(Default)]
struct Chain {
    tokens: usize,
    /// The operators and keywords since the last operand.
    operators: usize,
    /// The open angle brackets, which count twice, and the bars of closures.
    open_angles: usize,
}

impl Chain {
    fn count(&mut self, token: &TokenTree) {
        self.tokens += 1;
        let is_before_operand = match token {
            TokenTree::Punct(_) => true,
            TokenTree::Ident(word) => BEFORE_OPERANDS.iter().any(|known| word == known),
            _ => false,
        };
        self.operators = if is_before_operand {
            self.operators + 1
        } else {
            0
        };
        match token {
            TokenTree::Punct(sign) if sign.as_char() == '<' => self.open_angles += 2,
            TokenTree::Punct(sign) if sign.as_char() == '>' => {
                self.open_angles = self.open_angles.saturating_sub(2);
            }
            TokenTree::Punct(sign) if sign.as_char() == '|' => self.open_angles += 1,
            _ => {}
        }
    }
}

/// Whether the token after braces continues the same expression.
fn continues_expr(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Punct(sign)) => sign.as_char() != '#',
        Some(TokenTree::Ident(word)) => word == "else" || word == "as",
        _ => false,
    }
}
