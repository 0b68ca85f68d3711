//! Interpolation, special functions and schemes that search their way.

use std::f64::consts::PI;

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
pub fn cubic_interpolate(x: f64, coefficients: &[f64], grid_spacing: f64) -> (f64, f64) {
    let j = (x / grid_spacing) as usize;
    let r = x % grid_spacing;
    let mut c = [0.0; 4];
    c.clone_from_slice(&coefficients[j..j + 4]);
    let mut d = [c[1] - c[0], c[2] - c[1], c[3] - c[2]];
    let p = r / grid_spacing;
    c[0] = (2.0 * c[1] + c[0] + p * d[0]) / 3.0;
    c[1] = (c[2] + 2.0 * c[1] + p * d[1]) / 3.0;
    c[2] = c[2] + p * d[2] / 3.0;
    c[0] = (c[1] + c[0] + p * (c[1] - c[0])) / 2.0;
    c[1] = c[1] + p * (c[2] - c[1]) / 2.0;
    c[0] = c[0] + p * (c[1] - c[0]);
    d[0] = (d[1] + d[0] + p * (d[1] - d[0])) / 2.0 / grid_spacing;
    d[1] = (d[1] + p * (d[2] - d[1]) / 2.0) / grid_spacing;
    d[0] = d[0] + p * (d[1] - d[0]);
    (c[0], d[0])
}
#[adjoint]
fn lanczos_gamma(x: f64) -> f64 {
    const G: f64 = 7.0;
    const C: [f64; 9] = [
        0.99999999999980993,
        676.5203681218851,
        -1259.1392167224028,
        771.32342877765313,
        -176.61502916214059,
        12.507343278686905,
        -0.13857109526572012,
        9.9843695780195716e-6,
        1.5056327351493116e-7,
    ];
    let x = x - 1.0;
    let mut sum = C[0];
    for (i, &c) in C[1..].iter().enumerate() {
        sum += c / (x + i as f64 + 1.0);
    }
    let t = x + G + 0.5;
    (2.0 * std::f64::consts::PI).sqrt() * t.powf(x + 0.5) * (-t).exp() * sum
}
#[adjoint]
pub fn gamma(x: f64) -> f64 {
    if x <= 0.0 && x == x.floor() {
        panic!("gamma undefined for non-positive integers");
    }
    if x < 0.5 {
        std::f64::consts::PI / ((std::f64::consts::PI * x).sin() * gamma(1.0 - x))
    } else {
        lanczos_gamma(x)
    }
}
#[adjoint]
fn beta_cf(a: f64, b: f64, x: f64) -> f64 {
    let max_iter = 100;
    let eps = 1e-14;
    let qab = a + b;
    let qap = a + 1.0;
    let qam = a - 1.0;
    let mut c = 1.0;
    let mut d = 1.0 - qab * x / qap;
    if d.abs() < 1e-30 {
        d = 1e-30;
    }
    d = 1.0 / d;
    let mut h = d;
    for m in 1..=max_iter {
        let m_f = m as f64;
        let m2 = 2.0 * m_f;
        let aa = m_f * (b - m_f) * x / ((qam + m2) * (a + m2));
        d = 1.0 + aa * d;
        if d.abs() < 1e-30 {
            d = 1e-30;
        }
        c = 1.0 + aa / c;
        if c.abs() < 1e-30 {
            c = 1e-30;
        }
        d = 1.0 / d;
        h *= d * c;
        let aa = -(a + m_f) * (qab + m_f) * x / ((a + m2) * (qap + m2));
        d = 1.0 + aa * d;
        if d.abs() < 1e-30 {
            d = 1e-30;
        }
        c = 1.0 + aa / c;
        if c.abs() < 1e-30 {
            c = 1e-30;
        }
        d = 1.0 / d;
        let del = d * c;
        h *= del;
        if (del - 1.0).abs() < eps {
            break;
        }
    }
    h
}
#[adjoint]
fn dormand_prince_step(y: f64, t: f64, h: f64, lambda: f64) -> (f64, f64) {
    let f = |t: f64, y: f64| -lambda * y + t.sin();
    let k1 = h * f(t, y);
    let k2 = h * f(t + 0.2 * h, y + 0.2 * k1);
    let k3 = h * f(t + 0.3 * h, y + 3.0 / 40.0 * k1 + 9.0 / 40.0 * k2);
    let k4 = h * f(
        t + 0.8 * h,
        y + 44.0 / 45.0 * k1 - 56.0 / 15.0 * k2 + 32.0 / 9.0 * k3,
    );
    let z = y + 0.3 * k1 + 0.2 * k3 + 0.5 * k4;
    let err = (k1 - k3 + 0.5 * k4 - 0.5 * k2).abs() / 100.0;
    (z, err)
}
#[adjoint]
fn dormand_prince(t0: f64, y0: f64, t1: f64, tolerance: f64, lambda: f64) -> Vec<(f64, f64)> {
    let mut t = t0;
    let mut y = y0;
    let mut h = 0.1;
    let mut result = Vec::<(f64, f64)>::new();
    result.push((t, y0));
    while t < t1 {
        let (z, err) = dormand_prince_step(y, t, h, lambda);
        if err > tolerance {
            h *= 0.5;
            continue;
        }
        t += h;
        y = z;
        result.push((t, y));
        h = (1.2 * h).min(t1 - t);
        if h < 1e-12 {
            break;
        }
    }
    result
}
#[adjoint]
fn dp_end(y0: f64, lambda: f64) -> f64 {
    let path = dormand_prince(0.0, y0, 1.0, 1e-3, lambda);
    let &(_, y) = path.last().unwrap();
    y + path.iter().map(|&(t, y)| t * y).sum::<f64>()
}
#[derive(Clone, Debug, Differentiable)]
pub struct CubicSpline {
    x: Vec<f64>,
    a: Vec<f64>,
    b: Vec<f64>,
    c: Vec<f64>,
    d: Vec<f64>,
}
#[adjoint]
impl CubicSpline {
    pub fn natural(x: &[f64], y: &[f64]) -> Self {
        let n = x.len() - 1;
        let a = y.to_vec();
        let h: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
        let mut alpha = vec![0.0; n];
        for i in 1..n {
            alpha[i] = 3.0 / h[i] * (a[i + 1] - a[i]) - 3.0 / h[i - 1] * (a[i] - a[i - 1]);
        }
        let mut c = vec![0.0; n + 1];
        let mut l = vec![0.0; n + 1];
        let mut mu = vec![0.0; n + 1];
        let mut z = vec![0.0; n + 1];
        l[0] = 1.0;
        for i in 1..n {
            l[i] = 2.0 * (x[i + 1] - x[i - 1]) - h[i - 1] * mu[i - 1];
            mu[i] = h[i] / l[i];
            z[i] = (alpha[i] - h[i - 1] * z[i - 1]) / l[i];
        }
        l[n] = 1.0;
        let mut b = vec![0.0; n];
        let mut d = vec![0.0; n];
        for j in (0..n).rev() {
            c[j] = z[j] - mu[j] * c[j + 1];
            b[j] = (a[j + 1] - a[j]) / h[j] - h[j] * (c[j + 1] + 2.0 * c[j]) / 3.0;
            d[j] = (c[j + 1] - c[j]) / (3.0 * h[j]);
        }
        CubicSpline {
            x: x.to_vec(),
            a,
            b,
            c,
            d,
        }
    }
    pub fn eval(&self, t: f64) -> f64 {
        let i = match self.x.iter().rposition(|&xi| xi <= t) {
            Some(i) if i < self.b.len() => i,
            Some(_) => self.b.len() - 1,
            None => 0,
        };
        let dx = t - self.x[i];
        self.a[i] + dx * (self.b[i] + dx * (self.c[i] + dx * self.d[i]))
    }
}
#[adjoint]
fn spline_at(x: &[f64], y: &[f64], at: &[f64]) -> f64 {
    let s = CubicSpline::natural(x, y);
    at.iter().map(|&t| s.eval(t)).sum()
}

#[adjoint]
fn interp1(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let (mut lo, mut hi) = (0, xs.len() - 1);
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        if xs[mid] > x { hi = mid } else { lo = mid }
    }
    let t = (x - xs[lo]) / (xs[hi] - xs[lo]);
    ys[lo] * (1.0 - t) + ys[hi] * t
}
#[adjoint]
fn interp_pp(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let i = xs.partition_point(|&v| v < x).clamp(1, xs.len() - 1);
    let (x0, x1) = (xs[i - 1], xs[i]);
    let w = (x - x0) / (x1 - x0);
    (1. - w) * ys[i - 1] + w * ys[i]
}
#[adjoint]
fn interp_bs(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let i = match xs.binary_search_by(|v| v.partial_cmp(&x).unwrap()) {
        Ok(i) => i,
        Err(i) => i.saturating_sub(1),
    };
    ys[i] + (ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]) * (x - xs[i])
}
#[adjoint]
fn norm_pdf(x: f64) -> f64 {
    (-0.5 * x * x).exp() / (2.0 * PI).sqrt()
}
#[adjoint]
fn norm_cdf(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.2316419 * x.abs());
    let coeffs = [
        0.319381530,
        -0.356563782,
        1.781477937,
        -1.821255978,
        1.330274429,
    ];
    let poly = coeffs.iter().rev().fold(0.0, |acc, c| (acc + c) * t);
    let tail = norm_pdf(x) * poly;
    if x >= 0.0 { 1.0 - tail } else { tail }
}
#[adjoint]
fn implied_vol(price: f64, s: f64, k: f64, r: f64, t: f64) -> Result<f64, String> {
    let mut sigma = 0.3;
    for i in 0..50 {
        let d1 = ((s / k).ln() + (r + sigma * sigma / 2.0) * t) / (sigma * t.sqrt());
        let d2 = d1 - sigma * t.sqrt();
        let diff = s * norm_cdf(d1) - k * (-r * t).exp() * norm_cdf(d2) - price;
        let vega = s * norm_pdf(d1) * t.sqrt();
        if vega < 1e-10 {
            return Err(format!("vega too small at iteration {}", i));
        }
        if diff.abs() < 1e-12 {
            return Ok(sigma);
        }
        sigma -= diff / vega;
    }
    Err("no convergence".into())
}
#[adjoint]
fn vol_or_nan(price: f64, s: f64) -> f64 {
    implied_vol(price, s, 100.0, 0.02, 0.75).unwrap_or(f64::NAN)
}
#[adjoint]
fn vincenty(lat1: f64, lon1: f64, lat2: f64, lon2: f64) -> Option<f64> {
    const A: f64 = 6378137.0;
    const F: f64 = 1.0 / 298.257223563;
    const B: f64 = A * (1.0 - F);
    let (phi1, phi2) = (lat1.to_radians(), lat2.to_radians());
    let l = (lon2 - lon1).to_radians();
    let u1 = ((1.0 - F) * phi1.tan()).atan();
    let u2 = ((1.0 - F) * phi2.tan()).atan();
    let (sin_u1, cos_u1) = u1.sin_cos();
    let (sin_u2, cos_u2) = u2.sin_cos();
    let mut lambda = l;
    for _ in 0..100 {
        let (sin_l, cos_l) = lambda.sin_cos();
        let sin_sigma =
            ((cos_u2 * sin_l).powi(2) + (cos_u1 * sin_u2 - sin_u1 * cos_u2 * cos_l).powi(2)).sqrt();
        if sin_sigma == 0.0 {
            return Some(0.0);
        }
        let cos_sigma = sin_u1 * sin_u2 + cos_u1 * cos_u2 * cos_l;
        let sigma = sin_sigma.atan2(cos_sigma);
        let sin_alpha = cos_u1 * cos_u2 * sin_l / sin_sigma;
        let cos_sq = 1.0 - sin_alpha * sin_alpha;
        let cos_2m = if cos_sq != 0.0 {
            cos_sigma - 2.0 * sin_u1 * sin_u2 / cos_sq
        } else {
            0.0
        };
        let c = F / 16.0 * cos_sq * (4.0 + F * (4.0 - 3.0 * cos_sq));
        let prev = lambda;
        lambda = l
            + (1.0 - c)
                * F
                * sin_alpha
                * (sigma
                    + c * sin_sigma * (cos_2m + c * cos_sigma * (-1.0 + 2.0 * cos_2m * cos_2m)));
        if (lambda - prev).abs() < 1e-13 {
            let u_sq = cos_sq * (A * A - B * B) / (B * B);
            let aa =
                1.0 + u_sq / 16384.0 * (4096.0 + u_sq * (-768.0 + u_sq * (320.0 - 175.0 * u_sq)));
            let bb = u_sq / 1024.0 * (256.0 + u_sq * (-128.0 + u_sq * (74.0 - 47.0 * u_sq)));
            let ds =
                bb * sin_sigma * (cos_2m + bb / 4.0 * (cos_sigma * (-1.0 + 2.0 * cos_2m.powi(2))));
            return Some(B * aa * (sigma - ds) / 1e6);
        }
    }
    None
}
#[adjoint]
fn distance(p: (f64, f64), q: (f64, f64)) -> f64 {
    vincenty(p.0, p.1, q.0, q.1).expect("converges")
}
#[adjoint]
fn erf(x: f64) -> f64 {
    if x.abs() < 2.0 {
        let mut term = x;
        let mut sum = x;
        let mut n = 0;
        while term.abs() > 1e-17 * sum.abs() {
            n += 1;
            term *= -x * x / n as f64;
            sum += term / (2 * n + 1) as f64;
        }
        2.0 / std::f64::consts::PI.sqrt() * sum
    } else {
        let mut f = 0.0;
        for k in (1..=60).rev() {
            f = k as f64 / 2.0 / (x.abs() + f);
        }
        x.signum() * (1.0 - (-x * x).exp() / (std::f64::consts::PI.sqrt() * (x.abs() + f)))
    }
}
#[adjoint]
fn j0(x: f64) -> f64 {
    let ax = x.abs();
    if ax < 8.0 {
        let y = x * x;
        let ans1 = 57568490574.0
            + y * (-13362590354.0
                + y * (651619640.7 + y * (-11214424.18 + y * (77392.33017 + y * -184.9052456))));
        let ans2 = 57568490411.0
            + y * (1029532985.0 + y * (9494680.718 + y * (59272.64853 + y * (267.8532712 + y))));
        ans1 / ans2
    } else {
        let z = 8.0 / ax;
        let y = z * z;
        let xx = ax - 0.785398164;
        let p = 1.0 + y * (-0.1098628627e-2 + y * 0.2734510407e-4);
        let q = -0.1562499995e-1 + y * 0.1430488765e-3;
        (0.636619772 / ax).sqrt() * (xx.cos() * p - z * xx.sin() * q)
    }
}

#[test]
fn splines() {
    check!(cubic_interpolate(1.37, &vec![0.3, 1.2, -0.4, 0.8, 2.0, 0.1], 0.9) -> (f64, f64));
    let (x, y) = (vec![0.0, 1.0, 1.7, 3.0], vec![0.2, 1.1, -0.5, 0.4]);
    check!(spline_at(&x, &y, &vec![0.5, 1.2, 2.8]) -> f64);
}

#[test]
fn tables() {
    let (x, y) = (vec![0.0, 1.0, 1.7, 3.0], vec![0.2, 1.1, -0.5, 0.4]);
    check!(interp1(&x, &y, 1.3) -> f64);
    check!(interp_pp(&x, &y, 1.3) -> f64);
    check!(interp_bs(&x, &y, 1.3) -> f64);
}

#[test]
fn special_functions() {
    check!(gamma(2.3) -> f64);
    check!(gamma(0.3) -> f64);
    check!(beta_cf(1.5, 2.5, 0.3) -> f64);
    for x in [0.7, -2.7] {
        check!(erf(x) -> f64);
    }
    for x in [2.3, 9.1] {
        check!(j0(x) -> f64);
    }
}

#[test]
fn searches() {
    check!(dp_end(1.3, 0.8) -> f64);
    check!(vol_or_nan(9.0, 102.0) -> f64);
    check!(distance((50.1, -5.7), (58.6, -3.1)) -> f64);
}
