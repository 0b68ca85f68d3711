//! Imports of the standard library: functions and constants by their bare names.

use adjoint::adjoint;

use crate::common::check;
use visible::within;

#[adjoint]
mod visible {
    use core::mem::{replace, take};
    use std::iter::{once, repeat, zip};
    use std::mem::{self as memory, swap as exchange};

    pub fn exchanged(x: &[f64], y: &mut f64) -> f64 {
        let (mut a, mut b) = (x[0] * *y, *y);
        exchange(&mut a, &mut b);
        let old = replace(y, a * b);
        let mut v = x.to_vec();
        let w = take(&mut v);
        memory::swap(&mut v, &mut vec![a * w[1]]);
        old * b + w[0] * v[0]
    }

    pub fn chained(x: &[f64], y: &[f64]) -> f64 {
        let products: f64 = zip(x, y).map(|(a, b)| a * b).sum();
        once(x[0])
            .chain(repeat(y[1]).take(2))
            .fold(products, |s, v| s * v)
    }

    pub mod within {
        /// What `swap` is here, the module around it does not say.
        fn exchange(a: &mut f64, b: &mut f64) {
            *a *= *b;
        }

        pub fn scaled(x: f64, y: &mut f64) -> f64 {
            let mut a = x;
            exchange(&mut a, y);
            a * x
        }
    }
}

#[adjoint]
fn rotated(x: &mut [f64]) -> f64 {
    use std::array::{self, from_fn};
    use std::f64::consts::{FRAC_PI_4, TAU as TURN};
    use std::mem::swap;
    let [a, b, ..] = x else { return 0.0 };
    swap(a, b);
    *a *= FRAC_PI_4;
    let halves: [f64; 2] = from_fn(|i| x[i] / TURN);
    let whole: [f64; 2] = array::from_fn(|i| halves[1 - i] * x[i]);
    whole[0] * whole[1] + x[0].sin()
}

/// A closure of the name comes first.
#[adjoint]
fn shadowed(x: f64, y: f64) -> f64 {
    use std::mem::swap;
    let (mut a, mut b) = (x, y);
    swap(&mut a, &mut b);
    let swap = |a: f64, b: f64| a * a * b;
    swap(a, b)
}

#[test]
fn functions_of_std_are_known_by_the_names_they_are_imported_under() {
    check!(visible::exchanged(&vec![1.1, 2.3], &mut 0.4) -> f64);
    check!(visible::chained(&vec![1.1, 2.3], &vec![0.3, 0.2]) -> f64);
    check!(rotated(&mut vec![1.1, 2.3, 0.4]) -> f64);
}

#[test]
fn what_hides_an_import_is_no_function_of_std() {
    assert_eq!(check!(shadowed(1.5, 0.5) -> f64), [[0.25, 1.5]]);
    let jacobian = check!(within::scaled(1.5, &mut 0.5) -> f64);
    assert_eq!(jacobian, [[1.5, 2.25], [0.0, 1.0]]);
}
