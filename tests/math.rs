//! Every function of std's floats that has a derivative: one test per function, in method and in
//! path form, against closed forms, with the edge values that the crate's documentation promises.
#![allow(clippy::excessive_precision, reason = "points are what they are")]

mod common;
use std::f64::consts::{LN_2, LN_10};

use adjoint::adjoint;
use common::{assert_close, check};

const INF: f64 = f64::INFINITY;

/// A test of a function of one variable: points where it is smooth, with differences and the closed
/// form of the derivative, and edges, with the exact value of the derivative.
macro_rules! unary {
    ($name:ident: $points:expr, $slope:expr $(, edges $edges:expr)?) => {
        mod $name {
            use super::*;

            #[adjoint]
            fn method(x: f64) -> f64 {
                x.$name()
            }

            #[adjoint]
            fn path(x: f64) -> f64 {
                f64::$name(x)
            }

            #[adjoint]
            fn in_single(x: f32) -> f32 {
                x.$name()
            }

            #[test]
            fn has_its_derivative() {
                let slope: fn(f64) -> f64 = $slope;
                for x in $points {
                    let x: f64 = x;
                    assert_close(&check!(method(x) -> f64)[0], &[slope(x)]);
                    assert_close(&check!(path(x) -> f64)[0], &[slope(x)]);
                    let mut x_adj = 0.0;
                    in_single_adjoint(x as f32, &mut x_adj, 1.0);
                    let (found, expected) = (f64::from(x_adj), slope(f64::from(x as f32)));
                    let close = (found - expected).abs() <= 1e-5 * expected.abs().max(1.0);
                    assert!(close, "f32 at {x}: {found:e} instead of {expected:e}");
                }
                $(for (x, expected) in $edges {
                    at_edge(method_adjoint, x, expected);
                    at_edge(path_adjoint, x, expected);
                })?
            }
        }
    };
}

/// The exact derivative at an edge, and nothing from a zero seed.
#[track_caller]
fn at_edge(f_adjoint: fn(f64, &mut f64, f64) -> f64, x: f64, expected: f64) {
    let mut x_adj = 0.0;
    f_adjoint(x, &mut x_adj, 1.0);
    let same = x_adj == expected || (x_adj.is_nan() && expected.is_nan());
    assert!(
        same,
        "derivative at {x:e}: {x_adj:e} instead of {expected:e}"
    );
    let mut x_adj = 0.25;
    f_adjoint(x, &mut x_adj, 0.0);
    assert_eq!(x_adj, 0.25, "a zero seed at {x:e}");
}

unary!(sqrt: [0.25, 2.0, 9.0], |x| 0.5 / x.sqrt(), edges [(0.0, INF), (INF, 0.0)]);
unary!(cbrt: [0.5, 8.0, -3.0], |x| 1.0 / (3.0 * x.cbrt().powi(2)), edges [(0.0, INF)]);
unary!(recip: [0.5, 3.0, -2.0], |x| -1.0 / (x * x), edges [(INF, 0.0)]);
unary!(exp: [-2.0, 0.0, 1.5], f64::exp, edges [(-INF, 0.0), (INF, INF)]);
unary!(exp2: [-2.0, 0.0, 1.5], |x| LN_2 * x.exp2(), edges [(-INF, 0.0)]);
unary!(exp_m1: [-2.0, 1e-3, 1.5], f64::exp, edges [(0.0, 1.0), (-INF, 0.0)]);
unary!(ln: [0.5, 1.0, 7.0], |x| 1.0 / x, edges [(0.0, INF), (INF, 0.0)]);
unary!(ln_1p: [-0.5, 1e-3, 7.0], |x| 1.0 / (1.0 + x), edges [(0.0, 1.0), (-1.0, INF)]);
unary!(log10: [0.5, 1.0, 7.0], |x| 1.0 / (x * LN_10), edges [(0.0, INF)]);
unary!(log2: [0.5, 1.0, 7.0], |x| 1.0 / (x * LN_2), edges [(0.0, INF)]);
unary!(sin: [-2.0, 0.3, 5.0], f64::cos, edges [(0.0, 1.0)]);
unary!(cos: [-2.0, 0.3, 5.0], |x| -x.sin(), edges [(0.0, 0.0)]);
unary!(tan: [-1.2, 0.3, 2.0], |x| 1.0 + x.tan().powi(2), edges [(0.0, 1.0)]);
unary!(asin: [-0.7, 0.1, 0.6], |x| 1.0 / (1.0 - x * x).sqrt(), edges [(1.0, INF), (-1.0, INF)]);
unary!(acos: [-0.7, 0.1, 0.6], |x| -1.0 / (1.0 - x * x).sqrt(), edges [(1.0, -INF), (-1.0, -INF)]);
unary!(atan: [-3.0, 0.1, 2.0], |x| 1.0 / (1.0 + x * x), edges [(0.0, 1.0), (INF, 0.0)]);
unary!(sinh: [-2.0, 0.3, 1.5], f64::cosh, edges [(0.0, 1.0)]);
unary!(cosh: [-2.0, 0.3, 1.5], f64::sinh, edges [(0.0, 0.0)]);
unary!(tanh: [-2.0, 0.3, 1.5], |x| x.cosh().powi(-2), edges [(0.0, 1.0), (INF, 0.0), (-INF, 0.0)]);
unary!(asinh: [-2.0, 0.3, 4.0], |x| 1.0 / (1.0 + x * x).sqrt(), edges [(0.0, 1.0)]);
unary!(acosh: [1.2, 2.0, 9.0], |x| 1.0 / (x * x - 1.0).sqrt(), edges [(1.0, INF)]);
unary!(atanh: [-0.7, 0.1, 0.6], |x| 1.0 / (1.0 - x * x), edges [(0.0, 1.0), (1.0, INF)]);
unary!(abs: [-2.0, 0.3], f64::signum, edges [(0.0, 0.0), (-0.0, 0.0), (-INF, -1.0)]);
unary!(to_degrees: [-2.0, 0.3], |_| 1.0_f64.to_degrees());
unary!(to_radians: [-2.0, 0.3], |_| 1.0_f64.to_radians());
unary!(floor: [-2.3, 0.4], |_| 0.0, edges [(2.0, 0.0)]);
unary!(ceil: [-2.3, 0.4], |_| 0.0, edges [(2.0, 0.0)]);
unary!(round: [-2.3, 0.4], |_| 0.0, edges [(2.5, 0.0)]);
unary!(round_ties_even: [-2.3, 0.4], |_| 0.0, edges [(2.5, 0.0)]);
unary!(trunc: [-2.3, 0.4], |_| 0.0, edges [(2.0, 0.0)]);
unary!(fract: [-2.3, 0.4], |_| 1.0, edges [(2.0, 1.0)]);
unary!(signum: [-2.3, 0.4], |_| 0.0, edges [(0.0, 0.0), (-0.0, 0.0)]);

/// A test of a function of two variables: points with both partials, and edges with their exact
/// values.
macro_rules! binary {
    ($name:ident: $points:expr, $slopes:expr $(, edges $edges:expr)?) => {
        mod $name {
            use super::*;

            #[adjoint]
            fn method(x: f64, y: f64) -> f64 {
                x.$name(y)
            }

            #[adjoint]
            fn path(x: f64, y: f64) -> f64 {
                f64::$name(x, y)
            }

            #[adjoint]
            fn with_itself(x: f64) -> f64 {
                x.$name(x)
            }

            #[test]
            fn has_its_derivatives() {
                let slopes: fn(f64, f64) -> [f64; 2] = $slopes;
                for (x, y) in $points {
                    let (x, y): (f64, f64) = (x, y);
                    assert_close(&check!(method(x, y) -> f64)[0], &slopes(x, y));
                    assert_close(&check!(path(x, y) -> f64)[0], &slopes(x, y));
                }
                $(for (x, y, expected) in $edges {
                    at_edges(method_adjoint, x, y, expected);
                    at_edges(path_adjoint, x, y, expected);
                })?
            }

            #[test]
            fn of_one_variable_adds_both_partials() {
                let (mut x_adj, mut y_adj, mut both) = (0.0, 0.0, 0.0);
                method_adjoint(1.75, &mut x_adj, 1.75, &mut y_adj, 1.0);
                with_itself_adjoint(1.75, &mut both, 1.0);
                assert_close(&[both], &[x_adj + y_adj]);
            }
        }
    };
}

type BinaryAdjoint = fn(f64, &mut f64, f64, &mut f64, f64) -> f64;

/// The exact partials at an edge, and nothing from a zero seed.
#[track_caller]
fn at_edges(f_adjoint: BinaryAdjoint, x: f64, y: f64, expected: [f64; 2]) {
    let (mut x_adj, mut y_adj) = (0.0, 0.0);
    f_adjoint(x, &mut x_adj, y, &mut y_adj, 1.0);
    assert_eq!([x_adj, y_adj], expected, "partials at ({x:e}, {y:e})");
    let (mut x_adj, mut y_adj) = (0.25, 0.5);
    f_adjoint(x, &mut x_adj, y, &mut y_adj, 0.0);
    assert_eq!([x_adj, y_adj], [0.25, 0.5], "a zero seed at ({x:e}, {y:e})");
}

binary!(powf: [(2.0, 3.5), (0.3, -1.2), (5.0, 0.0)],
|x, p| [p * x.powf(p - 1.0), x.powf(p) * x.ln()],
edges [
    (0.0, 2.0, [0.0, 0.0]),
    (0.0, 1.0, [1.0, 0.0]),
    (0.0, 0.5, [INF, 0.0]),
    (0.0, 3.0, [0.0, 0.0]),
]);
binary!(hypot: [(3.0, 4.0), (-0.5, 0.2)], |x, y| [x / x.hypot(y), y / x.hypot(y)],
    edges [(0.0, 0.0, [0.0, 0.0]), (0.0, 2.0, [0.0, 1.0]), (3.0, 0.0, [1.0, 0.0])]);
binary!(atan2: [(1.0, 2.0), (-0.5, -0.2), (0.3, -1.0)],
    |y, x| [x / (x * x + y * y), -y / (x * x + y * y)],
    edges [(0.0, 0.0, [0.0, 0.0]), (0.0, 2.0, [0.5, 0.0])]);
binary!(max: [(1.0, 2.0), (3.0, -1.0)], |x, y| if x > y { [1.0, 0.0] } else { [0.0, 1.0] },
    edges [(2.0, 2.0, [1.0, 0.0]), (f64::NAN, 2.0, [0.0, 1.0]), (2.0, f64::NAN, [1.0, 0.0])]);
binary!(min: [(1.0, 2.0), (3.0, -1.0)], |x, y| if x < y { [1.0, 0.0] } else { [0.0, 1.0] },
    edges [(2.0, 2.0, [1.0, 0.0]), (f64::NAN, 2.0, [0.0, 1.0]), (2.0, f64::NAN, [1.0, 0.0])]);
binary!(copysign: [(1.5, -2.0), (-3.0, -1.0), (-0.4, 2.0)],
    |x, y| [if (x > 0.0) == (y > 0.0) { 1.0 } else { -1.0 }, 0.0]);
binary!(rem_euclid: [(7.3, 2.0), (-7.3, 2.0), (5.1, -3.0)],
    |x, y| [1.0, -((x - x.rem_euclid(y)) / y).round()]);
binary!(div_euclid: [(7.3, 2.0), (-7.3, 2.0)], |_, _| [0.0, 0.0]);
binary!(log: [(2.0, 3.0), (0.3, 10.0), (1.0, 2.0)],
    |x, b| [1.0 / (x * b.ln()), -x.ln() / (b * b.ln() * b.ln())]);
binary!(midpoint: [(1.0, 2.5), (-3.0, 7.0)], |_, _| [0.5, 0.5]);

#[adjoint]
fn powi(x: f64, n: i32) -> f64 {
    x.powi(n)
}

#[adjoint]
fn powi_path(x: f64) -> f64 {
    f64::powi(x, 3) + f64::powi(x, -2) + x.powi(1) + x.powi(0)
}

#[test]
fn powi_with_every_kind_of_exponent() {
    for n in -3..5 {
        for x in [-1.5_f64, 0.7] {
            assert_close(
                &check!(powi(x, const n) -> f64)[0],
                &[f64::from(n) * x.powi(n - 1)],
            );
        }
    }
    for (n, expected) in [(0, 0.0), (1, 1.0), (2, 0.0), (5, 0.0)] {
        let mut x_adj = 0.0;
        powi_adjoint(0.0, &mut x_adj, n, 1.0);
        assert_eq!(x_adj, expected, "0 to the {n}");
    }
    assert_close(&check!(powi_path(2.0) -> f64)[0], &[12.0 - 0.25 + 1.0]);
}

#[adjoint]
fn clamp(x: f64, lo: f64, hi: f64) -> f64 {
    x.clamp(lo, hi)
}

#[adjoint]
fn clamp_path(x: f64) -> f64 {
    f64::clamp(x, -1.0, 1.0)
}

#[test]
fn clamp_inside_outside_and_at_the_bounds() {
    assert_eq!(check!(clamp(0.5, -1.0, 2.0) -> f64), [[1.0, 0.0, 0.0]]);
    assert_eq!(check!(clamp(-3.0, -1.0, 2.0) -> f64), [[0.0, 1.0, 0.0]]);
    assert_eq!(check!(clamp(5.0, -1.0, 2.0) -> f64), [[0.0, 0.0, 1.0]]);
    for x in [-1.0, 1.0] {
        at_edge(clamp_path_adjoint, x, 1.0);
        let (mut x_adj, mut lo_adj, mut hi_adj) = (0.0, 0.0, 0.0);
        clamp_adjoint(x, &mut x_adj, -1.0, &mut lo_adj, 1.0, &mut hi_adj, 1.0);
        assert_eq!([x_adj, lo_adj, hi_adj], [1.0, 0.0, 0.0]);
    }
}

#[adjoint]
fn mul_add(x: f64, y: f64, z: f64) -> f64 {
    x.mul_add(y, z) + f64::mul_add(z, z, x)
}

#[test]
fn mul_add_has_its_derivatives() {
    let (x, y, z) = (1.5, -2.0, 0.3);
    assert_close(
        &check!(mul_add(x, y, z) -> f64)[0],
        &[y + 1.0, x, 1.0 + 2.0 * z],
    );
}

#[adjoint]
fn sin_cos(x: f64) -> f64 {
    let (s, c) = x.sin_cos();
    s * c + s
}

#[test]
fn sin_cos_gives_both() {
    let x = 0.7_f64;
    let expected = x.cos().powi(2) - x.sin().powi(2) + x.cos();
    assert_close(&check!(sin_cos(x) -> f64)[0], &[expected]);
}

#[adjoint]
fn quotient(x: f64, y: f64) -> f64 {
    x / y
}

#[test]
fn quotients_at_zero() {
    assert_close(&check!(quotient(3.0, -2.0) -> f64)[0], &[-0.5, -0.75]);
    at_edges(quotient_adjoint, 0.0, 2.0, [0.5, 0.0]);
    at_edges(quotient_adjoint, 1.0, 0.0, [INF, -INF]);
}

#[adjoint]
fn remainder(x: f64, y: f64) -> f64 {
    x % y
}

#[test]
fn remainders_truncate_their_quotient() {
    for (x, y, q) in [
        (7.3, 2.0, 3.0),
        (-7.3, 2.0, -3.0),
        (7.3, -2.0, -3.0),
        (0.5, 2.0, 0.0),
    ] {
        assert_eq!(check!(remainder(x, y) -> f64), [[1.0, -q]]);
    }
}

#[adjoint]
fn masked(x: &[f64; 2], mask: f64) -> f64 {
    mask * (x[0] * x[0] + x[1]).sqrt() + x[1]
}

#[test]
fn an_infinite_partial_with_a_zero_seed_gives_zero() {
    let (mut x_adj, mut mask_adj) = ([0.0; 2], 0.0);
    masked_adjoint(&[0.0, 0.0], &mut x_adj, 0.0, &mut mask_adj, 1.0);
    assert_eq!(x_adj, [0.0, 1.0]);
}

/// Terms of one seed, and of a multiple of it, whose factors are added.
#[adjoint]
fn like_terms(x: &[f64], p: f64, n: usize) -> f64 {
    let part = x[n] * p;
    let none = x[n] * p;
    let y = x[n] - 0.5 * part + x[n] * x[n + 1] + x[n].max(1.0);
    y * x[n + 2] + none * 0.0
}

#[test]
fn factors_of_one_seed_are_added() {
    check!(like_terms(&[2.0, 0.5, 0.25], 0.5, const 0) -> f64);
    let with = |x: [f64; 3], p: f64| {
        let (mut x_adj, mut p_adj) = ([0.0; 3], 0.0);
        like_terms_adjoint(&x, &mut x_adj, p, &mut p_adj, 0, 1.0);
        x_adj[..2].to_vec()
    };
    // The seed of `y` is zero, and so is that of `none`.
    let infinite = f64::INFINITY;
    assert_eq!(with([2.0, 0.5, 0.0], infinite), [0.0, 0.0]);
    assert_eq!(with([2.0, infinite, 0.0], 0.5), [0.0, 0.0]);
    assert_eq!(with([2.0, infinite, 1.0], 0.5), [infinite, 2.0]);
    // That of `none` alone.
    assert_eq!(with([2.0, 0.5, 1.0], infinite), [-infinite, 2.0]);
    assert!(with([2.0, 0.5, 1.0], f64::NAN)[0].is_nan());
}

#[adjoint]
fn predicates(x: f64) -> f64 {
    let usable = x.is_finite() && !x.is_nan() && !x.is_infinite() && x.is_normal();
    let sign = if x.is_sign_positive() { 1.0 } else { -1.0 };
    if usable { sign * x * x } else { x }
}

#[test]
fn predicates_have_no_derivative() {
    assert_close(&check!(predicates(1.5) -> f64)[0], &[3.0]);
    assert_close(&check!(predicates(-1.5) -> f64)[0], &[3.0]);
    at_edge(predicates_adjoint, 0.0, 1.0);
    at_edge(predicates_adjoint, f64::NAN, 1.0);
}
