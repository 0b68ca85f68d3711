//! Elimination orders: `[CFR]` §3.2.
//!
//! To accumulate a Jacobian with the fewest operations is NP-complete (Naumann 2008, see the page). So several orders are
//! tried, and the one with the fewest operations is taken; never one with more than the better of forward and reverse
//! mode. Of large graphs, only these two are tried: the other orders look at all of the graph in each step.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::elimination::{Elimination, Target};
use super::graph::{Graph, Role, Vertex};

/// With more vertices than this, a graph is large.
const LARGE: usize = 100;

/// How the next elimination is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Vertices in topological order.
    Forward,
    /// Vertices against it.
    Reverse,
    /// The vertex v of the least |P(v)|·|S(v)| (LM).
    LowestMarkowitz,
    /// The vertex v of the least |P(v)|·|S(v)| − |X(v)|·|Y(v)|, with the independents that lead to it and the dependents to
    /// which it leads.
    LowestRelativeMarkowitz,
    /// Edges by LM, then reverse.
    EdgeMarkowitz,
    /// Edges by the highest sibling degree (HS), then LM, then reverse.
    HighestSibling,
}

impl Order {
    /// All orders, the first among equals first.
    pub const ALL: [Order; 6] = [
        Order::Reverse,
        Order::Forward,
        Order::LowestMarkowitz,
        Order::LowestRelativeMarkowitz,
        Order::EdgeMarkowitz,
        Order::HighestSibling,
    ];

    /// Those that are tried for a graph.
    pub fn tried(graph: &Graph) -> &'static [Order] {
        match graph.vertices().len() > LARGE {
            true => &Order::ALL[..2],
            false => &Order::ALL,
        }
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Order::Forward => "forward",
            Order::Reverse => "reverse",
            Order::LowestMarkowitz => "lowest Markowitz degree",
            Order::LowestRelativeMarkowitz => "lowest relative Markowitz degree",
            Order::EdgeMarkowitz => "edges by lowest Markowitz degree",
            Order::HighestSibling => "edges by highest sibling degree",
        }
    }
}

/// What is eliminated in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// All edges from a vertex.
    Vertex(Vertex),
    /// An edge.
    Edge(Target),
}

/// A graph made bipartite.
#[derive(Clone, Debug)]
pub struct Accumulated {
    /// The order.
    pub order: Order,
    /// The steps.
    pub steps: Vec<Step>,
    /// The bipartite graph, how it came about, and the cost.
    pub result: Elimination,
}

/// The graph, made bipartite in this order.
pub fn accumulate(graph: &Graph, order: Order) -> Accumulated {
    let mut result = Elimination::of(graph.clone());
    let (mut steps, mut last) = (Vec::new(), None);
    while let Some(step) = next(&result, order, (steps.last(), last.as_ref())) {
        match step {
            Step::Vertex(v) => result.vertex(v),
            Step::Edge(target) => {
                last = Some(Ends::of(&result, target));
                result.edge(target);
            }
        }
        steps.push(step);
    }
    Accumulated {
        order,
        steps,
        result,
    }
}

/// The graph, made bipartite in the cheapest of all orders.
pub fn cheapest(graph: &Graph) -> Accumulated {
    let all = Order::tried(graph)
        .iter()
        .map(|order| accumulate(graph, *order));
    let cheapest = all.min_by_key(|accumulated| accumulated.result.cost.total());
    cheapest.unwrap_or_else(|| accumulate(graph, Order::Reverse))
}

/// The next step, behind the last one, which was at these ends if it was at an edge.
fn next(
    state: &Elimination,
    order: Order,
    (last, ends): (Option<&Step>, Option<&Ends>),
) -> Option<Step> {
    let (graph, all) = (&state.graph, state.graph.vertices());
    // No elimination gives a vertex edges on a side where it had none.
    let (behind, before) = match last {
        Some(Step::Vertex(v)) => (*v + 1..all.end, 0..*v),
        _ => (all.clone(), all),
    };
    let is_inner = |v: &Vertex| graph.is_inner(*v);
    match order {
        Order::Forward => behind.into_iter().find(is_inner).map(Step::Vertex),
        Order::Reverse => before.rev().find(is_inner).map(Step::Vertex),
        Order::LowestMarkowitz => least(graph, |v| markowitz(graph, v)),
        Order::LowestRelativeMarkowitz => {
            least(graph, |v| markowitz(graph, v) - connected(graph, v))
        }
        Order::EdgeMarkowitz => next_edge(state, None),
        Order::HighestSibling => next_edge(state, ends),
    }
}

/// The vertex of the least degree; among equals the last one, which reverse mode takes first.
fn least(graph: &Graph, degree: impl Fn(Vertex) -> isize) -> Option<Step> {
    let vertices = graph.vertices().rev().filter(|v| graph.is_inner(*v));
    vertices.min_by_key(|v| degree(*v)).map(Step::Vertex)
}

/// |P(v)|·|S(v)|
fn markowitz(graph: &Graph, v: Vertex) -> isize {
    (graph.predecessors(v).len() * graph.successors(v).len()) as isize
}

/// |X(v)|·|Y(v)|
fn connected(graph: &Graph, v: Vertex) -> isize {
    let count = |role: Role, neighbours: &dyn Fn(Vertex) -> Vec<Vertex>| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![v]);
        while let Some(v) = open.pop() {
            open.extend(neighbours(v).into_iter().filter(|n| seen.insert(*n)));
        }
        seen.iter().filter(|n| graph.role(**n) == role).count()
    };
    let inputs = count(Role::Independent, &|v| graph.predecessors(v));
    let outputs = count(Role::Dependent, &|v| graph.successors(v));
    (inputs * outputs) as isize
}

/// P(θ) and S(θ) when θ was eliminated.
struct Ends {
    predecessors: Vec<Vertex>,
    successors: Vec<Vertex>,
}

impl Ends {
    fn of(state: &Elimination, target: Target) -> Ends {
        Ends {
            predecessors: state.predecessors(target),
            successors: state.successors(target),
        }
    }

    /// The Markowitz degree: |S(θ)| of a front elimination, |P(θ)| of a back elimination.
    fn markowitz(&self) -> usize {
        self.predecessors.len() * self.successors.len()
    }

    /// |S(θ) ∩ S(θ⁻)| · |P(θ) ∩ P(θ⁻)|
    fn sibling_degree(&self, last: &Ends) -> usize {
        let common = |a: &[Vertex], b: &[Vertex]| a.iter().filter(|v| b.contains(v)).count();
        common(&self.successors, &last.successors) * common(&self.predecessors, &last.predecessors)
    }
}

/// The edge of the highest sibling degree with the last one, where that is given, then of the lowest Markowitz degree,
/// then the one that reverse mode takes first.
fn next_edge(state: &Elimination, last: Option<&Ends>) -> Option<Step> {
    let key = |target: &Target| {
        let ends = Ends::of(state, *target);
        let siblings = last.map_or(0, |last| ends.sibling_degree(last));
        let late = (target.past(), target.edge, Reverse(target.side));
        (Reverse(siblings), ends.markowitz(), Reverse(late))
    };
    state.targets().into_iter().min_by_key(key).map(Step::Edge)
}
