//! A long time loop in bounded memory: how the initial temperatures of a plate bear on those at the end.
//!
//! ```text
//! cargo run --release --example checkpointing -- [STEPS]
//! ```
//!
//! The conductivity of the plate grows with its temperature, so the adjoint of a step needs its state. On a grid of 256 × 256,
//! 10,000 steps have 10 GB on the tape. A snapshot is half a megabyte, and with N of them each step is run
//! again a few times, as little as is possible. The picture of the gradient is written to `gradient.pgm`.

use std::fs;
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

use adjoint::checkpoint::optimal_advances;
use adjoint::{Tape, TapeStats, adjoint};
use indicatif::ProgressBar;

/// The number of cells of a side.
const SIDE: usize = 256;

#[adjoint]
mod plate {
    use super::SIDE;

    /// One step; the edge is held at its temperature.
    pub fn step(t: &mut [f64], flow: &mut [f64]) {
        for i in 1..SIDE - 1 {
            for j in 1..SIDE - 1 {
                let at = i * SIDE + j;
                let around = t[at - 1] + t[at + 1] + t[at - SIDE] + t[at + SIDE];
                flow[at] = 0.05 * (1.0 + t[at] * t[at]) * (around - 4.0 * t[at]);
            }
        }
        for i in 0..t.len() {
            t[i] += flow[i];
        }
    }

    /// The heat in the middle of the plate, weighted, after these steps.
    pub fn heat(t: &mut [f64], steps: usize, snapshots: usize) -> f64 {
        let mut flow = vec![0.0; SIDE * SIDE];
        #[checkpoint(snapshots = snapshots)]
        for _ in 0..steps {
            step(t, &mut flow);
        }
        middle(t)
    }

    /// The same with all of it on the tape.
    pub fn stored_heat(t: &mut [f64], steps: usize) -> f64 {
        let mut flow = vec![0.0; SIDE * SIDE];
        for _ in 0..steps {
            step(t, &mut flow);
        }
        middle(t)
    }

    fn middle(t: &[f64]) -> f64 {
        let mut sum = 0.0;
        for i in SIDE / 4..3 * SIDE / 4 {
            for j in SIDE / 4..3 * SIDE / 4 {
                sum += t[i * SIDE + j] * t[i * SIDE + j];
            }
        }
        sum
    }
}
use plate::*;

/// Warm and cold spots.
fn initial() -> Vec<f64> {
    let wave = |k: usize| (k as f64 * 0.11).sin();
    let cell = |at: usize| wave(at / SIDE) * wave(at % SIDE);
    (0..SIDE * SIDE).map(cell).collect()
}

/// A gradient, its tape, and the seconds that it took.
fn gradient(run: impl FnOnce(&mut Tape, &mut [f64], &mut [f64])) -> (Vec<f64>, TapeStats, f64) {
    let (mut t, mut t_adj, mut tape) = (initial(), vec![0.0; SIDE * SIDE], Tape::new());
    let start = Instant::now();
    run(&mut tape, &mut t, &mut t_adj);
    (t_adj, tape.stats(), start.elapsed().as_secs_f64())
}

fn checkpointed(steps: usize, snapshots: usize) -> (Vec<f64>, TapeStats, f64) {
    gradient(|tape, t, t_adj| {
        heat_adjoint_with(tape, t, t_adj, steps, snapshots, 1.0);
    })
}

/// The most memory that the process had, in megabytes, where the system tells.
fn peak_resident() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn write_picture(gradient: &[f64], path: &str) -> std::io::Result<()> {
    let largest = gradient
        .iter()
        .fold(f64::MIN_POSITIVE, |m, g| m.max(g.abs()));
    let grey = |g: &f64| (127.5 * (1.0 + g / largest)).round() as u8;
    let mut file = fs::File::create(path)?;
    writeln!(file, "P5 {SIDE} {SIDE} 255")?;
    file.write_all(&gradient.iter().map(grey).collect::<Vec<u8>>())
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// The seconds of the function alone.
fn time_function(steps: usize) -> f64 {
    let (mut t, mut flow) = (initial(), vec![0.0; SIDE * SIDE]);
    let start = Instant::now();
    (0..steps).for_each(|_| step(&mut t, &mut flow));
    start.elapsed().as_secs_f64()
}

/// Prints memory and time for several numbers of snapshots, and returns the gradient.
fn with_snapshots(steps: usize) -> Vec<f64> {
    let plain = time_function(steps);
    println!("{steps} steps of the function: {plain:.2} s");
    let bar = ProgressBar::new(3);
    println!("snapshots  plain steps/step      MB  MB resident       s  function");
    let mut last = Vec::new();
    for snapshots in [10, 30, 100] {
        let (found, stats, time) = checkpointed(steps, snapshots);
        // The schedule goes by way of the exit state.
        let advanced = optimal_advances(steps + 1, snapshots) as f64 / steps as f64;
        bar.suspend(|| {
            println!(
                "{snapshots:9} {advanced:17.2} {:7.1} {:12.1} {time:7.2} {:9.2}",
                megabytes(stats.peak_bytes),
                peak_resident().unwrap_or(f64::NAN),
                time / plain,
            );
        });
        bar.inc(1);
        last = found;
    }
    bar.finish_and_clear();
    last
}

/// Whether the gradient of a few steps has the same bits with all of them on the tape.
fn compare_with_stored(steps: usize) -> bool {
    let short = 200;
    let (all, of_all, all_time) = gradient(|tape, t, t_adj| {
        stored_heat_adjoint_with(tape, t, t_adj, short, 1.0);
    });
    let (few, of_few, few_time) = checkpointed(short, 10);
    let mut pairs = all.iter().zip(&few);
    let is_same = pairs.all(|(a, b)| a.to_bits() == b.to_bits());
    println!(
        "{short} steps: {:.1} MB in {all_time:.2} s with all on the tape, {:.1} MB in {few_time:.2} s with 10 snapshots; \
         the gradients have {} bits",
        megabytes(of_all.peak_bytes),
        megabytes(of_few.peak_bytes),
        if is_same { "the same" } else { "OTHER" },
    );
    println!(
        "{steps} steps would take {:.0} MB with all on the tape",
        megabytes(of_all.peak_bytes) / short as f64 * steps as f64
    );
    is_same
}

fn main() -> ExitCode {
    let steps = std::env::args().nth(1);
    let Ok(steps) = steps.map_or(Ok(10_000), |s| s.parse::<usize>()) else {
        eprintln!("usage: checkpointing [STEPS]");
        return ExitCode::FAILURE;
    };
    let gradient = with_snapshots(steps);
    match write_picture(&gradient, "gradient.pgm") {
        Ok(()) => println!("the gradient is in gradient.pgm"),
        Err(error) => println!("gradient.pgm: {error}"),
    }
    // Last, since the peak of the process does not fall again.
    match compare_with_stored(steps) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
