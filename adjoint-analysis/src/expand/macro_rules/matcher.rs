//! The matcher of `macro_rules!`: patterns, and their bindings in a call.

use std::collections::BTreeMap;
use std::iter::Peekable;

use proc_macro2::{Delimiter, Punct, Spacing, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{ParseStream, Parser};

use super::fragment::{self, FragmentMatch};
use super::mark::{unmarked, unmarked_literal, unmarked_tokens};

/// The bindings of a pattern's names in a call.
pub type Bindings = BTreeMap<String, Binding>;

/// The name that is bound if versions of Rust may match the pattern differently.
pub const VERSION_DEPENDENT: &str = "";

/// The binding of one name.
#[derive(Clone, Debug)]
pub enum Binding {
    /// The tokens of a single match.
    Single(TokenStream),
    /// One binding for each round of a repetition.
    Rounds(Vec<Binding>),
}

/// One part of a pattern.
#[derive(Debug)]
pub enum PatternPart {
    /// A name or a literal, matched as it is.
    Token(TokenTree),
    /// An operator or a lifetime.
    Operator(String),
    /// A delimited group.
    Delimited(Delimiter, Vec<PatternPart>),
    /// `$name:kind`.
    Fragment { name: String, kind: String },
    /// `$(..)separator*`.
    Repeated {
        parts: Vec<PatternPart>,
        repetition: Repetition,
    },
}

/// The separator and the operator of a repetition.
#[derive(Clone, Debug)]
pub struct Repetition {
    /// The tokens between two rounds.
    pub separator: Vec<TokenTree>,
    /// `*`, `+` or `?`.
    pub operator: char,
}

/// The operators of more than one character.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "..=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "^=", "&=", "|=", "->", "<-", "=>", "::", "..",
];

/// Parses a pattern; `None` if it is not supported.
pub fn parse_pattern(tokens: TokenStream) -> Option<Vec<PatternPart>> {
    let mut tokens = tokens.into_iter().peekable();
    let mut parts = Vec::new();
    while let Some(token) = tokens.next() {
        parts.push(match token {
            TokenTree::Punct(p) if p.as_char() == '$' => match tokens.next()? {
                TokenTree::Group(of) => PatternPart::Repeated {
                    parts: self::parse_pattern(of.stream())?,
                    repetition: parse_repetition(&mut tokens)?,
                },
                TokenTree::Ident(name) => {
                    let _colon = tokens.next()?;
                    let kind = tokens.next()?.to_string();
                    let name = name.to_string();
                    // An unsupported kind fails the whole macro, since a later arm must not match in its place.
                    fragment::is_supported(&kind).then_some(())?;
                    PatternPart::Fragment { name, kind }
                }
                _ => return None,
            },
            TokenTree::Group(of) => {
                PatternPart::Delimited(of.delimiter(), self::parse_pattern(of.stream())?)
            }
            TokenTree::Punct(first) => PatternPart::Operator(operator_text(first, &mut tokens)),
            token => PatternPart::Token(token),
        });
    }
    Some(parts)
}

/// The operator or lifetime that begins with this character.
fn operator_text(first: Punct, tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> String {
    let (mut text, mut last) = (String::from(first.as_char()), first);
    if last.as_char() == '\'' {
        return text + &tokens.next().map_or(String::new(), |name| name.to_string());
    }
    while let Some(TokenTree::Punct(next)) = tokens.peek()
        && last.spacing() == Spacing::Joint
        && is_operator_prefix(&text, next)
    {
        text.push(next.as_char());
        last = next.clone();
        tokens.next();
    }
    text
}

/// Whether an operator begins with both.
fn is_operator_prefix(text: &str, next: &Punct) -> bool {
    let longer = format!("{text}{}", next.as_char());
    OPERATORS.iter().any(|o| o.starts_with(&longer))
}

/// Parses the separator and the operator of a repetition.
pub fn parse_repetition(tokens: &mut impl Iterator<Item = TokenTree>) -> Option<Repetition> {
    let mut separator = Vec::new();
    loop {
        match tokens.next()? {
            TokenTree::Punct(p) if matches!(p.as_char(), '*' | '+' | '?') => {
                let how_often = p.as_char();
                return Some(Repetition {
                    separator,
                    operator: how_often,
                });
            }
            token if separator.len() < 3 => separator.push(token),
            _ => return None,
        }
    }
}

/// Matches all tokens of a call.
pub fn match_call(parts: &[PatternPart], call: TokenStream) -> Option<Bindings> {
    let whole = |input: ParseStream<'_>| {
        let mut bindings = Bindings::new();
        match_parts(parts, input, &mut bindings)?;
        Ok(bindings)
    };
    whole.parse2(call).ok()
}

fn match_parts(
    parts: &[PatternPart],
    input: ParseStream<'_>,
    found: &mut Bindings,
) -> syn::Result<()> {
    parts
        .iter()
        .try_for_each(|part| match_part(part, input, found))
}

fn match_part(part: &PatternPart, input: ParseStream<'_>, found: &mut Bindings) -> syn::Result<()> {
    match part {
        PatternPart::Token(token) => match_token(token, input),
        PatternPart::Delimited(delimiter, parts) => match input.parse()? {
            TokenTree::Group(group) if group.delimiter() == *delimiter => {
                let inner = self::match_call(parts, group.stream());
                found.extend(inner.ok_or_else(|| input.error("another pattern"))?);
                Ok(())
            }
            _ => Err(input.error("another token")),
        },
        PatternPart::Operator(signs) => match_operator(signs, input),
        PatternPart::Fragment { name, kind } => {
            let tokens = match fragment::match_fragment(kind, input)? {
                FragmentMatch::Certain(tokens) => tokens,
                FragmentMatch::VersionDependent(tokens) => {
                    found.insert(VERSION_DEPENDENT.to_string(), Binding::Rounds(Vec::new()));
                    tokens
                }
            };
            found.insert(name.clone(), Binding::Single(tokens));
            Ok(())
        }
        PatternPart::Repeated {
            parts,
            repetition: mark,
        } => match_rounds(parts, mark, input, found),
    }
}

fn match_token(token: &TokenTree, input: ParseStream<'_>) -> syn::Result<()> {
    let next: TokenTree = input.parse()?;
    let same = match (token, &next) {
        (TokenTree::Ident(a), TokenTree::Ident(b)) => *a == unmarked(b),
        (TokenTree::Literal(a), TokenTree::Literal(b)) => {
            a.to_string() == unmarked_literal(b).to_string()
        }
        _ => false,
    };
    match same {
        true => Ok(()),
        false => Err(input.error("another token")),
    }
}

fn match_operator(signs: &str, input: ParseStream<'_>) -> syn::Result<()> {
    let next = unmarked_tokens(parse_token(input)?);
    let next: String = next.into_iter().map(|token| token.to_string()).collect();
    match next == signs {
        true => Ok(()),
        false => Err(input.error("another token")),
    }
}

fn match_separator(separator: &[TokenTree], input: ParseStream<'_>) -> syn::Result<()> {
    match separator {
        [] => Ok(()),
        [TokenTree::Punct(_), ..] => {
            let signs: String = separator.iter().map(ToString::to_string).collect();
            match_operator(&signs, input)
        }
        tokens => tokens
            .iter()
            .try_for_each(|token| match_token(token, input)),
    }
}

/// Matches as many rounds as possible: rustc guarantees that no round begins with what may follow the repetition.
fn match_rounds(
    parts: &[PatternPart],
    mark: &Repetition,
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
        let taken = match_separator(separator, &ahead)
            .and_then(|()| match_parts(parts, &ahead, &mut round));
        // An empty round would repeat forever.
        if taken.is_err() || ahead.cursor() == input.cursor() {
            break;
        }
        input.advance_to(&ahead);
        rounds.push(round);
        if mark.operator == '?' {
            break;
        }
    }
    if rounds.is_empty() && mark.operator == '+' {
        return Err(input.error("at least one is expected"));
    }
    if rounds
        .iter()
        .any(|round| round.contains_key(VERSION_DEPENDENT))
    {
        found.insert(VERSION_DEPENDENT.to_string(), Binding::Rounds(Vec::new()));
    }
    for name in bound_names(parts) {
        let of_round = |round: &Bindings| round.get(name).cloned();
        let all = rounds.iter().filter_map(of_round).collect();
        found.insert(name.to_string(), Binding::Rounds(all));
    }
    Ok(())
}

/// The names that the parts bind.
fn bound_names(parts: &[PatternPart]) -> Vec<&str> {
    parts.iter().flat_map(part_names).collect()
}

fn part_names(part: &PatternPart) -> Vec<&str> {
    match part {
        PatternPart::Fragment { name, .. } => vec![name],
        PatternPart::Delimited(_, parts) | PatternPart::Repeated { parts, .. } => {
            bound_names(parts)
        }
        PatternPart::Token(_) | PatternPart::Operator(_) => Vec::new(),
    }
}

/// Parses one token; an operator has several characters.
pub fn parse_token(input: ParseStream<'_>) -> syn::Result<TokenStream> {
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
            && is_operator_prefix(&text, &next)
        {
            text.push(next.as_char());
            tokens.push(input.parse()?);
            last = next;
        }
    }
    Ok(tokens.into_iter().collect())
}
