//! What is recorded in front of a loop that overwrites it, once.
//!
//! # Numbers
//!
//! **Problem.** A number that adjoints in front of a loop require, and that a loop changes in each iteration, would be recorded in
//! each.
//!
//! **Rule.** If no adjoint in the loop requires it, and an overwrite in the loop would be recorded, it is recorded in front of
//! the loop. What the loop overwrites is then of no interest.
//!
//! # Arrays that come back as a whole for a caller
//!
//! **Problem.** A caller may need its `&mut` arguments restored. Where a function goes through an array several times
//! (`p[j] += l[i][j] * v[i]` for all `i` and `j`), each overwritten element would be recorded each time, though nobody
//! needs any value but the first.
//!
//! **Rule.** In the analysis for such a caller, let no adjoint in the function use `a`, an array of numbers that is required
//! in front of a statement `S` of the function's body. If `S` is a loop that begins with all elements of `a`, as far as other
//! sequences reach, and a write of `a` in `S` or behind it lies in more loops than `a` has indices, then `a` is recorded in
//! front of `S`, and what `S` and later statements overwrite is of no interest. The record is not larger than what `S`
//! would record, if the other sequences are as long as `a`.

use std::collections::BTreeMap;

use super::Pass;
use super::regions;
use crate::ir::{Block, Expr, LoopHead, Place, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::sets::set::CellSet;

impl<'a> Pass<'a> {
    /// Records numbers in front of a loop, which then does not overwrite anything required of them.
    pub(super) fn save_numbers(
        &mut self,
        id: StmtId,
        head: &'a LoopHead,
        body: &'a Block,
        state: &mut CellSet,
    ) {
        let found = self.numbers_to_save(id, head, body, state);
        for v in &found {
            self.forget(*v, state);
        }
        if self.records_decisions && !found.is_empty() {
            let saved = self.result.saved.entry(id).or_default();
            let places = found.into_iter().map(|v| self.func.place(v));
            let new: Vec<Place> = places.filter(|p| !saved.contains(p)).collect();
            saved.extend(new);
        }
    }

    fn numbers_to_save(
        &mut self,
        id: StmtId,
        head: &'a LoopHead,
        body: &'a Block,
        state: &CellSet,
    ) -> Vec<VarId> {
        if !self.options.tbr || self.control.loop_states.contains_key(&id) {
            return Vec::new();
        }
        let mut written: BTreeMap<VarId, Vec<(StmtId, usize)>> = BTreeMap::new();
        body.walk(&mut |s| {
            for (n, place) in s.written().into_iter().enumerate() {
                written.entry(place.root).or_default().push((s.id, n));
            }
        });
        written.retain(|v, _| {
            let is_required = self.func.var(*v).ty.is_scalar() && self.requires(state, *v);
            is_required && !body.stmts.iter().any(|s| self.is_used_in(s, *v))
        });
        if written.is_empty() {
            return Vec::new();
        }
        let recorded = self.recorded_by(id, head, body, state);
        written.retain(|_, writes| {
            writes
                .iter()
                .any(|write| recorded.get(write) == Some(&true))
        });
        written.into_keys().collect()
    }

    /// What the loop would record, if nothing were recorded in front of it.
    fn recorded_by(
        &mut self,
        id: StmtId,
        head: &'a LoopHead,
        body: &'a Block,
        state: &CellSet,
    ) -> BTreeMap<(StmtId, usize), bool> {
        let result = std::mem::take(&mut self.result);
        let records_decisions = std::mem::replace(&mut self.records_decisions, true);
        self.transfer_loop(id, head, body, state.clone());
        self.records_decisions = records_decisions;
        std::mem::replace(&mut self.result, result).recorded
    }

    /// Records arrays in front of a statement of the function's body, which then does not overwrite anything required
    /// of them.
    pub(super) fn save_in_front(&mut self, stmt: &'a Stmt, state: &mut CellSet) {
        // What a checkpointed loop overwrites is recorded in front of it anyway.
        let is_checkpointed = self.control.loop_states.contains_key(&stmt.id);
        if self.lent.is_empty() || self.nest.depth > 0 || is_checkpointed {
            return;
        }
        let StmtKind::Loop(head, body) = &stmt.kind else {
            return;
        };
        for set in regions::set_elements(head, body, self.func, &self.known.lengths) {
            let v = set.array;
            if self.is_lent(v, state)
                && self.is_length(&set.bound, v)
                && self.is_overwritten_often(stmt, v)
                && !self.is_used(v)
            {
                self.forget(v, state);
                if self.records_decisions {
                    let saved = self.result.saved.entry(stmt.id).or_default();
                    saved.push(self.func.place(v));
                }
            }
        }
    }

    fn is_lent(&self, v: VarId, state: &CellSet) -> bool {
        self.lent.contains(v) && self.requires(state, v)
    }

    /// Whether it is a parameter whose numbers a caller requires.
    pub(super) fn is_lent_array(&self, v: VarId) -> bool {
        match &self.func.var(v).ty {
            Ty::Slice(t) | Ty::Vec(t) | Ty::Array(t, _) => t.is_scalar(),
            _ => false,
        }
    }

    fn is_used(&self, v: VarId) -> bool {
        let mut stmts = self.func.body.stmts.iter();
        self.func.body.may_resize(v) || stmts.any(|s| self.is_used_in(s, v))
    }

    /// Whether the bound is the length of the array, or the least of that and others.
    fn is_length(&self, bound: &Expr, v: VarId) -> bool {
        let mut found = false;
        bound.walk(&mut |e| match e {
            Expr::Len(p) => found |= p.is_whole() && p.root == v,
            Expr::Read(p) if p.is_whole() => {
                let defined = self.func.body.stmts.iter().find_map(|s| match &s.kind {
                    StmtKind::Let(w, Some(e)) if *w == p.root => Some(e),
                    _ => None,
                });
                found |= defined.is_some_and(|e| self.is_length(e, v));
            }
            _ => {}
        });
        found
    }

    /// Whether a write of the array, here or behind the statement, lies in two loops.
    fn is_overwritten_often(&self, stmt: &Stmt, v: VarId) -> bool {
        let behind = self.rest.iter();
        std::iter::once(stmt)
            .chain(behind)
            .any(|s| loops_around_writes(s, v) > 1)
    }
}

/// The largest number of loops around a write; a callee has one.
fn loops_around_writes(stmt: &Stmt, v: VarId) -> usize {
    let inner = stmt.blocks().into_iter().flat_map(|b| &b.stmts);
    let inner = inner.map(|s| loops_around_writes(s, v)).max().unwrap_or(0);
    let writes = stmt.written().iter().any(|p| p.root == v);
    let mut is_within = false;
    let mut note = |s: &Stmt| is_within |= s.written().iter().any(|p| p.root == v);
    stmt.each_block(&mut |b| b.walk(&mut note));
    match &stmt.kind {
        StmtKind::Loop(..) if is_within => inner + 1,
        StmtKind::Call(_) if writes => 1,
        _ => inner,
    }
}
