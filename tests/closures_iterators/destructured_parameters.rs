//! Parameters that are destructured in the signature.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[adjoint]
fn tuple((a, b): (f64, f64), k: f64) -> f64 {
    a * b.sin() * k
}

#[adjoint]
fn array([x, y]: [f64; 2], k: f64) -> f64 {
    x * y.sin() * k
}

#[adjoint]
fn calling(p: [f64; 2], k: f64) -> f64 {
    array(p, k) * array([k, p[0]], p[1]) * tuple((k, p[0]), p[1])
}

#[adjoint]
fn referred(&(a, b): &(f64, f64), k: f64) -> f64 {
    a * b.sin() * k
}

#[adjoint]
fn unnamed(&x: &f64, _: f64, (mut a, _): (f64, usize)) -> f64 {
    a *= x;
    a * a + x
}

#[adjoint]
fn in_out((a, b): &mut (f64, f64), k: f64) {
    *a *= *b * k;
    *b += a.sin();
}

#[adjoint]
fn owned((v, k): (Vec<f64>, f64), (i, j): (usize, usize)) -> f64 {
    let mut w = v;
    w[i] *= k;
    w.iter().map(|x| x * x).sum::<f64>() * w[j]
}

#[adjoint]
fn nested<const N: usize>([[a, b], c]: [[f64; 2]; 2], ((p, q), r): ((f64, f64), [f64; N])) -> f64 {
    a * b * c[0] + p * q * r[0] + c[1]
}

#[adjoint]
fn rest([first, rest @ ..]: &[f64; 3], k: f64) -> f64 {
    first * rest.iter().sum::<f64>() * k
}

#[adjoint]
fn whole(p @ (a, b): (f64, f64)) -> f64 {
    p.0 * a * b
}

#[adjoint(wrt(a_b))]
fn only((a, b): (f64, f64), k: f64) -> f64 {
    a * b.sin() * k
}

#[test]
fn tuples_and_arrays() {
    check!(tuple((0.3, 0.7), 1.3) -> f64);
    check!(calling([0.3, 0.7], 1.3) -> f64);
    check!(referred(&(0.3, 0.7), 1.3) -> f64);
    check!(unnamed(&0.3, 0.7, (1.3, 4)) -> f64);
    check!(in_out(&mut (0.3, 0.7), 1.3));
    check!(owned((vec![0.3, 0.7], 1.3), const (0, 1)) -> f64);
    check!(nested([[0.1, 0.2], [0.3, 0.4]], ((0.5, 0.6), [0.7, 0.8])) -> f64);
    check!(rest(&[0.3, 0.7, 0.2], 1.3) -> f64);
    check!(whole((0.3, 0.7)) -> f64);
    check!(only((0.3, 0.7), const 1.3) -> f64);
}

#[derive(Clone, Debug, Differentiable, Copy)]
struct Point {
    x: f64,
    y: f64,
    n: usize,
}

flat!(Point { x, y });

#[adjoint]
fn fields(Point { x, y, .. }: Point, Point { x: u, y: v, n }: &Point) -> f64 {
    x * v + y * u * *n as f64
}

#[adjoint]
fn of_fields(p: &Point, k: f64) -> f64 {
    fields(*p, p) * fields(Point { x: k, ..*p }, &Point { x: k, y: p.x, n: 2 })
}

#[test]
fn structs() {
    let p = Point {
        x: 0.2,
        y: 0.9,
        n: 3,
    };
    check!(fields(p, &p) -> f64);
    check!(of_fields(&p, 0.3) -> f64);
}

#[adjoint]
mod together {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, Differentiable)]
    pub struct Weight {
        pub w: f64,
    }

    impl Weight {
        fn at(&self, (i, j): (usize, usize), [a, b]: [f64; 2]) -> f64 {
            self.w * (a + i as f64) * (b - j as f64)
        }
    }

    fn distance((x0, y0): (f64, f64), (x1, y1): (f64, f64)) -> f64 {
        ((x0 - x1).powi(2) + (y0 - y1).powi(2)).sqrt()
    }

    fn twice(f: impl Fn((f64, f64)) -> f64, (a, b): (f64, f64)) -> f64 {
        f((a, b)) * f((b, a))
    }

    pub fn along(x: &[(f64, f64)], s: &Weight) -> f64 {
        let mut t = 0.0;
        for w in x.windows(2) {
            t += distance(w[0], w[1]) * s.at((1, 2), [w[0].0, w[1].1]);
        }
        t + x.first().map_or(s.w, |p| twice(|(p, q)| p * q * q, *p))
    }
}

use together::Weight;
flat!(Weight { w });

#[test]
fn methods_and_functions_that_see_each_other() {
    let points = vec![(0.1, 0.2), (0.7, 0.3), (0.4, 0.9)];
    check!(together::along(&points, &Weight { w: 0.3 }) -> f64);
    check!(together::along(&points[..0].to_vec(), &Weight { w: 0.3 }) -> f64);
}

fn area_adjoint(p: (f64, f64), p_adj: &mut (f64, f64), ret_adj: f64) -> f64 {
    p_adj.0 += p.1 * ret_adj;
    p_adj.1 += p.0 * ret_adj;
    p.0 * p.1
}

mod opaque {
    use adjoint::adjoint;

    #[adjoint(custom = super::area_adjoint)]
    pub fn area((a, b): (f64, f64)) -> f64 {
        a * b
    }
}

#[adjoint]
fn squared(k: f64) -> f64 {
    opaque::area((k, k * k))
}

#[test]
fn an_adjoint_of_the_users() {
    check!(squared(0.3) -> f64);
}

/// What is taken apart has the fields that are seen, also those of variants: their operators are theirs.
#[adjoint]
mod seen {
    use std::ops::{Add, Mul};

    use adjoint::Differentiable;

    #[derive(Clone, Copy, Differentiable)]
    pub struct Vector {
        pub x: f64,
        pub y: f64,
    }

    impl Add for Vector {
        type Output = Self;

        fn add(self, other: Self) -> Self {
            let Vector { x, y } = other;
            Vector {
                x: self.x + x,
                y: self.y + y,
            }
        }
    }

    impl Mul<Vector> for f64 {
        type Output = Vector;

        fn mul(self, v: Vector) -> Vector {
            let Vector { x, y } = v;
            Vector {
                x: x * self,
                y: self * y,
            }
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Quaternion {
        pub w: f64,
        pub v: Vector,
    }

    impl Mul for Quaternion {
        type Output = Quaternion;

        fn mul(self, r: Quaternion) -> Quaternion {
            let Self { w: a, v: u } = self;
            let Quaternion { w: b, v } = r;
            let (Vector { x, .. }, Vector { y, .. }) = (u, v);
            Quaternion {
                w: a * b + x * y,
                v: a * v + r.w * u,
            }
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub enum Motion {
        Turn(f64, Vector),
        Shift { by: Vector, times: f64 },
    }

    impl Motion {
        pub fn moved(self, k: f64) -> Vector {
            match self {
                Motion::Turn(a, v) => a * v + k * v,
                Self::Shift { by, times } => times * by + k * by,
            }
        }

        pub fn by_reference(&self, k: f64) -> Vector {
            if let Self::Turn(a, v) = self {
                return *a * *v + k * *v;
            }
            let Motion::Shift { by, times } = *self else {
                return k * Vector { x: k, y: 1.0 };
            };
            k * by + times * by
        }
    }

    impl Mul for Motion {
        type Output = Vector;

        fn mul(self, other: Motion) -> Vector {
            match (self, other) {
                (Motion::Turn(a, v), Motion::Turn(b, u)) => a * u + b * v,
                (Motion::Shift { by, times }, Motion::Turn(b, u)) => times * u + b * by,
                (_, m) => m.moved(0.3),
            }
        }
    }

    pub fn all(p: &[f64], k: f64) -> f64 {
        let v = Vector { x: p[0], y: p[1] };
        let q = Quaternion { w: p[2], v };
        let r = q * Quaternion { w: k, v: p[1] * v };
        let turn = Motion::Turn(k, v);
        let shift = Motion::Shift {
            by: r.v,
            times: p[0],
        };
        let s = turn * turn + shift * turn + turn * shift + turn.moved(k) + shift.moved(p[2]);
        let t = s + turn.by_reference(p[1]) + shift.by_reference(k);
        s.x * t.y + t.x.sin() * r.w
    }
}

#[test]
fn seen_types_are_taken_apart() {
    use seen::*;
    check!(all(&[0.4, 0.9, -0.3], 0.7) -> f64);
}
