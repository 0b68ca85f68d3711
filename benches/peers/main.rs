//! Gradients by other crates beside those by the attribute: `cargo bench --bench peers`.
//!
//! `aad` and `reverse` record each operation on a tape, `num-dual` has numbers that carry derivatives. All run in turns
//! with the function of `speed` and its adjoint; the medians are printed.

#[path = "../speed/burgers.rs"]
mod burgers;
mod crates;
#[path = "../speed/dense.rs"]
mod dense;
mod kernels;
#[path = "../speed/lse.rs"]
mod lse;
#[path = "../speed/of_vector.rs"]
mod of_vector;
#[path = "../speed/rosenbrock.rs"]
mod rosenbrock;
#[path = "../../examples/common/timing.rs"]
mod timing;
#[path = "../speed/workload.rs"]
mod workload;

use std::hint::black_box;

use adjoint::Tape;
use crates::{by_aad, by_num_dual, by_reverse};
use kernels::{Burgers, Dense, Kernel, LogSumExp, Rosenbrock};
use workload::{Workload, uniform};

fn main() {
    println!(
        "{:24} {:>12} {:>9} {:>9} {:>9} {:>9}",
        "gradient ÷ function", "function", "adjoint", "aad", "reverse", "num-dual"
    );
    let x = uniform(1000, -1.0, 1.0);
    compare(
        "rosenbrock n1000",
        rosenbrock::workload(1000),
        &Rosenbrock,
        &x,
    );
    let x = uniform(64 * 64 + 64 + 8 * 64, -0.2, 0.2);
    compare(
        "dense 64 × 64, batch 8",
        dense::workload(64, 8),
        &Dense(64),
        &x,
    );
    let mut x: Vec<f64> = (0..200).map(|i| (i as f64 * 0.05).sin()).collect();
    x.push(0.05);
    compare(
        "burgers 200 × 100",
        burgers::workload(200, 100),
        &Burgers(100),
        &x,
    );
    let x = uniform(2500, 0.0, 1.0);
    compare("lse n2500", lse::workload(2500), &LogSumExp, &x);
}

/// Prints the time of the function, and how much more its gradients take.
fn compare(name: &str, mut workload: Box<dyn Workload>, kernel: &impl Kernel, x: &[f64]) {
    let (mut tape, nodes) = (Tape::new(), reverse::Tape::new());
    workload.gradient(&mut tape);
    let workload = std::cell::RefCell::new(workload);
    let [mut by_tape, mut by_kept_tape, mut by_duals] = [const { Vec::new() }; 3];
    let [function, times @ ..] = timing::interleaved_medians(
        21,
        [
            &mut || workload.borrow_mut().function(),
            &mut || workload.borrow_mut().gradient(&mut tape),
            &mut || by_aad(kernel, black_box(x), &mut by_tape),
            &mut || by_reverse(&nodes, kernel, black_box(x), &mut by_kept_tape),
            &mut || by_num_dual(kernel, black_box(x), &mut by_duals),
        ],
    );
    for other in [&by_kept_tape, &by_duals] {
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(by_tape.iter().zip(other).all(close), "{name}");
        assert_eq!(other.len(), x.len(), "{name}");
    }
    print!("{name:24} {:>9.2} µs", function * 1e6);
    times
        .iter()
        .for_each(|time| print!(" {:>9.1}", time / function));
    println!();
}
