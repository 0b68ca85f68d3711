//! The reversal plan: what the analysis decides, as data.
//!
//! A [`Plan`] spells out both sweeps in the language of the IR. `emit` prints them one to one; the
//! interpreter runs them; the checker proves that each adjoint statement reads the values that its
//! primal statement saw. Nothing about differentiation is decided after the plan.
//!
//! # The two sweeps
//!
//! The *forward* sweep is the primal with records. It starts with the parameters' entry values and
//! ends with the returned value in [`Func::ret`].
//!
//! The *reverse* sweep starts in a fresh scope with
//! - the parameters: those passed by value or by `&` as the forward sweep got them, those passed by
//!   `&mut` with the contents that the forward sweep left (by-value parameters are never assigned
//!   to: lowering copies one that is `mut`);
//! - the adjoint variables of reference parameters ([`Plan::adjoint`]), as the caller keeps them;
//! - the adjoint variables of by-value parameters, zero; their final values are the increments;
//! - the adjoint variable of the return value, which holds the seed.
//!
//! No local variable of the forward sweep exists: the reverse sweep declares each one that it
//! needs where the primal's scope ends, mirrored, and restores or recomputes its last value. When
//! it ends, each `&mut` parameter that it restored anything into ([`Plan::restores`]) holds its
//! entry value in full.
//!
//! # Calls
//!
//! `forward g(..)` runs the forward sweep of `g`'s plan on the same tape; `reverse g(..)` runs its
//! reverse sweep with the same arguments, `&mut` ones as they were when the call had returned, and
//! afterwards these hold what they held before the call.

pub mod build;
pub mod check;
pub mod facts;
pub mod frames;
pub mod statement;

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Block, Func, Origin, Place, RecordId, Stmt, StmtId, StmtKind, Ty, VarId};

/// The reversal of one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The primal; its variable table also holds the variables that only the sweeps use.
    pub func: Func,
    /// The forward sweep.
    pub forward: Block,
    /// The reverse sweep.
    pub reverse: Block,
    /// What is recorded, indexed by [`RecordId`].
    pub records: Vec<Record>,
    /// The adjoint variable of each variable that has one.
    pub adjoint: BTreeMap<VarId, VarId>,
    /// The `&mut` parameters that the reverse sweep writes; for a caller that wants them back, they
    /// hold their entry values afterwards.
    pub restores: Vec<VarId>,
    /// The parameters whose adjoint the caller keeps: the independents and the dependents.
    pub interface: Vec<VarId>,
    /// For each call with a reverse sweep, whether its `&mut` arguments have to come back.
    pub calls: BTreeMap<StmtId, Restoring>,
    /// Swaps of the primal that are undone only where the caller wants its `&mut` arguments back.
    pub swaps_for_caller: BTreeSet<StmtId>,
}

/// Whether a call's reverse sweep gives back the entry values of `&mut` arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restoring {
    /// Nothing before the call needs them.
    No,
    /// They are required.
    Yes,
    /// They are required where this function's own caller wants its arguments back.
    AsCaller,
}

/// One value that the forward sweep saves, as often as its statement is executed.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// What kind of value.
    pub kind: RecordKind,
    /// Where it is kept.
    pub storage: Storage,
    /// The primal statement that overwrites the value, or ends its variable's life.
    pub of: StmtId,
    /// Made only where the caller wants `&mut` arguments back as they were (`[TBR]` §5.2: `InReq` of
    /// the function then holds them); at the outermost call nobody does.
    pub for_caller: bool,
}

/// The kind of a recorded value; each kind has a stack of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum RecordKind {
    /// The value at a place, of this type.
    Value(Ty),
    /// Which of two ways was taken.
    Flag,
    /// How often a loop ran.
    Count,
}

/// Where a record is kept.
#[derive(Clone, PartialEq, Debug)]
pub enum Storage {
    /// Pushed and popped.
    Stack,
    /// In the frame of a counted loop (named by its statement), at `slot`, indexed by the iteration.
    /// Slots of one type are numbered from 0. The frame is reserved when the loop starts, and released
    /// when the reversed loop has ended.
    Frame {
        /// The counted loop.
        of: StmtId,
        /// The slot among those of the record's type.
        slot: usize,
    },
}

impl Plan {
    /// The plan for a caller that wants its `&mut` arguments back, or for one that does not.
    pub fn for_caller(&self, restoring: bool) -> Plan {
        let mut plan = self.clone();
        if !restoring {
            let records = &self.records;
            let keep = |s: &Stmt| match &s.kind {
                StmtKind::Record(r, _) | StmtKind::Restore(r, _) => !records[r.index()].for_caller,
                _ => true,
            };
            retain(&mut plan.forward, &keep);
            let swaps = &self.swaps_for_caller;
            let undone = |s: &Stmt| {
                let of_primal =
                    |p: &Place| !matches!(self.func.var(p.root).origin, Origin::Adjoint(_));
                matches!(&s.kind, StmtKind::Swap(a, _) if of_primal(a)) && swaps.contains(&s.id)
            };
            retain(&mut plan.reverse, &|s| keep(s) && !undone(s));
            plan.restores.clear();
        }
        plan
    }

    /// The record of this id.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.index()]
    }
}

fn retain(block: &mut Block, keep: &dyn Fn(&Stmt) -> bool) {
    block.stmts.retain(|s| keep(s));
    for stmt in &mut block.stmts {
        for inner in stmt.blocks_mut() {
            retain(inner, keep);
        }
    }
}
