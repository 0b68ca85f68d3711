//! Control-flow graphs: `[CFR]` Definition 1 and Algorithms 1, 2 and 5.

mod common;

use adjoint_analysis::compile::analyse;
use adjoint_analysis::compile::analyse_in;
use adjoint_analysis::expand::find::functions;
use adjoint_analysis::options::Options;
use adjoint_analysis::report;
use adjoint_analysis::report::cfg::{
    Control, Graph, Graphs, Reversal, VertexKind, graphs, reverse, topsort,
};
use adjoint_analysis::report::diagram::dot;
use expect_test::expect;

fn graphs_of(function: &str) -> Graphs {
    graphs(&analyse(&syn::parse_str(function).unwrap(), &Options::default()).unwrap())
}

/// Definition 1, for a FORLOOP what it says of a LOOP.
#[track_caller]
fn assert_structured(graph: &Graph) {
    let count = |kind| graph.vertices.iter().filter(|v| v.kind == kind).count();
    assert_eq!((count(VertexKind::Entry), count(VertexKind::Exit)), (1, 1));
    let reversed = graph.vertices.iter().any(|v| v.kind == VertexKind::ForLoop);
    assert!(
        !(reversed && count(VertexKind::Loop) > 0),
        "LOOP and FORLOOP do not mix"
    );
    for (v, vertex) in graph.vertices.iter().enumerate() {
        let into = graph.edges.iter().filter(|e| e.to == v).count();
        let mut labels: Vec<_> = graph.out_edges(v).map(|e| e.label).collect();
        labels.sort_unstable();
        let plain = vec![None];
        let (expected_into, expected_labels) = match vertex.kind {
            VertexKind::Entry => (0, plain),
            VertexKind::Exit => (1, vec![]),
            VertexKind::BasicBlock => {
                // Its edge into a merge carries the label of its arm.
                assert!(labels.len() == 1, "{vertex:?} {labels:?}");
                (1, labels.clone())
            }
            VertexKind::EndLoop => (1, plain),
            VertexKind::Loop | VertexKind::ForLoop => (2, vec![None, Some(1)]),
            VertexKind::Branch => (1, vec![Some(0), Some(1)]),
            VertexKind::EndBranch => (2, plain),
        };
        assert_eq!(
            (into, labels),
            (expected_into, expected_labels),
            "{vertex:?}"
        );
    }
}

/// Every kernel of the façade's tests: all three graphs are structured, and their code is laid out.
#[test]
fn the_graphs_of_all_kernels_are_structured() {
    let mut explained = 0;
    for (_, file) in common::test_files() {
        for found in functions(&file) {
            let options = found.options.unwrap();
            let Ok(analysed) = analyse_in(&found.item, &options, &found.env) else {
                continue;
            };
            let Graphs { primal, reversal } = graphs(&analysed);
            assert_structured(&primal);
            assert_structured(&reversal.forward);
            assert_structured(&reversal.reverse);
            assert!(
                !report::listing(&analysed).contains("__primal"),
                "{}",
                found.item.sig.ident
            );
            explained += 1;
        }
    }
    assert!(explained > 200, "{explained} kernels");
}

/// The order in numbers.
fn order(graph: &Graph) -> Vec<i32> {
    topsort(graph)
        .into_iter()
        .map(|v| graph.vertices[v].number)
        .collect()
}

const NEST: &str = "\
fn nest(x: &mut [f64], n: usize) {
    for i in 0..n {
        if x[i] > 0.5 {
            if x[0] > 1.0 { x[1] = x[1].sin(); }
            while x[i] > 0.5 { x[i] = x[i].sin(); }
        } else {
            loop {
                x[i] = x[i].exp();
                if x[i] > 2.0 { break; }
            }
            while x[i] > 2.0 { x[i] = x[i].sqrt(); }
        }
    }
}";

#[test]
fn graphs_are_structured() {
    let Graphs { primal, reversal } = graphs_of(NEST);
    assert_structured(&primal);
    assert_structured(&reversal.forward);
    assert_structured(&reversal.reverse);
}

#[test]
fn vertices_are_numbered_in_topological_order() {
    let Graphs { primal, reversal } = graphs_of(NEST);
    let numbers: Vec<i32> = (1..=primal.vertices.len() as i32).collect();
    assert_eq!(order(&primal), numbers);
    for graph in [&reversal.forward, &reversal.reverse] {
        let mut all = order(graph);
        all.sort_unstable();
        let mut numbers: Vec<i32> = graph.vertices.iter().map(|v| v.number).collect();
        numbers.sort_unstable();
        assert_eq!(all, numbers);
    }
}

/// ENTRY, a loop around a branch, EXIT; the edges in an order that a plain walk would follow wrongly.
#[test]
fn algorithm_1_takes_bodies_before_what_follows() {
    let mut graph = Graph::default();
    let mut vertex = |number, kind| graph.vertex(number, kind, Vec::new());
    let exit = vertex(9, VertexKind::Exit);
    let after = vertex(8, VertexKind::BasicBlock);
    let end_loop = vertex(7, VertexKind::EndLoop);
    let end_branch = vertex(6, VertexKind::EndBranch);
    let els = vertex(5, VertexKind::BasicBlock);
    let then = vertex(4, VertexKind::BasicBlock);
    let branch = vertex(3, VertexKind::Branch);
    let head = vertex(2, VertexKind::Loop);
    let entry = vertex(1, VertexKind::Entry);
    for (from, to, label) in [
        (head, after, None),
        (head, branch, Some(1)),
        (branch, then, Some(1)),
        (branch, els, Some(0)),
        (then, end_branch, None),
        (els, end_branch, None),
        (end_branch, end_loop, None),
        (end_loop, head, None),
        (after, exit, None),
        (entry, head, None),
    ] {
        graph.edge(from, to, label, None);
    }
    assert_eq!(order(&graph), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

/// What the blocks put on the edges do, by the edge.
fn inserted(graph: &Graph, number: i32) -> Vec<String> {
    let last = number;
    let put_in = |v: usize| graph.vertices[v].number > last;
    let mut lines = Vec::new();
    for edge in graph
        .edges
        .iter()
        .filter(|e| !put_in(e.from) && put_in(e.to))
    {
        let mut line = graph.vertices[edge.from].number.to_string();
        let mut at = edge.to;
        while put_in(at) {
            line += &format!(" → {}", graph.vertices[at].text.join("; "));
            at = graph.out_edges(at).next().unwrap().to;
        }
        lines.push(format!("{line} → {}", graph.vertices[at].number));
    }
    lines
}

/// `[CFR]` §4.5: the ways on which two blocks have to be put in.
#[test]
fn algorithm_5_handles_loops_and_branches_that_meet() {
    // A loop at the end of a loop and of an arm, then a loop behind a loop.
    let Graphs { primal, .. } = graphs_of(
        "\
fn meet(x: &mut f64) {
    while *x > 3.0 {
        while *x > 2.0 { *x = x.sin(); }
    }
    while *x > 1.0 { *x = x.cos(); }
    if *x > 0.0 {
        while *x > 0.5 { *x = x.sqrt(); }
    }
}",
    );
    let Reversal { forward, reverse } = reverse(&primal, &|_| Control::Recorded);
    assert_structured(&forward);
    assert_structured(&reverse);
    let exit = primal.vertices.len() as i32;
    expect![[r#"
        1 → ctr(2) = 0 → 2
        2 → ctr(3) = 0 → 3
        2 → push(ctr(2)) → ctr(7) = 0 → 7
        3 → push(ctr(3)) → ctr(2) = ctr(2) + 1 → 6
        4 → ctr(3) = ctr(3) + 1 → 5
        7 → push(ctr(7)) → 10
        8 → ctr(7) = ctr(7) + 1 → 9
        10 → ctr(11) = 0 → 11
        10 → push(0) → 14
        11 → push(ctr(11)) → push(1) → 14
        12 → ctr(11) = ctr(11) + 1 → 13"#]]
    .assert_eq(&inserted(&forward, exit).join("\n"));
    expect![[r#"
        -9 → rBound = pop() → -6
        -6 → rBound = pop() → -5
        -10 → rBound = pop() → -9
        -14 → rBound = pop() → -13
        -15 → branchId = pop() → -14"#]]
    .assert_eq(&inserted(&reverse, exit).join("\n"));
}

/// The reverse of the reversed structure is the structure, numbers and all.
#[test]
fn reversing_twice_gives_the_graph() {
    let Graphs { primal, .. } = graphs_of(NEST);
    let once = reverse(&primal, &|_| Control::Skipped).reverse;
    let mut arcs: Vec<_> = once
        .edge_numbers()
        .into_iter()
        .map(|(a, b)| (-b, -a))
        .collect();
    let mut original = primal.edge_numbers();
    // Edges from and to a loop's outside change between LOOP and ENDLOOP.
    let partner = |number: i32| {
        let vertex = &primal.vertices[number as usize - 1];
        let is_loop = matches!(vertex.kind, VertexKind::Loop | VertexKind::EndLoop);
        vertex
            .partner
            .filter(|_| is_loop)
            .map_or(number, |p| number.min(p as i32 + 1))
    };
    for arcs in [&mut arcs, &mut original] {
        arcs.iter_mut()
            .for_each(|(a, b)| (*a, *b) = (partner(*a), partner(*b)));
        arcs.sort_unstable();
    }
    assert_eq!(arcs, original);
}

#[test]
fn what_can_be_computed_again_is_not_pushed() {
    let Graphs { primal, reversal } = graphs_of(
        "\
fn recomputed(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        if i % 2 == 0 { s = s * x[i]; }
    }
    s
}",
    );
    let count = primal.vertices.len();
    assert_eq!(reversal.forward.vertices.len(), count);
    assert_eq!(reversal.reverse.vertices.len(), count);
    let text = |kind| {
        let found = reversal.reverse.vertices.iter().find(|v| v.kind == kind);
        found.map(|v| v.text.join("; ")).unwrap()
    };
    assert_eq!(text(VertexKind::ForLoop), "for i in 0..n, reversed");
    assert_eq!(text(VertexKind::Branch), "if i % 2 == 0");
}

/// A loop that is reversed for the callers that ask for one of two derivatives says how it runs.
#[test]
fn what_is_reversed_for_some_callers_has_its_head() {
    let Graphs { reversal, .. } = graphs_of(
        "\
fn apart(x: &[f64], y: &[f64], n: usize, m: usize, a: &mut f64, b: &mut f64) {
    for i in 0..n { *a += x[i] * x[i]; }
    for j in 0..m { *b += y[j] * y[j]; }
}",
    );
    let loops = reversal.reverse.vertices.iter();
    let loops = loops.filter(|v| v.kind == VertexKind::ForLoop);
    let heads: Vec<String> = loops.map(|v| v.text.join("; ")).collect();
    assert_eq!(
        heads,
        ["for i in 0..n, in any order", "for j in 0..m, in any order"]
    );
}

#[test]
fn dot_has_every_statement() {
    let steps: String = (0..40).map(|k| format!("y = (y * {k}.5).sin();")).collect();
    let Graphs { primal, reversal } = graphs_of(&format!(
        "fn f(x: f64) -> f64 {{ let mut y = x; {steps} y }}"
    ));
    for graph in [&primal, &reversal.forward, &reversal.reverse] {
        let text = dot("f", &graph.diagram());
        let missing = graph.vertices.iter().flat_map(|v| &v.text);
        let missing: Vec<_> = missing.filter(|line| !text.contains(*line)).collect();
        assert!(missing.is_empty(), "{missing:?} of\n{text}");
    }
}

#[test]
fn graphs_are_written_as_dot() {
    let Graphs { primal, reversal } = graphs_of(
        "fn f(x: f64, n: usize) -> f64 { let mut y = x; for _ in 0..n { y = y.sin(); } y }",
    );
    expect![[r#"
        digraph "f" {
          v0 [label="1 ENTRY" shape=ellipse style=filled fillcolor=white];
          v1 [label="2 BASICBLOCK\nlet y = x" shape=box style=filled fillcolor=white];
          v2 [label="3 LOOP\nfor k in 0..n" shape=ellipse style=filled fillcolor=lightblue];
          v3 [label="4 BASICBLOCK\ny = y.sin()" shape=box style=filled fillcolor=white];
          v4 [label="5 ENDLOOP" shape=ellipse style=filled fillcolor=lightblue];
          v5 [label="6 BASICBLOCK\nret = y" shape=box style=filled fillcolor=white];
          v6 [label="7 EXIT" shape=ellipse style=filled fillcolor=white];
          v0 -> v1;
          v1 -> v2;
          v2 -> v3 [label="1"];
          v3 -> v4;
          v4 -> v2;
          v2 -> v5;
          v5 -> v6;
        }
    "#]]
    .assert_eq(&dot("f", &primal.diagram()));
    expect![[r#"
        digraph "f.reverse" {
          v0 [label="-1 EXIT" shape=ellipse style=filled fillcolor=white];
          v1 [label="-2 BASICBLOCK\nx_adj += y_adj" shape=box style=filled fillcolor=white];
          v2 [label="-3 ENDLOOP" shape=ellipse style=filled fillcolor=lightblue];
          v3 [label="-4 BASICBLOCK\npop(y)\nlet seed = y_adj\ny_adj = partial::scale(seed, partial::sin(y))" shape=box style=filled fillcolor=white];
          v4 [label="-5 FORLOOP\nfor k in 0..n, reversed" shape=ellipse style=filled fillcolor=lightblue];
          v5 [label="-6 BASICBLOCK\nlet y\nlet y_adj\ny_adj = ret_adj\nret_adj = 0.0" shape=box style=filled fillcolor=white];
          v6 [label="-7 ENTRY" shape=ellipse style=filled fillcolor=white];
          v1 -> v0;
          v4 -> v1;
          v3 -> v2;
          v5 -> v4;
          v4 -> v3 [label="1"];
          v2 -> v4;
          v6 -> v5;
        }
    "#]].assert_eq(&dot("f.reverse", &reversal.reverse.diagram()));
}
