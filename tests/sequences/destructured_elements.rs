//! Elements of one list that are destructured and passed to one call: `let [a, b, c] = x; f(a, b, c)`.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
fn eos(e: &mut f64, p: &mut f64, q: &mut f64, c: f64) {
    *e += *p * c;
    *q *= *e;
}
#[adjoint]
pub fn ends_swapped(x: &mut [f64], v: f64) -> f64 {
    if let [a, .., b] = x {
        std::mem::swap(a, b);
    }
    x[0] * x[1] * v
}
#[adjoint]
pub fn ends(x: &mut [f64], v: f64) -> f64 {
    if let [a, .., b] = x {
        eos(a, b, &mut 3.0, v);
    }
    x[0] * x[1]
}
#[adjoint]
pub fn rest_scaled(x: &mut [f64], v: f64) -> f64 {
    if let [a, rest @ ..] = x {
        rest[0] *= *a;
    }
    x[0] * x[1] * v
}
#[adjoint]
pub fn first_and_rest(x: &mut [f64], v: f64) -> f64 {
    if let [a, rest @ ..] = x {
        eos(a, &mut rest[1], &mut 2.0, v)
    }
    x[0] * x[1]
}
#[adjoint]
pub fn all_of_it(x: &mut [f64], v: f64) -> f64 {
    if let [a, rest @ ..] = x {
        rest[0] *= *a;
        eos(a, &mut rest[1], &mut 2.0, v)
    }
    x[0] * x[1]
}
#[adjoint]
mod parts {
    fn eos(e: &mut f64, p: &mut f64, q: &mut f64, c: f64) {
        *e += *p * c;
        *q *= *e;
    }
    pub fn run(x: &mut [f64; 3], v: f64) -> f64 {
        let [e, p, q] = x;
        eos(e, p, q, v);
        *e + *p * *q
    }
    fn pair(a: &mut [f64], b: &mut [f64]) {
        a[0] += b[0];
        b[1] *= a[1];
    }
    pub fn rows(x: &mut [[f64; 2]; 2], v: f64) -> f64 {
        let [a, b] = x;
        pair(a, b);
        pair(b, a);
        a[0] * v + b[1]
    }
    pub fn slices(x: &mut [f64], v: f64) -> f64 {
        if let [a, .., b] = x {
            std::mem::swap(a, b);
            eos(a, b, &mut 3.0, v);
        }
        if let [a, rest @ ..] = x {
            rest[0] *= *a;
            eos(a, &mut rest[1], &mut 2.0, v)
        }
        x[0] * x[1]
    }
    pub fn disjoint(x: &mut [f64; 4], v: f64) -> f64 {
        let [a, b, c, d] = x;
        eos(a, b, c, v);
        eos(d, a, b, *c);
        *a * *b * *c * *d
    }
    pub fn by_ref(mut x: [f64; 3], v: f64) -> f64 {
        let [ref mut a, ref mut b, ref mut c] = x;
        eos(a, b, c, v);
        x[0] * x[1] * x[2]
    }
    pub fn iter(x: &mut [f64], v: f64) -> f64 {
        let mut it = x.iter_mut();
        let (a, b) = (it.next().unwrap(), it.next().unwrap());
        eos(a, b, &mut 1.5, v);
        *a * *b
    }
}
#[test]
fn elements_are_lent_to_one_call() {
    use parts::*;
    check!(run(&mut [0.3, 0.8, 0.2], 0.4) -> f64);
    check!(rows(&mut [[0.3, 0.8], [0.2, 0.4]], 0.4) -> f64);
    check!(slices(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
    check!(disjoint(&mut [0.3, 0.8, 0.2, 0.9], 0.4) -> f64);
    check!(by_ref([0.3, 0.8, 0.2], 0.4) -> f64);
    check!(iter(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
    check!(ends_swapped(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
    check!(ends(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
    check!(rest_scaled(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
    check!(first_and_rest(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
    check!(all_of_it(&mut vec![0.3, 0.8, 0.2], 0.4) -> f64);
}
