//! `[CFR]` Algorithms 2 and 5: the augmented forward graph and the reversed graph.
//!
//! The forward graph is the original with basic blocks put on its edges: a counter set to 0 before
//! a LOOP, incremented before its ENDLOOP and pushed behind the loop; a label pushed before an
//! ENDBRANCH. In the reversed graph each edge is turned round; an ENDLOOP becomes a FORLOOP, which a
//! block that pops the counter precedes, and an ENDBRANCH a BRANCH, which a block that pops the label
//! precedes. What goes into a LOOP from outside comes out of its FORLOOP.
//!
//! The algorithm lists the pairs of an edge's ends case by case; here the source and the target each
//! add their block, which gives the same edges.
//!
//! DIVERGENCE `[CFR]` §4.4, §5: where the bounds of a loop or the condition of a branch can be
//! evaluated again, nothing is pushed and popped for it, and the reversed vertex says how it decides.

use super::{Edge, Graph, VertexKind, topsort};

/// The control of a loop or branch in the reverse sweep.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Control {
    /// The control value that the forward sweep pushed.
    Recorded,
    /// This expression, evaluated again.
    Recomputed(String),
    /// None: the construct contains nothing to reverse.
    Skipped,
}

/// The graphs of the two sweeps.
#[derive(Clone, PartialEq, Debug)]
pub struct Reversal {
    /// The augmented forward graph: the vertices of the original in their positions, then the inserted blocks, numbered
    /// after the original's EXIT.
    pub forward: Graph,
    /// The reversed graph: the adjoints of the original's vertices in their positions, with negative numbers, then the
    /// inserted blocks.
    pub reverse: Graph,
}

/// Reverses a graph; `control` is the control of each LOOP, ENDLOOP, BRANCH and ENDBRANCH vertex.
pub fn reverse(graph: &Graph, control: &dyn Fn(usize) -> Control) -> Reversal {
    let order = topsort(graph);
    let mut position = vec![0; graph.vertices.len()];
    order
        .iter()
        .enumerate()
        .for_each(|(at, v)| position[*v] = at);
    let mut pass = Reverser {
        graph,
        control,
        position,
        forward: graph.clone(),
        reverse: Graph::default(),
    };
    pass.forward.edges.clear();
    pass.vertices();
    for v in &order {
        for edge in graph.out_edges(*v) {
            pass.augmented(edge);
            pass.reversed(edge);
        }
    }
    Reversal {
        forward: pass.forward,
        reverse: pass.reverse,
    }
}

struct Reverser<'a> {
    graph: &'a Graph,
    control: &'a dyn Fn(usize) -> Control,
    /// The position of each vertex in the topological order.
    position: Vec<usize>,
    forward: Graph,
    reverse: Graph,
}

impl Reverser<'_> {
    /// Algorithm 2.
    fn vertices(&mut self) {
        for (v, vertex) in self.graph.vertices.iter().enumerate() {
            let kind = match vertex.kind {
                VertexKind::Entry => VertexKind::Exit,
                VertexKind::Exit => VertexKind::Entry,
                VertexKind::BasicBlock => VertexKind::BasicBlock,
                VertexKind::Branch => VertexKind::EndBranch,
                VertexKind::EndBranch => VertexKind::Branch,
                VertexKind::Loop => VertexKind::EndLoop,
                VertexKind::EndLoop | VertexKind::ForLoop => VertexKind::ForLoop,
            };
            let text = match kind {
                VertexKind::BasicBlock => vertex.text.iter().rev().cloned().collect(),
                VertexKind::Branch => vec![self.decides(v, "if branchId == 1")],
                VertexKind::ForLoop => vec![self.decides(v, "for rCtr in 1..=rBound")],
                _ => Vec::new(),
            };
            let at = self.reverse.vertex(-vertex.number, kind, text);
            self.reverse.vertices[at].partner = vertex.partner;
        }
    }

    fn decides(&self, v: usize, recorded: &str) -> String {
        match (self.control)(v) {
            Control::Recorded => recorded.to_string(),
            Control::Recomputed(text) => text,
            Control::Skipped => String::from("(nothing to reverse)"),
        }
    }

    fn kind(&self, v: usize) -> VertexKind {
        self.graph.vertices[v].kind
    }

    fn is_recorded(&self, v: usize) -> bool {
        (self.control)(v) == Control::Recorded
    }

    /// Whether the edge exits a loop.
    fn leaves_loop(&self, e: &Edge) -> bool {
        self.kind(e.from) == VertexKind::Loop && e.label != Some(1)
    }

    /// Whether the edge enters a loop from outside.
    fn enters_loop(&self, e: &Edge) -> bool {
        self.kind(e.to) == VertexKind::Loop && self.position[e.from] < self.position[e.to]
    }

    /// Algorithm 5, lines 1 to 27.
    fn augmented(&mut self, e: &Edge) {
        let number = |v: usize| self.graph.vertices[v].number;
        let ctr = |v: usize| format!("ctr({})", number(v));
        let mut inserted = Vec::new();
        if self.leaves_loop(e) && self.is_recorded(e.from) {
            inserted.push(format!("push({})", ctr(e.from)));
        }
        if self.is_recorded(e.to) {
            match self.kind(e.to) {
                VertexKind::Loop if self.enters_loop(e) => {
                    inserted.push(format!("{} = 0", ctr(e.to)))
                }
                VertexKind::EndLoop => {
                    let ctr = ctr(self.partner(e.to));
                    inserted.push(format!("{ctr} = {ctr} + 1"));
                }
                VertexKind::EndBranch => {
                    inserted.push(format!("push({})", e.arm_label.unwrap_or_default()))
                }
                _ => {}
            }
        }
        let mut from = (e.from, e.label);
        for text in inserted {
            let k = Self::insert(&mut self.forward, text);
            self.forward.edge(from.0, k, from.1, None);
            from = (k, None);
        }
        self.forward.edge(from.0, e.to, from.1, e.arm_label);
    }

    /// Algorithm 5, lines 28 to 48.
    fn reversed(&mut self, e: &Edge) {
        // The reversed edge starts at the adjoint of the original target; for a loop, at its FORLOOP.
        let start = if self.enters_loop(e) {
            self.partner(e.to)
        } else {
            e.to
        };
        let label = match self.kind(e.to) {
            VertexKind::EndBranch => e.arm_label,
            VertexKind::EndLoop => Some(1),
            _ => None,
        };
        let end = if self.leaves_loop(e) {
            self.partner(e.from)
        } else {
            e.from
        };
        let mark = e.label.filter(|_| self.kind(e.from) == VertexKind::Branch);
        let popped = match self.kind(e.from) {
            VertexKind::Loop if self.leaves_loop(e) => Some("rBound"),
            VertexKind::EndBranch => Some("branchId"),
            _ => None,
        };
        match popped.filter(|_| self.is_recorded(e.from)) {
            Some(name) => {
                let k = Self::insert(&mut self.reverse, format!("{name} = pop()"));
                self.reverse.edge(start, k, label, None);
                self.reverse.edge(k, end, None, mark);
            }
            None => self.reverse.edge(start, end, label, mark),
        }
    }

    fn partner(&self, v: usize) -> usize {
        self.graph.vertices[v].partner.unwrap_or(v)
    }

    /// Inserts a basic block with one statement.
    fn insert(graph: &mut Graph, text: String) -> usize {
        let number = graph.vertices.len() as i32 + 1;
        graph.vertex(number, VertexKind::BasicBlock, vec![text])
    }
}
