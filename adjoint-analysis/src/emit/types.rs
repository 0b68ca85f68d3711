//! Types in Rust syntax, and values of types.

use proc_macro2::{Literal, TokenStream};

use super::private;
use super::token_buf::{TokenBuf, code};
use crate::ir::{Expr, FloatTy, IntTy, Ty};

/// The type in Rust; `None` if only rustc knows it.
pub fn type_tokens(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Unknown | Ty::Infer(_) | Ty::Slice(_) | Ty::Discrete(_) => None,
        Ty::Array(t, n) => {
            let (t, n) = (type_tokens(t)?, parse(n));
            Some(code!([#t; #n]))
        }
        Ty::Vec(t) => type_tokens(t).map(|t| code!(::std::vec::Vec<#t>)),
        Ty::Boxed(t) => match &**t {
            Ty::Slice(t) => type_tokens(t).map(|t| code!(::std::boxed::Box<[#t]>)),
            t => type_tokens(t).map(|t| code!(::std::boxed::Box<#t>)),
        },
        Ty::Option(t) => type_tokens(t).map(|t| code!(::core::option::Option<#t>)),
        Ty::Result(t, e) => {
            let (t, e) = (type_tokens(t)?, string_type(e).or_else(|| type_tokens(e))?);
            Some(code!(::core::result::Result<#t, #e>))
        }
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(type_tokens).collect::<Option<Vec<_>>>()?;
            Some(code!((#(#ts,)*)))
        }
        _ => Some(parse(&ty.to_string())),
    }
}

/// A string type, as error types may be. If only one arm makes an error, rustc can't infer the type otherwise.
fn string_type(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Discrete(name) => match name.as_str() {
            "String" | "::std::string::String" => Some(code!(::std::string::String)),
            "str" | "&str" => Some(code!(&str)),
            _ => None,
        },
        _ => None,
    }
}

/// `: T`, with `_` for the unknown parts.
pub fn annotation(ty: &Ty) -> TokenBuf {
    let outline = || match ty {
        Ty::Vec(_) => Some(code!(::std::vec::Vec<_>)),
        Ty::Boxed(t) if matches!(**t, Ty::Slice(_)) => Some(code!(::std::boxed::Box<[_]>)),
        Ty::Array(_, n) => {
            let n = parse(n);
            Some(code!([_; #n]))
        }
        ty => string_type(ty),
    };
    let known = type_tokens(ty).or_else(outline);
    known.map_or_else(TokenBuf::empty, |t| TokenBuf::prefixed(":", t))
}

/// Parses text that was made from tokens.
pub fn parse(text: &str) -> TokenBuf {
    // Most of it is identifiers, which need not go through the compiler's lexer.
    match is_name(text) {
        true => TokenBuf::name(text),
        false => text.parse::<TokenStream>().unwrap_or_default().into(),
    }
}

fn is_name(text: &str) -> bool {
    let letters = text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    letters && text != "_" && text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// The marker type that describes the structure of a type.
pub fn marker(ty: &Ty) -> TokenBuf {
    let p = private();
    match ty {
        Ty::Float(_) => code!(#p::Leaf),
        Ty::Int(_) | Ty::Bool | Ty::Unit | Ty::Discrete(_) => code!(#p::Plain),
        Ty::Boxed(t) if matches!(**t, Ty::Slice(_)) => marker(t),
        Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
            let t = marker(t);
            code!(#p::Seq<#t>)
        }
        Ty::Result(t, e) => {
            let (t, e) = (marker(t), marker(e));
            code!((#t, #e))
        }
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(marker);
            code!((#(#ts,)*))
        }
        Ty::Named(_) | Ty::Unknown | Ty::Infer(_) => code!(#p::Diff),
    }
}

/// A zero initial value, if the type and its size are known.
pub fn zero(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Float(FloatTy::F32 | FloatTy::F64) => Some(Literal::f64_unsuffixed(0.0).into()),
        Ty::Float(_) => Some(literal("0.0", ty)),
        Ty::Int(_) => Some(literal("0", ty)),
        Ty::Bool => Some(TokenBuf::name("false")),
        Ty::Unit => Some(code!(())),
        Ty::Array(t, n) => {
            let (t, n) = (zero(t)?, parse(n));
            Some(code!([#t; #n]))
        }
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(zero).collect::<Option<Vec<_>>>()?;
            Some(code!((#(#ts,)*)))
        }
        _ => None,
    }
}

/// An initial value for each type that has one ([`Ty::has_blank`]): zeros, or an empty list if the length isn't fixed.
/// `Default` would support arrays of up to 32 elements only.
pub fn blank(ty: &Ty) -> Option<TokenBuf> {
    zero(ty).or_else(|| match ty {
        Ty::Vec(_) => Some(code!(::std::vec::Vec::new())),
        Ty::Option(_) => Some(code!(::core::option::Option::None)),
        Ty::Boxed(t) => {
            let t = blank(t)?;
            Some(code!(::std::boxed::Box::new(#t)))
        }
        Ty::Array(t, n) => Some(array_of(blank(t)?, n)),
        Ty::Tuple(ts) => {
            let ts = ts.iter().map(blank).collect::<Option<Vec<_>>>()?;
            Some(code!((#(#ts,)*)))
        }
        _ => None,
    })
}

/// An array whose elements are each constructed, as elements that aren't `Copy` have to be.
pub fn array_of(element: TokenBuf, extent: &str) -> TokenBuf {
    let extent = parse(extent);
    code!(::core::array::from_fn::<_, { #extent }, _>(|_| #element))
}

/// Zero of a machine type, as a literal with its type's suffix.
pub fn typed_zero(ty: &Ty) -> Option<Literal> {
    match ty {
        Ty::Float(FloatTy::F64) => Some(Literal::f64_suffixed(0.0)),
        Ty::Float(FloatTy::F32) => Some(Literal::f32_suffixed(0.0)),
        Ty::Int(IntTy::Usize) => Some(Literal::usize_suffixed(0)),
        _ => None,
    }
}

/// A literal of this type.
pub fn literal(text: &str, ty: &Ty) -> TokenBuf {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (TokenBuf::prefixed("-", TokenBuf::empty()), rest),
        None => (TokenBuf::empty(), text),
    };
    let digits = match digits.strip_suffix('.') {
        Some(whole) => format!("{whole}.0"),
        None => digits.to_string(),
    };
    if let (Ty::Int(IntTy::Usize), Ok(value)) = (ty, digits.parse()) {
        return sign.then(Literal::usize_suffixed(value));
    }
    match ty {
        Ty::Float(FloatTy::Param(name)) => {
            let (p, name, value) = (private(), parse(name), number(&format!("{digits}f64")));
            code!(#p::constant::<#name>(#sign #value))
        }
        Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => sign.then(number(&digits)),
        Ty::Float(_) | Ty::Int(_) => sign.then(number(&format!("{digits}{ty}"))),
        _ => sign.then(number(&digits)),
    }
}

fn number(text: &str) -> TokenBuf {
    match text.parse::<Literal>() {
        Ok(literal) => literal.into(),
        Err(_) => parse(text),
    }
}

/// Whether the expression is a negative literal, which has the precedence of a negation.
pub fn is_negative_literal(e: &Expr) -> bool {
    matches!(e, Expr::Lit(text, ty) if text.starts_with('-')
        && !matches!(ty, Ty::Float(FloatTy::Param(_))))
}
