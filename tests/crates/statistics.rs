//! Statistics: moments, densities, likelihoods, regression.

use std::f64::consts::{LN_2, PI};

use adjoint::{Differentiable, adjoint};

use crate::common::{Flat, assert_close, check};

#[adjoint]
fn mean(data: &[f64]) -> Option<f64> {
    if data.is_empty() {
        return None;
    }
    Some(data.iter().sum::<f64>() / data.len() as f64)
}

#[adjoint]
fn variance(data: &[f64]) -> Option<f64> {
    let mean = mean(data)?;
    let n = data.len();
    if n < 2 {
        None
    } else {
        let squares = data.iter().map(|x| (x - mean).powi(2));
        Some(squares.sum::<f64>() / (n - 1) as f64)
    }
}

#[adjoint]
fn coefficient_of_variation(data: &[f64]) -> f64 {
    match (mean(data), variance(data)) {
        (Some(m), Some(v)) if m.abs() > f64::EPSILON => v.sqrt() / m,
        _ => 0.0,
    }
}

#[test]
fn moments_as_options() {
    check!(coefficient_of_variation(&vec![1.0, 2.5, -0.5, 4.0]) -> f64);
    let none = check!(coefficient_of_variation(&vec![1.0]) -> f64);
    assert_eq!(none, [[0.0]]);
}

/// Welford's update.
#[adjoint]
fn welford(xs: &[f64]) -> (f64, f64) {
    let mut count = 0usize;
    let mut mean = 0.0;
    let mut m2 = 0.0;
    for &x in xs {
        count += 1;
        let delta = x - mean;
        mean += delta / count as f64;
        let delta2 = x - mean;
        m2 += delta * delta2;
    }
    if count < 2 {
        return (mean, f64::NAN);
    }
    (mean, m2 / (count - 1) as f64)
}

#[test]
fn running_moments() {
    let x: Vec<f64> = vec![1.0, 2.5, -0.5, 4.0];
    let rows = check!(welford(&x) -> (f64, f64));
    assert_close(&rows[0], &[0.25; 4]);
}

/// Pearson's correlation, all in iterator chains.
#[adjoint]
fn pearson(x: &[f64], y: &[f64]) -> f64 {
    assert_eq!(x.len(), y.len(), "both samples have to be of one length");
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let cov: f64 = x.iter().zip(y).map(|(a, b)| (a - mx) * (b - my)).sum();
    let sx: f64 = x.iter().map(|a| (a - mx).powi(2)).sum::<f64>().sqrt();
    let sy: f64 = y.iter().map(|b| (b - my).powi(2)).sum::<f64>().sqrt();
    cov / (sx * sy)
}

#[test]
fn correlation() {
    check!(pearson(&vec![1.0, 2.5, -0.5, 4.0], &vec![0.2, 0.9, 0.1, 1.3]) -> f64);
}

/// A distribution as a struct with methods, as its crate has it.
#[derive(Clone, Debug, PartialEq, Differentiable)]
pub struct Normal {
    mean: f64,
    std_dev: f64,
}

impl Flat for Normal {
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {
        to.extend([self.mean, self.std_dev]);
    }
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {
        Normal {
            mean: f64::read(&0.0, from),
            std_dev: f64::read(&0.0, from),
        }
    }
}

#[adjoint]
impl Normal {
    const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

    pub fn new(mean: f64, std_dev: f64) -> Self {
        Self { mean, std_dev }
    }

    pub fn ln_pdf(&self, x: f64) -> f64 {
        let d = (x - self.mean) / self.std_dev;
        (-0.5 * d * d) - Self::LN_SQRT_2PI - self.std_dev.ln()
    }

    pub fn pdf(&self, x: f64) -> f64 {
        self.ln_pdf(x).exp()
    }

    pub fn entropy(&self) -> f64 {
        0.5 + Self::LN_SQRT_2PI + self.std_dev.ln()
    }

    pub fn log_likelihood(&self, data: &[f64]) -> f64 {
        data.iter().map(|&x| self.ln_pdf(x)).sum()
    }

    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            std_dev: factor * self.std_dev,
            ..self.clone()
        }
    }
}

#[adjoint]
fn likelihood(normal: &Normal, data: &[f64], factor: f64) -> f64 {
    let wide: Normal = normal.scaled(factor);
    wide.log_likelihood(data) + normal.entropy()
}

#[test]
fn a_distribution_with_methods() {
    let normal = Normal {
        mean: 0.3,
        std_dev: 1.7,
    };
    let mut adj = Normal {
        mean: 0.0,
        std_dev: 0.0,
    };
    let mut x_adj = 0.0;
    let value = normal.ln_pdf_adjoint(&mut adj, 1.1, &mut x_adj, 1.0);
    let d = (1.1 - 0.3) / 1.7;
    assert_eq!(value, normal.ln_pdf(1.1));
    assert_close(
        &[adj.mean, adj.std_dev, x_adj],
        &[d / 1.7, (d * d - 1.0) / 1.7, -d / 1.7],
    );
    check!(likelihood(&normal, &vec![0.2, -0.7, 1.9], 1.3) -> f64);
}

/// The log of a gamma density, by the parameters' validity.
#[derive(Debug, Clone, Copy, PartialEq, Differentiable)]
pub enum StatsError {
    BadParams,
    OutOfSupport,
}

#[adjoint(inactive(ulps_close))]
fn gamma_ln_pdf(shape: f64, rate: f64, x: f64) -> Result<f64, StatsError> {
    if shape.is_nan() || rate.is_nan() || shape <= 0.0 || rate <= 0.0 {
        return Err(StatsError::BadParams);
    }
    if x < 0.0 {
        return Err(StatsError::OutOfSupport);
    }
    if ulps_close(shape, 1.0) {
        return Ok(rate.ln() - rate * x);
    }
    Ok(shape * rate.ln() + (shape - 1.0) * x.ln() - rate * x - crate::special::ln_gamma(shape))
}

fn ulps_close(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-15
}

#[test]
fn a_density_that_may_fail() {
    check!(density_or_zero(2.5, 1.3, 0.7) -> f64);
    assert_eq!(check!(density_or_zero(2.5, 1.3, -0.7) -> f64), [[0.0; 3]]);
}

#[adjoint]
fn density_or_zero(shape: f64, rate: f64, x: f64) -> f64 {
    let ln: Result<f64, StatsError> = gamma_ln_pdf(shape, rate, x);
    ln.map(f64::exp).unwrap_or(0.0)
}

/// Simple linear regression by its sums.
#[adjoint]
fn linear_fit(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (sx, sy, sxx, sxy) = points
        .iter()
        .fold((0.0, 0.0, 0.0, 0.0), |(sx, sy, sxx, sxy), &(x, y)| {
            (sx + x, sy + y, sxx + x * x, sxy + x * y)
        });
    let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
    let intercept = (sy - slope * sx) / n;
    (intercept, slope)
}

#[test]
fn regression() {
    check!(linear_fit(&vec![(0.0, 1.0), (1.0, 2.9), (2.0, 5.2), (3.5, 7.7)]) -> (f64, f64));
}

/// A kernel density estimate with its points in `filter`.
#[adjoint]
fn truncated_kde(x: f64, data: &[f64], bandwidth: f64) -> f64 {
    let norm = 1.0 / (bandwidth * (2.0 * PI).sqrt() * data.len() as f64);
    norm * data
        .iter()
        .map(|d| (x - d) / bandwidth)
        .filter(|u| u.abs() < 3.0)
        .map(|u| (-0.5 * u * u).exp())
        .sum::<f64>()
}

#[test]
fn a_filtered_sum() {
    check!(truncated_kde(0.3, &vec![0.1, 0.9, -2.0, 5.0], 0.8) -> f64);
}

/// Entropy with `filter_map`, divergence with `continue`.
#[adjoint]
fn information(p: &[f64], q: &[f64]) -> f64 {
    let entropy: f64 = p
        .iter()
        .filter_map(|&pi| {
            if pi > 0.0 {
                Some(-pi * pi.ln() / LN_2)
            } else {
                None
            }
        })
        .sum();
    let mut divergence = 0.0;
    for (&pi, &qi) in p.iter().zip(q.iter()) {
        if pi == 0.0 {
            continue;
        }
        divergence += pi * (pi / qi).ln();
    }
    entropy + divergence
}

#[test]
fn entropy_leaves_zeros_out() {
    check!(information(&vec![0.2, 0.5, 0.3], &vec![0.3, 0.3, 0.4]) -> f64);
}

/// The median of an odd number of values through a sorted copy of their order.
#[adjoint]
fn trimmed_mean(data: &[f64], lo: f64, hi: f64) -> f64 {
    let (mut total, mut n) = (0.0, 0u32);
    for x in data.iter().copied().filter(|&x| lo <= x && x <= hi) {
        total += x;
        n += 1;
    }
    if n > 0 {
        total / f64::from(n)
    } else {
        f64::NAN
    }
}

#[test]
fn a_filter_in_a_for_loop() {
    assert_eq!(
        check!(trimmed_mean(&vec![0.5, 3.0, 1.0, -7.0], 0.0, 2.0) -> f64)[0],
        [0.5, 0.0, 0.5, 0.0, 0.0, 0.0]
    );
}

/// Student's t statistic of two samples, with a nested function and a constant.
#[adjoint]
fn welch(a: &[f64], b: &[f64]) -> f64 {
    #[adjoint]
    fn moments(x: &[f64]) -> (f64, f64) {
        let n = x.len() as f64;
        let m = x.iter().sum::<f64>() / n;
        (
            m,
            x.iter().map(|v| (v - m) * (v - m)).sum::<f64>() / (n - 1.0),
        )
    }
    const TINY: f64 = 1e-300;
    let ((ma, va), (mb, vb)) = (moments(a), moments(b));
    (ma - mb) / (va / a.len() as f64 + vb / b.len() as f64).sqrt().max(TINY)
}

#[test]
fn two_samples() {
    check!(welch(&vec![1.0, 2.5, -0.5], &vec![0.2, 0.9, 0.1, 1.3]) -> f64);
}

/// Poisson regression: a generalised linear model over rows.
#[adjoint(wrt(beta))]
fn poisson_nll(beta: &[f64], design: &[Vec<f64>], counts: &[u64]) -> f64 {
    design
        .iter()
        .zip(counts)
        .map(|(row, &y)| {
            let eta: f64 = row.iter().zip(beta).map(|(x, b)| x * b).sum();
            eta.exp() - y as f64 * eta
        })
        .sum()
}

#[test]
fn a_generalised_linear_model() {
    let design = vec![vec![1.0, 0.5], vec![1.0, -0.3], vec![1.0, 1.2]];
    check!(poisson_nll(&vec![0.2, 0.4], const &design, const &[2, 0, 3]) -> f64);
}

/// Autocorrelation at a lag, by two views of one slice.
#[adjoint]
fn autocorrelation(x: &[f64], lag: usize) -> f64 {
    let n = x.len();
    let m = x.iter().sum::<f64>() / n as f64;
    let c0 = x.iter().map(|v| (v - m).powi(2)).sum::<f64>();
    let ck: f64 = x[lag..]
        .iter()
        .zip(&x[..n - lag])
        .map(|(a, b)| (a - m) * (b - m))
        .sum();
    ck / c0
}

#[test]
fn a_lagged_product() {
    check!(autocorrelation(&vec![1.0, 2.5, -0.5, 0.7, 1.9], const 2) -> f64);
}
