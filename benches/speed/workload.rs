//! What is timed, and how.

use std::time::Instant;

use adjoint::Tape;

/// A function at an input, and its gradient there.
pub trait Workload {
    /// Evaluates the function.
    fn function(&mut self);

    /// Zeroes the adjoints, and evaluates the gradient.
    fn gradient(&mut self, tape: &mut Tape);
}

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

/// Numbers between `low` and `high`, the same in each run.
pub fn uniform(n: usize, low: f64, high: f64) -> Vec<f64> {
    let mut state: u64 = 31337;
    let mut next = || {
        // SplitMix64.
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..n).map(|_| low + (high - low) * next()).collect()
}
