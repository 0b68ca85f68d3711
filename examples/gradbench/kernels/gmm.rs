//! The log-posterior of a Gaussian mixture with a Wishart prior, GradBench's `gmm`.

use adjoint::adjoint;

pub use mixture::{Wishart, objective, objective_adjoint_with};

#[adjoint]
mod mixture {
    use std::f64::consts::{LN_2, PI};

    /// The prior of the precision matrices.
    #[derive(Clone, Copy)]
    pub struct Wishart {
        pub gamma: f64,
        pub m: usize,
    }

    /// The log-posterior of the points `x`, of dimension `d`. Component `k` has the weight `alpha[k]`, the mean `mu[k]`
    /// and the precision `QᵀQ`, where `Q` is lower triangular with the diagonal `exp(q[k])`, and `l[k]` below it, by columns.
    #[adjoint(wrt(alpha, mu, q, l))]
    pub fn objective(
        alpha: &[f64],
        mu: &[f64],
        q: &[f64],
        l: &[f64],
        x: &[f64],
        d: usize,
        wishart: Wishart,
    ) -> f64 {
        let components = alpha.len();
        let points = x.len() / d;
        let below = d * (d - 1) / 2;

        let mut diagonals = vec![0.0; q.len()];
        for (diagonal, q) in diagonals.iter_mut().zip(q) {
            *diagonal = q.exp();
        }
        let mut log_determinants = vec![0.0; components];
        for k in 0..components {
            log_determinants[k] = sum(&q[k * d..(k + 1) * d]);
        }

        let mut centred = vec![0.0; d];
        let mut scaled = vec![0.0; d];
        let mut beta = vec![0.0; components];
        let mut likelihood = 0.0;
        for i in 0..points {
            for k in 0..components {
                let row = k * d..(k + 1) * d;
                subtract(&x[i * d..(i + 1) * d], &mu[row.clone()], &mut centred);
                multiply(
                    &diagonals[row],
                    &l[k * below..(k + 1) * below],
                    &centred,
                    &mut scaled,
                );
                beta[k] = alpha[k] + log_determinants[k] - 0.5 * squared_norm(&scaled);
            }
            likelihood += log_sum_exp(&beta);
        }

        let mut prior = 0.0;
        for k in 0..components {
            let norm = squared_norm(&diagonals[k * d..(k + 1) * d])
                + squared_norm(&l[k * below..(k + 1) * below]);
            prior +=
                0.5 * wishart.gamma * wishart.gamma * norm - wishart.m as f64 * log_determinants[k];
        }

        likelihood - points as f64 * (0.5 * d as f64 * (2.0 * PI).ln() + log_sum_exp(alpha)) - prior
            + components as f64 * log_normaliser(d, wishart.gamma, wishart.m)
    }

    fn subtract(a: &[f64], b: &[f64], difference: &mut [f64]) {
        for ((c, a), b) in difference.iter_mut().zip(a).zip(b) {
            *c = a - b;
        }
    }

    /// The product of a lower triangular matrix, given by its diagonal and by the columns below it, and `v`.
    fn multiply(diagonal: &[f64], below: &[f64], v: &[f64], product: &mut [f64]) {
        for ((p, q), v) in product.iter_mut().zip(diagonal).zip(v) {
            *p = q * v;
        }
        let mut start = 0;
        for c in 0..v.len() {
            let end = start + v.len() - c - 1;
            for (p, l) in product[c + 1..].iter_mut().zip(&below[start..end]) {
                *p += l * v[c];
            }
            start = end;
        }
    }

    fn sum(v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for v in v {
            sum += v;
        }
        sum
    }

    fn squared_norm(v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for v in v {
            sum += v * v;
        }
        sum
    }

    fn log_sum_exp(v: &[f64]) -> f64 {
        let mut largest = v[0];
        for v in &v[1..] {
            largest = largest.max(*v);
        }
        let mut sum = 0.0;
        for v in v {
            sum += (v - largest).exp();
        }
        largest + sum.ln()
    }

    /// The logarithm of what normalises the prior.
    fn log_normaliser(d: usize, gamma: f64, m: usize) -> f64 {
        let freedom = d + m + 1;
        let mut log_gamma = 0.25 * (d * (d - 1)) as f64 * PI.ln();
        for j in 0..d {
            log_gamma += log_gamma_of_half(freedom - j);
        }
        (freedom * d) as f64 * (gamma.ln() - 0.5 * LN_2) - log_gamma
    }

    /// `ln Γ(n/2)`, by `Γ(z + 1) = z Γ(z)`.
    fn log_gamma_of_half(n: usize) -> f64 {
        let (mut z, mut log_gamma) = match n % 2 {
            0 => (1.0, 0.0),
            _ => (0.5, 0.5 * PI.ln()),
        };
        while z < 0.5 * n as f64 {
            log_gamma += z.ln();
            z += 1.0;
        }
        log_gamma
    }
}
