//! Fragments: the tokens that a macro binds to `$name:kind`. Forwarded to another macro, a fragment is opaque, one
//! token tree of its kind; only names, lifetimes and single tokens are transparent.
//!
//! As in rustc, a fragment is wrapped in invisible delimiters; here their nesting depth encodes its kind.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};

use super::mark::with_content;
use super::matcher::parse_token;

/// The kinds of opaque fragments; the position is the encoding.
const OPAQUE_KINDS: &[&str] = &[
    "expr", "ty", "literal", "path", "block", "pat", "item", "meta", "vis",
];

/// Whether this kind of fragment is supported.
pub fn is_supported(kind: &str) -> bool {
    matches!(
        kind,
        "expr_2021" | "pat_param" | "ident" | "lifetime" | "tt"
    ) || OPAQUE_KINDS.contains(&kind)
}

/// The tokens that a fragment matches.
pub enum FragmentMatch {
    /// All versions of Rust match these tokens.
    Certain(TokenStream),
    /// Only some versions of Rust match these tokens.
    VersionDependent(TokenStream),
}

/// Matches a fragment of this kind.
pub fn match_fragment(kind: &str, input: ParseStream<'_>) -> syn::Result<FragmentMatch> {
    let kind = match kind {
        "pat_param" if !is_forwarded(input) => {
            let pat = syn::Pat::parse_single(input)?;
            return Ok(FragmentMatch::Certain(wrap("pat", pat.into_token_stream())));
        }
        "pat_param" => "pat",
        kind => kind,
    };
    match is_forwarded(input) && kind != "tt" {
        true => match_forwarded(kind, input),
        false => parse_kind(kind, input).map(FragmentMatch::Certain),
    }
}

fn is_forwarded(input: ParseStream<'_>) -> bool {
    input.cursor().group(Delimiter::None).is_some()
}

/// Matches a fragment of this kind against input that begins with a forwarded fragment.
fn match_forwarded(kind: &str, input: ParseStream<'_>) -> syn::Result<FragmentMatch> {
    let (ahead, error) = (input.fork(), input.error("another kind of fragment"));
    let (given, inner) = match ahead.parse::<TokenTree>()? {
        TokenTree::Group(group) => fragment_kind(&group).ok_or(error.clone())?,
        _ => return Err(error),
    };
    let one = |kind: &str| {
        input.parse::<TokenTree>()?;
        Ok(wrap(kind, inner.clone()))
    };
    match (kind.trim_end_matches("_2021"), given) {
        ("expr", "expr" | "literal" | "path" | "block") | ("ty", "ty" | "path") => {
            parse_kind(kind, input).map(FragmentMatch::Certain)
        }
        ("literal", "expr") if literal.parse2(inner.clone()).is_ok() => {
            one("literal").map(FragmentMatch::Certain)
        }
        (kind, given) if kind == given => one(kind).map(FragmentMatch::Certain),
        ("vis", _) => Ok(FragmentMatch::Certain(wrap("vis", TokenStream::new()))),
        ("pat", "literal" | "path" | "expr") | ("path", "ty") => {
            one(kind).map(FragmentMatch::VersionDependent)
        }
        _ => Err(error),
    }
}

fn parse_kind(kind: &str, input: ParseStream<'_>) -> syn::Result<TokenStream> {
    fn parsed<T: Parse + ToTokens>(input: ParseStream<'_>) -> syn::Result<TokenStream> {
        input.parse::<T>().map(ToTokens::into_token_stream)
    }
    let tokens = match kind {
        "ident" if input.peek(syn::Token![_]) => return Err(input.error("no name")),
        "ident" => return Ok(input.call(syn::Ident::parse_any)?.into_token_stream()),
        "lifetime" => return parsed::<syn::Lifetime>(input),
        "tt" => return parse_token(input),
        // Newer editions match these too; neither makes sense as an operand.
        "expr" | "expr_2021" if input.peek(syn::Token![_]) => return Err(input.error("no value")),
        "expr" | "expr_2021" if input.peek(syn::Token![let]) => {
            return Err(input.error("no value"));
        }
        "expr_2021" if input.peek(syn::Token![const]) => return Err(input.error("no value")),
        "expr" | "expr_2021" => parsed::<syn::Expr>(input)?,
        "ty" => parsed::<syn::Type>(input)?,
        "block" => parsed::<syn::Block>(input)?,
        "path" => parsed::<syn::Path>(input)?,
        "item" => parsed::<syn::Item>(input)?,
        "meta" => parsed::<syn::Meta>(input)?,
        "vis" => parsed::<syn::Visibility>(input)?,
        "pat" => syn::Pat::parse_multi_with_leading_vert(input)?.into_token_stream(),
        "literal" => literal(input)?,
        _ => return Err(input.error("another kind of fragment")),
    };
    Ok(wrap(kind.trim_end_matches("_2021"), tokens))
}

fn literal(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let minus = input.parse::<Option<syn::Token![-]>>()?;
    let literal: syn::Lit = input.parse()?;
    Ok(quote::quote!(#minus #literal))
}

/// Wraps the tokens as an opaque fragment of this kind.
fn wrap(kind: &str, mut tokens: TokenStream) -> TokenStream {
    while let Some(inner) = only_group(&tokens) {
        tokens = inner;
    }
    let at = OPAQUE_KINDS.iter().position(|known| *known == kind);
    (0..=at.unwrap_or_default()).fold(tokens, |inner, _| {
        TokenTree::from(Group::new(Delimiter::None, inner)).into()
    })
}

/// The content of the invisible delimiters, if there is nothing outside them.
fn only_group(tokens: &TokenStream) -> Option<TokenStream> {
    let mut all = tokens.clone().into_iter();
    match (all.next(), all.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            Some(group.stream())
        }
        _ => None,
    }
}

/// The kind and the tokens of an opaque fragment.
pub fn fragment_kind(group: &Group) -> Option<(&'static str, TokenStream)> {
    if group.delimiter() != Delimiter::None {
        return None;
    }
    let (mut inner, mut depth) = (group.stream(), 0);
    while let Some(deeper) = only_group(&inner) {
        (inner, depth) = (deeper, depth + 1);
    }
    let kind = OPAQUE_KINDS.get(depth)?;
    Some((kind, inner))
}

/// Unwraps the fragments for syn, which accepts invisible delimiters around expressions and types only. The arguments
/// of macro calls stay wrapped.
pub fn unwrap_for_syn(tokens: TokenStream) -> TokenStream {
    let (mut out, mut before) = (TokenStream::new(), [None, None]);
    for token in tokens {
        let is_call = matches!(
            &before,
            [Some(TokenTree::Ident(_)), Some(TokenTree::Punct(sign))] if sign.as_char() == '!'
        );
        let [_, last] = before;
        before = [last, Some(token.clone())];
        match token {
            TokenTree::Group(group) if !is_call => match fragment_kind(&group) {
                Some((kind, inner)) => out.extend(unwrap_one_for_syn(kind, unwrap_for_syn(inner))),
                None => {
                    let inner = unwrap_for_syn(group.stream());
                    out.extend([TokenTree::from(with_content(&group, inner))]);
                }
            },
            token => out.extend([token]),
        }
    }
    out
}

fn unwrap_one_for_syn(kind: &'static str, inner: TokenStream) -> TokenStream {
    let is_one = inner.clone().into_iter().nth(1).is_none();
    match kind {
        "literal" if is_one => inner,
        "expr" | "ty" | "literal" => wrap("expr", inner),
        // For `k @ $p`.
        "pat" if has_alternatives(&inner) => in_parentheses(inner),
        _ => inner,
    }
}

fn has_alternatives(pattern: &TokenStream) -> bool {
    let mut tokens = pattern.clone().into_iter();
    tokens.any(|token| matches!(token, TokenTree::Punct(p) if p.as_char() == '|'))
}

fn in_parentheses(tokens: TokenStream) -> TokenStream {
    TokenTree::from(Group::new(Delimiter::Parenthesis, tokens)).into()
}

/// Makes the invisible delimiters of an item visible where needed: rustc drops them from a macro's output.
pub fn show_delimiters(tokens: TokenStream) -> TokenStream {
    let (mut out, mut before) = (TokenStream::new(), [None, None]);
    for token in tokens {
        let is_attribute = matches!(before, [_, Some('#')] | [Some('#'), Some('!')]);
        before = [before[1], None];
        match token {
            TokenTree::Group(group) if !is_attribute => {
                let inner = show_delimiters(group.stream());
                match group.delimiter() {
                    Delimiter::None => out.extend(show_group(&group, inner)),
                    _ => out.extend([TokenTree::from(with_content(&group, inner))]),
                }
            }
            token => {
                if let TokenTree::Punct(sign) = &token {
                    before[1] = Some(sign.as_char());
                }
                out.extend([token]);
            }
        }
    }
    out
}

/// The content of invisible delimiters, in parentheses if it needs any.
fn show_group(group: &Group, inner: TokenStream) -> TokenStream {
    let is_one = inner.clone().into_iter().nth(1).is_none();
    let path = syn::Path::parse_mod_style.parse2(inner.clone());
    if is_one || path.is_ok() {
        return inner;
    }
    let is_type_alone = matches!(syn::parse2(inner.clone()), Ok(syn::Type::Path(_)));
    let is_operand = syn::parse2::<syn::Expr>(inner.clone()).is_ok()
        || syn::Pat::parse_multi.parse2(inner.clone()).is_ok();
    match is_operand && !is_type_alone {
        true => in_parentheses(inner),
        false => TokenTree::from(with_content(group, inner)).into(),
    }
}

/// The tokens of a fragment for a macro of std, which sees no invisible delimiters.
pub fn unwrap_for_std(kind: &'static str, inner: TokenStream) -> TokenStream {
    let is_one = inner.clone().into_iter().nth(1).is_none();
    match kind {
        "expr" | "literal" if !is_one => in_parentheses(inner),
        "pat" if has_alternatives(&inner) => in_parentheses(inner),
        _ => inner,
    }
}
