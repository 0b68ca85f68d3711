//! The Bratu problem of `[TBR]` §6 and Appendix A: the adjoint product, and what the
//! to-be-recorded analysis saves on it.
//!
//! ```text
//! cargo run --release --example bratu
//! ```
//!
//! The program is the paper's, statement by statement, with indices from 0. Appendix A prints
//! `h*h*prm(1)/12.0` in the second statement of the loop, where the discretisation in §6 has
//! 10/12, and §6 and Appendix B have `h*h*prm(1)/1.2`; the latter stands here.

#[path = "common/timing.rs"]
mod timing;

use std::hint::black_box;
use std::process::ExitCode;

use adjoint::{Tape, TapeStats, adjoint, check};

/// The number of grid points in the paper.
const DIM: usize = 10_000;

/// The largest relative error that passes a gradient check.
const TOLERANCE: f64 = 1e-7;

/// The subroutine, under the attribute given.
macro_rules! bratu {
    ($(#[$attribute:meta])* fn $name:ident) => {
        $(#[$attribute])*
        #[allow(clippy::assign_op_pattern, reason = "the statements are spelt as in the paper")]
        fn $name(x: &[f64], prm: &[f64], f: &mut [f64]) {
            let dim = x.len();
            let h = 2.0 / (dim + 1) as f64;
            f[0] = -2.0 * x[0]
                + h * h * prm[0] / 12.0 * (1.0 + 10.0 * (x[0] / (1.0 + prm[1] * x[0])).exp());
            f[1] = x[0] + h * h * prm[0] / 12.0 * (x[0] / (1.0 + prm[1] * x[0])).exp();

            for i in 1..dim - 1 {
                f[i - 1] = f[i - 1]
                    + x[i]
                    + h * h * prm[0] / 12.0 * (x[i] / (1.0 + prm[1] * x[i])).exp();
                f[i] = f[i] - 2.0 * x[i]
                    + h * h * prm[0] / 1.2 * (x[i] / (1.0 + prm[1] * x[i])).exp();
                f[i + 1] = x[i] + h * h * prm[0] / 12.0 * (x[i] / (1.0 + prm[1] * x[i])).exp();
            }

            f[dim - 2] = f[dim - 2]
                + x[dim - 1]
                + h * h * prm[0] / 12.0 * (x[dim - 1] / (1.0 + prm[1] * x[dim - 1])).exp();
            f[dim - 1] = f[dim - 1] - 2.0 * x[dim - 1];
            f[dim - 1] = f[dim - 1]
                + h * h * prm[0] / 12.0
                    * (1.0 + 10.0 * (x[dim - 1] / (1.0 + prm[1] * x[dim - 1])).exp());
        }
    };
}

bratu! {
    #[adjoint]
    fn bratu
}

bratu! {
    #[adjoint(without(tbr))]
    fn bratu_without_tbr
}

/// The signature of the subroutine's adjoint on a tape that is kept.
type Adjoint = fn(&mut Tape, &[f64], &mut [f64], &[f64], &mut [f64], &mut [f64], &mut [f64]);

/// Where the derivatives are taken, and the weights of the residuals.
struct Point {
    /// The state (an arch that is 0 at both ends), then the parameters s and t.
    independents: Vec<f64>,
    weights: Vec<f64>,
}

impl Point {
    fn new(dim: usize) -> Point {
        let tau = |i: usize| -1.0 + 2.0 * (i + 1) as f64 / (dim + 1) as f64;
        let state = (0..dim).map(|i| 0.8 * (1.0 - tau(i) * tau(i)));
        Point {
            independents: state.chain([1.3, 0.245]).collect(),
            weights: (0..dim)
                .map(|i| 1.0 + 0.5 * (7.0 * i as f64).sin())
                .collect(),
        }
    }
}

/// The residuals of all grid points.
fn residuals(independents: &[f64]) -> Vec<f64> {
    let (x, prm) = independents.split_at(independents.len() - 2);
    let mut f = vec![0.0; x.len()];
    bratu(x, prm, &mut f);
    f
}

/// The weights times the Jacobian of the residuals.
fn adjoint_product(
    adjoint: Adjoint,
    tape: &mut Tape,
    independents: &[f64],
    weights: &[f64],
) -> Vec<f64> {
    let dim = weights.len();
    let mut product = vec![0.0; independents.len()];
    let (x, prm) = independents.split_at(dim);
    let (x_adj, prm_adj) = product.split_at_mut(dim);
    let (mut f, mut f_adj) = (vec![0.0; dim], weights.to_vec());
    adjoint(tape, x, x_adj, prm, prm_adj, &mut f, &mut f_adj);
    product
}

fn main() -> ExitCode {
    let point = Point::new(DIM);
    print_product(&point);
    let passed = check_gradient(&point);
    compare(&point);
    match passed {
        true => ExitCode::SUCCESS,
        false => {
            eprintln!("bratu: a gradient check is not below {TOLERANCE:e}");
            ExitCode::FAILURE
        }
    }
}

fn print_product(point: &Point) {
    let Point {
        independents,
        weights,
    } = point;
    let product = adjoint_product(bratu_adjoint_with, &mut Tape::new(), independents, weights);
    let (x_adj, prm_adj) = product.split_at(DIM);
    println!("Bratu problem, {DIM} grid points\n");
    println!(
        "norm of x_adj        {:.12e}",
        x_adj.iter().map(|v| v * v).sum::<f64>().sqrt()
    );
    for i in [0, 1, DIM / 2, DIM - 1] {
        println!("x_adj[{i:>4}]          {:.12e}", x_adj[i]);
    }
    println!(
        "prm_adj              {:.12e} {:.12e}\n",
        prm_adj[0], prm_adj[1]
    );
}

/// Both gradient checks; whether they passed. The finite differences, which take the function some
/// times per variable, are taken on a small grid.
fn check_gradient(point: &Point) -> bool {
    let vjp = |v: &[f64], weights: &[f64]| {
        adjoint_product(bratu_adjoint_with, &mut Tape::new(), v, weights)
    };
    let small = Point::new(100);
    let weighted = |v: &[f64]| {
        residuals(v)
            .iter()
            .zip(&small.weights)
            .map(|(f, w)| f * w)
            .sum()
    };
    let gradient = vjp(&small.independents, &small.weights);
    let differences =
        check::finite_difference(weighted, &small.independents, &gradient).relative_error;
    println!("finite differences   {differences:.1e} (relative, 100 grid points)");
    let dot = check::dot_product(residuals, vjp, &point.independents).relative_error;
    println!("dot product          {dot:.1e} (relative)\n");
    differences < TOLERANCE && dot < TOLERANCE
}

/// Bytes and times with and without the to-be-recorded analysis, side by side.
fn compare(point: &Point) {
    let Point {
        independents,
        weights,
    } = point;
    let (mut with, mut without) = (Tape::new(), Tape::new());
    let [function, with_tbr, without_tbr] = timing::interleaved_medians(
        101,
        [
            &mut || {
                black_box(residuals(black_box(independents)));
            },
            &mut || {
                black_box(adjoint_product(
                    bratu_adjoint_with,
                    &mut with,
                    independents,
                    weights,
                ));
            },
            &mut || {
                let adjoint = bratu_without_tbr_adjoint_with;
                black_box(adjoint_product(
                    adjoint,
                    &mut without,
                    independents,
                    weights,
                ));
            },
        ],
    );
    println!("{:<21}{:>16}{:>16}", "", "with TBR", "without TBR");
    for (name, [with, without]) in tape_rows(&with.stats(), &without.stats()) {
        println!("{name:<21}{with:>16}{without:>16}");
    }
    println!(
        "{:<21}{:>16.1}{:>16.1}",
        "adjoint, µs",
        1e6 * with_tbr,
        1e6 * without_tbr
    );
    println!(
        "{:<21}{:>16.2}{:>16.2}",
        "adjoint / function",
        with_tbr / function,
        without_tbr / function
    );
}

fn tape_rows(with: &TapeStats, without: &TapeStats) -> [(&'static str, [usize; 2]); 6] {
    [
        (
            "reals, entries",
            [with.reals.entries, without.reals.entries],
        ),
        ("reals, bytes", [with.reals.bytes, without.reals.bytes]),
        (
            "integers, bytes",
            [with.integers.bytes, without.integers.bytes],
        ),
        (
            "control, bytes",
            [with.control.bytes, without.control.bytes],
        ),
        (
            "snapshots, bytes",
            [with.snapshots.bytes, without.snapshots.bytes],
        ),
        ("held at once, bytes", [with.peak_bytes, without.peak_bytes]),
    ]
}
