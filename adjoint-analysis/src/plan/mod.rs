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
//! No local variable of the forward sweep exists: the reverse sweep declares each one that it needs where the primal's
//! scope ends, mirrored, and restores or recomputes its last value; a tuple or an array that is restored in parts
//! starts from zeros. When it ends, each `&mut` parameter that it restored anything into ([`Plan::restores`]) holds its
//! entry value in full.
//!
//! # Callers
//!
//! One plan serves all callers. Code for some callers is in [`StmtKind::When`], and each record has a [`Demand`];
//! [`Plan::for_caller`] is the plan of one caller. For a caller to which an argument is not varied, the adjoint of the
//! argument is meaningless, and neither read nor propagated. A caller treats a `&mut` argument that may change its
//! shape as useful, so that its adjoint follows.
//!
//! # Calls
//!
//! `forward g(..)` runs the forward sweep of `g`'s plan on the same tape; `reverse g(..)` runs its
//! reverse sweep with the same arguments, `&mut` ones as they were when the call had returned, and
//! afterwards these hold what they held before the call.

pub mod build;
#[cfg(feature = "checked")]
pub mod check;
mod cost;
pub mod demand;
pub mod distribute;
mod early_exit;
pub mod facts;
mod first_assignment;
pub mod flattening;
pub mod frames;
pub mod fusion;
pub mod group;
mod liveness;
mod memory;
mod moved;
pub mod preaccumulation;
pub mod simplify;
pub mod statement;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ir::demand::{CERTAIN, RESULT_BIT, fact_bit, output_bit, param_bit};
use crate::ir::{
    Arg, Block, Callee, Caller, Demand, Func, IntTy, LoopHead, Mode, Origin, RecordId, Stmt,
    StmtId, StmtKind, Ty, VarId,
};
use crate::passes::activity::links::{Dependence, Link, Links};
use crate::passes::activity::summary::ContextPolicy;
use crate::passes::checkpoint::{Callees, Effects};
use crate::passes::sets::set::VarSet;

/// The reversal of one function.
#[derive(Clone, PartialEq, Debug)]
pub struct Plan {
    /// The primal; its variable table also holds the variables that only the sweeps use.
    pub func: Func,
    /// The forward sweep.
    pub forward: Block,
    /// The reverse sweep.
    pub reverse: Block,
    /// The records, indexed by [`RecordId`].
    pub records: Vec<Record>,
    /// The adjoint variable of each variable that has one.
    pub adjoint: BTreeMap<VarId, VarId>,
    /// The `&mut` parameters that the reverse sweep writes; they have their entry values afterwards if the caller wants
    /// them restored.
    pub restores: Vec<VarId>,
    /// The parameters whose adjoints the caller owns: the independents and the dependents.
    pub interface: Vec<VarId>,
    /// For each call with a reverse sweep, the activity that is passed to its callee.
    pub calls: BTreeMap<StmtId, CallSite>,
    /// The callers for which the variables of the reverse sweep have values. For others they are zero or empty, and
    /// unused.
    pub var_demands: BTreeMap<VarId, Demand>,
    /// The queries of the handles of callees that are not visible, numbered by [`fact_bit`].
    pub callee_facts: Vec<CalleeFact>,
    /// The callers for which the reverse sweep reads the value that each parameter has at its start.
    pub reads: Vec<Demand>,
    /// The parameters on which each output depends, as in a [`Summary`](crate::passes::activity::summary::Summary).
    pub depends: Vec<u64>,
    /// The effects of visible callees, which conform.
    pub effects: Effects,
    /// Whether callers know the function's own effect.
    pub states_effect: bool,
    /// The queries of callees' handles about their outputs; demands contain the bits of these.
    pub links: Links,
    /// The plan for a user's call of the adjoint, with fused sweeps ([`fusion`]).
    pub fused: Option<Rc<Plan>>,
}

/// A query: does the reverse sweep of a callee read the value of an argument?
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CalleeFact {
    /// The call.
    pub call: StmtId,
    /// The path of the callee.
    pub callee: Callee,
    /// The position of the argument.
    pub argument: usize,
    /// Whether the callee has to restore its `&mut` arguments.
    pub restore: bool,
}

/// The activity that a call passes to its callee, for each caller of this function.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CallSite {
    /// How the number of the callee's contexts is bounded.
    pub closing: ContextPolicy,
    /// For each argument, the parameters that it may depend on: it is varied where one of these is.
    pub varied: Vec<u64>,
    /// For the result, then for each argument, the parameters that it may depend on behind the call.
    pub gives: Vec<u64>,
    /// For the result, then for each argument, the outputs that it may influence: it is useful where
    /// one of these is.
    pub useful: Vec<u64>,
    /// The callers for which the `&mut` arguments have to be restored.
    pub restore: Demand,
    /// The callers for which the callee's reverse sweep reads the value of each argument.
    pub reads: Vec<Demand>,
}

impl CallSite {
    /// The callers for which a derivative goes through the call.
    pub fn derivative(&self) -> Demand {
        Demand::new(union(&self.varied), union(&self.useful))
    }

    /// The callers for which the callee uses the adjoint of an argument; that of a `&mut` one may be its work space,
    /// whatever else is varied.
    pub fn argument(&self, k: usize, arg: &Arg) -> Demand {
        match arg {
            Arg::Mut(_) => self.derivative(),
            _ => Demand::new(self.varied[k], union(&self.useful)),
        }
    }

    /// The callers for which the callee's sweeps do anything.
    fn wanted(&self) -> Demand {
        self.derivative().union(self.restore)
    }

    /// Whether the demand is exactly the callers for which the callee's reverse sweep does anything.
    pub fn is_reversed_for(&self, demand: Demand) -> bool {
        let is_exact = self.restore.is_never() || self.restore.only_restores();
        is_exact && self.wanted() == demand
    }

    /// Restricts the site to one caller; everything else becomes empty.
    fn resolve(&mut self, caller: Caller) {
        let keep = |masks: &mut [u64], of_caller: u64| {
            masks
                .iter_mut()
                .filter(|m| **m & of_caller == 0)
                .for_each(|m| *m = 0);
        };
        keep(&mut self.varied, caller.varied);
        keep(&mut self.gives, caller.varied);
        keep(&mut self.useful, caller.useful);
        for demand in self.reads.iter_mut().chain([&mut self.restore]) {
            *demand = match caller.wants(*demand) {
                true => Demand::ALWAYS,
                false => Demand::NEVER,
            };
        }
    }

    /// The callers of this function for which the callee has the demand.
    pub fn of_callee(&self, demand: Demand) -> Demand {
        let any = |masks: &[u64], of: u64| {
            let named = masks.iter().enumerate();
            let named = named.filter(|(k, _)| of & param_bit(*k) != 0);
            named.fold(0, |all, (_, m)| all | m)
        };
        let derivative = Demand::new(any(&self.varied, demand.wrt), any(&self.useful, demand.of));
        let derivative = match self.closing {
            ContextPolicy::Recursive if !derivative.is_never() => self.derivative(),
            _ => derivative,
        };
        match demand.restore {
            true => derivative.union(self.restore),
            false => derivative,
        }
    }

    /// The callee's caller, given that of this function.
    pub fn caller(&self, caller: Caller) -> Caller {
        let is_wanted = caller.wants(self.derivative());
        let bits = |masks: &[u64], of: u64, bit: fn(usize) -> u64| {
            let of = match self.closing {
                ContextPolicy::Recursive if is_wanted => u64::MAX,
                ContextPolicy::Recursive => 0,
                _ => of,
            };
            let held = masks.iter().enumerate().filter(|(_, m)| *m & of != 0);
            held.fold(0, |all, (k, _)| all | bit(k))
        };
        Caller {
            varied: bits(&self.varied, caller.varied, param_bit),
            useful: bits(&self.useful, caller.useful, param_bit),
            restore: caller.wants(self.restore),
            facts: u64::MAX,
        }
    }
}

/// The same, given the records.
fn steps_demand(records: &[Record], id: StmtId) -> Demand {
    let is_count = |r: &&Record| r.of == id && r.kind == RecordKind::Count;
    let count = records.iter().find(is_count);
    count.map_or(Demand::NEVER, |record| record.demand)
}

/// The union of the masks.
pub fn union(masks: &[u64]) -> u64 {
    masks.iter().fold(0, |all, mask| all | mask)
}

/// A value that the forward sweep saves each time its statement is executed.
#[derive(Clone, PartialEq, Debug)]
pub struct Record {
    /// The kind of value.
    pub kind: RecordKind,
    /// Where it is stored.
    pub storage: Storage,
    /// The primal statement that overwrites the value or ends its scope.
    pub of: StmtId,
    /// The callers for which it is made. Some records only serve to restore `&mut` arguments (`[TBR]` §5.2: `InReq` of
    /// the function then holds them), which the outermost caller does not need.
    pub demand: Demand,
}

/// The kind of a recorded value; each kind has a stack of its own.
#[derive(Clone, PartialEq, Debug)]
pub enum RecordKind {
    /// The value at a place, of this type.
    Value(Ty),
    /// Which of two arms was taken.
    Flag,
    /// The arm of a branch with a few arms: a `u8` of which this many bits are used.
    Label(u32),
    /// How many iterations a loop ran, or how many elements a `Vec` had.
    Count,
}

impl RecordKind {
    /// The type of a slot for it in a frame, if it may have one: a byte for a flag or a label. The stack of an integer of a
    /// type that is inferred is that of the widest type.
    pub fn slot_type(&self) -> Option<Ty> {
        match self {
            kind if kind.is_in_bits() => Some(Ty::Int(IntTy::U8)),
            RecordKind::Value(ty) if ty.is_scalar() && *ty != Ty::Int(IntTy::Infer) => {
                Some(ty.clone())
            }
            _ => None,
        }
    }

    /// Whether it is pushed on the stack of flags, if it is in no frame.
    pub fn is_in_bits(&self) -> bool {
        matches!(
            self,
            RecordKind::Value(Ty::Bool) | RecordKind::Flag | RecordKind::Label(_)
        )
    }
}

/// Where a record is stored.
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
    /// The function's callees.
    pub fn callees(&self) -> Callees<'_> {
        Callees::new(&self.func, &self.effects)
    }

    /// The plan for one caller, without the code that it does not demand.
    pub fn for_caller(&self, caller: Caller) -> Plan {
        let mut plan = Plan {
            fused: None,
            ..self.clone()
        };
        let idle = self.idle_variables(caller);
        self.resolve(&mut plan.reverse, caller, &|s| match s.kind {
            StmtKind::Let(v, _) if idle.contains(v) => None,
            _ => Some(s),
        });
        self.drop_idle(&mut plan.reverse, caller);
        let plain = self.plain_calls(&plan.reverse, caller);
        for sweep in [&mut plan.forward, &mut plan.reverse] {
            self.resolve(sweep, caller, &|s| match s.kind {
                StmtKind::Forward(call) if plain.contains(&s.id) => Some(Stmt {
                    id: s.id,
                    kind: StmtKind::Call(call),
                }),
                _ => Some(s),
            });
        }
        for site in plan.calls.values_mut() {
            site.resolve(caller);
        }
        plan.links.retain(caller.varied, caller.useful);
        if !caller.restore {
            plan.restores.clear();
        }
        plan
    }

    /// The plan for the outermost caller, all of whose records are made for it.
    pub fn for_outermost(&self) -> Plan {
        let mut plan = self.for_caller(Caller::OUTERMOST);
        for record in &mut plan.records {
            if !Caller::OUTERMOST.wants(record.demand) {
                record.storage = Storage::Stack;
            }
            record.demand = Demand::ALWAYS;
        }
        plan.var_demands.clear();
        plan
    }

    fn resolve(&self, block: &mut Block, caller: Caller, seen: &dyn Fn(Stmt) -> Option<Stmt>) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            for inner in stmt.blocks_mut() {
                self.resolve(inner, caller, seen);
            }
            if let StmtKind::Loop(LoopHead::Distributed(_, _, distribution), _) = &mut stmt.kind {
                distribution.parts.retain(|part| !part.block.is_empty());
            }
            match stmt.kind {
                StmtKind::When(demand, inner) if caller.wants(demand) => {
                    block.stmts.extend(inner.stmts);
                }
                StmtKind::When(..) => {}
                StmtKind::Record(r, _)
                | StmtKind::Restore(r, _)
                | StmtKind::RecordControl(r, _)
                | StmtKind::RestoreControl(r, _)
                    if !caller.wants(self.record(r).demand) => {}
                StmtKind::Take(_) if !caller.wants(self.steps_demand(stmt.id)) => {}
                _ => block.stmts.extend(seen(stmt)),
            }
        }
    }

    /// The variables of the adjoint code that are not needed by this caller: intermediate values, and adjoints with the
    /// shapes of values that don't exist.
    fn idle_variables(&self, caller: Caller) -> VarSet {
        let mut primal = VarSet::default();
        self.func.body.walk(&mut |s| primal.extend(s.declared()));
        let made = self
            .var_demands
            .iter()
            .filter(|(v, _)| !primal.contains(**v));
        let idle = made.filter(|(v, demand)| {
            let var = self.func.var(**v);
            let is_shaped = matches!(var.origin, Origin::Adjoint(_)) && !var.ty.has_static_shape();
            (var.origin == Origin::Temp || is_shaped) && !caller.wants(**demand)
        });
        idle.map(|(v, _)| *v).collect()
    }

    /// Drops declarations of scalars that nothing names and this caller does not need: they are not evaluated.
    fn drop_idle(&self, reverse: &mut Block, caller: Caller) {
        let unneeded = |v: VarId| {
            let demand = self.var_demands.get(&v);
            let is_needed = demand.is_none_or(|demand| caller.wants(*demand));
            !is_needed && self.func.var(v).ty.is_scalar()
        };
        loop {
            let named = named(reverse);
            let before = reverse.statements();
            self.resolve(reverse, caller, &|s| match s.kind {
                StmtKind::Let(v, Some(_)) if unneeded(v) && !named.contains(v) => None,
                _ => Some(s),
            });
            if reverse.statements() == before {
                return;
            }
        }
    }

    /// The calls without any derivative for this caller, which leave no trace on the tape, like plain calls. `reverse`
    /// is the reverse sweep for this caller.
    fn plain_calls(&self, reverse: &Block, caller: Caller) -> Vec<StmtId> {
        let wanted = |site: &CallSite| caller.wants(site.wanted());
        let unwanted = self.calls.iter().filter(|(_, site)| !wanted(site));
        let mut plain: Vec<StmtId> = unwanted.map(|(id, _)| *id).collect();
        reverse.walk(&mut |s| {
            if let StmtKind::Reverse { .. } = s.kind {
                plain.retain(|id| *id != s.id);
            }
        });
        plain
    }

    /// The callers for which a checkpointed loop is reversed: those for which the forward sweep counts its steps.
    pub fn steps_demand(&self, id: StmtId) -> Demand {
        steps_demand(&self.records, id)
    }

    /// Calls `f` on every statement of the forward sweep, and of what the reverse sweep runs of it again.
    pub fn each_forward_stmt<'p>(&'p self, f: &mut dyn FnMut(&'p Stmt)) {
        self.forward.walk(f);
        self.reverse.walk(&mut |s| {
            if let StmtKind::Replay(_, forward) = &s.kind {
                forward.walk(f);
            }
        });
    }

    /// The `&mut` parameters that the reverse sweep may change, even if the caller does not want them restored.
    pub fn changed_params(&self) -> Vec<VarId> {
        let mut written = VarSet::default();
        self.written_for(Caller::OUTERMOST, &self.reverse, &mut written);
        let restored = self.restores.iter().copied();
        restored.filter(|v| written.contains(*v)).collect()
    }

    /// Collects the variables that the code writes for this caller.
    fn written_for(&self, caller: Caller, block: &Block, written: &mut VarSet) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::When(demand, _) if !caller.wants(*demand) => continue,
                StmtKind::Restore(r, _) if !caller.wants(self.record(*r).demand) => continue,
                StmtKind::Reverse { call, .. } => written.extend(call.written().map(|p| p.root)),
                _ => {}
            }
            written.extend(stmt.written().iter().map(|p| p.root));
            for inner in stmt.blocks() {
                self.written_for(caller, inner, written);
            }
        }
    }

    /// Whether the function may change the shape of a parameter's referent.
    pub fn may_resize(&self, param: VarId) -> bool {
        self.func.body.may_resize(param)
    }

    /// The callers for which anything is done: all parameters and outputs whose adjoints the caller owns.
    pub fn boundary(&self) -> Demand {
        let mut all = Demand::NEVER;
        for (k, p) in self.func.params.iter().enumerate() {
            if self.interface.contains(p) {
                all.wrt |= param_bit(k);
            }
            if self.interface.contains(p) && self.func.var(*p).mode == Mode::Mut {
                all.of |= output_bit(k);
            }
        }
        all.of |= RESULT_BIT;
        all
    }

    /// The caller with the answers of its callees; `plan_of` returns their plans.
    pub fn with_answers<'p>(
        &self,
        caller: Caller,
        plan_of: impl Fn(&str) -> Option<&'p Plan>,
    ) -> Caller {
        let depends = |link: &Link, output: usize, argument: usize| {
            let mask = plan_of(&link.callee.name).and_then(|p| p.depends.get(output));
            mask.is_none_or(|mask| mask & param_bit(argument) != 0)
        };
        let caller = self.linked(caller, &depends);
        let holds = |fact: &CalleeFact| {
            let asking = self.calls.get(&fact.call).map(|site| Caller {
                restore: fact.restore,
                ..site.caller(caller)
            });
            let read = plan_of(&fact.callee.name).and_then(|p| p.reads.get(fact.argument));
            asking.zip(read).is_none_or(|(c, read)| c.wants(*read))
        };
        let facts = self
            .callee_facts
            .iter()
            .enumerate()
            .filter(|(_, f)| holds(f));
        let facts = facts.fold(CERTAIN, |all, (i, _)| all | fact_bit(i));
        Caller { facts, ..caller }
    }

    /// The caller with the varied outputs and useful arguments of callees added.
    fn linked(&self, caller: Caller, depends: &Dependence<'_>) -> Caller {
        if self.links.0.is_empty() {
            return caller;
        }
        let own = self.boundary();
        Caller {
            varied: self.links.varied(caller.varied & own.wrt, depends),
            useful: self.links.useful(caller.useful & own.of, depends),
            ..caller
        }
    }

    /// The callers for which the plan is checked: those that want all derivatives, with and without restored arguments,
    /// and if callees are queried, with all answers yes and all no.
    pub fn extremes(&self) -> Vec<Caller> {
        let none = |caller| Caller {
            facts: CERTAIN,
            ..self.linked(caller, &|_, _, _| false)
        };
        let mut callers = vec![Caller::OUTERMOST, Caller::RESTORING];
        if !self.callee_facts.is_empty() || !self.links.0.is_empty() {
            callers.extend([none(Caller::OUTERMOST), none(Caller::RESTORING)]);
        }
        callers
    }

    /// The record of this id.
    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id.index()]
    }
}

/// The variables that statements of the block name, other than to declare them.
fn named(block: &Block) -> VarSet {
    let mut names = VarSet::default();
    block.walk(&mut |s| {
        s.each_named_var(&mut |v| {
            names.insert(v);
        });
        if let StmtKind::Loop(head, _) = &s.kind {
            names.extend(head.parts().iter().filter_map(|part| part.seed));
            if let LoopHead::Times(n) | LoopHead::ReversedFrom(_, _, n) = head {
                names.insert(*n);
            }
        }
    });
    names
}
