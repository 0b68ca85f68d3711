//! `move` closures hold copies of their captures, and so do copies of the closures.

use adjoint::adjoint;

use crate::common::check;
use crate::common::types::V;

#[adjoint]
fn of_structs(mut u: V, x: f64) -> f64 {
    let mut g = move |t: f64| {
        u.p += t;
        u.p
    };
    let a = g(x) * u.p;
    u.p = x * x;
    g(x) * u.p + a
}

#[adjoint]
fn of_whole_structs(mut u: V, x: f64) -> f64 {
    let g = move |t: f64| {
        let V { p, q } = u;
        p * t + q
    };
    u = V { p: x, q: x };
    g(x) * u.p
}

#[adjoint]
fn copied(x: f64, y: f64) -> f64 {
    let mut c = x;
    let mut g = move |t: f64| {
        c += t;
        c
    };
    let mut h = g;
    g(x) * h(y) + c
}

#[adjoint]
mod handed {
    fn twice(mut f: impl FnMut(f64) -> f64, x: f64) -> f64 {
        f(x) * f(x)
    }

    pub fn to_functions(x: f64, y: f64) -> f64 {
        let mut c = x;
        let mut g = move |t: f64| {
            c *= t;
            c
        };
        let a = twice(g, y);
        let b = twice(&mut g, y);
        a + b * g(y)
    }

    pub fn to_adapters(x: &[f64], y: f64) -> f64 {
        let mut c = y;
        let g = move |t: &f64| {
            c += *t;
            c
        };
        let a: f64 = x.iter().map(g).sum();
        let b: f64 = x.iter().map(g).product();
        a * b * c
    }
}

#[test]
fn copies_in_closures() {
    let u = V { p: 0.3, q: 0.4 };
    check!(of_structs(u, 0.7) -> f64);
    check!(of_whole_structs(u, 0.7) -> f64);
    check!(copied(0.3, 0.7) -> f64);
    check!(handed::to_functions(0.3, 0.7) -> f64);
    check!(handed::to_adapters(&[0.3, 0.7], 0.4) -> f64);
    check!(handed::to_adapters(&[], 0.4) -> f64);
}
