//! Random graphs: each order gives the Jacobian of reverse mode, and the cheapest one is near the optimum.

use adjoint_analysis::gen_program::random::Random;
use adjoint_analysis::passes::flattening::graph::{Graph, Role, Value, Vertex};
use adjoint_analysis::passes::flattening::order::{Order, accumulate, cheapest};

use super::elimination::evaluate;
use super::optimum::optimum;

const GRAPHS: u64 = 10_000;

/// A graph of operations with one or two operands, mostly of late ones, with up to twelve intermediate vertices, and the
/// values of its labels.
fn graph(random: &mut Random, units: usize) -> (Graph, Vec<f64>) {
    let (mut graph, mut values) = (Graph::default(), Vec::new());
    let independents = random.between(1, 5);
    (0..independents).for_each(|_| _ = graph.add_vertex(Role::Independent));
    for _ in 0..random.between(1, 12) {
        let v = graph.add_vertex(Role::Intermediate);
        operands(&mut graph, v, random, &mut values, units);
    }
    let last = graph.vertices().end;
    let unused = |graph: &Graph, v: &Vertex| graph.successors(*v).is_empty();
    for from in (independents..last)
        .filter(|v| unused(&graph, v))
        .collect::<Vec<_>>()
    {
        let to = graph.add_vertex(Role::Dependent);
        edge(&mut graph, (from, to), random, &mut values, units);
    }
    for _ in 0..random.below(4) {
        let v = graph.add_vertex(Role::Dependent);
        let from = independents + random.below(last - independents);
        edge(&mut graph, (from, v), random, &mut values, units);
    }
    (graph, values)
}

fn operands(
    graph: &mut Graph,
    v: Vertex,
    random: &mut Random,
    values: &mut Vec<f64>,
    units: usize,
) {
    for _ in 0..random.between(1, 2) {
        let back = match random.chance(60) {
            true => v.min(4),
            false => v,
        };
        let from = v - 1 - random.below(back);
        if graph.label(from, v).is_none() && graph.role(from) != Role::Dependent {
            edge(graph, (from, v), random, values, units);
        }
    }
}

/// An edge whose label is 1 or −1 in that many of a hundred cases.
fn edge(
    graph: &mut Graph,
    (from, to): (Vertex, Vertex),
    random: &mut Random,
    values: &mut Vec<f64>,
    units: usize,
) {
    let (value, number) = match random.below(100) {
        k if k >= units => (Value::Any, random.real(-2.0, 2.0)),
        k if k % 2 == 0 => (Value::One, 1.0),
        _ => (Value::MinusOne, -1.0),
    };
    graph.add_edge(from, to, value);
    values.push(number);
}

/// The row of the Jacobian for a dependent, by reverse mode.
fn row(graph: &Graph, values: &[f64], of: Vertex) -> Vec<f64> {
    let mut adjoint = vec![0.0; graph.vertices().end];
    adjoint[of] = 1.0;
    for v in graph.vertices().rev() {
        for p in graph.predecessors(v) {
            if let Some(label) = graph.label(p, v) {
                adjoint[p] += values[label] * adjoint[v];
            }
        }
    }
    adjoint
}

fn is_jacobian(graph: &Graph, partials: &[f64], order: Order) {
    let found = accumulate(graph, order);
    let left = &found.result.graph;
    assert!(left.is_bipartite(), "{}: {graph:?}", order.name());
    let values = evaluate(&found, partials.to_vec());
    for to in graph
        .vertices()
        .filter(|v| graph.role(*v) == Role::Dependent)
    {
        let expected = row(graph, partials, to);
        for from in graph
            .vertices()
            .filter(|v| graph.role(*v) == Role::Independent)
        {
            let entry = left.label(from, to).map_or(0.0, |label| values[label]);
            let error = (entry - expected[from]).abs();
            assert!(
                error <= 1e-11 * (1.0 + expected[from].abs()),
                "{}: {from} {to}: {graph:?}",
                order.name()
            );
        }
    }
}

#[test]
fn each_order_gives_the_jacobian_of_reverse_mode() {
    for seed in 0..GRAPHS {
        let random = &mut Random::new(seed);
        let (mut graph, values) = graph(random, 30);
        // A dependent may have successors.
        for v in graph.vertices() {
            if graph.role(v) == Role::Intermediate && random.chance(10) {
                graph.set_role(v, Role::Dependent);
            }
        }
        for order in Order::ALL {
            is_jacobian(&graph, &values, order);
        }
    }
}

#[test]
fn the_cheapest_order_is_near_the_optimum() {
    let (mut all, mut least) = (0.0, 0);
    for seed in 0..GRAPHS {
        let (graph, _) = graph(&mut Random::new(seed), 0);
        let found = cheapest(&graph).result.cost.total();
        let [reverse, forward] = [Order::Reverse, Order::Forward]
            .map(|order| accumulate(&graph, order).result.cost.total());
        assert!(found <= reverse.min(forward));
        let best = optimum(&graph);
        all += found as f64 / (best as f64).max(1.0);
        least += usize::from(found <= best);
    }
    let mean = all / GRAPHS as f64;
    assert!(mean < 1.1, "{mean}");
    assert!(least as u64 > GRAPHS * 9 / 10, "{least}");
}
