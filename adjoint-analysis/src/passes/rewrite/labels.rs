//! Labels: one variable that distinguishes several branches, instead of a flag for each.
//!
//! `[CFR]` Algorithm 3 pushes a label for each branch. Where branches follow from one another, one label
//! serves them all ("the corresponding statements could be merged", §5):
//!
//! - *A loop that a `break` leaves.* Which `break` it was implies, for each branch on the path to a `break`, how the
//!   last iteration went; all earlier iterations continued. One label per loop, not a flag per iteration; none if there
//!   is only one exit.
//! - *A chain* (`match`, `else if`): the number of the arm that was taken.
//!
//! In a counted loop, the iteration's number implies whether it was left ([`loop_exits`]); a label distinguishes its exits
//! if there are several.
//!
//! [`introduce`] gives each of these a variable with [`Origin::Label`], which the primal sets and never reads.
//! To-be-recorded analysis decides which branches it is used for ([`crate::passes::control::literals`] proves that it
//! implies them). [`finalize_labels`] then drops unused labels, and renumbers the others, so that they take the least space.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::ir::construct::derived;
use crate::ir::{
    Block, Expr, Func, IntTy, LoopHead, Mode, Origin, Place, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::control::literals::{LiteralValues, values};
use crate::passes::control::loop_exits::{self, each_exit_mut, leaves};
use crate::passes::tbr::{LocalRestore, Tbr};

/// Branches with more paths than these use flags.
const MAX_PATHS: usize = 250;

const LABEL: Ty = Ty::Int(IntTy::U8);

/// Adds the labels; `origins` maps each statement id to the user's statement.
pub fn introduce(func: Func, origins: &mut Vec<StmtId>) -> Func {
    let mut func = loop_exits::introduce(func, origins);
    let known = values(&func);
    let mut body = std::mem::take(&mut func.body);
    let mut pass = Labels {
        func: &mut func,
        origins,
        known,
    };
    pass.block(&mut body, false);
    func.body = body;
    func
}

struct Labels<'a> {
    func: &'a mut Func,
    origins: &'a mut Vec<StmtId>,
    /// The branches that other variables imply already.
    known: LiteralValues,
}

impl Labels<'_> {
    /// Labels the statements of the block; `in_chain` says that a branch at its end belongs to a chain that is labelled
    /// already.
    fn block(&mut self, block: &mut Block, in_chain: bool) {
        let last = block.stmts.len().saturating_sub(1);
        let stmts = std::mem::take(&mut block.stmts);
        for (n, mut stmt) in stmts.into_iter().enumerate() {
            let seen = in_chain && n == last;
            let declared = self.stmt(&mut stmt, seen);
            block.stmts.extend(declared);
            block.stmts.push(stmt);
        }
    }

    /// Labels the statement; returns the declaration of its label.
    fn stmt(&mut self, stmt: &mut Stmt, seen: bool) -> Option<Stmt> {
        let id = stmt.id;
        match &mut stmt.kind {
            StmtKind::If(_, then, els) => {
                let chain = !leaves(then) && !leaves(els);
                let label = (chain && !seen)
                    .then(|| self.chain(id, then, els))
                    .flatten();
                self.block(then, chain);
                self.block(els, chain);
                label
            }
            StmtKind::Loop(_, body) => {
                let label = self.exits(id, body);
                self.block(body, false);
                label
            }
            _ => None,
        }
    }

    /// A label for the arms of a chain of two or more branches that no other variable implies.
    fn chain(&mut self, id: StmtId, then: &mut Block, els: &mut Block) -> Option<Stmt> {
        let mut nodes = vec![id];
        tail_branches(then, &mut nodes);
        tail_branches(els, &mut nodes);
        nodes.retain(|n| self.needs_label(*n));
        let ends = count_ends(then) + count_ends(els);
        if nodes.len() < 2 || ends > MAX_PATHS {
            return None;
        }
        let label = self.label("way");
        let mut way = 0;
        for arm in [then, els] {
            at_ends(arm, &mut |end| {
                if way > 0 {
                    let set = self.set(&label, way, id);
                    end.stmts.push(set);
                }
                way += 1;
            });
        }
        Some(derived(
            self.origins,
            id,
            StmtKind::Let(label.root, Some(lit(0))),
        ))
    }

    /// A label for the exits of a loop, if a branch on the path to one needs it.
    fn exits(&mut self, id: StmtId, body: &mut Block) -> Option<Stmt> {
        let mut nodes = Vec::new();
        exit_branches(body, &mut nodes);
        nodes.retain(|n| self.needs_label(*n));
        let breaks = count_breaks(body);
        if nodes.is_empty() || breaks > MAX_PATHS {
            return None;
        }
        let label = self.label("left");
        let mut way = 0;
        each_exit_mut(body, &mut |end| {
            let set = self.set(&label, way, id);
            end.stmts.insert(end.stmts.len() - 1, set);
            way += 1;
        });
        Some(derived(
            self.origins,
            id,
            StmtKind::Let(label.root, Some(lit(way))),
        ))
    }

    /// Whether no variable implies the arm of the branch at little cost.
    fn needs_label(&self, id: StmtId) -> bool {
        let mut tellers = self.known.tests.get(&id).into_iter().flatten();
        !tellers.any(|(v, _)| self.known.cheap.contains(*v))
    }

    fn label(&mut self, name: &str) -> Place {
        let var = self.func.add_var(name, LABEL, Mode::Owned, Origin::Label);
        Place::var(var, LABEL)
    }

    fn set(&mut self, label: &Place, way: usize, id: StmtId) -> Stmt {
        derived(self.origins, id, StmtKind::Assign(label.clone(), lit(way)))
    }
}

/// Drops the labels that no branch needs, and renumbers the others.
pub fn finalize_labels(func: &mut Func, own: &mut Tbr, for_caller: &mut Tbr) -> LiteralValues {
    let is_label = |v: &VarId| func.var(*v).origin == Origin::Label;
    let mut labels: Vec<VarId> = func.var_ids().filter(is_label).collect();
    if !labels.is_empty() {
        let mut read = BTreeSet::new();
        func.body
            .walk(&mut |s| read.extend(s.operands().iter().flat_map(|e| e.reads())));
        labels.retain(|v| !read.contains(v));
    }
    let numbers: BTreeSet<VarId> = own.exit_iteration.values().copied().collect();
    let mut body = std::mem::take(&mut func.body);
    for label in labels.into_iter().filter(|v| !numbers.contains(v)) {
        let told = |by: &VarId| *by == label;
        let mut nodes: BTreeSet<StmtId> = own
            .implied
            .iter()
            .filter(|(_, by)| told(by))
            .map(|(n, _)| *n)
            .collect();
        // A single branch outside of a loop has a flag.
        if nodes.len() < 2 && !labels_loop(&body, label) {
            own.implied.retain(|_, by| !told(by));
            nodes.clear();
        }
        match nodes.is_empty() {
            true => {
                own.at_end.remove(&label);
                for_caller.at_end.remove(&label);
                drop_label(&mut body, label);
            }
            false => renumber(func, &mut body, label, &nodes),
        }
    }
    func.body = body;
    let values = values(func);
    for v in values.last.keys() {
        for tbr in [&mut *own, &mut *for_caller] {
            if let Some(end) = tbr.at_end.get_mut(v).filter(|end| end.is_some()) {
                *end = Some(LocalRestore::Constant);
            }
        }
    }
    values
}

/// Whether the label belongs to a loop.
fn labels_loop(block: &Block, label: VarId) -> bool {
    let mut found = false;
    let mut look = |block: &Block| {
        let at = block.stmts.iter().position(|s| s.declared() == Some(label));
        let of = at.and_then(|at| block.stmts.get(at + 1));
        found |= of.is_some_and(|s| matches!(s.kind, StmtKind::Loop(..)));
    };
    look(block);
    block.walk(&mut |s| s.blocks().into_iter().for_each(&mut look));
    found
}

fn drop_label(block: &mut Block, label: VarId) {
    block.stmts.retain(|s| !sets(s, label));
    for inner in block.stmts.iter_mut().flat_map(Stmt::blocks_mut) {
        drop_label(inner, label);
    }
}

/// Whether the statement only sets the variable.
fn sets(stmt: &Stmt, v: VarId) -> bool {
    match &stmt.kind {
        StmtKind::Let(w, _) => *w == v,
        StmtKind::Assign(p, _) => p.root == v,
        _ => false,
    }
}

/// Numbers the paths that these branches distinguish, and no others.
fn renumber(func: &mut Func, body: &mut Block, label: VarId, nodes: &BTreeSet<StmtId>) {
    let at = body.stmts.iter().position(|s| s.declared() == Some(label));
    let Some(at) = at else {
        let inner = body.stmts.iter_mut().flat_map(Stmt::blocks_mut);
        inner.for_each(|b| renumber(func, b, label, nodes));
        return;
    };
    let owner = &mut body.stmts[at + 1];
    let mut ways = LabelledPaths {
        label,
        nodes,
        is_loop: matches!(owner.kind, StmtKind::Loop(..)),
        classes: BTreeMap::new(),
        ids: VecDeque::new(),
    };
    ways.owner(owner);
    // An iteration that continues has the last number; the first arm of a chain has the first.
    let (count, initial) = match ways.is_loop {
        true => (ways.classes.len() + 1, ways.classes.len()),
        false => (ways.classes.len(), 0),
    };
    let two = count == 2;
    if two {
        func.vars[label.index()].ty = Ty::Bool;
        all_true(owner, label);
    }
    let first = match two {
        true => Expr::Lit("false".into(), Ty::Bool),
        false => lit(initial),
    };
    body.stmts[at].kind = StmtKind::Let(label, Some(first));
}

/// If there are two paths, the second one is `true`.
fn all_true(stmt: &mut Stmt, label: VarId) {
    for s in stmt.blocks_mut().into_iter().flat_map(|b| &mut b.stmts) {
        match &mut s.kind {
            StmtKind::Assign(p, e) if p.root == label => {
                p.ty = Ty::Bool;
                *e = Expr::Lit("true".into(), Ty::Bool);
            }
            _ => all_true(s, label),
        }
    }
}

/// A path to the end of a block: the branches that matter, and the arms taken.
type Path = Vec<(StmtId, bool)>;

/// The paths that a label has to distinguish.
struct LabelledPaths<'a> {
    label: VarId,
    nodes: &'a BTreeSet<StmtId>,
    is_loop: bool,
    /// The number of each path.
    classes: BTreeMap<Path, usize>,
    /// The ids of removed assignments.
    ids: VecDeque<StmtId>,
}

/// The number of an iteration that continues, which is the label's initial value.
const CONTINUES: usize = usize::MAX;

impl LabelledPaths<'_> {
    fn owner(&mut self, owner: &mut Stmt) {
        let id = owner.id;
        match &mut owner.kind {
            StmtKind::Loop(_, body) => {
                let way = self.block(body, &mut Path::new());
                self.set(body, way);
            }
            StmtKind::If(_, then, els) => {
                self.branch(id, [then, els], &mut Path::new());
            }
            _ => {}
        }
    }

    /// Numbers the ends of the block. Returns the number if all have the same; otherwise they are set inside.
    fn block(&mut self, block: &mut Block, path: &mut Path) -> Option<usize> {
        let label = self.label;
        let ids = &mut self.ids;
        block.stmts.retain(|s| {
            let set = sets(s, label);
            ids.extend(set.then_some(s.id));
            !set
        });
        let in_tail = !self.is_loop || leaves(block);
        let last = block.stmts.last_mut();
        let breaks = matches!(last.as_ref().map(|s| &s.kind), Some(StmtKind::Break));
        if let Some(Stmt {
            id,
            kind: StmtKind::If(_, then, els),
        }) = last
            && in_tail
        {
            return self.branch(*id, [then, els], path);
        }
        let next = self.classes.len();
        Some(match (self.is_loop, path.is_empty()) {
            (true, false) if breaks => *self.classes.entry(path.clone()).or_insert(next),
            (true, _) => CONTINUES,
            (false, false) => *self.classes.entry(path.clone()).or_insert(next),
            (false, true) => 0,
        })
    }

    fn branch(&mut self, id: StmtId, arms: [&mut Block; 2], path: &mut Path) -> Option<usize> {
        let [then, els] = arms;
        let mut inside = |arm: &mut Block, taken: bool| {
            // On a path to a `break`, the arm that may continue is no decision.
            let decided = self.nodes.contains(&id) && !(self.is_loop && may_fall_through(arm));
            path.extend(decided.then_some((id, taken)));
            let way = self.block(arm, path);
            path.truncate(path.len() - usize::from(decided));
            way
        };
        let (a, b) = (inside(then, true), inside(els, false));
        if a.is_some() && a == b {
            return a;
        }
        self.set(then, a);
        self.set(els, b);
        None
    }

    /// Sets the label at all ends of the block.
    fn set(&mut self, block: &mut Block, way: Option<usize>) {
        let initial = if self.is_loop { CONTINUES } else { 0 };
        let Some(way) = way.filter(|way| *way != initial) else {
            return;
        };
        let Some(id) = self.ids.pop_front() else {
            return;
        };
        let at = match block.stmts.last().map(|s| &s.kind) {
            Some(StmtKind::Break | StmtKind::If(..)) => block.stmts.len() - 1,
            _ => block.stmts.len(),
        };
        let kind = StmtKind::Assign(Place::var(self.label, LABEL), lit(way));
        block.stmts.insert(at, Stmt { id, kind });
    }
}

fn lit(way: usize) -> Expr {
    Expr::Lit(way.to_string(), LABEL)
}

// The tail of a block: its last statement, and if that is a branch, the tails of its arms.

fn count_breaks(block: &Block) -> usize {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => 1,
        Some(StmtKind::If(_, a, b)) => count_breaks(a) + count_breaks(b),
        _ => 0,
    }
}

/// Whether control may reach the end of the block without a `break`.
fn may_fall_through(block: &Block) -> bool {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::Break) => false,
        Some(StmtKind::If(_, a, b)) => may_fall_through(a) || may_fall_through(b),
        Some(StmtKind::Loop(LoopHead::Forever, body)) => leaves(body),
        _ => true,
    }
}

/// The branches in tail position that a `break` decides: one of the arms never continues.
fn exit_branches(block: &Block, nodes: &mut Vec<StmtId>) {
    if let Some(Stmt {
        id,
        kind: StmtKind::If(_, a, b),
    }) = block.stmts.last()
    {
        if !(may_fall_through(a) && may_fall_through(b)) {
            nodes.push(*id);
        }
        exit_branches(a, nodes);
        exit_branches(b, nodes);
    }
}

fn tail_branches(block: &Block, nodes: &mut Vec<StmtId>) {
    if let Some(Stmt {
        id,
        kind: StmtKind::If(_, a, b),
    }) = block.stmts.last()
    {
        nodes.push(*id);
        tail_branches(a, nodes);
        tail_branches(b, nodes);
    }
}

fn count_ends(block: &Block) -> usize {
    match block.stmts.last().map(|s| &s.kind) {
        Some(StmtKind::If(_, a, b)) => count_ends(a) + count_ends(b),
        _ => 1,
    }
}

fn at_ends(block: &mut Block, f: &mut dyn FnMut(&mut Block)) {
    match block.stmts.last_mut().map(|s| &mut s.kind) {
        Some(StmtKind::If(_, a, b)) => {
            at_ends(a, f);
            at_ends(b, f);
        }
        _ => f(block),
    }
}
