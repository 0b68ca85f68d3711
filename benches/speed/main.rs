//! Times of gradients beside those of their functions, and what their tapes hold.
//!
//! ```text
//! cargo bench --bench speed                        # all kernels
//! cargo bench --bench speed -- gmm ode             # those of these names
//! cargo bench --bench speed -- --gradient 10 ode   # 10 gradients of each and nothing else, for a profiler
//! cargo bench --bench speed -- --function 10 ode   # and the function
//! ```
//!
//! Function and gradient run in turns; the medians are printed, and the median of the ratios. A gradient's time holds
//! the zeroing of the adjoints; the tape is kept.

mod ba;
mod branches;
mod brusselator;
mod burgers;
mod dense;
mod det;
mod fft;
mod gmm;
mod kmeans;
mod llsq;
mod lse;
mod lstm;
mod matmul;
mod measure;
mod ode;
mod of_vector;
mod rosenbrock;
mod solve;
mod workload;

use std::process::ExitCode;

use adjoint::Tape;
use measure::measure;
use workload::Workload;

/// The name of a kernel, its size, and the workload.
type Row = (&'static str, &'static str, fn() -> Box<dyn Workload>);

const ROWS: [Row; 22] = [
    ("gmm", "d2 k5 n1000", || gmm::workload(2, 5, 1000)),
    ("gmm", "d10 k25 n1000", || gmm::workload(10, 25, 1000)),
    ("gmm", "d20 k50 n1000", || gmm::workload(20, 50, 1000)),
    ("ba", "p31843", || ba::workload(49, 7776, 31843)),
    ("lstm", "l2 c1024", || lstm::workload(2, 1024)),
    ("ode", "n1000 s100", || ode::workload(1000, 100)),
    ("ode", "n10000 s100", || ode::workload(10_000, 100)),
    ("ode", "n100000 s10", || ode::workload(100_000, 10)),
    ("lse", "n2500", || lse::workload(2500)),
    ("lse", "n1280000", || lse::workload(1_280_000)),
    ("llsq", "n1024 m128", || llsq::workload(1024, 128)),
    ("llsq", "n16392 m128", || llsq::workload(16_392, 128)),
    ("kmeans", "k100 n10000 d8", || {
        kmeans::workload(100, 10_000, 8)
    }),
    ("det", "8", || det::workload(8)),
    ("solve", "64", || solve::workload(64)),
    ("brusselator", "32 × 32", || brusselator::workload(32)),
    ("fft", "1024", || fft::workload(1024)),
    ("matmul", "128", || matmul::workload(128)),
    ("branches", "n100000", || branches::workload(100_000)),
    ("burgers", "200 × 100", || burgers::workload(200, 100)),
    ("rosenbrock", "n1000", || rosenbrock::workload(1000)),
    ("dense", "64 × 64, batch 8", || dense::workload(64, 8)),
];

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("speed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<(), String> {
    let number = |n: &String| n.parse::<usize>().map_err(|e| format!("{n}: {e}"));
    match arguments {
        [flag, times, names @ ..] if flag == "--gradient" => {
            let mut tape = Tape::new();
            repeat(names, number(times)?, |w| w.gradient(&mut tape))
        }
        [flag, times, names @ ..] if flag == "--function" => {
            repeat(names, number(times)?, |w| w.function())
        }
        names => print_table(names),
    }
}

fn repeat(
    names: &[String],
    times: usize,
    mut run: impl FnMut(&mut dyn Workload),
) -> Result<(), String> {
    for (_, _, workload) in chosen(names)? {
        let mut workload = workload();
        for _ in 0..times {
            run(&mut *workload);
        }
    }
    Ok(())
}

fn print_table(names: &[String]) -> Result<(), String> {
    let rows = chosen(names)?;
    println!(
        "{:12} {:17} {:>12} {:>12} {:>7} {:>12}",
        "kernel", "size", "function", "gradient", "ratio", "tape bytes"
    );
    for (name, size, workload) in rows {
        let mut tape = Tape::new();
        let times = measure(&mut *workload(), &mut tape);
        println!(
            "{name:12} {size:17} {:>9.2} µs {:>9.2} µs {:>7.2} {:>12}",
            times.function * 1e6,
            times.gradient * 1e6,
            times.ratio,
            tape.stats().peak_bytes,
        );
    }
    Ok(())
}

/// The rows of the kernels named: all, if none is.
fn chosen(names: &[String]) -> Result<Vec<Row>, String> {
    if let Some(name) = names.iter().find(|n| ROWS.iter().all(|row| row.0 != **n)) {
        return Err(format!("there is no kernel `{name}`"));
    }
    let wanted = |row: &Row| names.is_empty() || names.iter().any(|n| n == row.0);
    Ok(ROWS.into_iter().filter(wanted).collect())
}
