//! Methods of `f32` and `f64` that `num_traits::Float` lacks, for generic code, with the results
//! that std's methods give.

use num_traits::Float;

use crate::convert::constant;

/// std's `round_ties_even`.
#[inline]
pub fn round_ties_even<T: Float>(x: T) -> T {
    let half = constant::<T>(0.5);
    if (x - x.trunc()).abs() == half {
        let two = constant::<T>(2.0);
        // A tie: half of it is never one, and the nearest even number is twice its rounding.
        (x * half).round() * two
    } else {
        x.round()
    }
}

/// std's `rem_euclid`.
#[inline]
pub fn rem_euclid<T: Float>(a: T, b: T) -> T {
    let r = a % b;
    if r < T::zero() { r + b.abs() } else { r }
}

/// std's `div_euclid`.
#[inline]
pub fn div_euclid<T: Float>(a: T, b: T) -> T {
    let q = (a / b).trunc();
    if a % b < T::zero() {
        if b > T::zero() {
            q - T::one()
        } else {
            q + T::one()
        }
    } else {
        q
    }
}

/// std's `clamp`.
///
/// # Panics
///
/// If `lo > hi`, or one of them is NaN.
#[inline]
#[track_caller]
pub fn clamp<T: Float>(x: T, lo: T, hi: T) -> T {
    assert!(lo <= hi, "min > max, or either was NaN");
    if x < lo {
        lo
    } else if x > hi {
        hi
    } else {
        x
    }
}

/// std's `midpoint`: neither overflows nor loses a subnormal operand.
#[inline]
pub fn midpoint<T: Float>(a: T, b: T) -> T {
    let half = constant::<T>(0.5);
    let two = constant::<T>(2.0);
    let high = T::max_value() * half;
    let low = T::min_positive_value() * two;
    if a.abs() <= high && b.abs() <= high {
        (a + b) * half
    } else if a.abs() < low {
        a + b * half
    } else if b.abs() < low {
        a * half + b
    } else {
        a * half + b * half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [f64; 25] = [
        0.0,
        -0.0,
        0.25,
        0.5,
        -0.5,
        0.499_999_999_999_999_94,
        1.5,
        -1.5,
        2.5,
        -2.5,
        3.0,
        -3.5,
        7.25,
        1e15 + 0.5,
        4_503_599_627_370_497.5,
        1e300,
        f64::MAX,
        f64::MIN,
        f64::MIN_POSITIVE,
        5e-324,
        -5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        std::f64::consts::PI,
    ];

    #[track_caller]
    fn same(found: f64, expected: f64, of: &[f64]) {
        let both_nan = found.is_nan() && expected.is_nan();
        assert!(
            both_nan || found.to_bits() == expected.to_bits(),
            "{found:?} instead of {expected:?} for {of:?}"
        );
    }

    #[test]
    fn f64_results_are_those_of_std() {
        for a in VALUES {
            same(round_ties_even(a), a.round_ties_even(), &[a]);
            for b in VALUES {
                same(rem_euclid(a, b), a.rem_euclid(b), &[a, b]);
                same(div_euclid(a, b), a.div_euclid(b), &[a, b]);
                same(midpoint(a, b), a.midpoint(b), &[a, b]);
            }
        }
    }

    #[test]
    fn f32_results_are_those_of_std() {
        for a in VALUES.map(|v| v as f32) {
            same(
                round_ties_even(a).into(),
                a.round_ties_even().into(),
                &[a.into()],
            );
            for b in VALUES.map(|v| v as f32) {
                let of = [a.into(), b.into()];
                same(rem_euclid(a, b).into(), a.rem_euclid(b).into(), &of);
                same(div_euclid(a, b).into(), a.div_euclid(b).into(), &of);
                same(midpoint(a, b).into(), a.midpoint(b).into(), &of);
            }
        }
    }

    #[test]
    fn clamp_is_std_s() {
        for x in VALUES {
            same(clamp(x, -1.5, 2.5), x.clamp(-1.5, 2.5), &[x]);
        }
    }

    #[test]
    #[should_panic = "min > max"]
    fn clamp_refuses_crossed_bounds() {
        clamp(0.0, 1.0, -1.0);
    }
}
