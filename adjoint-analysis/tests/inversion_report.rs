//! What the report and `explain` say of integers that come back by inversion, for the examples of `[INV]`.

mod common;

use std::collections::BTreeSet;

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::{analyse, analyse_in};
use adjoint_analysis::expand::find::functions;
use adjoint_analysis::ir::{Block, Expr, Func, Origin, Stmt, Ty, VarId};
use adjoint_analysis::options::Options;
use adjoint_analysis::passes::control::Control;
use adjoint_analysis::passes::inversion;
use adjoint_analysis::report;
use adjoint_analysis::report::dependencies::{DependencyGraph, Token, dependency_graphs};
use adjoint_analysis::report::diagram::dot;
use expect_test::{Expect, expect};

fn analysed(function: &str) -> Analysed {
    analyse(&syn::parse_str(function).unwrap(), &Options::default()).unwrap()
}

/// The sections of the report behind the roles.
#[track_caller]
fn check_report(function: &str, expected: Expect) {
    let report = report::markdown(&analysed(function));
    let roles = report.find("**Recorded**").unwrap();
    expected.assert_eq(&report[roles..]);
}

const FIGURE_2: &str = "\
fn figure_2(a: &mut [f64], n: usize) {
    let mut j = 1;
    while j < n {
        let k = j + 1;
        j = k + 2;
        a[j] = a[k] * a[j];
    }
}";

const FIGURE_8: &str = "\
fn figure_8(a: &mut [f64], p: &[f64], n: usize, o: usize) {
    let (mut l, mut i, mut j) = (0, o, o);
    while l < n {
        let k = i - j;
        let m = k + 3 + l;
        i = k + 2 * l;
        a[i] = a[j] * p[k] * a[m];
        j = j + m + 4;
        i = i + j + 1;
        a[j] = a[i] * p[k] * a[m];
        l = l + 1;
    }
}";

const TRIANGLE: &str = "\
fn packed(x: &[f64], l: &[f64], n: usize) -> f64 {
    let (mut s, mut at) = (0.0, 0);
    for i in 0..n {
        for j in 0..i {
            s += l[at] * x[j] * s;
            at += 1;
        }
    }
    s
}";

const COUNTER: &str = "\
fn grow(x: &[f64], y: f64) -> f64 {
    let (mut s, mut i) = (y, 0);
    while s < 9.0 {
        s = s * x[i];
        i += 1;
    }
    s
}";

#[test]
fn report_of_figure_2() {
    check_report(
        FIGURE_2,
        expect![[r#"
            **Recorded**
            - `a[j]` before `a[j] = a[k] * a[j]` (line 6); for the adjoint of line 6

            **Inverted**
            - last value of `j` (line 2): `1 + trips * 3`, where `trips` is the trip count of `while j < n` (line 3); for the adjoint of line 6 and the place overwritten in line 6
            - `k` (line 4): `j - 2`; for the adjoint of line 6 and the place overwritten in line 6
            - `j` before `j = k + 2` (line 5): `k - 1`; for the adjoint of line 6 and the place overwritten in line 6

            **Control flow**
            - `while j < n` (line 3): trips computed again from where its counter starts and ends

            **Tape**: `8·t₁` bytes; `t₁` = all iterations of `while j < n` (line 3)."#]],
    );
}

#[test]
fn report_of_figure_8() {
    check_report(
        FIGURE_8,
        expect![[r#"
            **Recorded**
            - last value of `i` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; assigned more than once
            - last value of `j` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; assigned more than once
            - `a[i]` before `a[i] = a[j] * p[k] * a[m]` (line 7); for the adjoint of lines 7 and 10
            - `a[j]` before `a[j] = a[i] * p[k] * a[m]` (line 10); for the adjoint of lines 7 and 10

            **Inverted**
            - last value of `l` (line 2): `n`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `k` (line 4): `i - 1 - j - 2 * (l - 1)`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `m` (line 5): `k + 3 + (l - 1)`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `i` before `i = k + 2 * l` (line 6): `k + j`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `j` before `j = j + m + 4` (line 8): `j - 4 - m`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `i` before `i = i + j + 1` (line 9): `i - 1 - j`; for the adjoint of line 7 and the place overwritten in line 7
            - `l` before `l = l + 1` (line 11): `l - 1`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10

            **Control flow**
            - `while l < n` (line 3): trips computed again from where its counter starts and ends

            **Tape**: `16·t₁ + 16` bytes; `t₁` = all iterations of `while l < n` (line 3)."#]],
    );
}

#[test]
fn report_of_figure_9_d() {
    check_report(
        &FIGURE_8.replace("k + 2 * l", "k.max(2 * l)"),
        expect![[r#"
            **Recorded**
            - last value of `i` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in line 7; assigned more than once
            - last value of `j` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; assigned more than once
            - `k` (line 4); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; `i` is overwritten
            - `a[i]` before `a[i] = a[j] * p[k] * a[m]` (line 7); for the adjoint of lines 7 and 10
            - `a[j]` before `a[j] = a[i] * p[k] * a[m]` (line 10); for the adjoint of lines 7 and 10

            **Inverted**
            - last value of `l` (line 2): `n`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `m` (line 5): `k + 3 + (l - 1)`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `i` before `i = k.max(2 * l)` (line 6): `k + j`; for the adjoint of lines 7 and 10 and the place overwritten in line 7
            - `j` before `j = j + m + 4` (line 8): `j - 4 - m`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
            - `i` before `i = i + j + 1` (line 9): `i - 1 - j`; for the adjoint of line 7 and the place overwritten in line 7
            - `l` before `l = l + 1` (line 11): `l - 1`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10

            **Control flow**
            - `while l < n` (line 3): trips computed again from where its counter starts and ends

            **Tape**: `24·t₁ + 16` bytes; `t₁` = all iterations of `while l < n` (line 3)."#]],
    );
}

#[test]
fn report_of_a_packed_triangle() {
    check_report(
        TRIANGLE,
        expect![[r#"
            **Recorded**
            - `s` before `s += l[at] * x[j] * s` (line 5); for the adjoint of line 5; in the frame of line 4

            **Inverted**
            - last value of `at` (line 2): `n * (n - 1) / 2`; for the adjoint of line 5
            - `at` before `at += 1` (line 6): `at - 1`; for the adjoint of line 5

            **Control flow**
            - `for i in 0..n` (line 3): runs backwards over its bounds, which give `i`
            - `for j in 0..i` (line 4): runs backwards over its bounds, which give `j`

            **Tape**: `8·t₁` bytes; `t₁` = all iterations of `for j in 0..i` (line 4)."#]],
    );
}

#[test]
fn report_of_a_counter() {
    check_report(
        COUNTER,
        expect![[r#"
            **Recorded**
            - last value of `i` (line 2); for the adjoint of line 4; assigned more than once; a local, where the sweeps are fused
            - `s` before `s = s * x[i]` (line 4); for the adjoint of line 4

            **Inverted**
            - `i` before `i += 1` (line 5): `i - 1`; for the adjoint of line 4

            **Control flow**
            - `while s < 9.0` (line 3): `i` is its trip count

            **Tape**: `8·t₁` bytes; `t₁` = all iterations of `while s < 9.0` (line 3). Where another adjoint calls it: `8·t₁ + 8` bytes; `t₁` = all iterations of `while s < 9.0` (line 3)."#]],
    );
}

/// The graph of the loop.
fn graph(function: &str) -> DependencyGraph {
    let mut graphs = dependency_graphs(&analysed(function));
    graphs.retain(|g| g.number == 1);
    graphs.remove(0)
}

/// The versions that come back, in their order.
fn placed(graph: &DependencyGraph) -> Vec<String> {
    let tokens = graph.nodes.iter().filter_map(|node| match node.token {
        Some(Token::Placed(number, way)) => Some((number, way.letter(), &node.text)),
        _ => None,
    });
    let mut tokens: Vec<_> = tokens.collect();
    tokens.sort_unstable();
    let line = |(number, letter, text)| format!("{number}:{letter} {text}");
    tokens.into_iter().map(line).collect()
}

/// The known versions.
fn known(graph: &DependencyGraph) -> Vec<&str> {
    let known = graph.nodes.iter().filter(|n| n.token == Some(Token::Known));
    known.map(|n| n.text.as_str()).collect()
}

/// Figure 8(b): three inversions, an evaluation, two inversions. Of the two inversions that are possible at first, the
/// paper takes the other one.
#[test]
fn the_six_recoveries_of_figure_8() {
    let graph = graph(FIGURE_8);
    let outputs = [
        "j = j + m + 4 (line 8)",
        "i = i + j + 1 (line 9)",
        "l = l + 1 (line 11)",
    ];
    assert_eq!(known(&graph), outputs);
    let recoveries = [
        "1:i l at the start",
        "2:i i = k + 2 * l (line 6)",
        "3:i let k = i - j (line 4)",
        "4:f let m = k + 3 + l (line 5)",
        "5:i j at the start",
        "6:i i at the start",
    ];
    assert_eq!(placed(&graph), recoveries);
}

/// Figure 9(d): the token on `k` is from storage.
#[test]
fn what_is_stored_in_figure_9_d() {
    let graph = graph(&FIGURE_8.replace("k + 2 * l", "k.max(2 * l)"));
    let recoveries = [
        "1:s let k = i - j (line 4)",
        "2:i l at the start",
        "3:f let m = k + 3 + l (line 5)",
        "4:i i = k.max(2 * l) (line 6)",
        "5:i j at the start",
        "6:i i at the start",
    ];
    assert_eq!(placed(&graph), recoveries);
}

#[test]
fn the_graph_of_figure_8_as_dot() {
    let diagram = graph(FIGURE_8).diagram();
    expect![[r#"
        digraph "figure_8.integers.1" {
          v0 [label="l at the start\n1:i" shape=box style=filled fillcolor=white];
          v1 [label="i at the start\n6:i" shape=box style=filled fillcolor=white];
          v2 [label="j at the start\n5:i" shape=box style=filled fillcolor=white];
          v3 [label="let k = i - j (line 4)\n3:i" shape=box style=filled fillcolor=white];
          v4 [label="let m = k + 3 + l (line 5)\n4:f" shape=box style=filled fillcolor=white];
          v5 [label="i = k + 2 * l (line 6)\n2:i" shape=box style=filled fillcolor=white];
          v6 [label="j = j + m + 4 (line 8)" shape=box style=filled fillcolor=lightblue];
          v7 [label="i = i + j + 1 (line 9)" shape=box style=filled fillcolor=lightblue];
          v8 [label="l = l + 1 (line 11)" shape=box style=filled fillcolor=lightblue];
          v1 -> v3 [penwidth=3];
          v2 -> v3 [penwidth=3];
          v0 -> v4 [penwidth=3];
          v3 -> v4 [penwidth=3];
          v0 -> v5;
          v3 -> v5 [penwidth=3];
          v2 -> v6 [penwidth=3];
          v4 -> v6 [penwidth=3];
          v5 -> v7 [penwidth=3];
          v6 -> v7 [penwidth=3];
          v0 -> v8 [penwidth=3];
        }
    "#]]
    .assert_eq(&dot("figure_8.integers.1", &diagram));
}

/// Versions count from the start of a block that is longer than what a game looks at.
#[test]
fn a_long_block_has_one_graph() {
    let steps = "at = at + 1; s = s * x[at];".repeat(50);
    let graph = graph(&format!(
        "fn f(x: &[f64], n: usize) -> f64 {{
            let (mut s, mut at) = (1.0, 0usize);
            for _ in 0..n {{ {steps} }}
            s
        }}"
    ));
    assert_eq!(known(&graph), ["at = at + 1 (line 3)"]);
    let placed = placed(&graph);
    assert_eq!(placed.len(), 50, "{placed:?}");
    assert!(
        placed[..49]
            .iter()
            .all(|p| p.ends_with(":i at = at + 1 (line 3)")),
        "{placed:?}"
    );
    assert_eq!(placed[49], "50:i at at the start");
}

#[test]
fn tables_of_figure_8() {
    expect![[r#"
        Integers and control values that the reverse sweep needs, and how they come back

        0: figure_8, outside of loops

        value                    │ comes back │ as
        last value of j (line 2) │ stored     │
        last value of i (line 2) │ stored     │
        last value of l (line 2) │ inverted   │ n

        1: while l < n (line 3)

        value                           │ comes back │ as
        trip count                      │ recomputed │ trips computed again from where its counter starts and ends
        k (line 4)                      │ inverted   │ i - 1 - j - 2 * (l - 1)
        m (line 5)                      │ inverted   │ k + 3 + (l - 1)
        l before l = l + 1 (line 11)    │ inverted   │ l - 1
        i before i = i + j + 1 (line 9) │ inverted   │ i - 1 - j
        j before j = j + m + 4 (line 8) │ inverted   │ j - 4 - m
        i before i = k + 2 * l (line 6) │ inverted   │ k + j
    "#]].assert_eq(&report::recovery_tables(&analysed(FIGURE_8)));
}

#[test]
fn tables_of_branches_and_bounds() {
    let function = "\
fn f(x: &[f64], map: &[usize], n: usize) -> f64 {
    let mut s = 1.0;
    let mut at = 0;
    for i in 0..n {
        let k = map[i];
        let last = 2 * k + 1;
        if k > 3 {
            at += k;
        }
        if s > 2.0 {
            s = s * x[at] * x[last];
        }
        at = map[at];
    }
    s
}";
    expect![[r#"
        Integers and control values that the reverse sweep needs, and how they come back

        1: for i in 0..n (line 4)

        value                            │ comes back │ as
        i                                │ loop index │ runs backwards over its bounds, which give i
        if s > 2.0 (line 10)             │ stored     │ flag recorded: s is overwritten
        k (line 5)                       │ recomputed │ map[i]
        last (line 6)                    │ recomputed │ 2 * k + 1
        at before at = map[at] (line 13) │ stored     │
    "#]]
    .assert_eq(&report::recovery_tables(&analysed(function)));
}

/// The analysed functions of the façade's tests, by their names.
fn kernels() -> Vec<(String, Analysed)> {
    let mut found = Vec::new();
    for (_, file) in common::test_files() {
        for kernel in functions(&file) {
            let options = kernel.options.expect("options");
            if let Ok(analysed) = analyse_in(&kernel.item, &options, &kernel.env) {
                found.push((kernel.item.sig.ident.to_string(), analysed));
            }
        }
    }
    found
}

/// The values that the plan computes by inversion, each with the value that the game finds from what it reads alone.
fn replayed(analysed: &Analysed) -> Vec<(Expr, Option<Expr>)> {
    let func = &analysed.plan.func;
    let control = match analysed.facts.config.recomputation {
        true => Control::of(func),
        false => Control::default(),
    };
    let mut pairs = Vec::new();
    each_block(&func.body, &mut |block| {
        let trips = |s: &Stmt| control.trips_of(s);
        for (at, stmt) in block.stmts.iter().enumerate() {
            if let Some(e) = analysed.facts.inverse(stmt.id) {
                let (stmts, place) = (&block.stmts[..=at], stmt.written()[0]);
                let is_held = |r: VarId| named(e).contains(&r);
                let found = match place.is_whole() && !place.ty.is_float() {
                    true => {
                        let v = place.root;
                        inversion::before_overwrite(func, stmts, v, &trips, &is_held)
                    }
                    false => inversion::updates::undone(func, stmt),
                };
                pairs.push((e.clone(), found));
            }
            let v = stmt.declared();
            if let Some((v, e)) = v.and_then(|v| Some((v, analysed.facts.inverse_at_end(v)?))) {
                let is_held = |r: VarId| named(e).contains(&r);
                let found = inversion::at_end(func, &block.stmts, v, &trips, &is_held);
                pairs.push((e.clone(), found));
            }
        }
    });
    pairs
}

/// The variables that the expression names, by reading or measuring them.
fn named(e: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    e.walk(&mut |e| found.extend(e.own_places().iter().map(|p| p.root)));
    found
}

fn each_block(block: &Block, f: &mut dyn FnMut(&Block)) {
    f(block);
    for inner in block.stmts.iter().flat_map(Stmt::blocks) {
        each_block(inner, f);
    }
}

fn is_discrete_local(func: &Func, v: VarId) -> bool {
    let var = func.var(v);
    matches!(var.origin, Origin::Local | Origin::Index) && matches!(var.ty, Ty::Int(_) | Ty::Bool)
}

/// The integers that the reverse sweep reads.
fn read(analysed: &Analysed) -> BTreeSet<String> {
    let func = &analysed.plan.func;
    let primal = analysed.lowered.func.vars.len();
    let mut found = BTreeSet::new();
    analysed.plan.reverse.walk(&mut |s| {
        s.walk_exprs(&mut |e| {
            let places = e.own_places().iter().map(|p| p.root);
            let locals = places.filter(|v| v.index() < primal && is_discrete_local(func, *v));
            found.extend(locals.map(|v| func.var(v).name.clone()));
        });
    });
    found
}

/// The values that each section of the report names with their lines: last ones, and those that statements overwrite.
fn values(report: &str) -> Vec<BTreeSet<&str>> {
    let of_value = |item: &&str| item.starts_with("last value of") || item.contains(" before ");
    let value = |item: &str| Some(item.find("(line ")? + item[item.find("(line ")?..].find(')')?);
    let sections = report.split("\n\n").map(|section| {
        let items = section.lines().filter_map(|line| line.strip_prefix("- "));
        let named = items
            .filter(of_value)
            .filter_map(|item| item.get(..value(item)?));
        named.collect()
    });
    sections.collect()
}

#[test]
fn of_all_kernels_nothing_is_left_unsaid_or_said_twice() {
    let (mut inverses, mut names) = (0, 0);
    for (kernel, analysed) in kernels() {
        for (value, found) in replayed(&analysed) {
            assert_eq!(
                Some(value),
                found,
                "{kernel}: the game is the same when it is played again"
            );
            inverses += 1;
        }
        let report = report::body(&analysed);
        for name in read(&analysed) {
            assert!(
                report.contains(&format!("`{name}`")),
                "{kernel}: {name} in\n{report}"
            );
            names += 1;
        }
        let sections = values(&report);
        let all: BTreeSet<_> = sections.iter().flatten().collect();
        let count: usize = sections.iter().map(BTreeSet::len).sum();
        assert_eq!(
            count,
            all.len(),
            "{kernel}: a value is in two sections of\n{report}"
        );
    }
    assert!(
        inverses > 20 && names > 100,
        "{inverses} inverses, {names} names"
    );
}
