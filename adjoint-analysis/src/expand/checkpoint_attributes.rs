//! Removal of `#[checkpoint]` from what is emitted: rustc knows no such attribute.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// The tokens without these attributes.
pub(super) fn strip(tokens: TokenStream) -> TokenStream {
    if !has_one(tokens.clone()) {
        return tokens;
    }
    let mut out = TokenStream::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '#' && rest.peek().is_some_and(is_checkpoint) => {
                rest.next();
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), strip(group.stream()));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            token => out.extend([token]),
        }
    }
    out
}

fn has_one(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => {
            is_checkpoint(&TokenTree::Group(group.clone())) || has_one(group.stream())
        }
        _ => false,
    })
}

/// Whether the token is the brackets of the attribute.
fn is_checkpoint(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let first = group.stream().into_iter().next();
    group.delimiter() == Delimiter::Bracket
        && matches!(first, Some(TokenTree::Ident(name)) if name == "checkpoint")
}
