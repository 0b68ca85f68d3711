//! Elimination of edges and vertices: `[CFR]` §3.1.
//!
//! Front elimination of (i, j) leads the paths through it past j: an edge (i, k) for each k in S(j). Back elimination of
//! (j, k) leads those through it past j from the other side: an edge (i, k) for each i in P(j). The label of a new edge is the
//! product of the two that it replaces; where (i, k) is there already, the product is added to its label (*absorption*).
//! An intermediate vertex without edges on one side is removed with those on the other. What is left in the end is
//! bipartite, and its labels are the entries of the Jacobian.
//!
//! No edge into a dependent is eliminated at its front, since its label belongs to the Jacobian. So a dependent with
//! successors loses the edges to these, by back elimination, and keeps those from its predecessors, as if a copy of it
//! behind an edge of label 1 were the dependent (`[FLAT]` §6.2).

use super::graph::{Graph, Label, Role, Value, Vertex};

/// The side at which an edge is eliminated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Side {
    /// At its end.
    Front,
    /// At its start.
    Back,
}

/// An edge and the side at which it is eliminated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Target {
    /// The ends.
    pub edge: (Vertex, Vertex),
    /// The side.
    pub side: Side,
}

/// A Jacobian accumulation expression (JAE): `label = [absorbed +] first · second`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accumulation {
    /// The label that it makes.
    pub label: Label,
    /// The label that the edge had before.
    pub absorbed: Option<Label>,
    /// The labels that are multiplied.
    pub factors: [Label; 2],
}

/// The numbers of operations.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cost {
    /// Those by 1 and −1 are free.
    pub multiplications: usize,
    /// One for each absorption.
    pub additions: usize,
}

impl Cost {
    /// All operations.
    pub fn total(self) -> usize {
        self.multiplications + self.additions
    }
}

/// A graph whose edges are eliminated one after another.
#[derive(Clone, Debug)]
pub struct Elimination {
    /// What is left.
    pub graph: Graph,
    /// The expressions so far.
    pub accumulations: Vec<Accumulation>,
    /// Their cost.
    pub cost: Cost,
}

impl Elimination {
    /// The graph before anything is eliminated.
    pub fn of(graph: Graph) -> Elimination {
        let mut start = Elimination {
            graph,
            accumulations: Vec::new(),
            cost: Cost::default(),
        };
        start.prune(start.graph.vertices().collect());
        start
    }

    /// All that may be eliminated.
    pub fn targets(&self) -> Vec<Target> {
        let mut targets = Vec::new();
        for (edge @ (from, to), _) in self.graph.edges() {
            if self.graph.role(to) == Role::Intermediate {
                let side = Side::Front;
                targets.push(Target { edge, side });
            }
            if self.graph.role(from) != Role::Independent {
                let side = Side::Back;
                targets.push(Target { edge, side });
            }
        }
        targets
    }

    /// P(θ): the vertices in which new edges start.
    pub fn predecessors(&self, target: Target) -> Vec<Vertex> {
        match target.side {
            Side::Front => vec![target.edge.0],
            Side::Back => self.graph.predecessors(target.edge.0),
        }
    }

    /// S(θ): the vertices in which new edges end.
    pub fn successors(&self, target: Target) -> Vec<Vertex> {
        match target.side {
            Side::Front => self.graph.successors(target.edge.1),
            Side::Back => vec![target.edge.1],
        }
    }

    /// Eliminates an edge.
    pub fn edge(&mut self, target: Target) {
        let past = target.past();
        for from in self.predecessors(target) {
            for to in self.successors(target) {
                self.lead_past(past, from, to);
            }
        }
        let (from, to) = target.edge;
        self.graph.remove_edge(from, to);
        self.prune(vec![from, to]);
    }

    /// Eliminates a vertex: all edges from it, at their backs.
    pub fn vertex(&mut self, v: Vertex) {
        for to in self.graph.successors(v) {
            let (edge, side) = ((v, to), Side::Back);
            self.edge(Target { edge, side });
        }
    }

    fn lead_past(&mut self, past: Vertex, from: Vertex, to: Vertex) {
        let both = [self.graph.label(from, past), self.graph.label(past, to)];
        let [Some(first), Some(second)] = both else {
            return;
        };
        let absorbed = self.graph.label(from, to);
        let product = times(self.graph.value(first), self.graph.value(second));
        let is_unit = |l: Label| self.graph.value(l) != Value::Any;
        if !is_unit(first) && !is_unit(second) {
            self.cost.multiplications += 1;
        }
        self.cost.additions += usize::from(absorbed.is_some());
        let value = if absorbed.is_some() {
            Value::Any
        } else {
            product
        };
        let label = self.graph.add_edge(from, to, value);
        self.accumulations.push(Accumulation {
            label,
            absorbed,
            factors: [first, second],
        });
    }

    /// Removes the edges of intermediate vertices that have some on one side alone: of these, which have lost one, and of
    /// those that lose one by that.
    fn prune(&mut self, mut open: Vec<Vertex>) {
        while let Some(v) = open.pop() {
            let (before, behind) = (self.graph.predecessors(v), self.graph.successors(v));
            if self.graph.role(v) != Role::Intermediate || before.is_empty() == behind.is_empty() {
                continue;
            }
            for other in before {
                self.graph.remove_edge(other, v);
                open.push(other);
            }
            for other in behind {
                self.graph.remove_edge(v, other);
                open.push(other);
            }
        }
    }
}

impl Target {
    /// The vertex past which paths are led.
    pub fn past(self) -> Vertex {
        match self.side {
            Side::Front => self.edge.1,
            Side::Back => self.edge.0,
        }
    }
}

fn times(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Any, _) | (_, Value::Any) => Value::Any,
        (a, b) if a == b => Value::One,
        _ => Value::MinusOne,
    }
}
