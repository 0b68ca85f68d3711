//! Rebuilding: one value of its own type from a split enum, for an argument, a result or an element.

use proc_macro2::Span;

use super::{SplitEnum, literal_bool};
use crate::ir::{Expr, Place};
use crate::lower::value::Value;
use crate::lower::{LabeledStmt, Lower, Origin, StmtKind, Ty};
use crate::refuse::Reason;

impl Lower {
    /// Rebuilds one value of the enum's type from tag and payloads.
    pub fn rebuild_enum(&mut self, c: SplitEnum, span: Span) -> (Expr, Ty) {
        let ty = self.split_enum_ty(&c);
        if let Some(truth) = literal_bool(&c.tag) {
            return (self.rebuild_variant(c, truth, &ty, span), ty);
        }
        let var = self.new_var("value", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        let place = Place::var(var, ty.clone());
        self.rebuild_enum_at(&place, c, span);
        (Expr::Read(place), ty)
    }

    /// Rebuilds the enum at a place of its own type.
    pub fn rebuild_enum_at(&mut self, place: &Place, c: SplitEnum, span: Span) {
        let ty = self.split_enum_ty(&c);
        self.unify(&place.ty, &ty);
        let arm = |l: &mut Self, truth: bool| {
            let value = l.rebuild_variant(c.clone(), truth, &ty, span);
            l.emit(span, StmtKind::Assign(place.clone(), value));
        };
        match literal_bool(&c.tag) {
            Some(truth) => arm(self, truth),
            None => {
                let tag = self.freeze_tag(c.tag.clone(), span);
                let (then, ()) = self.in_block(|l| arm(l, true));
                let (els, ()) = self.in_block(|l| arm(l, false));
                let id = self.stmt_id(span);
                self.out.push(LabeledStmt::If(id, tag, then, els));
            }
        }
    }

    fn rebuild_variant(&mut self, c: SplitEnum, truth: bool, ty: &Ty, span: Span) -> Expr {
        let name = if truth {
            c.kind.true_variant()
        } else {
            c.kind.false_variant()
        };
        let payload = if truth { c.payload } else { c.err_payload };
        let is_lent = matches!(&payload, Value::RefToAggregate(of, true) if self.is_rebindable(of));
        if is_lent || matches!(payload, Value::PlaceRef(..)) && c.by_ref.is_none() {
            let what = "an `Option` or `Result` of a reference as a value";
            self.refuse(span, Reason::Reference(what.into()));
        }
        let fields = match payload {
            Value::Unit if name == "None" => Vec::new(),
            payload => vec![("0".to_string(), self.read(payload, span).0)],
        };
        Expr::Variant(name.into(), fields, ty.clone())
    }
}
