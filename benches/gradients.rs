//! Gradient time over function time: `cargo bench --bench gradients`.
//!
//! Function and gradient run in turns in one process; the medians are compared. The gradient's time
//! holds the zeroing of the adjoints.

use std::hint::black_box;
use std::time::Instant;

use adjoint::{Tape, adjoint};

#[adjoint]
fn rosenbrock(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() - 1 {
        let a = 1.0 - x[i];
        let b = x[i + 1] - x[i] * x[i];
        s += a * a + 100.0 * b * b;
    }
    s
}

#[adjoint]
fn dense_tanh(w: &[f64], x: &[f64]) -> f64 {
    let n = x.len();
    let mut s = 0.0;
    for i in 0..n {
        let mut z = 0.0;
        for j in 0..n {
            z += w[i * n + j] * x[j];
        }
        s += z.tanh();
    }
    s
}

#[adjoint]
fn burgers(u: &mut [f64], nu: f64, steps: usize) -> f64 {
    let n = u.len();
    let mut old = vec![0.0; n];
    for _ in 0..steps {
        old.copy_from_slice(u);
        for i in 1..n - 1 {
            let flux = old[i] * (old[i + 1] - old[i - 1]);
            u[i] = old[i] - 0.1 * flux + nu * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
        }
    }
    u.iter().map(|v| v * v).sum()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Microseconds that a call takes.
fn time(f: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64() * 1e6
}

fn compare(name: &str, primal: &mut dyn FnMut(), gradient: &mut dyn FnMut(&mut Tape)) {
    let mut tape = Tape::new();
    let (mut primals, mut gradients) = (Vec::new(), Vec::new());
    for _ in 0..201 {
        primals.push(time(primal));
        gradients.push(time(&mut || gradient(&mut tape)));
    }
    let (primal, gradient) = (median(primals), median(gradients));
    let bytes = tape.stats().peak_bytes;
    let ratio = gradient / primal;
    println!("{name:24} {primal:9.2} µs  gradient {ratio:5.2} times  tape {bytes:9} bytes");
}

fn main() {
    let x: Vec<f64> = (0..1000).map(|i| (i as f64 * 0.37).sin()).collect();
    let mut x_adj = vec![0.0; x.len()];
    compare(
        "Rosenbrock, n = 1000",
        &mut || {
            black_box(rosenbrock(black_box(&x)));
        },
        &mut |tape| {
            x_adj.fill(0.0);
            black_box(rosenbrock_adjoint_with(
                tape,
                black_box(&x),
                &mut x_adj,
                1.0,
            ));
        },
    );
    let (w, v) = (vec![0.01; 64 * 64], vec![0.3; 64]);
    let (mut w_adj, mut v_adj) = (vec![0.0; w.len()], vec![0.0; v.len()]);
    compare(
        "dense tanh, 64 × 64",
        &mut || {
            black_box(dense_tanh(black_box(&w), &v));
        },
        &mut |tape| {
            w_adj.fill(0.0);
            v_adj.fill(0.0);
            let y = dense_tanh_adjoint_with(tape, black_box(&w), &mut w_adj, &v, &mut v_adj, 1.0);
            black_box(y);
        },
    );
    let start: Vec<f64> = (0..200).map(|i| (i as f64 * 0.05).sin()).collect();
    let (mut u, mut u_adj, mut nu_adj) = (start.clone(), vec![0.0; 200], 0.0);
    let mut again = start.clone();
    compare(
        "Burgers, 200 × 100",
        &mut || {
            u.copy_from_slice(&start);
            black_box(burgers(&mut u, 0.05, 100));
        },
        &mut |tape| {
            again.copy_from_slice(&start);
            u_adj.fill(0.0);
            let y = burgers_adjoint_with(tape, &mut again, &mut u_adj, 0.05, &mut nu_adj, 100, 1.0);
            black_box(y);
        },
    );
}
