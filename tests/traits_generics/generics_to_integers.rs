//! Conversions of generic numbers to integers, with a check of the range.

use adjoint::adjoint;
use num_traits::Float;

use crate::common::check;

#[adjoint]
fn table<T: Float>(x: T, t: &[T]) -> T {
    let i = x.floor().to_usize().unwrap();
    let j = (x * T::from(2.0).unwrap()).to_i64().unwrap_or(0);
    let k = (x - T::one()).floor().to_u32().map_or(0, |k| k + 1);
    let f = x - T::from(i).unwrap();
    t[i] * (T::one() - f) + t[i + 1] * f + T::from(j).unwrap() * T::from(k).unwrap() * x
}

#[test]
fn conversions() {
    let t = [0.3, 0.4, 0.7, 0.1];
    for x in [0.2, 0.6, 1.6] {
        check!(table(x, &t) -> f64);
    }
}
