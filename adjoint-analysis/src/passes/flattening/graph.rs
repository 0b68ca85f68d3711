//! Linearised computational graphs: `[CFR]` §3, `[FLAT]` §1.
//!
//! Vertices are numbered in topological order. An edge (i, j) carries a label, the partial ∂j/∂i. What the values of
//! labels are is not known here, only whether one is 1 or −1, since these cost no multiplication.

use std::collections::{BTreeMap, BTreeSet};

/// The number of a vertex, above those of all its predecessors.
pub type Vertex = usize;

/// The number of a label.
pub type Label = usize;

/// The role of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// An input, without predecessors.
    Independent,
    /// Neither.
    Intermediate,
    /// An output, perhaps with successors (`[FLAT]` §6.2).
    Dependent,
}

/// What is known of a label's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value {
    /// It is 1.
    One,
    /// It is −1.
    MinusOne,
    /// It may be anything.
    Any,
}

/// A graph.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    roles: Vec<Role>,
    edges: BTreeMap<(Vertex, Vertex), Label>,
    /// The ends of each edge the other way round.
    backwards: BTreeSet<(Vertex, Vertex)>,
    values: Vec<Value>,
}

impl Graph {
    /// Adds a vertex behind the others.
    pub fn add_vertex(&mut self, role: Role) -> Vertex {
        self.roles.push(role);
        self.roles.len() - 1
    }

    /// Adds an edge with a label of its own. It replaces another one between the two.
    ///
    /// # Panics
    ///
    /// If it does not lead to a later vertex, or leads into an independent.
    pub fn add_edge(&mut self, from: Vertex, to: Vertex, value: Value) -> Label {
        assert!(from < to && self.roles[to] != Role::Independent);
        self.values.push(value);
        let label = self.values.len() - 1;
        self.edges.insert((from, to), label);
        self.backwards.insert((to, from));
        label
    }

    /// Removes an edge.
    pub fn remove_edge(&mut self, from: Vertex, to: Vertex) {
        self.edges.remove(&(from, to));
        self.backwards.remove(&(to, from));
    }

    /// Gives a vertex another role.
    pub fn set_role(&mut self, v: Vertex, role: Role) {
        self.roles[v] = role;
    }

    /// The role of a vertex.
    pub fn role(&self, v: Vertex) -> Role {
        self.roles[v]
    }

    /// All vertices, those without edges too.
    pub fn vertices(&self) -> std::ops::Range<Vertex> {
        0..self.roles.len()
    }

    /// The edges with their labels, by their ends.
    pub fn edges(&self) -> impl Iterator<Item = ((Vertex, Vertex), Label)> + '_ {
        self.edges.iter().map(|(ends, label)| (*ends, *label))
    }

    /// The label of an edge, if there is one between the two.
    pub fn label(&self, from: Vertex, to: Vertex) -> Option<Label> {
        self.edges.get(&(from, to)).copied()
    }

    /// What is known of the value of a label.
    pub fn value(&self, label: Label) -> Value {
        self.values[label]
    }

    /// The number of labels, those of removed edges too.
    pub fn labels(&self) -> usize {
        self.values.len()
    }

    /// P(v): the vertices with an edge to `v`.
    pub fn predecessors(&self, v: Vertex) -> Vec<Vertex> {
        let into = self.backwards.range((v, 0)..(v + 1, 0));
        into.map(|(_, from)| *from).collect()
    }

    /// S(v): the vertices with an edge from `v`.
    pub fn successors(&self, v: Vertex) -> Vec<Vertex> {
        let out = self.edges.range((v, 0)..(v + 1, 0));
        out.map(|((_, to), _)| *to).collect()
    }

    /// Whether the vertex has to be eliminated: it has edges on both sides.
    pub fn is_inner(&self, v: Vertex) -> bool {
        let ends = (v, 0)..(v + 1, 0);
        self.edges.range(ends.clone()).next().is_some()
            && self.backwards.range(ends).next().is_some()
    }

    /// Whether the labels are the entries of the Jacobian: all edges lead from independents to dependents, and no path
    /// has two of them.
    pub fn is_bipartite(&self) -> bool {
        let is_entry = |(from, to): &(Vertex, Vertex)| {
            self.role(*from) == Role::Independent && self.role(*to) == Role::Dependent
        };
        self.edges.keys().all(is_entry)
    }
}
