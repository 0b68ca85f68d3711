//! Where expressions stand, without printing them: `Spanned` makes all their tokens anew, at each level of
//! an expression.

use proc_macro2::Span;
use syn::spanned::Spanned;

/// The span of an expression, as `Spanned` has it.
pub fn of(e: &syn::Expr) -> Span {
    ends(e).map_or_else(|| e.span(), joined)
}

/// The span from the start of one expression to the end of another.
pub fn across(first: &syn::Expr, last: &syn::Expr) -> Span {
    joined((of(first), of(last)))
}

/// From the one to the other.
pub fn joined((first, last): (Span, Span)) -> Span {
    first.join(last).unwrap_or(first)
}

/// The first and the last token, of the kinds that make up most code.
fn ends(e: &syn::Expr) -> Option<(Span, Span)> {
    let both = |span: Span| (span, span);
    match e {
        syn::Expr::Lit(l) if l.attrs.is_empty() => Some(both(l.lit.span())),
        syn::Expr::Path(p) if p.attrs.is_empty() && p.qself.is_none() => {
            Some(both(p.path.get_ident()?.span()))
        }
        syn::Expr::Paren(p) if p.attrs.is_empty() => Some(both(p.paren_token.span.join())),
        syn::Expr::Binary(b) if b.attrs.is_empty() => Some((ends(&b.left)?.0, ends(&b.right)?.1)),
        syn::Expr::Index(i) if i.attrs.is_empty() => {
            Some((ends(&i.expr)?.0, i.bracket_token.span.join()))
        }
        syn::Expr::Call(c) if c.attrs.is_empty() => {
            Some((ends(&c.func)?.0, c.paren_token.span.join()))
        }
        syn::Expr::MethodCall(m) if m.attrs.is_empty() => {
            Some((ends(&m.receiver)?.0, m.paren_token.span.join()))
        }
        syn::Expr::Field(f) if f.attrs.is_empty() => Some((ends(&f.base)?.0, f.member.span())),
        syn::Expr::Unary(u) if u.attrs.is_empty() => Some((u.op.span(), ends(&u.expr)?.1)),
        syn::Expr::Assign(a) if a.attrs.is_empty() => Some((ends(&a.left)?.0, ends(&a.right)?.1)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_those_of_syn() {
        for text in [
            "a",
            "1.5",
            "(a + b)",
            "a * b[i] - c",
            "f(x)",
            "x.sin().cos(1)",
            "p.0.q",
            "-x",
            "!(a < b)",
            "a[i] = b",
            "&x[..]",
            "a as f64 + b",
            "a::b(c)",
            "#[cfg(x)] a",
            "if a { b } else { c }",
            "x.iter().map(|v| v + 1).sum::<f64>()",
        ] {
            let e: syn::Expr = syn::parse_str(text).unwrap();
            let (one, other) = (of(&e), e.span());
            assert_eq!(
                (one.start(), one.end()),
                (other.start(), other.end()),
                "{text}"
            );
        }
    }
}
