//! The right-hand side of the Brusselator on a torus; what is differentiated is the sum of its components.

use std::hint::black_box;

use adjoint::{Tape, adjoint};

use crate::workload::{Workload, uniform};

/// The rates of change of the concentrations `u` and `v` on `n` by `n` cells.
#[adjoint]
fn rates(u: &[f64], v: &[f64], n: usize, alpha: f64, du: &mut [f64], dv: &mut [f64]) {
    let row = |i: usize| i * n..(i + 1) * n;
    for i in 0..n {
        let above = if i == 0 { n - 1 } else { i - 1 };
        let below = if i + 1 == n { 0 } else { i + 1 };
        let (u_above, u_below) = (&u[row(above)], &u[row(below)]);
        let (v_above, v_below) = (&v[row(above)], &v[row(below)]);
        let (u, v) = (&u[row(i)], &v[row(i)]);
        let (du, dv) = (&mut du[row(i)], &mut dv[row(i)]);
        for j in 0..n {
            let left = if j == 0 { n - 1 } else { j - 1 };
            let right = if j + 1 == n { 0 } else { j + 1 };
            let u2v = u[j] * u[j] * v[j];
            let u_around = u_above[j] + u_below[j] + u[left] + u[right];
            let v_around = v_above[j] + v_below[j] + v[left] + v[right];
            du[j] = 1.0 + u2v - 4.4 * u[j] + alpha * (u_around - 4.0 * u[j]);
            dv[j] = 3.4 * u[j] - u2v + alpha * (v_around - 4.0 * v[j]);
        }
    }
}

struct Brusselator {
    n: usize,
    alpha: f64,
    alpha_adj: f64,
    u: Vec<f64>,
    v: Vec<f64>,
    du: Vec<f64>,
    dv: Vec<f64>,
    /// Of `u`, `v`, `du` and `dv`.
    adjoints: [Vec<f64>; 4],
}

pub fn workload(n: usize) -> Box<dyn Workload> {
    let zeros = vec![0.0; n * n];
    Box::new(Brusselator {
        n,
        alpha: 0.1 * (n * n) as f64,
        alpha_adj: 0.0,
        u: uniform(n * n, 0.0, 2.0),
        v: uniform(n * n, 1.0, 4.0),
        du: zeros.clone(),
        dv: zeros.clone(),
        adjoints: [const { Vec::new() }; 4].map(|_: Vec<f64>| zeros.clone()),
    })
}

impl Workload for Brusselator {
    fn function(&mut self) {
        let n = black_box(self.n);
        rates(&self.u, &self.v, n, self.alpha, &mut self.du, &mut self.dv);
        black_box((&self.du, &self.dv));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        let [u_adj, v_adj, du_adj, dv_adj] = &mut self.adjoints;
        u_adj.fill(0.0);
        v_adj.fill(0.0);
        du_adj.fill(1.0);
        dv_adj.fill(1.0);
        self.alpha_adj = 0.0;
        rates_adjoint_with(
            tape,
            &self.u,
            u_adj,
            &self.v,
            v_adj,
            black_box(self.n),
            self.alpha,
            &mut self.alpha_adj,
            &mut self.du,
            du_adj,
            &mut self.dv,
            dv_adj,
        );
        black_box((&self.adjoints, self.alpha_adj));
    }
}
