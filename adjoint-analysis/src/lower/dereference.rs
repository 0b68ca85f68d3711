//! Integers in the place of references.
//!
//! Each reference becomes integers: which of its candidates it points to, where there are several; an
//! index or bound for each that the candidates have; and the bounds of its window. To make it point
//! somewhere is to assign them, so the reverse sweep gets them back like any integer, and association
//! by name (`[PTR]` §2) holds for its target. A use is written once for each candidate, under a test
//! of which it is; not where there is one candidate only. A loop in which the reference stays is
//! written once for each candidate as a whole, if it is small.
//!
//! DIVERGENCE `[PTR]` §4: no addresses are mapped at run time, because there are none without `unsafe`.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::code::By;
use super::finish::default_value;
use super::points_to::{
    PointsTo, blank, blanks, declaring_blocks, is_slicing, points_to, slice_of, slots, strip,
};
use super::reference::Reference;
use super::{Lower, Origin};
use crate::ir::{
    Arg, BinOp, Block, Expr, IntTy, LoopHead, Mode, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::plan::statement::disjoint;
use crate::refuse::Reason;

/// A loop is written once for each of at most so many combinations of candidates.
const MAX_COPIES: usize = 6;

/// The statements that all copies of a loop may have together.
const MAX_COPIED: usize = 160;

/// The integers of a reference.
#[derive(Clone, Debug)]
struct Integers {
    /// Which candidate it points to.
    which: Option<Place>,
    /// The indices and bounds on the way.
    at: Vec<Place>,
    window: Option<(Place, Place)>,
}

struct Dereference<'a> {
    lower: &'a mut Lower,
    points_to: PointsTo,
    references: Vec<Reference>,
    /// By the reference itself.
    integers: BTreeMap<VarId, Integers>,
    /// The candidates that are decided by tests around.
    known: BTreeMap<VarId, usize>,
    /// The names in the copy at hand of variables that are declared in a copied piece.
    renamed: BTreeMap<VarId, VarId>,
    /// Whether the piece at hand has been written before.
    copying: bool,
    /// The variables that are declared here.
    scope: Vec<VarId>,
    /// Constants behind references, to be declared together with these.
    lifted: BTreeMap<VarId, Vec<VarId>>,
    refused: BTreeSet<VarId>,
    /// The calls that lend what may overlap.
    overlapping: BTreeSet<StmtId>,
}

impl Lower {
    /// The body without references.
    pub fn dereference(&mut self, mut body: Block) -> Block {
        self.targets_for_names(&mut body);
        let references = self.with_fixed_replaced(&mut body);
        let points_to = match points_to(&self.func, &references, &body) {
            Ok(points_to) => points_to,
            Err(refused) => {
                for (stmt, reason) in refused {
                    self.refusals.push(self.spans[stmt.index()], reason);
                }
                return body;
            }
        };
        let lifted = lifted(self, &references, &points_to, &body);
        let scope = self.func.params.iter().chain(&self.func.ret).copied();
        let mut pass = Dereference {
            points_to,
            references,
            integers: BTreeMap::new(),
            known: BTreeMap::new(),
            renamed: BTreeMap::new(),
            copying: false,
            scope: scope.collect(),
            lifted,
            refused: BTreeSet::new(),
            overlapping: BTreeSet::new(),
            lower: self,
        };
        pass.block(&body)
    }

    /// A name that stood for a value where it was read first, and for a reference later, is a reference.
    fn targets_for_names(&self, body: &mut Block) {
        let target = |v: VarId| {
            let found = self.references.iter().find(|r| r.itself == v);
            found.map(|r| r.target)
        };
        for stmt in &mut body.stmts {
            let is_move = |p: &Place| p.is_whole() && target(p.root).is_some();
            let moved = match &stmt.kind {
                StmtKind::Assign(p, Expr::Read(_)) if is_move(p) => vec![p.clone()],
                StmtKind::Swap(a, b) if is_move(a) && is_move(b) => vec![a.clone(), b.clone()],
                _ => Vec::new(),
            };
            map_places(stmt, &mut |p| p.root = target(p.root).unwrap_or(p.root));
            for (place, kept) in stmt.own_places_mut().into_iter().zip(moved) {
                *place = kept;
            }
            for inner in stmt.blocks_mut() {
                self.targets_for_names(inner);
            }
        }
    }

    /// Puts its place for each reference that is made once, of a place that stays; gives the others.
    fn with_fixed_replaced(&mut self, body: &mut Block) -> Vec<Reference> {
        let mut made: BTreeMap<VarId, Vec<Option<Place>>> = BTreeMap::new();
        body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, Some(Expr::Read(to))) => {
                made.entry(*v).or_default().push(Some(to.clone()));
            }
            StmtKind::Assign(p, _) => made.entry(p.root).or_default().push(None),
            StmtKind::Swap(a, b) => {
                made.entry(a.root).or_default().push(None);
                made.entry(b.root).or_default().push(None);
            }
            _ => {}
        });
        let mut fixed: BTreeMap<VarId, Place> = BTreeMap::new();
        let mut open = self.references.clone();
        loop {
            let stays = |to: &Place| {
                let behind = open.iter().find(|r| r.target == to.root);
                behind.is_none_or(|r| !r.moves)
            };
            let found = open
                .iter()
                .position(|r| match made.get(&r.itself).map(Vec::as_slice) {
                    Some([Some(to)]) => stays(to),
                    _ => false,
                });
            let Some(at) = found else { break };
            let reference = open.remove(at);
            if let Some(Some(to)) = made.get(&reference.itself).and_then(|all| all.first()) {
                fixed.insert(reference.target, to.clone());
            }
            drop_let(body, reference.itself);
        }
        replace_roots(body, &fixed);
        open
    }
}

fn drop_let(block: &mut Block, v: VarId) {
    block.stmts.retain(|s| s.declared() != Some(v));
    for stmt in &mut block.stmts {
        stmt.blocks_mut().into_iter().for_each(|b| drop_let(b, v));
    }
}

/// Puts places for the roots of places.
fn replace_roots(block: &mut Block, by: &BTreeMap<VarId, Place>) {
    for stmt in &mut block.stmts {
        map_places(stmt, &mut |place| {
            while let Some(to) = by.get(&place.root) {
                splice(place, to);
            }
        });
        for inner in stmt.blocks_mut() {
            replace_roots(inner, by);
        }
    }
}

/// The place behind `to` instead of behind its root.
fn splice(place: &mut Place, to: &Place) {
    if place.is_whole() {
        place.ty = to.ty.clone();
    }
    place.root = to.root;
    place.proj.splice(0..0, to.proj.iter().cloned());
}

/// Calls `f` on all places that the statement itself names, those in its expressions included.
fn map_places(stmt: &mut Stmt, f: &mut dyn FnMut(&mut Place)) {
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

/// The roots of all places that the statement itself names.
fn roots(stmt: &Stmt) -> BTreeSet<VarId> {
    let mut roots: BTreeSet<VarId> = stmt.own_places().iter().map(|p| p.root).collect();
    for e in stmt.operands() {
        e.walk(&mut |e| roots.extend(e.own_places().iter().map(|p| p.root)));
    }
    roots
}

/// Constants that a reference points to though they are declared further in, as rustc promotes them:
/// by the reference that they are to be declared with.
fn lifted(
    lower: &Lower,
    references: &[Reference],
    points_to: &PointsTo,
    body: &Block,
) -> BTreeMap<VarId, Vec<VarId>> {
    let blocks = declaring_blocks(body);
    let mut lifted: BTreeMap<VarId, Vec<VarId>> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for r in references {
        for at in points_to.candidates(r.itself) {
            let root = points_to.class(r.itself).candidates[at].root;
            let (Some(own), Some(of)) = (blocks.get(&root), blocks.get(&r.itself)) else {
                continue;
            };
            let constant = lower.func.var(root).origin == Origin::Temp;
            if constant && !of.starts_with(own) && taken.insert(root) {
                lifted.entry(r.itself).or_default().push(root);
            }
        }
    }
    lifted
}

fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    match (op, &a, &b) {
        (BinOp::Add, Expr::Lit(zero, _), _) if zero == "0" => b,
        (BinOp::Add, _, Expr::Lit(zero, _)) if zero == "0" => a,
        _ => Expr::Binary(op, Box::new(a), Box::new(b)),
    }
}

fn zero() -> Expr {
    Expr::Lit("0".into(), Ty::USIZE)
}

fn number(n: usize) -> Expr {
    Expr::Lit(n.to_string(), Ty::Int(IntTy::U8))
}

/// The bounds in the base of what slice steps leave of a window.
fn narrowed(window: Option<(Expr, Expr)>, steps: &[Proj], base: &Place) -> (Expr, Expr) {
    let (mut lo, mut hi) = match window {
        Some((lo, hi)) => (lo, Some(hi)),
        None => (zero(), None),
    };
    for step in steps {
        match step {
            Proj::Range(from, to) => {
                hi = match to {
                    Some(to) => Some(binary(BinOp::Add, lo.clone(), (**to).clone())),
                    None => hi,
                };
                if let Some(from) = from {
                    lo = binary(BinOp::Add, lo, (**from).clone());
                }
            }
            Proj::Head(mid) => hi = Some(binary(BinOp::Add, lo.clone(), (**mid).clone())),
            Proj::Tail(mid) => lo = binary(BinOp::Add, lo, (**mid).clone()),
            _ => {}
        }
    }
    (lo, hi.unwrap_or_else(|| Expr::Len(base.clone())))
}

/// What a piece of code does with references at the same time, so that two of them can't be the same.
#[derive(Clone, Default)]
struct Together {
    /// The references that it names.
    named: BTreeSet<VarId>,
    /// Those lent at the same time, by the reference itself.
    lent: BTreeSet<VarId>,
    /// Other places lent at the same time, and whether by `&mut`.
    places: Vec<(Place, bool)>,
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
        match self.copying {
            true => self.lower.stmt_id(span),
            false => id,
        }
    }

    fn span(&self, id: StmtId) -> Span {
        self.lower.spans[id.index()]
    }

    fn push(&mut self, of: StmtId, kind: StmtKind, out: &mut Vec<Stmt>) {
        let span = self.span(of);
        let id = self.lower.stmt_id(span);
        out.push(Stmt { id, kind });
    }

    // Blocks and statements.

    fn block(&mut self, block: &Block) -> Block {
        let (scope, integers, known) =
            (self.scope.len(), self.integers.clone(), self.known.clone());
        let mut out = Vec::new();
        for stmt in &block.stmts {
            self.stmt(stmt, &mut out);
        }
        self.scope.truncate(scope);
        (self.integers, self.known) = (integers, known);
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
                self.point(p.root, to, stmt.id, out);
            }
            StmtKind::Swap(a, b) if self.itself(a.root).is_some() => {
                self.swap(a.root, b.root, stmt.id, out);
            }
            StmtKind::Let(v, Some(init)) if self.is_lifted(*v) => {
                let kind = StmtKind::Assign(self.lower.func.place(*v), init.clone());
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

    fn is_lifted(&self, v: VarId) -> bool {
        self.lifted.values().flatten().any(|l| *l == v)
    }

    /// The length of a windowed reference is a difference of its bounds.
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
        let together = self.together(stmt);
        if self.open(&together).is_empty() {
            let written = self.written(stmt);
            self.scope.extend(stmt.declared());
            return out.push(written);
        }
        let mut declared = None;
        if let Some(v) = stmt.declared() {
            let name = self.new_name(v);
            self.push(stmt.id, StmtKind::Let(name, None), out);
            declared = Some(self.lower.func.place(name));
            self.scope.push(v);
        }
        self.each(stmt.id, &together, out, &mut |pass, out| {
            let mut stmt = stmt.clone();
            let value = match (&mut stmt.kind, &declared) {
                (StmtKind::Let(_, Some(e)), Some(to)) => {
                    stmt.kind = StmtKind::Assign(to.clone(), e.clone());
                    None
                }
                (StmtKind::Call(call), Some(to)) => {
                    let var = pass.lower.new_var("value", to.ty.clone(), Origin::Temp);
                    call.result = Some(var);
                    Some((to.clone(), var))
                }
                _ => None,
            };
            let written = pass.substituted(&stmt);
            out.push(written);
            if let Some((to, var)) = value {
                let value = Expr::Read(pass.lower.func.place(var));
                pass.push(stmt.id, StmtKind::Assign(to, value), out);
            }
        });
    }

    /// The value of an expression; put into a variable where it depends on which candidate is meant.
    fn value(&mut self, e: &Expr, id: StmtId, out: &mut Vec<Stmt>) -> Expr {
        let ty = e.ty(&self.lower.func);
        let kind = StmtKind::If(e.clone(), Block::default(), Block::default());
        let stmt = self.with_lengths(&Stmt { id, kind });
        let together = self.together(&stmt);
        let StmtKind::If(e, ..) = &stmt.kind else {
            return e.clone();
        };
        if self.open(&together).is_empty() {
            return self.substituted_expr(e);
        }
        let var = self.lower.new_var("at", ty, Origin::Temp);
        let place = self.lower.func.place(var);
        self.push(id, StmtKind::Let(var, None), out);
        self.each(id, &together, out, &mut |pass, out| {
            let value = pass.substituted_expr(e);
            pass.push(id, StmtKind::Assign(place.clone(), value), out);
        });
        Expr::Read(place)
    }

    fn loop_(&mut self, stmt: &Stmt, head: &LoopHead, body: &Block, out: &mut Vec<Stmt>) {
        let together = self.staying(stmt);
        let open = self.open(&together);
        let copies = self.combinations(&together);
        let mut size = 0;
        body.walk(&mut |_| size += 1);
        if open.is_empty() || copies > MAX_COPIES || copies * size > MAX_COPIED {
            return self.loop_itself(stmt, head, body, out);
        }
        self.each(stmt.id, &together, out, &mut |pass, out| {
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

    /// A condition that is put into a variable is tested in the loop.
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

    /// The name that a declared variable has in the copy at hand.
    fn new_name(&mut self, v: VarId) -> VarId {
        if !self.copying {
            self.renamed.remove(&v);
            return v;
        }
        let var = self.lower.func.var(v).clone();
        let name = self
            .lower
            .func
            .add_var(&var.name, var.ty, Mode::Owned, var.origin);
        self.renamed.insert(v, name);
        name
    }

    /// The statement with its variables named anew, and its places behind references as places.
    fn written(&mut self, stmt: &Stmt) -> Stmt {
        let mut stmt = self.substituted(stmt);
        match &mut stmt.kind {
            StmtKind::Let(v, _) => *v = self.new_name(*v),
            StmtKind::Call(call) => call.result = call.result.map(|v| self.new_name(v)),
            _ => {}
        }
        stmt
    }

    fn substituted(&mut self, stmt: &Stmt) -> Stmt {
        let (of, behind) = (stmt.id, !self.together(stmt).lent.is_empty());
        let mut stmt = stmt.clone();
        stmt.id = self.id(of);
        map_places(&mut stmt, &mut |place| *place = self.place(place, true));
        if behind && overlaps(&stmt) && self.overlapping.insert(of) {
            let what = "a call with two references into one variable, chosen at run time,";
            let span = self.span(of);
            self.lower
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

    /// The place that a place behind a reference is, where its candidate is decided.
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
        let at = self.known.get(&itself).or(candidates.first());
        let (Some(at), Some(integers)) = (at, self.integers.get(&itself)) else {
            return place.clone();
        };
        let mut to = class.candidates[*at].clone();
        to.root = name(to.root);
        for (e, at) in blanks(&mut to).into_iter().zip(&integers.at) {
            *e = Expr::Read(at.clone());
        }
        if let Some((lo, hi)) = integers.window.clone() {
            let [lo, hi] = [lo, hi].map(|p| Some(Box::new(Expr::Read(p))));
            let ty = slice_of(&to.ty);
            to = to.project(Proj::Range(lo, hi), ty);
        }
        let mut place = place.clone();
        splice(&mut place, &to);
        place
    }

    // Candidates.

    fn together(&self, stmt: &Stmt) -> Together {
        let itself = |v: &VarId| self.reference(*v).map(|r| r.itself);
        let named = roots(stmt).iter().filter_map(itself).collect();
        let mut together = Together {
            named,
            ..Together::default()
        };
        let lent: Vec<(&Place, bool)> = match &stmt.kind {
            StmtKind::Call(call) => {
                let is_mut = |a: &Arg| matches!(a, Arg::Mut(_));
                let args = call.args.iter();
                args.filter_map(|a| Some((a.place()?, is_mut(a)))).collect()
            }
            StmtKind::Swap(a, b) => vec![(a, true), (b, true)],
            _ => Vec::new(),
        };
        for (place, is_mut) in lent {
            match itself(&place.root) {
                Some(r) => {
                    together.lent.insert(r);
                }
                None => together.places.push((place.clone(), is_mut)),
            }
        }
        together
    }

    /// The references that are named in a loop and stay where they point.
    fn staying(&self, stmt: &Stmt) -> Together {
        let mut moved = BTreeSet::new();
        let mut named = self.together(stmt).named;
        for body in stmt.blocks() {
            body.walk(&mut |s| {
                named.extend(self.together(s).named);
                moved.extend(s.declared());
                moved.extend(s.written().iter().map(|p| p.root));
            });
        }
        named.retain(|v| !moved.contains(v));
        Together {
            named,
            ..Together::default()
        }
    }

    /// The references among those named for which it is not decided where they point.
    fn open(&self, together: &Together) -> Vec<VarId> {
        let several = |v: &VarId| {
            !self.known.contains_key(v)
                && self.integers.contains_key(v)
                && self.points_to.candidates(*v).len() > 1
        };
        together.named.iter().copied().filter(several).collect()
    }

    /// The candidates that a reference can point to here: those in scope, and not where another one
    /// that is used at the same time points, if one of the two is a `&mut`.
    fn feasible(&self, itself: VarId, together: &Together) -> Vec<usize> {
        let candidates = &self.points_to.class(itself).candidates;
        let mut found = self.points_to.candidates(itself);
        found.retain(|at| self.scope.contains(&candidates[*at].root));
        let apart: Vec<usize> = found
            .iter()
            .copied()
            .filter(|at| !self.clashes(itself, *at, together))
            .collect();
        match apart.is_empty() {
            true => found,
            false => apart,
        }
    }

    fn clashes(&self, itself: VarId, at: usize, together: &Together) -> bool {
        let place = &self.points_to.class(itself).candidates[at];
        let whole = |v: VarId, p: &Place| !self.points_to.class(v).windowed && overlap(p, place);
        let is_mut = |v: VarId| self.itself(v).is_some_and(|r| r.mutable);
        let own = !self.points_to.class(itself).windowed;
        let lent = together.lent.contains(&itself);
        let others = together.named.iter().filter(|v| **v != itself);
        let decided = |v: &VarId| {
            let candidates = self.points_to.candidates(*v);
            let only = candidates.first().filter(|_| candidates.len() == 1);
            self.known.get(v).or(only).copied()
        };
        let others: Vec<(VarId, usize)> = others.filter_map(|v| Some((*v, decided(v)?))).collect();
        if others
            .iter()
            .any(|(v, other)| *other == at && self.points_to.apart(*v, itself))
        {
            return true;
        }
        let with_references = others
            .into_iter()
            .map(|(v, at)| (v, &self.points_to.class(v).candidates[at]));
        let mut with_references = with_references.filter(|(v, p)| {
            let unique = is_mut(*v) || is_mut(itself);
            let both_live =
                (lent && together.lent.contains(v)) || !self.points_to.related(*v, itself);
            unique && both_live && whole(*v, p)
        });
        let mut with_places = together.places.iter().filter(|(p, mutable)| {
            lent && (*mutable || is_mut(itself)) && overlap(&self.points_to.skeleton(p).0, place)
        });
        own && (with_references.next().is_some() || with_places.next().is_some())
    }

    /// Writes a piece of code for each combination of candidates of the references that it names.
    fn each(
        &mut self,
        id: StmtId,
        together: &Together,
        out: &mut Vec<Stmt>,
        write: &mut dyn FnMut(&mut Self, &mut Vec<Stmt>),
    ) {
        let Some(itself) = self.open(together).first().copied() else {
            return write(self, out);
        };
        let feasible = self.feasible(itself, together);
        if feasible.is_empty() {
            return self.refuse(itself);
        }
        let copying = self.copying;
        let mut arms = Vec::new();
        for (i, at) in feasible.iter().enumerate() {
            self.copying = copying || i > 0;
            self.known.insert(itself, *at);
            let mut arm = Vec::new();
            self.each(id, together, &mut arm, write);
            arms.push((*at, arm));
        }
        self.known.remove(&itself);
        self.copying = copying;
        let Some((_, last)) = arms.pop() else { return };
        let which = self.integers[&itself].which.clone();
        let chain = arms.into_iter().rev().fold(last, |els, (at, arm)| {
            let Some(which) = &which else { return arm };
            let test = binary(BinOp::Eq, Expr::Read(which.clone()), number(at));
            let kind = StmtKind::If(test, Block::new(arm), Block::new(els));
            let mut chain = Vec::new();
            self.push(id, kind, &mut chain);
            chain
        });
        out.extend(chain);
    }

    /// How often [`Self::each`] writes, or some number too large.
    fn combinations(&mut self, together: &Together) -> usize {
        let Some(itself) = self.open(together).first().copied() else {
            return 1;
        };
        let mut all = 0;
        for at in self.feasible(itself, together) {
            self.known.insert(itself, at);
            all += self.combinations(together);
            if all > MAX_COPIES {
                break;
            }
        }
        self.known.remove(&itself);
        all
    }

    fn refuse(&mut self, itself: VarId) {
        let span = self.itself(itself).map(|r| r.span);
        if let Some(span) = span.filter(|_| self.refused.insert(itself)) {
            let what = "a reference to what is declared further in";
            self.lower
                .refusals
                .push(span, Reason::Reference(what.into()));
        }
    }

    // Making references point somewhere.

    /// The integers of a reference, and the variables for them.
    fn declare(&mut self, itself: VarId, to: Option<&Place>, id: StmtId, out: &mut Vec<Stmt>) {
        for v in self.lifted.get(&itself).cloned().unwrap_or_default() {
            let ty = self.lower.func.var(v).ty.clone();
            let value = default_value(&ty);
            if value.is_none() {
                self.refuse(itself);
            }
            self.scope.push(v);
            let name = self.new_name(v);
            self.push(id, StmtKind::Let(name, value), out);
        }
        if let Some(to) = to {
            self.check(itself, to, id, out);
        }
        let values = to.and_then(|to| self.values(itself, to));
        let integers = self.new_integers(itself);
        let value = |k: usize, blank: Expr| match &values {
            Some(values) => values.get(k).cloned().flatten().unwrap_or(blank),
            None => blank,
        };
        let all = integers.all();
        for (k, place) in all.iter().enumerate() {
            let blank = Expr::Lit("0".into(), place.ty.clone());
            let kind = StmtKind::Let(place.root, Some(value(k, blank)));
            self.push(id, kind, out);
        }
        self.integers.insert(itself, integers);
        self.known.remove(&itself);
        if let Some(at) = to.and_then(|to| self.known_copy(itself, to)) {
            self.known.insert(itself, at);
        }
        if let (Some(to), true) = (to, values.is_none()) {
            self.assign(itself, to, id, out);
        }
    }

    /// The candidate of a reference that is a copy of one for which it is decided.
    fn known_copy(&self, itself: VarId, to: &Place) -> Option<usize> {
        let from = self.reference(to.root)?.itself;
        let stays = self.itself(itself).is_some_and(|r| !r.moves);
        let copy = stays && self.points_to.same_class(itself, from);
        self.known.get(&from).copied().filter(|_| copy)
    }

    fn new_integers(&mut self, itself: VarId) -> Integers {
        let class = self.points_to.class(itself).clone();
        let name = self.itself(itself).map(|r| r.target);
        let name = name.map_or(String::new(), |v| self.lower.func.var(v).name.clone());
        let mut new = |what: &str, ty: Ty| {
            let var = self
                .lower
                .new_var(&format!("{name}_{what}"), ty, Origin::Local);
            self.lower.func.place(var)
        };
        let several = class.candidates.len() > 1;
        let which = several.then(|| new("is", Ty::Int(IntTy::U8)));
        let at = (0..slots(&class.candidates)).map(|_| new("at", Ty::USIZE));
        let at = at.collect();
        let window = class.windowed.then(|| {
            let lo = new("lo", Ty::USIZE);
            (lo, new("hi", Ty::USIZE))
        });
        Integers { which, at, window }
    }

    fn point(&mut self, itself: VarId, to: &Place, id: StmtId, out: &mut Vec<Stmt>) {
        self.check(itself, to, id, out);
        self.assign(itself, to, id, out);
    }

    /// A part of a sequence that is not there is the user's panic, where the reference is made.
    fn check(&mut self, itself: VarId, to: &Place, id: StmtId, out: &mut Vec<Stmt>) {
        if !self.points_to.class(itself).windowed || !to.proj.last().is_some_and(is_slicing) {
            return;
        }
        let tokens = quote::quote!(let _ = __place_0);
        let code = self.lower.add_code(tokens, vec![By::Borrow]);
        let kind = StmtKind::Passive(code, vec![to.clone()]);
        let span = self.span(id);
        let id = self.lower.stmt_id(span);
        self.simple(&Stmt { id, kind }, out);
    }

    /// Assigns the integers.
    fn assign(&mut self, itself: VarId, to: &Place, id: StmtId, out: &mut Vec<Stmt>) {
        let Some(integers) = self.integers.get(&itself).cloned() else {
            return;
        };
        let Some(values) = self.values(itself, to) else {
            let named = self.reference(to.root).map(|r| r.itself);
            let together = Together {
                named: named.into_iter().collect(),
                ..Together::default()
            };
            return self.each(id, &together, out, &mut |pass, out| {
                pass.assign(itself, to, id, out);
            });
        };
        // The upper bound of a window is made from the lower one, which therefore comes last.
        for (place, value) in integers.all().into_iter().zip(values).rev() {
            match value {
                Some(value) if value != Expr::Read(place.clone()) => {
                    self.push(id, StmtKind::Assign(place, value), out);
                }
                _ => {}
            }
        }
    }

    /// The integers, in the order of [`Integers::all`], that make the reference point to the place;
    /// `None` where it is not decided what that is.
    fn values(&self, itself: VarId, to: &Place) -> Option<Vec<Option<Expr>>> {
        let class = self.points_to.class(itself);
        let from = self.reference(to.root).map(|r| r.itself);
        let like = from.filter(|f| self.points_to.same_class(itself, *f));
        if let Some(from) = like.filter(|_| to.is_whole() || class.windowed) {
            let integers = self.integers.get(&from)?;
            let mut values = integers.all().into_iter().map(Expr::Read).map(Some);
            let mut values: Vec<_> = values.by_ref().collect();
            if let (Some((lo, hi)), false) = (integers.window.clone(), to.is_whole()) {
                let steps = self.renamed_steps(&to.proj);
                let window = Some((Expr::Read(lo), Expr::Read(hi)));
                let (lo, hi) = narrowed(window, &steps, to);
                let at = integers.at_window();
                values.splice(at.., [Some(lo), Some(hi)]);
            }
            return Some(values);
        }
        if from
            .is_some_and(|f| !self.known.contains_key(&f) && self.points_to.candidates(f).len() > 1)
        {
            return None;
        }
        let (plain, named) = (self.place(to, false), self.place(to, true));
        let func = &self.lower.func;
        let ((plain, _), (base, steps)) = match class.windowed {
            true => (strip(&plain, func), strip(&named, func)),
            false => ((plain, Vec::new()), (named, Vec::new())),
        };
        let at = self
            .points_to
            .find(itself, &self.points_to.skeleton(&plain).0)?;
        let mut values = Vec::new();
        if class.candidates.len() > 1 {
            values.push(Some(number(at)));
        }
        let mut operands = self.points_to.skeleton(&base).1.into_iter();
        values.extend((0..slots(&class.candidates)).map(|_| operands.next()));
        if class.windowed {
            let (lo, hi) = narrowed(None, &steps, &base);
            values.extend([Some(lo), Some(hi)]);
        }
        Some(values)
    }

    /// The steps with their operands in the names of the copy at hand.
    fn renamed_steps(&self, steps: &[Proj]) -> Vec<Proj> {
        let mut carrier = Place {
            root: VarId(0),
            proj: steps.to_vec(),
            ty: Ty::Unknown,
        };
        fn visit(e: &mut Expr, f: &dyn Fn(&Place) -> Place) {
            for child in e.children_mut() {
                visit(child, f);
            }
            for place in e.own_places_mut() {
                *place = f(place);
            }
        }
        for e in carrier.operands_mut() {
            visit(e, &|p| self.place(p, true));
        }
        carrier.proj
    }

    /// The two references exchange their integers.
    fn swap(&mut self, a: VarId, b: VarId, id: StmtId, out: &mut Vec<Stmt>) {
        let (Some(first), Some(second)) = (self.integers.get(&a), self.integers.get(&b)) else {
            return;
        };
        let pairs: Vec<(Place, Place)> = first.all().into_iter().zip(second.all()).collect();
        for (a, b) in pairs {
            self.push(id, StmtKind::Swap(a, b), out);
        }
    }
}

impl Integers {
    /// All of them; the bounds of the window last.
    fn all(&self) -> Vec<Place> {
        let window = self.window.iter().flat_map(|(lo, hi)| [lo, hi]);
        self.which
            .iter()
            .chain(&self.at)
            .chain(window)
            .cloned()
            .collect()
    }

    /// The position of the window's bounds.
    fn at_window(&self) -> usize {
        usize::from(self.which.is_some()) + self.at.len()
    }
}

/// Whether two places without operands are the same, or one lies in the other, for certain.
fn overlap(a: &Place, b: &Place) -> bool {
    let certain = |p: &Place| p.operands().into_iter().all(|e| *e != blank());
    let shared = a.proj.iter().zip(&b.proj).all(|(x, y)| x == y);
    a.root == b.root && certain(a) && certain(b) && shared
}

/// Whether a call lends places of one variable that no split tells apart.
fn overlaps(stmt: &Stmt) -> bool {
    let StmtKind::Call(call) = &stmt.kind else {
        return false;
    };
    let is_mut = |a: &Arg| matches!(a, Arg::Mut(_));
    let lent = call
        .args
        .iter()
        .filter_map(|a| Some((a.place()?, is_mut(a))));
    let lent: Vec<(&Place, bool)> = lent.collect();
    lent.iter().enumerate().any(|(i, (a, a_mut))| {
        let clash =
            |(b, b_mut): &(&Place, bool)| (*a_mut || *b_mut) && a.root == b.root && !disjoint(a, b);
        lent[i + 1..].iter().any(clash)
    })
}
