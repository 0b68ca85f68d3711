//! Tables of structs that are not `Copy`, and what `#[adjoint] mod` sees of sums and of structs in bodies.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
pub struct Co {
    pub a: f64,
    pub n: i32,
    pub c: [f64; 2],
}
const X: [Co; 2] = [
    Co {
        a: 1.5,
        n: 2,
        c: [0.1, 0.2],
    },
    Co {
        a: 0.5,
        n: 3,
        c: [0.3, 0.4],
    },
];
static Y: [Co; 2] = [
    Co {
        a: 1.5,
        n: 2,
        c: [0.1, 0.2],
    },
    Co {
        a: 0.5,
        n: 3,
        c: [0.3, 0.4],
    },
];
#[adjoint]
fn f(t: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..X.len() {
        s += X[i].a * (X[i].n as f64 * t).sin() + X[i].c[1] * t;
    }
    s
}
#[adjoint]
fn fy(t: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..2 {
        s += Y[i].a * (Y[i].n as f64 * t).sin() + X[i].c.iter().sum::<f64>() * t;
    }
    s
}
#[adjoint]
fn fe(t: f64) -> f64 {
    let mut s = 0.0;
    for c in X.iter() {
        s += c.a * (c.n as f64 * t).sin() + c.c[1] * t;
    }
    for e in &X {
        s *= e.a
    }
    s
}
#[adjoint]
fn inner(t: f64) -> f64 {
    struct Term {
        n: i32,
        a: f64,
    }
    const T: [Term; 2] = [Term { n: 3, a: 0.2 }, Term { n: 2, a: 0.7 }];
    let mut s = 0.0;
    for i in (0..T.len()).rev() {
        let arg = T[i].n as f64 * t;
        s += T[i].a * arg.sin();
    }
    s
}
#[adjoint]
mod m {
    use super::*;
    #[derive(Clone, Copy, Differentiable)]
    pub struct Dual {
        pub v: f64,
        pub d: f64,
    }
    impl std::ops::Add for Dual {
        type Output = Dual;
        fn add(self, o: Dual) -> Dual {
            Dual {
                v: self.v + o.v,
                d: self.d + o.d,
            }
        }
    }
    impl std::iter::Sum for Dual {
        fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
            iter.fold(Self { v: 0.0, d: 0.0 }, |a, b| a + b)
        }
    }
    pub fn f(x: &[f64]) -> f64 {
        let d: Dual = x.iter().map(|&a| Dual { v: a, d: a * a }).sum();
        d.v * d.d
    }
    pub fn g(t: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..Z.len() {
            s += Z[i].a * (Z[i].n as f64 * t).sin() + Z[i].c[1] * t;
        }
        s
    }
    const Z: [Ci; 2] = [
        Ci {
            a: 1.5,
            n: 2,
            c: [0.1, 0.2],
        },
        Ci {
            a: 0.5,
            n: 3,
            c: [0.3, 0.4],
        },
    ];
    #[derive(Clone, Differentiable)]
    pub struct Ci {
        pub a: f64,
        pub n: i32,
        pub c: [f64; 2],
    }
}
#[test]
fn tables_of_structs() {
    check!(f(0.3) -> f64);
    check!(fy(0.3) -> f64);
    check!(fe(0.3) -> f64);
    check!(inner(0.3) -> f64);
    check!(m::g(0.3) -> f64);
    check!(m::f(&[0.3, 0.5]) -> f64);
}
