//! What steps read.

use super::Step;
use super::regions::Region;
use crate::ir::{Call, Expr, LoopHead, Place, StmtId, StmtKind};
use crate::passes::checkpoint::LoopState;
use crate::plan::check::terms::state::State;
use crate::plan::check::terms::term::{Cell, Node, Op, Step as Path, Term};

impl Step<'_, '_> {
    /// Looks at all that the step reads.
    pub(super) fn reads(&mut self) {
        let facts = self.facts;
        for stmt in self.body.clone() {
            let Some(before) = facts.before.get(&stmt.id) else {
                continue;
            };
            let mut states = vec![before];
            if let StmtKind::Loop(LoopHead::While(_) | LoopHead::CountedWhile(..), _) = &stmt.kind {
                states.extend(facts.iterations.get(&stmt.id).map(|(start, _)| start));
            }
            for state in states {
                stmt.walk_exprs(&mut |e| self.expr(stmt.id, e, state));
            }
            match &stmt.kind {
                StmtKind::Call(call) => self.arguments(stmt.id, call, before),
                StmtKind::Assign(place, _) => self.assigned(stmt.id, place, before),
                _ => stmt.each_own_place(&mut |p| self.read(stmt.id, p, before)),
            }
        }
    }

    fn expr(&mut self, id: StmtId, e: &Expr, state: &State) {
        match e {
            // Steps may change elements and not the length.
            Expr::Len(p) => {
                let len = self.values.len(state, p);
                if self.is_stale(len) || !self.is_written(p) {
                    self.read(id, p, state);
                }
            }
            e => e.own_places().iter().for_each(|p| self.read(id, p, state)),
        }
    }

    fn is_written(&self, place: &Place) -> bool {
        let mut cells = self.values.under(place).into_iter();
        cells.any(|c| self.written.contains_key(&c))
    }

    /// Whether a length is that of a stale value.
    fn is_stale(&mut self, len: Term) -> bool {
        match self.values.terms.node(len).clone() {
            Node::Op(Op::Len, args) => {
                let whole = self.values.terms.whole(args[0]);
                let mut stale = self.stale.iter();
                let of = stale.find_map(|(cell, t)| (*t == whole).then_some(*cell));
                of.is_some_and(|cell| self.is_resized(cell))
            }
            Node::Op(_, args) => args.into_iter().any(|t| self.is_stale(t)),
            _ => false,
        }
    }

    /// A value without a fixed shape has the shape for its adjoint before it is replaced, and an array that steps give
    /// another length has elements.
    fn assigned(&mut self, id: StmtId, place: &Place, before: &State) {
        if !place.ty.keeps_shape() {
            return self.read(id, place, before);
        }
        for cell in self.values.under(place) {
            let way = self.values.way(before, place, cell);
            if way.is_some_and(|way| !way.is_empty()) && self.is_resized(cell) {
                self.read_parts(id, place, cell, &[], before);
            }
        }
    }

    /// Whether steps may give an array another length.
    pub(super) fn is_resized(&mut self, cell: Cell) -> bool {
        let lengths = [self.start, self.end].map(|state| {
            let value = state[cell.index()];
            value.map(|t| self.length(cell, t))
        });
        self.reshaped.contains(&cell) && lengths[0] != lengths[1]
    }

    fn arguments(&mut self, id: StmtId, call: &Call, before: &State) {
        let Some(effect) = self.callees.effect(call) else {
            let places = call.args.iter().filter_map(|arg| arg.place());
            return places.for_each(|p| self.read(id, p, before));
        };
        let exposed = effect.exposed.iter();
        for place in exposed.filter_map(|p| effect.at_call(p, call)) {
            self.read(id, &place, before);
        }
        // Where the callee reads them, what it writes itself is overwritten.
        let Some(after) = self.facts.after.get(&id) else {
            return;
        };
        let others = effect.partly_constant.iter();
        for place in others.filter_map(|p| effect.at_call(p, call)) {
            for cell in self.values.under(&place) {
                let is_proved = after[cell.index()].is_none_or(|t| {
                    self.is_overwritten(cell, t, &Region::ALL) || self.reads_constants(cell, t)
                });
                if self.written.contains_key(&cell) && !is_proved {
                    self.fault(id, place.root, "may be read as another step left it");
                }
            }
        }
    }

    /// What a local holds has been read.
    fn read(&mut self, id: StmtId, place: &Place, state: &State) {
        if self.locals.contains(&place.root) {
            return;
        }
        for cell in self.values.under(place) {
            if let Some(way) = self.values.way(state, place, cell) {
                self.read_parts(id, place, cell, &way, state);
            }
        }
    }

    fn read_parts(&mut self, id: StmtId, place: &Place, cell: Cell, way: &[Path], state: &State) {
        let Some(t) = state[cell.index()] else {
            return;
        };
        if !self.written.contains_key(&cell) {
            if !self.is_known(cell) {
                self.fault(id, place.root, "is not among what steps read");
            }
            return;
        }
        let (part, _) = Region::of(&self.values.terms, way);
        if self.is_overwritten(cell, t, &part) {
            return;
        }
        if !self.reads_constants(cell, t) {
            self.fault(id, place.root, "may be read as another step left it");
        }
    }

    /// Whether nothing but elements that no step writes are left to be read.
    fn reads_constants(&mut self, cell: Cell, t: Term) -> bool {
        let written = self.written.get(&cell).cloned().unwrap_or_default();
        let mut written = written.iter();
        self.is_known(cell) && written.all(|region| self.is_overwritten(cell, t, region))
    }

    /// Whether its constant parts are among what steps read.
    fn is_known(&self, cell: Cell) -> bool {
        let LoopState {
            read,
            partly_constant,
            ..
        } = &*self.sets;
        let mut places = read.iter().chain(partly_constant);
        places.any(|p| self.values.under(p).contains(&cell))
    }
}
