//! Ends of scopes, which overwrite what the variables hold: whether their values are recorded, or how they come back.

use super::cost::is_cheap;
use super::static_facts::recomputable;
use super::{LocalRestore, Pass};
use crate::ir::{Block, Expr, Mode, Origin, Stmt, StmtKind, Ty, VarId};
use crate::passes::sets::set::CellSet;

impl Pass<'_> {
    /// Ends the scopes of the variables declared in the block.
    pub(super) fn end_of_scope(&mut self, block: &Block, state: &mut CellSet) {
        self.rest = &[];
        for (at, stmt) in block.stmts.iter().enumerate().rev() {
            let Some(v) = stmt.declared() else { continue };
            let mut decision = None;
            if self.cells.fixed_lengths().contains(v)
                && self.options.tbr
                && !self.requires(state, v)
            {
                decision = Some(LocalRestore::Zeros);
                self.result.lengths.remove(&v);
                if let Some(length) = self.length_at_end(v, &block.stmts[at + 1..], state) {
                    state.extend(self.cells.needs(&length, self.func));
                    self.result.lengths.insert(v, length);
                }
            } else if self.requires(state, v) || self.shaped.contains(v) || self.is_replayed(v) {
                decision = Some(LocalRestore::Record);
                self.result.inverted_ends.remove(&v);
                let rest = &block.stmts[at + 1..];
                if let Some(e) = self.recomputed_from(v, rest, state) {
                    state.extend(self.cells.needs(&e, self.func));
                    decision = Some(LocalRestore::Recompute);
                } else if let Some(e) = self.inverse_at_end(v, block, rest, state) {
                    state.extend(self.cells.needs(&e, self.func));
                    self.result.inverted_ends.insert(v, e);
                    decision = Some(LocalRestore::Invert);
                } else if let Some(holder) = self.copied_from(v, rest, block) {
                    state.extend(self.cells.of_var(holder).iter().copied());
                    self.result.copies.insert(v, holder);
                    decision = Some(LocalRestore::Copy);
                }
            }
            self.forget(v, state);
            if self.records_decisions {
                self.result.at_end.insert(v, decision);
            }
        }
    }

    /// Whether a step of a checkpointed loop writes the variable, whose type has no value to start from in the reverse
    /// sweep.
    fn is_replayed(&self, v: VarId) -> bool {
        let mut states = self.control.loop_states.values();
        !self.func.var(v).ty.has_initial_value() && states.any(|s| s.writes(v))
    }

    /// The definition of the variable, if evaluating it again at the end of the block gives its value, and costs no record, or at
    /// most records of operands in fewer loops.
    fn recomputed_from(&self, v: VarId, rest: &[Stmt], state: &CellSet) -> Option<Expr> {
        let e = self.known.single.get(&v)?;
        let var = self.func.var(v);
        if !self.options.recomputation || !recomputable(e, var, self.func) {
            return None;
        }
        let known = match self.options.tbr {
            true => state.clone(),
            false => CellSet::default(),
        };
        let intact = |r: VarId| !self.known.writes.within(rest, r);
        let mut needs = self.cells.needs(e, self.func).into_iter();
        let reads_in_order = self.nest.reads_in_order(e);
        let is_cheap = needs.all(|c| {
            let r = self.cells.var(c);
            let is_at_hand = || self.is_at_hand(c, &known);
            intact(r) && (is_at_hand() || reads_in_order && self.is_recorded_less_often(r))
        });
        is_cheap.then(|| e.clone())
    }

    /// Whether records of the variable, a number or an array of floats, are made in fewer loops than those of the block at hand, not
    /// counting short ones around it.
    fn is_recorded_less_often(&self, r: VarId) -> bool {
        let ty = &self.func.var(r).ty;
        let is_plain = ty.is_scalar() || ty.element().is_some_and(Ty::is_float);
        let ends = self.known.ends.get(&r);
        self.options.tbr && is_plain && ends.is_some_and(|depth| *depth < self.nest.long)
    }

    /// The length of the variable, if evaluating it at the end of the block costs no record.
    fn length_at_end(&self, v: VarId, rest: &[Stmt], state: &CellSet) -> Option<Expr> {
        let length = self.cells.fixed_lengths().length(v)?;
        let intact = |r: VarId| !self.known.writes.within(rest, r);
        let is_on = self.options.recomputation && is_cheap(length, self.func);
        (is_on && self.is_available(length, state, &intact)).then(|| length.clone())
    }

    /// The variable outside of the block to which this one was assigned as a whole, if both still have that value at
    /// the block's end. Variables that the caller gets are excluded, as they would be recorded for this purpose alone.
    fn copied_from(&self, v: VarId, rest: &[Stmt], block: &Block) -> Option<VarId> {
        if !self.options.recomputation || !self.options.tbr {
            return None;
        }
        let copied = |(at, stmt): (usize, &Stmt)| match &stmt.kind {
            StmtKind::Assign(p, Expr::Read(q)) if q.root == v && q.is_whole() && p.is_whole() => {
                Some((at, p.root))
            }
            _ => None,
        };
        let (at, holder) = rest.iter().enumerate().rev().find_map(copied)?;
        let (var, of) = (self.func.var(holder), self.func.var(v));
        let is_inside = block.stmts.iter().any(|s| s.declared() == Some(holder));
        let is_local = !matches!(var.origin, Origin::Param | Origin::Ret);
        let fits = var.mode == Mode::Owned && is_local && var.ty == of.ty;
        let writes = &self.known.writes;
        let intact = |v: VarId| !writes.within(&rest[at + 1..], v);
        (fits && !is_inside && intact(v) && intact(holder)).then_some(holder)
    }
}
