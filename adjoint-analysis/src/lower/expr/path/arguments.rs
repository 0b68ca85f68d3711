//! Arguments of calls.

use syn::spanned::Spanned;

use super::is_assemblable_tuple;
use crate::ir::Mode;
use crate::lower::Lower;
use crate::lower::expr::strip_parens;
use crate::lower::infer::expectation::ParamType;
use crate::lower::value::Value;

impl Lower {
    /// Lowers arguments in order, with the parameter types as expectations.
    pub fn arguments<'a>(
        &mut self,
        exprs: impl Iterator<Item = &'a syn::Expr>,
        takes: Vec<Option<ParamType>>,
    ) -> Vec<Value> {
        let mut takes = takes.into_iter();
        self.operands_with(exprs, &mut |l, e| {
            let taken = takes.next().flatten();
            let is_read = taken.as_ref().is_some_and(|t| t.mode == Mode::Shared);
            let opaque = match (&taken, strip_parens(e)) {
                (None, syn::Expr::MethodCall(_)) => l.lower_opaque_result(e),
                _ => None,
            };
            let value = opaque
                .unwrap_or_else(|| l.lower_coerced(e, taken))
                .auto_deref();
            match l.assemble_referent(e, value) {
                Value::PlaceRef(p, true) if is_read => Value::PlaceRef(p, false),
                value => value,
            }
        })
    }

    /// Assembles a split tuple that is passed by reference: the callee needs one place.
    pub fn assemble_referent(&mut self, e: &syn::Expr, value: Value) -> Value {
        let syn::Expr::Reference(r) = strip_parens(e) else {
            return value;
        };
        let is_literal = matches!(strip_parens(&r.expr), syn::Expr::Tuple(_));
        let mutable = r.mutability.is_some();
        match is_assemblable_tuple(&value) && (is_literal || !mutable) {
            true => Value::PlaceRef(self.place_of(value, r.span()), mutable),
            false => value,
        }
    }
}
