//! `[CFR]` Algorithm 1: the topological sort of a structured graph.
//!
//! A vertex comes after its dominators and before its post-dominators: an ENDLOOP after the body, an
//! ENDBRANCH after all arms, and a loop's body before what follows the loop.
//!
//! DIVERGENCE `[CFR]` Algorithm 1: an ENDBRANCH leaves the stack before its successors are sorted (line
//! 16 before line 15), because what follows a branch inside an arm leads to the ENDBRANCH around it,
//! which is pushed then, and would be popped in the inner one's place.

use super::{Edge, Graph, VertexKind};

/// The vertices in topological order, from ENTRY.
pub fn topsort(graph: &Graph) -> Vec<usize> {
    let visited = vec![false; graph.vertices.len()];
    let mut sort = Sort {
        graph,
        visited,
        stack: Vec::new(),
        order: Vec::new(),
    };
    let entry = graph
        .vertices
        .iter()
        .position(|v| v.kind == VertexKind::Entry);
    entry.into_iter().for_each(|v| sort.topsort(v));
    sort.order
}

struct Sort<'a> {
    graph: &'a Graph,
    visited: Vec<bool>,
    /// `S`: the ENDBRANCH vertices that wait for their arms.
    stack: Vec<usize>,
    /// `V`, as it grows.
    order: Vec<usize>,
}

impl Sort<'_> {
    fn topsort(&mut self, i: usize) {
        // Lines 1 and 2.
        if std::mem::replace(&mut self.visited[i], true) {
            return;
        }
        let kind = self.graph.vertices[i].kind;
        // Lines 3 to 5.
        if kind == VertexKind::EndBranch {
            self.stack.push(i);
            return;
        }
        self.order.push(i);
        // Lines 7 to 12: a loop's body comes before what follows the loop.
        let graph = self.graph;
        let (into, past): (Vec<&Edge>, Vec<&Edge>) = graph
            .out_edges(i)
            .partition(|e| kind != VertexKind::Loop || e.label == Some(1));
        into.into_iter()
            .chain(past)
            .for_each(|e| self.topsort(e.to));
        // Lines 13 to 17.
        if kind == VertexKind::Branch
            && let Some(end) = self.stack.pop()
        {
            self.order.push(end);
            graph.out_edges(end).for_each(|e| self.topsort(e.to));
        }
    }
}
