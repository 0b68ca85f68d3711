//! Signals, prices, curves and integrals.

use adjoint::adjoint;

/// The value of options on a binomial tree of `n` steps.
#[adjoint]
pub fn binomial_tree(x: &[f64], n: usize) -> f64 {
    let (spot, rate, deviation) = (x[0], x[1], x[2]);
    let dt = 1.0 / n as f64;
    let up = (deviation * dt.sqrt()).exp();
    let down = 1.0 / up;
    let p = ((rate * dt).exp() - down) / (up - down);
    let discount = (-rate * dt).exp();
    let mut value = vec![0.0; n + 1];
    for (i, value) in value.iter_mut().enumerate() {
        let price = spot * up.powi(i as i32) * down.powi((n - i) as i32);
        *value = (price - 1.0).max(0.0);
    }
    for step in (0..n).rev() {
        for i in 0..=step {
            value[i] = discount * (p * value[i + 1] + (1.0 - p) * value[i]);
        }
    }
    value[0]
}

/// The mean payoff of Asian options along paths of `n` steps, with given normal numbers.
#[adjoint]
pub fn asian_options(x: &[f64], n: usize) -> f64 {
    let (spot, drift, deviation) = (x[0], x[1], x[2]);
    let mut payoff = 0.0;
    for path in x[3..].chunks_exact(n) {
        let mut price = spot;
        let mut sum = 0.0;
        for z in path {
            price *= (drift / n as f64 + deviation * z).exp();
            sum += price;
        }
        payoff += (sum / n as f64 - spot).max(0.0);
    }
    payoff
}

/// A filter with two poles, and the energy of its output.
#[adjoint]
pub fn two_poles(x: &[f64], _n: usize) -> f64 {
    let (a1, a2, b0) = (0.5 * x[0], 0.5 * x[1], x[2]);
    let (mut y1, mut y2) = (0.0, 0.0);
    let mut energy = 0.0;
    for v in &x[3..] {
        let y = b0 * v - a1 * y1 - a2 * y2;
        y2 = y1;
        y1 = y;
        energy += y * y;
    }
    energy
}

/// The autocorrelation of a signal at the lags up to `n`.
#[adjoint]
pub fn autocorrelation(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for lag in 1..=n {
        let mut sum = 0.0;
        for i in lag..x.len() {
            sum += x[i] * x[i - lag];
        }
        total += sum * sum;
    }
    total
}

/// A polynomial with the first `n` numbers as coefficients at the others, by Horner's rule.
#[adjoint]
pub fn polynomials(x: &[f64], n: usize) -> f64 {
    let (coefficients, points) = x.split_at(n);
    let mut total = 0.0;
    for p in points {
        let mut value = 0.0;
        for c in coefficients.iter().rev() {
            value = value * p + c;
        }
        total += value;
    }
    total
}

/// Roots by Newton's method, `n` steps for each number.
#[adjoint]
pub fn newton_roots(x: &[f64], n: usize) -> f64 {
    let mut total = 0.0;
    for c in x {
        let mut root = 1.0;
        for _ in 0..n {
            root -= (root * root * root + root - c) / (3.0 * root * root + 1.0);
        }
        total += root;
    }
    total
}

/// The area of a surface over a grid of width `n`, by triangles.
#[adjoint]
pub fn surface_area(x: &[f64], n: usize) -> f64 {
    let rows = x.len() / n;
    let mut area = 0.0;
    for i in 0..rows - 1 {
        for j in 0..n - 1 {
            let (a, b) = (x[i * n + j], x[i * n + j + 1]);
            let (c, d) = (x[(i + 1) * n + j], x[(i + 1) * n + j + 1]);
            area += 0.5 * (1.0 + (b - a) * (b - a) + (c - a) * (c - a)).sqrt();
            area += 0.5 * (1.0 + (d - c) * (d - c) + (d - b) * (d - b)).sqrt();
        }
    }
    area
}

/// The total variation of an image of width `n`, smoothed, and its distance from zero.
#[adjoint]
pub fn total_variation(x: &[f64], n: usize) -> f64 {
    let rows = x.len() / n;
    let mut total = 0.0;
    for i in 0..rows {
        for j in 0..n {
            let right = if j + 1 < n {
                x[i * n + j + 1] - x[i * n + j]
            } else {
                0.0
            };
            let below = if i + 1 < rows {
                x[(i + 1) * n + j] - x[i * n + j]
            } else {
                0.0
            };
            total += (right * right + below * below + 1e-6).sqrt() + 0.5 * x[i * n + j].powi(2);
        }
    }
    total
}
