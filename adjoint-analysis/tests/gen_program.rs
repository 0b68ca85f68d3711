//! The generator draws valid programs, and the oracle tells right plans from wrong ones.

mod store_all;

use std::collections::{BTreeMap, BTreeSet};

use adjoint_analysis::gen_program::random::Random;
use adjoint_analysis::gen_program::shrink::shrink_failure;
use adjoint_analysis::gen_program::{
    Bounds, Draw, Fault, Program, campaign, draw, generate, oracle, wellformed,
};
use adjoint_analysis::interp::Module;
use adjoint_analysis::ir::{Block, Expr, LoopHead, Proj, Rev, Stmt, StmtKind};
use adjoint_analysis::plan::Plan;

/// Statements of all functions.
fn statements(module: &Module) -> usize {
    let mut count = 0;
    module
        .funcs
        .values()
        .for_each(|f| f.body.walk(&mut |_| count += 1));
    count
}

#[test]
fn every_draw_is_valid() {
    let mut rng = Random::new(7);
    let mut accepted = 0;
    for _ in 0..400 {
        match draw(&mut rng, &Bounds::default()) {
            Draw::Accepted(program) => {
                accepted += 1;
                for func in program.module.funcs.values() {
                    assert_eq!(wellformed::check(func), Ok(()), "{func:?}");
                }
            }
            Draw::Excessive => {}
            Draw::Trapped(program, trap) => panic!("{trap}: {program:?}"),
        }
    }
    assert!(
        accepted > 200,
        "{accepted} of 400 draws are within the bounds"
    );
}

#[test]
fn a_seed_draws_the_same_program_again() {
    assert_eq!(
        generate(3, &Bounds::default()),
        generate(3, &Bounds::default())
    );
    assert_ne!(
        generate(3, &Bounds::default()),
        generate(4, &Bounds::default())
    );
}

#[test]
fn the_programs_contain_every_construct() {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    for seed in 0..300 {
        let program = generate(seed, &Bounds::default());
        for func in program.module.funcs.values() {
            func.body.walk(&mut |s| note(s, &func.name, &mut seen));
        }
    }
    let expected = [
        "break",
        "call",
        "for",
        "for ..=",
        "for step",
        "for rev",
        "for step rev",
        "head tail",
        "if",
        "incr",
        "let without value",
        "loop",
        "recursion",
        "same slice twice",
        "subslice",
        "swap",
        "while",
        "aggregate",
        "repeat",
        "copy of an aggregate",
        "code from a real",
    ];
    let missing: Vec<_> = expected.iter().filter(|e| !seen.contains(**e)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

fn note(s: &Stmt, func: &str, seen: &mut BTreeSet<String>) {
    let mut note = |what: &str| seen.insert(what.to_string());
    match &s.kind {
        StmtKind::Let(_, None) => note("let without value"),
        StmtKind::Incr(..) => note("incr"),
        StmtKind::Swap(..) => note("swap"),
        StmtKind::If(..) => note("if"),
        StmtKind::Break => note("break"),
        StmtKind::Loop(LoopHead::While(_), _) => note("while"),
        StmtKind::Loop(LoopHead::Forever, _) => note("loop"),
        StmtKind::Loop(LoopHead::Counted(_, r), _) => match (&r.step, r.rev, r.inclusive) {
            (None, Rev::No, false) => note("for"),
            (None, Rev::No, true) => note("for ..="),
            (Some(_), Rev::No, _) => note("for step"),
            (None, _, _) => note("for rev"),
            (Some(_), _, _) => note("for step rev"),
        },
        StmtKind::Call(c) => {
            let places: Vec<_> = c.args.iter().filter_map(|a| a.place()).collect();
            let last =
                |step: fn(&Proj) -> bool| places.iter().any(|p| p.proj.last().is_some_and(step));
            if last(|p| matches!(p, Proj::Head(_))) && last(|p| matches!(p, Proj::Tail(_))) {
                note("head tail");
            }
            if last(|p| matches!(p, Proj::Range(..))) {
                note("subslice");
            }
            let twice = |(i, p)| places[..i].contains(p);
            if places.iter().enumerate().any(twice) {
                note("same slice twice");
            }
            note(if c.callee.name == func {
                "recursion"
            } else {
                "call"
            })
        }
        _ => false,
    };
    for e in s.operands() {
        e.walk(&mut |e| {
            let what = match e {
                Expr::Aggregate(..) => "aggregate",
                Expr::Repeat(..) => "repeat",
                Expr::Read(p) if !p.ty.is_scalar() => "copy of an aggregate",
                Expr::Cast(x, ty) if !ty.is_float() && matches!(**x, Expr::Binary(..)) => {
                    "code from a real"
                }
                _ => return,
            };
            seen.insert(what.to_string());
        });
    }
}

#[test]
fn the_plans_that_store_all_are_right() {
    let mut failures = Vec::new();
    let planner = |module: &Module| store_all::plan_all(module);
    let counts = campaign(0..400, &Bounds::default(), &planner, &mut |f| {
        failures.push(f)
    });
    if let Some(first) = failures.first() {
        let small = shrink_failure(first, &planner);
        panic!(
            "{counts:?}; seed {}: {}\n{:#?}",
            small.seed, small.fault, small.program
        );
    }
    assert_eq!((counts.programs, counts.trapped), (400, 0));
}

/// Applies `spoil` to each statement of the reverse sweeps until one says that it changed.
fn spoil(
    plans: &mut BTreeMap<String, Plan>,
    spoil: &mut dyn FnMut(&mut Vec<Stmt>, usize) -> bool,
) -> bool {
    fn visit(block: &mut Block, spoil: &mut dyn FnMut(&mut Vec<Stmt>, usize) -> bool) -> bool {
        for i in 0..block.stmts.len() {
            if spoil(&mut block.stmts, i) {
                return true;
            }
            let found = match &mut block.stmts[i].kind {
                StmtKind::If(_, a, b) => visit(a, spoil) || visit(b, spoil),
                StmtKind::Loop(_, body) => visit(body, spoil),
                _ => false,
            };
            if found {
                return true;
            }
        }
        false
    }
    plans
        .values_mut()
        .any(|plan| visit(&mut plan.reverse, spoil))
}

/// How many of the programs in which something can be spoiled show it.
fn found_of(what: &mut dyn FnMut(&mut Vec<Stmt>, usize) -> bool) -> (usize, usize) {
    let (mut found, mut all) = (0, 0);
    for seed in 0..100 {
        let program: Program = generate(seed, &Bounds::small());
        let mut plans = store_all::plan_all(&program.module);
        if spoil(&mut plans, what) {
            all += 1;
            found += usize::from(oracle::check(&program, &plans, seed).is_err());
        }
    }
    (found, all)
}

#[test]
fn a_dropped_increment_is_found() {
    let (found, all) = found_of(&mut |stmts, i| {
        let incr = matches!(stmts[i].kind, StmtKind::Incr(..));
        if incr {
            stmts.remove(i);
        }
        incr
    });
    assert!(all > 60 && found * 10 > all * 6, "{found} of {all}");
}

#[test]
fn a_dropped_restore_is_found_always() {
    let (found, all) = found_of(&mut |stmts, i| {
        let restore = matches!(stmts[i].kind, StmtKind::Restore(..));
        if restore {
            stmts.remove(i);
        }
        restore
    });
    assert!(all > 60 && found * 10 > all * 9, "{found} of {all}");
}

#[test]
fn shrinking_keeps_the_fault_and_leaves_little() {
    let planner = |module: &Module| {
        let mut plans = store_all::plan_all(module);
        for plan in plans.values_mut() {
            drop_zeros(&mut plan.reverse);
        }
        plans
    };
    let mut failures = Vec::new();
    campaign(0..20, &Bounds::default(), &planner, &mut |f| {
        failures.push(f)
    });
    let derivative = |f: &Fault| matches!(f, Fault::Derivative { .. });
    let first = failures
        .iter()
        .find(|f| derivative(&f.fault))
        .expect("a wrong derivative");
    let small = shrink_failure(first, &planner);
    assert!(derivative(&small.fault));
    let (before, after) = (
        statements(&first.program.module),
        statements(&small.program.module),
    );
    assert!(
        after <= 8,
        "{before} statements became {after}: {:#?}",
        small.program
    );
}

/// Lets adjoints of overwritten values stay.
fn drop_zeros(block: &mut Block) {
    block
        .stmts
        .retain(|s| !matches!(&s.kind, StmtKind::Zero(p) if !p.is_whole()));
    for s in &mut block.stmts {
        match &mut s.kind {
            StmtKind::If(_, a, b) => [a, b].into_iter().for_each(drop_zeros),
            StmtKind::Loop(_, body) => drop_zeros(body),
            _ => {}
        }
    }
}
