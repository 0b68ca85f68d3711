//! The transcriber of `macro_rules!`: the expansion of a call, with marks on the names that the macro wrote.

use std::collections::BTreeSet;

use proc_macro2::{TokenStream, TokenTree};

use super::mark::{Mark, with_content};
use super::matcher::{Binding, Bindings, parse_repetition};

/// Transcribes one call.
pub struct Transcriber {
    /// The mark of the call.
    pub mark: Mark,
    /// The number of tokens that may still be produced.
    pub tokens_left: usize,
}

impl Transcriber {
    /// Transcribes the body of an arm with these bindings; `None` if they don't fit or the expansion is too large.
    pub fn transcribe(&mut self, body: TokenStream, found: &Bindings) -> Option<TokenStream> {
        let mut tokens = body.into_iter();
        let mut out = TokenStream::new();
        while let Some(token) = tokens.next() {
            self.count(1)?;
            match token {
                TokenTree::Punct(p) if p.as_char() == '$' => match tokens.next()? {
                    TokenTree::Ident(name) if name == "crate" => {
                        out.extend([TokenTree::Ident(name)]);
                    }
                    TokenTree::Ident(name) => match found.get(&name.to_string())? {
                        Binding::Single(tokens) => {
                            self.count(count_tokens(tokens))?;
                            out.extend(tokens.clone());
                        }
                        Binding::Rounds(_) => return None,
                    },
                    TokenTree::Group(of) => {
                        let mark = parse_repetition(&mut tokens)?;
                        for (k, round) in rounds(&of.stream(), found)?.iter().enumerate() {
                            if k > 0 {
                                out.extend(mark.separator.clone());
                            }
                            out.extend(self.transcribe(of.stream(), round)?);
                        }
                    }
                    _ => return None,
                },
                TokenTree::Group(of) => {
                    let made = with_content(&of, self.transcribe(of.stream(), found)?);
                    out.extend([TokenTree::from(made)]);
                }
                TokenTree::Ident(name) => {
                    out.extend([TokenTree::from(self.mark.mark_ident(&name))])
                }
                TokenTree::Literal(literal) => {
                    out.extend([TokenTree::from(self.mark.mark_captures(&literal))]);
                }
                sign => out.extend([sign]),
            }
        }
        Some(out)
    }

    /// Counts produced tokens; `None` if there are too many.
    fn count(&mut self, tokens: usize) -> Option<()> {
        self.tokens_left = self.tokens_left.saturating_sub(tokens);
        (self.tokens_left > 0).then_some(())
    }
}

/// The number of tokens, including those in groups.
fn count_tokens(tokens: &TokenStream) -> usize {
    let each = tokens.clone().into_iter().map(|token| match token {
        TokenTree::Group(group) => 1 + count_tokens(&group.stream()),
        _ => 1,
    });
    each.sum()
}

/// The bindings of each round of a repetition; the repeated names in it determine the number of rounds.
fn rounds(of: &TokenStream, found: &Bindings) -> Option<Vec<Bindings>> {
    let mut names = BTreeSet::new();
    metavariables(of.clone(), &mut names);
    let mut counts = names.iter().filter_map(|name| match found.get(name) {
        Some(Binding::Rounds(all)) => Some(all.len()),
        _ => None,
    });
    let count = counts.next()?;
    if counts.any(|other| other != count) {
        return None;
    }
    let in_round = |name: &String, k: usize| match found.get(name)? {
        Binding::Rounds(all) => all.get(k).cloned(),
        one => Some(one.clone()),
    };
    let round = |k: usize| {
        let bound = names
            .iter()
            .filter_map(|name| Some((name.clone(), in_round(name, k)?)));
        bound.collect()
    };
    Some((0..count).map(round).collect())
}

/// Collects the names after `$`.
fn metavariables(tokens: TokenStream, names: &mut BTreeSet<String>) {
    let mut dollar = false;
    for token in tokens {
        match &token {
            TokenTree::Ident(name) if dollar => {
                names.insert(name.to_string());
            }
            TokenTree::Group(of) => metavariables(of.stream(), names),
            _ => {}
        }
        dollar = matches!(&token, TokenTree::Punct(p) if p.as_char() == '$');
    }
}
