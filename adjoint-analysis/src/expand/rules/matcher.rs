//! What a `macro_rules!` takes: its patterns, and what they find in a call.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};

use super::mark::{bare, bare_literal};

/// What the names of a pattern stand for in a call.
pub type Bindings = BTreeMap<String, Bound>;

/// What one name stands for.
#[derive(Clone, Debug)]
pub enum Bound {
    /// Its tokens.
    One(TokenStream),
    /// The same for each round of a repetition.
    Many(Vec<Bound>),
}

/// One part of a pattern.
#[derive(Debug)]
pub enum Part {
    /// A token that stands there.
    Token(TokenTree),
    /// Parts in brackets.
    Within(Delimiter, Vec<Part>),
    /// `$name:kind`.
    Fragment { name: String, kind: String },
    /// `$(..)separator*`.
    Repeated { parts: Vec<Part>, mark: Mark },
}

/// What stands behind the brackets of a repetition.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The tokens between two rounds.
    pub separator: Vec<TokenTree>,
    /// `*`, `+` or `?`.
    pub how_often: char,
}

/// The kinds of fragments.
const KINDS: &[&str] = &[
    "block",
    "expr",
    "expr_2021",
    "ident",
    "item",
    "lifetime",
    "literal",
    "meta",
    "pat",
    "pat_param",
    "path",
    "tt",
    "ty",
    "vis",
];

/// Signs that are one token together.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "...", "..=", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=", "*=",
    "/=", "%=", "^=", "&=", "|=", "->", "<-", "=>", "::", "..",
];

/// The parts of a pattern; nothing, if it is none.
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
                    // What a kind that is unknown here takes, another arm must not.
                    KINDS.contains(&&kind[..]).then_some(())?;
                    Part::Fragment { name, kind }
                }
                _ => return None,
            },
            TokenTree::Group(of) => Part::Within(of.delimiter(), self::parts(of.stream())?),
            token => Part::Token(token),
        });
    }
    Some(parts)
}

/// The separator and the sign of a repetition.
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

/// What the pattern finds in the tokens of a call, if it is all of them.
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
        Part::Fragment { name, kind } => {
            let tokens = fragment(kind, input)?;
            found.insert(name.clone(), Bound::One(tokens));
            Ok(())
        }
        Part::Repeated { parts, mark } => take_rounds(parts, mark, input, found),
    }
}

fn take_token(token: &TokenTree, input: ParseStream<'_>) -> syn::Result<()> {
    let next: TokenTree = input.parse()?;
    let same = match (token, &next) {
        (TokenTree::Punct(a), TokenTree::Punct(b)) => a.as_char() == b.as_char(),
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

/// As many rounds as there are: what may follow them starts otherwise, or rustc would not take the pattern.
fn take_rounds(
    parts: &[Part],
    mark: &Mark,
    input: ParseStream<'_>,
    found: &mut Bindings,
) -> syn::Result<()> {
    let mut rounds = Vec::new();
    while !input.is_empty() {
        let (ahead, mut round) = (input.fork(), Bindings::new());
        let mut separators = mark.separator.iter().filter(|_| !rounds.is_empty());
        let taken = separators
            .try_for_each(|token| take_token(token, &ahead))
            .and_then(|()| take_all(parts, &ahead, &mut round));
        if taken.is_err() {
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
    for name in names(parts) {
        let of_round = |round: &Bindings| round.get(name).cloned();
        let all = rounds.iter().filter_map(of_round).collect();
        found.insert(name.to_string(), Bound::Many(all));
    }
    Ok(())
}

/// The names in the parts.
fn names(parts: &[Part]) -> Vec<&str> {
    parts.iter().flat_map(names_in).collect()
}

fn names_in(part: &Part) -> Vec<&str> {
    match part {
        Part::Fragment { name, .. } => vec![name],
        Part::Within(_, parts) | Part::Repeated { parts, .. } => names(parts),
        Part::Token(_) => Vec::new(),
    }
}

/// The tokens that a fragment of this kind takes.
fn fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    fn tokens(of: impl ToTokens) -> TokenStream {
        of.into_token_stream()
    }
    // An expression or a type that another macro took is one and nothing else, but for a literal.
    let taken = input.cursor().group(Delimiter::None);
    match (kind, taken) {
        ("literal", Some((inner, ..))) => {
            literal.parse2(inner.token_stream())?;
            return input.parse::<TokenTree>().map(tokens);
        }
        ("expr" | "expr_2021" | "ty" | "tt", _) | (_, None) => {}
        _ => return Err(input.error("another kind of fragment")),
    }
    match kind {
        "ident" if input.peek(syn::Token![_]) => Err(input.error("no name")),
        "ident" => input.call(syn::Ident::parse_any).map(tokens),
        "expr" | "expr_2021" => input.parse::<syn::Expr>().map(|e| together(tokens(e))),
        "ty" => input.parse::<syn::Type>().map(|ty| together(tokens(ty))),
        "tt" => token(input),
        "block" => input.parse::<syn::Block>().map(tokens),
        "path" => input.parse::<syn::Path>().map(tokens),
        "item" => input.parse::<syn::Item>().map(tokens),
        "lifetime" => input.parse::<syn::Lifetime>().map(tokens),
        "meta" => input.parse::<syn::Meta>().map(tokens),
        "vis" => syn::Visibility::parse(input).map(tokens),
        "pat" => syn::Pat::parse_multi_with_leading_vert(input).map(tokens),
        "pat_param" => syn::Pat::parse_single(input).map(tokens),
        "literal" => literal(input),
        _ => Err(input.error("another kind of fragment")),
    }
}

fn literal(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let minus = input.parse::<Option<syn::Token![-]>>()?;
    let literal: syn::Lit = input.parse()?;
    // A minus is part of it: `$l.powi(2)` squares both.
    match minus {
        Some(minus) => Ok(together(quote::quote!(#minus #literal))),
        None => Ok(literal.into_token_stream()),
    }
}

/// Tokens that stay together, whatever stands around them.
fn together(tokens: TokenStream) -> TokenStream {
    match tokens.clone().into_iter().next() {
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::None => tokens,
        _ => TokenTree::from(Group::new(Delimiter::None, tokens)).into(),
    }
}

/// One token, of one or more signs.
fn token(input: ParseStream<'_>) -> syn::Result<TokenStream> {
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
            && OPERATORS
                .iter()
                .any(|o| o.starts_with(&format!("{text}{}", next.as_char())))
        {
            text.push(next.as_char());
            tokens.push(input.parse()?);
            last = next;
        }
    }
    Ok(tokens.into_iter().collect())
}
