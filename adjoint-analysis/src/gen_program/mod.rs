//! Random programs that are always valid, to try planners on.
//!
//! A program terminates, keeps its indices in range, divides by nothing near zero, overflows no integer,
//! and keeps its reals and their derivatives moderate. The first three hold by construction; the
//! others are measured, and a program that fails them is drawn anew.

pub mod build;
pub mod campaign;
mod draw;
pub mod oracle;
pub mod random;
pub mod shrink;
pub mod wellformed;

pub use campaign::{Counts, Failure, campaign};
pub use oracle::{Fault, Planner};
pub use shrink::shrink;

use std::collections::BTreeSet;

use self::draw::calls::ParamSig;
use crate::interp::{Dual, Module, Trap, Value, run};
use crate::ir::{Mode, StmtKind, Ty};
use random::Random;

/// How large programs get.
#[derive(Clone, PartialEq, Debug)]
pub struct Bounds {
    /// Functions in a module.
    pub functions: usize,
    /// Parameters of a function.
    pub params: usize,
    /// Statements of a function's outermost block.
    pub top: usize,
    /// Statements of a block.
    pub statements: usize,
    /// Statements drawn for a function, loops and branches counted as one.
    pub budget: usize,
    /// Blocks inside each other.
    pub nesting: usize,
    /// Operands of a sum.
    pub operands: usize,
    /// Levels of an expression.
    pub depth: usize,
    /// Elements of a local array.
    pub length: usize,
    /// Iterations of a loop whose count is drawn.
    pub trips: usize,
    /// How often statements about induction variables are drawn, relative to the others.
    pub inductions: usize,
    /// How often loops are drawn that set elements of a list, relative to the others.
    pub sweeps: usize,
    /// How many of a hundred loops are checkpointed.
    pub checkpoints: usize,
    /// Statements and iterations that a run may take.
    pub steps: u64,
    /// The largest magnitude of values and derivatives.
    pub peak: f64,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            functions: 4,
            params: 4,
            top: 10,
            statements: 6,
            budget: 50,
            nesting: 4,
            operands: 4,
            depth: 3,
            length: 6,
            trips: 5,
            inductions: 1,
            sweeps: 0,
            checkpoints: 10,
            steps: 20_000,
            peak: 1e4,
        }
    }
}

impl Bounds {
    /// Programs that a person can read.
    pub fn small() -> Bounds {
        Bounds {
            functions: 2,
            params: 2,
            top: 4,
            statements: 3,
            budget: 8,
            nesting: 2,
            operands: 2,
            depth: 2,
            length: 3,
            trips: 3,
            ..Bounds::default()
        }
    }

    /// Small programs whose loops are checkpointed and fill lists, mostly.
    pub fn of_snapshots() -> Bounds {
        Bounds {
            functions: 3,
            top: 5,
            statements: 4,
            budget: 14,
            nesting: 3,
            length: 4,
            sweeps: 40,
            checkpoints: 50,
            ..Bounds::small()
        }
    }

    /// Small programs about integers, mostly.
    pub fn of_inductions() -> Bounds {
        Bounds {
            top: 6,
            budget: 14,
            nesting: 3,
            length: 5,
            inductions: 12,
            ..Bounds::small()
        }
    }
}

/// A program with inputs.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// The functions.
    pub module: Module,
    /// The one to differentiate.
    pub entry: String,
    /// Its arguments.
    pub inputs: Vec<Value<f64>>,
}

/// A function, as callers see it.
#[derive(Clone, Debug)]
struct Signature {
    name: String,
    params: Vec<ParamSig>,
    ret: Option<Ty>,
}

/// What became of one attempt to draw a program.
#[derive(Clone, PartialEq, Debug)]
pub enum Draw {
    /// A program within the bounds.
    Accepted(Box<Program>),
    /// It runs too long, an integer overflows, or values or derivatives grow too large.
    Excessive,
    /// It traps: an error of the generator.
    Trapped(Box<Program>, Trap),
}

/// The program of this seed: the first draw that is within the bounds.
pub fn generate(seed: u64, bounds: &Bounds) -> Program {
    let mut rng = Random::new(seed);
    loop {
        if let Draw::Accepted(program) = draw(&mut rng, bounds) {
            return *program;
        }
    }
}

/// Draws a program and tries it.
pub fn draw(rng: &mut Random, bounds: &Bounds) -> Draw {
    let program = unchecked(rng, bounds);
    match excess(&program, rng.bits(), bounds) {
        Ok(false) => Draw::Accepted(Box::new(program)),
        Ok(true) => Draw::Excessive,
        Err(trap) => Draw::Trapped(Box::new(program), trap),
    }
}

/// Whether a run of the program exceeds the bounds.
pub(crate) fn excess(program: &Program, seed: u64, bounds: &Bounds) -> Result<bool, Trap> {
    use crate::interp::TrapKind::{DepthLimit, Overflow, StepLimit};
    let mut rng = Random::new(seed);
    let mut dual = |x: f64| Dual::new(x, rng.real(-1.0, 1.0));
    let inputs = program
        .inputs
        .iter()
        .map(|v| v.map_reals(&mut dual))
        .collect();
    match run(&program.module, &program.entry, inputs) {
        Ok(outcome) => Ok(outcome.steps > bounds.steps || outcome.peak > bounds.peak),
        Err(Trap {
            kind: StepLimit | DepthLimit | Overflow,
            ..
        }) => Ok(true),
        Err(trap) => Err(trap),
    }
}

fn unchecked(rng: &mut Random, bounds: &Bounds) -> Program {
    let count = rng.between(1, bounds.functions);
    let mut done: Vec<Signature> = Vec::new();
    let mut module = Module::default();
    for i in 0..count {
        let recursive = rng.chance(25);
        let signature = self::draw::calls::signature(rng, bounds, format!("f{i}"), recursive);
        let func = self::draw::calls::function(rng, bounds, &signature, &done);
        module.funcs.insert(func.name.clone(), func);
        done.push(signature);
    }
    let entry = done.swap_remove(count - 1);
    retain_called(&mut module, &entry.name);
    let inputs = entry.params.iter().map(|p| input(rng, p)).collect();
    Program {
        module,
        entry: entry.name,
        inputs,
    }
}

/// Drops the functions that the entry does not call, directly or through others.
fn retain_called(module: &mut Module, entry: &str) {
    let mut called = BTreeSet::new();
    let mut open = vec![entry.to_string()];
    while let Some(name) = open.pop() {
        if let Some(func) = module
            .funcs
            .get(&name)
            .filter(|_| called.insert(name.clone()))
        {
            func.body.walk(&mut |s| {
                if let StmtKind::Call(call) = &s.kind {
                    open.push(call.callee.name.clone());
                }
            });
        }
    }
    module.funcs.retain(|name, _| called.contains(name));
}

/// A value for a parameter.
fn input(rng: &mut Random, p: &ParamSig) -> Value<f64> {
    fn value(rng: &mut Random, ty: &Ty, len: usize) -> Value<f64> {
        match ty {
            Ty::Int(_) => Value::usize(rng.below(5)),
            Ty::Tuple(ts) => Value::Tuple(ts.iter().map(|t| value(rng, t, 0)).collect()),
            Ty::Array(t, n) => {
                let n = n.parse().unwrap_or(1);
                Value::List((0..n).map(|_| value(rng, t, 0)).collect())
            }
            // What is inside has an element at least.
            Ty::Slice(t) | Ty::Vec(t) => Value::List((0..len).map(|_| value(rng, t, 1)).collect()),
            Ty::Option(_) if rng.chance(35) => Value::Option(None),
            Ty::Option(t) => Value::Option(Some(Box::new(value(rng, t, 1)))),
            // A few exact zeros and ones, where kinks are.
            _ if rng.chance(8) => Value::Real(*rng.pick(&[0.0, 1.0, -1.0, 0.5])),
            _ => Value::Real(rng.real(-1.75, 1.75)),
        }
    }
    debug_assert!(p.mode != Mode::Owned || !matches!(p.ty, Ty::Slice(_)));
    if p.depth {
        return Value::usize(rng.below(4));
    }
    let len = p.min_len + rng.below(4);
    value(rng, &p.ty, len)
}
