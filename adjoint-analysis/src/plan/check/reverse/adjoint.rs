//! The bookkeeping of adjoint variables: nothing is counted twice, and nothing is lost.
//!
//! Going backwards over the statement that gives a place its value, the adjoint of the place must have been propagated
//! and set to zero: it belonged to the value that began at the statement. If it was not, the adjoint variable is
//! *spent*, and must not be read until it is set anew.

use std::collections::HashSet;

use super::read::Role;
use super::{Reverse, ReverseState};
use crate::ir::{Arg, BinOp, Expr, Mode, Origin, Place, Proj, Stmt, StmtId, StmtKind, VarId};
use crate::plan::Plan;
use crate::plan::check::faults::FaultKind;
use crate::plan::check::forward::shape::{Item, Section};
use crate::plan::check::terms::cells::{Evaluator, has_fixed_shape};

/// The state of an adjoint location.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AdjointState {
    /// Whether it is in scope.
    pub declared: bool,
    /// Whether it may be other than zero.
    pub nonzero: bool,
    /// The statement at which the value began whose adjoint this may still be.
    pub spent: Option<StmtId>,
}

/// The state of all locations; those of other variables are not used.
pub type AdjointStates = Vec<AdjointState>;

/// The progress of the mirror of a section.
pub struct Cursor<'w, 'a> {
    /// The section.
    pub section: usize,
    /// Its items in forward order.
    pub items: &'w [Item<'a>],
    /// The number of items that are not reversed yet; the last of them is being reversed.
    top: usize,
    /// The adjoint places that the item's adjoint has set so far, and whether their old values are gone.
    pub kills: Vec<(Place, bool)>,
    /// The adjoint places that the item's adjoint has added to so far.
    grown: Vec<Place>,
    /// The branches and loops that have been mirrored.
    pub mirrored: HashSet<StmtId>,
}

impl<'w, 'a> Cursor<'w, 'a> {
    /// At the end of a section.
    pub fn new(section: &'w Section<'a>) -> Cursor<'w, 'a> {
        let (id, items) = (section.id, &section.items[..]);
        let (kills, grown, mirrored) = (Vec::new(), Vec::new(), HashSet::new());
        Cursor {
            section: id,
            items,
            top: items.len(),
            kills,
            grown,
            mirrored,
        }
    }
}

/// The state at the start: the adjoints of the parameters and of the result are there.
pub fn entry(plan: &Plan, values: &Evaluator<'_>) -> AdjointStates {
    let mut state = vec![AdjointState::default(); values.count()];
    for (v, a) in &plan.adjoint {
        let by_value = plan.func.params.contains(v) && plan.func.var(*v).mode == Mode::Owned;
        // The adjoint of a parameter that is work space is the plan's own to declare.
        if plan.interface.contains(v) || plan.func.ret == Some(*v) {
            for c in values.of(*a) {
                state[c.index()] = AdjointState {
                    declared: true,
                    nonzero: !by_value,
                    spent: None,
                };
            }
        }
    }
    state
}

/// The join of two states; returns whether the first one changed.
pub fn join(a: &mut AdjointStates, b: &AdjointStates) -> bool {
    let old = a.clone();
    for (x, y) in a.iter_mut().zip(b) {
        x.declared &= y.declared;
        x.nonzero |= y.nonzero;
        x.spent = x.spent.or(y.spent);
    }
    *a != old
}

impl Reverse<'_, '_> {
    /// Moves back to the statement `id` of the section; returns whether it is there and not passed yet.
    pub fn advance(&mut self, id: StmtId, now: &mut ReverseState) -> bool {
        let place = self.shape.stmts.get(&id).copied();
        let Some(cursor) = self.cursors.last() else {
            return false;
        };
        let Some((_, n)) = place.filter(|(section, _)| *section == cursor.section) else {
            let message = "the primal statement is not in the block mirrored here";
            self.faults.add(id, FaultKind::Mirror, message);
            return false;
        };
        if n >= cursor.top {
            let message = "the adjoint comes after that of an earlier statement";
            self.faults.add(id, FaultKind::AdjointOrder, message);
            return false;
        }
        self.cross_to(n + 1, now);
        true
    }

    /// Moves back over the rest of the section.
    pub fn cross_rest(&mut self, now: &mut ReverseState) {
        self.cross_to(0, now);
    }

    fn cross_to(&mut self, top: usize, now: &mut ReverseState) {
        while let Some(cursor) = self.cursors.last_mut().filter(|c| c.top > top) {
            cursor.top -= 1;
            let item = &cursor.items[cursor.top];
            let kills = std::mem::take(&mut cursor.kills);
            cursor.grown.clear();
            if !cursor.mirrored.contains(&item.stmt.id) {
                self.cross(item, &kills, now);
            }
        }
    }

    /// Marks the adjoints of the places that the statement sets as spent, unless they have been set.
    fn cross(&mut self, item: &Item<'_>, kills: &[(Place, bool)], now: &mut ReverseState) {
        for place in definitions(self.plan, item.stmt) {
            let Some(&a) = self.plan.adjoint.get(&place.root) else {
                continue;
            };
            let killed = |(k, _): &(Place, bool)| k.root == a && place.proj.starts_with(&k.proj);
            if kills.iter().any(killed) {
                continue;
            }
            for c in self.values.under(&place.with_root(a)) {
                let adj = &mut now.adjoints[c.index()];
                if adj.declared && adj.nonzero {
                    adj.spent = Some(item.stmt.id);
                }
            }
        }
        for section in &item.sections {
            section
                .items
                .iter()
                .rev()
                .for_each(|i| self.cross(i, &[], now));
        }
    }

    /// At the end, the adjoints that the caller sees must belong to the entry values.
    pub fn finish_adjoints(&mut self, now: &ReverseState) {
        for (v, a) in &self.plan.adjoint {
            for c in self.values.of(*a) {
                let spent = now.adjoints[c.index()].spent;
                if let (Some(id), true) = (spent, self.plan.func.params.contains(v)) {
                    self.counted_twice(id, *a);
                }
            }
        }
    }

    fn counted_twice(&mut self, id: StmtId, a: VarId) {
        let name = self.name(a);
        let message = format!("`{name}` still holds the adjoint of an overwritten value");
        self.faults.add(id, FaultKind::CountedTwice, message);
    }

    /// A read of an adjoint, to be propagated.
    pub fn read_adjoint(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        let cells = self.values.under(p);
        if cells
            .iter()
            .any(|c| now.adjoints[c.index()].spent.is_some())
        {
            self.counted_twice(id, p.root);
        }
        self.taken_in_order(id, p, now);
    }

    /// The adjoint belongs to the value after the statement.
    fn taken_in_order(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        self.not_grown(id, p, now);
        let overlaps = |k: &Place| k.proj.starts_with(&p.proj) || p.proj.starts_with(&k.proj);
        let mut kills = self.cursors.last().into_iter().flat_map(|c| &c.kills);
        if kills.any(|(k, gone)| *gone && k.root == p.root && overlaps(k)) {
            let name = self.name(p.root);
            let message = format!("`{name}` is read after it has been set to zero");
            self.faults.add(id, FaultKind::SeedLost, message);
        }
    }

    /// An expression of the adjoint of `id`.
    pub fn adjoint_reads(&mut self, id: StmtId, e: &Expr, now: &mut ReverseState) {
        let mut passes_on = false;
        e.walk(&mut |e| {
            passes_on |= matches!(e, Expr::Read(p) if self.values.is_adjoint(p.root));
        });
        match passes_on {
            true if self.advance(id, now) => self.check(id, e, Role::Free, now),
            true => {}
            false => self.check(id, e, Role::Inner, now),
        }
    }

    /// What is added to an adjoint behind a whole reversed loop or branch belongs there if no statement inside gives the
    /// place a value.
    fn belongs_behind(&mut self, id: StmtId, p: &Place) {
        let Some(stmt) = self.primal.get(&id) else {
            return;
        };
        let mut begins = false;
        stmt.each_block(&mut |block| {
            block.walk(&mut |s| {
                let defined = definitions(self.plan, s).into_iter();
                let mut adjoints = defined.filter_map(|d| self.plan.adjoint.get(&d.root));
                begins |= adjoints.any(|a| *a == p.root);
            });
        });
        if begins {
            let name = self.name(p.root);
            let message = format!("`{name}` is added to behind a statement that sets its variable");
            self.faults.add(id, FaultKind::SeedLost, message);
        }
    }

    /// The terms of an increment: each is one on its own.
    fn check_terms(&mut self, id: StmtId, e: &Expr, now: &mut ReverseState) {
        match e {
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => {
                self.check_terms(id, a, now);
                self.check_terms(id, b, now);
            }
            _ => self.adjoint_reads(id, e, now),
        }
    }

    /// A place of an adjoint variable: its indices, and its scope.
    pub fn adjoint_place(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        for e in p.operands() {
            self.check(id, e, Role::Index, now);
        }
        self.in_scope(id, &Expr::Read(Place::var(p.root, p.ty.clone())), now);
    }

    /// `let v_adj`; without a value, it is zero.
    pub fn declare_adjoint(
        &mut self,
        id: StmtId,
        a: VarId,
        init: Option<&Expr>,
        now: &mut ReverseState,
    ) {
        let of = match self.plan.func.var(a).origin {
            Origin::Adjoint(v) => v,
            _ => a,
        };
        let cells = self.values.of(a);
        let section = self.cursors.last().map(|c| c.section);
        let mirrored = self
            .shape
            .declared
            .get(&of)
            .is_none_or(|s| Some(*s) == section);
        if !mirrored || cells.iter().any(|c| now.adjoints[c.index()].declared) {
            let name = self.name(a);
            let message = format!("`{name}` is not declared in the mirror of its variable's scope");
            self.faults.add(id, FaultKind::AdjointScope, message);
        }
        match init {
            Some(e) => {
                self.check_terms(id, e, now);
                self.comes_back(id, a, e);
            }
            None if has_fixed_shape(&self.plan.func.var(a).ty) => {}
            // It is created with the shape of its primal.
            None => self.has_value(id, &self.plan.func.place(of), now),
        }
        let nonzero = init.is_some_and(|e| !is_zero(e));
        for c in cells {
            now.adjoints[c.index()] = AdjointState {
                declared: true,
                nonzero,
                spent: None,
            };
        }
    }

    /// An adjoint whose shape is not fixed is declared with that of a variable to which the statement moves its own: then the
    /// two have one shape.
    fn comes_back(&mut self, id: StmtId, a: VarId, init: &Expr) {
        let adjoint = |p: &Place| self.plan.adjoint.get(&p.root).filter(|_| p.is_whole());
        let moves = match (self.primal.get(&id).map(|s| &s.kind), init) {
            (Some(StmtKind::Assign(to, Expr::Read(from))), Expr::Read(seed)) => {
                seed.is_whole() && adjoint(to) == Some(&seed.root) && adjoint(from) == Some(&a)
            }
            _ => false,
        };
        if !has_fixed_shape(&self.plan.func.var(a).ty) && !moves {
            let name = self.name(a);
            let message = format!("`{name}` is declared with a value of another shape");
            self.faults.add(id, FaultKind::AdjointScope, message);
        }
    }

    /// `v_adj += e`
    pub fn increment_adjoint(&mut self, id: StmtId, p: &Place, e: &Expr, now: &mut ReverseState) {
        if self.advance(id, now) {
            self.add(id, p, e, now);
        }
    }

    fn add(&mut self, id: StmtId, p: &Place, e: &Expr, now: &mut ReverseState) {
        self.check_terms(id, e, now);
        self.adjoint_place(id, p, now);
        self.belongs_behind(id, p);
        if !self.is_no_increment(e, now) {
            self.add_contribution(p, now);
        }
    }

    /// Notes what the statement itself adds to an adjoint.
    fn add_contribution(&mut self, p: &Place, now: &mut ReverseState) {
        self.grow(p, now);
        if let Some(cursor) = self.cursors.last_mut() {
            cursor.grown.push(p.clone());
        }
    }

    /// The statement's own contribution to an adjoint belongs to the value before it: it must not be read as part of
    /// the one after it, nor be lost.
    fn not_grown(&mut self, id: StmtId, p: &Place, now: &ReverseState) {
        let grown: Vec<Place> = self.cursors.last().map_or(Vec::new(), |c| c.grown.clone());
        let grown = grown.iter().filter(|g| g.root == p.root);
        let mut overlapping = grown.filter(|g| self.values.overlap(&now.values, g, p));
        if overlapping.next().is_some() {
            let name = self.name(p.root);
            let message = format!("`{name}` has been added to already for the value before");
            self.faults.add(id, FaultKind::SeedLost, message);
        }
    }

    /// Notes an addition to an adjoint.
    pub fn grow(&mut self, p: &Place, now: &mut ReverseState) {
        for c in self.values.under(p) {
            now.adjoints[c.index()].nonzero = true;
        }
    }

    /// `v_adj = e`, which is `v_adj += e` where the adjoint is zero, and `zero v_adj` before that elsewhere.
    pub fn replace_adjoint(&mut self, id: StmtId, p: &Place, e: &Expr, now: &mut ReverseState) {
        if self.advance(id, now) {
            if !self.begins(id, p) && !self.may_be_nonzero(p, now) {
                return self.add(id, p, e, now);
            }
            self.check_terms(id, e, now);
            self.adjoint_place(id, p, now);
            self.kill(id, p, now);
            if !is_zero(e) {
                self.add_contribution(p, now);
            }
        }
    }

    /// `zero v_adj`
    pub fn zero(&mut self, id: StmtId, p: &Place, now: &mut ReverseState) {
        if self.advance(id, now) {
            self.adjoint_place(id, p, now);
            self.kill(id, p, now);
        }
    }

    /// Clears an adjoint, which is right only where its value began.
    fn kill(&mut self, id: StmtId, p: &Place, now: &mut ReverseState) {
        self.not_grown(id, p, now);
        let cells = self.values.under(p);
        if !self.begins(id, p) && self.may_be_nonzero(p, now) {
            let name = self.name(p.root);
            let message = format!("`{name}` is set where its value does not begin");
            self.faults.add(id, FaultKind::SeedLost, message);
        }
        let field = |s: &Proj| matches!(s, Proj::Field(_) | Proj::Deref | Proj::Variant(..));
        if p.proj.iter().all(field) {
            for c in cells {
                let adj = &mut now.adjoints[c.index()];
                (adj.nonzero, adj.spent) = (false, None);
            }
        }
        self.killed(p.clone(), true);
    }

    /// Whether the value whose adjoint this is begins at the statement.
    fn begins(&self, id: StmtId, p: &Place) -> bool {
        let is_of = |d: &Place| {
            self.plan.adjoint.get(&d.root) == Some(&p.root) && p.proj.starts_with(&d.proj)
        };
        let primal = self.primal.get(&id);
        primal.is_some_and(|s| definitions(self.plan, s).iter().any(is_of))
    }

    fn may_be_nonzero(&self, p: &Place, now: &ReverseState) -> bool {
        let cells = self.values.under(p);
        cells.iter().any(|c| now.adjoints[c.index()].nonzero)
    }

    /// Notes that the adjoint of a place has been set.
    pub fn killed(&mut self, p: Place, gone: bool) {
        self.cursors
            .iter_mut()
            .last()
            .into_iter()
            .for_each(|c| c.kills.push((p.clone(), gone)));
    }

    /// The adjoint of an exchange is the exchange of the adjoints.
    pub fn swap_adjoints(&mut self, id: StmtId, a: &Place, b: &Place, now: &mut ReverseState) {
        if !self.advance(id, now) {
            return;
        }
        let paths = |a: &Place, b: &Place| [(a.root, a.proj.clone()), (b.root, b.proj.clone())];
        let exchanged = match self.primal.get(&id).map(|s| &s.kind) {
            Some(StmtKind::Swap(x, y)) => {
                let adjoint = |p: &Place| self.plan.adjoint.get(&p.root).map(|a| p.with_root(*a));
                let pair = adjoint(x).zip(adjoint(y));
                pair.is_some_and(|(x, y)| {
                    paths(&x, &y) == paths(a, b) || paths(&y, &x) == paths(a, b)
                })
            }
            _ => false,
        };
        if !exchanged {
            self.faults
                .add(id, FaultKind::Mirror, "the primal exchanges other places");
        }
        for p in [a, b] {
            self.adjoint_place(id, p, now);
            self.taken_in_order(id, p, now);
            self.killed(p.clone(), false);
        }
        self.exchange(a, b, now);
    }

    /// Exchanges two adjoint states, location by location if both have the same ones, so that a spent state moves
    /// along.
    fn exchange(&mut self, a: &Place, b: &Place, now: &mut ReverseState) {
        if let Some(pairs) = self.values.paired(a, b) {
            for (x, y) in pairs {
                now.adjoints.swap(x.index(), y.index());
            }
            return;
        }
        let cells = [a, b].map(|p| self.values.under(p)).concat();
        let held: Vec<AdjointState> = cells.iter().map(|c| now.adjoints[c.index()]).collect();
        for c in cells {
            let adj = &mut now.adjoints[c.index()];
            adj.nonzero = held.iter().any(|h| h.nonzero);
            adj.spent = held.iter().find_map(|h| h.spent);
        }
    }
}

/// The places whose values begin at the statement.
pub fn definitions(plan: &Plan, stmt: &Stmt) -> Vec<Place> {
    let mut places: Vec<Place> = stmt
        .declared()
        .map(|v| plan.func.place(v))
        .into_iter()
        .collect();
    match &stmt.kind {
        StmtKind::Assign(p, _) | StmtKind::Insert(p, ..) | StmtKind::Remove(_, p, _) => {
            places.push(p.clone());
        }
        StmtKind::Swap(a, b) => places.extend([a.clone(), b.clone()]),
        StmtKind::Call(c) | StmtKind::Forward(c) => {
            places.extend(c.args.iter().filter_map(|a| match a {
                Arg::Mut(p) => Some(p.clone()),
                _ => None,
            }))
        }
        _ => {}
    }
    places
}

/// Whether every real in the value is the literal zero.
fn is_zero(e: &Expr) -> bool {
    match e {
        Expr::Lit(text, _) => text.parse() == Ok(0.0),
        Expr::Repeat(value, _, _) => is_zero(value),
        Expr::Aggregate(parts, _) => parts.iter().all(is_zero),
        Expr::ZeroLike(_) => true,
        _ => false,
    }
}
