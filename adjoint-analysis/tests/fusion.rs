//! Fused sweeps: what is left in locals, which loops are fused, and what the checker takes.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::{
    Block, Expr, IntTy, LoopHead, Mode, Origin, Place, Range, Rev, Stmt, StmtKind, Ty,
};
use adjoint_analysis::plan::Plan;
use adjoint_analysis::plan::check::{FaultKind, check_fused};
use adjoint_analysis::plan::fusion::strips::{Strips, strips};
use adjoint_analysis::plan::fusion::{LONGEST_STRIP, fused_loops};

use proved::proved_plan;

/// The fused plan of a function, which the checker takes.
fn fused(function: &str) -> Option<Plan> {
    proved_plan("", function).fused.map(|plan| (*plan).clone())
}

/// How many values are recorded, and how many loops are fused.
fn records_and_loops(function: &str) -> (usize, usize) {
    let plan = fused(function).unwrap_or_else(|| panic!("not fused: {function}"));
    let mut records = 0;
    plan.each_forward_stmt(&mut |s| {
        let is_record = matches!(s.kind, StmtKind::Record(..) | StmtKind::RecordControl(..));
        records += usize::from(is_record);
    });
    (records, fused_loops(&plan).count())
}

const RESIDUALS: &str = "fn residuals(a: &[f64], x: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..b.len() {
        let mut r = -b[i];
        for j in 0..x.len() {
            r += a[i * x.len() + j] * x[j];
        }
        if r.abs() > 1.0 {
            r = r.sin();
        }
        sum += r * r;
    }
    0.5 * sum
}";

#[test]
fn straight_code_has_no_tape() {
    let function = "fn f(x: f64, y: f64) -> f64 {
        let mut a = (x * y).sin().exp();
        if a > x {
            a = (a * a).ln();
        }
        a * a
    }";
    assert_eq!(records_and_loops(function), (0, 0));
}

#[test]
fn a_loop_that_only_sums_is_fused() {
    // The residual in front of the branch and behind it, and the flag in both arms.
    assert_eq!(records_and_loops(RESIDUALS), (4, 1));
}

#[test]
fn several_loops_are_fused() {
    let function = "fn f(x: &[f64], y: &[f64]) -> f64 {
        let mut a = 0.0;
        for i in 0..x.len() {
            a += (x[i] * x[i]).exp();
        }
        let weight = 0.5 * y[0];
        let mut b = 0.0;
        for i in 0..y.len() {
            let t = (y[i] * weight).exp();
            b += t * t;
        }
        a + 3.0 * b
    }";
    assert_eq!(records_and_loops(function), (2, 2));
}

#[test]
fn elements_at_the_index_are_written_by_a_fused_loop() {
    let function = "fn f(x: &[f64], y: &mut [f64]) {
        for i in 0..x.len() {
            let t = x[i].sin().exp();
            y[i] = t * t;
        }
    }";
    assert_eq!(records_and_loops(function).1, 1);
}

#[test]
fn numbers_that_only_the_forward_sweep_carries_are_no_obstacle() {
    let function = "fn f(x: &[f64]) -> f64 {
        let (mut sum, mut k) = (0.0, 1);
        for i in 0..x.len() {
            k = (k * 5 + 3) % 7;
            let t = (x[i] + k as f64).exp();
            sum += t * t;
        }
        sum
    }";
    assert_eq!(records_and_loops(function).1, 1);
}

/// Functions without fused loops, and what stands in the way.
const NOT_FUSED: [&str; 5] = [
    // The seed of the sum depends on the sum.
    "fn f(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() { sum += x[i].exp().sin(); }
        sum.ln()
    }",
    // An iteration needs what the one before made.
    "fn f(x: &[f64]) -> f64 {
        let mut s = 1.0;
        for i in 0..x.len() { s = (s * x[i]).sin(); }
        s
    }",
    // The elements of an iteration may be those of another.
    "fn f(x: &[f64], k: &[usize], y: &mut [f64]) {
        for i in 0..x.len() { let t = x[i].sin().exp(); y[k[i]] = t * t; }
    }",
    // A loop behind it needs the sum.
    "fn f(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() { sum += x[i].exp().sin(); }
        let mut t = 0.0;
        for i in 0..x.len() { t += (x[i] * sum).sin(); }
        t * t
    }",
    // It is not known which iteration is the last.
    "fn f(x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in 0..x.len() { if x[i] > 2.0 { break; } sum += x[i].exp().sin(); }
        sum
    }",
];

#[test]
fn loops_that_depend_on_more_than_sums_are_not_fused() {
    for function in NOT_FUSED {
        let loops = fused(function).map_or(0, |plan| fused_loops(&plan).count());
        assert_eq!(loops, 0, "{function}");
    }
}

#[test]
fn functions_whose_callers_look_at_more_between_the_sweeps_are_not_fused() {
    for function in [
        // The adjoint is left as it is where this is `None`.
        "fn f(x: f64) -> Option<f64> { if x > 0.0 { Some(x.ln().sin()) } else { None } }",
        // The seed is checked against the length of the result.
        "fn f(x: &[f64]) -> Vec<f64> { x.iter().map(|v| v.sin().exp()).collect() }",
        // The values behind the forward sweep come back for the caller.
        "fn f(x: &mut [f64]) -> f64 { x[0] = x[0].sin(); x[0] = x[0] * x[0]; x[0] }",
    ] {
        assert_eq!(fused(function).map(|plan| plan.to_string()), None);
    }
}

// What the checker finds.

/// The faults after a change of the fused loop's body.
fn faults_of(function: &str, change: &dyn Fn(&mut Plan, &mut Block)) -> Vec<FaultKind> {
    let mut plan = fused(function).expect("a fused plan");
    let is_fused = |s: &Stmt| matches!(&s.kind, StmtKind::Loop(_, body) if body.replays());
    let at = plan
        .reverse
        .stmts
        .iter()
        .position(is_fused)
        .expect("a fused loop");
    let mut stmt = plan.reverse.stmts[at].clone();
    if let StmtKind::Loop(_, body) = &mut stmt.kind {
        change(&mut plan, body);
    }
    plan.reverse.stmts[at] = stmt;
    check_fused(&plan).into_iter().map(|f| f.kind).collect()
}

/// The body of the loop that runs a strip.
fn run(body: &mut Block) -> &mut Vec<Stmt> {
    match &mut body.stmts[0].kind {
        StmtKind::Replay(_, strip) => body_of(&mut strip.stmts[1]),
        other => panic!("{other:?}"),
    }
}

/// The body of the loop that reverses it.
fn reversed(body: &mut Block) -> &mut Vec<Stmt> {
    body_of(&mut body.stmts[1])
}

fn body_of(stmt: &mut Stmt) -> &mut Vec<Stmt> {
    match &mut stmt.kind {
        StmtKind::Loop(_, body) => &mut body.stmts,
        other => panic!("{other:?}"),
    }
}

/// The place of the variable with this name.
fn place(plan: &Plan, name: &str) -> Place {
    let named = |v: &_| plan.func.var(*v).name == name;
    plan.func
        .place(plan.func.var_ids().find(named).expect(name))
}

#[test]
fn the_checker_takes_what_is_not_changed() {
    assert_eq!(faults_of(RESIDUALS, &|_, _| {}), []);
}

#[test]
fn a_statement_of_the_iteration_is_missing() {
    let faults = faults_of(RESIDUALS, &|_, body| {
        let run = run(body);
        let at = run
            .iter()
            .position(|s| matches!(s.kind, StmtKind::Incr(..)));
        run.remove(at.expect("a sum"));
    });
    assert!(faults.contains(&FaultKind::MissingPrimal), "{faults:?}");
}

#[test]
fn a_statement_of_the_iteration_is_another() {
    let faults = faults_of(RESIDUALS, &|plan, body| {
        let (sum, residual) = (place(plan, "sum"), place(plan, "r"));
        for stmt in run(body) {
            if let StmtKind::Incr(p, e) = &mut stmt.kind
                && *p == sum
            {
                *e = Expr::Read(residual.clone());
            }
        }
    });
    assert!(faults.contains(&FaultKind::NotPrimal), "{faults:?}");
}

#[test]
fn the_value_before_the_branch_does_not_come_back() {
    let faults = faults_of(RESIDUALS, &|plan, body| {
        let residual = place(plan, "r");
        for stmt in reversed(body) {
            if let StmtKind::If(_, then, _) = &mut stmt.kind {
                let is_undone =
                    |s: &Stmt| matches!(&s.kind, StmtKind::Restore(_, p) if *p == residual);
                let before = then.stmts.len();
                then.stmts.retain(|s| !is_undone(s));
                assert!(then.stmts.len() < before, "{then:?}");
            }
        }
    });
    assert!(faults.contains(&FaultKind::StaleRead), "{faults:?}");
}

#[test]
fn an_adjoint_is_left_for_the_next_iteration() {
    let faults = faults_of(RESIDUALS, &|plan, body| {
        // The seed of the sum is spent by the first iteration.
        let kind = StmtKind::Zero(place(plan, "sum_adj"));
        let id = body.stmts[0].id;
        reversed(body).push(Stmt { id, kind });
    });
    assert!(faults.contains(&FaultKind::Fusion), "{faults:?}");
}

#[test]
fn a_strip_leaves_iterations_out() {
    let faults = faults_of(RESIDUALS, &|_, body| {
        let StmtKind::Replay(_, strip) = &mut body.stmts[0].kind else {
            panic!("no strip");
        };
        let StmtKind::Let(_, Some(Expr::Discrete(_, end, _))) = &mut strip.stmts[0].kind else {
            panic!("no end");
        };
        let Expr::Discrete(_, behind, _) = &mut end[0] else {
            panic!("no length");
        };
        behind[1] = Expr::Lit("63".into(), Ty::USIZE);
    });
    assert!(faults.contains(&FaultKind::Fusion), "{faults:?}");
}

#[test]
fn a_strip_is_reversed_in_part() {
    let faults = faults_of(RESIDUALS, &|_, body| {
        let StmtKind::Loop(head, _) = &mut body.stmts[1].kind else {
            panic!("no loop");
        };
        let range = head.range_mut().expect("a counted loop");
        range.inclusive = !range.inclusive;
    });
    assert!(faults.contains(&FaultKind::Fusion), "{faults:?}");
}

#[test]
fn an_iteration_changes_how_many_there_are() {
    let faults = faults_of(RESIDUALS, &|plan, body| {
        let end = place(plan, "at");
        let (id, less) = (body.stmts[0].id, Expr::Lit("3".into(), Ty::USIZE));
        run(body).push(Stmt {
            id,
            kind: StmtKind::Assign(end, less),
        });
    });
    assert!(faults.contains(&FaultKind::Fusion), "{faults:?}");
}

#[test]
fn a_sum_is_read_before_it_is_complete() {
    let mut plan = fused(RESIDUALS).expect("a fused plan");
    let is_late = |s: &Stmt| matches!(s.kind, StmtKind::Replay(..));
    let at = plan
        .reverse
        .stmts
        .iter()
        .position(is_late)
        .expect("what runs behind the loop");
    let late = plan.reverse.stmts.remove(at);
    plan.reverse.stmts.insert(0, late);
    let faults: Vec<FaultKind> = check_fused(&plan).into_iter().map(|f| f.kind).collect();
    assert!(faults.contains(&FaultKind::Fusion), "{faults:?}");
}

#[test]
fn a_loop_that_needs_the_iteration_before_is_fused() {
    // The split plan of such a loop, fused by force.
    let function = "fn f(x: &[f64]) -> f64 {
        let mut s = 1.0;
        for i in 0..x.len() { s *= x[i]; }
        s
    }";
    let split = proved_plan("", function).for_outermost();
    let mut plan = split.clone();
    let is_loop = |s: &Stmt| matches!(s.kind, StmtKind::Loop(..));
    let at = split
        .forward
        .stmts
        .iter()
        .position(is_loop)
        .expect("a loop");
    let mirror = split
        .reverse
        .stmts
        .iter()
        .position(is_loop)
        .expect("its mirror");
    let (StmtKind::Loop(head, run), StmtKind::Loop(reversed_head, reversed)) = (
        &split.forward.stmts[at].kind,
        &split.reverse.stmts[mirror].kind,
    ) else {
        panic!("no loops");
    };
    let LoopHead::Counted(index, range) = head else {
        panic!("not counted");
    };
    let [start, end] = ["start", "end"].map(|name| {
        plan.func
            .add_var(name, range.ty.clone(), Mode::Owned, Origin::Temp)
    });
    let bounds = [start, end].map(|v| plan.func.place(v));
    let strips = strips(range, LONGEST_STRIP, bounds.each_ref()).expect("strips");
    let mut reversed_head = reversed_head.clone();
    *reversed_head.range_mut().expect("a range") = strips.iterations.clone();
    let id = split.forward.stmts[at].id;
    let stmt = |kind: StmtKind| Stmt { id, kind };
    let run = StmtKind::Loop(LoopHead::Counted(*index, strips.iterations), run.clone());
    let strip = vec![stmt(StmtKind::Let(end, Some(strips.end))), stmt(run)];
    let body = vec![
        stmt(StmtKind::Replay(Block::default(), Block::new(strip))),
        stmt(StmtKind::Loop(reversed_head, reversed.clone())),
    ];
    let head = LoopHead::Counted(start, strips.starts);
    let late = plan.forward.stmts.split_off(at + 1);
    plan.forward.stmts.pop();
    plan.reverse.stmts[mirror].kind = StmtKind::Loop(head, Block::new(body));
    let kind = StmtKind::Replay(Block::default(), Block::new(late));
    plan.reverse.stmts.insert(mirror + 1, Stmt { id, kind });
    let faults: Vec<FaultKind> = check_fused(&plan).into_iter().map(|f| f.kind).collect();
    assert!(faults.contains(&FaultKind::Fusion), "{faults:?}");
}

const MIXTURE: &str = "fn mixture(x: &[f64], mu: &[f64], w: &[f64]) -> f64 {
    let mut terms = vec![0.0; mu.len()];
    let mut likelihood = 0.0;
    for i in 0..x.len() {
        for k in 0..mu.len() {
            let z = x[i] - mu[k];
            terms[k] = (w[k] - z * z).exp();
        }
        let mut total = 0.0;
        for k in 0..mu.len() {
            total += terms[k];
        }
        likelihood += total.ln();
    }
    likelihood
}";

#[test]
fn private_arrays_are_no_obstacle() {
    let (_, loops) = records_and_loops(MIXTURE);
    assert_eq!(loops, 1);
}

#[test]
fn what_is_read_behind_the_loop_is_not_private() {
    let function = "fn piecewise(x: f64, knots: &[f64], values: &[f64]) -> f64 {
        let mut y = values[0];
        for i in 0..knots.len() - 1 {
            if x >= knots[i] && x < knots[i + 1] {
                let t = (x - knots[i]) / (knots[i + 1] - knots[i]);
                y = (1.0 - t) * values[i] + t * values[i + 1];
            }
        }
        y
    }";
    let loops = fused(function).map_or(0, |plan| fused_loops(&plan).count());
    assert_eq!(loops, 0);
}

// Strips.

/// The iterations of a range of `usize`, in their order.
fn iterations(range: &Range, value: &dyn Fn(&Expr) -> usize) -> Vec<usize> {
    let (lo, hi) = (value(&range.lo), value(&range.hi));
    let all: Vec<usize> = match range.inclusive {
        true => (lo..=hi).collect(),
        false => (lo..hi).collect(),
    };
    let step = range.step.as_ref().map_or(1, value);
    match range.rev {
        Rev::No => all.into_iter().step_by(step).collect(),
        _ => all.into_iter().rev().step_by(step).collect(),
    }
}

/// The value of a bound of strips, where the variables have these values.
fn bound(e: &Expr, start: usize, end: usize, places: [&Place; 2]) -> usize {
    match e {
        Expr::Lit(text, _) => text.parse().expect("a number"),
        Expr::Read(p) if p == places[0] => start,
        Expr::Read(p) if p == places[1] => end,
        Expr::Discrete(name, args, _) => {
            let [a, b] = [&args[0], &args[1]].map(|arg| bound(arg, start, end, places));
            match &name[..] {
                "saturating_add" => a.saturating_add(b),
                "saturating_sub" => a.saturating_sub(b),
                "min" => a.min(b),
                "max" => a.max(b),
                other => panic!("{other}"),
            }
        }
        other => panic!("{other:?}"),
    }
}

/// Asserts that the strips of the range, one after another, are its iterations.
fn assert_strips(range: &Range, length: usize) {
    let mut plan = proved_plan("", "fn f(x: f64) -> f64 { x }");
    let [start, end] = ["start", "end"].map(|name| {
        let v = plan
            .func
            .add_var(name, Ty::USIZE, Mode::Owned, Origin::Temp);
        plan.func.place(v)
    });
    let places = [&start, &end];
    let strips: Strips = strips(range, length, places).expect("strips");
    let mut found = Vec::new();
    for from in iterations(&strips.starts, &|e| bound(e, 0, 0, places)) {
        let to = bound(&strips.end, from, 0, places);
        let strip = iterations(&strips.iterations, &|e| bound(e, from, to, places));
        assert!(
            (1..=length).contains(&strip.len()),
            "{strip:?} of {range:?}"
        );
        found.extend(strip);
    }
    let all = iterations(range, &|e| bound(e, 0, 0, places));
    assert_eq!(found, all, "{range:?} in strips of {length}");
}

#[test]
fn strips_are_the_iterations_of_a_range() {
    let literal = |n: usize| Expr::Lit(n.to_string(), Ty::USIZE);
    let numbers = [
        0,
        1,
        2,
        3,
        4,
        7,
        8,
        9,
        20,
        usize::MAX - 5,
        usize::MAX - 1,
        usize::MAX,
    ];
    for (lo, hi) in numbers.iter().flat_map(|lo| numbers.map(|hi| (*lo, hi))) {
        if hi.saturating_sub(lo) > 20 {
            continue;
        }
        for (inclusive, rev) in [false, true]
            .into_iter()
            .flat_map(|i| [(i, Rev::No), (i, Rev::BeforeStep)])
        {
            let range = Range {
                lo: literal(lo),
                hi: literal(hi),
                inclusive,
                step: None,
                rev,
                ty: Ty::USIZE,
            };
            [1, 2, 4, 64]
                .into_iter()
                .for_each(|length| assert_strips(&range, length));
        }
    }
}

#[test]
fn ranges_with_steps_have_no_strips() {
    let range = Range {
        step: Some(Expr::Lit("2".into(), Ty::USIZE)),
        ..Range::up_to(Expr::Lit("9".into(), Ty::USIZE))
    };
    let uncertain = Range {
        ty: Ty::Int(IntTy::Infer),
        ..Range::up_to(Expr::Lit("9".into(), Ty::Int(IntTy::Infer)))
    };
    let after_step = Range {
        rev: Rev::AfterStep,
        ..Range::up_to(Expr::Lit("9".into(), Ty::USIZE))
    };
    let mut plan = proved_plan("", "fn f(x: f64) -> f64 { x }");
    let v = plan.func.add_var("v", Ty::USIZE, Mode::Owned, Origin::Temp);
    let place = plan.func.place(v);
    for range in [range, uncertain, after_step] {
        assert_eq!(strips(&range, 4, [&place, &place]), None);
    }
}
