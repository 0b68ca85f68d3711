//! Removal of `#[checkpoint]` from what is emitted: rustc knows no such attribute.
//!
//! A parameter with a number of snapshots would then be unused, so the arguments are borrowed in its place.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

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
                out.extend(rest.next().map(borrowed_arguments));
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

/// A statement that names the arguments which are no literals.
fn borrowed_arguments(attribute: TokenTree) -> TokenStream {
    let arguments = match attribute {
        TokenTree::Group(brackets) => brackets.stream().into_iter().nth(1),
        _ => None,
    };
    let Some(TokenTree::Group(arguments)) = arguments else {
        return TokenStream::new();
    };
    let mut names = Vec::new();
    let mut is_value = false;
    for token in arguments.stream() {
        match &token {
            TokenTree::Punct(p) if p.as_char() == '=' => is_value = true,
            TokenTree::Punct(p) if p.as_char() == ',' => is_value = false,
            TokenTree::Ident(_) if is_value => names.push(token),
            _ => {}
        }
    }
    match names.len() {
        0 => TokenStream::new(),
        _ => quote!(let _ = (#(&#names),*);),
    }
}
