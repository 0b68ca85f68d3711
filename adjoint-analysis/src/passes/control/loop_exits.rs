//! Loops with a `break`: the variables that tell, after the loop, in which iteration it was left.
//!
//! `[CFR]` Algorithm 4 counts the iterations of a loop. The count of a counted loop is known, unless a `break` leaves
//! it: then the number of the iteration with the `break` suffices, from 1, or 0 if there was none. It is a variable
//! with [`Origin::Label`], 0 before the loop, that each `break` sets from the loop's index. So nothing is counted, and
//! the same number implies whether the loop was left, also in place of flags for that ([`super::literals`]).
//!
//! A flag that an iteration sets only before it leaves the loop has its initial value at the start of each iteration.
//! So it can be declared before the loop: then its last value is recorded once, and not in each iteration.

use std::collections::BTreeMap;

use super::literals::{LiteralValues, values};
use crate::ir::construct::derived;
use crate::ir::{
    BinOp, Block, Expr, Func, LoopHead, Mode, Origin, Place, Range, Rev, Stmt, StmtId, StmtKind,
    Ty, VarId,
};

/// The runtime function for the number of values of a range, given its bounds, whether it is inclusive, and the step.
pub const TRIPS: &str = "__trips";

/// The runtime function for the number of iterations that a counted loop ran, given the number of the iteration that
/// left it, and the number of all its iterations.
pub const RAN: &str = "__ran";

/// Adds the iteration numbers of loops with a `break`, and moves declarations out of loops; `origins` maps each
/// statement id to the user's statement.
pub fn introduce(mut func: Func, origins: &mut Vec<StmtId>) -> Func {
    let mut body = std::mem::take(&mut func.body);
    let numbers = numbers_in(&body, &func);
    number_exits(&mut func, &mut body, &numbers, origins);
    func.body = body;
    while hoist(&mut func) {}
    func
}

/// The number of the current iteration, in terms of the index, for each counted loop that a `break` leaves.
pub fn numbers(func: &Func) -> BTreeMap<StmtId, Expr> {
    numbers_in(&func.body, func)
}

/// A checkpointed loop counts its steps in any case.
fn numbers_in(body: &Block, func: &Func) -> BTreeMap<StmtId, Expr> {
    let mut found = BTreeMap::new();
    body.walk(&mut |stmt| {
        if let StmtKind::Loop(LoopHead::Counted(index, range), body) = &stmt.kind
            && leaves(body)
            && !func.checkpoints.contains_key(&stmt.id)
            && range.operands().iter().all(|e| is_loop_invariant(e, body))
        {
            found.insert(stmt.id, number(range, *index));
        }
    });
    found
}

/// Whether the body doesn't write the variables of the bound.
fn is_loop_invariant(bound: &Expr, body: &Block) -> bool {
    let mut kept = true;
    body.walk(&mut |s| {
        let written = s.written();
        bound.walk(&mut |e| {
            let mut read = e.own_places().iter().map(|p| p.root);
            kept &= !read.any(|v| written.iter().any(|p| p.root == v));
        });
    });
    kept
}

/// The number of iterations that a loop over the range has.
pub fn trips(range: &Range) -> Expr {
    match counts_from_0(range) {
        true => range.hi.clone(),
        false => between(range, range.lo.clone(), range.hi.clone(), range.inclusive),
    }
}

/// The number, from 1, of the iteration with this index.
pub fn number(range: &Range, index: VarId) -> Expr {
    let index = Expr::Read(Place::var(index, range.ty.clone()));
    match range.rev {
        _ if counts_from_0(range) => {
            Expr::Binary(BinOp::Add, Box::new(index), Box::new(lit("1", Ty::USIZE)))
        }
        Rev::No => between(range, range.lo.clone(), index, true),
        // The indices so far are those from this one on.
        _ => between(range, index, range.hi.clone(), range.inclusive),
    }
}

fn counts_from_0(range: &Range) -> bool {
    let from_0 = matches!(&range.lo, Expr::Lit(text, _) if text == "0");
    let plain = range.step.is_none() && range.rev == Rev::No && !range.inclusive;
    from_0 && plain && range.ty == Ty::USIZE
}

fn between(range: &Range, lo: Expr, hi: Expr, inclusive: bool) -> Expr {
    let inclusive = lit(&inclusive.to_string(), Ty::Bool);
    let step = range.step.clone().unwrap_or_else(|| lit("1", Ty::USIZE));
    Expr::Discrete(TRIPS.into(), vec![lo, hi, inclusive, step], Ty::USIZE)
}

/// The number of iterations that the loop over the range ran, given the variable with the number of the one that left
/// it.
pub fn iterations_run(range: &Range, left: VarId) -> Expr {
    let left = Expr::Read(Place::var(left, Ty::USIZE));
    Expr::Discrete(RAN.into(), vec![left, trips(range)], Ty::USIZE)
}

/// The variables to which the block gives the number where it breaks.
pub fn vars_set_to(body: &Block, number: &Expr) -> Vec<VarId> {
    let mut found: Option<Vec<VarId>> = None;
    each_exit(body, &mut |end| {
        let here = end.stmts.iter().filter_map(|s| match &s.kind {
            StmtKind::Assign(p, e) if p.is_whole() && e == number => Some(p.root),
            _ => None,
        });
        let here: Vec<VarId> = here.collect();
        match &mut found {
            Some(all) => all.retain(|v| here.contains(v)),
            None => found = Some(here),
        }
    });
    found.unwrap_or_default()
}

fn number_exits(
    func: &mut Func,
    block: &mut Block,
    numbers: &BTreeMap<StmtId, Expr>,
    origins: &mut Vec<StmtId>,
) {
    let mut fresh = |of: StmtId, kind: StmtKind| derived(origins, of, kind);
    let mut declared = Vec::new();
    for (at, stmt) in block.stmts.iter_mut().enumerate() {
        if let Some(number) = numbers.get(&stmt.id) {
            let left = func.add_var("left", Ty::USIZE, Mode::Owned, Origin::Label);
            let zero = Some(lit("0", Ty::USIZE));
            declared.push((at, fresh(stmt.id, StmtKind::Let(left, zero))));
            let of = stmt.id;
            for body in stmt.blocks_mut() {
                each_exit_mut(body, &mut |end| {
                    let place = Place::var(left, Ty::USIZE);
                    let set = fresh(of, StmtKind::Assign(place, number.clone()));
                    end.stmts.insert(end.stmts.len() - 1, set);
                });
            }
        }
    }
    for (at, stmt) in declared.into_iter().rev() {
        block.stmts.insert(at, stmt);
    }
    for inner in block.stmts.iter_mut().flat_map(Stmt::blocks_mut) {
        number_exits(func, inner, numbers, origins);
    }
}

/// Moves declarations out of loops by one level; returns whether there were any.
fn hoist(func: &mut Func) -> bool {
    let known = values(func);
    let mut assigned = crate::passes::sets::set::VarSet::default();
    func.body.walk(&mut |s| {
        if let StmtKind::Assign(p, _) = &s.kind {
            assigned.insert(p.root);
        }
    });
    let moves = |stmt: &Stmt, known: &LiteralValues| match &stmt.kind {
        StmtKind::Let(v, Some(Expr::Lit(..))) => {
            known.constant_at_end.contains(*v) && assigned.contains(*v)
        }
        _ => false,
    };
    lift_in(&mut func.body, &|stmt| moves(stmt, &known))
}

fn lift_in(block: &mut Block, moves: &dyn Fn(&Stmt) -> bool) -> bool {
    let mut any = false;
    for mut stmt in std::mem::take(&mut block.stmts) {
        // This loop's own declarations first: those from an inner loop are not known to be movable further.
        if let StmtKind::Loop(_, body) = &mut stmt.kind
            && leaves(body)
        {
            let stmts = std::mem::take(&mut body.stmts);
            let (out, stay): (Vec<Stmt>, Vec<Stmt>) = stmts.into_iter().partition(|s| moves(s));
            any |= !out.is_empty();
            body.stmts = stay;
            block.stmts.extend(out);
        }
        for inner in stmt.blocks_mut() {
            any |= lift_in(inner, moves);
        }
        block.stmts.push(stmt);
    }
    any
}

fn lit(text: &str, ty: Ty) -> Expr {
    Expr::Lit(text.into(), ty)
}

/// Whether a `break` in tail position leaves the enclosing loop.
pub fn leaves(block: &Block) -> bool {
    let mut found = false;
    each_exit(block, &mut |_| found = true);
    found
}

/// Calls `f` on each block that ends with a `break` out of the loop with this body.
pub fn each_exit(block: &Block, f: &mut dyn FnMut(&Block)) {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => f(block),
        Some(StmtKind::If(_, a, b)) => {
            each_exit(a, f);
            each_exit(b, f);
        }
        _ => {}
    }
}

/// The same, mutably.
pub fn each_exit_mut(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    match block.stmts.last_mut().map(|s| &mut s.kind) {
        Some(StmtKind::Break) => f(block),
        Some(StmtKind::If(_, a, b)) => {
            each_exit_mut(a, f);
            each_exit_mut(b, f);
        }
        _ => {}
    }
}
