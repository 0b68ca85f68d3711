//! Consumers of `Option` or `Result` items that stop at the first `None` or `Err`.

use proc_macro2::Span;

use super::escaping_item::Kept;
use crate::ir::{BinOp, Expr, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::tagged::{Choice, Family, lit};
use crate::lower::inline::closure::Callable;
use crate::lower::iter::Producer;
use crate::lower::value::Value;
use crate::mir::labeled::{LabelId, LabeledStmt};
use crate::refuse::Reason;

impl Lower {
    /// The expected result type of a `try_fold` or `try_for_each`, as far as the context determines it.
    pub(in crate::lower::iter) fn wanted_attempt(&mut self) -> Option<Ty> {
        let (told, expected) = (self.told.take(), self.expected.take());
        match expected.map(|ty| self.shallow(&ty)) {
            Some(ty @ (Ty::Option(_) | Ty::Result(..))) => Some(ty),
            _ => self.type_of_family(told?),
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
        let acc = self.stored(init, span);
        let told = wanted.as_ref().and_then(Family::of_type);
        let make = |l: &mut Self, item| {
            l.made = wanted.clone();
            l.apply(f, vec![acc.clone(), item], span)
        };
        let done = |l: &mut Self, value| l.store(acc.clone(), value, span);
        self.attempt(p, told, span, &make, &done, acc.clone())
    }

    /// `try_for_each`
    pub(in crate::lower::iter) fn try_for_each(
        &mut self,
        p: &Producer,
        f: &Callable,
        wanted: Option<Ty>,
        span: Span,
    ) -> Value {
        let told = wanted.as_ref().and_then(Family::of_type);
        let make = |l: &mut Self, item| {
            l.made = wanted.clone();
            l.apply(f, vec![item], span)
        };
        self.attempt(p, told, span, &make, &|_, _| {}, Value::Unit)
    }

    /// `collect` into an `Option` or a `Result` of a `Vec`.
    pub fn collect_all(&mut self, p: &Producer, family: Family, list: &Ty, span: Span) -> Value {
        let ty = Ty::Vec(Box::new(self.fresh()));
        self.unify(&ty, list);
        let none = Expr::Aggregate(Vec::new(), ty.clone());
        let all = self.variable("all", none, ty, span);
        let push = |l: &mut Self, value| {
            let value = l.held(value, span);
            l.push(&all, Lower::copied(value), span);
        };
        let all = Value::Place(all.clone());
        self.attempt(p, Some(family), span, &|_, item| item, &push, all)
    }

    /// `sum` and `product` of `Option`s or `Result`s.
    pub fn accumulate_all(
        &mut self,
        p: &Producer,
        op: BinOp,
        (family, ty): (Family, Ty),
        span: Span,
    ) -> Value {
        let acc = self.neutral(op, &ty, span);
        let add = |l: &mut Self, value| {
            let (e, found) = l.read(value, span);
            l.unify(&ty, &found);
            l.update(op, acc.clone(), e, span);
        };
        let acc = Value::Place(acc.clone());
        self.attempt(p, Some(family), span, &|_, item| item, &add, acc)
    }

    /// A loop that passes the payload of `make(item)` to `done` and exits at the first `None` or `Err`; `yes` is the
    /// payload of the result if there is none. `told` is the enum of items whose type is unknown.
    fn attempt(
        &mut self,
        p: &Producer,
        told: Option<Family>,
        span: Span,
        make: &dyn Fn(&mut Self, Value) -> Value,
        done: &dyn Fn(&mut Self, Value),
        yes: Value,
    ) -> Value {
        let whole = self.variable("whole", lit(true), Ty::Bool, span);
        let mut kept = Kept::default();
        let mut family = None;
        self.keeping(&mut kept, |l, kept| {
            l.over(p, span, &mut |l, item, end: LabelId| {
                let value = make(l, item);
                let Some(of) = l.family_of(&value).or(told) else {
                    let what =
                        "an iterator over `Option`s or `Result`s whose type is not known here";
                    l.refuse_use(&value, span, Reason::Expression(what.into()));
                    return;
                };
                family = Some(of);
                let c = l.choice(value, of, span);
                let leave = |l: &mut Self| {
                    if !matches!(c.no, Value::Unit | Value::Absent(_)) {
                        l.keep(kept, c.no, span);
                    }
                    l.emit(span, StmtKind::Assign(whole.clone(), lit(false)));
                    l.out.push(LabeledStmt::Exit(end));
                };
                let tag = l.flag(c.tag, span);
                l.under(tag, span, |l| done(l, c.yes), leave);
            });
        });
        let no = match family {
            Some(Family::Option) | None => Value::Unit,
            _ => self.kept(kept),
        };
        let family = family.unwrap_or(Family::Option);
        Choice::owned(family, Expr::Read(whole), yes, no)
    }
}

/// Whether the method's result is of the same `Option` or `Result` type as its closure's.
pub fn attempts(m: &syn::ExprMethodCall) -> bool {
    m.method == "try_fold" || m.method == "try_for_each"
}
