//! What a step reads before it writes it, and what it writes for sure: one walk through its body.

use super::effects::{Callees, Effect};
use super::sections::{Scope, Section, base};
use crate::ir::{Arg, Block, Call, Expr, LoopHead, Place, Proj, Rev, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::trips::leaves;
use crate::passes::sets::set::VarSet;
use crate::passes::tbr::regions::{self, Definitions};

/// A section of the value at a path of fields.
#[derive(Clone, PartialEq, Debug)]
pub struct Access {
    /// The place at the path.
    pub place: Place,
    /// The section.
    pub section: Section,
}

/// The result.
#[derive(Default)]
pub struct Found {
    /// What may be read before it is written. An element that no step writes counts if others of its array are written
    /// and not all of them have been.
    pub exposed: Vec<Place>,
    /// Arrays of which elements are read that no step writes, while others are written.
    pub partly_constant: Vec<Place>,
    /// What may be written.
    pub written: Vec<Access>,
    /// What is written whatever way a step takes.
    pub killed: Vec<Access>,
}

/// Walks through the body of a loop with this index, or of a function.
pub fn walk(
    index: Option<VarId>,
    body: &Block,
    callees: Callees<'_>,
    definitions: &Definitions,
) -> Found {
    let mut stable = Stable {
        definitions,
        inner: index.into_iter().collect(),
        written: Vec::new(),
        reshaped: callees.reshaped(body),
    };
    body.walk(&mut |s| {
        stable.inner.extend(s.declared());
        if let StmtKind::Loop(head, _) = &s.kind {
            stable.inner.extend(head.index());
        }
        stable.written.extend(callees.written_by(s));
    });
    let reshaped = callees.reshaped(&callees.func.body);
    let canonical = |e: &Expr| stable.canonical(e);
    let mut first = Walk {
        callees,
        definitions,
        stable: &stable,
        reshaped: &reshaped,
        scope: Scope::new(&canonical, index),
        all_written: None,
        found: Found::default(),
    };
    first.block(body);
    let written = std::mem::take(&mut first.found.written);
    let mut second = Walk {
        scope: Scope::new(&canonical, index),
        all_written: Some(written),
        found: Found::default(),
        ..first
    };
    second.block(body);
    let written = second.all_written.unwrap_or_default();
    Found {
        written,
        ..second.found
    }
}

/// The expressions that have one value in all steps.
struct Stable<'a> {
    definitions: &'a Definitions,
    /// The variables that the body declares, and the loop's index.
    inner: VarSet,
    written: Vec<Place>,
    /// What the body may give another shape.
    reshaped: Vec<Place>,
}

impl Stable<'_> {
    fn canonical(&self, e: &Expr) -> Option<Expr> {
        match self.definitions.same_value(e) {
            e @ Expr::Lit(..) => Some(e.clone()),
            // Constants of this function's code, and of a callee's.
            e @ Expr::Code(_, reads, _) if reads.is_empty() => Some(e.clone()),
            Expr::Discrete(name, args, ty) => {
                let args = args
                    .iter()
                    .map(|e| self.canonical(e))
                    .collect::<Option<_>>()?;
                Some(Expr::Discrete(name.clone(), args, ty.clone()))
            }
            e @ Expr::Read(p) => self.is_unchanged(p).then(|| e.clone()),
            e @ Expr::Len(p) => self.keeps_length(p).then(|| e.clone()),
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.canonical(a)?, self.canonical(b)?);
                Some(Expr::Binary(*op, Box::new(a), Box::new(b)))
            }
            _ => None,
        }
    }

    fn is_unchanged(&self, p: &Place) -> bool {
        let is_path = base(p).len() == p.proj.len();
        is_path && !self.inner.contains(p.root) && !self.written.iter().any(|w| w.may_overlap(p))
    }

    /// Whether nothing but elements of the array at the place is written.
    fn keeps_length(&self, p: &Place) -> bool {
        if base(p).len() != p.proj.len() || self.inner.contains(p.root) {
            return false;
        }
        let is_inside = |r: &Place| r.is_within(p) && r.proj.len() > p.proj.len();
        let mut reshaped = self.reshaped.iter().filter(|r| r.may_overlap(p));
        self.definitions.has_one_length(p) || reshaped.all(is_inside)
    }
}

struct Walk<'a, 's> {
    callees: Callees<'a>,
    /// What the function may give another shape.
    reshaped: &'s [Place],
    definitions: &'a Definitions,
    stable: &'s Stable<'a>,
    scope: Scope<'s>,
    /// What the body writes, once that is known.
    all_written: Option<Vec<Access>>,
    found: Found,
}

impl Walk<'_, '_> {
    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        stmt.walk_exprs(&mut |e| self.expr(e));
        if let StmtKind::Call(call) = &stmt.kind {
            return self.call(call);
        }
        stmt.written().into_iter().for_each(|p| self.write(p));
        match &stmt.kind {
            StmtKind::Assign(p, _) => self.assign(p),
            StmtKind::If(_, then, els) => self.branch(then, els),
            StmtKind::Loop(head, body) => self.repeat(head, body),
            _ => stmt.each_own_place(&mut |p| self.read(p)),
        }
        if let StmtKind::Let(v, Some(e)) = &stmt.kind
            && !self.stable.written.iter().any(|w| w.root == *v)
        {
            self.scope.define(*v, e);
        }
    }

    /// A callee that is not visible reads and writes all of its `&mut` arguments.
    fn call(&mut self, call: &Call) {
        let Some(effect) = self.callees.effect(call) else {
            for place in call.args.iter().filter_map(Arg::place) {
                self.read(place);
            }
            return call.written().for_each(|p| self.write(p));
        };
        let at_call = |p: &Place| effect.at_call(p, call);
        let exposed = effect.exposed.iter().filter_map(at_call);
        exposed.for_each(|p| self.read(&p));
        for of in &effect.written {
            if let Some((access, _)) = self.access_at_call(of, effect, call) {
                self.note_written(access);
            }
        }
        for of in &effect.killed {
            let access = self.access_at_call(of, effect, call);
            if let Some((access, true)) = access
                && !self.may_be_reshaped(&access.place)
            {
                self.kill(access);
            }
        }
        let others = effect.partly_constant.iter().filter_map(at_call);
        others.for_each(|p| self.read(&p));
    }

    /// What a callee's access is in the caller, and whether it is nothing less.
    fn access_at_call(&self, of: &Access, effect: &Effect, call: &Call) -> Option<(Access, bool)> {
        let place = effect.at_call(&of.place, call)?;
        let (access, _) = self.access(&place);
        let beyond = &place.proj[access.place.proj.len()..];
        if !matches!(beyond, [] | [Proj::Range(None, None)]) {
            return Some((access, false));
        }
        let argument = |e: &Expr| effect.argument(e, call);
        let section = self.scope.of_callee(&of.section, &argument);
        let is_exact = section.is_some();
        let section = section.unwrap_or(Section::ALL);
        Some((Access { section, ..access }, is_exact))
    }

    fn write(&mut self, place: &Place) {
        self.note_written(self.access(place).0);
    }

    fn note_written(&mut self, access: Access) {
        let section = self.scope.over_loops(&access.section, 0);
        self.found.written.push(Access { section, ..access });
    }

    fn expr(&mut self, e: &Expr) {
        match e {
            // The length of what is written is no snapshot's affair, if steps don't change it.
            Expr::Len(p) if self.stable.keeps_length(p) && self.is_written(p) => {}
            e => e.own_places().iter().for_each(|p| self.read(p)),
        }
    }

    fn is_written(&self, p: &Place) -> bool {
        self.stable.written.iter().any(|w| w.may_overlap(p))
    }

    /// Adjoints take the shape of a value that is replaced, and elements are set where there are any.
    fn assign(&mut self, p: &Place) {
        let (access, is_exact) = self.access(p);
        let is_element = access.place.proj.len() < p.proj.len();
        if !p.ty.keeps_shape() || is_element && self.may_be_reshaped(&access.place) {
            self.read(p);
        } else if is_exact {
            self.kill(access);
        }
    }

    fn may_be_reshaped(&self, p: &Place) -> bool {
        self.reshaped.iter().any(|r| r.may_overlap(p))
    }

    fn access(&self, place: &Place) -> (Access, bool) {
        let path = base(place);
        let (section, is_exact) = self.scope.section(&place.proj[path.len()..]);
        let ty = match path.len() == place.proj.len() {
            _ if path.is_empty() => self.callees.func.var(place.root).ty.clone(),
            true => place.ty.clone(),
            false => Ty::Unknown,
        };
        let place = Place {
            root: place.root,
            proj: path.to_vec(),
            ty,
        };
        (Access { place, section }, is_exact)
    }

    fn read(&mut self, p: &Place) {
        let (access, _) = self.access(p);
        let Some(written) = &self.all_written else {
            return;
        };
        if self.is_killed(&access) {
            return;
        }
        let mut overlapping = written
            .iter()
            .filter(|w| w.place.may_overlap(&access.place));
        let is_changed = overlapping.clone().next().is_some();
        match is_changed && overlapping.all(|w| self.is_killed(w)) {
            true => self.found.partly_constant.push(access.place),
            false => self.found.exposed.push(access.place),
        }
    }

    fn is_killed(&self, access: &Access) -> bool {
        is_in(&self.found.killed, access, &self.scope)
    }

    fn kill(&mut self, access: Access) {
        match self.scope.moves(&access.section) {
            true => self.found.killed.push(access),
            false => self.join(access),
        }
    }

    /// Enters what is killed, as one section with those that it continues.
    fn join(&mut self, mut access: Access) {
        if self.is_all(&access) {
            access.section = Section::ALL;
        }
        if self.is_killed(&access) {
            return;
        }
        let killed = &mut self.found.killed;
        let joins = killed.iter().enumerate().find_map(|(k, other)| {
            let (a, b) = (&other.place, &access.place);
            let joined = other.section.joined(&access.section)?;
            (a.root == b.root && a.proj == b.proj).then_some((k, joined))
        });
        match joins {
            Some((k, section)) => {
                killed.remove(k);
                self.join(Access { section, ..access });
            }
            None => killed.push(access),
        }
    }

    /// Whether these are all elements of an array.
    fn is_all(&self, access: &Access) -> bool {
        let extent = match &access.place.ty {
            Ty::Array(_, n) => crate::ir::integers::literal(n),
            _ => None,
        };
        let is_end = |e: &Expr| match e {
            Expr::Len(p) if p.root == access.place.root => p.proj == access.place.proj,
            e => {
                access.place.is_whole() && self.definitions.is_defined_length(e, access.place.root)
            }
        };
        access.section.is_before(&is_end, extent)
    }

    /// What both arms kill.
    fn branch(&mut self, then: &Block, els: &Block) {
        let before = self.found.killed.clone();
        self.block(then);
        let one = std::mem::replace(&mut self.found.killed, before);
        self.block(els);
        let other = std::mem::take(&mut self.found.killed);
        let in_other = one.iter().filter(|k| is_in(&other, k, &self.scope));
        let mut both: Vec<Access> = in_other.cloned().collect();
        both.extend(
            other
                .iter()
                .filter(|k| is_in(&one, k, &self.scope))
                .cloned(),
        );
        both.into_iter().for_each(|access| self.kill(access));
    }

    fn repeat(&mut self, head: &LoopHead, body: &Block) {
        let before = self.found.killed.clone();
        for set in regions::overwritten(head, body, self.callees.func, self.definitions) {
            self.kill(Access {
                place: self.callees.func.place(set.array),
                section: Section::ALL,
            });
        }
        let known = self.found.killed.clone();
        self.scope.enter(head);
        let is_upwards = matches!(head, LoopHead::Counted(_, range) if range.rev == Rev::No);
        if is_upwards && !leaves(body) && reads_what_it_sets(body) {
            let (written, exposed) = (self.found.written.len(), self.found.exposed.len());
            let partly = self.found.partly_constant.len();
            self.block(body);
            self.found.written.truncate(written);
            self.found.exposed.truncate(exposed);
            self.found.partly_constant.truncate(partly);
            let each = std::mem::replace(&mut self.found.killed, known.clone());
            for access in each {
                let section = self.scope.covered_before(&access.section);
                if let Some(section) = section {
                    self.join(Access { section, ..access });
                }
            }
        }
        self.block(body);
        let each = std::mem::replace(&mut self.found.killed, before);
        let covered = |access: &Access| {
            let section = self.scope.covered_by_loop(&access.section)?;
            Some(Access {
                section,
                ..access.clone()
            })
        };
        let covers = matches!(head, LoopHead::Counted(..)) && !leaves(body);
        let covered: Vec<Access> = each.iter().filter(|_| covers).filter_map(covered).collect();
        self.scope.leave(head);
        known
            .into_iter()
            .chain(covered)
            .for_each(|access| self.kill(access));
    }
}

/// Whether the body reads an array of which it sets elements.
fn reads_what_it_sets(body: &Block) -> bool {
    let (mut set, mut read) = (VarSet::default(), VarSet::default());
    body.walk(&mut |s| {
        if let StmtKind::Assign(p, _) = &s.kind {
            set.extend((!p.is_whole()).then_some(p.root));
        }
        s.walk_exprs(&mut |e| read.extend(e.own_places().iter().map(|p| p.root)));
    });
    read.iter().any(|v| set.contains(v))
}

/// Whether an access outside of inner loops is within those.
pub fn is_killed(killed: &[Access], access: &Access, index: Option<VarId>) -> bool {
    is_in(killed, access, &Scope::new(&|_| None, index))
}

/// Whether an access is within those.
fn is_in(all: &[Access], access: &Access, scope: &Scope<'_>) -> bool {
    all.iter().any(|whole| {
        let path: &[Proj] = &whole.place.proj;
        let deeper = access.place.proj.len() > path.len();
        whole.place.root == access.place.root
            && access.place.proj.starts_with(path)
            && (whole.section.is_all() || !deeper && scope.covers(&whole.section, &access.section))
    })
}
