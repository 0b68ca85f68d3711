//! Gradients of kernels that no optimisation was made for: times beside those of their functions, and the geometric mean
//! of the ratios.
//!
//! ```text
//! cargo bench --bench kernels                       # all kernels
//! cargo bench --bench kernels -- heat wave          # those of these names
//! ```

mod learning;
mod linear_algebra;
mod numerics;
mod physics;
mod statistics;

#[path = "../speed/measure.rs"]
mod measure;
#[path = "../speed/of_vector.rs"]
mod of_vector;
#[path = "../speed/workload.rs"]
mod workload;

use std::process::ExitCode;

use adjoint::Tape;
use measure::measure;
use of_vector::of_vector;
use workload::{Workload, uniform};

/// The name of a kernel, and the workload.
type Row = (&'static str, fn() -> Box<dyn Workload>);

/// The rows of kernels of `x` and `n`.
macro_rules! rows {
    ($($of:ident $name:ident $adjoint:ident ($x:expr, $n:expr);)*) => {
        [$((stringify!($name), || of_vector($of::$name, $of::$adjoint, $x, $n))),*]
    };
}

const ROWS: [Row; 33] = rows! {
    learning logistic_regression logistic_regression_adjoint_with (uniform(20 + 200 * 21, -1.0, 1.0), 20);
    learning two_layers two_layers_adjoint_with (uniform(20 * 20 + 20 + 20 * 20, -1.0, 1.0), 20);
    learning cross_entropy cross_entropy_adjoint_with (uniform(100 * 30, -2.0, 2.0), 30);
    learning gated_unit gated_unit_adjoint_with (uniform(6 * 16 + 50 * 16, -1.0, 1.0), 16);
    learning layer_norm layer_norm_adjoint_with (uniform(50 * 64, -1.0, 1.0), 64);
    learning convolution convolution_adjoint_with (uniform(9 + 2000, -1.0, 1.0), 9);
    statistics mixture mixture_adjoint_with (uniform(8 + 8 + 200, 0.5, 1.5), 8);
    statistics hidden_markov hidden_markov_adjoint_with (uniform(16 * 16 + 50 * 16, 0.1, 1.0), 16);
    statistics energy_distance energy_distance_adjoint_with (uniform(100, -1.0, 1.0), 0);
    statistics garch garch_adjoint_with (uniform(1000, 0.1, 0.9), 0);
    statistics kalman kalman_adjoint_with (uniform(500, 0.5, 1.5), 0);
    statistics moments moments_adjoint_with (uniform(2000, 0.5, 1.5), 0);
    physics lennard_jones lennard_jones_adjoint_with (uniform(3 * 40, 0.0, 4.0), 0);
    physics bodies bodies_adjoint_with (uniform(4 * 12, -1.0, 1.0), 10);
    physics heat heat_adjoint_with (uniform(40 * 40, 0.0, 1.0), 40);
    physics wave wave_adjoint_with (uniform(2 * 200, 0.1, 0.3), 50);
    physics advection advection_adjoint_with (uniform(200, 0.0, 1.0), 50);
    physics pendulum pendulum_adjoint_with (uniform(4, 0.2, 0.8), 300);
    physics springs springs_adjoint_with (uniform(3 * 500, 0.0, 2.0), 0);
    linear_algebra cholesky cholesky_adjoint_with (uniform(24 * 24, -1.0, 1.0), 24);
    linear_algebra gram_schmidt gram_schmidt_adjoint_with (uniform(12 * 40, -1.0, 1.0), 12);
    linear_algebra tridiagonal tridiagonal_adjoint_with (uniform(4 * 300, 0.1, 0.9), 0);
    linear_algebra power_iteration power_iteration_adjoint_with (uniform(40 * 40, 0.0, 1.0), 40);
    linear_algebra conjugate_gradients conjugate_gradients_adjoint_with (uniform(2 * 300, 0.1, 0.9), 0);
    linear_algebra sparse_product sparse_product_adjoint_with (uniform(6 * 300, -1.0, 1.0), 5);
    numerics binomial_tree binomial_tree_adjoint_with (uniform(3, 0.2, 1.2), 60);
    numerics asian_options asian_options_adjoint_with (uniform(3 + 50 * 30, 0.0, 0.4), 30);
    numerics two_poles two_poles_adjoint_with (uniform(2000, -0.9, 0.9), 0);
    numerics autocorrelation autocorrelation_adjoint_with (uniform(500, -1.0, 1.0), 10);
    numerics polynomials polynomials_adjoint_with (uniform(10 + 300, -1.0, 1.0), 10);
    numerics newton_roots newton_roots_adjoint_with (uniform(200, 0.5, 2.0), 6);
    numerics surface_area surface_area_adjoint_with (uniform(40 * 40, 0.0, 1.0), 40);
    numerics total_variation total_variation_adjoint_with (uniform(40 * 40, 0.0, 1.0), 40);
};

fn main() -> ExitCode {
    // Cargo adds `--bench`.
    let names: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    if let Some(name) = names.iter().find(|n| ROWS.iter().all(|row| row.0 != **n)) {
        eprintln!("kernels: there is no kernel `{name}`");
        return ExitCode::FAILURE;
    }
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|n| n == name);
    println!(
        "{:20} {:>12} {:>12} {:>7} {:>12}",
        "kernel", "function", "gradient", "ratio", "tape bytes"
    );
    let (mut logarithms, mut count) = (0.0, 0);
    for (name, workload) in ROWS.into_iter().filter(|row| is_wanted(row.0)) {
        let mut tape = Tape::new();
        let times = measure(&mut *workload(), &mut tape);
        println!(
            "{name:20} {:>9.2} µs {:>9.2} µs {:>7.2} {:>12}",
            times.function * 1e6,
            times.gradient * 1e6,
            times.ratio,
            tape.stats().peak_bytes,
        );
        logarithms += times.ratio.ln();
        count += 1;
    }
    println!(
        "geometric mean of {count}: {:.3}",
        (logarithms / f64::from(count)).exp()
    );
    ExitCode::SUCCESS
}
