//! What a `macro_rules!` makes of a call, with a mark on the names that are its own.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::mark::{Mark, with_content};
use super::matcher::{Bindings, Bound, mark};

/// The body of an arm, with what was found in the place of names; nothing, where the two don't fit.
pub fn transcribed(body: TokenStream, found: &Bindings, own: Mark) -> Option<TokenStream> {
    let mut tokens = body.into_iter();
    let mut out = TokenStream::new();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(p) if p.as_char() == '$' => match tokens.next()? {
                TokenTree::Ident(name) if name == "crate" => {
                    out.extend([TokenTree::Ident(name)]);
                }
                TokenTree::Ident(name) => match found.get(&name.to_string())? {
                    Bound::One(tokens) => out.extend(tokens.clone()),
                    Bound::Many(_) => return None,
                },
                TokenTree::Group(of) => {
                    let mark = mark(&mut tokens)?;
                    for (k, round) in rounds(&of.stream(), found)?.iter().enumerate() {
                        if k > 0 {
                            out.extend(mark.separator.clone());
                        }
                        out.extend(transcribed(of.stream(), round, own)?);
                    }
                }
                _ => return None,
            },
            TokenTree::Group(of) => {
                let made = with_content(&of, transcribed(of.stream(), found, own)?);
                out.extend([TokenTree::from(made)]);
            }
            TokenTree::Ident(name) => out.extend([TokenTree::from(own.put_on(&name))]),
            TokenTree::Literal(literal) => {
                out.extend([TokenTree::from(own.put_on_captures(&literal))]);
            }
            sign => out.extend([sign]),
        }
    }
    Some(out)
}

/// What is found in each round of a repetition: the names in it that are repeated say how many there are.
fn rounds(of: &TokenStream, found: &Bindings) -> Option<Vec<Bindings>> {
    let mut names = BTreeSet::new();
    variables(of.clone(), &mut names);
    let repeated = names.iter().filter_map(|name| match found.get(name) {
        Some(Bound::Many(all)) => Some((name, all)),
        _ => None,
    });
    let repeated: Vec<_> = repeated.collect();
    let (_, first) = repeated.first()?;
    let count = first.len();
    if repeated.iter().any(|(_, all)| all.len() != count) {
        return None;
    }
    let round = |k: usize| {
        let own = repeated
            .iter()
            .map(|(name, all)| (name.to_string(), all[k].clone()));
        let mut round = found.clone();
        round.extend(own);
        round
    };
    Some((0..count).map(round).collect())
}

/// The names behind `$`.
fn variables(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let mut dollar = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(name) if dollar => {
                names.insert(name.to_string());
            }
            TokenTree::Group(of) => variables(of.stream(), names),
            _ => {}
        }
        dollar = matches!(&token, TokenTree::Punct(p) if p.as_char() == '$');
    }
}
