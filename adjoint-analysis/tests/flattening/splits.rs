//! The examples of `[FLAT]`, with pointers as elements of slices.

use adjoint_analysis::ir::{Place, StmtId};
use adjoint_analysis::passes::flattening::flatten::{Flattened, Surroundings, flatten};
use adjoint_analysis::passes::flattening::graph::{Role, Value};
use adjoint_analysis::text::print;

use super::proved::proved_plan;

/// All reals are varied, and all values are read behind the run.
struct All;

impl Surroundings for All {
    fn is_varied(&self, _: StmtId, _: &Place) -> bool {
        true
    }

    fn is_read_behind(&self, _: &Place) -> bool {
        true
    }
}

/// Only parameters are read behind the run.
struct Locals(usize);

impl Surroundings for Locals {
    fn is_varied(&self, _: StmtId, _: &Place) -> bool {
        true
    }

    fn is_read_behind(&self, place: &Place) -> bool {
        place.root.index() < self.0
    }
}

fn graphs(params: &str, body: &str) -> Vec<Flattened> {
    let plan = proved_plan(
        "without(preaccumulation)",
        &format!("fn f({params}) {{ {body} }}"),
    );
    flatten(&plan.func, &plan.func.body.stmts, &All)
}

/// The numbers of vertices, edges, independents and dependents.
fn counts(of: &Flattened) -> [usize; 4] {
    let role = |role| {
        of.graph
            .vertices()
            .filter(|v| of.graph.role(*v) == role)
            .count()
    };
    let edges = of.graph.edges().count();
    [
        of.graph.vertices().len(),
        edges,
        role(Role::Independent),
        role(Role::Dependent),
    ]
}

#[test]
fn figure_1_is_one_graph() {
    let found = graphs(
        "x: &mut f64, y: &mut f64, z: &mut f64",
        "*z = -(*z * x); *y = *z / x;",
    );
    // z, x, the product, its negative, the quotient; the negative is a dependent with a successor.
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [[5, 5, 2, 2]]);
    let names: Vec<usize> = found[0]
        .independents()
        .map(|(p, _)| p.root.index())
        .collect();
    assert_eq!(names, [2, 0], "`z` as it was, and `x` once");
}

const POINTERS: &str = "z: &mut [f64], x: f64, y: &mut f64, p: usize, k: usize";

#[test]
fn figure_2_is_split_where_the_pointer_may_have_moved() {
    let moved = "z[p] = -(z[p] * x); let q = p + k; *y = z[q] / x;";
    let found = graphs(POINTERS, moved);
    assert_eq!(
        found.iter().map(counts).collect::<Vec<_>>(),
        [[4, 3, 2, 1], [3, 2, 2, 1]]
    );
    assert!(found[0].split.is_none());
    assert!(found[1].split.is_some());
}

#[test]
fn figure_2_is_one_graph_where_the_pointer_is_known() {
    let still = "z[p] = -(z[p] * x); *y = z[p] / x;";
    assert_eq!(
        graphs(POINTERS, still)
            .iter()
            .map(counts)
            .collect::<Vec<_>>(),
        [[5, 5, 2, 2]]
    );
    let elsewhere = "z[p] = -(z[p] * x); *y = z[p + 1] / x;";
    assert_eq!(
        graphs(POINTERS, elsewhere)
            .iter()
            .map(counts)
            .collect::<Vec<_>>(),
        [[6, 5, 3, 2]]
    );
    let back = "z[p] = -(z[p] * x); let q = p + 1; *y = z[2 * q - p - 2] / x;";
    assert_eq!(
        graphs(POINTERS, back)
            .iter()
            .map(counts)
            .collect::<Vec<_>>(),
        [[5, 5, 2, 2]]
    );
}

#[test]
fn an_index_that_is_written_is_another_one() {
    let body = "let mut at = p; z[at] = z[at] * x; at = at + k; *y = z[at] * x;";
    let found = graphs(POINTERS, body);
    assert_eq!(found.len(), 2, "`at` has another value");
    let body = "let mut at = p; z[at] = z[at] * x; at = at + 2; *y = z[at] * z[at - 2];";
    assert_eq!(graphs(POINTERS, body).len(), 1);
}

#[test]
fn figure_4_uses_that_may_alias_are_benign() {
    let params = "q: &mut [f64], y: &mut f64, i: usize, j: usize, k: usize";
    let same = graphs(params, "*y = q[i] + q[i] + q[i];");
    assert_eq!(
        same.iter().map(counts).collect::<Vec<_>>(),
        [[3, 3, 1, 1]],
        "(a)"
    );
    let any = graphs(params, "*y = q[i] + q[j] + q[k];");
    assert_eq!(
        any.iter().map(counts).collect::<Vec<_>>(),
        [[5, 4, 3, 1]],
        "(b)"
    );
    let written = graphs(params, "q[i] = q[j] * q[k]; *y = q[k] / q[j];");
    assert_eq!(written.len(), 2, "(c)");
}

#[test]
fn figure_5_has_no_more_splits_than_it_needs() {
    // Two uses of one ambiguous assignment need one split; what the second graph assigns needs none.
    let body = "z[p] = -(z[p] * x); *y = z[k] / x; *y = *y * z[k]; *y = *y * z[k] * x;";
    assert_eq!(graphs(POINTERS, body).len(), 2);
    // Each of these may be of the assignment in front of it.
    let body = "z[p] = x * x; z[k] = z[k] * x; z[p] = z[p] * x;";
    assert_eq!(graphs(POINTERS, body).len(), 3);
}

#[test]
fn figure_6_dependents_need_not_be_maximal() {
    let found = graphs(
        "x: f64, v: &mut f64, w: &mut f64",
        "*v = x * x; *w = *v * *v;",
    );
    // (a): both are dependents, and `v` has a successor.
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [[3, 2, 1, 2]]);
    // (c): a copy is a vertex of its own, behind an edge of label 1.
    let copied = graphs("x: f64, y: &mut f64", "*y = x;");
    assert_eq!(
        copied.iter().map(counts).collect::<Vec<_>>(),
        [[2, 1, 1, 1]]
    );
    let ((_, label), graph) = (
        copied[0].graph.edges().next().expect("an edge"),
        &copied[0].graph,
    );
    assert_eq!(graph.value(label), Value::One);
}

#[test]
fn dependents_are_what_is_read_behind() {
    let body = "let a = x * x; let b = a * x; *y = b * b; *y = *y * a;";
    let plan = proved_plan(
        "without(preaccumulation)",
        &format!("fn f(x: f64, y: &mut f64) {{ {body} }}"),
    );
    let func = &plan.func;
    let found = flatten(func, &func.body.stmts, &Locals(func.params.len()));
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [[5, 6, 1, 1]]);
    let [(place, _)] = found[0].dependents().collect::<Vec<_>>()[..] else {
        panic!("one dependent")
    };
    assert_eq!(print::place(func, place), "y");
}

#[test]
fn what_carries_no_derivative_is_in_no_graph() {
    let found = graphs(
        "x: f64, y: &mut f64",
        "let c = 2.0; let s = x.floor() * c; *y = s + c * x;",
    );
    // `x`, its multiple, and the sum: `s` is constant in open subdomains.
    assert_eq!(found.iter().map(counts).collect::<Vec<_>>(), [[3, 2, 1, 1]]);
}
