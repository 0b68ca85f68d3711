//! Checks that operands whose types only rustc knows are numbers.
//!
//! The derivative of `a + b` is known for numbers. An operator of a user type may do anything; a trait bound rejects it
//! with a message that names the type.

use std::collections::BTreeMap;

use proc_macro2::Span;
use quote::quote_spanned;

use crate::ir::Intrinsic::{Abs, Clamp, Max, Min, Signum};
use crate::lower::{Block, Expr, Lower, Place, Stmt, Ty};
use crate::mir::code::tokens_at;

/// The operands of a statement's operators that may not be numbers.
#[derive(Default)]
struct UncheckedOperands {
    types: Vec<String>,
    places: Vec<Place>,
    /// The receivers of methods that integers have as well.
    receivers: Vec<Place>,
}

impl Lower {
    /// Inserts the checks into the body.
    pub fn check_number_operands(&mut self, body: &mut Block) {
        let mut types = BTreeMap::new();
        self.check_numbers_in(body, &mut types);
        for (ty, span) in types {
            let ty = tokens_at(&ty, span);
            let check = quote_spanned!(span=> ::adjoint::__private::demand::operand::<#ty, _>());
            let stmt = self.new_check(check, Vec::new(), span);
            body.stmts.insert(0, stmt);
        }
    }

    fn check_numbers_in(&mut self, block: &mut Block, types: &mut BTreeMap<String, Span>) {
        let mut checked = Vec::new();
        for mut stmt in std::mem::take(&mut block.stmts) {
            let span = self.draft.spans[stmt.id.index()];
            let doubtful = self.unchecked_operands(&stmt);
            for ty in doubtful.types {
                types.entry(ty).or_insert(span);
            }
            for place in doubtful.places {
                // The closure is never called: the place need not be initialised yet.
                let check =
                    quote_spanned!(span=> ::adjoint::__private::demand::operand_of(|| __place_0));
                checked.push(self.new_check(check, vec![place], span));
            }
            for place in doubtful.receivers {
                let check =
                    quote_spanned!(span=> ::adjoint::__private::demand::chosen_of(|| __place_0));
                checked.push(self.new_check(check, vec![place], span));
            }
            for inner in stmt.blocks_mut() {
                self.check_numbers_in(inner, types);
            }
            checked.push(stmt);
        }
        block.stmts = checked;
    }

    fn unchecked_operands(&self, stmt: &Stmt) -> UncheckedOperands {
        let mut found = UncheckedOperands::default();
        let mut note = |e: &Expr| match (e.ty(&self.draft.func), e) {
            (Ty::Named(name), _) => found.types.push(name),
            (Ty::Unknown, Expr::Read(place)) => found.places.push(place.clone()),
            _ => {}
        };
        stmt.each_arithmetic_operand(&mut note);
        stmt.walk_exprs(&mut |e| {
            if let Expr::Intrinsic(Max | Min | Clamp | Abs | Signum, args) = e
                && let Some(Expr::Read(place)) = args.first()
                && place.ty == Ty::Unknown
            {
                found.receivers.push(place.clone());
            }
        });
        found.places.dedup();
        found
    }
}
