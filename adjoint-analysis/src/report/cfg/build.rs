//! Builds the control-flow graphs from the structured IR, and places the statements of the sweeps into basic blocks.

use std::collections::BTreeMap;

use super::reversal::{Control, Reversal, reverse};
use super::{Graph, VertexKind};
use crate::analysed::Analysed;
use crate::ir::{Block, Stmt, StmtId, StmtKind};
use crate::report::control::{ControlReversal, control_reversals};
use crate::report::view::View;

/// The graphs of a function.
#[derive(Clone, Debug)]
pub struct Graphs {
    /// The primal.
    pub primal: Graph,
    /// The augmented forward sweep and the reverse sweep.
    pub reversal: Reversal,
}

/// The control-flow graphs of an analysed function: the control values that the plan records are pushed and popped,
/// others are evaluated from bounds and conditions.
pub fn graphs(analysed: &Analysed) -> Graphs {
    let view = View::new(analysed);
    let mut build = Builder::new(&view);
    build.function(&view.func().body);
    let primal = build.graph;
    let controls = build.controls;
    let ways = control_reversals(&view);
    let heads = reversed_heads(&view);
    let control = |v: usize| -> Control {
        let id = controls[v].unwrap_or(StmtId(u32::MAX));
        match (ways.get(&id), heads.get(&id)) {
            (Some(ControlReversal::Recorded), _) => Control::Recorded,
            (None | Some(ControlReversal::Skipped), _) | (_, None) => Control::Skipped,
            (Some(_), Some(head)) => Control::Recomputed(head.clone()),
        }
    };
    let mut reversal = reverse(&primal, &control);
    let mut home = BTreeMap::new();
    for (v, ids) in build.blocks.iter().enumerate() {
        home.extend(ids.iter().map(|id| (*id, v)));
    }
    let plan = view.plan().for_outermost();
    for v in home.values() {
        reversal.forward.vertices[*v].text.clear();
        reversal.reverse.vertices[*v].text.clear();
    }
    fill(&view, &plan.forward, &home, &mut reversal.forward);
    fill(&view, &plan.reverse, &home, &mut reversal.reverse);
    Graphs { primal, reversal }
}

/// The heads of the reversed loops and branches, including those that are reversed for some callers only.
fn reversed_heads(view: &View<'_>) -> BTreeMap<StmtId, String> {
    let mut heads = BTreeMap::new();
    view.plan().reverse.walk(&mut |s| {
        if matches!(s.kind, StmtKind::If(..) | StmtKind::Loop(..)) {
            heads.entry(s.id).or_insert_with(|| view.stmt(s));
        }
    });
    heads
}

/// Appends the statements of a sweep to the basic blocks that they come from (`home`).
fn fill(view: &View<'_>, sweep: &Block, home: &BTreeMap<StmtId, usize>, graph: &mut Graph) {
    let mut segment = Vec::new();
    for stmt in &sweep.stmts {
        if stmt.blocks().is_empty() {
            segment.push(stmt);
            continue;
        }
        fill_segment(view, &std::mem::take(&mut segment), home, graph);
        stmt.blocks()
            .into_iter()
            .for_each(|b| fill(view, b, home, graph));
    }
    fill_segment(view, &segment, home, graph);
}

/// Straight-line code. The record or restore of a local at the end of its scope belongs to the current basic block, not
/// to that of the declaration.
fn fill_segment(
    view: &View<'_>,
    segment: &[&Stmt],
    home: &BTreeMap<StmtId, usize>,
    graph: &mut Graph,
) {
    let of_local = |s: &Stmt| match &s.kind {
        StmtKind::Record(_, p) | StmtKind::Restore(_, p) => {
            view.stmts.get(&s.id).and_then(|s| s.declared()) == Some(p.root)
        }
        StmtKind::Let(..) => !view.stmts.values().any(|primal| *primal == s),
        _ => false,
    };
    let here = segment
        .iter()
        .filter(|s| !of_local(s))
        .find_map(|s| home.get(&s.id))
        .copied();
    for stmt in segment {
        let own = home.get(&stmt.id).copied();
        let vertex = if of_local(stmt) { own.and(here) } else { own };
        if let Some(v) = vertex {
            graph.vertices[v].text.push(view.stmt(stmt));
        }
    }
}

struct Builder<'a, 'b> {
    view: &'a View<'b>,
    graph: Graph,
    /// The loop or branch that each vertex belongs to.
    controls: Vec<Option<StmtId>>,
    /// The statements of each basic block.
    blocks: Vec<Vec<StmtId>>,
    /// The source of the next edge, and its label.
    pending_edge: (usize, Option<u32>),
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(view: &'a View<'b>) -> Builder<'a, 'b> {
        let (graph, controls, blocks) = Default::default();
        Builder {
            view,
            graph,
            controls,
            blocks,
            pending_edge: (0, None),
        }
    }

    fn function(&mut self, body: &Block) {
        self.add(VertexKind::Entry, Vec::new(), None);
        self.block(body);
        self.next(VertexKind::Exit, Vec::new(), None);
    }

    fn add(&mut self, kind: VertexKind, text: Vec<String>, of: Option<StmtId>) -> usize {
        let number = self.graph.vertices.len() as i32 + 1;
        self.controls.push(of);
        self.blocks.push(Vec::new());
        self.graph.vertex(number, kind, text)
    }

    /// Adds a vertex as the successor of the last one.
    fn next(&mut self, kind: VertexKind, text: Vec<String>, of: Option<StmtId>) -> usize {
        let v = self.add(kind, text, of);
        let (from, label) = std::mem::replace(&mut self.pending_edge, (v, None));
        self.graph.edge(from, v, label, None);
        v
    }

    fn block(&mut self, block: &Block) {
        let mut straight: Vec<StmtId> = Vec::new();
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::If(_, then, els) => {
                    self.straight_line(&mut straight);
                    self.branch(stmt, then, els);
                }
                StmtKind::Loop(_, body) => {
                    self.straight_line(&mut straight);
                    self.loop_(stmt, body);
                }
                _ => straight.push(stmt.id),
            }
        }
        self.straight_line(&mut straight);
    }

    fn straight_line(&mut self, ids: &mut Vec<StmtId>) {
        if !ids.is_empty() {
            let text = ids.iter().filter_map(|id| self.view.stmts.get(id));
            let text = text.map(|s| self.view.stmt(s)).collect();
            let v = self.next(VertexKind::BasicBlock, text, None);
            self.blocks[v] = std::mem::take(ids);
        }
    }

    fn branch(&mut self, stmt: &Stmt, then: &Block, els: &Block) {
        let branch = self.next(
            VertexKind::Branch,
            vec![self.view.stmt(stmt)],
            Some(stmt.id),
        );
        let mut ends = Vec::new();
        for (label, arm) in [(1, then), (0, els)] {
            self.pending_edge = (branch, Some(label));
            self.block(arm);
            ends.push((self.pending_edge, label));
        }
        let end = self.add(VertexKind::EndBranch, Vec::new(), Some(stmt.id));
        for ((from, label), mark) in ends {
            self.graph.edge(from, end, label, Some(mark));
        }
        self.partners(branch, end);
        self.pending_edge = (end, None);
    }

    fn loop_(&mut self, stmt: &Stmt, body: &Block) {
        let head = self.next(VertexKind::Loop, vec![self.view.stmt(stmt)], Some(stmt.id));
        self.pending_edge = (head, Some(1));
        self.block(body);
        let end = self.next(VertexKind::EndLoop, Vec::new(), Some(stmt.id));
        self.graph.edge(end, head, None, None);
        self.partners(head, end);
        self.pending_edge = (head, None);
    }

    fn partners(&mut self, a: usize, b: usize) {
        self.graph.vertices[a].partner = Some(b);
        self.graph.vertices[b].partner = Some(a);
    }
}
