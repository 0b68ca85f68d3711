//! The block of `[CFR]` Equation (3).

use adjoint_analysis::passes::flattening::elimination::{Cost, Side, Target};
use adjoint_analysis::passes::flattening::graph::{Graph, Role, Value, Vertex};
use adjoint_analysis::passes::flattening::order::{Accumulated, Order, Step, accumulate, cheapest};

/// The vertices 1, 2, 3, 4, t, 7 and 6 of Figure 3 by position, and the labels of Equation (4) in its order.
fn block() -> Graph {
    let mut graph = Graph::default();
    let roles = [
        Role::Independent,
        Role::Independent,
        Role::Dependent,
        Role::Dependent,
        Role::Intermediate,
        Role::Dependent,
        Role::Dependent,
    ];
    for role in roles {
        graph.add_vertex(role);
    }
    let [v1, v2, v3, v4, t, v7, v6] = [0, 1, 2, 3, 4, 5, 6];
    for (from, to) in [
        (v1, v3),
        (v2, v3),
        (v1, v4),
        (v3, v4),
        (v3, t),
        (v2, t),
        (t, v7),
        (v4, v7),
        (v4, v6),
    ] {
        graph.add_edge(from, to, Value::Any);
    }
    graph
}

/// The values of the nine labels.
fn partials([v1, v2]: [f64; 2]) -> Vec<f64> {
    let v3 = v1 * v2;
    let v4 = v1 * v3;
    let t = v3 * v2;
    vec![v2, v1, v3, v1, v2, v3, v4, t, v4.cos()]
}

/// `v3`, `v4`, `v7` and `v6` by `v1` and `v2`, in closed form.
fn derivatives([a, b]: [f64; 2]) -> [(Vertex, [f64; 2]); 4] {
    // v4 = a²b, v7 = a³b³
    let by_v4 = (a * a * b).cos();
    [
        (2, [b, a]),
        (3, [2.0 * a * b, a * a]),
        (5, [3.0 * a * a * b.powi(3), 3.0 * a.powi(3) * b * b]),
        (6, [by_v4 * 2.0 * a * b, by_v4 * a * a]),
    ]
}

/// The values of all labels behind the eliminations.
pub fn evaluate(accumulated: &Accumulated, mut values: Vec<f64>) -> Vec<f64> {
    for a in &accumulated.result.accumulations {
        let product = values[a.factors[0]] * values[a.factors[1]];
        assert_eq!(values.len(), a.label);
        values.push(a.absorbed.map_or(0.0, |old| values[old]) + product);
    }
    values
}

#[test]
fn equation_3_is_eliminated_as_the_paper_does_it() {
    let found = accumulate(&block(), Order::HighestSibling);
    let edge = |edge, side| Step::Edge(Target { edge, side });
    assert_eq!(
        found.steps[..2],
        [edge((2, 4), Side::Front), edge((3, 5), Side::Back)],
        "(3,t)_f by LM and reverse mode, then its sibling (4,7)_b"
    );
}

#[test]
fn equation_3_has_its_jacobian_in_each_order() {
    let at = [1.3, 0.7];
    for order in Order::ALL {
        let found = accumulate(&block(), order);
        assert!(found.result.graph.is_bipartite(), "{}", order.name());
        let values = evaluate(&found, partials(at));
        for (to, expected) in derivatives(at) {
            for (from, expected) in expected.into_iter().enumerate() {
                let label = found.result.graph.label(from, to).expect("an entry");
                let error = (values[label] - expected).abs();
                assert!(error < 1e-14, "{}: {from} {to}", order.name());
            }
        }
    }
}

#[test]
fn both_products_of_equation_3_agree() {
    let at = [0.4, -1.1];
    let found = cheapest(&block());
    let values = evaluate(&found, partials(at));
    let (dx, seed) = ([0.3, 0.8], [0.0, 0.0, 1.5, -0.2, 0.0, 0.6, 2.0]);
    let (mut dy, mut adjoint) = ([0.0; 7], [0.0; 2]);
    for ((from, to), label) in found.result.graph.edges() {
        dy[to] += values[label] * dx[from];
        adjoint[from] += values[label] * seed[to];
    }
    let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
    assert!((dot(&dy, &seed) - dot(&dx, &adjoint)).abs() < 1e-14);
}

#[test]
fn equation_3_takes_fewest_operations_forward() {
    let cost = |order| accumulate(&block(), order).result.cost;
    let all = Order::ALL.map(|order| (order, cost(order)));
    let expected = |multiplications, additions| Cost {
        multiplications,
        additions,
    };
    assert_eq!(
        all,
        [
            (Order::Reverse, expected(12, 5)),
            (Order::Forward, expected(10, 4)),
            (Order::LowestMarkowitz, expected(12, 5)),
            (Order::LowestRelativeMarkowitz, expected(10, 4)),
            (Order::EdgeMarkowitz, expected(12, 5)),
            (Order::HighestSibling, expected(12, 5)),
        ]
    );
}
