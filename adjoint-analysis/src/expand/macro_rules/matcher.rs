//! The matcher of `macro_rules!`: patterns, and their bindings in a call.

use std::collections::BTreeMap;
use std::iter::Peekable;

use proc_macro2::{Delimiter, Punct, Spacing, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};

use super::fragment::{self, Taken};
use super::mark::{bare, bare_literal, bare_tokens};

/// The bindings of a pattern's names in a call.
pub type Bindings = BTreeMap<String, Bound>;

/// The name that is bound if versions of Rust may match the pattern differently.
pub const UNSURE: &str = "";

/// The binding of one name.
#[derive(Clone, Debug)]
pub enum Bound {
    /// The tokens of a single match.
    One(TokenStream),
    /// One binding for each round of a repetition.
    Many(Vec<Bound>),
}

/// One part of a pattern.
#[derive(Debug)]
pub enum Part {
    /// A name or a literal, matched as it is.
    Token(TokenTree),
    /// An operator or a lifetime.
    Signs(String),
    /// A delimited group.
    Within(Delimiter, Vec<Part>),
    /// `$name:kind`.
    Fragment { name: String, kind: String },
    /// `$(..)separator*`.
    Repeated { parts: Vec<Part>, mark: Mark },
}

/// The separator and the operator of a repetition.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The tokens between two rounds.
    pub separator: Vec<TokenTree>,
    /// `*`, `+` or `?`.
    pub how_often: char,
}

/// The operators of more than one character.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "..=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "^=", "&=", "|=", "->", "<-", "=>", "::", "..",
];

/// Parses a pattern; `None` if it is not supported.
pub fn parts(tokens: TokenStream) -> Option<Vec<Part>> {
    let mut tokens = tokens.into_iter().peekable();
    let mut parts = Vec::new();
    while let Some(token) = tokens.next() {
        parts.push(match token {
            TokenTree::Punct(p) if p.as_char() == '$' => match tokens.next()? {
                TokenTree::Group(of) => Part::Repeated {
                    parts: self::parts(of.stream())?,
                    mark: mark(&mut tokens)?,
                },
                TokenTree::Ident(name) => {
                    let _colon = tokens.next()?;
                    let kind = tokens.next()?.to_string();
                    let name = name.to_string();
                    // An unsupported kind fails the whole macro, since a later arm must not match in its place.
                    fragment::is_known(&kind).then_some(())?;
                    Part::Fragment { name, kind }
                }
                _ => return None,
            },
            TokenTree::Group(of) => Part::Within(of.delimiter(), self::parts(of.stream())?),
            TokenTree::Punct(first) => Part::Signs(signs(first, &mut tokens)),
            token => Part::Token(token),
        });
    }
    Some(parts)
}

/// The operator or lifetime that begins with this character.
fn signs(first: Punct, tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> String {
    let (mut text, mut last) = (String::from(first.as_char()), first);
    if last.as_char() == '\'' {
        return text + &tokens.next().map_or(String::new(), |name| name.to_string());
    }
    while let Some(TokenTree::Punct(next)) = tokens.peek()
        && last.spacing() == Spacing::Joint
        && is_operator(&text, next)
    {
        text.push(next.as_char());
        last = next.clone();
        tokens.next();
    }
    text
}

/// Whether an operator begins with both.
fn is_operator(text: &str, next: &Punct) -> bool {
    let longer = format!("{text}{}", next.as_char());
    OPERATORS.iter().any(|o| o.starts_with(&longer))
}

/// Parses the separator and the operator of a repetition.
pub fn mark(tokens: &mut impl Iterator<Item = TokenTree>) -> Option<Mark> {
    let mut separator = Vec::new();
    loop {
        match tokens.next()? {
            TokenTree::Punct(p) if matches!(p.as_char(), '*' | '+' | '?') => {
                let how_often = p.as_char();
                return Some(Mark {
                    separator,
                    how_often,
                });
            }
            token if separator.len() < 3 => separator.push(token),
            _ => return None,
        }
    }
}

/// Matches all tokens of a call.
pub fn found(parts: &[Part], call: TokenStream) -> Option<Bindings> {
    let whole = |input: ParseStream<'_>| {
        let mut bindings = Bindings::new();
        take_all(parts, input, &mut bindings)?;
        Ok(bindings)
    };
    whole.parse2(call).ok()
}

fn take_all(parts: &[Part], input: ParseStream<'_>, found: &mut Bindings) -> syn::Result<()> {
    parts.iter().try_for_each(|part| take(part, input, found))
}

fn take(part: &Part, input: ParseStream<'_>, found: &mut Bindings) -> syn::Result<()> {
    match part {
        Part::Token(token) => take_token(token, input),
        Part::Within(delimiter, parts) => match input.parse()? {
            TokenTree::Group(group) if group.delimiter() == *delimiter => {
                let inner = self::found(parts, group.stream());
                found.extend(inner.ok_or_else(|| input.error("another pattern"))?);
                Ok(())
            }
            _ => Err(input.error("another token")),
        },
        Part::Signs(signs) => take_signs(signs, input),
        Part::Fragment { name, kind } => {
            let tokens = match fragment::taken(kind, input)? {
                Taken::Sure(tokens) => tokens,
                Taken::Unsure(tokens) => {
                    found.insert(UNSURE.to_string(), Bound::Many(Vec::new()));
                    tokens
                }
            };
            found.insert(name.clone(), Bound::One(tokens));
            Ok(())
        }
        Part::Repeated { parts, mark } => take_rounds(parts, mark, input, found),
    }
}

fn take_token(token: &TokenTree, input: ParseStream<'_>) -> syn::Result<()> {
    let next: TokenTree = input.parse()?;
    let same = match (token, &next) {
        (TokenTree::Ident(a), TokenTree::Ident(b)) => *a == bare(b),
        (TokenTree::Literal(a), TokenTree::Literal(b)) => {
            a.to_string() == bare_literal(b).to_string()
        }
        _ => false,
    };
    match same {
        true => Ok(()),
        false => Err(input.error("another token")),
    }
}

fn take_signs(signs: &str, input: ParseStream<'_>) -> syn::Result<()> {
    let next = bare_tokens(token(input)?);
    let next: String = next.into_iter().map(|token| token.to_string()).collect();
    match next == signs {
        true => Ok(()),
        false => Err(input.error("another token")),
    }
}

fn take_separator(separator: &[TokenTree], input: ParseStream<'_>) -> syn::Result<()> {
    match separator {
        [] => Ok(()),
        [TokenTree::Punct(_), ..] => {
            let signs: String = separator.iter().map(ToString::to_string).collect();
            take_signs(&signs, input)
        }
        tokens => tokens.iter().try_for_each(|token| take_token(token, input)),
    }
}

/// Matches as many rounds as possible: rustc guarantees that no round begins with what may follow the repetition.
fn take_rounds(
    parts: &[Part],
    mark: &Mark,
    input: ParseStream<'_>,
    found: &mut Bindings,
) -> syn::Result<()> {
    let mut rounds = Vec::new();
    while !input.is_empty() {
        let (ahead, mut round) = (input.fork(), Bindings::new());
        let separator = match rounds.is_empty() {
            true => &[][..],
            false => &mark.separator,
        };
        let taken =
            take_separator(separator, &ahead).and_then(|()| take_all(parts, &ahead, &mut round));
        // An empty round would repeat forever.
        if taken.is_err() || ahead.cursor() == input.cursor() {
            break;
        }
        input.advance_to(&ahead);
        rounds.push(round);
        if mark.how_often == '?' {
            break;
        }
    }
    if rounds.is_empty() && mark.how_often == '+' {
        return Err(input.error("at least one is expected"));
    }
    if rounds.iter().any(|round| round.contains_key(UNSURE)) {
        found.insert(UNSURE.to_string(), Bound::Many(Vec::new()));
    }
    for name in names(parts) {
        let of_round = |round: &Bindings| round.get(name).cloned();
        let all = rounds.iter().filter_map(of_round).collect();
        found.insert(name.to_string(), Bound::Many(all));
    }
    Ok(())
}

/// The names that the parts bind.
fn names(parts: &[Part]) -> Vec<&str> {
    parts.iter().flat_map(names_in).collect()
}

fn names_in(part: &Part) -> Vec<&str> {
    match part {
        Part::Fragment { name, .. } => vec![name],
        Part::Within(_, parts) | Part::Repeated { parts, .. } => names(parts),
        Part::Token(_) | Part::Signs(_) => Vec::new(),
    }
}

/// Parses one token; an operator has several characters.
pub fn token(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let first: TokenTree = input.parse()?;
    let mut tokens = vec![first.clone()];
    if let TokenTree::Punct(sign) = &first {
        if sign.as_char() == '\'' {
            tokens.push(input.parse()?);
        }
        let mut text = String::from(sign.as_char());
        let mut last = sign.clone();
        while last.spacing() == Spacing::Joint
            && let Some((next, _)) = input.cursor().punct()
            && is_operator(&text, &next)
        {
            text.push(next.as_char());
            tokens.push(input.parse()?);
            last = next;
        }
    }
    Ok(tokens.into_iter().collect())
}
