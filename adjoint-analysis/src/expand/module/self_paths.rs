//! Substitution of `self`, `Self` and `Self::Name` in a method that is moved to another item.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

/// The replacement of a word, and whether it replaces the `::Name` after it too.
pub type Replacement = Option<(TokenStream, bool)>;

/// The tokens with `self` and `Self` replaced by `put`, whose second argument is the name after `Self::`.
pub fn replace_self(
    tokens: TokenStream,
    put: &dyn Fn(&Ident, Option<&TokenTree>) -> Replacement,
) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut written = TokenStream::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        match token {
            TokenTree::Group(g) => {
                let mut group = Group::new(g.delimiter(), replace_self(g.stream(), put));
                group.set_span(g.span());
                written.extend([TokenTree::Group(group)]);
            }
            TokenTree::Ident(word) if word == "self" || word == "Self" => {
                let name = match tokens.get(at..at + 3) {
                    Some([TokenTree::Punct(a), TokenTree::Punct(b), name])
                        if a.as_char() == ':' && b.as_char() == ':' =>
                    {
                        Some(name)
                    }
                    _ => None,
                };
                match put(word, name) {
                    Some((by, with_name)) => {
                        written.extend(by);
                        at += if with_name { 3 } else { 0 };
                    }
                    None => written.extend([token.clone()]),
                }
            }
            token => written.extend([token.clone()]),
        }
    }
    written
}
