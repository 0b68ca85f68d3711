//! The examples of the papers, as tests on plans and graphs. (`tests/papers.rs` of the façade runs
//! them.)

#![allow(clippy::type_complexity, reason = "tables of facts, written once")]

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse;
use adjoint_analysis::ir::{Block, Caller, LoopHead, Place, StmtKind};
use adjoint_analysis::options::Options;
use adjoint_analysis::plan::{Plan, RecordKind};
use adjoint_analysis::report::cfg::{Graph, Graphs, VertexKind, graphs};
use adjoint_analysis::text::print;

fn analysed(args: &str, function: &str) -> Analysed {
    let options = Options::parse(args.parse().unwrap()).unwrap();
    analyse(&syn::parse_str(function).unwrap(), &options).unwrap()
}

/// The places that an outermost call records, in the order of the forward sweep.
fn recorded(plan: &Plan) -> Vec<String> {
    let mut places = Vec::new();
    plan.forward.walk(&mut |s| {
        if let StmtKind::Record(id, place) = &s.kind
            && !plan.record(*id).demand.only_restores()
        {
            places.push(print::place(&plan.func, place));
        }
    });
    places
}

/// The control flow and the pushes and pops of a sweep, with the primal's assignments in between.
fn outline(plan: &Plan, block: &Block) -> Vec<String> {
    let place = |p: &Place| print::place(&plan.func, p);
    let mut lines = Vec::new();
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Record(id, p) if !plan.record(*id).demand.only_restores() => {
                lines.push(format!("push {}", place(p)));
            }
            StmtKind::Restore(id, p) if !plan.record(*id).demand.only_restores() => {
                lines.push(format!("pop {}", place(p)));
            }
            StmtKind::RecordControl(id, e) => lines.push(match plan.record(*id).kind {
                RecordKind::Count => String::from("push count"),
                _ => format!("push {}", print::expr(&plan.func, e)),
            }),
            StmtKind::RestoreControl(id, _) => lines.push(match plan.record(*id).kind {
                RecordKind::Count => String::from("pop count"),
                _ => String::from("pop way"),
            }),
            StmtKind::Assign(p, _) if p.ty.is_float() => lines.push(format!("{} =", place(p))),
            StmtKind::Incr(p, _) => lines.push(format!("{} +=", place(p))),
            StmtKind::Zero(p) => lines.push(format!("{} = 0", place(p))),
            StmtKind::If(_, then, els) => {
                lines.push(String::from("if {"));
                lines.extend(outline(plan, then));
                lines.push(String::from("} else {"));
                lines.extend(outline(plan, els));
                lines.push(String::from("}"));
            }
            StmtKind::Loop(head, body) => {
                lines.push(String::from(match head {
                    LoopHead::Times(_) => "times count {",
                    _ => "loop {",
                }));
                lines.extend(outline(plan, body));
                lines.push(String::from("}"));
            }
            _ => {}
        }
    }
    lines
}

// [CFR] §2.

const SECTION_2: &str = "\
fn section_2(x: [f64; 2], y: &mut [f64; 3]) {
    let mut i = 1;
    while i < 3 {
        if i < 2 {
            y[1] = x[0].sin();
        } else {
            y[0] = x[1].cos();
        }
        i += 1;
    }
    y[2] = y[0] * y[1];
}";

/// The paper pushes all control; recomputation would find the trips and the labels again.
fn as_published(function: &str) -> Analysed {
    analysed(
        "without(recomputation, inversion, simplification)",
        function,
    )
}

/// The augmented forward code: a label at the end of each arm, the counter behind the loop.
#[test]
fn cfr_section_2_forward() {
    let plan = as_published(SECTION_2).plan.for_caller(Caller::OUTERMOST);
    assert_eq!(
        outline(&plan, &plan.forward),
        [
            "loop {",
            "if {",
            "y[1usize] =",
            "push true",
            "} else {",
            "y[0usize] =",
            "push false",
            "}",
            "}",
            "push count",
            // The paper stores no value; sets of whole arrays cannot tell y(3) from y(1) and y(2).
            "push y[2usize]",
            "y[2usize] =",
        ]
    );
}

/// The adjoint code: the counter, then a label in each iteration.
#[test]
fn cfr_section_2_reverse() {
    let plan = as_published(SECTION_2).plan.for_caller(Caller::OUTERMOST);
    assert_eq!(
        outline(&plan, &plan.reverse),
        [
            "pop y[2usize]",
            "y_adj[2usize] = 0",
            "y_adj[0usize] +=",
            "y_adj[1usize] +=",
            "pop count",
            "times count {",
            "pop way",
            "if {",
            "y_adj[1usize] = 0",
            "x_adj[0usize] +=",
            "} else {",
            "y_adj[0usize] = 0",
            "x_adj[1usize] +=",
            "}",
            "}",
        ]
    );
}

/// The vertices by number, and the arcs.
fn structure(graph: &Graph) -> (Vec<(i32, VertexKind)>, Vec<(i32, i32)>) {
    let mut arcs = graph.edge_numbers();
    arcs.sort_unstable();
    (
        graph.vertices.iter().map(|v| (v.number, v.kind)).collect(),
        arcs,
    )
}

/// What the block of this number does.
fn text_of(graph: &Graph, number: i32) -> String {
    let vertex = graph.vertices.iter().find(|v| v.number == number);
    vertex.map(|v| v.text.join("; ")).unwrap()
}

/// Figure 2 (a), without the vertex that computes the loop's condition.
#[test]
fn cfr_figure_2_primal() {
    use VertexKind::*;
    let Graphs { primal, .. } = graphs(&as_published(SECTION_2));
    let vertices = vec![
        (1, Entry),
        (2, BasicBlock),
        (3, Loop),
        (4, Branch),
        (5, BasicBlock),
        (6, BasicBlock),
        (7, EndBranch),
        (8, BasicBlock),
        (9, EndLoop),
        (10, BasicBlock),
        (11, Exit),
    ];
    let arcs = [
        (1, 2),
        (2, 3),
        (3, 4),
        (3, 10),
        (4, 5),
        (4, 6),
        (5, 7),
        (6, 7),
        (7, 8),
        (8, 9),
        (9, 3),
        (10, 11),
    ];
    assert_eq!(structure(&primal), (vertices, arcs.to_vec()));
    let into_body = primal
        .edges
        .iter()
        .find(|e| (e.from, e.to) == (2, 3))
        .unwrap();
    assert_eq!(into_body.label, Some(1));
}

/// Figure 2 (b): five blocks more.
#[test]
fn cfr_figure_2_forward() {
    let Graphs { primal, reversal } = graphs(&as_published(SECTION_2));
    let forward = &reversal.forward;
    assert_eq!(forward.vertices.len(), primal.vertices.len() + 5);
    let blocks: Vec<String> = (12..=16).map(|k| text_of(forward, k)).collect();
    assert_eq!(
        blocks,
        [
            "ctr(3) = 0",
            "push(ctr(3))",
            "push(1)",
            "push(0)",
            "ctr(3) = ctr(3) + 1"
        ]
    );
    let arcs = structure(forward).1;
    for path in [[2, 12, 3], [3, 13, 10], [5, 14, 7], [6, 15, 7], [8, 16, 9]] {
        assert!(
            arcs.contains(&(path[0], path[1])) && arcs.contains(&(path[1], path[2])),
            "{path:?}"
        );
        assert!(!arcs.contains(&(path[0], path[2])), "{path:?}");
    }
}

/// Figure 2 (c): the edges turned round, two blocks more.
#[test]
fn cfr_figure_2_reverse() {
    use VertexKind::*;
    let Graphs { reversal, .. } = graphs(&as_published(SECTION_2));
    let reverse = &reversal.reverse;
    let vertices = vec![
        (-1, Exit),
        (-2, BasicBlock),
        (-3, EndLoop),
        (-4, EndBranch),
        (-5, BasicBlock),
        (-6, BasicBlock),
        (-7, Branch),
        (-8, BasicBlock),
        (-9, ForLoop),
        (-10, BasicBlock),
        (-11, Entry),
        (12, BasicBlock),
        (13, BasicBlock),
    ];
    let arcs = [
        (-11, -10),
        (-10, 12),
        (-9, -8),
        (-9, -2),
        (-8, 13),
        (-7, -6),
        (-7, -5),
        (-6, -4),
        (-5, -4),
        (-4, -3),
        (-3, -9),
        (-2, -1),
        (12, -9),
        (13, -7),
    ];
    let mut arcs = arcs.to_vec();
    arcs.sort_unstable();
    assert_eq!(structure(reverse), (vertices, arcs));
    assert_eq!(
        (text_of(reverse, 12), text_of(reverse, 13)),
        ("rBound = pop()".into(), "branchId = pop()".into())
    );
    assert_eq!(text_of(reverse, -7), "if branchId == 1");
}

// [TBR] §2, Figure 1.

const FIGURE_1: &str = "\
fn figure_1(x: &mut [f64]) {
    let mut i = 0usize;
    let mut j = 10usize;
    let mut a = 3.14159;
    while j > 0 {
        if i.max(j) > 7 {
            x[i] = j as f64 + x[i].sin();
        } else {
            x[j] = j as f64 * x[j].cos() + a;
        }
        i += 1;
        j -= 1;
        a /= 2.0;
    }
}";

/// Each element of `x` is recorded before it is overwritten, `i` and `j` where they change, and the
/// control as in the figure.
#[test]
fn tbr_figure_1_forward() {
    let plan = as_published(FIGURE_1).plan.for_caller(Caller::OUTERMOST);
    assert_eq!(
        outline(&plan, &plan.forward),
        [
            "loop {",
            "if {",
            "push x[i]",
            "x[i] =",
            "push true",
            "} else {",
            "push x[j]",
            "x[j] =",
            "push false",
            "}",
            "push i",
            "push j",
            "a =",
            "}",
            "push count",
        ]
    );
}

#[test]
fn tbr_figure_1_reverse() {
    let plan = as_published(FIGURE_1).plan.for_caller(Caller::OUTERMOST);
    assert_eq!(
        outline(&plan, &plan.reverse),
        [
            "pop count",
            "times count {",
            "pop j",
            "pop i",
            "pop way",
            "if {",
            "x_adj[i] = 0",
            "sin_adj +=",
            "pop x[i]",
            "x_adj[i] +=",
            "} else {",
            "x_adj[j] = 0",
            "cos_adj +=",
            "pop x[j]",
            "x_adj[j] +=",
            "}",
            "}",
        ]
    );
}

/// `a` is in no required set, and has no adjoint: it is not active.
#[test]
fn tbr_figure_1_leaves_a_alone() {
    let analysed = analysed("", FIGURE_1);
    let func = &analysed.plan.func;
    let a = func.var_ids().find(|v| func.var(*v).name == "a").unwrap();
    assert!(!analysed.facts.activity.active.contains(a));
    assert!(!analysed.plan.adjoint.contains_key(&a));
    let facts = &analysed.facts;
    let required = |set| facts.cells.vars(set).contains(a);
    assert!(!facts.own.in_req.values().any(required));
    assert!(recorded(&analysed.plan).iter().all(|place| place != "a"));
}

// [TBR] §6, Appendices A and B.

const BRATU: &str = "\
fn bratu(x: &[f64], prm: &[f64], f: &mut [f64]) {
    let dim = x.len();
    let h = 2.0 / (dim + 1) as f64;
    f[0] = -2.0 * x[0] + h * h * prm[0] / 12.0 * (1.0 + 10.0 * (x[0] / (1.0 + prm[1] * x[0])).exp());
    f[1] = x[0] + h * h * prm[0] / 12.0 * (x[0] / (1.0 + prm[1] * x[0])).exp();
    for i in 1..dim - 1 {
        f[i - 1] = f[i - 1] + x[i] + h * h * prm[0] / 12.0 * (x[i] / (1.0 + prm[1] * x[i])).exp();
        f[i] = f[i] - 2.0 * x[i] + h * h * prm[0] / 1.2 * (x[i] / (1.0 + prm[1] * x[i])).exp();
        f[i + 1] = x[i] + h * h * prm[0] / 12.0 * (x[i] / (1.0 + prm[1] * x[i])).exp();
    }
}";

/// What is recorded inside the loop.
fn recorded_in_loop(args: &str) -> Vec<String> {
    let plan = analysed(args, BRATU).plan.for_caller(Caller::OUTERMOST);
    let mut places = Vec::new();
    plan.forward.walk(&mut |s| {
        if let StmtKind::Loop(_, body) = &s.kind {
            places = recorded(&Plan {
                forward: body.clone(),
                ..plan.clone()
            });
        }
    });
    places
}

/// Appendix B pushes `exp5` to `exp10`, the quotients and their exponentials, and nothing else.
#[test]
fn tbr_bratu_records_the_exponentials_only() {
    let kinds: Vec<String> = recorded_in_loop("")
        .iter()
        .map(|name| {
            name.trim_end_matches(|c: char| c == '_' || c.is_ascii_digit())
                .to_string()
        })
        .collect();
    assert_eq!(
        kinds,
        ["quotient", "exp", "quotient", "exp", "quotient", "exp"]
    );
}

/// Section 6: without the analysis, `f(i-1)`, `f(i)` and `f(i+1)` are recorded as well.
#[test]
fn tbr_bratu_without_the_analysis() {
    let places = recorded_in_loop("without(tbr)");
    for element in ["f[i - 1usize]", "f[i]", "f[i + 1usize]"] {
        assert_eq!(
            places.iter().filter(|p| *p == element).count(),
            1,
            "{element} in {places:?}"
        );
    }
}
