//! Removal of `#[checkpoint]` from what is emitted: rustc knows no such attribute.
//!
//! A parameter with a number of snapshots would then be unused, so the arguments are borrowed in its place.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::quote;

/// The tokens without these attributes.
pub(super) fn strip(tokens: TokenStream) -> TokenStream {
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

/// Whether the word, and so perhaps the attribute, is in the code.
pub(super) fn occur(tokens: &TokenStream) -> bool {
    tokens.to_string().contains("checkpoint")
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
    let tokens: Vec<TokenTree> = arguments.stream().into_iter().collect();
    let is = |token: &TokenTree, c: char| matches!(token, TokenTree::Punct(p) if p.as_char() == c);
    let values = tokens.split(|token| is(token, ',')).filter_map(|argument| {
        let at = argument.iter().position(|token| is(token, '='))?;
        let value = &argument[at + 1..];
        let is_literal = matches!(value, [] | [TokenTree::Literal(_)]);
        (!is_literal).then(|| value.iter().cloned().collect::<TokenStream>())
    });
    let values: Vec<TokenStream> = values.collect();
    match values.is_empty() {
        true => TokenStream::new(),
        false => quote!(let _ = (#(&#values,)*);),
    }
}
