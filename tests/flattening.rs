//! Flattened functions: inlined calls, unrolled loops, and small arrays as scalars.

#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::manual_swap,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;

use adjoint::adjoint;
use common::{bytes_of_same, check};

/// A module with all kernels.
macro_rules! kernels {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        mod $name {
            fn cross(a: &[f64; 3], b: &[f64; 3]) -> [f64; 3] {
                [
                    a[1] * b[2] - a[2] * b[1],
                    a[2] * b[0] - a[0] * b[2],
                    a[0] * b[1] - a[1] * b[0],
                ]
            }

            fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
                let mut sum = 0.0;
                for k in 0..3 {
                    sum += a[k] * b[k];
                }
                sum
            }

            /// Rodrigues' formula for each point: a rotation, and points of three coordinates.
            pub fn rotations(x: &[f64]) -> f64 {
                let angle = dot(&[x[0], x[1], x[2]], &[x[0], x[1], x[2]]).sqrt();
                let axis = [x[0] / angle, x[1] / angle, x[2] / angle];
                let mut sum = 0.0;
                for i in 1..x.len() / 3 {
                    let point = [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
                    let turned = cross(&axis, &point);
                    let along = dot(&axis, &point) * (1.0 - angle.cos());
                    for k in 0..3 {
                        let image = point[k] * angle.cos() + turned[k] * angle.sin();
                        sum += ((k + 1) as f64 * (image + axis[k] * along)).sin();
                    }
                }
                sum
            }

            fn slopes(y: &[f64; 2], r: &[f64; 4]) -> [f64; 2] {
                [
                    r[0] * y[0] - r[1] * y[0] * y[1],
                    r[2] * y[0] * y[1] - r[3] * y[1],
                ]
            }

            /// Heun's method for predators and their prey.
            pub fn predators(x: &[f64], steps: usize) -> f64 {
                let rates = [x[0], x[1], x[2], x[3]];
                let mut y = [x[4], x[5]];
                for _ in 0..steps {
                    let first = slopes(&y, &rates);
                    let mut predicted = [0.0; 2];
                    for i in 0..2 {
                        predicted[i] = y[i] + 0.1 * first[i];
                    }
                    let second = slopes(&predicted, &rates);
                    for i in 0..2 {
                        y[i] += 0.05 * (first[i] + second[i]);
                    }
                }
                y[0] + 2.0 * y[1]
            }

            /// Forward substitution with a matrix of order 3 for each right-hand side.
            pub fn substitution(x: &[f64]) -> f64 {
                let mut sum = 0.0;
                for n in 0..x.len() / 9 {
                    let mut y = [0.0; 3];
                    for i in 0..3 {
                        let mut rest = x[9 * n + i];
                        for j in 0..i {
                            rest -= x[9 * n + 3 + i * (i - 1) / 2 + j] * y[j];
                        }
                        y[i] = rest / x[9 * n + 6 + i];
                    }
                    for i in (0..3).rev() {
                        sum += y[i] * y[i].exp();
                    }
                }
                sum
            }

            fn exchange(p: &mut [f64; 2], by: f64) {
                *p = [p[1], p[0] * by];
            }

            /// Elements that take each other's place, through a lent array.
            pub fn exchanges(x: &[f64]) -> f64 {
                let mut p = [x[0], x[1]];
                for i in 2..x.len() {
                    exchange(&mut p, x[i]);
                    p[0] = (p[0] * p[1]).sin();
                }
                p[0] * p[1]
            }

            fn step(value: &f64, at: &mut usize) -> f64 {
                *at += 1;
                let root = value.sqrt();
                root * root.sin()
            }

            /// The index of a lent element changes in the callee.
            pub fn walk(x: &[f64]) -> f64 {
                let mut at = 0;
                let mut product = 1.0;
                while at < x.len() {
                    product = (product * step(&x[at], &mut at)).cos();
                }
                product
            }

            fn response(a: f64, b: f64) -> f64 {
                let t = (a * b).exp();
                let u = (t + a).sqrt();
                u * t.sin()
            }

            /// A recurrence through a helper.
            pub fn recurrence(x: &[f64]) -> f64 {
                let mut state = 0.5;
                for i in 0..x.len() {
                    state = state * 0.9 + response(x[i], state);
                }
                state
            }

            fn cumulative(x: f64) -> f64 {
                0.5 + 0.5 * (0.8 * x + 0.04 * x * x * x).tanh()
            }

            /// Options, each with two values of a helper.
            pub fn prices(x: &[f64]) -> f64 {
                let mut sum = 0.0;
                for i in 0..x.len() / 3 {
                    let (spot, strike, width) = (x[3 * i], x[3 * i + 1], x[3 * i + 2]);
                    let d = ((spot / strike).ln() + 0.5 * width * width) / width;
                    sum += spot * cumulative(d) - strike * cumulative(d - width);
                }
                sum
            }

            fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
                let mut sum = 0.0;
                for (a, b) in a.iter().zip(b) {
                    let difference = a - b;
                    sum += difference * difference;
                }
                sum
            }
            /// The squared distance of each point to the nearest of the first `n`; all are of `d` numbers.
            pub fn nearest(x: &[f64], n: usize, d: usize) -> f64 {
                let mut sum = 0.0;
                for i in 0..x.len() / d {
                    let mut nearest = f64::INFINITY;
                    for j in 0..n {
                        let distance =
                            squared_distance(&x[i * d..(i + 1) * d], &x[j * d..(j + 1) * d]);
                        if distance < nearest {
                            nearest = distance;
                        }
                    }
                    sum += nearest;
                }
                sum
            }

            fn clipped(value: f64) -> f64 {
                if value > 1.0 {
                    return 1.0;
                }
                value * value
            }

            /// A callee that returns in a branch, and one loop in another.
            pub fn branches(x: &[f64]) -> f64 {
                let mut sum = 0.0;
                for i in 0..x.len() {
                    let mut term = 1.0;
                    for k in 0..4 {
                        if k % 2 == 0 {
                            term *= clipped(x[i] + 0.1 * k as f64);
                        } else {
                            term += x[i].ln() / (k as f64);
                        }
                    }
                    sum += term * term;
                }
                sum
            }
        }
    };
}

/// Names that are raw, a struct of the callee's own type, a constant whose type a call decides.
#[adjoint]
mod named {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Differentiable)]
    struct Point {
        x: f64,
        v: f64,
    }

    fn damp(r#in: f64) -> f64 {
        let r#type = (r#in * r#in).exp();
        r#type * r#type.sin()
    }

    pub fn raw(x: f64) -> f64 {
        damp(x) * x
    }

    impl Point {
        fn kick(&mut self, h: f64) {
            let a = (self.x * self.x).exp();
            *self = Self {
                x: self.x + h * a,
                v: a.sin(),
            };
        }
    }

    pub fn kicked(x: f64, h: f64) -> f64 {
        let mut p = Point { x, v: x };
        Point::kick(&mut p, h);
        p.x * p.v
    }

    fn weight(x: f64, n: u32) -> f64 {
        let t = (x * n as f64).exp();
        t * t.sin()
    }

    pub fn constant(x: f64) -> f64 {
        let n = 3;
        let mut w = weight(x, n);
        for _ in 0..2 {
            w = w.sin() * (n.pow(2) as f64);
        }
        w
    }

    fn pick(w: f64, a: &f64, b: &f64) -> f64 {
        if w > 0.0 {
            (*a * w).exp().sin()
        } else {
            b.exp().sin()
        }
    }

    pub fn lent(x: &[f64], k: usize, w: f64) -> f64 {
        pick(w, &x[0], &x[k]) * w
    }
}

kernels!(
    #[adjoint]
    flattened
);
kernels!(
    #[adjoint(without(flattening))]
    as_it_is
);

const POSITIVE: [f64; 18] = [
    0.9, 1.1, 0.7, 1.3, 0.6, 1.2, 0.8, 1.05, 0.95, 1.15, 0.75, 0.65, 1.25, 0.85, 1.4, 0.55, 1.35,
    0.45,
];

#[test]
fn flattened_functions_have_their_derivatives() {
    check!(flattened::rotations(&POSITIVE[..12].to_vec()) -> f64);
    check!(flattened::predators(&POSITIVE[..6].to_vec(), const 7) -> f64);
    check!(flattened::substitution(&POSITIVE.to_vec()) -> f64);
    check!(flattened::exchanges(&POSITIVE[..7].to_vec()) -> f64);
    check!(flattened::walk(&POSITIVE[..6].to_vec()) -> f64);
    check!(flattened::recurrence(&POSITIVE[..6].to_vec()) -> f64);
    check!(flattened::prices(&POSITIVE[..6].to_vec()) -> f64);
    check!(flattened::branches(&POSITIVE[..5].to_vec()) -> f64);
    check!(flattened::nearest(&POSITIVE.to_vec(), const 2, const 3) -> f64);
}

#[adjoint]
mod measured {
    /// Takes the lengths in another order than that of its parameters.
    fn product(b: &[f64], a: &[f64]) -> f64 {
        let n = a.len().min(b.len());
        let mut sum = 0.0;
        for i in 0..n {
            sum += a[i] * b[i];
        }
        sum
    }

    pub fn smallest(x: &[f64], n: usize) -> f64 {
        let mut smallest = f64::INFINITY;
        for i in 0..n {
            let value = product(&x[2 * i..2 * i + 4], &x[2 * i..2 * i + 5]);
            if value < smallest {
                smallest = value;
            }
        }
        smallest
    }
}

/// The first argument is the one that panics.
#[test]
#[should_panic(expected = "range end index 6 out of range for slice of length 5")]
fn lent_slices_panic_in_their_order() {
    let mut x_adj = [0.0; 5];
    measured::smallest_adjoint(&POSITIVE[..5], &mut x_adj, 2, 1.0);
}

/// The bytes of a kernel's gradient as it is and flattened.
macro_rules! bytes {
    ($adjoint:ident $(, $n:expr)*) => {
        bytes_of_same(
            &POSITIVE,
            [
                &|tape, x, x_adj| as_it_is::$adjoint(tape, x, x_adj $(, $n)*, 1.0),
                &|tape, x, x_adj| flattened::$adjoint(tape, x, x_adj $(, $n)*, 1.0),
            ],
        )
    };
}

#[test]
fn flattened_functions_have_less_on_the_tape() {
    assert_eq!(bytes!(substitution_adjoint_with), (144, 96));
    assert_eq!(bytes!(prices_adjoint_with), (6 * 48, 6 * 24));
    assert_eq!(bytes!(rotations_adjoint_with), (160, 40));
    // With as much on the tape, they are not flattened.
    assert_eq!(bytes!(recurrence_adjoint_with), (288, 288));
    assert_eq!(bytes!(predators_adjoint_with, 10), (320, 320));
    assert_eq!(bytes!(exchanges_adjoint_with), (384, 384));
    assert_eq!(bytes!(walk_adjoint_with), (576, 576));
    // What one of two branches records has a place for each iteration of the loop around them.
    assert_eq!(bytes!(branches_adjoint_with), (600, 18 * 72));
}

#[test]
fn helpers_with_loops_leave_a_loop_its_frame() {
    // The ways of 12 branches, as bits of a stack and as bytes of frames.
    assert_eq!(bytes!(nearest_adjoint_with, 2, 3), (2, 12));
}

#[test]
#[should_panic(expected = "range end index 21 out of range for slice of length 18")]
fn a_lent_slice_that_is_not_there_panics() {
    let mut x_adj = [0.0; 18];
    flattened::nearest_adjoint(&POSITIVE, &mut x_adj, 7, 3, 1.0);
}

#[test]
fn names_and_types_of_callees_are_their_own() {
    check!(named::raw(0.7) -> f64);
    check!(named::kicked(0.7, 0.3) -> f64);
    check!(named::constant(0.2) -> f64);
    check!(named::lent(&POSITIVE[..3].to_vec(), const 2, 0.4) -> f64);
}

/// What is lent is looked at, also if it is not read.
#[test]
#[should_panic = "index out of bounds: the len is 3 but the index is 3"]
fn a_lent_element_that_is_not_there_panics() {
    let mut x_adj = [0.0; 3];
    named::lent_adjoint(&[0.1, 0.2, 0.3], &mut x_adj, 3, 1.0, &mut 0.0, 1.0);
}
