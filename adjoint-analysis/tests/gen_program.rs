//! The generator draws valid programs, and the oracle tells right plans from wrong ones.

mod store_all;

use std::collections::{BTreeMap, BTreeSet};

use adjoint_analysis::gen_program::random::Random;
use adjoint_analysis::gen_program::shrink::shrink_failure;
use adjoint_analysis::gen_program::{
    Bounds, Draw, Failure, Fault, Program, campaign, draw, generate, oracle, wellformed,
};
use adjoint_analysis::interp::Module;
use adjoint_analysis::ir::{BinOp, Block, Expr, LoopHead, Proj, Rev, Stmt, StmtKind, Ty, UnOp};
use adjoint_analysis::plan::Plan;
use adjoint_analysis::text::parse;

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
    for _ in 0..150 {
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
        accepted > 100,
        "{accepted} of 150 draws are within the bounds"
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
    for seed in 0..200 {
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
        "push",
        "insert",
        "pop",
        "remove",
        "same slice twice",
        "subslice",
        "swap",
        "while",
        "aggregate",
        "repeat",
        "copy of an aggregate",
        "code from a real",
        "is",
        "contents of an option",
        "row that changes its length",
        "element of a table",
        "i8",
        "i32",
        "i64",
        "isize",
        "u8",
        "u16",
        "u32",
        "u64",
        "wrapping_add",
        "wrapping_sub",
        "wrapping_mul",
        "wrapping_neg",
        "rotate_left",
        "rotate_right",
        "swap_bytes",
        "reverse_bits",
        "cast between integers",
        "shift to the left",
        "least value of a type",
        "update of an element of an array",
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
        StmtKind::Insert(p, ..) | StmtKind::Remove(_, p, _) if !p.is_whole() => {
            note("row that changes its length")
        }
        StmtKind::Insert(_, None, _) => note("push"),
        StmtKind::Insert(..) => note("insert"),
        StmtKind::Remove(_, _, None) => note("pop"),
        StmtKind::Remove(..) => note("remove"),
        StmtKind::Assign(p, _)
            if matches!((&p.ty, &p.proj[..]), (Ty::Int(_), [Proj::Index(_)])) =>
        {
            note("update of an element of an array")
        }
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
                Expr::Is(..) => "is",
                Expr::Read(p) if matches!(p.proj[..], [Proj::Variant(..)]) => {
                    "contents of an option"
                }
                Expr::Read(p) if !p.is_whole() && p.ty == Ty::USIZE => "element of a table",
                Expr::Read(p) if !p.ty.is_scalar() => "copy of an aggregate",
                Expr::Discrete(name, ..) if is_bijection(name) => name,
                Expr::Lit(_, Ty::Int(ty)) => ty.name(),
                Expr::Unary(UnOp::Neg, e) if matches!(&**e, Expr::Lit(_, Ty::Int(_))) => {
                    "least value of a type"
                }
                Expr::Binary(BinOp::Shl, ..) => "shift to the left",
                Expr::Cast(x, Ty::Int(_)) if matches!(&**x, Expr::Read(p) if matches!(p.ty, Ty::Int(_))) => {
                    "cast between integers"
                }
                Expr::Cast(x, ty) if !ty.is_float() && matches!(**x, Expr::Binary(..)) => {
                    "code from a real"
                }
                _ => return,
            };
            seen.insert(what.to_string());
        });
    }
}

fn is_bijection(name: &str) -> bool {
    let prefixes = ["wrapping_", "rotate_", "swap_", "reverse_"];
    prefixes.iter().any(|prefix| name.starts_with(prefix))
}

fn judge_store_all(seeds: std::ops::Range<u64>, bounds: &Bounds) {
    let mut failures = Vec::new();
    let planner = |module: &Module| store_all::plan_all(module);
    let programs = seeds.clone().count();
    let counts = campaign(seeds, bounds, &planner, &mut |f| failures.push(f));
    if let Some(first) = failures.first() {
        let small = shrink_failure(first, &planner);
        let funcs = small.program.module.funcs.values();
        let text: Vec<String> = funcs.map(|func| func.to_string()).collect();
        let inputs = &small.program.inputs;
        panic!(
            "seed {}: {}\n{}\n{inputs:?}",
            small.seed,
            small.fault,
            text.join("\n")
        );
    }
    assert_eq!((counts.programs, counts.trapped), (programs, 0));
}

#[test]
fn the_plans_that_store_all_are_right() {
    judge_store_all(0..100, &Bounds::default());
}

#[test]
fn the_plans_that_store_all_are_right_on_small_programs() {
    judge_store_all(0..500, &Bounds::small());
}

/// Removes the statement of this position among those of the reverse sweeps that `kind` selects;
/// returns how many there are.
fn remove(
    plans: &mut BTreeMap<String, Plan>,
    kind: fn(&StmtKind) -> bool,
    position: Option<usize>,
) -> usize {
    fn visit(block: &mut Block, keep: &mut dyn FnMut(&StmtKind) -> bool) {
        block.stmts.retain(|s| keep(&s.kind));
        for s in &mut block.stmts {
            match &mut s.kind {
                StmtKind::If(_, a, b) => [a, b].into_iter().for_each(|b| visit(b, keep)),
                StmtKind::Loop(_, body) => visit(body, keep),
                _ => {}
            }
        }
    }
    let mut count = 0;
    let mut keep = |s: &StmtKind| {
        count += usize::from(kind(s));
        !kind(s) || Some(count - 1) != position
    };
    plans
        .values_mut()
        .for_each(|plan| visit(&mut plan.reverse, &mut keep));
    count
}

/// In what part, in percent, of the plans with one such statement less the oracle finds a fault.
fn found_without(kind: fn(&StmtKind) -> bool) -> usize {
    let (mut found, mut all) = (0, 0);
    for seed in 0..3_200 {
        let program: Program = generate(seed, &Bounds::small());
        let mut plans = store_all::plan_all(&program.module);
        let count = remove(&mut plans, kind, None);
        if count > 0 {
            remove(&mut plans, kind, Some(seed as usize * 7 % count));
            all += 1;
            found += usize::from(oracle::check(&program, &plans, seed).is_err());
        }
    }
    found * 100 / all
}

/// Not all: the statement may be in a way that is not taken, or its value may not matter.
#[test]
fn most_dropped_statements_are_found() {
    let found = [
        (
            "increments",
            found_without(|s| matches!(s, StmtKind::Incr(..))),
        ),
        (
            "zeros",
            found_without(|s| matches!(s, StmtKind::Zero(p) if !p.is_whole())),
        ),
        (
            "restores",
            found_without(|s| matches!(s, StmtKind::Restore(..))),
        ),
        ("swaps", found_without(|s| matches!(s, StmtKind::Swap(..)))),
        (
            "reversed calls",
            found_without(|s| matches!(s, StmtKind::Reverse { .. })),
        ),
        (
            "reversed loops",
            found_without(|s| matches!(s, StmtKind::Loop(..))),
        ),
    ];
    assert!(found.iter().all(|(_, percent)| *percent >= 30), "{found:?}");
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
        after <= 12,
        "{before} statements became {after}: {:#?}",
        small.program
    );
}

/// A smaller program on which the planner panics for another reason is not what was found.
#[test]
fn shrinking_does_not_lead_to_another_panic() {
    let program = generate(3, &Bounds::default());
    let before = statements(&program.module);
    let planner = |module: &Module| -> BTreeMap<String, Plan> {
        let (rest, why) = (statements(module), "kind: StaleRead");
        let why = if 2 * rest > before {
            why
        } else {
            "kind: WrongTrips"
        };
        panic!("[Fault {{ stmt: StmtId({rest}), message: \"`v{rest}` differs\", {why} }}]")
    };
    let fault = oracle::judge(&program, &planner, 3).expect_err("a panic");
    let failure = Failure {
        seed: 3,
        program,
        fault,
    };
    let small = shrink_failure(&failure, &planner);
    let after = statements(&small.program.module);
    assert!(before < 2 * after && after < before, "{before} to {after}");
    assert!(
        small.fault.to_string().contains("StaleRead"),
        "{}",
        small.fault
    );
}

/// Lowering gives a variable a value on each way or where it is declared, and so must what shrinking leaves.
#[test]
fn a_value_on_some_paths_alone_is_not_well_formed() {
    let of = |body: &str| {
        let head = "fn f(x) -> ret { var x: f64; var ret: f64; var u: f64; var i: usize index; }";
        let func = format!("{head} {{ #0 let u; {body} #9 ret = x; }}");
        wellformed::check(&parse::func(&func).expect("a function"))
    };
    let assigned = |arms: &str| of(&format!("#1 if x > 0.0f64 {{ {arms} }} #4 u = x;"));
    assert_eq!(assigned("#2 u = x; } else { #3 u = 1.0f64;"), Ok(()));
    let some = Err("`u` has a value on some paths alone".to_string());
    assert_eq!(assigned("#2 u = x;"), some);
    assert_eq!(of("#1 for i in 0usize..3usize { #2 u = x; }"), some);
    assert_eq!(
        of("#1 for i in 0usize..3usize { #2 ret = x; }"),
        Err("`ret` has a value on some paths alone".to_string())
    );
    assert_eq!(
        of("#3 u = 1.0f64; #1 for i in 0usize..3usize { #2 u = x; }"),
        Ok(())
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
