//! Variables with the names of their functions, which generated code may use as well.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn next(x: f64) -> f64 {
    x * x
}
#[adjoint]
fn end(x: f64) -> f64 {
    x * 3.0
}
#[adjoint]
fn trips(x: f64) -> f64 {
    x * 3.0
}
#[adjoint]
fn tape(x: f64) -> f64 {
    x * 3.0
}
#[adjoint]
fn trip(x: f64) -> f64 {
    x * 3.0
}
#[adjoint]
fn a(x: &[f64]) -> f64 {
    let next = next(x[0]);
    let end = end(x[1]);
    let trips = trips(x[1]);
    let trip = trip(x[0]);
    let tape = tape(x[0]);
    let mut s = 1.0;
    for i in 0..x.len() {
        s *= x[i].sin() * next + end * tape;
    }
    for i in (0..x.len()).rev() {
        for j in i..x.len() {
            s *= x[j].sin() + trips * end * trip;
        }
    }
    let mut k = 0;
    while k < 3 {
        s = s.sin() * trip + tape;
        k += 1;
    }
    s
}
mod ints {
    use adjoint::adjoint;
    fn next(x: f64) -> usize {
        x as usize
    }
    fn end(x: &[f64]) -> usize {
        x.len() - 1
    }
    fn trips(x: f64) -> usize {
        (x * 4.0) as usize
    }
    #[adjoint(inactive(next, end, trips))]
    pub fn b(x: &[f64]) -> f64 {
        let next = next(x[0] + 1.5);
        let end = end(x);
        let trips = trips(x[0]);
        let mut s = 1.0;
        for i in 0..x.len() {
            s *= x[i].sin() * x[next] + x[end];
        }
        for i in (0..x.len()).rev() {
            for j in i..x.len() {
                s *= x[j].sin() + x[trips] * x[end];
            }
        }
        s
    }
}
#[test]
fn floats() {
    check!(a(&[0.3, 0.8]) -> f64);
}
#[test]
fn indices() {
    check!(ints::b(&[0.3, 0.8, 0.5]) -> f64);
}
