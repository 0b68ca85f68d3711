//! Times of several tasks, taken in turns so that a busy moment of the machine falls on all.

use std::time::Instant;

/// The median time of each task over `repeats` rounds, in seconds.
pub fn interleaved_medians<const N: usize>(
    repeats: usize,
    mut tasks: [&mut dyn FnMut(); N],
) -> [f64; N] {
    let mut seconds = [const { Vec::new() }; N];
    for _ in 0..repeats {
        for (task, seconds) in tasks.iter_mut().zip(&mut seconds) {
            let start = Instant::now();
            task();
            seconds.push(start.elapsed().as_secs_f64());
        }
    }
    seconds.map(median)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
