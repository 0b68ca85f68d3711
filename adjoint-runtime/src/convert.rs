//! Conversions between numeric types that generic code needs.

use num_traits::{AsPrimitive, Float, NumCast, PrimInt, ToPrimitive};

use crate::shape::{Diff, Discrete, Shape};

/// A constant of the derivative rules in the float type at hand.
#[inline]
pub fn constant<T: Float>(value: f64) -> T {
    cast(value)
}

/// `T::from(value).unwrap()`, for any pair of numeric types.
///
/// # Panics
///
/// Where the target cannot represent the value at all (NaN as an integer), as `unwrap` would.
#[inline]
#[track_caller]
pub fn cast<A: ToPrimitive, B: NumCast>(value: A) -> B {
    B::from(value).expect("the target type of a numeric cast holds the value")
}

/// `start + by as _`, where nothing but `start` may tell the type.
#[inline]
#[track_caller]
pub fn offset<T: PrimInt + 'static>(start: T, by: usize) -> T
where
    usize: AsPrimitive<T>,
{
    start + by.as_()
}

/// Adds a number of another float type.
#[inline]
pub fn add_converted<A: ToPrimitive, B: Float>(to: &mut B, value: A) {
    *to = *to + cast(value);
}

/// What a number is added to whose type only rustc knows: a float, or a value that carries none.
#[derive(Debug)]
pub struct Target<'a, B>(pub &'a mut B);

impl<B: Float> Target<'_, B> {
    /// Adds the number.
    #[inline]
    pub fn add_number<A: ToPrimitive>(self, value: A) {
        add_converted(self.0, value);
    }
}

/// [`Target::add_number`] for what carries no float. rustc takes the method of the type itself where
/// its bound holds.
pub trait AddNothing: Sized {
    /// Adds nothing.
    #[inline]
    fn add_number<A>(self, _: A) {}
}

impl<B: Discrete> AddNothing for Target<'_, B> {}

/// What a callee returns as the increment of an adjoint: a value of its type, or nothing.
#[derive(Debug)]
pub struct Increment<T>(pub T);

impl Increment<&()> {
    /// Adds nothing.
    #[inline]
    pub fn add_to<T>(self, _: &mut T) {}
}

/// [`Increment::add_to`] for values that may carry floats.
pub trait AddTo<T> {
    /// Adds the floats.
    fn add_to(self, to: &mut T);
}

impl<T: Shape<Diff>> AddTo<T> for Increment<&T> {
    #[inline]
    fn add_to(self, to: &mut T) {
        to.accumulate(self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::{AddNothing as _, AddTo as _, Increment, Target, cast, constant};

    #[test]
    fn nothing_is_added_to_any_type() {
        let (mut count, mut real) = (7usize, 1.5);
        Increment(&()).add_to(&mut count);
        Increment(&2usize).add_to(&mut count);
        Increment(&()).add_to(&mut real);
        Increment(&0.25).add_to(&mut real);
        assert_eq!((count, real), (7, 1.75));
    }

    #[test]
    fn a_number_is_added_to_floats_alone() {
        let (mut single, mut count) = (1.5f32, 7usize);
        Target(&mut single).add_number(0.25f64);
        Target(&mut count).add_number(0.25f64);
        assert_eq!((single, count), (1.75, 7));
    }

    #[test]
    fn a_constant_is_rounded_to_the_type() {
        assert_eq!(constant::<f32>(0.1), 0.1f32);
        assert_eq!(constant::<f64>(0.1), 0.1);
    }

    #[test]
    fn casts_convert_values() {
        assert_eq!(cast::<usize, f64>(7), 7.0);
        assert_eq!(cast::<f64, f32>(0.25), 0.25f32);
        assert!(cast::<f64, f32>(f64::NAN).is_nan());
        assert_eq!(cast::<f64, f32>(f64::INFINITY), f32::INFINITY);
    }

    #[test]
    #[should_panic = "numeric cast"]
    fn a_cast_without_a_value_panics() {
        cast::<f64, i32>(f64::NAN);
    }
}
