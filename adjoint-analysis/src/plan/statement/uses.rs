//! The primal values that the adjoint of a statement reads.

use super::StmtAdjoint;
use crate::ir::{Arg, Call, Demand, Expr, Func, Origin, Place, Stmt, StmtKind, VarId};
use crate::passes::activity::Boundary;
use crate::passes::sets::cells::Cells;
use crate::passes::sets::names::declared_in;
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
    for place in read_to_restore(&adjoint.code, (func, boundary), cells) {
        uses.restoring.extend(cells.touched(place).iter().copied());
    }
    for place in primal_reads(&adjoint.after, (func, boundary), cells) {
        uses.operands.extend(cells.touched(&place).iter().copied());
    }
    let mut made = declared_in(&adjoint.before);
    made.union(&declared_in(&adjoint.code));
    let is_call = matches!(stmt.kind, StmtKind::Call(_));
    for place in primal_reads(&adjoint.before, (func, boundary), cells) {
        uses.results.extend(cells.touched(&place).iter().copied());
    }
    for place in primal_reads(&adjoint.code, (func, boundary), cells) {
        let after = is_call || adjoint.result.as_ref() == Some(&place);
        if !made.contains(place.root) {
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
fn primal_reads(stmts: &[Stmt], (func, boundary): (&Func, &Boundary), cells: &Cells) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    Stmt::walk_all(stmts, &mut |s| {
        s.each_operand(&mut |operand| {
            operand.walk(&mut |e| match e {
                Expr::Read(p) | Expr::Is(p, _) => places.push(p.clone()),
                Expr::ZeroLike(p) if !cells.fixed_lengths().contains(p.root) => {
                    places.push(p.clone());
                }
                Expr::Code(_, reads, _) => places.extend(reads.iter().cloned()),
                // A length is needed like a value.
                Expr::Len(p)
                    if !cells.keeps_length(p, func) && !operand.reads().contains(&p.root) =>
                {
                    places.push(func.place(p.root));
                }
                _ => {}
            });
        });
        if let StmtKind::Let(v, None) = &s.kind
            && let Origin::Adjoint(of) = func.var(*v).origin
            && !keeps_shape(of, func, cells)
        {
            // An adjoint is created with the shape of its primal.
            places.push(func.place(of));
        }
        if let StmtKind::Reverse { call, .. } = &s.kind {
            let read = lent_places(call).filter(|(k, p)| {
                let read = read_by_callee(call, *k, p, (func, boundary), cells);
                !read.is_never() && !read.only_restores()
            });
            places.extend(read.map(|(_, p)| p.clone()));
        }
    });
    places.retain(|p| !matches!(func.var(p.root).origin, Origin::Adjoint(_)));
    places
}

/// The places that a callee reads only where it restores its `&mut` arguments.
fn read_to_restore<'a>(
    code: &'a [Stmt],
    (func, boundary): (&Func, &Boundary),
    cells: &Cells,
) -> Vec<&'a Place> {
    let mut places = Vec::new();
    for stmt in code {
        if let StmtKind::Reverse { call, .. } = &stmt.kind {
            let read = lent_places(call).filter(|(k, p)| {
                read_by_callee(call, *k, p, (func, boundary), cells).only_restores()
            });
            places.extend(read.map(|(_, p)| p));
        }
    }
    places
}

/// The arguments that are lent, with their positions.
fn lent_places(call: &Call) -> impl Iterator<Item = (usize, &Place)> {
    let lent = call.args.iter().map(Arg::place).enumerate();
    lent.filter_map(|(k, p)| Some((k, p?)))
}

/// The callers of a callee for which its reverse sweep may read the value of an argument. An argument whose variable
/// may have changed its shape is needed for its shape.
fn read_by_callee(
    call: &Call,
    k: usize,
    place: &Place,
    (func, boundary): (&Func, &Boundary),
    cells: &Cells,
) -> Demand {
    if place.ty.is_state() {
        return Demand::NEVER;
    }
    let plain = place.ty.holds_only_reals() && keeps_shape(place.root, func, cells);
    let summary = boundary.summary(call, func).filter(|_| plain);
    summary.map_or(Demand::ALWAYS, |s| s.reads[k])
}

/// Whether the variable's shape needs none of its values.
fn keeps_shape(v: VarId, func: &Func, cells: &Cells) -> bool {
    func.var(v).ty.keeps_shape() || cells.fixed_lengths().contains(v)
}
