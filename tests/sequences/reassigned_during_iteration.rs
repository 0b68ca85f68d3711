//! Lists that are moved into an iterator, and whose variables are assigned again during the loop.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn named(a: f64, r: f64) -> f64 {
    let mut v = vec![a, r];
    let squares = v.into_iter().map(|t| t * t);
    v = vec![r, r, a];
    let s: f64 = squares.sum();
    s * v.iter().sum::<f64>()
}

#[adjoint]
fn in_the_loop(a: f64, r: f64) -> f64 {
    let mut v = vec![a, r, a * r];
    let mut s = 0.0;
    for x in v {
        s += x * x;
        v = vec![s, a];
        s *= v[1];
    }
    s
}

#[adjoint]
fn of_rows(a: f64, r: f64) -> f64 {
    let mut v = vec![vec![a], vec![r, a]];
    let mut s = 0.0;
    for row in v {
        s += row.iter().sum::<f64>();
        v = vec![row];
        s *= v[0][0];
    }
    s
}

#[adjoint]
fn one_by_one(a: f64, r: f64) -> f64 {
    let mut v = vec![a, r, a * r];
    let mut it = v.into_iter();
    let mut s = 0.0;
    while let Some(x) = it.next() {
        v = vec![x, r];
        s += v[0] * v[1];
    }
    s
}

#[derive(Clone, Debug, Differentiable)]
struct Lists {
    v: Vec<f64>,
    w: Vec<f64>,
}

#[adjoint]
fn of_a_field(a: f64, r: f64) -> f64 {
    let mut lists = Lists {
        v: vec![a, r],
        w: vec![r],
    };
    let squares = lists.v.into_iter().map(|x| x * x);
    lists.v = vec![a, a, r];
    let s: f64 = squares.sum();
    s * lists.v[2] + lists.w[0]
}

/// Behind the loop, nobody is left to see it.
#[adjoint]
fn in_turn(a: f64, r: f64) -> f64 {
    let mut cur = vec![a, r];
    let mut s = 0.0;
    for _ in 0..3 {
        let mut next = Vec::new();
        for x in cur {
            s += x * x;
            next.push(x * r);
            next.push(s);
        }
        cur = next;
    }
    s * cur[0]
}

#[test]
fn an_iterator_keeps_what_it_took() {
    check!(named(0.4, 0.8) -> f64);
    check!(in_the_loop(0.4, 0.8) -> f64);
    check!(of_rows(0.4, 0.8) -> f64);
    check!(one_by_one(0.4, 0.8) -> f64);
    check!(of_a_field(0.4, 0.8) -> f64);
    check!(in_turn(0.4, 0.8) -> f64);
}
