//! What a seed adds through a choice: [`choose`] of the seed and a partial of the same name, in fewer operations. What was not chosen
//! gets exactly 0, whatever the seed.

use num_traits::Float;

use super::{choose, is_max, is_min, is_within};

#[inline(always)]
fn where_true<T: Float>(seed: T, condition: bool) -> T {
    if condition { seed } else { T::zero() }
}

/// `abs`.
#[inline(always)]
pub fn abs<T: Float>(seed: T, x: T) -> T {
    // Both factors are chosen before the product: a compiler makes no jump of that.
    let seed_or_zero = where_true(seed, x != T::zero());
    let sign = if x.is_nan() { x } else { T::one().copysign(x) };
    seed_or_zero * where_true(sign, seed != T::zero())
}

/// `x.max(y)`, by `x`.
#[inline(always)]
pub fn max_x<T: Float>(seed: T, x: T, y: T) -> T {
    where_true(seed, is_max(x, y))
}

/// `x.max(y)`, by `y`.
#[inline(always)]
pub fn max_y<T: Float>(seed: T, x: T, y: T) -> T {
    where_true(seed, !is_max(x, y))
}

/// `x.min(y)`, by `x`.
#[inline(always)]
pub fn min_x<T: Float>(seed: T, x: T, y: T) -> T {
    where_true(seed, is_min(x, y))
}

/// `x.min(y)`, by `y`.
#[inline(always)]
pub fn min_y<T: Float>(seed: T, x: T, y: T) -> T {
    where_true(seed, !is_min(x, y))
}

/// `x.clamp(lo, hi)`, by `x`.
#[inline(always)]
pub fn clamp_x<T: Float>(seed: T, x: T, lo: T, hi: T) -> T {
    where_true(seed, is_within(x, lo, hi))
}

/// `x.clamp(lo, hi)`, by `lo`.
#[inline(always)]
pub fn clamp_lo<T: Float>(seed: T, x: T, lo: T) -> T {
    where_true(seed, x < lo)
}

/// `x.clamp(lo, hi)`, by `hi`.
#[inline(always)]
pub fn clamp_hi<T: Float>(seed: T, x: T, hi: T) -> T {
    where_true(seed, x > hi)
}

/// `x.abs_sub(y)`, by `x`.
#[inline(always)]
pub fn abs_sub_x<T: Float>(seed: T, x: T, y: T) -> T {
    choose(seed, super::abs_sub_x(x, y))
}

/// `x.abs_sub(y)`, by `y`.
#[inline(always)]
pub fn abs_sub_y<T: Float>(seed: T, x: T, y: T) -> T {
    choose(seed, super::abs_sub_y(x, y))
}
