//! The judge of plans: dual numbers and the primal.

use std::collections::BTreeMap;
use std::fmt;
use std::mem::discriminant;

use super::Program;
use super::random::Random;
use crate::interp::{Dual, Module, Outcome, PlanOutcome, Trap, Value, run, run_fused, run_plan};
use crate::ir::demand::{RESULT_BIT, output_bit, param_bit};
use crate::ir::{Caller, Func, Mode};
use crate::plan::Plan;

/// What makes the plans of all functions of a module.
pub type Planner<'a> = dyn Fn(&Module) -> BTreeMap<String, Plan> + 'a;

/// Up to so many real inputs, each coordinate is tried by itself.
const COORDINATES: usize = 12;

/// How many random directions are tried.
const DIRECTIONS: usize = 3;

/// What is wrong with a plan.
#[derive(Clone, PartialEq, Debug)]
pub enum Fault {
    /// The planner panicked.
    Planner(String),
    /// The primal does not run: not the plan's fault.
    Primal(Trap),
    /// A sweep does not run.
    Sweep(Trap),
    /// The forward sweep does not compute what the primal does: what, as it is, as it should be.
    Value(String, Value<f64>, Value<f64>),
    /// A `&mut` parameter is not what it should be after the reverse sweep: which, as it is, as it
    /// should be.
    Restored(String, Value<f64>, Value<f64>),
    /// A directional derivative is wrong.
    Derivative {
        /// The direction, one slope per real input.
        direction: Vec<f64>,
        /// What the plan says.
        found: f64,
        /// What dual numbers say.
        expected: f64,
    },
    /// The adjoint has another shape than the parameter.
    Shape(String),
}

impl Fault {
    /// Whether the other fault is the same, names, numbers and values aside.
    pub fn is_like(&self, other: &Fault) -> bool {
        match (self, other) {
            (Fault::Planner(a), Fault::Planner(b)) => wording(a) == wording(b),
            (Fault::Primal(a), Fault::Primal(b)) | (Fault::Sweep(a), Fault::Sweep(b)) => {
                discriminant(&a.kind) == discriminant(&b.kind)
            }
            _ => discriminant(self) == discriminant(other),
        }
    }
}

/// The words of the first fault in the message of a panic.
fn wording(message: &str) -> String {
    let first = message.lines().next().unwrap_or_default();
    let first = first.split("}, ").next().unwrap_or_default();
    // Names stand in backticks.
    let words = first.split('`').step_by(2).flat_map(str::chars);
    words.filter(|c| !c.is_ascii_digit()).collect()
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Planner(text) => write!(f, "the planner panics: {text}"),
            Fault::Primal(trap) => write!(f, "the primal traps: {trap}"),
            Fault::Sweep(trap) => write!(f, "a sweep traps: {trap}"),
            Fault::Value(what, found, expected) => {
                write!(
                    f,
                    "{what} is {found:?} after the forward sweep, not {expected:?}"
                )
            }
            Fault::Restored(what, found, expected) => {
                write!(
                    f,
                    "{what} is {found:?} after the reverse sweep, not {expected:?}"
                )
            }
            Fault::Derivative {
                direction,
                found,
                expected,
            } => {
                write!(
                    f,
                    "the derivative is {found:e}, not {expected:e}, along {direction:?}"
                )
            }
            Fault::Shape(what) => write!(f, "the adjoint of {what} has another shape"),
        }
    }
}

/// Checks the plan of the program's entry, for a caller that wants everything and for one that wants
/// some of it; `seed` draws the caller, the adjoints and the directions.
pub fn check(program: &Program, plans: &BTreeMap<String, Plan>, seed: u64) -> Result<(), Fault> {
    check_as(Caller::RESTORING, program, plans, seed)?;
    let mut rng = Random::new(seed);
    // Callers take what may change its shape as useful.
    let func = &program.module.funcs[&program.entry];
    let params = func.params.iter().enumerate();
    let resized = params.filter(|(_, p)| {
        let var = func.var(**p);
        var.mode == Mode::Mut && !var.ty.keeps_shape()
    });
    let resized = resized.fold(0, |all, (k, _)| all | output_bit(k));
    let some = Caller {
        varied: rng.bits(),
        useful: rng.bits() | resized,
        restore: rng.chance(50),
        facts: u64::MAX,
    };
    check_as(some, program, plans, seed)?;
    match &plans[&program.entry].fused {
        Some(fused) => check_run(Caller::OUTERMOST, program, plans, seed, Some(fused)),
        None => Ok(()),
    }
}

/// Checks what this caller gets; `seed` draws the adjoints and the directions.
pub fn check_as(
    caller: Caller,
    program: &Program,
    plans: &BTreeMap<String, Plan>,
    seed: u64,
) -> Result<(), Fault> {
    check_run(caller, program, plans, seed, None)
}

/// The same, by the fused plan, if there is one.
fn check_run(
    caller: Caller,
    program: &Program,
    plans: &BTreeMap<String, Plan>,
    seed: u64,
    fused: Option<&Plan>,
) -> Result<(), Fault> {
    let mut rng = Random::new(seed);
    let primal =
        run(&program.module, &program.entry, program.inputs.clone()).map_err(Fault::Primal)?;
    let entry = &program.module.funcs[&program.entry];
    let mut weights = |v: &Value<f64>, useful: bool| {
        v.map_reals(&mut |_| if useful { rng.real(-1.5, 1.5) } else { 0.0 })
    };
    let seeds = Seeds::new(entry, program, &primal, caller, &mut weights);
    let (args, adjoints, seed) = (
        program.inputs.clone(),
        seeds.adjoints.clone(),
        seeds.ret.clone(),
    );
    let plan = match fused {
        Some(fused) => run_fused(plans, fused, args, adjoints, seed),
        None => run_plan(plans, &program.entry, args, adjoints, seed, caller),
    };
    let plan = plan.map_err(Fault::Sweep)?;
    check_values(program, plans, &primal, &plan, caller)?;
    let gradient = gradient(entry, program, &seeds, &plan, caller)?;
    let varied = varied(entry, program, caller);
    for mut direction in directions(gradient.len(), &mut rng) {
        for (d, varied) in direction.iter_mut().zip(&varied) {
            *d *= f64::from(u8::from(*varied));
        }
        check_direction(program, &seeds, &gradient, plan.peak, direction)?;
    }
    Ok(())
}

/// Makes the plans and checks them; a panic of the planner is a fault too.
pub fn judge(program: &Program, planner: &Planner<'_>, seed: u64) -> Result<(), Fault> {
    let planned =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| planner(&program.module)));
    match planned {
        Ok(plans) => check(program, &plans, seed),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
            Err(Fault::Planner(text.unwrap_or_default()))
        }
    }
}

/// The adjoints that go into the reverse sweep.
struct Seeds {
    ret: Option<Value<f64>>,
    /// One per parameter; random, not zero, also where only increments are wanted.
    adjoints: Vec<Option<Value<f64>>>,
}

impl Seeds {
    fn new(
        entry: &Func,
        program: &Program,
        primal: &Outcome<f64>,
        caller: Caller,
        weights: &mut dyn FnMut(&Value<f64>, bool) -> Value<f64>,
    ) -> Seeds {
        let mut muts = primal.muts.iter();
        let adjoints =
            entry
                .params
                .iter()
                .zip(&program.inputs)
                .enumerate()
                .map(|(k, (p, input))| match entry.var(*p).mode {
                    Mode::Owned => None,
                    Mode::Shared => Some(weights(input, true)),
                    Mode::Mut => {
                        let useful = caller.useful & output_bit(k) != 0;
                        muts.next().map(|v| weights(v, useful))
                    }
                });
        let adjoints = adjoints.collect();
        Seeds {
            ret: primal
                .ret
                .as_ref()
                .map(|v| weights(v, caller.useful & RESULT_BIT != 0)),
            adjoints,
        }
    }
}

/// The forward sweep computes what the primal does; the reverse sweep restores what it says.
fn check_values(
    program: &Program,
    plans: &BTreeMap<String, Plan>,
    primal: &Outcome<f64>,
    run: &PlanOutcome,
    caller: Caller,
) -> Result<(), Fault> {
    let plan = &plans[&program.entry];
    if let (Some(found), Some(expected)) = (&run.ret, &primal.ret)
        && !found.same_bits(expected)
    {
        return Err(Fault::Value(
            "the result".into(),
            found.clone(),
            expected.clone(),
        ));
    }
    let params = plan.func.params.iter().zip(&program.inputs);
    let muts = params.filter(|(p, _)| plan.func.var(**p).mode == Mode::Mut);
    for (i, (p, entered)) in muts.enumerate() {
        let name = || format!("`{}`", plan.func.var(*p).name);
        let (found, expected) = (&run.muts[i], &primal.muts[i]);
        if !found.same_bits(expected) {
            return Err(Fault::Value(name(), found.clone(), expected.clone()));
        }
        // What is not restored keeps what the forward sweep left.
        if !caller.restore {
            continue;
        }
        let due = if plan.restores.contains(p) {
            entered
        } else {
            expected
        };
        if !run.restored[i].same_bits(due) {
            return Err(Fault::Restored(
                name(),
                run.restored[i].clone(),
                due.clone(),
            ));
        }
    }
    Ok(())
}

/// The gradient by all real inputs, from the adjoints that the reverse sweep left.
fn gradient(
    entry: &Func,
    program: &Program,
    seeds: &Seeds,
    run: &PlanOutcome,
    caller: Caller,
) -> Result<Vec<f64>, Fault> {
    let mut all = Vec::new();
    for (i, (p, input)) in entry.params.iter().zip(&program.inputs).enumerate() {
        let reals = input.flatten().len();
        let before = seeds.adjoints[i]
            .as_ref()
            .map_or(vec![0.0; reals], Value::flatten);
        // A parameter without an adjoint variable keeps the adjoint that its caller has.
        let after = run.adjoints[i]
            .as_ref()
            .map_or(before.clone(), Value::flatten);
        // On entry, that of an in-out parameter has the shape that the function leaves; where it is not
        // varied, it has none to speak of on return.
        let mode = entry.var(*p).mode;
        let shaped = mode != Mode::Mut || is_varied(caller, i);
        let shared = mode == Mode::Shared;
        if (shaped && after.len() != reals) || (shared && before.len() != reals) {
            return Err(Fault::Shape(entry.var(*p).name.clone()));
        }
        match entry.var(*p).mode {
            // What is not varied has no adjoint to speak of; what is only read is left alone.
            Mode::Owned | Mode::Mut if !is_varied(caller, i) => all.extend(vec![0.0; reals]),
            Mode::Shared => all.extend(after.iter().zip(&before).map(|(a, b)| a - b)),
            _ => all.extend(after),
        }
    }
    Ok(all)
}

fn is_varied(caller: Caller, position: usize) -> bool {
    caller.varied & param_bit(position) != 0
}

/// For each real input, whether the caller varies it.
fn varied(entry: &Func, program: &Program, caller: Caller) -> Vec<bool> {
    let inputs = program.inputs.iter().take(entry.params.len()).enumerate();
    inputs
        .flat_map(|(k, input)| vec![is_varied(caller, k); input.flatten().len()])
        .collect()
}

/// Each coordinate where there are few, and random directions.
fn directions(n: usize, rng: &mut Random) -> Vec<Vec<f64>> {
    let mut all: Vec<Vec<f64>> = (0..DIRECTIONS)
        .map(|_| (0..n).map(|_| rng.real(-1.0, 1.0)).collect())
        .collect();
    if n <= COORDINATES {
        all.extend((0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()));
    }
    all
}

fn check_direction(
    program: &Program,
    seeds: &Seeds,
    gradient: &[f64],
    peak: f64,
    direction: Vec<f64>,
) -> Result<(), Fault> {
    let mut slopes = direction.iter();
    let mut dual = |x: f64| Dual::new(x, slopes.next().copied().unwrap_or(0.0));
    let inputs = program
        .inputs
        .iter()
        .map(|v| v.map_reals(&mut dual))
        .collect();
    let outcome = run(&program.module, &program.entry, inputs).map_err(Fault::Primal)?;
    let dependents = outcome.ret.iter().chain(&outcome.muts);
    let entry = &program.module.funcs[&program.entry];
    let of_muts = entry.params.iter().zip(&seeds.adjoints);
    let of_muts = of_muts
        .filter(|(p, _)| entry.var(**p).mode == Mode::Mut)
        .flat_map(|(_, s)| s);
    let weights = seeds.ret.iter().chain(of_muts);
    let expected: f64 = dependents
        .zip(weights)
        .flat_map(|(v, w)| v.flatten().into_iter().zip(w.flatten()))
        .map(|(v, w)| v.slope * w)
        .sum();
    let found: f64 = gradient.iter().zip(&direction).map(|(g, d)| g * d).sum();
    let scale = found.abs().max(expected.abs()).max(1.0);
    let tolerance = 1e-9 * scale + 1e-12 * outcome.peak.max(peak);
    if (found - expected).abs() <= tolerance {
        return Ok(());
    }
    Err(Fault::Derivative {
        direction,
        found,
        expected,
    })
}
