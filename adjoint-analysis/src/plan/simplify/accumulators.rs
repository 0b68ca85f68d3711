//! Elements of adjoints that a reversed loop only adds to, always at the same place.
//!
//! The loop adds to a local, which is added to the element behind it. No compiler does that: the index may panic after
//! any iteration, and what was added before must then be in memory. A loop that doesn't run may be at an index that is
//! out of bounds, so nothing is added where the sum is zero.

use crate::ir::{
    BinOp, Block, Demand, Expr, Func, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, VarId,
};
use crate::passes::sets::set::VarSet;

/// Gives the loops of the block, those inside first, their accumulators.
pub fn introduce(block: &mut Block, func: &mut Func) {
    for stmt in std::mem::take(&mut block.stmts) {
        let mut stmt = stmt;
        for inner in stmt.blocks_mut() {
            introduce(inner, func);
        }
        let id = stmt.id;
        let mut behind = Vec::new();
        if let StmtKind::Loop(head, body) = &mut stmt.kind {
            for (place, guards) in candidates(head, body, func) {
                let (zero, sum) = accumulator(&place, func);
                redirect(body, &place, &sum);
                block.stmts.push(Stmt { id, kind: zero });
                behind.push(add_behind(id, place, sum, guards));
            }
        }
        block.stmts.push(stmt);
        block.stmts.extend(behind);
    }
}

/// An increment in a loop's body: the place, and the guards around it, from the outermost.
type Increment = (Place, Vec<Demand>);

/// The places that the loop's body adds to, and the callers for which it does. It does nothing with their variables but
/// add to them, there or elsewhere, in any order.
fn candidates(head: &LoopHead, body: &Block, func: &Func) -> Vec<Increment> {
    let changing = changing(head, body);
    let mut all = Vec::new();
    increments(body, &mut Vec::new(), &mut all);
    let mut found: Vec<Increment> = Vec::new();
    for increment in &all {
        let (place, _) = increment;
        let of_root: Vec<_> = all.iter().filter(|(p, _)| p.root == place.root).collect();
        let mut same = of_root.iter().filter(|(p, _)| p == place);
        if is_adjoint_element(place, func)
            && is_invariant(place, &changing)
            && same.all(|other| *other == increment)
            && mentions(&body.stmts, place.root) == of_root.len()
            && !found.contains(increment)
        {
            found.push(increment.clone());
        }
    }
    found
}

/// The increments in the block, and in branches and guarded code in it.
fn increments(block: &Block, guards: &mut Vec<Demand>, all: &mut Vec<Increment>) {
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Incr(place, _) => all.push((place.clone(), guards.clone())),
            StmtKind::If(_, then, els) => {
                increments(then, guards, all);
                increments(els, guards, all);
            }
            StmtKind::When(demand, inner) => {
                guards.push(*demand);
                increments(inner, guards, all);
                guards.pop();
            }
            _ => {}
        }
    }
}

/// What the body writes or declares, and the loop's index.
fn changing(head: &LoopHead, body: &Block) -> VarSet {
    let mut vars = VarSet::default();
    let mut add_index = |head: &LoopHead| {
        vars.extend(head.index());
    };
    add_index(head);
    body.walk(&mut |s| {
        if let StmtKind::Loop(head, _) = &s.kind {
            add_index(head);
        }
    });
    body.walk(&mut |s| {
        vars.extend(s.declared());
        vars.extend(s.written().iter().map(|p| p.root));
        match &s.kind {
            StmtKind::Restore(_, p) => vars.extend([p.root]),
            StmtKind::RestoreControl(_, v) => vars.extend([*v]),
            StmtKind::Reverse { call, .. } => vars.extend(call.written().map(|p| p.root)),
            _ => {}
        }
    });
    vars
}

fn is_adjoint_element(place: &Place, func: &Func) -> bool {
    let is_adjoint = matches!(func.var(place.root).origin, Origin::Adjoint(_));
    is_adjoint && !place.is_whole() && place.ty.is_machine_float()
}

fn is_invariant(place: &Place, changing: &VarSet) -> bool {
    let mut invariant = true;
    for e in place.operands() {
        e.walk(&mut |e| {
            let mut places = e.own_places().iter();
            invariant &= !places.any(|p| changing.contains(p.root));
        });
    }
    invariant
}

/// How often the statements, and those inside, name the variable.
fn mentions(stmts: &[Stmt], v: VarId) -> usize {
    let mut count = 0;
    Stmt::walk_all(stmts, &mut |s| {
        s.each_named_var(&mut |named| count += usize::from(named == v));
        count += usize::from(s.declared() == Some(v));
    });
    count
}

/// The declaration of a sum, and its place.
fn accumulator(place: &Place, func: &mut Func) -> (StmtKind, Place) {
    let name = format!("{}_sum", func.var(place.root).name);
    let sum = func.add_var(&name, place.ty.clone(), Mode::Owned, Origin::Temp);
    let zero = Expr::Lit("0.0".into(), place.ty.clone());
    (
        StmtKind::Let(sum, Some(zero)),
        Place::var(sum, place.ty.clone()),
    )
}

fn redirect(block: &mut Block, place: &Place, sum: &Place) {
    for stmt in &mut block.stmts {
        if let StmtKind::Incr(target, _) = &mut stmt.kind
            && target == place
        {
            *target = sum.clone();
        }
        for inner in stmt.blocks_mut() {
            redirect(inner, place, sum);
        }
    }
}

/// `if sum != 0.0 { place += sum; }`, with these guards around it.
fn add_behind(id: StmtId, place: Place, sum: Place, guards: Vec<Demand>) -> Stmt {
    let zero = Expr::Lit("0.0".into(), place.ty.clone());
    let sum = Expr::Read(sum);
    let test = Expr::Binary(BinOp::Ne, Box::new(sum.clone()), Box::new(zero));
    let kind = StmtKind::Incr(place, sum);
    let add = Block::new(vec![Stmt { id, kind }]);
    let kind = StmtKind::If(test, add, Block::default());
    let branch = Stmt { id, kind };
    guards.into_iter().rfold(branch, |inner, demand| {
        let kind = StmtKind::When(demand, Block::new(vec![inner]));
        Stmt { id, kind }
    })
}
