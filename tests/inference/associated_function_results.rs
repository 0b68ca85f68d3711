//! Numbers from associated functions, with a method call at once.
//!
//! Only rustc knows that they are numbers, and structs have methods of the same names.

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::check;

struct Normal;

#[adjoint]
impl Normal {
    fn pdf(x: f64) -> f64 {
        (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
    }

    fn cdf(x: f64) -> f64 {
        0.5 * (1.0 + (0.8 * x * (1.0 + 0.05 * x * x)).tanh())
    }
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Angle {
    turn: f64,
}

#[adjoint]
impl Angle {
    fn of(turn: f64) -> Angle {
        Angle { turn }
    }

    fn sin(self) -> Angle {
        Angle {
            turn: self.turn.sin() * 2.0,
        }
    }

    fn max(self, other: Angle) -> Angle {
        match self.turn > other.turn {
            true => self,
            false => other,
        }
    }

    fn turn(self) -> f64 {
        self.turn
    }
}

#[adjoint]
fn logarithm(x: f64) -> f64 {
    Normal::cdf(x).ln()
}

#[adjoint]
fn several(x: f64, y: f64) -> f64 {
    Normal::cdf(x).max(y) * Normal::cdf(y).powi(3) + Normal::pdf(y).powf(x)
}

#[adjoint]
fn in_closures(x: f64, y: &[f64]) -> f64 {
    x * y.iter().map(|v| Normal::cdf(*v).abs().ln()).sum::<f64>()
}

#[adjoint]
fn in_loops(x: f64, n: usize) -> f64 {
    let mut v = Normal::pdf(x);
    for _ in 0..n {
        v = Normal::cdf(v).min(0.6) + x;
    }
    v
}

#[adjoint]
fn nested(x: f64) -> f64 {
    Normal::cdf(Normal::pdf(x).sqrt()).sqrt()
}

#[adjoint]
fn both(x: f64) -> f64 {
    let (s, c) = Normal::cdf(x).sin_cos();
    s * c * x
}

#[adjoint]
fn all_kinds(x: f64) -> f64 {
    let steps = Normal::cdf(x).floor() + Normal::cdf(x).fract() + Normal::pdf(x).signum();
    let chosen = Normal::pdf(x).rem_euclid(0.3) + Normal::pdf(x).clamp(0.0, 0.9);
    let three = Normal::pdf(x).mul_add(x, x) * Normal::cdf(x).hypot(x);
    let poles = Normal::pdf(x).recip() + Normal::cdf(x).atan2(x) + Normal::cdf(x).log(3.0);
    steps + chosen + three + poles - Normal::cdf(x).exp_m1().ln_1p().cbrt()
}

#[adjoint]
fn asked(x: f64) -> f64 {
    if Normal::cdf(x).is_nan() {
        return x;
    }
    -Normal::cdf(x).abs()
}

#[adjoint]
fn of_structs(x: f64) -> f64 {
    let small = Angle::of(0.1);
    Angle::of(x).sin().turn() * Angle::of(x).max(small).turn() * Normal::cdf(x).sin()
}

#[derive(Clone, Copy, Differentiable)]
struct Pair<T> {
    first: T,
}

#[adjoint]
impl<T: Float> Pair<T> {
    fn twice(a: T) -> T {
        a + a
    }

    fn square(&self) -> T {
        self.first * self.first
    }
}

#[adjoint]
fn generic<T: Float>(a: T) -> T {
    let b: T = Pair::twice(a);
    let c: T = Pair::<T>::twice(b);
    b.sin() * Pair::twice(a).cos().exp() * c
}

#[adjoint]
fn through_generics(x: f64) -> f64 {
    let pair = Pair { first: x };
    generic(x) * generic::<f64>(pair.square())
}

#[derive(Clone, Copy, Differentiable)]
struct Orbit {
    a: f64,
    m: f64,
}

#[adjoint]
impl Orbit {
    fn propagate(&self, dt: f64) -> Orbit {
        Orbit {
            m: self.m + dt,
            ..*self
        }
    }

    fn to_state(&self) -> Option<[f64; 2]> {
        if self.a > 0.0 {
            Some([self.m, self.a])
        } else {
            None
        }
    }

    fn as_pair(&self) -> (f64, f64) {
        (self.a, self.m * self.a)
    }
}

#[adjoint]
fn named_like_conversions(x: f64, y: f64) -> f64 {
    let orbit = Orbit { a: x, m: y };
    let (a, b) = orbit.propagate(x).as_pair();
    match orbit.propagate(y).to_state() {
        Some(k) => k[0] * k[1] + a * b,
        None => a,
    }
}

#[test]
fn numbers_have_their_methods() {
    check!(logarithm(0.7) -> f64);
    check!(several(0.7, 0.6) -> f64);
    check!(in_closures(0.7, &[0.6, 2.0, -3.0]) -> f64);
    check!(in_loops(0.7, const 3) -> f64);
    check!(nested(0.7) -> f64);
    check!(both(0.7) -> f64);
    check!(all_kinds(0.7) -> f64);
    check!(asked(0.7) -> f64);
}

#[test]
fn structs_have_theirs() {
    check!(of_structs(0.7) -> f64);
    check!(through_generics(0.7) -> f64);
    check!(named_like_conversions(0.7, 0.3) -> f64);
}

struct Law;

#[adjoint]
impl Law {
    fn square(x: f64) -> f64 {
        x * x
    }

    fn affine(x: f64, y: f64) -> f64 {
        x * y + 0.1
    }
}

/// Overwrites what it reads, and leaves in two ways.
#[adjoint]
fn walk(x: &mut [f64], k: f64, n: usize) -> f64 {
    let mut v = k;
    for i in 0..n {
        let i = i % x.len();
        x[i] = Law::affine(x[i], v).max(v).min(Law::square(k)) * x[i];
        v = Law::square(x[i]).sqrt() * v;
        if Law::square(v).ln() < -6.0 {
            break;
        }
        if Law::affine(v, x[0]).abs() > 50.0 {
            return v.min(Law::square(v).sqrt());
        }
        v += Law::square(v).powi(2).mul_add(x[i], v);
    }
    x[0] = Law::square(x[0]).atan2(v);
    v * x[0]
}

#[test]
fn what_is_overwritten_and_left_early() {
    for n in [0, 1, 2, 5, 9] {
        for x in [0.9, 0.2, 3.0] {
            check!(walk(&mut [x, 0.8, 1.3], 0.7, const n) -> f64);
        }
    }
}

#[adjoint]
fn at_its_pole(x: f64) -> f64 {
    Law::square(x).sqrt()
}

#[test]
fn a_zero_seed_passes_nothing() {
    let mut dx = 0.0;
    assert_eq!(at_its_pole_adjoint(0.0, &mut dx, 0.0), 0.0);
    assert_eq!(dx, 0.0);
    assert!(at_its_pole_adjoint(f64::NAN, &mut dx, 0.0).is_nan());
    assert_eq!(dx, 0.0);
}

/// The same functions, where all of them are seen.
#[adjoint]
mod seen {
    pub struct Normal;

    impl Normal {
        pub fn pdf(x: f64) -> f64 {
            (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt()
        }
    }

    pub fn edges(x: f64, k: f64) -> f64 {
        Normal::pdf(x).max(k) * Normal::pdf(x).ln() + Normal::pdf(x).sqrt().min(k)
    }
}

#[adjoint]
fn edges(x: f64, k: f64) -> f64 {
    Normal::pdf(x).max(k) * Normal::pdf(x).ln() + Normal::pdf(x).sqrt().min(k)
}

#[test]
fn edges_are_those_of_numbers() {
    for (x, k) in [
        (0.7, 0.3),
        (40.0, 0.0),
        (f64::INFINITY, 1.0),
        (0.5, Normal::pdf(0.5)),
        (f64::NAN, 1.0),
    ] {
        for seed in [0.0, 1.0, f64::INFINITY] {
            let (mut dx, mut dk) = (0.0, 0.0);
            let value = edges_adjoint(x, &mut dx, k, &mut dk, seed);
            let (mut of_seen_x, mut of_seen_k) = (0.0, 0.0);
            let of_seen = seen::edges_adjoint(x, &mut of_seen_x, k, &mut of_seen_k, seed);
            let bits = |values: [f64; 3]| values.map(|v| if v.is_nan() { None } else { Some(v) });
            assert_eq!(
                bits([value, dx, dk]),
                bits([of_seen, of_seen_x, of_seen_k]),
                "{x} {k} {seed}"
            );
        }
    }
}
