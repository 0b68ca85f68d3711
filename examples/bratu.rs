//! The Bratu problem of [TBR] §6 and Appendix A: the adjoint product, and what the
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

/// What an adjoint of the subroutine looks like, on a tape that is kept.
type Adjoint = fn(&mut Tape, &[f64], &mut [f64], &[f64], &mut [f64], &mut [f64], &mut [f64]);

/// Where the derivatives are taken: a bump as state, s = 1.3 and t = 0.245 as parameters; and the
/// weights of the residuals.
struct Point {
    x: Vec<f64>,
    prm: [f64; 2],
    weights: Vec<f64>,
}

impl Point {
    fn new(dim: usize) -> Point {
        let tau = |i: usize| -1.0 + 2.0 * (i + 1) as f64 / (dim + 1) as f64;
        Point {
            x: (0..dim).map(|i| 0.8 * (1.0 - tau(i) * tau(i))).collect(),
            prm: [1.3, 0.245],
            weights: (0..dim)
                .map(|i| 1.0 + 0.5 * (7.0 * i as f64).sin())
                .collect(),
        }
    }

    /// The adjoint product: the weights times the Jacobian, for the state and the parameters.
    fn adjoint_product(&self, adjoint: Adjoint, tape: &mut Tape) -> (Vec<f64>, [f64; 2]) {
        let (mut x_adj, mut prm_adj) = (vec![0.0; self.x.len()], [0.0; 2]);
        let (mut f, mut f_adj) = (vec![0.0; self.x.len()], self.weights.clone());
        adjoint(
            tape,
            &self.x,
            &mut x_adj,
            &self.prm,
            &mut prm_adj,
            &mut f,
            &mut f_adj,
        );
        (x_adj, prm_adj)
    }

    /// The residuals of all grid points, as a function of the independents in one vector.
    fn residuals(&self, independents: &[f64]) -> Vec<f64> {
        let (x, prm) = independents.split_at(self.x.len());
        let mut f = vec![0.0; x.len()];
        bratu(x, prm, &mut f);
        f
    }

    /// The weighted sum of the residuals.
    fn weighted(&self, independents: &[f64]) -> f64 {
        self.residuals(independents)
            .iter()
            .zip(&self.weights)
            .map(|(f, w)| f * w)
            .sum()
    }

    /// The independents in one vector: the state, then the parameters.
    fn independents(&self) -> Vec<f64> {
        [&self.x[..], &self.prm].concat()
    }
}

fn main() -> ExitCode {
    let point = Point::new(DIM);
    let mut tape = Tape::new();
    let (x_adj, prm_adj) = point.adjoint_product(bratu_adjoint_with, &mut tape);
    println!("Bratu problem, {DIM} grid points\n");
    println!("norm of x_adj        {:.12e}", norm(&x_adj));
    for i in [0, 1, DIM / 2, DIM - 1] {
        println!("x_adj[{i:>4}]          {:.12e}", x_adj[i]);
    }
    println!(
        "prm_adj              {:.12e} {:.12e}\n",
        prm_adj[0], prm_adj[1]
    );
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

fn norm(values: &[f64]) -> f64 {
    values.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Both gradient checks; whether they passed.
fn check_gradient(point: &Point) -> bool {
    let small = Point::new(100);
    let (x_adj, prm_adj) = small.adjoint_product(bratu_adjoint_with, &mut Tape::new());
    let gradient = [&x_adj[..], &prm_adj].concat();
    let differences =
        check::finite_difference(|v| small.weighted(v), &small.independents(), &gradient);
    println!("finite differences   {differences:.1e} (relative, 100 grid points)");

    let (x_adj, prm_adj) = point.adjoint_product(bratu_adjoint_with, &mut Tape::new());
    let product = [&x_adj[..], &prm_adj].concat();
    let dot = check::dot_product(
        |v| point.residuals(v),
        &point.independents(),
        &point.weights,
        &product,
    );
    println!("dot product          {dot:.1e} (relative)\n");
    differences < TOLERANCE && dot < TOLERANCE
}

/// Bytes and times with and without the to-be-recorded analysis, side by side.
fn compare(point: &Point) {
    let (mut with, mut without) = (Tape::new(), Tape::new());
    let mut f = vec![0.0; DIM];
    let [function, with_tbr, without_tbr] = timing::interleaved_medians(
        101,
        [
            &mut || bratu(black_box(&point.x), &point.prm, black_box(&mut f)),
            &mut || {
                black_box(point.adjoint_product(bratu_adjoint_with, &mut with));
            },
            &mut || {
                black_box(point.adjoint_product(bratu_without_tbr_adjoint_with, &mut without));
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
