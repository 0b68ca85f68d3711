//! Sorts of elements that compare as equal or have no total order: std's algorithm decides the order.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// As large as an element of some kind, `Copy` or not.
macro_rules! kind {
    ($name:ident, $element:ty, $make:expr, $read:expr) => {
        pub mod $name {
            use super::*;

            #[adjoint]
            pub fn sorted(x: &[f64], m: usize) -> f64 {
                let mut v: Vec<(usize, $element)> = Vec::new();
                for (i, &a) in x.iter().enumerate() {
                    v.push((i * 7919 % m, $make(a)));
                }
                v.sort_unstable_by_key(|e| e.0);
                let mut s = 0.0;
                for (i, e) in v.iter().enumerate() {
                    s += (i % 17) as f64 * $read(&e.1);
                }
                s
            }

            #[adjoint]
            pub fn selected(x: &[f64], k: usize) -> f64 {
                let mut v: Vec<$element> = Vec::new();
                for &a in x {
                    v.push($make(a));
                }
                v.select_nth_unstable_by(k, |a, b| $read(a).total_cmp(&$read(b)));
                let mut s = 0.0;
                for (i, e) in v.iter().enumerate() {
                    s += (i % 11) as f64 * $read(e);
                }
                s
            }

            #[adjoint]
            pub fn with_gaps(x: &[f64], m: usize) -> f64 {
                let mut v: Vec<$element> = Vec::new();
                for (i, &a) in x.iter().enumerate() {
                    v.push($make(if i % m == 1 { f64::NAN } else { a }));
                }
                v.sort_by(|a, b| {
                    let order = $read(a).partial_cmp(&$read(b));
                    order.unwrap_or(std::cmp::Ordering::Equal)
                });
                let mut s = 0.0;
                for (i, e) in v.iter().enumerate() {
                    let value = $read(e);
                    s += if value.is_nan() { 0.0 } else { i as f64 * value };
                }
                s
            }

            pub fn check_all() {
                let x: Vec<f64> = (0..97).map(|i| (f64::from(i) * 1.7).sin()).collect();
                for n in [20, 50] {
                    check!(sorted(&x[..n].to_vec(), const 5) -> f64);
                    check!(selected(&x[..n].to_vec(), const n / 3) -> f64);
                    assert_eq!(value_with_gaps(&x[..n], 9), with_gaps_or_none(&x[..n], 9));
                }
            }

            fn with_gaps_or_none(x: &[f64], m: usize) -> Option<u64> {
                std::panic::catch_unwind(|| with_gaps(x, m).to_bits()).ok()
            }

            fn value_with_gaps(x: &[f64], m: usize) -> Option<u64> {
                let value = || with_gaps_adjoint(x, &mut vec![0.0; x.len()], m, 1.0).to_bits();
                std::panic::catch_unwind(value).ok()
            }
        }
    };
}

#[derive(Clone, Debug, Differentiable)]
pub struct Own(f64);

kind!(word, f64, (|a: f64| a), (|e: &f64| *e));
kind!(moved, Own, (|a: f64| Own(a)), (|e: &Own| e.0));
kind!(
    pair,
    (f64, f64),
    (|a: f64| (a, 1.0)),
    (|e: &(f64, f64)| e.0)
);
kind!(
    row,
    [f64; 3],
    (|a: f64| [a, 0.0, 1.0]),
    (|e: &[f64; 3]| e[0])
);
kind!(wide, [f64; 10], (|a: f64| [a; 10]), (|e: &[f64; 10]| e[0]));
kind!(wider, [f64; 12], (|a: f64| [a; 12]), (|e: &[f64; 12]| e[0]));
kind!(
    widest,
    [f64; 20],
    (|a: f64| [a; 20]),
    (|e: &[f64; 20]| e[0])
);

#[test]
fn elements_of_any_kind() {
    word::check_all();
    moved::check_all();
    pair::check_all();
    row::check_all();
    wide::check_all();
    wider::check_all();
    widest::check_all();
}
