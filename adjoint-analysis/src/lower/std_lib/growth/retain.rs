//! Methods that filter a `Vec`: the retained elements are pushed again, one by one.

use proc_macro2::Span;

use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, Place, StmtKind, Ty};
use crate::lower::Lower;
use crate::lower::aggregate::split_enum::{bool_lit, not};
use crate::lower::inline::closure::Closure;
use crate::lower::value::Value;

/// The criterion by which an element duplicates the one before it.
pub enum DedupBy<'a> {
    /// The elements are equal.
    Equality,
    /// The closure's results for the elements are equal.
    Key(&'a Closure),
    /// The closure returns true.
    Predicate(&'a Closure),
}

impl Lower {
    /// `v.retain(f)`, and `v.retain_mut(f)`, which may change the elements first.
    pub fn retain(&mut self, place: &Place, f: &Closure, mutable: bool, span: Span) -> Value {
        let all = self.take_all(place, span);
        self.counted_loop(Expr::Len(all.clone()), span, |l, k| {
            let item = l.element(&all, k, span);
            let test = l.inline_closure(f, vec![Value::PlaceRef(item.clone(), mutable)], span);
            let (test, _) = l.read(test, span);
            l.emit_if(
                test,
                span,
                |l| drop(l.push(place, Value::Place(item), span)),
                |_| {},
            );
        });
        Value::Unit
    }

    /// `v.dedup()`, `v.dedup_by_key(f)`, `v.dedup_by(f)`
    pub fn dedup(&mut self, place: &Place, alike: &DedupBy<'_>, span: Span) -> Value {
        let all = self.take_all(place, span);
        self.counted_loop(Expr::Len(all.clone()), span, |l, k| {
            let item = l.element(&all, k, span);
            let stays = l.mutable_var("stays", bool_lit(true), Ty::Bool, span);
            let some = binary(BinOp::Gt, Expr::Len(place.clone()), usize_lit(0));
            let compare = |l: &mut Self| {
                let last = binary(BinOp::Sub, Expr::Len(place.clone()), usize_lit(1));
                let last = l.element(place, last, span);
                let same = l.is_duplicate(alike, &item, &last, span);
                l.emit(span, StmtKind::Assign(stays.clone(), not(same)));
            };
            l.emit_if(some, span, compare, |_| {});
            let push = |l: &mut Self| drop(l.push(place, Value::Place(item.clone()), span));
            l.emit_if(Expr::Read(stays.clone()), span, push, |_| {});
        });
        Value::Unit
    }

    fn is_duplicate(
        &mut self,
        alike: &DedupBy<'_>,
        item: &Place,
        last: &Place,
        span: Span,
    ) -> Expr {
        let view = |place: &Place| Value::PlaceRef(place.clone(), true);
        let (a, b) = match alike {
            DedupBy::Equality => (Value::Place(item.clone()), Value::Place(last.clone())),
            DedupBy::Key(f) => (
                self.inline_closure(f, vec![view(item)], span),
                self.inline_closure(f, vec![view(last)], span),
            ),
            DedupBy::Predicate(f) => {
                let same = self.inline_closure(f, vec![view(item), view(last)], span);
                return self.read(same, span).0;
            }
        };
        let ((a, ty), (b, other)) = (self.read(a, span), self.read(b, span));
        self.unify(&ty, &other);
        binary(BinOp::Eq, a, b)
    }
}
