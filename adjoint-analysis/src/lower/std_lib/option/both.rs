//! Methods that combine two `Option`s or `Result`s, or flatten nested ones.

use proc_macro2::Span;

use crate::ir::{BinOp, Expr, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::tagged::{Choice, Family, known, lit};
use crate::lower::value::Value;

impl Lower {
    /// `a.zip(b)`
    pub(super) fn zipped_choice(&mut self, c: Choice, other: &syn::Expr, span: Span) -> Value {
        let (other, c) = self.beside_of(other, Some(c.family), c, span);
        let other = self.choice(other, Family::Option, span);
        let tag = match (known(&c.tag), known(&other.tag)) {
            (Some(false), _) | (_, Some(false)) => lit(false),
            (Some(true), _) => other.tag,
            (_, Some(true)) => c.tag,
            _ => Expr::Binary(BinOp::And, Box::new(c.tag), Box::new(other.tag)),
        };
        let tag = self.flag(tag, span);
        self.some_if(tag, Value::Tuple(vec![c.yes, other.yes]))
    }

    /// `a.or(b)`
    pub(super) fn this_or(&mut self, c: Choice, other: &syn::Expr, span: Span) -> Value {
        let family = c.family;
        let (other, c) = self.beside_of(other, Some(c.family), c, span);
        self.either(c, span, |l, v| l.of_family(family, true, v), |_, _| other)
    }

    /// `a.and(b)`
    pub(super) fn this_and(&mut self, c: Choice, other: &syn::Expr, span: Span) -> Value {
        let family = c.family;
        let (other, c) = self.beside_of(other, Some(c.family), c, span);
        self.either(
            c,
            span,
            |_, _| other,
            |l, no| l.of_family(family, false, no),
        )
    }

    /// `a.xor(b)`
    pub(super) fn this_xor(&mut self, c: Choice, other: &syn::Expr, span: Span) -> Value {
        let (other, c) = self.beside_of(other, Some(c.family), c, span);
        let both = self.choice(other.clone(), Family::Option, span);
        let only = |l: &mut Self, v: Value| {
            let none = |l: &mut Self, _| l.of_family(Family::Option, false, Value::Unit);
            l.either(both, span, none, |l, _| {
                l.of_family(Family::Option, true, v)
            })
        };
        self.either(c, span, only, |_, _| other)
    }

    /// `option.flatten()`, if the payload may be an `Option`.
    pub(super) fn flattened(&mut self, c: Choice, span: Span) -> Option<Value> {
        let held = self.value_ty(&c.yes);
        let nested = matches!(
            self.shallow(&held),
            Ty::Option(_) | Ty::Infer(_) | Ty::Unknown
        );
        if !nested || self.infer.is_number(&held) {
            return None;
        }
        let none = |l: &mut Self, _| l.of_family(Family::Option, false, Value::Unit);
        Some(self.either(c, span, |_, v| v, none))
    }

    /// A split value with a known variant. If the enum is unknown, so is the error.
    pub fn of_family(&mut self, family: Family, truth: bool, value: Value) -> Value {
        let (yes, no) = match (truth, family) {
            (true, Family::Result) => (value, Value::Absent(self.fresh())),
            (true, _) => (value, Value::Unit),
            (false, Family::Result) => (Value::Absent(self.fresh()), value),
            (false, _) => (Value::Absent(self.fresh()), Value::Unit),
        };
        Choice::owned(family, lit(truth), yes, no)
    }
}
