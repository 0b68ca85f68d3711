//! Demands become guards in the reverse sweep, and what nobody demands is removed.

use std::collections::BTreeMap;

use super::primal_variables;
use crate::ir::{Block, Demand, Origin, Stmt, StmtId, StmtKind, VarId};
use crate::plan::{Plan, steps_demand};

/// Guards branches, loops and swaps with their demands; `around` is known to hold.
pub(super) fn guard(
    block: &mut Block,
    plan: &Plan,
    undone: &BTreeMap<StmtId, Demand>,
    around: Demand,
) {
    for mut stmt in std::mem::take(&mut block.stmts) {
        let demand = demand_of(&stmt, plan, undone, around);
        if demand.is_some_and(Demand::is_never) || is_unused(&stmt, plan) {
            continue;
        }
        let known = |d: Demand| around != Demand::NEVER && around.implies(d);
        let inside = demand.filter(|d| !known(*d)).unwrap_or(around);
        if !matches!(stmt.kind, StmtKind::Replay(..)) {
            for inner in stmt.blocks_mut() {
                guard(inner, plan, undone, inside);
            }
        }
        match (stmt.kind, demand) {
            (StmtKind::When(d, inner), _) if known(d) => block.stmts.extend(inner.stmts),
            (StmtKind::When(d, inner), _) => add(block, stmt.id, d, inner),
            (kind, Some(d)) if !known(d) => {
                let own = Stmt { id: stmt.id, kind };
                add(block, stmt.id, d, Block::new(vec![own]));
            }
            (kind, _) => block.stmts.push(Stmt { id: stmt.id, kind }),
        }
    }
}

/// Whether the statement computes an unused intermediate value of the adjoint code.
fn is_unused(stmt: &Stmt, plan: &Plan) -> bool {
    let StmtKind::Let(v, Some(_)) = &stmt.kind else {
        return false;
    };
    let nobody = plan.var_demands.get(v).is_some_and(|d| d.is_never());
    let temporary = plan.func.var(*v).origin == Origin::Temp;
    nobody && temporary && !primal_variables(&plan.func).contains(*v)
}

/// Appends code with a demand; joins it to preceding code with the same one.
fn add(block: &mut Block, id: StmtId, demand: Demand, code: Block) {
    if let Some(Stmt {
        kind: StmtKind::When(d, before),
        ..
    }) = block.stmts.last_mut()
        && *d == demand
    {
        return before.stmts.extend(code.stmts);
    }
    let kind = StmtKind::When(demand, code);
    block.stmts.push(Stmt { id, kind });
}

/// The callers that need a statement that can be guarded.
fn demand_of(
    stmt: &Stmt,
    plan: &Plan,
    undone: &BTreeMap<StmtId, Demand>,
    around: Demand,
) -> Option<Demand> {
    let effect = |block| effect(block, plan, undone, around);
    let is_adjoint = |v: VarId| matches!(plan.func.var(v).origin, Origin::Adjoint(_));
    match &stmt.kind {
        StmtKind::When(d, _) => Some(*d),
        StmtKind::If(_, a, b) => Some(effect(a).union(effect(b))),
        StmtKind::Loop(_, body) if body.replays() => Some(plan.steps_demand(stmt.id)),
        StmtKind::Loop(_, body) => Some(effect(body)),
        StmtKind::Swap(a, _) | StmtKind::Insert(a, ..) | StmtKind::Remove(_, a, _)
            if !is_adjoint(a.root) =>
        {
            undone.get(&stmt.id).copied()
        }
        StmtKind::Assign(p, _) if !is_adjoint(p.root) => undone.get(&stmt.id).copied(),
        _ => None,
    }
}

/// The callers for which the block does anything. Adjoint code is for those of its guard.
fn effect(block: &Block, plan: &Plan, undone: &BTreeMap<StmtId, Demand>, around: Demand) -> Demand {
    let plain = match around {
        Demand::NEVER => Demand::ALWAYS,
        around => around,
    };
    block.stmts.iter().fold(Demand::NEVER, |all, stmt| {
        let own = match &stmt.kind {
            StmtKind::Restore(r, _) | StmtKind::RestoreControl(r, _) => plan.record(*r).demand,
            StmtKind::Let(..) | StmtKind::Replay(..) => Demand::NEVER,
            _ => demand_of(stmt, plan, undone, around).unwrap_or(plain),
        };
        all.union(own)
    })
}

/// Removes unused records.
pub(super) fn drop_unused(plan: &mut Plan) {
    let records = plan.records.clone();
    let unused = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Take(_) => steps_demand(&records, stmt.id).is_never(),
        StmtKind::Record(r, _)
        | StmtKind::Restore(r, _)
        | StmtKind::RecordControl(r, _)
        | StmtKind::RestoreControl(r, _) => records[r.index()].demand.is_never(),
        _ => false,
    };
    for block in [&mut plan.forward, &mut plan.reverse] {
        drop_where(block, &unused);
    }
}

fn drop_where(block: &mut Block, unused: &dyn Fn(&Stmt) -> bool) {
    block.stmts.retain(|s| !unused(s));
    for stmt in &mut block.stmts {
        for inner in stmt.blocks_mut() {
            drop_where(inner, unused);
        }
    }
}
