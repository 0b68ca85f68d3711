//! Consumers of `Option` or `Result` items that stop at the first `None` or `Err`.

use proc_macro2::Span;

use super::escaping_item::EscapingItem;
use crate::ir::{BinOp, Expr, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::{EnumKind, SplitEnum, bool_lit};
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::mir::labeled::{LabelId, LabeledStmt};
use crate::refuse::Reason;

impl Lower {
    /// The expected result type of a `try_fold` or `try_for_each`, as far as the context determines it.
    pub(in crate::lower::iter) fn expected_try_type(&mut self) -> Option<Ty> {
        let (told, expected) = (self.expected_enum.take(), self.expected_ty.take());
        match expected.map(|ty| self.shallow(&ty)) {
            Some(ty @ (Ty::Option(_) | Ty::Result(..))) => Some(ty),
            _ => self.fresh_enum_ty(told?),
        }
    }

    /// `try_fold`: a fold that stops at the first `None` or `Err`.
    pub(in crate::lower::iter) fn try_fold(
        &mut self,
        p: &Producer,
        init: Value,
        f: &Callable,
        wanted: Option<Ty>,
        span: Span,
    ) -> Value {
        let acc = self.copy_to_vars(init, span);
        let told = wanted.as_ref().and_then(EnumKind::of_type);
        let make = |l: &mut Self, item| {
            l.closure_output = wanted.clone();
            l.apply(f, vec![acc.clone(), item], span)
        };
        let done = |l: &mut Self, value| l.store(acc.clone(), value, span);
        self.try_loop(p, told, span, &make, &done, acc.clone())
    }

    /// `try_for_each`
    pub(in crate::lower::iter) fn try_for_each(
        &mut self,
        p: &Producer,
        f: &Callable,
        wanted: Option<Ty>,
        span: Span,
    ) -> Value {
        let told = wanted.as_ref().and_then(EnumKind::of_type);
        let make = |l: &mut Self, item| {
            l.closure_output = wanted.clone();
            l.apply(f, vec![item], span)
        };
        self.try_loop(p, told, span, &make, &|_, _| {}, Value::Unit)
    }

    /// `collect` into an `Option` or a `Result` of a `Vec`.
    pub fn try_collect(&mut self, p: &Producer, family: EnumKind, list: &Ty, span: Span) -> Value {
        let ty = Ty::Vec(Box::new(self.fresh_ty()));
        self.unify(&ty, list);
        let none = Expr::Aggregate(Vec::new(), ty.clone());
        let all = self.mutable_var("all", none, ty, span);
        let push = |l: &mut Self, value| {
            let value = l.computed_once(value, span);
            l.push(&all, Lower::copied_item(value), span);
        };
        let all = Value::Place(all.clone());
        self.try_loop(p, Some(family), span, &|_, item| item, &push, all)
    }

    /// `sum` and `product` of `Option`s or `Result`s.
    pub fn try_accumulate(
        &mut self,
        p: &Producer,
        op: BinOp,
        (family, ty): (EnumKind, Ty),
        span: Span,
    ) -> Value {
        let acc = self.initial_accumulator(op, &ty, span);
        let add = |l: &mut Self, value| {
            let (e, found) = l.read(value, span);
            l.unify(&ty, &found);
            l.emit_update(op, acc.clone(), e, span);
        };
        let acc = Value::Place(acc.clone());
        self.try_loop(p, Some(family), span, &|_, item| item, &add, acc)
    }

    /// A loop that passes the payload of `make(item)` to `done` and exits at the first `None` or `Err`; `yes` is the
    /// payload of the result if there is none. `told` is the enum of items whose type is unknown.
    fn try_loop(
        &mut self,
        p: &Producer,
        told: Option<EnumKind>,
        span: Span,
        make: &dyn Fn(&mut Self, Value) -> Value,
        done: &dyn Fn(&mut Self, Value),
        yes: Value,
    ) -> Value {
        let whole = self.mutable_var("whole", bool_lit(true), Ty::Bool, span);
        let mut kept = EscapingItem::default();
        let mut family = None;
        self.with_escaping_item(&mut kept, |l, kept| {
            l.for_each_item(p, span, &mut |l, item, end: LabelId| {
                let value = make(l, item);
                let Some(of) = l.enum_kind_of(&value).or(told) else {
                    let what =
                        "an iterator over `Option`s or `Result`s whose type is not known here";
                    l.refuse_use(&value, span, Reason::Expression(what.into()));
                    return;
                };
                family = Some(of);
                let c = l.split_enum(value, of, span);
                let leave = |l: &mut Self| {
                    if !matches!(c.err_payload, Value::Unit | Value::Uninit(_)) {
                        l.store_escaping(kept, c.err_payload, span);
                    }
                    l.emit(span, StmtKind::Assign(whole.clone(), bool_lit(false)));
                    l.out.push(LabeledStmt::Exit(end));
                };
                let tag = l.freeze_tag(c.tag, span);
                l.emit_if(tag, span, |l| done(l, c.payload), leave);
            });
        });
        let no = match family {
            Some(EnumKind::Option) | None => Value::Unit,
            _ => self.read_escaping(kept),
        };
        let family = family.unwrap_or(EnumKind::Option);
        SplitEnum::owned(family, Expr::Read(whole), yes, no)
    }
}

/// Whether the method's result is of the same `Option` or `Result` type as its closure's.
pub fn is_try_method(m: &syn::ExprMethodCall) -> bool {
    m.method == "try_fold" || m.method == "try_for_each"
}
