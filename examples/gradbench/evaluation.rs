//! What an eval of GradBench asks for: a function and its derivative, run on one input again and again.

use std::time::Instant;

use adjoint::Tape;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A function at an input. What is computed stays in its buffers.
pub trait Evaluation: Sized {
    /// The protocol's names of the function and the derivative.
    const NAMES: [&str; 2];

    type Input: DeserializeOwned;

    /// Checks the input, and allocates everything.
    fn new(input: Self::Input) -> Result<Self, String>;

    fn function(&mut self);

    fn derivative(&mut self, tape: &mut Tape);

    /// What the last run of the function gave.
    fn value(&self) -> Value;

    /// What the last run of the derivative gave.
    fn derivatives(&self) -> Value;
}

/// How often to run.
#[derive(Deserialize)]
struct Runs {
    #[serde(default = "one_run")]
    min_runs: usize,
    #[serde(default = "one_second")]
    min_seconds: f64,
}

fn one_run() -> usize {
    1
}

fn one_second() -> f64 {
    1.0
}

/// What a run of an evaluation gives: the output, and the name and the nanoseconds of each timing.
pub struct Answer {
    pub output: Value,
    pub timings: Vec<(&'static str, u128)>,
}

/// Evaluates `function` at `input`.
pub fn answer<E: Evaluation>(
    tape: &mut Tape,
    function: &str,
    input: Value,
) -> Result<Answer, String> {
    let [primal, derivative] = E::NAMES;
    if function != primal && function != derivative {
        return Err(format!("there is no function `{function}`"));
    }
    // A bare number has none.
    let runs = match input.is_object() {
        true => parse(&input)?,
        false => Runs {
            min_runs: 1,
            min_seconds: 0.0,
        },
    };
    let input = parse(&input)?;
    let start = Instant::now();
    let mut evaluation = E::new(input)?;
    let mut timings = vec![("prepare", start.elapsed().as_nanos())];
    let mut total = 0;
    while timings.len() - 1 < runs.min_runs || (total as f64) < runs.min_seconds * 1e9 {
        let start = Instant::now();
        match function == primal {
            true => evaluation.function(),
            false => evaluation.derivative(tape),
        }
        let nanoseconds = start.elapsed().as_nanos();
        total += nanoseconds;
        timings.push(("evaluate", nanoseconds));
    }
    let output = match function == primal {
        true => evaluation.value(),
        false => evaluation.derivatives(),
    };
    Ok(Answer { output, timings })
}

fn parse<T: DeserializeOwned>(input: &Value) -> Result<T, String> {
    T::deserialize(input).map_err(|error| error.to_string())
}

/// The rows of a matrix, one after the other.
pub fn flatten(rows: &[Vec<f64>], columns: usize) -> Result<Vec<f64>, String> {
    match rows.iter().find(|row| row.len() != columns) {
        Some(row) => Err(format!(
            "a row of {} numbers, where {columns} belong",
            row.len()
        )),
        None => Ok(rows.concat()),
    }
}

/// The rows of a flat matrix.
pub fn rows(flat: &[f64], rows: usize) -> Value {
    let columns = flat.len() / rows.max(1);
    match columns {
        0 => json!(vec![Vec::<f64>::new(); rows]),
        _ => json!(flat.chunks_exact(columns).collect::<Vec<_>>()),
    }
}
