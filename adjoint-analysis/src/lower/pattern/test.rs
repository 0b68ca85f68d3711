//! Tests of patterns: boolean expressions that say whether a value matches.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::is_rest;
use crate::ir::construct::usize_lit;
use crate::ir::{BinOp, Expr};
use crate::lower::value::Value;
use crate::lower::{Lower, Ty};
use crate::refuse::Reason;

impl Lower {
    /// The test of a slice pattern: its length, then its elements.
    fn slice_test(&mut self, s: &syn::PatSlice, value: &Value) -> Option<Expr> {
        let span = s.span();
        let place = self.place_of(value.clone(), span);
        let place = self.deref_boxes(&place);
        let fixed = matches!(self.shallow(&place.ty), Ty::Array(..));
        let has_rest = s.elems.iter().any(is_rest);
        let (op, n) = match has_rest {
            true => (BinOp::Ge, s.elems.len() - 1),
            false => (BinOp::Eq, s.elems.len()),
        };
        let test = Expr::Binary(op, Box::new(Expr::Len(place)), Box::new(usize_lit(n)));
        let plain =
            |p: &syn::Pat| is_rest(p) || matches!(p, syn::Pat::Wild(_) | syn::Pat::Ident(_));
        if has_rest && !s.elems.iter().all(plain) {
            // Elements counted from the end would be read before the length is known to suffice.
            self.refuse(
                span,
                Reason::Pattern("a test of elements beside `..`".into()),
            );
        }
        let mut tests: Vec<Expr> = if fixed { Vec::new() } else { vec![test] };
        if !has_rest {
            for (pat, part) in s.elems.iter().zip(self.elements(value.clone(), n, span)) {
                tests.extend(self.pattern_test(pat, &part));
            }
        }
        tests.into_iter().reduce(and_test)
    }

    /// The test of a pattern; `None` if it is irrefutable.
    pub fn pattern_test(&mut self, pat: &syn::Pat, value: &Value) -> Option<Expr> {
        let span = pat.span();
        if let Some(test) = self.test_opaque(pat, value, span) {
            return Some(test);
        }
        match pat {
            syn::Pat::Wild(_) | syn::Pat::Rest(_) | syn::Pat::Type(_) => None,
            syn::Pat::Ident(p) => match &p.subpat {
                Some((_, sub)) => self.pattern_test(sub, value),
                None if self.is_constant_name(p) => self.constant_test(&p.ident, value, span),
                None => None,
            },
            syn::Pat::Paren(p) => self.pattern_test(&p.pat, value),
            syn::Pat::Reference(r) => self.pattern_test(&r.pat, value),
            syn::Pat::Lit(l) => {
                let e = syn::Expr::Lit(l.clone());
                self.equals_expr(value, &e)
            }
            syn::Pat::Path(p) => self.constant_test(p, value, span),
            syn::Pat::TupleStruct(_) | syn::Pat::Struct(_) => self.variant_test(pat, value, span),
            syn::Pat::Slice(s) => self.slice_test(s, value),
            syn::Pat::Range(r) => self.range_test(r, value),
            syn::Pat::Or(o) => {
                let mut any: Option<Expr> = None;
                for case in &o.cases {
                    let test = self.pattern_test(case, value)?;
                    any = Some(match any {
                        None => test,
                        Some(a) => Expr::Binary(BinOp::Or, Box::new(a), Box::new(test)),
                    });
                }
                any
            }
            syn::Pat::Tuple(t) => {
                let parts = self.tuple_parts(value.clone(), &t.elems, span);
                let tests = parts
                    .iter()
                    .filter_map(|(pat, part)| self.pattern_test(pat, part));
                tests.collect::<Vec<_>>().into_iter().reduce(and_test)
            }
            _ => {
                self.refuse(span, Reason::Pattern("this pattern".into()));
                None
            }
        }
    }

    fn equals_expr(&mut self, value: &Value, e: &syn::Expr) -> Option<Expr> {
        let expected = self.expr(e);
        let (expected, ty) = self.read(expected, e.span());
        let found = self.value_ty(value);
        self.unify(&ty, &found);
        let (found, found_ty) = self.read(value.clone(), e.span());
        let (found, expected) = self.comparable_operands((found, &found_ty), (expected, &ty));
        Some(Expr::Binary(BinOp::Eq, Box::new(found), Box::new(expected)))
    }

    pub fn equals(&mut self, value: &Value, expected: Expr) -> Option<Expr> {
        let (found, _) = self.read(value.clone(), Span::call_site());
        Some(Expr::Binary(BinOp::Eq, Box::new(found), Box::new(expected)))
    }

    fn range_test(&mut self, r: &syn::PatRange, value: &Value) -> Option<Expr> {
        let upper = match r.limits {
            syn::RangeLimits::Closed(_) => BinOp::Le,
            syn::RangeLimits::HalfOpen(_) => BinOp::Lt,
        };
        let bounds = [(BinOp::Ge, &r.start), (upper, &r.end)];
        let mut tests = Vec::new();
        for (op, bound) in bounds {
            if let Some(bound) = bound {
                let limit = self.expr(bound);
                let test = self.binary(op, value.clone(), limit, bound.span());
                tests.push(self.read(test, bound.span()).0);
            }
        }
        tests.into_iter().reduce(and_test)
    }
}

/// The conjunction of two tests; the second is evaluated only if the first holds.
pub fn and_test(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::And, Box::new(a), Box::new(b))
}
