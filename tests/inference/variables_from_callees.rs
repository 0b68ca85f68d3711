//! Variables whose types only a callee knows, with methods named like numbers': rustc decides whether they are structs.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::check;

#[derive(Clone, Copy, Differentiable)]
struct Complex {
    re: f64,
    im: f64,
}

#[adjoint]
impl Complex {
    fn polar(r: f64, t: f64) -> Complex {
        Complex {
            re: r * t.cos(),
            im: r * t.sin(),
        }
    }

    fn abs(&self) -> f64 {
        (self.re * self.re + self.im * self.im).sqrt()
    }

    fn sqrt(self) -> Complex {
        Complex::polar(self.abs().sqrt(), 0.5 * self.im.atan2(self.re))
    }

    fn exp(self) -> Complex {
        Complex::polar(self.re.exp(), self.im)
    }

    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }

    /// Named like a predicate.
    fn is_positive(&self) -> f64 {
        1.0 / (1.0 + (-self.re).exp())
    }

    fn modulus(re: f64, im: f64) -> f64 {
        re * im + re.sin()
    }

    fn modulus32(re: f32, im: f32) -> f32 {
        re * im + re.sin()
    }
}

#[adjoint]
fn magnitude(x: f64) -> f64 {
    let z = Complex::polar(x, 0.5);
    z.abs()
}

#[adjoint]
fn roots(x: f64) -> f64 {
    let z = Complex::polar(x, 0.5).exp();
    let w = z.sqrt();
    w.abs() + w.re * z.is_positive()
}

#[adjoint]
fn products(x: f64) -> f64 {
    let z = Complex::polar(x, 0.5);
    let w = z.mul(z.exp());
    let q = w.sqrt();
    q.re * q.im
}

#[adjoint]
fn iterated(x: f64) -> f64 {
    let mut z = Complex::polar(x, 0.5);
    for _ in 0..3 {
        z = z.exp().sqrt();
    }
    z.abs()
}

#[test]
fn structs() {
    for x in [0.4, 1.3] {
        check!(magnitude(x) -> f64);
        check!(roots(x) -> f64);
        check!(products(x) -> f64);
        check!(iterated(x) -> f64);
    }
}

#[adjoint]
fn methods(x: f64, y: f64) -> f64 {
    let r = Complex::modulus(x, y);
    let powers = r.max(y) * r.powi(3) + r.powf(1.5);
    r.abs().sqrt() + powers + r.mul_add(x, y) + r.clamp(0.1, 0.9)
}

#[adjoint]
fn pairs(x: f64, y: f64) -> f64 {
    let r = Complex::modulus(x, y);
    let (s, c) = r.sin_cos();
    s * c + r * 2.0 + if r.is_nan() { x } else { r.atan2(y).exp() }
}

#[adjoint]
fn elements(x: &[f64], y: f64) -> f64 {
    let mut t = Complex::modulus(y, 0.1);
    for v in x {
        let r = Complex::modulus(*v, y);
        if r < 0.0 {
            continue;
        }
        let q = r.sqrt();
        t = t.hypot(*v) + q.ln() * q * (r - 1.0).abs();
        t *= t.cos();
    }
    t.floor() + t.powi(2)
}

#[adjoint]
fn best(x: f64, y: f64) -> f64 {
    let n = Complex::modulus(x, y).abs();
    let r = Complex::modulus(x, y);
    let mut best = r;
    best = best.max(n);
    best += r.abs();
    let all = vec![r, best, n];
    all.iter().map(|t| t.sin()).sum::<f64>() * r.recip()
}

#[adjoint]
fn singles(x: f32, y: f32) -> f32 {
    let r = Complex::modulus32(x, y);
    let q = r.sqrt();
    q.max(0.5) * r.powi(2) + r
}

#[adjoint]
fn cells(x: f64, y: f64) -> f64 {
    let r = Complex::modulus(x, y);
    let k = r.floor() as usize;
    let near = r.max(0.0) as usize;
    let w = [x, y, x * y];
    w[k.min(2)] * r.fract() + w[near.min(2)] + r.rem_euclid(0.7) + r.to_radians()
}

#[test]
fn numbers() {
    for (x, y) in [(0.4, 1.3), (1.7, 0.9)] {
        check!(methods(x, y) -> f64);
        check!(pairs(x, y) -> f64);
        check!(elements(&[0.4, -1.3, 0.8], y) -> f64);
        check!(best(x, y) -> f64);
        check!(cells(x, y) -> f64);
    }
    check!(singles(0.4, 1.3) -> f32);
}

/// What fields hold nothing yet does not keep the others from telling their types.
#[derive(Clone, Differentiable)]
struct State {
    level: f64,
    past: Vec<f64>,
    weights: Vec<f64>,
    last: Option<f64>,
}

#[adjoint]
impl State {
    fn total(&self) -> f64 {
        self.level + self.last.unwrap_or(0.3) * self.weights[0]
    }
}

#[adjoint]
fn stepped(x: &[f64], n: usize) -> f64 {
    let mut s = State {
        level: x[0],
        past: Vec::new(),
        weights: x.to_vec(),
        last: None,
    };
    for _ in 0..n {
        s.level += (s.total().sin().cos() * s.level.cos()) * 0.5;
        s.past.push(s.level);
    }
    s.level * s.total() + s.past[0]
}

#[derive(Clone, Differentiable)]
struct Track<T> {
    level: T,
    past: Vec<T>,
    last: Option<T>,
}

#[adjoint]
impl<T: Float> Track<T> {
    fn total(&self) -> T {
        self.level + self.last.unwrap_or(self.level)
    }
}

#[adjoint]
fn tracked<T: Float>(x: &[T], n: usize) -> T {
    let mut s = Track {
        level: x[0],
        past: vec![],
        last: None,
    };
    for _ in 0..n {
        s.level = s.level + (s.total().sin().cos() * s.level.cos()) * x[1];
        s.past.push(s.level);
    }
    s.level * s.total() + s.past[0]
}

#[test]
fn fields_that_hold_nothing_yet() {
    check!(stepped(&[0.4, -1.3], const 3usize) -> f64);
    check!(tracked(&[0.4, -1.3], const 3usize) -> f64);
}

/// The steps of numbers, on fields that are not seen.
#[derive(Clone, Differentiable)]
struct Signal {
    level: f64,
    values: Vec<f64>,
    sign: i64,
    fixed: [f64; 3],
}

#[adjoint]
impl Signal {
    fn steps(&self, k: f64) -> f64 {
        let mut s = self.level.floor() * k + self.level.signum() * self.sign.signum() as f64;
        s += self.sign.div_euclid(2) as f64 + self.level.div_euclid(0.7) * self.level;
        for v in &self.values {
            s += v.floor() * v.round() * k;
        }
        s += self.values.iter().map(|v| v.signum() * v).sum::<f64>();
        s += self.fixed.iter().map(|v| v.trunc() * *v).sum::<f64>();
        s * self.fixed[1].ceil()
    }
}

#[adjoint]
fn quantised(x: &[f64], k: f64) -> f64 {
    let signal = Signal {
        level: x[0],
        values: x.to_vec(),
        sign: -3,
        fixed: [x[1], 2.3 * x[0], x[2]],
    };
    signal.steps(k)
}

#[test]
fn steps_of_fields() {
    check!(quantised(&[1.6, -1.3, 2.8], 0.7) -> f64);
}
