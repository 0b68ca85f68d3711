//! An interpreter for functions in IR and for plans.
//!
//! It does what [`crate::ir`] and [`crate::plan`] say, over any [`Number`]: `f64`, or [`Dual`] for
//! derivatives that owe nothing to a plan. What would be a panic or undefined is a [`Trap`].
//!
//! A reference argument is copied in and copied back: Rust's borrow rules make that the same thing,
//! and the interpreter checks them where it evaluates the arguments. All float types are computed
//! as the number type; nothing is rounded to `f32`.

mod activation;
mod dual;
mod eval;
mod exec;
mod integer;
mod loops;
mod memory;
mod number;
mod partial;
mod range;
mod sweep;
mod tape;
mod trap;
mod value;

use std::collections::BTreeMap;

pub use dual::Dual;
pub use number::Number;
pub use trap::{Trap, TrapKind};
pub use value::Value;

use crate::ir::{Caller, Func};
use crate::plan::Plan;
use exec::{Code, Machine, mut_params};

/// How many statements and iterations a run may execute.
pub const STEP_LIMIT: u64 = 1_000_000;

/// How deep calls may nest.
pub const DEPTH_LIMIT: usize = 100;

/// Functions that may call each other.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Module {
    /// The functions by name.
    pub funcs: BTreeMap<String, Func>,
}

impl Module {
    /// A module of these functions.
    pub fn new(funcs: impl IntoIterator<Item = Func>) -> Module {
        Module {
            funcs: funcs.into_iter().map(|f| (f.name.clone(), f)).collect(),
        }
    }
}

/// What a run of a primal yields.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome<N> {
    /// The returned value.
    pub ret: Option<Value<N>>,
    /// The final values of the `&mut` parameters, in order.
    pub muts: Vec<Value<N>>,
    /// How many statements and iterations were executed.
    pub steps: u64,
    /// The largest magnitude of any real that was computed; infinite where one was NaN.
    pub peak: f64,
}

/// What a run of both sweeps yields.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanOutcome {
    /// The returned value.
    pub ret: Option<Value<f64>>,
    /// The values of the `&mut` parameters after the forward sweep, in order.
    pub muts: Vec<Value<f64>>,
    /// The same after the reverse sweep.
    pub restored: Vec<Value<f64>>,
    /// The adjoint of each parameter after the reverse sweep, where the plan has a variable for
    /// it: accumulated for one passed by reference, the increment for one passed by value.
    pub adjoints: Vec<Option<Value<f64>>>,
    /// How many scalars were recorded, by the stack that they went to: the name of their type, or
    /// `flag` or `count`.
    pub pushed: BTreeMap<String, usize>,
    /// The largest magnitude of any real that was computed; infinite where one was NaN.
    pub peak: f64,
}

/// Runs a function.
pub fn run<N: Number>(
    module: &Module,
    name: &str,
    args: Vec<Value<N>>,
) -> Result<Outcome<N>, Trap> {
    let mut machine = Machine::new(Code::Module(module));
    let returned = machine.primal(name, args)?;
    let muts = mut_params(&module.funcs[name])
        .map(|(i, _)| returned.params[i].clone())
        .collect();
    Ok(Outcome {
        ret: returned.value,
        muts,
        steps: machine.steps,
        peak: machine.peak,
    })
}

/// Runs the forward and then the reverse sweep of a function, as this caller does.
///
/// `adjoints` has one entry per parameter; what is `None` starts at zero, and for a parameter
/// passed by value it always does. The tape must be empty in the end.
pub fn run_plan(
    plans: &BTreeMap<String, Plan>,
    name: &str,
    args: Vec<Value<f64>>,
    adjoints: Vec<Option<Value<f64>>>,
    seed: Option<Value<f64>>,
    caller: Caller,
) -> Result<PlanOutcome, Trap> {
    let mut machine = Machine::new(Code::Plans(plans));
    let forward = machine.forward(name, args, caller)?;
    let plan = machine.code.plan(name)?;
    let of_muts = |params: &[Value<f64>]| of_muts(&plan.func, params);
    let muts = of_muts(&forward.params);
    let reverse = machine.reverse(plan, forward.params, adjoints, seed, caller)?;
    machine.tape.check_empty()?;
    Ok(PlanOutcome {
        ret: forward.value,
        muts,
        restored: of_muts(&reverse.params),
        adjoints: reverse.adjoints,
        peak: machine.peak,
        pushed: machine.tape.into_pushed(),
    })
}

/// Runs a fused plan of a function; `plans` are those of its callees.
pub fn run_fused(
    plans: &BTreeMap<String, Plan>,
    fused: &Plan,
    args: Vec<Value<f64>>,
    adjoints: Vec<Option<Value<f64>>>,
    seed: Option<Value<f64>>,
) -> Result<PlanOutcome, Trap> {
    let mut machine = Machine::new(Code::Plans(plans));
    let (ret, reverse) = machine.fused(fused, args, adjoints, seed)?;
    machine.tape.check_empty()?;
    let muts = of_muts(&fused.func, &reverse.params);
    Ok(PlanOutcome {
        ret,
        restored: muts.clone(),
        muts,
        adjoints: reverse.adjoints,
        peak: machine.peak,
        pushed: machine.tape.into_pushed(),
    })
}

/// The values of the `&mut` parameters among these.
fn of_muts(func: &Func, params: &[Value<f64>]) -> Vec<Value<f64>> {
    mut_params(func).map(|(i, _)| params[i].clone()).collect()
}
