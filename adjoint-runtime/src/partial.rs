//! The partial derivatives that the rule table of `adjoint-analysis` (`rules.rs`) names.
//!
//! One function per partial, in the table's order; its arguments are the operands (`x`, `y`, …)
//! and the result (`r`) that the rule says it uses. The tests mirror the functions line by line.
//!
//! At kinks and poles they give the value that the crate's documentation states: 0 at the corner of
//! `abs`, the limit where there is a finite one, and otherwise the infinity or NaN that arithmetic
//! gives. An infinite partial never meets a zero seed: generated code multiplies by [`scale`].

use std::f64::consts::{LN_2, LN_10, PI};

use std::hint::select_unpredictable;

use num_traits::Float;

use crate::convert::constant;
use crate::intrinsic;

pub mod chosen;
#[cfg(test)]
mod tests;

/// `seed · partial`, which is exactly 0 where the seed is 0, whatever the partial.
///
/// The product is computed in any case, so that a mask does instead of a branch.
#[inline(always)]
pub fn scale<T: Float>(seed: T, partial: T) -> T {
    let product = seed * partial;
    if seed == T::zero() {
        T::zero()
    } else {
        product
    }
}

/// [`scale`] in a loop whose iterations a processor takes several at a time: never a jump, which tests of one seed beside
/// each other become otherwise.
#[inline(always)]
pub fn masked<T: Float>(seed: T, partial: T) -> T {
    select_unpredictable(seed == T::zero(), T::zero(), seed * partial)
}

/// [`scale`] by the partial of a choice (`max`, `clamp`, `abs`), which is 0 or ±1: what was not chosen gets
/// exactly 0, whatever the seed, as in the branch that says the same. One mask for both tests, and no jump.
#[inline(always)]
pub fn choose<T: Float>(seed: T, partial: T) -> T {
    let product = seed * partial;
    if (partial == T::zero()) | (seed == T::zero()) {
        T::zero()
    } else {
        product
    }
}

/// `sqrt`: +∞ at ±0.
#[inline]
pub fn sqrt<T: Float>(r: T) -> T {
    // sqrt(-0) is -0, and still the left end of an increasing function.
    constant::<T>(0.5) / r.abs()
}

/// `cbrt`: +∞ at ±0.
#[inline]
pub fn cbrt<T: Float>(r: T) -> T {
    (constant::<T>(3.0) * r * r).recip()
}

/// `recip`: one of two such factors, without the sign.
#[inline]
pub fn recip<T: Float>(r: T) -> T {
    r
}

/// `exp2`
#[inline]
pub fn exp2<T: Float>(r: T) -> T {
    r * constant(LN_2)
}

/// `exp_m1`
#[inline]
pub fn exp_m1<T: Float>(r: T) -> T {
    r + T::one()
}

/// `ln`
#[inline]
pub fn ln<T: Float>(x: T) -> T {
    x.recip()
}

/// `ln_1p`
#[inline]
pub fn ln_1p<T: Float>(x: T) -> T {
    (T::one() + x).recip()
}

/// `log10`
#[inline]
pub fn log10<T: Float>(x: T) -> T {
    (x * constant(LN_10)).recip()
}

/// `log2`
#[inline]
pub fn log2<T: Float>(x: T) -> T {
    (x * constant(LN_2)).recip()
}

/// `log`, by its argument.
#[inline]
pub fn log_x<T: Float>(x: T, base: T) -> T {
    (x * base.ln()).recip()
}

/// `log`, by its base.
#[inline]
pub fn log_base<T: Float>(base: T, r: T) -> T {
    -r / (base * base.ln())
}

/// `sin`
#[inline]
pub fn sin<T: Float>(x: T) -> T {
    x.cos()
}

/// `cos`
#[inline]
pub fn cos<T: Float>(x: T) -> T {
    -x.sin()
}

/// `tan`
#[inline]
pub fn tan<T: Float>(r: T) -> T {
    T::one() + r * r
}

/// `asin`: +∞ at ±1.
#[inline]
pub fn asin<T: Float>(x: T) -> T {
    one_minus_square(x).sqrt().recip()
}

/// `acos`: −∞ at ±1.
#[inline]
pub fn acos<T: Float>(x: T) -> T {
    -asin(x)
}

/// `atan`
#[inline]
pub fn atan<T: Float>(x: T) -> T {
    (T::one() + x * x).recip()
}

/// `sinh`
#[inline]
pub fn sinh<T: Float>(x: T) -> T {
    x.cosh()
}

/// `cosh`
#[inline]
pub fn cosh<T: Float>(x: T) -> T {
    x.sinh()
}

/// `tanh`
#[inline]
pub fn tanh<T: Float>(r: T) -> T {
    one_minus_square(r)
}

/// `asinh`
#[inline]
pub fn asinh<T: Float>(x: T) -> T {
    // x² would overflow where 1/|x| is still a normal number.
    x.hypot(T::one()).recip()
}

/// `acosh`: +∞ at 1.
#[inline]
pub fn acosh<T: Float>(x: T) -> T {
    ((x - T::one()).sqrt() * (x + T::one()).sqrt()).recip()
}

/// `atanh`: +∞ at ±1.
#[inline]
pub fn atanh<T: Float>(x: T) -> T {
    one_minus_square(x).recip()
}

/// `powi`, but for [`powi_rest`]: 0 for `n == 0`, also at 0.
#[inline]
pub fn powi<T: Float>(x: T, n: i32) -> T {
    let factor = constant::<T>(f64::from(n));
    match n {
        0 => T::zero(),
        ..0 => factor * x.powi(n),
        1.. => factor * x.powi(n - 1),
    }
}

/// What is left of the partial of `powi`. For a negative exponent, the product of both may be out of range where
/// the power is not.
#[inline]
pub fn powi_rest<T: Float>(x: T, n: i32) -> T {
    match n {
        ..0 => x.recip(),
        0.. => T::one(),
    }
}

/// `powf`, by its base, but for [`powf_rest`]: 0 for `p == 0`; at 0 the limit, which is infinite for `p < 1`.
#[inline]
pub fn powf_x<T: Float>(x: T, p: T) -> T {
    if p == T::zero() {
        T::zero()
    } else if p < T::zero() {
        p * x.powf(p)
    } else {
        p * x.powf(p - T::one())
    }
}

/// What is left of the partial of `powf` by its base, as [`powi_rest`] is of that of `powi`.
#[inline]
pub fn powf_rest<T: Float>(x: T, p: T) -> T {
    if p < T::zero() { x.recip() } else { T::one() }
}

/// `powf`, by its exponent: 0 at `x == 0` for `p > 0`, and wherever else the power itself vanishes
/// in the limit. NaN for a negative base: the power is real at isolated exponents only, so nothing
/// can be differentiated.
#[inline]
pub fn powf_p<T: Float>(x: T, _p: T, r: T) -> T {
    if r == T::zero() && x >= T::zero() {
        T::zero()
    } else {
        r * x.ln()
    }
}

/// `hypot`, by either operand: 0 at (0, 0).
#[inline]
pub fn hypot<T: Float>(component: T, r: T) -> T {
    if r == T::zero() {
        T::zero()
    } else {
        component / r
    }
}

/// `y.atan2(x)`, by `y`: 0 at (0, 0).
#[inline]
pub fn atan2_y<T: Float>(y: T, x: T) -> T {
    over_square_norm(x, y, x)
}

/// `y.atan2(x)`, by `x`: 0 at (0, 0).
#[inline]
pub fn atan2_x<T: Float>(y: T, x: T) -> T {
    -over_square_norm(y, y, x)
}

/// `abs`: ±0 at ±0. Without constants between which a jump would choose.
#[inline]
pub fn abs<T: Float>(x: T) -> T {
    let sign = T::one().copysign(x) * indicator(x != T::zero());
    if x.is_nan() { x } else { sign }
}

/// `x.max(y)`, by `x`: 1 for equal operands, and where `y` is NaN.
#[inline]
pub fn max_x<T: Float>(x: T, y: T) -> T {
    indicator(is_max(x, y))
}

/// `x.max(y)`, by `y`: the complement of [`max_x`].
#[inline]
pub fn max_y<T: Float>(x: T, y: T) -> T {
    indicator(!is_max(x, y))
}

/// `x.min(y)`, by `x`: 1 for equal operands, and where `y` is NaN.
#[inline]
pub fn min_x<T: Float>(x: T, y: T) -> T {
    indicator(is_min(x, y))
}

/// `x.min(y)`, by `y`: the complement of [`min_x`].
#[inline]
pub fn min_y<T: Float>(x: T, y: T) -> T {
    indicator(!is_min(x, y))
}

/// `x.clamp(lo, hi)`, by `x`: 1 at a bound, and where `x` is NaN.
#[inline]
pub fn clamp_x<T: Float>(x: T, lo: T, hi: T) -> T {
    indicator(is_within(x, lo, hi))
}

/// `x.clamp(lo, hi)`, by `lo`.
#[inline]
pub fn clamp_lo<T: Float>(x: T, lo: T) -> T {
    indicator(x < lo)
}

/// `x.clamp(lo, hi)`, by `hi`.
#[inline]
pub fn clamp_hi<T: Float>(x: T, hi: T) -> T {
    indicator(x > hi)
}

/// `x.copysign(sign)`, by `x`: 0 at ±0, where it is the kink of `abs`.
#[inline]
pub fn copysign<T: Float>(x: T, sign: T) -> T {
    if sign.is_sign_negative() {
        -abs(x)
    } else {
        abs(x)
    }
}

/// `x.abs_sub(y)`, by `x`: 0 for equal operands, where the constant 0 is returned.
#[inline]
pub fn abs_sub_x<T: Float>(x: T, y: T) -> T {
    if x.is_nan() || y.is_nan() {
        T::nan()
    } else {
        indicator(x > y)
    }
}

/// `x.abs_sub(y)`, by `y`.
#[inline]
pub fn abs_sub_y<T: Float>(x: T, y: T) -> T {
    -abs_sub_x(x, y)
}

/// `to_degrees`; the operand only gives the type.
#[inline]
pub fn to_degrees<T: Float>(_x: T) -> T {
    constant(180.0 / PI)
}

/// `to_radians`; the operand only gives the type.
#[inline]
pub fn to_radians<T: Float>(_x: T) -> T {
    constant(PI / 180.0)
}

/// `a.rem_euclid(b)`, by `b`: minus the Euclidean quotient.
#[inline]
pub fn rem_euclid<T: Float>(a: T, b: T) -> T {
    minus_quotient(a, b, intrinsic::rem_euclid(a, b))
}

/// `midpoint`, by either operand, which only gives the type.
#[inline]
pub fn midpoint<T: Float>(_x: T) -> T {
    constant(0.5)
}

/// `x / y`, by `x`.
#[inline]
pub fn div_x<T: Float>(y: T) -> T {
    y.recip()
}

/// `x / y`, by `y`, without the factor that [`div_x`] is.
#[inline]
pub fn div_y<T: Float>(r: T) -> T {
    -r
}

/// `a % b`, by `b`: minus the truncated quotient.
#[inline]
pub fn rem<T: Float>(a: T, b: T) -> T {
    minus_quotient(a, b, a % b)
}

/// `1 − x²` without cancellation near ±1.
#[inline]
fn one_minus_square<T: Float>(x: T) -> T {
    (T::one() - x) * (T::one() + x)
}

/// `component / (x² + y²)`, also where a square over- or underflows.
#[inline]
fn over_square_norm<T: Float>(component: T, y: T, x: T) -> T {
    let square = x * x + y * y;
    if square.is_normal() {
        component / square
    } else if square.is_nan() {
        square
    } else {
        let norm = x.hypot(y);
        if norm == T::zero() || norm.is_infinite() {
            T::zero()
        } else {
            component / norm / norm
        }
    }
}

/// `−(a − remainder)/b`, which is an integer. `a / b` itself may round up to the next one.
#[inline]
fn minus_quotient<T: Float>(a: T, b: T, remainder: T) -> T {
    -((a - remainder) / b).round()
}

/// Whether `x.max(y)` is `x`.
#[inline(always)]
fn is_max<T: Float>(x: T, y: T) -> bool {
    (x >= y) | y.is_nan()
}

/// Whether `x.min(y)` is `x`.
#[inline(always)]
fn is_min<T: Float>(x: T, y: T) -> bool {
    (x <= y) | y.is_nan()
}

/// Whether `x.clamp(lo, hi)` is `x`.
#[inline(always)]
fn is_within<T: Float>(x: T, lo: T, hi: T) -> bool {
    !((x < lo) | (x > hi))
}

#[inline]
fn indicator<T: Float>(condition: bool) -> T {
    if condition { T::one() } else { T::zero() }
}
