//! What is timed.

use adjoint::Tape;

/// A function at an input, and its gradient there.
pub trait Workload {
    /// Evaluates the function.
    fn function(&mut self);

    /// Zeroes the adjoints, and evaluates the gradient.
    fn gradient(&mut self, tape: &mut Tape);
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
