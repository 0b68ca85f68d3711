//! Room on the tape for what a counted loop pushes, made once before it. What its inner loops and its callees push is not
//! known there.

use std::collections::BTreeMap;

use proc_macro2::Literal;

use super::Emit;
use crate::emit::tape;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::type_tokens;
use crate::ir::{Block, Demand, Expr, FloatTy, IntTy, Range, StmtKind, Ty, VarId};
use crate::plan::RecordKind;

impl Emit<'_> {
    /// The statements that make room for the numbers that each iteration pushes, for each type by one call.
    pub(super) fn make_room(&self, v: VarId, range: &Range, body: &Block) -> TokenBuf {
        let counts_integers = matches!(self.plan.func.var(v).ty, Ty::Int(_));
        // A loop that breaks may push few of them.
        let is_full = counts_integers && !is_short(range) && !breaks(body);
        if self.in_reverse || self.is_listing || !is_full {
            return TokenBuf::empty();
        }
        let mut pushed: BTreeMap<String, (Ty, BTreeMap<Demand, usize>)> = BTreeMap::new();
        for stmt in &body.stmts {
            if let StmtKind::Record(record, _) = &stmt.kind
                && self.slot(*record).is_none()
                && let RecordKind::Value(ty) = &self.plan.record(*record).kind
                && has_own_stack(ty)
            {
                let of_type = pushed.entry(ty.to_string());
                let (_, numbers) = of_type.or_insert_with(|| (ty.clone(), BTreeMap::new()));
                *numbers.entry(self.plan.record(*record).demand).or_default() += 1;
            }
        }
        let reserved = pushed.values().map(|(ty, numbers)| {
            let (tape, trips, of) = (tape(), self.trip_count(range), type_tokens(ty));
            let numbers = numbers.iter().map(|(demand, number)| {
                let (wanted, number) = (
                    self.demand_test(*demand),
                    Literal::usize_unsuffixed(*number),
                );
                code!((#wanted, #number))
            });
            let reserve = TokenBuf::name(match ty.is_float() {
                true => "reserve_reals",
                false => "reserve_ints",
            });
            code!(#tape.#reserve::<#of>(#trips, &[#(#numbers),*]);)
        });
        reserved.collect()
    }
}

/// Whether the number of iterations is a literal, so that there is little to gain.
fn is_short(range: &Range) -> bool {
    matches!((&range.lo, &range.hi), (Expr::Lit(..), Expr::Lit(..)))
}

fn breaks(body: &Block) -> bool {
    let mut breaks = false;
    body.walk(&mut |stmt| breaks |= matches!(stmt.kind, StmtKind::Break));
    breaks
}

/// Whether values of the type are pushed as they are on a stack of this type.
fn has_own_stack(ty: &Ty) -> bool {
    match ty {
        Ty::Float(float) => *float != FloatTy::Infer,
        Ty::Int(int) => *int != IntTy::Infer,
        _ => false,
    }
}
