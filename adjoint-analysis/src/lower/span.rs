//! Spans of expressions, computed without printing them: `Spanned` generates all tokens of an expression anew, at each
//! level of nesting.

use proc_macro2::Span;
use syn::spanned::Spanned;

/// The span of an expression, equal to that of `Spanned`.
pub fn of_expr(e: &syn::Expr) -> Span {
    ends(e).map_or_else(|| e.span(), join)
}

/// The span from the start of one expression to the end of another.
pub fn across(first: &syn::Expr, last: &syn::Expr) -> Span {
    join((of_expr(first), of_expr(last)))
}

/// The span of an `if`, including its `else` branches.
pub fn of_if(i: &syn::ExprIf) -> Span {
    ends_of_if(i).map_or_else(|| i.span(), join)
}

/// The span of a pattern.
pub fn of_pattern(pat: &syn::Pat) -> Span {
    match pat {
        syn::Pat::Ident(p)
            if p.attrs.is_empty()
                && p.by_ref.is_none()
                && p.mutability.is_none()
                && p.subpat.is_none() =>
        {
            p.ident.span()
        }
        pat => pat.span(),
    }
}

/// The span of an operator.
pub fn of_operator(op: &syn::BinOp) -> Span {
    use syn::BinOp;
    match op {
        BinOp::Add(t) => t.span,
        BinOp::Sub(t) => t.span,
        BinOp::Mul(t) => t.span,
        BinOp::Div(t) => t.span,
        BinOp::Rem(t) => t.span,
        BinOp::Lt(t) => t.span,
        BinOp::Gt(t) => t.span,
        BinOp::AddAssign(t) => join(t.spans.into()),
        BinOp::SubAssign(t) => join(t.spans.into()),
        BinOp::MulAssign(t) => join(t.spans.into()),
        BinOp::DivAssign(t) => join(t.spans.into()),
        op => op.span(),
    }
}

/// The span from the start of the first to the end of the second.
pub fn join((first, last): (Span, Span)) -> Span {
    first.join(last).unwrap_or(first)
}

/// Spans of the first and the last token, for the kinds of expressions that make up most code.
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
        syn::Expr::Range(r) if r.attrs.is_empty() => {
            Some((ends(r.start.as_ref()?)?.0, ends(r.end.as_ref()?)?.1))
        }
        syn::Expr::Reference(r) if r.attrs.is_empty() => Some((r.and_token.span, ends(&r.expr)?.1)),
        syn::Expr::Block(b) if b.attrs.is_empty() && b.label.is_none() => {
            Some(both(b.block.brace_token.span.join()))
        }
        syn::Expr::ForLoop(f) if f.attrs.is_empty() && f.label.is_none() => {
            Some((f.for_token.span, f.body.brace_token.span.join()))
        }
        syn::Expr::While(w) if w.attrs.is_empty() && w.label.is_none() => {
            Some((w.while_token.span, w.body.brace_token.span.join()))
        }
        syn::Expr::If(i) => ends_of_if(i),
        _ => None,
    }
}

fn ends_of_if(i: &syn::ExprIf) -> Option<(Span, Span)> {
    let last = match &i.else_branch {
        Some((_, els)) => ends(els)?.1,
        None => i.then_branch.brace_token.span.join(),
    };
    i.attrs.is_empty().then_some((i.if_token.span, last))
}

#[cfg(test)]
mod tests {
    use syn::parse::Parser;

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
            "if a { b } else if c { d }",
            "for i in 0..n { f(i) }",
            "'a: for i in 0..n { f(i) }",
            "while a < b { c += d }",
            "0..n",
            "..=n",
            "{ a; b }",
            "&mut a.b",
            "x.iter().map(|v| v + 1).sum::<f64>()",
        ] {
            let e: syn::Expr = syn::parse_str(text).unwrap();
            let (one, other) = (of_expr(&e), e.span());
            assert_eq!(
                (one.start(), one.end()),
                (other.start(), other.end()),
                "{text}"
            );
        }
    }

    #[test]
    fn spans_of_patterns_and_operators_are_those_of_syn() {
        let pattern = |text: &str| syn::Pat::parse_single.parse_str(text).unwrap();
        for pat in ["a", "mut a", "ref a", "(a, b)", "a @ 1"].map(pattern) {
            let (one, other) = (of_pattern(&pat), pat.span());
            assert_eq!((one.start(), one.end()), (other.start(), other.end()));
        }
        for text in [
            "+", "-", "*", "/", "%", "<", ">", "<=", "&&", "+=", "-=", "*=", "/=", "<<=",
        ] {
            let op: syn::BinOp = syn::parse_str(text).unwrap();
            let (one, other) = (of_operator(&op), op.span());
            assert_eq!(
                (one.start(), one.end()),
                (other.start(), other.end()),
                "{text}"
            );
        }
    }
}
