//! Methods that combine two `Option`s or `Result`s, or flatten nested ones.

use proc_macro2::Span;

use crate::ir::{BinOp, Expr, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum, bool_lit, literal_bool};
use crate::lower::value::Value;

impl Lower {
    /// `a.zip(b)`
    pub(super) fn lower_option_zip(
        &mut self,
        c: SplitEnum,
        other: &syn::Expr,
        span: Span,
    ) -> Value {
        let (other, c) = self.eval_argument_as(other, Some(c.kind), c, span);
        let other = self.split_enum(other, EnumKind::Option, span);
        let tag = match (literal_bool(&c.tag), literal_bool(&other.tag)) {
            (Some(false), _) | (_, Some(false)) => bool_lit(false),
            (Some(true), _) => other.tag,
            (_, Some(true)) => c.tag,
            _ => Expr::Binary(BinOp::And, Box::new(c.tag), Box::new(other.tag)),
        };
        let tag = self.freeze_tag(tag, span);
        self.some_if(tag, Value::Tuple(vec![c.payload, other.payload]))
    }

    /// `a.or(b)`
    pub(super) fn lower_or(&mut self, c: SplitEnum, other: &syn::Expr, span: Span) -> Value {
        let family = c.kind;
        let (other, c) = self.eval_argument_as(other, Some(c.kind), c, span);
        self.branch_on_tag(
            c,
            span,
            |l, v| l.known_variant(family, true, v),
            |_, _| other,
        )
    }

    /// `a.and(b)`
    pub(super) fn lower_and(&mut self, c: SplitEnum, other: &syn::Expr, span: Span) -> Value {
        let family = c.kind;
        let (other, c) = self.eval_argument_as(other, Some(c.kind), c, span);
        self.branch_on_tag(
            c,
            span,
            |_, _| other,
            |l, no| l.known_variant(family, false, no),
        )
    }

    /// `a.xor(b)`
    pub(super) fn lower_xor(&mut self, c: SplitEnum, other: &syn::Expr, span: Span) -> Value {
        let (other, c) = self.eval_argument_as(other, Some(c.kind), c, span);
        let both = self.split_enum(other.clone(), EnumKind::Option, span);
        let only = |l: &mut Self, v: Value| {
            let none = |l: &mut Self, _| l.known_variant(EnumKind::Option, false, Value::Unit);
            l.branch_on_tag(both, span, none, |l, _| {
                l.known_variant(EnumKind::Option, true, v)
            })
        };
        self.branch_on_tag(c, span, only, |_, _| other)
    }

    /// `option.flatten()`, if the payload may be an `Option`.
    pub(super) fn flatten_payload(&mut self, c: SplitEnum, span: Span) -> Option<Value> {
        let held = self.value_ty(&c.payload);
        let nested = matches!(
            self.shallow(&held),
            Ty::Option(_) | Ty::Infer(_) | Ty::Unknown
        );
        if !nested || self.infer.is_number(&held) {
            return None;
        }
        let none = |l: &mut Self, _| l.known_variant(EnumKind::Option, false, Value::Unit);
        Some(self.branch_on_tag(c, span, |_, v| v, none))
    }

    /// A split value with a known variant. If the enum is unknown, so is the error.
    pub fn known_variant(&mut self, family: EnumKind, truth: bool, value: Value) -> Value {
        let (yes, no) = match (truth, family) {
            (true, EnumKind::Result) => (value, Value::Uninit(self.fresh_ty())),
            (true, _) => (value, Value::Unit),
            (false, EnumKind::Result) => (Value::Uninit(self.fresh_ty()), value),
            (false, _) => (Value::Uninit(self.fresh_ty()), Value::Unit),
        };
        SplitEnum::owned(family, bool_lit(truth), yes, no)
    }
}
