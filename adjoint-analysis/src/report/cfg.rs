//! Control-flow graphs: `[CFR]` Definition 1, from the structured IR.
//!
//! A structured graph has one ENTRY and one EXIT. A BASICBLOCK holds statements. A loop is a LOOP
//! vertex with an edge labelled 1 into its body, which ends in an ENDLOOP vertex with an edge back; a
//! branch is a BRANCH vertex whose edges carry the labels of its arms (1: the condition holds, 0: not),
//! which an ENDBRANCH vertex merges. Vertices are numbered in topological order ([`topsort`], Algorithm
//! 1). [`reverse()`] makes the augmented forward graph and the reversed graph (Algorithms 2 and 5).
//!
//! DIVERGENCE `[CFR]` §2: a condition is an expression of its LOOP or BRANCH vertex, and no basic
//! block computes it beforehand, because expressions have no effects here. So the graph of the
//! paper's example lacks vertex 3 of Figure 2. A `break` ends its block like any other statement:
//! the IR keeps it in tail position, where the iteration ends anyway.

mod build;
mod reversal;
mod sort;

pub use build::{Graphs, graphs};
pub use reversal::{Control, Reversal, reverse};
pub use sort::topsort;

use super::diagram::{Arrow, Diagram, TextBox};

/// The type of a vertex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VertexKind {
    /// The entry of the function.
    Entry,
    /// Straight-line code.
    BasicBlock,
    /// The test of a loop.
    Loop,
    /// The end of a loop's body.
    EndLoop,
    /// The test of a branch.
    Branch,
    /// The merge of a branch's arms.
    EndBranch,
    /// The counter of a reversed loop: the adjoint of ENDLOOP.
    ForLoop,
    /// The exit of the function.
    Exit,
}

impl VertexKind {
    /// The name in the paper.
    pub fn name(self) -> &'static str {
        match self {
            VertexKind::Entry => "ENTRY",
            VertexKind::BasicBlock => "BASICBLOCK",
            VertexKind::Loop => "LOOP",
            VertexKind::EndLoop => "ENDLOOP",
            VertexKind::Branch => "BRANCH",
            VertexKind::EndBranch => "ENDBRANCH",
            VertexKind::ForLoop => "FORLOOP",
            VertexKind::Exit => "EXIT",
        }
    }
}

/// A vertex.
#[derive(Clone, PartialEq, Debug)]
pub struct Vertex {
    /// The number in the paper, from 1; that of an adjoint vertex is the negative of the original's.
    pub number: i32,
    /// Its type.
    pub kind: VertexKind,
    /// The code, line by line.
    pub text: Vec<String>,
    /// The vertex at the other end of its loop or branch.
    pub partner: Option<usize>,
}

impl Vertex {
    /// The label in a drawing: the number, the type and the code.
    pub fn lines(&self) -> Vec<String> {
        let title = format!("{} {}", self.number, self.kind.name());
        std::iter::once(title).chain(self.text.clone()).collect()
    }
}

/// An edge between vertices, given by their positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The position of the source.
    pub from: usize,
    /// The position of the target.
    pub to: usize,
    /// The label, if it has one.
    pub label: Option<u32>,
    /// On an edge into ENDBRANCH: the label of the arm that it comes from.
    pub arm_label: Option<u32>,
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
    /// Adds a vertex, and returns its position.
    pub fn vertex(&mut self, number: i32, kind: VertexKind, text: Vec<String>) -> usize {
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
            arm_label: mark,
        });
    }

    /// The drawing.
    pub fn diagram(&self) -> Diagram {
        let text_box = |v: &Vertex| TextBox {
            lines: v.lines(),
            is_round: v.kind != VertexKind::BasicBlock,
            fill: self.colour(v),
        };
        let arrow = |e: &Edge| Arrow {
            from: e.from,
            to: e.to,
            label: e
                .label
                .or(e.arm_label)
                .map_or(String::new(), |l| l.to_string()),
            is_thick: false,
        };
        Diagram {
            boxes: self.vertices.iter().map(text_box).collect(),
            arrows: self.edges.iter().map(arrow).collect(),
        }
    }

    /// The colour of a vertex, by a name that Graphviz and SVG know. Inserted blocks are grey.
    fn colour(&self, vertex: &Vertex) -> &'static str {
        match vertex.kind {
            VertexKind::BasicBlock if vertex.number > self.exit_number() => "lightgray",
            VertexKind::BasicBlock | VertexKind::Entry | VertexKind::Exit => "white",
            VertexKind::Loop | VertexKind::EndLoop | VertexKind::ForLoop => "lightblue",
            VertexKind::Branch | VertexKind::EndBranch => "lightyellow",
        }
    }

    /// The number of the original's EXIT.
    fn exit_number(&self) -> i32 {
        let ends = self
            .vertices
            .iter()
            .filter(|v| v.kind == VertexKind::Exit || v.kind == VertexKind::Entry);
        ends.map(|v| v.number.abs()).max().unwrap_or_default()
    }

    /// The outgoing edges of a vertex.
    pub fn out_edges(&self, from: usize) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(move |e| e.from == from)
    }

    /// The edges as pairs of numbers, for tests and display.
    pub fn edge_numbers(&self) -> Vec<(i32, i32)> {
        let number = |v: usize| self.vertices[v].number;
        self.edges
            .iter()
            .map(|e| (number(e.from), number(e.to)))
            .collect()
    }
}
