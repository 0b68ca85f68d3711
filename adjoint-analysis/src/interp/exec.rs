//! Statements and calls.

use std::collections::BTreeMap;

use super::activation::{Activation, Path};
use super::tape::Tape;
use super::{DEPTH_LIMIT, Module, Number, STEP_LIMIT, Trap, TrapKind, Value};
use crate::ir::{Arg, Block, Call, Caller, Expr, Func, Mode, Origin, Stmt, StmtKind, Ty, VarId};
use crate::plan::Plan;

/// The functions that a run can call.
#[derive(Clone, Copy)]
pub(super) enum Code<'a> {
    /// Primals only.
    Module(&'a Module),
    /// Plans, whose primals can be called too.
    Plans(&'a BTreeMap<String, Plan>),
}

impl<'a> Code<'a> {
    fn primal(self, name: &str) -> Result<&'a Func, Trap> {
        let found = match self {
            Code::Module(module) => module.funcs.get(name),
            Code::Plans(plans) => plans.get(name).map(|p| &p.func),
        };
        found.ok_or_else(|| TrapKind::UnknownCallee(name.into()).into())
    }

    pub(super) fn plan(self, name: &str) -> Result<&'a Plan, Trap> {
        match self {
            Code::Plans(plans) if plans.contains_key(name) => Ok(&plans[name]),
            _ => TrapKind::UnknownCallee(name.into()).err(),
        }
    }
}

/// What all activations share.
pub(super) struct Machine<'a, N> {
    pub(super) code: Code<'a>,
    pub(super) tape: Tape<N>,
    pub(super) steps: u64,
    pub(super) peak: f64,
    depth: usize,
}

/// How a block ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
}

/// What a call left behind.
pub(super) struct Returned<N> {
    pub(super) value: Option<Value<N>>,
    /// One per parameter: its last value.
    pub(super) params: Vec<Value<N>>,
}

/// The arguments of a call: their values and, for references, where they are.
pub(super) struct Arguments<N> {
    pub(super) values: Vec<Value<N>>,
    pub(super) paths: Vec<Option<Path>>,
}

impl<'a, N: Number> Machine<'a, N> {
    pub(super) fn new(code: Code<'a>) -> Machine<'a, N> {
        Machine {
            code,
            tape: Tape::new(),
            steps: 0,
            peak: 0.0,
            depth: 0,
        }
    }

    /// Runs the primal of a function.
    pub(super) fn primal(&mut self, name: &str, args: Vec<Value<N>>) -> Result<Returned<N>, Trap> {
        let func = self.code.primal(name)?;
        self.forward_body(
            Activation::new(func, None, Caller::RESTORING),
            &func.body,
            args,
        )
    }

    /// Runs the forward sweep of a function.
    pub(super) fn forward(
        &mut self,
        name: &str,
        args: Vec<Value<N>>,
        caller: Caller,
    ) -> Result<Returned<N>, Trap> {
        let plan = self.code.plan(name)?;
        let caller = plan.with_answers(caller, |callee| self.code.plan(callee).ok());
        let act = Activation::new(&plan.func, Some(plan), caller);
        self.forward_body(act, &plan.forward, args)
    }

    fn forward_body(
        &mut self,
        mut act: Activation<'a, N>,
        body: &'a Block,
        args: Vec<Value<N>>,
    ) -> Result<Returned<N>, Trap> {
        declare_params(&mut act, args)?;
        let func = act.func;
        if let Some(ret) = func.ret {
            act.declare(ret, None)?;
        }
        self.run_body(&mut act, body)?;
        Ok(Returned {
            value: func.ret.map(|ret| act.value(ret).cloned()).transpose()?,
            params: func
                .params
                .iter()
                .map(|p| act.value(*p).cloned())
                .collect::<Result<_, _>>()?,
        })
    }

    /// Runs the outermost block of an activation.
    pub(super) fn run_body(
        &mut self,
        act: &mut Activation<'a, N>,
        body: &'a Block,
    ) -> Result<(), Trap> {
        self.depth += 1;
        if self.depth > DEPTH_LIMIT {
            return TrapKind::DepthLimit.err();
        }
        let flow = self.block(act, body)?;
        self.depth -= 1;
        self.peak = self.peak.max(act.peak.get());
        match flow {
            Flow::Next => Ok(()),
            Flow::Break => Trap::ty("a break outside of a loop"),
        }
    }

    /// Runs a block and ends the lives of its variables.
    pub(super) fn block(
        &mut self,
        act: &mut Activation<'a, N>,
        block: &'a Block,
    ) -> Result<Flow, Trap> {
        let flow = self.statements(act, block)?;
        for var in block.stmts.iter().flat_map(declared) {
            act.kill(var);
        }
        Ok(flow)
    }

    /// Runs the statements of a block in the scope around it.
    pub(super) fn statements(
        &mut self,
        act: &mut Activation<'a, N>,
        block: &'a Block,
    ) -> Result<Flow, Trap> {
        for stmt in &block.stmts {
            let flow = self
                .stmt(act, stmt)
                .map_err(|t| t.at(&act.func.name, stmt.id))?;
            if flow == Flow::Break {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn step(&mut self) -> Result<(), Trap> {
        self.steps += 1;
        if self.steps > STEP_LIMIT {
            TrapKind::StepLimit.err()
        } else {
            Ok(())
        }
    }

    fn stmt(&mut self, act: &mut Activation<'a, N>, stmt: &'a Stmt) -> Result<Flow, Trap> {
        self.step()?;
        match &stmt.kind {
            StmtKind::Let(var, init) => {
                let value = match (init, act.func.var(*var).origin) {
                    _ if !act.makes(*var) => Value::zero_of(&act.func.var(*var).ty),
                    (Some(Expr::Read(from)), Origin::Adjoint(_)) if act.is_adjoint(from) => {
                        Some(act.take_adjoint(from.root)?)
                    }
                    (Some(e), _) => Some(act.eval(e)?),
                    // An adjoint starts at zero, in the shape of what it belongs to.
                    (None, Origin::Adjoint(of)) => {
                        Some(match Value::zero_of(&act.func.var(*var).ty) {
                            Some(zero) => zero,
                            None => act.value(of)?.zeroed(),
                        })
                    }
                    // Fused plans are of one caller, for which what others restore is blank.
                    (None, _) if act.is_fused => Value::zero_of(&act.func.var(*var).ty),
                    (None, _) => None,
                };
                act.declare(*var, value)?;
            }
            StmtKind::Assign(place, e) => {
                let (path, value) = (act.resolve(place)?, act.eval(e)?);
                act.set(&path, value, is_slice(&place.ty))?;
            }
            StmtKind::Incr(place, e) => {
                let (path, value) = (act.resolve(place)?, act.eval(e)?);
                act.incr(&path, &value)?;
                if let Value::Real(n) = act.get(&path)? {
                    act.note(n);
                }
            }
            StmtKind::Swap(a, b) => {
                let (a_path, b_path) = (act.resolve(a)?, act.resolve(b)?);
                let (a_value, b_value) = (act.get(&a_path)?, act.get(&b_path)?);
                act.set(&a_path, b_value, is_slice(&a.ty))?;
                act.set(&b_path, a_value, is_slice(&b.ty))?;
            }
            StmtKind::Insert(place, at, e) => act.insert(place, at.as_ref(), e)?,
            StmtKind::Remove(var, place, at) => act.remove(*var, place, at.as_ref())?,
            StmtKind::Call(call) => {
                let args = arguments(act, call)?;
                let returned = self.primal(&call.callee.name, args.values)?;
                finish_call(act, call, &args.paths, returned)?;
            }
            StmtKind::Passive(_, reads) => {
                for place in reads {
                    act.resolve(place).and_then(|path| act.get(&path))?;
                }
            }
            StmtKind::If(condition, yes, no) => {
                let arm = if act.eval(condition)?.as_bool()? {
                    yes
                } else {
                    no
                };
                return self.block(act, arm);
            }
            StmtKind::Loop(head, body) => self.run_loop(act, stmt, head, body)?,
            StmtKind::When(demand, body) if act.caller.wants(*demand) => {
                return self.block(act, body);
            }
            StmtKind::When(..) => {}
            StmtKind::Take(records) => return self.block(act, records),
            StmtKind::Replay(_, forward) if act.is_fused => return self.statements(act, forward),
            StmtKind::Replay(restores, forward) => {
                self.block(act, restores)?;
                let around = std::mem::replace(&mut act.replays, true);
                self.block(act, forward)?;
                act.replays = around;
            }
            StmtKind::Break => return Ok(Flow::Break),
            _ => self.sweep_stmt(act, stmt)?,
        }
        Ok(Flow::Next)
    }
}

/// The variables that a statement declares in its block.
pub(super) fn declared(stmt: &Stmt) -> Vec<VarId> {
    let mut vars: Vec<VarId> = stmt.declared().into_iter().collect();
    if let StmtKind::Reverse { adjoints, .. } = &stmt.kind {
        vars.extend(super::sweep::increments(adjoints));
    }
    // In fused sweeps, they are in the scope around it.
    if let StmtKind::Replay(_, forward) = &stmt.kind {
        vars.extend(forward.stmts.iter().flat_map(declared));
    }
    vars
}

pub(super) fn is_slice(ty: &Ty) -> bool {
    matches!(ty, Ty::Slice(_))
}

/// Gives the parameters of a new activation their values.
pub(super) fn declare_params<N: Number>(
    act: &mut Activation<'_, N>,
    args: Vec<Value<N>>,
) -> Result<(), Trap> {
    let func = act.func;
    if args.len() != func.params.len() {
        return Trap::ty(format!("`{}` of {} arguments", func.name, args.len()));
    }
    func.params
        .iter()
        .zip(args)
        .try_for_each(|(param, arg)| act.declare(*param, Some(arg)))
}

/// Evaluates the arguments of a call; those that are written share nothing with the others.
pub(super) fn arguments<N: Number>(
    act: &Activation<'_, N>,
    call: &Call,
) -> Result<Arguments<N>, Trap> {
    let mut all = Arguments {
        values: Vec::new(),
        paths: Vec::new(),
    };
    for arg in &call.args {
        let path = arg.place().map(|place| act.resolve(place)).transpose()?;
        all.values.push(match (arg, &path) {
            (Arg::Value(e), _) => act.eval(e)?,
            (_, Some(path)) => act.lent(path)?,
            (_, None) => return Trap::ty("a reference without a place"),
        });
        all.paths.push(path);
    }
    for (i, (arg, path)) in call.args.iter().zip(&all.paths).enumerate() {
        let (Arg::Mut(_), Some(path)) = (arg, path) else {
            continue;
        };
        let others = all.paths.iter().enumerate().filter(|(j, _)| *j != i);
        if others
            .flat_map(|(_, p)| p)
            .any(|other| other.overlaps(path))
        {
            return TrapKind::Aliased(call.callee.name.clone()).err();
        }
    }
    Ok(all)
}

/// Writes back what a call left in its `&mut` arguments.
pub(super) fn write_back<N: Number>(
    act: &mut Activation<'_, N>,
    call: &Call,
    paths: &[Option<Path>],
    params: Vec<Value<N>>,
) -> Result<(), Trap> {
    for ((arg, path), value) in call.args.iter().zip(paths).zip(params) {
        if let (Arg::Mut(place), Some(path)) = (arg, path) {
            act.set(path, value, is_slice(&place.ty))?;
        }
    }
    Ok(())
}

/// Writes back the `&mut` arguments and declares the result.
pub(super) fn finish_call<N: Number>(
    act: &mut Activation<'_, N>,
    call: &Call,
    paths: &[Option<Path>],
    returned: Returned<N>,
) -> Result<(), Trap> {
    write_back(act, call, paths, returned.params)?;
    match (call.result, returned.value) {
        (Some(var), Some(value)) => act.declare(var, Some(value)),
        (Some(_), None) => Trap::ty(format!("`{}` returns nothing", call.callee.name)),
        (None, _) => Ok(()),
    }
}

/// The parameters of a function that are passed by `&mut`.
pub(super) fn mut_params(func: &Func) -> impl Iterator<Item = (usize, VarId)> + '_ {
    let params = func.params.iter().copied().enumerate();
    params.filter(|(_, p)| func.var(*p).mode == Mode::Mut)
}
