//! The statements that only plans have: records, frames, and the two sweeps of a call.

use super::activation::{Activation, Path};
use super::exec::{Machine, arguments, declare_params, finish_call, is_slice, write_back};
use super::tape::{Slot, stack_of, tape};
use super::{Number, Trap, TrapKind, Value};
use crate::ir::{
    AdjArg, Block, Call, Caller, Expr, IntTy, Mode, RecordId, Stmt, StmtId, StmtKind, VarId,
};
use crate::plan::{Plan, Record, RecordKind, Storage};

/// The frame of a running loop, and what its body does with it.
pub(super) struct Entered {
    pub(super) frame: usize,
    records: bool,
    restores: bool,
}

/// What a reverse sweep left behind.
pub(super) struct Reversed<N> {
    /// One per parameter: its last value.
    pub(super) params: Vec<Value<N>>,
    /// One per parameter: its adjoint, where the plan has a variable for it.
    pub(super) adjoints: Vec<Option<Value<N>>>,
}

impl<'a, N: Number> Machine<'a, N> {
    /// Runs a statement that only plans have.
    pub(super) fn sweep_stmt(
        &mut self,
        act: &mut Activation<'a, N>,
        stmt: &'a Stmt,
    ) -> Result<(), Trap> {
        match &stmt.kind {
            StmtKind::Zero(place) => act.zero(&act.resolve(place)?),
            StmtKind::Record(id, _)
            | StmtKind::Restore(id, _)
            | StmtKind::RecordControl(id, _)
            | StmtKind::RestoreControl(id, _)
                if !act.caller.wants(record_of(act, *id)?.demand) =>
            {
                match &stmt.kind {
                    StmtKind::RestoreControl(_, var) => {
                        act.declare(*var, Value::zero_of(&act.func.var(*var).ty))
                    }
                    StmtKind::Restore(_, place) if place.is_whole() => act.fill_blank(place.root),
                    _ => Ok(()),
                }
            }
            StmtKind::Record(id, place) => {
                let value = act.get(&act.resolve(place)?)?;
                self.record(act, *id, value)
            }
            StmtKind::RecordControl(id, e) => {
                let value = act.eval(e)?;
                self.record(act, *id, value)
            }
            StmtKind::Restore(id, place) => {
                let path = act.resolve(place)?;
                let value = self.restore(act, *id)?;
                act.set(&path, value, is_slice(&place.ty))
            }
            StmtKind::RestoreControl(id, var) => {
                let value = self.restore(act, *id)?;
                act.declare(*var, Some(value))
            }
            StmtKind::Forward(call) => {
                let args = arguments(act, call)?;
                let returned = self.forward(&call.callee.name, args.values, act.site(stmt.id))?;
                finish_call(act, call, &args.paths, returned)
            }
            StmtKind::Reverse {
                call,
                adjoints,
                seed,
            } => self.reverse_call(act, stmt.id, call, adjoints, seed.as_ref()),
            other => TrapKind::Unsupported(format!("{other:?}")).err(),
        }
    }

    fn record(
        &mut self,
        act: &Activation<'a, N>,
        id: RecordId,
        value: Value<N>,
    ) -> Result<(), Trap> {
        let record = record_of(act, id)?;
        let fits = match &record.kind {
            RecordKind::Value(ty) => value.fits(ty),
            RecordKind::Flag => matches!(value, Value::Bool(_)),
            RecordKind::Label(bits) => {
                matches!(value, Value::Int(IntTy::U8, label) if label >> bits == 0)
            }
            RecordKind::Count => matches!(value, Value::Int(..)),
        };
        if !fits {
            return Trap::ty(format!("{id:?} of {:?} takes {value:?}", record.kind));
        }
        let (stack, owner) = (stack_of(&record.kind), owner(act, id));
        match slot_of(act, record)? {
            None => self.tape.push(stack, owner, value),
            Some(at) => self.tape.write(stack, at, owner, value)?,
        }
        Ok(())
    }

    fn restore(&mut self, act: &Activation<'a, N>, id: RecordId) -> Result<Value<N>, Trap> {
        let record = record_of(act, id)?;
        let (stack, owner) = (stack_of(&record.kind), owner(act, id));
        match slot_of(act, record)? {
            None => self.tape.pop(&stack, &owner),
            Some(at) => self.tape.read(stack, at, &owner),
        }
    }

    /// Reserves the frame of a loop that records into one, or opens it for the loop that restores
    /// from it.
    pub(super) fn enter_frame(
        &mut self,
        act: &Activation<'a, N>,
        of: StmtId,
        body: &Block,
        trips: usize,
    ) -> Result<Option<Entered>, Trap> {
        let Some(plan) = act.plan else {
            return Ok(None);
        };
        let (mut records, mut restores) = (false, false);
        let framed = |id: &RecordId| {
            let record = plan.records.get(id.index());
            record.is_some_and(|r| {
                let here = matches!(r.storage, Storage::Frame { of: s, .. } if s == of);
                here && act.caller.wants(r.demand)
            })
        };
        body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Record(id, _) | StmtKind::RecordControl(id, _) => records |= framed(id),
            StmtKind::Restore(id, _) | StmtKind::RestoreControl(id, _) => restores |= framed(id),
            _ => {}
        });
        let key = (act.func.name.clone(), of);
        let frame = match (records, restores) {
            (false, false) => return Ok(None),
            (true, _) => self.tape.reserve(key, trips),
            (false, true) => self.tape.open(&key, trips)?,
        };
        Ok(Some(Entered {
            frame,
            records,
            restores,
        }))
    }

    /// Keeps the frame for the reverse sweep, or releases it where this was its reversal.
    pub(super) fn leave_frame(&mut self, entered: Entered) -> Result<(), Trap> {
        match entered {
            Entered {
                frame,
                restores: true,
                ..
            } => self.tape.release(frame),
            Entered {
                frame,
                records: true,
                ..
            } => {
                self.tape.close(frame);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn reverse_call(
        &mut self,
        act: &mut Activation<'a, N>,
        id: StmtId,
        call: &Call,
        adjoints: &[AdjArg],
        seed: Option<&Expr>,
    ) -> Result<(), Trap> {
        let plan = self.code.plan(&call.callee.name)?;
        if adjoints.len() != call.args.len() {
            return Trap::ty(format!(
                "{} adjoints of {}",
                adjoints.len(),
                call.callee.name
            ));
        }
        let args = arguments(act, call)?;
        let paths = adjoint_paths(act, id, call, adjoints)?;
        let seed = seed.map(|e| act.eval(e)).transpose()?;
        let given = paths
            .iter()
            .zip(adjoints)
            .map(|(path, kind)| match (path, kind) {
                (Some(path), AdjArg::Place(_)) => act.get(path).map(Some),
                _ => Ok(None),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let caller = act.site(id);
        let reversed = self.reverse(plan, args.values, given, seed, caller)?;
        write_back(act, call, &args.paths, reversed.params.clone())?;
        for (i, (kind, adjoint)) in adjoints.iter().zip(reversed.adjoints).enumerate() {
            match (kind, &paths[i], adjoint) {
                (AdjArg::Place(place), Some(path), Some(adjoint)) => {
                    act.set(path, adjoint, is_slice(&place.ty))?;
                }
                (AdjArg::Scratch(_), Some(path), Some(adjoint)) => act.incr(path, &adjoint)?,
                (AdjArg::Increment(var), _, adjoint) => {
                    let zero = || reversed.params[i].zeroed();
                    act.declare(*var, Some(adjoint.unwrap_or_else(zero)))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Runs the reverse sweep of a plan. An adjoint of a reference parameter that is not given
    /// starts at zero, in the shape of the argument.
    pub(super) fn reverse(
        &mut self,
        plan: &'a Plan,
        args: Vec<Value<N>>,
        given: Vec<Option<Value<N>>>,
        seed: Option<Value<N>>,
        caller: Caller,
    ) -> Result<Reversed<N>, Trap> {
        let caller = plan.with_answers(caller, |callee| self.code.plan(callee).ok());
        let mut act = Activation::new(&plan.func, Some(plan), caller);
        act.in_reverse = true;
        self.declare_for_reverse(&mut act, plan, args, (given, seed))?;
        self.run_body(&mut act, &plan.reverse)?;
        reversed(&act, plan)
    }

    /// Runs both sweeps of a fused plan. Returns the result, too.
    pub(super) fn fused(
        &mut self,
        plan: &'a Plan,
        args: Vec<Value<N>>,
        given: Vec<Option<Value<N>>>,
        seed: Option<Value<N>>,
    ) -> Result<(Option<Value<N>>, Reversed<N>), Trap> {
        let mut act = Activation::new(&plan.func, Some(plan), Caller::OUTERMOST);
        act.is_fused = true;
        self.declare_for_reverse(&mut act, plan, args, (given, seed))?;
        if let Some(ret) = plan.func.ret {
            act.declare(ret, None)?;
        }
        self.statements(&mut act, &plan.forward)?;
        self.run_body(&mut act, &plan.reverse)?;
        let ret = plan
            .func
            .ret
            .map(|ret| act.value(ret).cloned())
            .transpose()?;
        Ok((ret, reversed(&act, plan)?))
    }

    fn declare_for_reverse(
        &mut self,
        act: &mut Activation<'a, N>,
        plan: &'a Plan,
        args: Vec<Value<N>>,
        (given, seed): (Vec<Option<Value<N>>>, Option<Value<N>>),
    ) -> Result<(), Trap> {
        let func = &plan.func;
        let zeros: Vec<Value<N>> = args.iter().map(Value::zeroed).collect();
        declare_params(act, args)?;
        for ((param, given), zero) in func.params.iter().zip(given).zip(zeros) {
            if let Some(adjoint) = plan.adjoint.get(param) {
                let owned = func.var(*param).mode == Mode::Owned;
                act.declare(
                    *adjoint,
                    Some(if owned { zero } else { given.unwrap_or(zero) }),
                )?;
            }
        }
        self.declare_seed(act, plan, seed)
    }

    fn declare_seed(
        &self,
        act: &mut Activation<'a, N>,
        plan: &Plan,
        seed: Option<Value<N>>,
    ) -> Result<(), Trap> {
        let Some(ret) = plan.func.ret else {
            return Ok(());
        };
        let Some(adjoint) = plan.adjoint.get(&ret) else {
            return Ok(());
        };
        match seed.or_else(|| Value::zero_of(&plan.func.var(ret).ty)) {
            Some(seed) => act.declare(*adjoint, Some(seed)),
            None => Trap::ty(format!("`{}` gets no seed", plan.func.name)),
        }
    }
}

/// What the parameters and their adjoints hold at the end.
fn reversed<N: Number>(act: &Activation<'_, N>, plan: &Plan) -> Result<Reversed<N>, Trap> {
    let value = |v: &VarId| act.value(*v).cloned();
    let params = plan.func.params.iter();
    let adjoints = params
        .clone()
        .map(|p| plan.adjoint.get(p).map(value).transpose());
    Ok(Reversed {
        params: params.map(value).collect::<Result<_, _>>()?,
        adjoints: adjoints.collect::<Result<_, _>>()?,
    })
}

/// The variables that a reversed call declares.
pub(super) fn increments(adjoints: &[AdjArg]) -> impl Iterator<Item = VarId> + '_ {
    adjoints.iter().filter_map(|a| match a {
        AdjArg::Increment(var) => Some(*var),
        _ => None,
    })
}

/// Where the adjoints of the reference arguments are; those handed over share nothing.
fn adjoint_paths<N: Number>(
    act: &Activation<'_, N>,
    id: StmtId,
    call: &Call,
    adjoints: &[AdjArg],
) -> Result<Vec<Option<Path>>, Trap> {
    let mut all: Vec<Option<Path>> = Vec::new();
    for (k, adjoint) in adjoints.iter().enumerate() {
        let path = match adjoint {
            // The adjoint of what the callee does not touch may have another shape.
            _ if !act.touches(id, k, &call.args[k]) => None,
            AdjArg::Place(place) | AdjArg::Scratch(Some(place)) => Some(act.resolve(place)?),
            _ => None,
        };
        all.push(path);
    }
    let handed = |i: &usize| matches!(adjoints[*i], AdjArg::Place(_));
    for i in (0..all.len()).filter(handed) {
        for j in (0..i).filter(handed) {
            if let (Some(a), Some(b)) = (&all[i], &all[j])
                && a.overlaps(b)
            {
                return TrapKind::Aliased(format!("adjoints of {}", call.callee.name)).err();
            }
        }
    }
    Ok(all)
}

fn record_of<'a, N: Number>(act: &Activation<'a, N>, id: RecordId) -> Result<&'a Record, Trap> {
    match act.plan.and_then(|plan| plan.records.get(id.index())) {
        Some(record) => Ok(record),
        None => tape(format!("{id:?} is not in the plan")),
    }
}

fn owner<N>(act: &Activation<'_, N>, id: RecordId) -> (String, RecordId) {
    (act.func.name.clone(), id)
}

/// The slot that a record has in the running iteration of its loop; `None` on a stack.
fn slot_of<N>(act: &Activation<'_, N>, record: &Record) -> Result<Option<Slot>, Trap> {
    let Storage::Frame { of, slot } = &record.storage else {
        return Ok(None);
    };
    match act.frames.iter().rev().find(|open| open.of == *of) {
        Some(open) => Ok(Some(Slot {
            frame: open.frame,
            slot: *slot,
            iteration: open.iteration,
        })),
        None => tape(format!("the loop of {record:?} is not running")),
    }
}
