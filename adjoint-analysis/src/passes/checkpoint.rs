//! The state of a checkpointed loop: what its snapshots hold.
//!
//! **Problem.** A step is run again from a snapshot. It must then read what it read the first time.
//!
//! **Sets**, of variables and fields that are declared outside of the loop's body `B`; of arrays, of sections of elements
//! (`sections`):
//!
//! ```text
//! Use(B)      what B may read before it writes it
//! Out(B)      what B may write
//! Kill(B)     what B writes, whatever way it takes
//! Req(B)      what the adjoints of B require behind it ([`super::tbr`])
//! snapshot    Out(B) ∩ (Use(B) ∪ Req(B) \ Kill(B))
//! ```
//!
//! What `B` reads and no step writes stays as it is until the reverse sweep, so it is required behind the loop
//! ([`super::tbr`]). What `B` overwrites before it reads it is made by `B` again. So a snapshot is the
//! incremental checkpoint of `[PTR]` §5 (what the step modifies), without what no step reads.
//!
//! A variable or field is in a snapshot as a whole or not at all: not, if all elements of it that `B` reads are, where it
//! reads them, in `Kill` so far, or in none of `Out`; the latter are as they were in front of the loop, like what no step
//! writes.

mod effects;
mod exposed;
mod sections;

use std::collections::BTreeMap;

pub use self::effects::{Callees, Effect, Effects, effect, effects_of};
pub use self::exposed::Access;
use self::exposed::Found;
use super::sets::set::VarSet;
use super::tbr::regions::Definitions;
use crate::ir::{Block, LoopHead, Place, StmtId, StmtKind, Ty, VarId};

/// The variables and fields of a checkpointed loop that are declared outside of it, in the order of the declarations.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct LoopState {
    /// The variables that the body names.
    pub named: Vec<VarId>,
    /// `Use`
    pub read: Vec<Place>,
    /// `Out`
    pub written: Vec<Place>,
    /// What has its value from the end of a step when that has been run again: all that steps write of it is in `Kill`.
    pub overwritten: Vec<Place>,
    /// Those among these whose other elements are read.
    pub partly_constant: Vec<Place>,
}

impl LoopState {
    /// What a snapshot holds, where these are required behind a step.
    pub fn snapshot(&self, is_required: &dyn Fn(&Place) -> bool) -> Vec<Place> {
        let mut held = Vec::new();
        for w in &self.written {
            let read = self.read.iter().filter(|r| r.may_overlap(w));
            held.extend(read.map(|r| if r.is_within(w) { r } else { w }).cloned());
            if is_required(w) && !is_part_of(w, &self.overwritten) {
                held.push(w.clone());
            }
        }
        without_parts(held)
    }

    /// What the body reads and does not change.
    pub fn constants(&self) -> impl Iterator<Item = &Place> {
        let is_changed = |p: &Place| self.written.iter().any(|w| p.is_within(w));
        self.read.iter().filter(move |p| !is_changed(p))
    }

    /// Whether steps write a part of the variable.
    pub fn writes(&self, v: VarId) -> bool {
        self.written.iter().any(|p| p.root == v)
    }
}

/// Whether the place is one of these, or a part of one.
pub fn is_part_of(place: &Place, all: &[Place]) -> bool {
    all.iter().any(|whole| place.is_within(whole))
}

/// The places that are no parts of others, each once.
fn without_parts(mut all: Vec<Place>) -> Vec<Place> {
    all.sort_by_key(|p| (p.root, p.proj.len(), p.ty == Ty::Unknown));
    let mut whole: Vec<Place> = Vec::new();
    for place in all {
        if !is_part_of(&place, &whole) {
            whole.push(place);
        }
    }
    whole
}

/// The states of loops.
pub type LoopStates = BTreeMap<StmtId, LoopState>;

/// The states of all checkpointed loops of a function with these callees.
pub fn loop_states(callees: Callees<'_>) -> LoopStates {
    let func = callees.func;
    let mut states = BTreeMap::new();
    if func.checkpoints.is_empty() {
        return states;
    }
    let definitions = Definitions::of(func);
    func.body.walk(&mut |stmt| {
        if let StmtKind::Loop(head, body) = &stmt.kind
            && func.checkpoints.contains_key(&stmt.id)
        {
            states.insert(stmt.id, loop_state(head, body, callees, &definitions));
        }
    });
    states
}

/// The state of a loop.
pub fn loop_state(
    head: &LoopHead,
    body: &Block,
    callees: Callees<'_>,
    definitions: &Definitions,
) -> LoopState {
    let (mut inner, mut named) = <(VarSet, VarSet)>::default();
    inner.extend(head.index());
    body.walk(&mut |s| {
        inner.extend(s.declared());
        if let StmtKind::Loop(head, _) = &s.kind {
            inner.extend(head.index());
        }
        s.each_named_var(&mut |v| {
            named.insert(v);
        });
    });
    let Found {
        exposed,
        partly_constant,
        written,
        killed,
    } = exposed::walk(head.index(), body, callees, definitions);
    let outer = |places: Vec<Place>| {
        let outer = places.into_iter().filter(|p| !inner.contains(p.root));
        without_parts(outer.collect())
    };
    let places = written.iter().map(|access| access.place.clone());
    let written_places = outer(places.collect());
    let comes_back = |place: &Place| {
        let mut parts = written.iter().filter(|w| w.place.may_overlap(place));
        parts.all(|w| exposed::is_killed(&killed, w, head.index()))
    };
    let overwritten = written_places.iter().filter(|p| comes_back(p)).cloned();
    let (read, mut partly_constant) = (outer(exposed), outer(partly_constant));
    partly_constant.retain(|p| !is_part_of(p, &read));
    LoopState {
        named: named.iter().filter(|v| !inner.contains(*v)).collect(),
        overwritten: overwritten.collect(),
        read,
        partly_constant,
        written: written_places,
    }
}
