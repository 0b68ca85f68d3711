//! Control-flow graphs: `[CFR]` Definition 1, from the structured IR.
//!
//! A structured graph has one ENTRY and one EXIT. A BASICBLOCK holds statements. A loop is a LOOP
//! vertex with an edge labelled 1 into its body, which ends in an ENDLOOP vertex with an edge back; a
//! branch is a BRANCH vertex whose edges carry the labels of its arms (1: the condition holds, 0: not),
//! which an ENDBRANCH vertex merges. Vertices are numbered in topological order ([`topsort`], Algorithm
//! 1). [`reverse()`] makes the augmented forward graph and the reversed graph (Algorithms 2 and 5);
//! [`dot()`] draws.
//!
//! DIVERGENCE `[CFR]` §2: a condition is an expression of its LOOP or BRANCH vertex, and no basic
//! block computes it beforehand, because expressions have no effects here. So the graph of the
//! paper's example lacks vertex 3 of Figure 2. A `break` ends its block like any other statement:
//! the IR keeps it in tail position, where the iteration ends anyway.

mod build;
mod dot;
mod reversal;
mod sort;

pub use build::{Graphs, graphs};
pub use dot::dot;
pub use reversal::{Control, Reversal, reverse};
pub use sort::topsort;

/// The type of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Where the function starts.
    Entry,
    /// Straight-line code.
    BasicBlock,
    /// Where a loop decides whether to go on.
    Loop,
    /// Where a loop's body ends.
    EndLoop,
    /// Where a branch decides.
    Branch,
    /// Where its arms merge.
    EndBranch,
    /// Where a reversed loop counts: the adjoint of ENDLOOP.
    ForLoop,
    /// Where the function ends.
    Exit,
}

impl Kind {
    /// The paper's word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Entry => "ENTRY",
            Kind::BasicBlock => "BASICBLOCK",
            Kind::Loop => "LOOP",
            Kind::EndLoop => "ENDLOOP",
            Kind::Branch => "BRANCH",
            Kind::EndBranch => "ENDBRANCH",
            Kind::ForLoop => "FORLOOP",
            Kind::Exit => "EXIT",
        }
    }
}

/// A vertex.
#[derive(Clone, PartialEq, Debug)]
pub struct Vertex {
    /// Its index in the paper's sense: from 1; of an adjoint vertex, the negative of the original's.
    pub number: i32,
    /// Its type.
    pub kind: Kind,
    /// What it does, line by line.
    pub text: Vec<String>,
    /// The vertex at the other end of its loop or branch.
    pub partner: Option<usize>,
}

impl Vertex {
    /// What is written into it: its number, its type, and what it does.
    pub fn lines(&self) -> Vec<String> {
        let title = format!("{} {}", self.number, self.kind.name());
        std::iter::once(title).chain(self.text.clone()).collect()
    }
}

/// An edge between vertices, which are named by their position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// From here.
    pub from: usize,
    /// To there.
    pub to: usize,
    /// The label, where it has one.
    pub label: Option<u32>,
    /// On an edge into ENDBRANCH, the label of the arm that it comes from.
    pub mark: Option<u32>,
}

/// A structured control-flow graph.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Graph {
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The edges.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// Adds a vertex; its position.
    pub fn vertex(&mut self, number: i32, kind: Kind, text: Vec<String>) -> usize {
        self.vertices.push(Vertex {
            number,
            kind,
            text,
            partner: None,
        });
        self.vertices.len() - 1
    }

    /// Adds an edge.
    pub fn edge(&mut self, from: usize, to: usize, label: Option<u32>, mark: Option<u32>) {
        self.edges.push(Edge {
            from,
            to,
            label,
            mark,
        });
    }

    /// The colour of a vertex, by a name that Graphviz and SVG know. Blocks put in are grey.
    pub fn colour(&self, vertex: &Vertex) -> &'static str {
        match vertex.kind {
            Kind::BasicBlock if vertex.number > self.last() => "lightgray",
            Kind::BasicBlock | Kind::Entry | Kind::Exit => "white",
            Kind::Loop | Kind::EndLoop | Kind::ForLoop => "lightblue",
            Kind::Branch | Kind::EndBranch => "lightyellow",
        }
    }

    /// The number of the original's EXIT.
    fn last(&self) -> i32 {
        let ends = self
            .vertices
            .iter()
            .filter(|v| v.kind == Kind::Exit || v.kind == Kind::Entry);
        ends.map(|v| v.number.abs()).max().unwrap_or_default()
    }

    /// The edges that leave a vertex.
    pub fn out(&self, from: usize) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |e| e.from == from)
    }

    /// The edges as pairs of numbers, for tests and people.
    pub fn arcs(&self) -> Vec<(i32, i32)> {
        let number = |v: usize| self.vertices[v].number;
        self.edges
            .iter()
            .map(|e| (number(e.from), number(e.to)))
            .collect()
    }
}
