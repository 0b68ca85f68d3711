//! Ranges of integers.

use std::rc::Rc;

use proc_macro2::Span;
use quote::quote;
use syn::spanned::Spanned;

use super::Producer;
use crate::ir::construct::{binary, usize_lit};
use crate::ir::stmt::Rev;
use crate::ir::{BinOp, Expr, Place, Range, Ty};
use crate::lower::infer::unify::VarKind;
use crate::lower::types::{lower_type, range_type};
use crate::lower::value::Value;
use crate::lower::{Lower, span};
use crate::mir::code::CaptureMode;
use crate::passes::control::loop_exits::TRIPS;
use crate::refuse::Reason;

/// A range expression with its adapters `step_by` and `rev`.
#[derive(Clone, Debug)]
pub struct IterRange {
    pub lo: Expr,
    pub hi: Option<Expr>,
    inclusive: bool,
    step: Option<Expr>,
    rev: Rev,
    pub ty: Ty,
}

impl IterRange {
    /// The range `lo..hi` of positions.
    pub fn positions(lo: Expr, hi: Expr) -> IterRange {
        IterRange {
            lo,
            hi: Some(hi),
            inclusive: false,
            step: None,
            rev: Rev::No,
            ty: Ty::USIZE,
        }
    }

    /// The range of a counted loop; `None` without an upper bound.
    pub fn loop_range(&self) -> Option<Range> {
        Some(Range {
            lo: self.lo.clone(),
            hi: self.hi.clone()?,
            inclusive: self.inclusive,
            step: self.step.clone(),
            rev: self.rev,
            ty: self.ty.clone(),
        })
    }

    /// The number of values; `None` without an upper bound.
    pub fn trip_count(&self) -> Option<Expr> {
        let step = self.step.clone().unwrap_or_else(|| usize_lit(1));
        let inclusive = Expr::Lit(self.inclusive.to_string(), Ty::Bool);
        let all = vec![self.lo.clone(), self.hi.clone()?, inclusive, step];
        Some(Expr::Discrete(TRIPS.into(), all, Ty::USIZE))
    }
}

impl Lower {
    /// `lo..hi`, `lo..=hi`, `lo..`
    pub fn range_value(&mut self, r: &syn::ExprRange) -> Value {
        let span = match (&r.start, &r.end) {
            (Some(lo), Some(hi)) if r.attrs.is_empty() => span::across(lo, hi),
            _ => r.span(),
        };
        let mut ends = self
            .operands(r.start.as_deref().into_iter().chain(r.end.as_deref()))
            .into_iter();
        let lo = match (&r.start, &r.end) {
            (Some(_), _) => ends.next().unwrap_or(Value::Diverges),
            // `..hi` only selects a subslice, it is never iterated over.
            (None, Some(_)) => Value::Expr(usize_lit(0), Ty::USIZE),
            (None, None) => {
                return self.refuse(span, Reason::Iterator("a range without a start".into()));
            }
        };
        if matches!(lo, Value::Diverges) {
            return Value::Diverges;
        }
        let (lo, ty) = self.read(lo, span);
        let hi = ends.next().map(|hi| {
            let (hi, hi_ty) = self.read(hi, span);
            self.unify(&ty, &hi_ty);
            hi
        });
        let lo = self.stable_operand(lo, ty.clone(), span);
        let hi = hi.map(|hi| self.stable_operand(hi, ty.clone(), span));
        let inclusive = matches!(r.limits, syn::RangeLimits::Closed(_));
        let bounds = IterRange {
            lo,
            hi,
            inclusive,
            step: None,
            rev: Rev::No,
            ty,
        };
        Value::Iter(Rc::new(Producer::Range(bounds)))
    }

    /// The range in a place whose type is a range: `r[b].clone()`, of ranges in a list.
    pub fn range_of_value(&mut self, value: &Value, span: Span) -> Option<Value> {
        let (Value::Place(place) | Value::PlaceRef(place, _) | Value::Expr(Expr::Read(place), _)) =
            value
        else {
            return None;
        };
        let Ty::Discrete(name) = self.shallow(&place.ty) else {
            return None;
        };
        let ty = syn::parse_str(&name).ok()?;
        let (of, inclusive) = range_type(&ty, &self.env)?;
        let of = lower_type(of, &self.env).0;
        let place = self.freeze_place(place.clone(), span);
        Some(self.range_in_place(&place, inclusive, of, span))
    }

    /// The range that a place holds.
    pub fn range_in_place(&mut self, place: &Place, inclusive: bool, ty: Ty, span: Span) -> Value {
        let mut end = |field: &str, name: &str| {
            let field = quote::format_ident!("{field}");
            let code = match inclusive {
                true => quote!(*__place_0.#field()),
                false => quote!(__place_0.#field),
            };
            let code = self.add_code(code, vec![CaptureMode::Borrow]);
            let end = Expr::Code(code, vec![place.clone()], ty.clone());
            Expr::Read(self.temp(span, name, end, ty.clone()))
        };
        let bounds = IterRange {
            lo: end("start", "lo"),
            hi: Some(end("end", "hi")),
            inclusive,
            step: None,
            rev: Rev::No,
            ty,
        };
        Value::Iter(Rc::new(Producer::Range(bounds)))
    }

    /// A range as a value that is passed to a callee; `None` for other iterators.
    pub fn range_argument(&mut self, items: &Producer, span: Span) -> Option<(Expr, Ty)> {
        let Producer::Range(b) = items else {
            return None;
        };
        let (Some(hi), None, Rev::No) = (&b.hi, &b.step, b.rev) else {
            return None;
        };
        // The callee's parameter determines the type of integer literals.
        self.infer.mark_external(&b.ty);
        let of_ints = self.infer.is_int(&b.ty) || matches!(self.shallow(&b.ty), Ty::Int(_));
        let ends = [b.lo.clone(), hi.clone()];
        let is_known = of_ints || ends.iter().all(|end| self.is_constant_value(end));
        let ends = ends.map(|e| self.temp(span, "bound", e, b.ty.clone()));
        let (code, name) = match b.inclusive {
            true => (
                quote!(__place_0..=__place_1),
                "::core::ops::RangeInclusive<_>",
            ),
            false => (quote!(__place_0..__place_1), "::core::ops::Range<_>"),
        };
        let code = self.add_code(code, vec![CaptureMode::Value; 2]);
        let ty = Ty::Discrete(name.into());
        is_known.then(|| (Expr::Code(code, ends.to_vec(), ty.clone()), ty))
    }

    /// The bounds of a range that selects a subslice.
    pub fn range_bounds(&mut self, range: &Value, of: &Place, span: Span) -> Option<(Expr, Expr)> {
        let Value::Iter(producer) = range else {
            self.refuse_use(range, span, Reason::Iterator("this value".into()));
            return None;
        };
        let Producer::Range(b) = &**producer else {
            return None;
        };
        self.unify(&b.ty, &Ty::USIZE);
        let hi = match (&b.hi, b.inclusive) {
            (None, _) => Expr::Len(of.clone()),
            (Some(hi), false) => hi.clone(),
            (Some(hi), true) => binary(BinOp::Add, hi.clone(), usize_lit(1)),
        };
        Some((b.lo.clone(), self.stable_operand(hi, Ty::USIZE, span)))
    }

    /// `(lo..hi).contains(&x)`
    pub fn contains(&mut self, b: &IterRange, x: &syn::Expr, span: Span) -> Value {
        let x = self.expr(x);
        let (x, ty) = self.read(x, span);
        self.unify(&ty, &b.ty);
        let upper = if b.inclusive { BinOp::Le } else { BinOp::Lt };
        let above = binary(BinOp::Ge, x.clone(), b.lo.clone());
        let test = match &b.hi {
            Some(hi) => binary(BinOp::And, above, binary(upper, x, hi.clone())),
            None => above,
        };
        Value::Expr(test, Ty::Bool)
    }

    /// A range in reverse order.
    pub fn reversed_range(&mut self, p: &Rc<Producer>, b: &IterRange) -> Producer {
        if !matches!(b.rev, Rev::No) || b.hi.is_none() {
            return Producer::Rev(p.clone());
        }
        let rev = if b.step.is_some() {
            Rev::AfterStep
        } else {
            Rev::BeforeStep
        };
        Producer::Range(IterRange { rev, ..b.clone() })
    }

    /// The value of a range at a position. An iterated range is one of integers, of a type that only rustc may know.
    pub fn range_item(&mut self, b: &IterRange, k: Expr) -> Expr {
        if matches!(self.shallow(&b.ty), Ty::Infer(_)) && !self.infer.is_number(&b.ty) {
            let integer = self.infer.fresh(VarKind::Int);
            self.infer.mark_external(&integer);
            self.unify(&b.ty, &integer);
        }
        let cast = |e: Expr, ty: &Ty| match ty {
            ty if *ty == Ty::USIZE => e,
            ty => Expr::Cast(Box::new(e), ty.clone()),
        };
        let offset = match &b.step {
            Some(step) => binary(BinOp::Mul, k, step.clone()),
            None => k,
        };
        let offset = cast(offset, &b.ty);
        match (b.rev, &b.hi) {
            (Rev::No, _) | (_, None) => binary(BinOp::Add, b.lo.clone(), offset),
            (Rev::BeforeStep, Some(hi)) => {
                let one = Expr::Lit("1".into(), b.ty.clone());
                let first = if b.inclusive {
                    hi.clone()
                } else {
                    binary(BinOp::Sub, hi.clone(), one)
                };
                binary(BinOp::Sub, first, offset)
            }
            (Rev::AfterStep, Some(_)) => {
                let n = b.trip_count().unwrap_or_else(|| usize_lit(0));
                let last = binary(BinOp::Sub, n, usize_lit(1));
                let step = b.step.clone().unwrap_or_else(|| usize_lit(1));
                let last = binary(
                    BinOp::Add,
                    b.lo.clone(),
                    cast(binary(BinOp::Mul, last, step), &b.ty),
                );
                binary(BinOp::Sub, last, offset)
            }
        }
    }
}

pub fn step_by(p: &Rc<Producer>, n: Expr) -> Producer {
    match &**p {
        Producer::Range(b) if b.step.is_none() && b.hi.is_some() => Producer::Range(IterRange {
            step: Some(n),
            ..b.clone()
        }),
        _ => Producer::StepBy(p.clone(), n),
    }
}

/// `0..n`
pub fn range_to(n: Expr) -> Range {
    Range {
        lo: usize_lit(0),
        hi: n,
        inclusive: false,
        step: None,
        rev: Rev::No,
        ty: Ty::USIZE,
    }
}
