//! Plans of random programs, and mutants of them: what the checker passes has the right gradient.

use std::collections::BTreeMap;

use adjoint_analysis::gen_program::{Bounds, Program, generate, oracle};
use adjoint_analysis::ir::{Block, Caller, Expr, LoopHead, RecordId, StmtKind};
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::check;
use adjoint_analysis::testing::{all_configs, plan_function};

/// Calls `f` on the block that holds the n-th statement, and its position there.
fn at(block: &mut Block, n: &mut usize, f: &mut dyn FnMut(&mut Block, usize)) -> bool {
    for i in 0..block.stmts.len() {
        if *n == 0 {
            f(block, i);
            return true;
        }
        *n -= 1;
        for inner in block.stmts[i].blocks_mut() {
            if at(inner, n, f) {
                return true;
            }
        }
    }
    false
}

fn statements(block: &Block) -> usize {
    let mut n = 0;
    block.walk(&mut |_| n += 1);
    n
}

/// Changes the n-th statement of a sweep.
fn changed(
    sweep: fn(&mut Plan) -> &mut Block,
    plan: &Plan,
    mut n: usize,
    f: &mut dyn FnMut(&mut Block, usize),
) -> Plan {
    let mut plan = plan.clone();
    at(sweep(&mut plan), &mut n, f);
    plan
}

fn without(block: &mut Block, record: RecordId) {
    block.stmts.retain(
        |s| !matches!(s.kind, StmtKind::Record(r, _) | StmtKind::Restore(r, _) if r == record),
    );
    for stmt in &mut block.stmts {
        stmt.blocks_mut()
            .into_iter()
            .for_each(|b| without(b, record));
    }
}

fn moved(block: &mut Block, i: usize, by: usize) {
    if i + by < block.stmts.len() {
        let stmt = block.stmts.remove(i);
        block.stmts.insert(i + by, stmt);
    }
}

/// Changes a statement of the reverse sweep: zeros, exchanges and insertions go, values too, arms and directions
/// are turned around.
fn spoil(block: &mut Block, i: usize) {
    match &mut block.stmts[i].kind {
        StmtKind::Zero(_) | StmtKind::Swap(..) | StmtKind::Insert(..) => {
            drop(block.stmts.remove(i));
        }
        StmtKind::Remove(None, ..) => drop(block.stmts.remove(i)),
        StmtKind::Let(_, init) => *init = None,
        StmtKind::If(_, then, els) => std::mem::swap(then, els),
        StmtKind::Loop(head, _) => {
            if let LoopHead::Reversed(v, range) = head {
                *head = LoopHead::Counted(*v, range.clone());
            }
        }
        _ => {}
    }
}

/// Flags are turned, other records are made later.
fn record_otherwise(block: &mut Block, i: usize) {
    match &mut block.stmts[i].kind {
        StmtKind::RecordControl(_, Expr::Lit(text, _)) => {
            *text = if text == "true" { "false" } else { "true" }.to_string();
        }
        StmtKind::Record(..) => moved(block, i, 1),
        _ => {}
    }
}

fn mutants(plan: &Plan) -> Vec<Plan> {
    let mut all = Vec::new();
    for r in 0..plan.records.len() {
        let mut mutant = plan.clone();
        without(&mut mutant.forward, RecordId(r as u32));
        without(&mut mutant.reverse, RecordId(r as u32));
        all.push(mutant);
    }
    for n in 0..statements(&plan.reverse) {
        all.push(changed(|p| &mut p.reverse, plan, n, &mut spoil));
        for by in 1..3 {
            all.push(changed(|p| &mut p.reverse, plan, n, &mut |b, i| {
                moved(b, i, by)
            }));
        }
    }
    for n in 0..statements(&plan.forward) {
        all.push(changed(|p| &mut p.forward, plan, n, &mut record_otherwise));
    }
    all.retain(|mutant| mutant != plan);
    all
}

fn is_right(program: &Program, plans: &BTreeMap<String, Plan>, seed: u64) -> bool {
    oracle::check_as(Caller::RESTORING, program, plans, seed).is_ok()
}

#[test]
fn what_passes_has_the_right_gradient() {
    let configs = all_configs();
    let (mut refused, mut passed) = (0, 0);
    for seed in 0..16 {
        let config = configs[seed as usize % configs.len()];
        let mut program = generate(seed, &Bounds::small());
        let plan = |(name, f): (&String, &_)| (name.clone(), plan_function(f, config));
        let mut plans: BTreeMap<String, Plan> = program.module.funcs.iter().map(plan).collect();
        let seen = |plan: &Plan| plan.for_caller(Caller::RESTORING);
        for plan in plans.values() {
            assert_eq!(check(&seen(plan)), [], "{plan}");
        }
        // Functions in it, itself too, may call it otherwise than it is judged.
        let entry = program.module.funcs[&program.entry].clone();
        let judged = seen(&plans[&program.entry]);
        program.entry = "judged".to_string();
        program.module.funcs.insert(program.entry.clone(), entry);
        plans.insert(program.entry.clone(), judged.clone());
        assert!(is_right(&program, &plans, seed));
        for mutant in mutants(&judged) {
            if !check(&mutant).is_empty() {
                refused += 1;
                continue;
            }
            passed += 1;
            plans.insert(program.entry.clone(), mutant.clone());
            assert!(is_right(&program, &plans, seed), "seed {seed}\n{mutant}");
        }
    }
    assert!(
        refused > 500 && passed > 100,
        "{refused} mutants refused, {passed} passed"
    );
}
