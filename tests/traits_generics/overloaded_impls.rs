//! Several `impl`s of one trait for one type, selected by their argument types, and `into`.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod k {
    use adjoint::Differentiable;
    use std::ops::*;
    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct V {
        pub x: f64,
        pub y: f64,
    }
    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct W {
        pub x: f64,
    }
    impl From<V> for W {
        fn from(v: V) -> W {
            W { x: v.x * v.y }
        }
    }
    impl From<&V> for W {
        fn from(v: &V) -> W {
            W { x: v.x - v.y }
        }
    }
    impl From<f64> for W {
        fn from(v: f64) -> W {
            W { x: v.sin() }
        }
    }
    impl From<[f64; 2]> for V {
        fn from(v: [f64; 2]) -> V {
            V {
                x: v[0] * 2.0,
                y: v[1],
            }
        }
    }
    impl From<(f64, f64)> for V {
        fn from((x, y): (f64, f64)) -> Self {
            Self { x, y: y * 3.0 }
        }
    }
    impl From<&[f64]> for V {
        fn from(v: &[f64]) -> V {
            V {
                x: v[0] * 5.0,
                y: v[1],
            }
        }
    }
    pub fn f(x: f64, y: f64) -> f64 {
        let v = V { x, y };
        let w: W = v.into();
        let u = W::from(&v);
        let r: &V = &v;
        let z: W = r.into();
        w.x + u.x * z.x + W::from(x).x
    }
    pub fn f1(v: [f64; 2]) -> f64 {
        let w: V = v.into();
        let u: V = (v[1], v[0]).into();
        w.x * w.y + u.x * u.y + V::from(&v[..]).x.sin()
    }
    fn norm(v: V) -> f64 {
        v.x * v.x + v.y.sin()
    }
    fn two(x: f64) -> V {
        [x, x * x].into()
    }
    pub fn f2(x: f64, y: f64) -> f64 {
        norm([x, y].into()) + norm((x, y).into()) * norm(V::from((y, x))) + norm(two(x))
    }
    pub fn f3(p: &[(f64, f64)]) -> f64 {
        let vs: Vec<V> = p.iter().map(|&p| p.into()).collect();
        let us: Vec<V> = p.iter().map(|&p| V::from(p)).collect();
        vs.iter().map(|v| v.x * v.y).sum::<f64>() + us[0].x
    }
    pub trait Noise<const N: usize> {
        fn get(&self, p: [f64; N]) -> f64;
    }
    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Sines {
        pub a: f64,
    }
    impl Noise<2> for Sines {
        fn get(&self, p: [f64; 2]) -> f64 {
            (self.a * p[0]).sin() * p[1]
        }
    }
    impl Noise<3> for Sines {
        fn get(&self, p: [f64; 3]) -> f64 {
            (self.a * p[0]).cos() * p[1] + p[2]
        }
    }
    fn fbm<G: Noise<2>>(g: &G, p: [f64; 2]) -> f64 {
        let mut s = 0.0;
        for k in 0..3 {
            s += g.get([p[0] * k as f64, p[1]]);
        }
        s
    }
    pub fn f4(a: f64, x: f64, y: f64) -> f64 {
        let n = Sines { a };
        n.get([x, y]) + n.get([x, y, x * y]) * fbm(&n, [y, x])
    }
    impl Mul<f64> for V {
        type Output = V;
        fn mul(self, k: f64) -> V {
            V {
                x: self.x * k,
                y: self.y * k,
            }
        }
    }
    pub fn f5(p: &[f64; 2], k: f64) -> f64 {
        let v = V::from(*p) * k;
        let mut w: V = V::from((1.0, k));
        w = (w.x, v.y).into();
        norm(w) + v.x
    }
}

#[test]
fn methods_are_told_apart_by_their_arguments() {
    check!(k::f(0.3, 0.5) -> f64);
    check!(k::f1([0.3, 0.5]) -> f64);
    check!(k::f2(0.3, 0.5) -> f64);
    check!(k::f3(&[(0.3, 0.5), (0.2, 0.9)]) -> f64);
    check!(k::f4(1.3, 0.3, 0.5) -> f64);
    check!(k::f5(&[1.3, 0.3], 0.5) -> f64);
}

/// Methods of users' types with the names of operators' and of `Option`s'.
#[adjoint]
mod named {
    use std::ops::{Add, AddAssign, Mul};

    use adjoint::Differentiable;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct P {
        x: f64,
        y: f64,
    }

    impl Mul<f64> for P {
        type Output = Self;
        fn mul(self, r: f64) -> Self {
            Self {
                x: self.x * r,
                y: self.y * r,
            }
        }
    }

    impl Add for P {
        type Output = Self;
        fn add(self, r: P) -> Self {
            Self {
                x: self.x + r.x,
                y: self.y * r.y,
            }
        }
    }

    impl AddAssign for P {
        fn add_assign(&mut self, r: P) {
            *self = self.add(r).mul(2.0);
        }
    }

    impl P {
        fn ok(&self) -> bool {
            self.x.is_finite()
        }

        fn inverse(&self) -> (Self, bool) {
            let m = Self {
                x: 1.0 / self.x,
                y: self.y,
            };
            if !m.ok() {
                return (m, false);
            }
            (m, true)
        }
    }

    pub fn chained(x: f64, y: f64) -> f64 {
        let a = P { x, y };
        let mut q = a.mul(y).add(a);
        q.add_assign(a);
        let mut z = x;
        z.add_assign(y * x);
        let (p, ok) = q.inverse();
        if ok { p.x * p.y + z } else { z }
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Complex<T> {
        pub re: T,
        pub im: T,
    }

    pub type C64 = Complex<f64>;

    impl C64 {
        const I: C64 = Complex { re: 0.0, im: 1.0 };

        fn ln(self) -> Self {
            Complex {
                re: self.re.hypot(self.im).ln(),
                im: self.im.atan2(self.re),
            }
        }
    }

    impl Mul<f64> for C64 {
        type Output = C64;
        fn mul(self, o: f64) -> C64 {
            Complex {
                re: self.re * o,
                im: self.im * o,
            }
        }
    }

    pub fn of_an_alias(re: f64, im: f64) -> f64 {
        let l = Complex { re, im }.ln();
        let c = l * 2.0;
        c.re * c.im + (C64 { re, im: re }.ln() * im).re + (C64::I * re).im
    }
}

#[test]
fn methods_with_names_that_others_have() {
    check!(named::chained(0.3, 0.5) -> f64);
    check!(named::of_an_alias(0.3, 0.5) -> f64);
}
