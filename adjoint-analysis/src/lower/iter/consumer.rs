//! Consumers that visit all items.

pub(super) mod collect;
pub(super) mod escaping_item;
pub(super) mod extremum;
pub(super) mod search;
pub(super) mod try_fold;

use std::rc::Rc;

use proc_macro2::Span;

use super::Producer;
use crate::ir::{BinOp, Expr, Place, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::EnumKind;
use crate::lower::inline::closure::Callable;
use crate::lower::value::Value;
use crate::mir::labeled::LabelId;
use crate::refuse::Reason;

impl Lower {
    pub fn consumer(
        &mut self,
        name: &str,
        p: Rc<Producer>,
        m: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let args: Vec<&syn::Expr> = m.args.iter().collect();
        match (name, args.as_slice()) {
            ("sum", []) => {
                let ty = self.sum_type(m);
                self.accumulate(&p, BinOp::Add, ty, span)
            }
            ("product", []) => {
                let ty = self.sum_type(m);
                self.accumulate(&p, BinOp::Mul, ty, span)
            }
            ("len", []) if !p.is_stream() => Value::Expr(self.length(&p), Ty::USIZE),
            ("count", []) if !p.is_stream() && !p.may_have_effects() => {
                Value::Expr(self.length(&p), Ty::USIZE)
            }
            ("fold", [init, f]) => {
                let init = self.expr(init);
                match self.callable(f) {
                    Some(f) => self.fold(&p, init, &f, span),
                    None => Value::Diverges,
                }
            }
            ("collect", []) => self.collect(&p, m, span),
            ("for_each", [f]) => {
                let Some(f) = self.callable(f) else {
                    return Value::Diverges;
                };
                self.for_each_item(&p, span, &mut |l, item, _| {
                    l.apply(&f, vec![item], span);
                });
                Value::Unit
            }
            _ => self.search(name, &p, &args, span),
        }
    }

    /// The type of a `sum` or `product`: its turbofish or the expected type.
    fn sum_type(&mut self, m: &syn::ExprMethodCall) -> Ty {
        match (&m.turbofish, self.expected_ty.take()) {
            (None, Some(ty)) => ty,
            _ => self.turbofish(m),
        }
    }

    pub fn turbofish(&mut self, m: &syn::ExprMethodCall) -> Ty {
        let ty = m.turbofish.as_ref().and_then(|t| match t.args.first() {
            Some(syn::GenericArgument::Type(ty)) => Some(self.named_type(ty)),
            _ => None,
        });
        match ty {
            Some(Ty::Unknown) | None => self.fresh_ty(),
            Some(ty) => ty,
        }
    }

    /// A loop over the items; the body gets the label of the loop's end.
    pub fn for_each_item(
        &mut self,
        p: &Producer,
        span: Span,
        body: &mut dyn FnMut(&mut Self, Value, LabelId),
    ) {
        let end = self.fresh_label();
        self.drive(p, end, span, &mut |l, item| body(l, item, end));
    }

    /// The initial value of a `sum` or `product`: the empty sum of reals is −0.0, as in std.
    pub fn initial_accumulator(&mut self, op: BinOp, ty: &Ty, span: Span) -> Place {
        let text = match op {
            BinOp::Add => "-0.0",
            _ => "1.0",
        };
        self.temp(span, "acc", Expr::Lit(text.into(), ty.clone()), ty.clone())
    }

    /// `sum` and `product`
    fn accumulate(&mut self, p: &Producer, op: BinOp, ty: Ty, span: Span) -> Value {
        let all = match self.shallow(&ty) {
            Ty::Option(ty) => Some((EnumKind::Option, *ty)),
            Ty::Result(ty, _) => Some((EnumKind::Result, *ty)),
            _ => None,
        };
        if let Some(all) = all {
            return self.try_accumulate(p, op, all, span);
        }
        if let (Ty::Named(name), BinOp::Add) = (self.shallow(&ty), op) {
            return self.user_sum(p, &name, span);
        }
        let acc = self.initial_accumulator(op, &ty, span);
        self.for_each_item(p, span, &mut |l, item, _| {
            if l.enum_kind_of(&item).is_some() {
                let what =
                    "a sum or product of `Option`s or `Result`s whose type is not written here";
                l.refuse(span, Reason::Expression(what.into()));
                return;
            }
            let (e, found) = l.read(item, span);
            l.unify(&ty, &found);
            l.emit_update(op, acc.clone(), e, span);
        });
        Value::Place(acc)
    }

    fn fold(&mut self, p: &Producer, init: Value, f: &Callable, span: Span) -> Value {
        let acc = self.copy_to_vars(init, span);
        self.for_each_item(p, span, &mut |l, item, _| {
            let value = l.apply(f, vec![acc.clone(), item], span);
            if !matches!(value, Value::Diverges) {
                l.store(acc.clone(), value, span);
            }
        });
        acc
    }

    /// Copies the value to variables of its own.
    pub fn copy_to_vars(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Tuple(_) | Value::RefStruct(..) => {
                value.map_parts(|p| self.copy_to_vars(p, span)).not_unique()
            }
            value => {
                let (e, ty) = self.read(value, span);
                Value::Place(self.temp(span, "acc", e, ty))
            }
        }
    }
}
