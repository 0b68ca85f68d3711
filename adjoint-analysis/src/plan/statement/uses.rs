//! The primal values that the adjoint of a statement reads.

use super::StmtAdjoint;
use crate::ir::{AdjArg, Arg, Call, Expr, Func, LoopHead, Origin, Place, Stmt, StmtKind, VarId};
use crate::passes::activity::Boundary;
use crate::passes::sets::cells::Cells;
use crate::passes::tbr::Uses;

/// The primal values that adjoint code reads.
pub fn uses(
    (func, boundary): (&Func, &Boundary),
    cells: &Cells,
    stmt: &Stmt,
    adjoint: &StmtAdjoint,
) -> Uses {
    let any = !(adjoint.code.is_empty() && adjoint.after.is_empty());
    let mut uses = Uses {
        any,
        ..Uses::default()
    };
    for place in primal_reads(&adjoint.after, func, boundary) {
        uses.operands.extend(cells.touched(&place).iter().copied());
    }
    let mut made = declared_in(&adjoint.before);
    made.extend(declared_in(&adjoint.code));
    let is_call = matches!(stmt.kind, StmtKind::Call(_));
    for place in primal_reads(&adjoint.before, func, boundary) {
        uses.results.extend(cells.touched(&place).iter().copied());
    }
    for place in primal_reads(&adjoint.code, func, boundary) {
        let after = is_call || adjoint.result.as_ref() == Some(&place);
        if !made.contains(&place.root) {
            if after {
                &mut uses.results
            } else {
                &mut uses.operands
            }
            .extend(cells.touched(&place).iter().copied());
        }
    }
    uses
}

/// The places of variables other than adjoints that the statements read.
fn primal_reads(stmts: &[Stmt], func: &Func, boundary: &Boundary) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    Stmt::walk_all(stmts, &mut |s| {
        s.each_operand(&mut |operand| {
            operand.walk(&mut |e| match e {
                Expr::Read(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => places.push(p.clone()),
                Expr::Code(_, reads, _) => places.extend(reads.iter().cloned()),
                // A length is needed like a value.
                Expr::Len(p) if !p.has_fixed_length(func) && !operand.reads().contains(&p.root) => {
                    places.push(func.place(p.root));
                }
                _ => {}
            });
        });
        if let StmtKind::Let(v, None) = &s.kind
            && let Origin::Adjoint(of) = func.var(*v).origin
            && !func.var(of).ty.keeps_shape()
        {
            // An adjoint is created with the shape of its primal.
            places.push(func.place(of));
        }
        if let StmtKind::Reverse { call, .. } = &s.kind {
            let lent = call.args.iter().map(Arg::place).enumerate();
            let lent = lent.filter_map(|(k, p)| Some((k, p?)));
            let read = lent.filter(|(k, p)| is_read(call, *k, p, func, boundary));
            places.extend(read.map(|(_, p)| p.clone()));
        }
    });
    places.retain(|p| !matches!(func.var(p.root).origin, Origin::Adjoint(_)));
    places
}

/// Whether the callee's reverse sweep may read the value of an argument. An argument whose variable may have changed
/// its shape is needed for its shape.
fn is_read(call: &Call, k: usize, place: &Place, func: &Func, boundary: &Boundary) -> bool {
    if place.ty.is_state() {
        return false;
    }
    let plain = place.ty.holds_only_reals() && func.var(place.root).ty.keeps_shape();
    let summary = boundary.summary(call, func).filter(|_| plain);
    summary.is_none_or(|s| !s.reads[k].is_never())
}

/// The variables that the statements declare: temporaries, increments, loop indices.
fn declared_in(stmts: &[Stmt]) -> Vec<VarId> {
    let mut made = Vec::new();
    Stmt::walk_all(stmts, &mut |s| {
        made.extend(s.declared());
        match &s.kind {
            StmtKind::Loop(LoopHead::Counted(v, _), _) => made.push(*v),
            StmtKind::Reverse { adjoints, .. } => {
                made.extend(adjoints.iter().filter_map(|a| match a {
                    AdjArg::Increment(v) => Some(*v),
                    _ => None,
                }))
            }
            _ => {}
        }
    });
    made
}
