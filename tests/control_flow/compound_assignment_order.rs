//! `left op= right` where one side changes what the other reads.
//!
//! For Rust's own numbers the right side comes first, for other types the left one.

use std::ops::{AddAssign, MulAssign};

use adjoint::adjoint;
use num_traits::Float;

use crate::common::check;
use crate::common::types::V;

#[adjoint]
impl AddAssign for V {
    fn add_assign(&mut self, o: V) {
        self.p += o.p;
        self.q *= o.q;
    }
}

#[adjoint]
impl MulAssign<f64> for V {
    fn mul_assign(&mut self, k: f64) {
        self.p *= k;
    }
}

fn next(i: &mut usize) -> usize {
    *i += 1;
    *i - 1
}

#[adjoint]
fn of_structs(mut a: Vec<V>, x: f64) -> f64 {
    let mut i = 0;
    a[i] *= {
        i += 1;
        x * i as f64
    };
    i = 0;
    let p = x;
    a[next(&mut i)] += V {
        p: p * next(&mut i) as f64,
        q: x,
    };
    a[0].p * a[1].q + a[1].p * i as f64
}

#[adjoint]
fn of_generic_numbers<T: Float + AddAssign + MulAssign>(a: &mut [T], x: T) -> T {
    let mut i = 0;
    a[i] += {
        i += 1;
        x * a[i]
    };
    i = 0;
    a[next(&mut i)] *= a[next(&mut i)];
    a[0] * a[1] * a[1]
}

#[adjoint]
fn of_numbers(x: f64) -> f64 {
    let mut n = 0;
    let mut a = [x, x * x, 1.0];
    a[n] += {
        n += 1;
        a[n] * x
    };
    a[next(&mut n)] *= a[next(&mut n)];
    a[0] * a[1] + a[2] * n as f64
}

#[test]
fn compound_assignments() {
    let a = vec![V { p: 0.3, q: 0.4 }, V { p: 0.5, q: 0.9 }];
    check!(of_structs(a, 0.7) -> f64);
    check!(of_numbers(0.3) -> f64);
    check!(of_generic_numbers(&mut [0.3, 0.4], 0.7) -> f64);
}
