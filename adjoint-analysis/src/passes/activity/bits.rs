//! Reals computed from the bits of other reals.
//!
//! The bits of a number are an integer, which has no adjoint: it is piecewise constant. A real that is computed from
//! them still has a derivative, but no rule for it: `from_bits(x.to_bits() & mask)`. The argument of `from_bits` need
//! not come from `to_bits`: `from_bits((x * scale) as u32)` is one of the fast powers of 2.

use std::collections::BTreeSet;

use super::Activity;
use crate::ir::{Arg, BinOp, Call, Expr, Func, Stmt, StmtId, StmtKind, Ty, VarId};

/// The statements that make a real from an integer with bits of a varied number, or pass such an integer to a call that
/// may do so.
pub fn reals_from_bits(func: &Func, activity: &Activity) -> Vec<StmtId> {
    let [bits, any] = [false, true].map(|any| {
        let mut bits = Bits {
            func,
            activity,
            any_integer: any,
            bit_vars: BTreeSet::new(),
        };
        while bits.spread() {}
        bits
    });
    let mut found = Vec::new();
    func.body.walk(&mut |stmt| {
        if bits.become_real(stmt) || any.calls_from_bits(stmt) {
            found.push(stmt.id);
        }
    });
    found
}

struct Bits<'a> {
    func: &'a Func,
    activity: &'a Activity,
    /// Whether any integer computed from a number counts, not only its bits.
    any_integer: bool,
    /// The variables that may contain such integers.
    bit_vars: BTreeSet<VarId>,
}

impl Bits<'_> {
    /// Propagates through one more assignment; returns whether anything changed.
    fn spread(&mut self) -> bool {
        let mut reached = Vec::new();
        self.func.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, Some(e)) if self.has_bits(stmt.id, e) => reached.push(*v),
            StmtKind::Assign(p, e) | StmtKind::Insert(p, _, e) if self.has_bits(stmt.id, e) => {
                reached.push(p.root);
            }
            StmtKind::Swap(p, q) => {
                for (from, to) in [(p, q), (q, p)] {
                    reached.extend(Some(to.root).filter(|_| self.bit_vars.contains(&from.root)));
                }
            }
            StmtKind::Remove(Some(v), p, _) if self.bit_vars.contains(&p.root) => reached.push(*v),
            StmtKind::Call(call) if self.any_integer && self.is_varied_call(stmt.id, call) => {
                reached.extend(call.result);
            }
            _ => {}
        });
        let before = self.bit_vars.len();
        self.bit_vars.extend(reached);
        self.bit_vars.len() > before
    }

    /// Whether the value is, or contains, an integer with bits of a varied number.
    fn has_bits(&self, at: StmtId, e: &Expr) -> bool {
        match e {
            Expr::Discrete(name, args, _) if name == "to_bits" => {
                args.iter().any(|x| self.is_varied(at, x))
            }
            Expr::Cast(x, Ty::Int(_)) if self.any_integer && self.is_varied(at, x) => true,
            Expr::Discrete(_, _, Ty::Bool) | Expr::Len(_) | Expr::Is(..) => false,
            Expr::Intrinsic(..) | Expr::Cast(_, Ty::Float(_)) => false,
            Expr::Binary(op, ..) if op.is_comparison() => false,
            // Sign and exponent alone are piecewise constant.
            Expr::Binary(BinOp::Shr, a, by) if is_above_mantissa(a, by) => false,
            Expr::Read(p) => !matches!(p.ty, Ty::Float(_)) && self.bit_vars.contains(&p.root),
            _ => {
                let mut any = false;
                e.each_child(&mut |child| any |= self.has_bits(at, child));
                any
            }
        }
    }

    fn is_varied(&self, at: StmtId, e: &Expr) -> bool {
        let mut varied = false;
        e.walk(&mut |e| {
            if let Expr::Read(p) = e {
                varied |= p.ty.carries_floats() && self.activity.varied_before(at, p) != 0;
            }
        });
        varied
    }

    fn is_varied_call(&self, at: StmtId, call: &Call) -> bool {
        call.args.iter().any(|arg| match arg {
            Arg::Value(e) => self.is_varied(at, e) || self.has_bits(at, e),
            Arg::Shared(p) | Arg::Mut(p) => self.is_varied(at, &Expr::Read(p.clone())),
        })
    }

    /// Whether the statement calls `from_bits` with such an integer.
    fn calls_from_bits(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Call(call) => {
                call.callee.name.ends_with("from_bits") && self.passes_bits(stmt.id, call)
            }
            _ => false,
        }
    }

    fn become_real(&self, stmt: &Stmt) -> bool {
        let mut found = match &stmt.kind {
            StmtKind::Call(call) => self.passes_bits(stmt.id, call),
            _ => false,
        };
        stmt.walk_exprs(&mut |e| {
            found |= match e {
                Expr::Cast(inner, Ty::Float(_)) => self.has_bits(stmt.id, inner),
                Expr::Code(_, reads, ty) => {
                    may_be_real(ty) && reads.iter().any(|p| self.bit_vars.contains(&p.root))
                }
                _ => false,
            };
        });
        found
    }

    fn passes_bits(&self, at: StmtId, call: &Call) -> bool {
        let makes_reals = call
            .result
            .is_some_and(|v| may_be_real(&self.func.var(v).ty));
        let has_bits = |arg: &Arg| match arg {
            Arg::Value(e) => self.has_bits(at, e),
            Arg::Shared(p) | Arg::Mut(p) => self.bit_vars.contains(&p.root),
        };
        makes_reals && call.args.iter().any(has_bits)
    }
}

fn may_be_real(ty: &Ty) -> bool {
    *ty == Ty::Unknown || ty.carries_floats()
}

/// `x.to_bits() >> 52`: a shift by the width of the mantissa.
fn is_above_mantissa(a: &Expr, by: &Expr) -> bool {
    let (Expr::Discrete(name, _, ty), Expr::Lit(by, _)) = (a, by) else {
        return false;
    };
    let mantissa = match ty.to_string().as_str() {
        "u64" => 52,
        "u32" => 23,
        _ => return false,
    };
    name == "to_bits" && by.parse::<u32>().is_ok_and(|by| by >= mantissa)
}
