//! Facts for to-be-recorded analysis that don't depend on what is required.

use std::collections::BTreeMap;

use super::cost::{is_cheap, is_constant, is_small};
use super::regions;
use crate::ir::{Block, Expr, Func, Origin, StmtKind, Ty, Var, VarId};
use crate::passes::inversion::counters::{LossyWrites, counters};
use crate::passes::sets::set::VarSet;
use crate::passes::sets::writes::Writes;

/// Everything that doesn't depend on the required set.
pub struct StaticFacts {
    /// Writes that can't be undone from the new value.
    pub lossy: LossyWrites,
    /// Integers that change by literals alone, with the depth in loops of their scopes.
    pub counters: BTreeMap<VarId, usize>,
    /// The only definition, for a variable that has one.
    pub single: BTreeMap<VarId, Expr>,
    /// How deep in loops a number of the variable is overwritten or its scope ends, at most.
    pub ends: BTreeMap<VarId, usize>,
    written: VarSet,
    /// The writes of all variables.
    pub writes: Writes,
    /// The definitions of lengths.
    pub lengths: regions::Definitions,
}

impl StaticFacts {
    /// The facts about a function.
    pub fn of(func: &Func) -> StaticFacts {
        let mut written = VarSet::default();
        func.body
            .walk(&mut |s| written.extend(s.written().iter().map(|p| p.root)));
        let mut single = BTreeMap::new();
        func.body.walk(&mut |s| {
            if let StmtKind::Let(v, Some(e)) = &s.kind
                && !written.contains(*v)
            {
                single.insert(*v, e.clone());
            }
        });
        StaticFacts {
            lossy: LossyWrites::of(func),
            counters: counters(func),
            single,
            ends: ends(func),
            written,
            writes: Writes::of(func),
            lengths: regions::Definitions::of(func),
        }
    }

    /// Variables that the reverse sweep has without any record: loop indices, parameters that are never written, and
    /// cheap expressions of these.
    pub fn free(&self, func: &Func, recomputation: bool) -> VarSet {
        let given = |v: &VarId| {
            let var = func.var(*v);
            matches!(var.origin, Origin::Param | Origin::Index) && !self.written.contains(*v)
        };
        let mut free: VarSet = func.var_ids().filter(given).collect();
        if recomputation {
            func.body.walk(&mut |s| {
                if let StmtKind::Let(v, Some(e)) = &s.kind {
                    let known = self.single.contains_key(v) && recomputable(e, func.var(*v), func);
                    if known && e.needs(func).iter().all(|r| free.contains(*r)) {
                        free.insert(*v);
                    }
                }
            });
        }
        free
    }
}

/// In how many loops values of each variable end.
fn ends(func: &Func) -> BTreeMap<VarId, usize> {
    fn note(func: &Func, block: &Block, depth: usize, found: &mut BTreeMap<VarId, usize>) {
        for stmt in &block.stmts {
            let written = stmt.written().into_iter();
            let written = written.map(|p| (p.root, depth_of(&p.ty, depth)));
            let declared = stmt.declared().map(|v| match depth {
                0 => (v, 0),
                _ => (v, depth_of(&func.var(v).ty, depth)),
            });
            for (v, depth) in written.chain(declared) {
                let known = found.entry(v).or_default();
                *known = depth.max(*known);
            }
            let inside = depth + usize::from(matches!(stmt.kind, StmtKind::Loop(..)));
            stmt.each_block(&mut |inner| note(func, inner, inside, found));
        }
    }
    /// What is more than a number counts as one in as many loops as there may be.
    fn depth_of(ty: &Ty, depth: usize) -> usize {
        if ty.is_scalar() { depth } else { usize::MAX }
    }
    let mut found = BTreeMap::new();
    note(func, &func.body, 0, &mut found);
    found
}

/// Whether the definition of a variable may be evaluated again instead of a record.
pub fn recomputable(e: &Expr, var: &Var, func: &Func) -> bool {
    is_constant(e) || (is_small(&var.ty) && is_cheap(e, func))
}
