//! Gradients with preaccumulated gradients of runs of assignments and without, side by side: times beside the function's, and
//! what the tapes hold.
//!
//! ```text
//! cargo bench --bench preaccumulation                        # all kernels
//! cargo bench --bench preaccumulation -- --with 10 lstm      # 10 gradients and nothing else, for a profiler
//! cargo bench --bench preaccumulation -- --without 10 lstm   # the same without
//! ```

#[path = "../../tests/preaccumulation/kernels.rs"]
mod kernels;
#[path = "../speed/measure.rs"]
mod measure;
#[path = "../speed/of_vector.rs"]
mod of_vector;
#[path = "../speed/workload.rs"]
mod workload;

use std::process::ExitCode;

use adjoint::Tape;
use kernels::{by_statements, with_gradients};
use measure::measure;
use of_vector::of_vector;
use workload::{Workload, uniform};

/// The name of a kernel, and the workloads with preaccumulation and without.
type Row = (&'static str, [fn() -> Box<dyn Workload>; 2]);

/// The rows of kernels of `x` and perhaps `n`.
macro_rules! rows {
    ($($name:ident $adjoint:ident ($x:expr $(, $n:expr)?);)*) => {
        [$((stringify!($name), [
            rows!(@ with_gradients $name $adjoint $x $(, $n)?),
            rows!(@ by_statements $name $adjoint $x $(, $n)?),
        ])),*]
    };
    (@ $way:ident $name:ident $adjoint:ident $x:expr) => {
        || of_vector(
            |x, _| $way::$name(x),
            |tape, x, x_adj, _, seed| $way::$adjoint(tape, x, x_adj, seed),
            $x,
            0,
        )
    };
    (@ $way:ident $name:ident $adjoint:ident $x:expr, $n:expr) => {
        || of_vector(
            $way::$name,
            $way::$adjoint,
            $x,
            $n,
        )
    };
}

const ROWS: [Row; 7] = rows! {
    helmholtz helmholtz_adjoint_with (uniform(4 * 1000, 1.0, 2.0), 4);
    cameras cameras_adjoint_with (uniform(14 * 1000, 0.5, 1.5));
    rodrigues rodrigues_adjoint_with (uniform(3 * 1000, 0.5, 1.5));
    lstm lstm_adjoint_with (uniform(12 + 1000, -1.0, 1.0));
    tube tube_adjoint_with (tube(100), 100);
    black_scholes black_scholes_adjoint_with (uniform(2 + 3 * 1000, 0.5, 1.5));
    march march_adjoint_with (uniform(1 + 1000, -1.0, 1.0));
};

/// A gas at rest with a wave of density.
fn tube(cells: usize) -> Vec<f64> {
    let waves = uniform(cells, 0.9, 1.1);
    waves
        .iter()
        .flat_map(|density| [*density, 0.1, 2.5])
        .collect()
}

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let arguments = std::env::args().skip(1).filter(|a| a != "--bench");
    let arguments: Vec<String> = arguments.collect();
    let result = match &arguments[..] {
        [way, times, name] if way == "--with" => repeat(name, 0, times),
        [way, times, name] if way == "--without" => repeat(name, 1, times),
        [] => {
            print_table();
            Ok(())
        }
        _ => Err("no such arguments".into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("preaccumulation: {error}");
            ExitCode::FAILURE
        }
    }
}

fn repeat(name: &str, way: usize, times: &str) -> Result<(), String> {
    let row = ROWS.iter().find(|row| row.0 == name);
    let (_, ways) = row.ok_or_else(|| format!("there is no kernel `{name}`"))?;
    let times: usize = times.parse().map_err(|e| format!("{times}: {e}"))?;
    let (mut workload, mut tape) = (ways[way](), Tape::new());
    (0..times).for_each(|_| workload.gradient(&mut tape));
    Ok(())
}

fn print_table() {
    println!(
        "{:14} {:>12} {:>12} {:>8} {:>8} {:>12} {:>12}",
        "kernel", "function", "gradient", "with", "without", "bytes with", "without"
    );
    for (name, ways) in ROWS {
        let found = ways.map(|workload| {
            let mut tape = Tape::new();
            let times = measure(&mut *workload(), &mut tape);
            (times, tape.stats().peak_bytes)
        });
        let [(with, bytes), (without, bytes_without)] = &found;
        println!(
            "{name:14} {:>9.2} µs {:>9.2} µs {:>8.2} {:>8.2} {:>12} {:>12}",
            without.function * 1e6,
            with.gradient * 1e6,
            with.ratio,
            without.ratio,
            bytes,
            bytes_without,
        );
    }
}
