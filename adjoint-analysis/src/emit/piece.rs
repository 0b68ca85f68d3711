//! Pieces of code on their way into a stream of tokens.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt};

/// A piece of code. Inside a macro, joining streams is a matter for the compiler, each time with a way
/// there and back; single tokens are put together here.
#[derive(Clone)]
pub enum Piece {
    /// Tokens that belong to no stream yet.
    Tokens(Vec<TokenTree>),
    /// Any other code.
    Stream(TokenStream),
}

impl Piece {
    /// Nothing.
    pub fn empty() -> Piece {
        Piece::Tokens(Vec::new())
    }

    /// A name that the user's code may use.
    pub fn name(name: &str) -> Piece {
        Piece::from(Ident::new(name, Span::call_site()))
    }

    /// The operator and what stands behind it.
    pub fn after(operator: &str, operand: Piece) -> Piece {
        Piece::empty().then_operator(operator).then(operand)
    }

    /// This, and the other behind it.
    pub fn then(mut self, next: impl Into<Piece>) -> Piece {
        match (&mut self, next.into()) {
            (Piece::Tokens(tokens), Piece::Tokens(more)) => {
                tokens.extend(more);
                return self;
            }
            (Piece::Stream(stream), next) => next.to_tokens(stream),
            (Piece::Tokens(_), next) => {
                let mut stream = TokenStream::from(self);
                next.to_tokens(&mut stream);
                return Piece::Stream(stream);
            }
        }
        self
    }

    /// This, and an operator of one or more signs behind it.
    pub fn then_operator(self, operator: &str) -> Piece {
        let last = operator.len() - 1;
        let signs = operator.chars().enumerate().map(|(i, c)| {
            let spacing = if i < last {
                Spacing::Joint
            } else {
                Spacing::Alone
            };
            Punct::new(c, spacing).into()
        });
        self.then(Piece::Tokens(signs.collect()))
    }

    /// This in `(..)`, `[..]`, `{..}`.
    pub fn within(self, delimiter: Delimiter) -> Piece {
        TokenTree::from(Group::new(delimiter, self.into())).into()
    }

    /// These, separated by commas.
    pub fn list(items: impl Iterator<Item = Piece>) -> Piece {
        items.fold(Piece::empty(), |list, item| match list {
            Piece::Tokens(tokens) if tokens.is_empty() => item,
            list => list.then_operator(",").then(item),
        })
    }

    /// This, called with these.
    pub fn call(self, args: impl Iterator<Item = Piece>) -> Piece {
        self.then(Piece::list(args).within(Delimiter::Parenthesis))
    }
}

impl From<TokenTree> for Piece {
    fn from(token: TokenTree) -> Piece {
        Piece::Tokens(vec![token])
    }
}

impl From<Ident> for Piece {
    fn from(name: Ident) -> Piece {
        TokenTree::from(name).into()
    }
}

impl From<Literal> for Piece {
    fn from(literal: Literal) -> Piece {
        TokenTree::from(literal).into()
    }
}

impl From<TokenStream> for Piece {
    fn from(stream: TokenStream) -> Piece {
        Piece::Stream(stream)
    }
}

impl From<Piece> for TokenStream {
    fn from(code: Piece) -> TokenStream {
        match code {
            Piece::Tokens(tokens) => tokens.into_iter().collect(),
            Piece::Stream(stream) => stream,
        }
    }
}

impl ToTokens for Piece {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Piece::Tokens(own) => tokens.append_all(own),
            Piece::Stream(stream) => stream.to_tokens(tokens),
        }
    }
}
