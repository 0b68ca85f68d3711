//! One kernel at one point, and what its adjoint does there.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::compare::{close, same_bits};
use super::differences::derivatives;
use super::slot::before;
use super::{Flat, Random, Role};

type Primal<'a> = &'a dyn Fn(&[f64]) -> Vec<f64>;
type Fails<'a> = &'a dyn Fn(&[f64]) -> bool;
type Adjoint<'a> =
    &'a dyn Fn(Option<&mut adjoint::Tape>, &[f64], &[f64], &[f64]) -> (Vec<f64>, Vec<f64>);

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// That many derivatives agree with differences, of that many.
    Agrees(usize, usize),
    /// The kernel itself panics here, or is not finite.
    Nothing(String),
    /// The adjoint panics where the kernel does not.
    Panics(String),
    /// The adjoint's outputs are not the kernel's, or two calls differ.
    Value(String),
    /// A derivative is not what differences say.
    Gradient(String),
}

/// One kernel at one point.
pub struct Case {
    name: &'static str,
    inputs: Vec<f64>,
    roles: Vec<Role>,
}

/// How far a derivative may be from the differences.
const TOLERANCE: f64 = 1e-6;

impl Case {
    /// A kernel without inputs yet.
    pub fn new(name: &'static str) -> Self {
        Case {
            name,
            inputs: Vec::new(),
            roles: Vec::new(),
        }
    }

    /// Adds an argument.
    pub fn input<T: Flat>(&mut self, value: &T, role: Role) {
        value.write(&mut self.inputs);
        self.roles.resize(self.inputs.len(), role);
    }

    /// Finds out
    /// - whether the adjoint panics where the kernel does not;
    /// - whether its outputs are the kernel's, bit for bit, also in further calls on a tape that is kept;
    /// - whether adjoints accumulate, and a zero seed changes nothing;
    /// - whether the gradient of the outputs, weighted at random, agrees with central differences, in each
    ///   input for which these agree with each other.
    /// - whether the adjoints of a kernel that fails stay as they are.
    pub fn check(&self, primal: Primal<'_>, fails: Fails<'_>, adjoint: Adjoint<'_>) -> Verdict {
        let outputs = match caught(|| primal(&self.inputs)) {
            Ok(outputs) if outputs.iter().all(|v| v.is_finite()) => outputs,
            Ok(_) => return Verdict::Nothing("not finite".to_string()),
            Err(message) => return Verdict::Nothing(message),
        };
        let judged = caught(|| match fails(&self.inputs) {
            true => self.judge_failure(&outputs, adjoint),
            false => self.judge(&outputs, primal, adjoint),
        });
        judged.unwrap_or_else(Verdict::Panics)
    }

    fn judge_failure(&self, outputs: &[f64], adjoint: Adjoint<'_>) -> Verdict {
        let mut random = Random::named(self.name);
        let seed = random.vector(outputs.len(), -1.0, 1.0);
        let start = random.vector(self.inputs.len(), -1.0, 1.0);
        let (values, after) = adjoint(None, &self.inputs, &seed, &start);
        let before = before(&self.roles, &seed, &start);
        match (same_bits(&values, outputs), same_bits(&after, &before)) {
            (false, _) => Verdict::Value(format!("{values:?} instead of {outputs:?}")),
            (_, false) => Verdict::Gradient(format!("{after:?} of a failure, from {before:?}")),
            _ => Verdict::Agrees(0, 0),
        }
    }

    fn judge(&self, outputs: &[f64], primal: Primal<'_>, adjoint: Adjoint<'_>) -> Verdict {
        let mut random = Random::named(self.name);
        let seed = random.vector(outputs.len(), -1.0, 1.0);
        let zeros = vec![0.0; self.inputs.len()];
        let (values, gradient) = adjoint(None, &self.inputs, &seed, &zeros);
        if !same_bits(&values, outputs) {
            return Verdict::Value(format!("{values:?} instead of {outputs:?}"));
        }
        if let Some(fault) = self.called_again(&values, &gradient, &seed, adjoint) {
            return Verdict::Value(fault);
        }
        let start = random.vector(self.inputs.len(), -1.0, 1.0);
        let nothing = vec![0.0; outputs.len()];
        let ways = [
            (nothing, zeros, "of a zero seed"),
            (seed.clone(), gradient.clone(), "beside start values"),
        ];
        for (seed, expected, what) in ways {
            let found = adjoint(None, &self.inputs, &seed, &start).1;
            if let Some(at) = self.accumulated(&found, &start, &expected) {
                return Verdict::Gradient(format!("input {at} {what}: {found:?}"));
            }
        }
        self.differences(&seed, &gradient, primal)
    }

    /// What differs where the adjoint is called twice on one tape.
    fn called_again(
        &self,
        values: &[f64],
        gradient: &[f64],
        seed: &[f64],
        adjoint: Adjoint<'_>,
    ) -> Option<String> {
        let mut tape = adjoint::Tape::new();
        let zeros = vec![0.0; self.inputs.len()];
        for call in ["first", "second"] {
            let (again, slopes) = adjoint(Some(&mut tape), &self.inputs, seed, &zeros);
            if !same_bits(&again, values) || !same_bits(&slopes, gradient) {
                return Some(format!("the {call} call on a tape that is kept differs"));
            }
        }
        None
    }

    /// The input whose adjoint is not the increment, added to the start value where it is read only.
    fn accumulated(&self, found: &[f64], start: &[f64], increment: &[f64]) -> Option<usize> {
        let scale = increment.iter().fold(1.0, |m: f64, g| m.max(g.abs()));
        (0..found.len()).find(|&j| {
            let before = match self.roles[j] {
                Role::Read => start[j],
                Role::InOut => 0.0,
            };
            !close(found[j], before + increment[j], 1e-11, scale)
        })
    }

    fn differences(&self, seed: &[f64], gradient: &[f64], primal: Primal<'_>) -> Verdict {
        let mut compared = 0;
        for (j, &found) in gradient.iter().enumerate() {
            let along = |t: f64| {
                let mut at = self.inputs.clone();
                at[j] += t;
                let outputs = primal(&at);
                match outputs.len() == seed.len() {
                    true => outputs.iter().zip(seed).map(|(v, w)| v * w).sum(),
                    false => f64::NAN,
                }
            };
            let Ok(Some(expected)) = caught(|| slope(&along)) else {
                continue;
            };
            if !close(found, expected, TOLERANCE, 1.0) {
                let what = format!("input {j}: {found:e}, but differences have {expected:e}");
                return Verdict::Gradient(what);
            }
            compared += 1;
        }
        Verdict::Agrees(compared, gradient.len())
    }
}

/// The slope at 0, unless there is a kink or jump nearby: differences of several steps, and those to either
/// side, have to agree.
fn slope(along: &dyn Fn(f64) -> f64) -> Option<f64> {
    let curve = |t: f64| vec![along(t)];
    let [wide, narrow] = [1e-2, 1e-3].map(|step| derivatives(&curve, &[step])[0]);
    let sides = [1e-5, -1e-5].map(|step| (along(step) - along(0.0)) / step);
    let size = narrow.value.abs().max(1.0);
    let converged = |error: f64, bound: f64| error.abs() <= bound * size;
    let smooth = converged(wide.error, 0.1 * TOLERANCE)
        && converged(narrow.error, 0.1 * TOLERANCE)
        && converged(wide.value - narrow.value, 0.3 * TOLERANCE)
        && converged(sides[0] - sides[1], 1e-3);
    smooth.then_some(wide.value)
}

/// The result, or the message of the panic.
fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|s| s.to_string());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        text.unwrap_or_default()
    })
}
