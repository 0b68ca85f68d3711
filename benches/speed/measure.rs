//! How it is timed.

use std::time::Instant;

use adjoint::Tape;

use crate::workload::Workload;

/// Medians of interleaved runs, in seconds.
pub struct Times {
    pub function: f64,
    pub gradient: f64,
    /// Of the runs one after the other, so that a busy machine is in both times or in neither.
    pub ratio: f64,
}

/// The time that a workload is run for, in seconds.
const BUDGET: f64 = 1.0;

const RUNS: std::ops::RangeInclusive<usize> = 5..=501;

pub fn measure(workload: &mut dyn Workload, tape: &mut Tape) -> Times {
    workload.function();
    workload.gradient(tape);
    let (mut functions, mut gradients, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    let start = Instant::now();
    while functions.len() < *RUNS.start()
        || functions.len() < *RUNS.end() && start.elapsed().as_secs_f64() < BUDGET
    {
        let function = seconds(|| workload.function());
        let gradient = seconds(|| workload.gradient(tape));
        functions.push(function);
        gradients.push(gradient);
        ratios.push(gradient / function);
    }
    Times {
        function: median(functions),
        gradient: median(gradients),
        ratio: median(ratios),
    }
}

fn seconds(run: impl FnOnce()) -> f64 {
    let start = Instant::now();
    run();
    start.elapsed().as_secs_f64()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
