//! The least number of operations of any order of vertices, by trying all sets of vertices.
//!
//! Which edges there are behind the elimination of a set does not depend on the order. So the cheapest way to a set is
//! the cheapest one to the set without one of its vertices, and that vertex: 2ⁿ sets for n vertices, not n! orders.

use adjoint_analysis::passes::flattening::graph::{Graph, Vertex};

/// The edges, as bits of the successors and predecessors of each vertex.
#[derive(Clone)]
struct Edges {
    successors: Vec<u32>,
    predecessors: Vec<u32>,
}

impl Edges {
    fn of(graph: &Graph) -> Edges {
        let bits = |of: &dyn Fn(Vertex) -> Vec<Vertex>| {
            let set = |v| of(v).into_iter().fold(0, |bits, other| bits | 1 << other);
            graph.vertices().map(set).collect()
        };
        Edges {
            successors: bits(&|v| graph.successors(v)),
            predecessors: bits(&|v| graph.predecessors(v)),
        }
    }

    /// Multiplications and additions, where no label is known.
    fn cost(&self, v: Vertex) -> u32 {
        let into = ones(self.predecessors[v]);
        let each = into.map(|p| {
            let present = self.successors[p] & self.successors[v];
            self.successors[v].count_ones() + present.count_ones()
        });
        each.sum()
    }

    fn eliminate(&mut self, v: Vertex) {
        for p in ones(self.predecessors[v]) {
            self.successors[p] = (self.successors[p] | self.successors[v]) & !(1 << v);
        }
        for s in ones(self.successors[v]) {
            self.predecessors[s] = (self.predecessors[s] | self.predecessors[v]) & !(1 << v);
        }
    }
}

fn ones(bits: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |n| bits >> n & 1 == 1)
}

/// The least number of operations, for a graph of at most 32 vertices without dependents that have successors.
pub fn optimum(graph: &Graph) -> usize {
    let inner: Vec<Vertex> = graph.vertices().filter(|v| graph.is_inner(*v)).collect();
    let full = (1 << inner.len()) - 1;
    // The edges and the cost of each set, in the order of their bits: subsets come first.
    let mut sets: Vec<Option<(Edges, u32)>> = vec![None; full + 1];
    sets[0] = Some((Edges::of(graph), 0));
    for set in 0..full {
        let Some((edges, cost)) = sets[set].take() else {
            continue;
        };
        for (n, v) in inner.iter().enumerate().filter(|(n, _)| set >> n & 1 == 0) {
            let (next, cost) = (set | 1 << n, cost + edges.cost(*v));
            match &mut sets[next] {
                Some((_, known)) => *known = cost.min(*known),
                unknown => {
                    let mut edges = edges.clone();
                    edges.eliminate(*v);
                    *unknown = Some((edges, cost));
                }
            }
        }
    }
    sets[full].as_ref().map_or(0, |(_, cost)| *cost as usize)
}
