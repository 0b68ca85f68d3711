//! Types and values of types.

use proc_macro2::TokenStream;
use quote::quote;

use super::private;
use crate::ir::{Expr, FloatTy, IntTy, Ty};

/// The type in Rust; `None` if only rustc knows it.
pub fn tokens(ty: &Ty) -> Option<TokenStream> {
    match ty {
        Ty::Unknown | Ty::Infer(_) | Ty::Slice(_) | Ty::Discrete(_) => None,
        Ty::Array(t, n) => {
            let (t, n) = (tokens(t)?, parse(n));
            Some(quote!([#t; #n]))
        }
        Ty::Vec(t) => tokens(t).map(|t| quote!(::std::vec::Vec<#t>)),
        Ty::Boxed(t) => tokens(t).map(|t| quote!(::std::boxed::Box<#t>)),
        Ty::Option(t) => tokens(t).map(|t| quote!(::core::option::Option<#t>)),
        Ty::Result(t, e) => {
            let (t, e) = (tokens(t)?, tokens(e)?);
            Some(quote!(::core::result::Result<#t, #e>))
        }
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(tokens).collect::<Option<Vec<_>>>()?;
            Some(quote!((#(#ts,)*)))
        }
        _ => Some(parse(&ty.to_string())),
    }
}

/// `: T`, where the type is known.
pub fn annotation(ty: &Ty) -> TokenStream {
    tokens(ty).map(|t| quote!(: #t)).unwrap_or_default()
}

/// Text that came from tokens, as tokens.
pub fn parse(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

/// The marker that says what a type is made of.
pub fn marker(ty: &Ty) -> TokenStream {
    let p = private();
    match ty {
        Ty::Float(_) => quote!(#p::Leaf),
        Ty::Int(_) | Ty::Bool | Ty::Unit | Ty::Discrete(_) => quote!(#p::Plain),
        Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
            let t = marker(t);
            quote!(#p::Seq<#t>)
        }
        Ty::Result(t, e) => {
            let (t, e) = (marker(t), marker(e));
            quote!((#t, #e))
        }
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(marker);
            quote!((#(#ts,)*))
        }
        Ty::Named(_) | Ty::Unknown | Ty::Infer(_) => quote!(#p::Diff),
    }
}

/// A value to start from: zeros, where the type and its size are known.
pub fn zero(ty: &Ty) -> Option<TokenStream> {
    match ty {
        Ty::Float(_) => Some(literal("0.0", ty)),
        Ty::Int(_) => Some(literal("0", ty)),
        Ty::Bool => Some(quote!(false)),
        Ty::Unit => Some(quote!(())),
        Ty::Array(t, n) => {
            let (t, n) = (zero(t)?, parse(n));
            Some(quote!([#t; #n]))
        }
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(zero).collect::<Option<Vec<_>>>()?;
            Some(quote!((#(#ts,)*)))
        }
        _ => None,
    }
}

/// A literal with its type.
pub fn literal(text: &str, ty: &Ty) -> TokenStream {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (quote!(-), rest),
        None => (TokenStream::new(), text),
    };
    let digits = match digits.strip_suffix('.') {
        Some(whole) => format!("{whole}.0"),
        None => digits.to_string(),
    };
    let p = private();
    match ty {
        Ty::Float(FloatTy::Param(name)) => {
            let (name, value) = (parse(name), parse(&format!("{digits}f64")));
            quote!(#p::constant::<#name>(#sign #value))
        }
        Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => {
            let value = parse(&digits);
            quote!(#sign #value)
        }
        Ty::Float(_) | Ty::Int(_) => {
            let value = parse(&format!("{digits}{ty}"));
            quote!(#sign #value)
        }
        _ => {
            let value = parse(&digits);
            quote!(#sign #value)
        }
    }
}

/// Whether the expression is a negative literal, which binds as a negation does.
pub fn is_negative_literal(e: &Expr) -> bool {
    matches!(e, Expr::Lit(text, ty) if text.starts_with('-')
        && !matches!(ty, Ty::Float(FloatTy::Param(_))))
}
