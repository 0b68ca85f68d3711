//! The state of a checkpointed loop: what its snapshots hold.
//!
//! **Problem.** A step is run again from a snapshot. It must then read what it read the first time.
//!
//! **Sets**, of whole variables that are declared outside of the loop's body `B`:
//!
//! ```text
//! Use(B)      what B may read before it writes all of it
//! Out(B)      what B may write
//! Kill(B)     what B writes as a whole, whatever way it takes
//! Req(B)      what the adjoints of B require behind it ([`super::tbr`])
//! snapshot    Out(B) ∩ (Use(B) ∪ Req(B) \ Kill(B))
//! ```
//!
//! What `B` reads and no step writes stays as it is until the reverse sweep, so it is required behind the loop
//! ([`super::tbr`]). What `B` overwrites before it reads it is made by `B` again. So a snapshot is the
//! incremental checkpoint of `[PTR]` §5 (what the step modifies), without what no step reads: minimal as far as whole
//! variables and sure overwrites go.

use std::collections::BTreeMap;

use super::sets::set::VarSet;
use super::tbr::regions::{self, Definitions};
use crate::ir::{Block, Func, LoopHead, Stmt, StmtId, StmtKind, VarId};

/// The variables of a checkpointed loop that are declared outside of it, in the order of their declarations.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct LoopState {
    /// Those that the body names.
    pub named: Vec<VarId>,
    /// `Use`
    pub read: Vec<VarId>,
    /// `Out`
    pub written: Vec<VarId>,
    /// `Kill`
    pub overwritten: Vec<VarId>,
}

impl LoopState {
    /// What a snapshot holds, where these are required behind a step.
    pub fn snapshot<'s>(
        &'s self,
        is_required: &'s dyn Fn(VarId) -> bool,
    ) -> impl Iterator<Item = VarId> + 's {
        let written = self.written.iter().copied();
        written.filter(|v| {
            let stays = || is_required(*v) && !self.overwritten.contains(v);
            self.read.contains(v) || stays()
        })
    }

    /// What the body reads and does not change.
    pub fn constants(&self) -> impl Iterator<Item = VarId> + '_ {
        let is_written = |v: &VarId| self.written.contains(v);
        self.read.iter().copied().filter(move |v| !is_written(v))
    }
}

/// The states of all checkpointed loops.
pub fn loop_states(func: &Func) -> BTreeMap<StmtId, LoopState> {
    let mut states = BTreeMap::new();
    if func.checkpoints.is_empty() {
        return states;
    }
    let definitions = Definitions::of(func);
    func.body.walk(&mut |stmt| {
        if let StmtKind::Loop(head, body) = &stmt.kind
            && func.checkpoints.contains_key(&stmt.id)
        {
            states.insert(stmt.id, loop_state(head, body, func, &definitions));
        }
    });
    states
}

/// The state of a loop.
pub fn loop_state(
    head: &LoopHead,
    body: &Block,
    func: &Func,
    definitions: &Definitions,
) -> LoopState {
    let (mut inner, mut named, mut written) = <(VarSet, VarSet, VarSet)>::default();
    inner.extend(head.index());
    body.walk(&mut |s| {
        inner.extend(s.declared());
        if let StmtKind::Loop(head, _) = &s.kind {
            inner.extend(head.index());
        }
        s.each_named_var(&mut |v| {
            named.insert(v);
        });
        written.extend(s.written().iter().map(|p| p.root));
    });
    let mut exposed = Exposed {
        func,
        definitions,
        read: VarSet::default(),
    };
    let mut killed = VarSet::default();
    exposed.block(body, &mut killed);
    let outer = |set: &VarSet| set.iter().filter(|v| !inner.contains(*v)).collect();
    LoopState {
        named: outer(&named),
        read: outer(&exposed.read),
        written: outer(&written),
        overwritten: outer(&killed),
    }
}

/// The search for reads of what has not been overwritten before.
struct Exposed<'a> {
    func: &'a Func,
    definitions: &'a Definitions,
    read: VarSet,
}

impl Exposed<'_> {
    /// Goes through a block, behind which more variables are overwritten as a whole.
    fn block(&mut self, block: &Block, killed: &mut VarSet) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt, killed));
    }

    fn stmt(&mut self, stmt: &Stmt, killed: &mut VarSet) {
        let mut killing = VarSet::default();
        match &stmt.kind {
            // Adjoints take the shape of a value that is replaced.
            StmtKind::Assign(p, _) if p.is_whole() && p.ty.keeps_shape() => {
                killing.extend([p.root]);
            }
            StmtKind::Assign(p, _) => self.reads(p.root, killed),
            _ => stmt.each_own_place(&mut |p| self.reads(p.root, killed)),
        }
        stmt.walk_exprs(&mut |e| {
            for place in e.own_places() {
                self.reads(place.root, killed);
            }
        });
        match &stmt.kind {
            StmtKind::If(_, then, els) => {
                let (mut one, mut other) = (killed.clone(), killed.clone());
                self.block(then, &mut one);
                self.block(els, &mut other);
                killing.extend(one.iter().filter(|v| other.contains(*v)));
            }
            StmtKind::Loop(head, body) => {
                let arrays = regions::overwritten(head, body, self.func, self.definitions);
                killing.extend(arrays.iter().map(|set| set.array));
                let mut inside = killed.clone();
                inside.union(&killing);
                self.block(body, &mut inside);
            }
            _ => {}
        }
        killed.union(&killing);
    }

    fn reads(&mut self, v: VarId, killed: &VarSet) {
        if !killed.contains(v) {
            self.read.insert(v);
        }
    }
}
