//! The places that statements access.

use crate::ir::{AdjArg, Arg, Expr, LoopHead, Place, Stmt, StmtKind, VarId};
use crate::passes::checkpoint::Callees;

/// How a place is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// The length, or the shape that an adjoint takes.
    Shape,
    Add,
    /// A write that leaves the shape.
    Fill,
    Write,
}

/// Whether two accesses of one place may come in any order; additions of one sweep, if `adds_may_swap`.
pub fn commute(a: Access, b: Access, adds_may_swap: bool) -> bool {
    use Access::{Add, Fill, Read, Shape};
    match (a, b) {
        (Read | Shape, Read | Shape) => true,
        (Shape, Add | Fill) | (Add | Fill, Shape) => true,
        (Add, Add) => adds_may_swap,
        _ => false,
    }
}

/// All accesses of the statements and those inside them.
pub fn accesses(stmts: &[Stmt], callees: Callees<'_>) -> Vec<(Access, Place)> {
    let mut all = Vec::new();
    Stmt::walk_all(stmts, &mut |s| of_statement(s, callees, &mut all));
    all
}

fn of_statement(stmt: &Stmt, callees: Callees<'_>, all: &mut Vec<(Access, Place)>) {
    let func = callees.func;
    let whole = |v: VarId| func.place(v);
    let write = |p: &Place| match p.ty.keeps_shape() || callees.keeps_shape_of(stmt, p) {
        true => (Access::Fill, p.clone()),
        false => (Access::Write, p.clone()),
    };
    let lent = |arg: &Arg| match arg {
        Arg::Value(_) => None,
        Arg::Shared(p) => Some((Access::Read, p.clone())),
        Arg::Mut(p) => Some(write(p)),
    };
    stmt.walk_exprs(&mut |e: &Expr| {
        let access = match e {
            Expr::Len(p) if p.is_whole() => Access::Shape,
            _ => Access::Read,
        };
        all.extend(e.own_places().iter().map(|p| (access, p.clone())));
    });
    all.extend(
        stmt.all_declared()
            .into_iter()
            .map(|v| (Access::Write, whole(v))),
    );
    match &stmt.kind {
        StmtKind::Incr(p, _) => all.push((Access::Add, p.clone())),
        StmtKind::Record(_, p) => all.push((Access::Read, p.clone())),
        StmtKind::Passive(_, read) => all.extend(read.iter().map(|p| (Access::Read, p.clone()))),
        StmtKind::Let(_, None) => {
            all.extend(func.shape_taken(stmt).map(|v| (Access::Shape, whole(v))));
        }
        StmtKind::Call(call) | StmtKind::Forward(call) => {
            all.extend(call.args.iter().filter_map(lent));
        }
        StmtKind::Reverse { call, adjoints, .. } => {
            all.extend(call.args.iter().filter_map(lent));
            for (arg, adjoint) in call.args.iter().zip(adjoints) {
                let access = match arg {
                    Arg::Mut(_) => Access::Write,
                    _ => Access::Add,
                };
                if let AdjArg::Place(p) | AdjArg::Scratch(Some(p)) = adjoint {
                    all.push((access, p.clone()));
                }
            }
        }
        StmtKind::Loop(head, _) => {
            let seeds = head.parts().iter().filter_map(|part| part.seed);
            all.extend(seeds.map(|v| (Access::Read, whole(v))));
            if let LoopHead::Times(n) | LoopHead::ReversedFrom(_, _, n) = head {
                all.push((Access::Read, whole(*n)));
            }
        }
        _ => all.extend(stmt.written().into_iter().map(write)),
    }
}
