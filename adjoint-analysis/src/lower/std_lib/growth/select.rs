//! Methods that filter a `Vec`: the retained elements are pushed again, one by one.

use proc_macro2::Span;

use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, Place, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::tagged::{lit, not};
use crate::lower::inline::closure::Closure;
use crate::lower::value::Value;

/// The criterion by which an element duplicates the one before it.
pub enum Alike<'a> {
    /// The elements are equal.
    Own,
    /// The closure's results for the elements are equal.
    Key(&'a Closure),
    /// The closure returns true.
    By(&'a Closure),
}

impl Lower {
    /// `v.retain(f)`, and `v.retain_mut(f)`, which may change the elements first.
    pub fn retain(&mut self, place: &Place, f: &Closure, mutable: bool, span: Span) -> Value {
        let all = self.emptied(place, span);
        self.each(Expr::Len(all.clone()), span, |l, k| {
            let item = l.element(&all, k, span);
            let test = l.inline(f, vec![Value::View(item.clone(), mutable)], span);
            let (test, _) = l.read(test, span);
            l.under(
                test,
                span,
                |l| drop(l.push(place, Value::Place(item), span)),
                |_| {},
            );
        });
        Value::Unit
    }

    /// `v.dedup()`, `v.dedup_by_key(f)`, `v.dedup_by(f)`
    pub fn dedup(&mut self, place: &Place, alike: &Alike<'_>, span: Span) -> Value {
        let all = self.emptied(place, span);
        self.each(Expr::Len(all.clone()), span, |l, k| {
            let item = l.element(&all, k, span);
            let stays = l.variable("stays", lit(true), Ty::Bool, span);
            let some = binary(BinOp::Gt, Expr::Len(place.clone()), usize_lit(0));
            let compare = |l: &mut Self| {
                let last = binary(BinOp::Sub, Expr::Len(place.clone()), usize_lit(1));
                let last = l.element(place, last, span);
                let same = l.alike(alike, &item, &last, span);
                l.emit(span, StmtKind::Assign(stays.clone(), not(same)));
            };
            l.under(some, span, compare, |_| {});
            let push = |l: &mut Self| drop(l.push(place, Value::Place(item.clone()), span));
            l.under(Expr::Read(stays.clone()), span, push, |_| {});
        });
        Value::Unit
    }

    fn alike(&mut self, alike: &Alike<'_>, item: &Place, last: &Place, span: Span) -> Expr {
        let view = |place: &Place| Value::View(place.clone(), true);
        let (a, b) = match alike {
            Alike::Own => (Value::Place(item.clone()), Value::Place(last.clone())),
            Alike::Key(f) => (
                self.inline(f, vec![view(item)], span),
                self.inline(f, vec![view(last)], span),
            ),
            Alike::By(f) => {
                let same = self.inline(f, vec![view(item), view(last)], span);
                return self.read(same, span).0;
            }
        };
        let ((a, ty), (b, other)) = (self.read(a, span), self.read(b, span));
        self.unify(&ty, &other);
        binary(BinOp::Eq, a, b)
    }
}
