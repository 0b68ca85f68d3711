//! Replaces references by integers.
//!
//! Each reference becomes integers: the number of its candidate, if there are several; an index or bound for each that
//! the candidates have; and the bounds of its window. To assign the reference is to assign them, so the reverse sweep
//! restores them like any integer, and association by name (`[PTR]` §2) holds for its target. A use is emitted once for
//! each candidate, under a test of the number; a single candidate needs no test. A small loop that does not move the
//! reference is emitted once for each candidate as a whole.
//!
//! DIVERGENCE `[PTR]` §4: no addresses are mapped at run time, because there are none without `unsafe`.

mod candidates;
mod integers;
mod unmoved;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

pub use self::unmoved::{drop_let, replace_roots};
use super::Reference;
use super::points_to::{PointsTo, blanks, points_to, slice_of};
use crate::ir::Origin;
use crate::ir::construct::binary;
use crate::ir::{
    BinOp, Block, Expr, IntTy, LoopHead, Mode, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::mir::draft::{Draft, FieldTypes};
use crate::refuse::Reason;
use candidates::may_overlap;
use integers::Integers;

/// The maximum number of combinations of candidates for which a loop is copied.
const MAX_COPIES: usize = 6;

/// The maximum number of statements in all copies of a loop.
const MAX_COPIED: usize = 160;

struct Dereference<'a> {
    draft: &'a mut Draft,
    points_to: PointsTo,
    references: Vec<Reference>,
    /// The integers of each reference, by its variable.
    integers: BTreeMap<VarId, Integers>,
    /// The candidates that enclosing tests decide.
    decided: BTreeMap<VarId, usize>,
    /// The new names of variables that the current copy declares.
    renamed: BTreeMap<VarId, VarId>,
    /// Whether the current code has been emitted before.
    is_copy: bool,
    /// The variables in scope.
    scope: Vec<VarId>,
    /// Constants that references point to, to be declared together with the references.
    promoted: BTreeMap<VarId, Vec<VarId>>,
    refused: BTreeSet<VarId>,
    /// The calls that borrow places which may overlap.
    overlapping: BTreeSet<StmtId>,
}

impl Draft {
    /// The body without references.
    pub fn dereference(&mut self, mut body: Block, fields: &FieldTypes<'_>) -> Block {
        let targets: BTreeSet<VarId> = self.references.iter().map(|r| r.target).collect();
        self.roots_to_targets(&mut body);
        let mut references = self.replace_fixed(&mut body);
        let body = self.replace_cursors(&mut references, body, fields);
        let points_to = match points_to(&self.func, &references, &body) {
            Ok(points_to) => points_to,
            Err(refused) => {
                for (stmt, reason) in refused {
                    self.refusals.push(self.spans[stmt.index()], reason);
                }
                return body;
            }
        };
        let lifted = self::unmoved::promoted_constants(self, &references, &points_to, &body);
        let scope = self.func.params.iter().chain(&self.func.ret).copied();
        let mut pass = Dereference {
            points_to,
            references,
            integers: BTreeMap::new(),
            decided: BTreeMap::new(),
            renamed: BTreeMap::new(),
            is_copy: false,
            scope: scope.collect(),
            promoted: lifted,
            refused: BTreeSet::new(),
            overlapping: BTreeSet::new(),
            draft: self,
        };
        let body = pass.block(&body);
        self.refuse_out_of_scope(&targets, &body);
        body
    }

    /// Refuses references that are named out of the scope of their declaration, where their place is unknown.
    fn refuse_out_of_scope(&mut self, targets: &BTreeSet<VarId>, body: &Block) {
        let mut left = Vec::new();
        body.walk(&mut |stmt| {
            let mut names = false;
            stmt.each_named_var(&mut |v| names |= targets.contains(&v));
            left.extend(names.then_some(stmt.id));
        });
        for id in left {
            let what = "a reference that is used where its place is not known";
            self.refusals
                .push(self.spans[id.index()], Reason::Reference(what.into()));
        }
    }
}

/// Replaces the root of `place` by `to`.
fn reroot(place: &mut Place, to: &Place) {
    if place.is_whole() {
        place.ty = to.ty.clone();
    }
    place.root = to.root;
    place.proj.splice(0..0, to.proj.iter().cloned());
}

/// Calls `f` on all places that the statement itself names, those in its expressions included.
pub fn map_places(stmt: &mut Stmt, f: &mut dyn FnMut(&mut Place)) {
    fn expr(e: &mut Expr, f: &mut dyn FnMut(&mut Place)) {
        for child in e.children_mut() {
            expr(child, f);
        }
        e.own_places_mut().iter_mut().for_each(&mut *f);
    }
    for e in stmt.operands_mut() {
        expr(e, f);
    }
    for place in stmt.own_places_mut() {
        f(place);
    }
}

/// The sum, without zeros.
fn sum(a: Expr, b: Expr) -> Expr {
    match (&a, &b) {
        (Expr::Lit(zero, _), _) if zero == "0" => b,
        (_, Expr::Lit(zero, _)) if zero == "0" => a,
        _ => binary(BinOp::Add, a, b),
    }
}

fn candidate_lit(n: usize) -> Expr {
    Expr::Lit(n.to_string(), Ty::Int(IntTy::U8))
}

impl Dereference<'_> {
    fn reference(&self, target: VarId) -> Option<&Reference> {
        self.references.iter().find(|r| r.target == target)
    }

    fn itself(&self, v: VarId) -> Option<&Reference> {
        self.references.iter().find(|r| r.itself == v)
    }

    fn id(&mut self, id: StmtId) -> StmtId {
        let span = self.span(id);
        match self.is_copy {
            true => self.draft.stmt_id(span),
            false => id,
        }
    }

    fn span(&self, id: StmtId) -> Span {
        self.draft.spans[id.index()]
    }

    fn push(&mut self, of: StmtId, kind: StmtKind, out: &mut Vec<Stmt>) {
        let span = self.span(of);
        let id = self.draft.stmt_id(span);
        out.push(Stmt { id, kind });
    }

    // Blocks and statements.

    fn block(&mut self, block: &Block) -> Block {
        let (scope, integers, known) = (
            self.scope.len(),
            self.integers.clone(),
            self.decided.clone(),
        );
        let mut out = Vec::new();
        for stmt in &block.stmts {
            self.stmt(stmt, &mut out);
        }
        self.scope.truncate(scope);
        (self.integers, self.decided) = (integers, known);
        Block::new(out)
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let stmt = &self.with_lengths(stmt);
        match &stmt.kind {
            StmtKind::Let(v, init) if self.itself(*v).is_some() => {
                let to = match init {
                    Some(Expr::Read(to)) => Some(to),
                    _ => None,
                };
                self.declare(*v, to, stmt.id, out);
            }
            StmtKind::Assign(p, Expr::Read(to)) if self.itself(p.root).is_some() => {
                self.retarget(p.root, to, stmt.id, out);
            }
            StmtKind::Swap(a, b) if self.itself(a.root).is_some() => {
                self.swap(a.root, b.root, stmt.id, out);
            }
            StmtKind::Let(v, Some(init)) if self.is_promoted(*v) => {
                let kind = StmtKind::Assign(self.draft.func.place(*v), init.clone());
                self.simple(&Stmt { id: stmt.id, kind }, out);
            }
            StmtKind::If(test, then, els) => {
                let test = self.value(test, stmt.id, out);
                let (then, els) = (self.block(then), self.block(els));
                let id = self.id(stmt.id);
                out.push(Stmt {
                    id,
                    kind: StmtKind::If(test, then, els),
                });
            }
            StmtKind::Loop(head, body) => self.loop_(stmt, head, body, out),
            _ => self.simple(stmt, out),
        }
    }

    fn is_promoted(&self, v: VarId) -> bool {
        self.promoted.values().flatten().any(|l| *l == v)
    }

    /// Replaces the length of a windowed reference by the difference of its bounds.
    fn with_lengths(&self, stmt: &Stmt) -> Stmt {
        fn visit(e: &mut Expr, length: &dyn Fn(&Place) -> Option<Expr>) {
            for child in e.children_mut() {
                visit(child, length);
            }
            if let Expr::Len(place) = e
                && let Some(difference) = length(place)
            {
                *e = difference;
            }
        }
        let length = |place: &Place| {
            let reference = self.reference(place.root).filter(|_| place.is_whole())?;
            let (lo, hi) = self.integers.get(&reference.itself)?.window.clone()?;
            Some(binary(BinOp::Sub, Expr::Read(hi), Expr::Read(lo)))
        };
        let mut stmt = stmt.clone();
        for e in stmt.operands_mut() {
            visit(e, &length);
        }
        stmt
    }

    /// A statement without blocks.
    fn simple(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) {
        let together = self.joint_uses(stmt);
        if self.undecided(&together).is_empty() {
            let written = self.rewritten(stmt);
            self.scope.extend(stmt.declared());
            return out.push(written);
        }
        let mut declared = None;
        if let Some(v) = stmt.declared() {
            let name = self.new_name(v);
            self.push(stmt.id, StmtKind::Let(name, None), out);
            declared = Some(self.draft.func.place(name));
            self.scope.push(v);
        }
        self.for_each_candidate(stmt.id, &together, out, &mut |pass, out| {
            let mut stmt = stmt.clone();
            let value = match (&mut stmt.kind, &declared) {
                (StmtKind::Let(_, Some(e)), Some(to)) => {
                    stmt.kind = StmtKind::Assign(to.clone(), e.clone());
                    None
                }
                (StmtKind::Call(call), Some(to)) => {
                    let var = pass.draft.new_var("value", to.ty.clone(), Origin::Temp);
                    call.result = Some(var);
                    Some((to.clone(), var))
                }
                (StmtKind::Remove(taken, ..), Some(to)) => {
                    let var = pass.draft.new_var("taken", to.ty.clone(), Origin::Temp);
                    *taken = Some(var);
                    Some((to.clone(), var))
                }
                _ => None,
            };
            let written = pass.substituted(&stmt);
            out.push(written);
            if let Some((to, var)) = value {
                let value = Expr::Read(pass.draft.func.place(var));
                pass.push(stmt.id, StmtKind::Assign(to, value), out);
            }
        });
    }

    /// The value of an expression; a variable if the value depends on a candidate.
    fn value(&mut self, e: &Expr, id: StmtId, out: &mut Vec<Stmt>) -> Expr {
        let ty = e.ty(&self.draft.func);
        let kind = StmtKind::If(e.clone(), Block::default(), Block::default());
        let stmt = self.with_lengths(&Stmt { id, kind });
        let together = self.joint_uses(&stmt);
        let StmtKind::If(e, ..) = &stmt.kind else {
            return e.clone();
        };
        if self.undecided(&together).is_empty() {
            return self.substituted_expr(e);
        }
        let var = self.draft.new_var("at", ty, Origin::Temp);
        let place = self.draft.func.place(var);
        self.push(id, StmtKind::Let(var, None), out);
        self.for_each_candidate(id, &together, out, &mut |pass, out| {
            let value = pass.substituted_expr(e);
            pass.push(id, StmtKind::Assign(place.clone(), value), out);
        });
        Expr::Read(place)
    }

    fn loop_(&mut self, stmt: &Stmt, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        let together = self.unmoved(stmt);
        let open = self.undecided(&together);
        let copies = self.combinations(&together);
        let mut size = 0;
        body.walk(&mut |_| size += 1);
        if open.is_empty() || copies > MAX_COPIES || copies * size > MAX_COPIED {
            return self.loop_itself(stmt, head, body, out);
        }
        self.for_each_candidate(stmt.id, &together, out, &mut |pass, out| {
            let renamed = pass.renamed.clone();
            pass.loop_itself(stmt, head, body, out);
            pass.renamed = renamed;
        });
    }

    fn loop_itself(&mut self, stmt: &Stmt, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        let scope = self.scope.len();
        let (head, body) = match head {
            LoopHead::Counted(v, range) => {
                let mut range = range.clone();
                for e in range.operands_mut() {
                    *e = self.value(e, stmt.id, out);
                }
                self.scope.push(*v);
                let name = self.new_name(*v);
                (LoopHead::Counted(name, range), self.block(body))
            }
            LoopHead::While(test) => self.while_(test, stmt.id, body),
            head => (head.clone(), self.block(body)),
        };
        self.scope.truncate(scope);
        let id = self.id(stmt.id);
        out.push(Stmt {
            id,
            kind: StmtKind::Loop(head, body),
        });
    }

    /// A condition that needs a variable is tested in the loop's body.
    fn while_(&mut self, test: &Expr, id: StmtId, body: &Block) -> (LoopHead, Block) {
        let mut out = Vec::new();
        let test = self.value(test, id, &mut out);
        let body = self.block(body);
        if out.is_empty() {
            return (LoopHead::While(test), body);
        }
        let mut leave = Vec::new();
        self.push(id, StmtKind::Break, &mut leave);
        self.push(id, StmtKind::If(test, body, Block::new(leave)), &mut out);
        (LoopHead::Forever, Block::new(out))
    }

    // Copies.

    /// The new name of a variable that the current copy declares.
    fn new_name(&mut self, v: VarId) -> VarId {
        if !self.is_copy {
            self.renamed.remove(&v);
            return v;
        }
        let var = self.draft.func.var(v).clone();
        let name = self
            .draft
            .func
            .add_var(&var.name, var.ty, Mode::Owned, var.origin);
        self.renamed.insert(v, name);
        name
    }

    /// The statement with its variables renamed and its references replaced by places.
    fn rewritten(&mut self, stmt: &Stmt) -> Stmt {
        let mut stmt = self.substituted(stmt);
        match &mut stmt.kind {
            StmtKind::Let(v, _) => *v = self.new_name(*v),
            StmtKind::Call(call) => call.result = call.result.map(|v| self.new_name(v)),
            StmtKind::Remove(taken, ..) => *taken = taken.map(|v| self.new_name(v)),
            _ => {}
        }
        stmt
    }

    fn substituted(&mut self, stmt: &Stmt) -> Stmt {
        let (of, behind) = (stmt.id, !self.joint_uses(stmt).borrowed.is_empty());
        let mut stmt = stmt.clone();
        stmt.id = self.id(of);
        map_places(&mut stmt, &mut |place| *place = self.place(place, true));
        if behind && may_overlap(&stmt) && self.overlapping.insert(of) {
            let what = "a call with two references into one variable, chosen at run time,";
            let span = self.span(of);
            self.draft
                .refusals
                .push(span, Reason::Reference(what.into()));
        }
        stmt
    }

    fn substituted_expr(&mut self, e: &Expr) -> Expr {
        let kind = StmtKind::If(e.clone(), Block::default(), Block::default());
        let mut stmt = Stmt {
            id: StmtId(0),
            kind,
        };
        map_places(&mut stmt, &mut |place| *place = self.place(place, true));
        match stmt.kind {
            StmtKind::If(e, ..) => e,
            _ => e.clone(),
        }
    }

    /// The place that a place behind a reference denotes, if the candidate is decided.
    fn place(&self, place: &Place, rename: bool) -> Place {
        let name = |v: VarId| match self.renamed.get(&v) {
            Some(name) if rename => *name,
            _ => v,
        };
        let Some(reference) = self.reference(place.root) else {
            return place.with_root(name(place.root));
        };
        let itself = reference.itself;
        let class = self.points_to.class(itself);
        let candidates = self.points_to.candidates(itself);
        let at = self.decided.get(&itself).or(candidates.first());
        let (Some(at), Some(integers)) = (at, self.integers.get(&itself)) else {
            return place.clone();
        };
        let mut to = class.candidates[*at].clone();
        to.root = name(to.root);
        for (e, at) in blanks(&mut to).into_iter().zip(&integers.operands) {
            *e = Expr::Read(at.clone());
        }
        if let Some((lo, hi)) = integers.window.clone() {
            let [lo, hi] = [lo, hi].map(|p| Some(Box::new(Expr::Read(p))));
            let ty = slice_of(&to.ty);
            to = to.project(Proj::Range(lo, hi), ty);
        }
        let mut place = place.clone();
        reroot(&mut place, &to);
        place
    }

    fn refuse(&mut self, itself: VarId) {
        let span = self.itself(itself).map(|r| r.span);
        if let Some(span) = span.filter(|_| self.refused.insert(itself)) {
            let what = "a reference to what is declared further in";
            self.draft
                .refusals
                .push(span, Reason::Reference(what.into()));
        }
    }
}
