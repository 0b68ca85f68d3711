//! Constant tables of structs that are not `Copy`.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Differentiable)]
struct Term {
    a: f64,
    n: i32,
    c: [f64; 2],
}

const fn term(a: f64, n: i32, c: [f64; 2]) -> Term {
    Term { a, n, c }
}

const CONSTANT: [Term; 2] = [term(1.5, 2, [0.1, 0.2]), term(0.5, 3, [0.3, 0.4])];
static STATIC: [Term; 2] = [term(0.7, 1, [0.5, 0.2]), term(1.1, 4, [0.3, 0.6])];

#[adjoint]
fn by_index(t: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..CONSTANT.len() {
        s += CONSTANT[i].a * (f64::from(CONSTANT[i].n) * t).sin() + CONSTANT[i].c[1] * t;
    }
    s
}

#[adjoint]
fn of_a_static(t: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..2 {
        s += STATIC[i].a * (STATIC[i].n as f64 * t).sin() + STATIC[i].c.iter().sum::<f64>() * t;
    }
    s
}

#[adjoint]
fn run_over(t: f64) -> f64 {
    let mut s = 0.0;
    for c in CONSTANT.iter() {
        s += c.a * (c.n as f64 * t).sin() + c.c[1] * t;
    }
    for c in &CONSTANT {
        s *= c.a;
    }
    s
}

#[adjoint]
fn declared_inside(t: f64) -> f64 {
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
mod seen {
    use super::*;

    const T: [Wave; 2] = [Wave { a: 1.5, n: 2 }, Wave { a: 0.5, n: 3 }];

    #[derive(Clone, Differentiable)]
    pub struct Wave {
        pub a: f64,
        pub n: i32,
    }

    pub fn by_index(t: f64) -> f64 {
        let mut s = 0.0;
        for i in 0..T.len() {
            s += T[i].a * (T[i].n as f64 * t).sin();
        }
        s
    }
}

#[test]
fn tables_of_structs() {
    check!(by_index(0.3) -> f64);
    check!(of_a_static(0.3) -> f64);
    check!(run_over(0.3) -> f64);
    check!(declared_inside(0.3) -> f64);
    check!(seen::by_index(0.3) -> f64);
}
