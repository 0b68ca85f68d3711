//! The operators of numbers, for a type of the user's that turns out to be the name of one.

use num_traits::Float;

use super::{
    Add, AddAssign, Div, DivAssign, Mul, MulAssign, MutShared, MutValue, Neg, Rem, RemAssign,
    Shared, SharedShared, SharedValue, Sub, SubAssign, Value, ValueShared, ValueValue,
};
use crate::__private::{Context, is_reversed};
use crate::Tape;
use crate::partial::{self, scale};

/// A number: what an operator passes back to its operands.
trait Number: Copy {
    /// The increments of `x op y` with this result, where `op` has these partials.
    fn increments(seed: Self, partials: (Self, Self)) -> (Self, Self);
    /// Adds an increment to an adjoint.
    fn add_to(self, adjoint: &mut Self);
    /// Keeps a value that is overwritten.
    fn keep(self, tape: &mut Tape);
    /// Gives it back.
    fn kept(&mut self, tape: &mut Tape);
}

macro_rules! operators {
    ($ty:ty: $op:ident $sign:tt $assign:ident $apply:path, |$x:ident, $y:ident, $r:ident| $partials:expr) => {
        operators!(@binary $ty, ValueValue, $op, $sign, $apply, |$x, $y, $r| $partials,
            (left: $ty, right: $ty)
            (left: $ty, right: $ty) ($ty, $ty), |a, b| (a, b));
        operators!(@binary $ty, ValueShared, $op, $sign, $apply, |$x, $y, $r| $partials,
            (left: $ty, right: &$ty)
            (left: $ty, right: &$ty, right_adj: &mut $ty) ($ty,), |a, b| { b.add_to(right_adj); (a,) });
        operators!(@binary $ty, SharedValue, $op, $sign, $apply, |$x, $y, $r| $partials,
            (left: &$ty, right: $ty)
            (left: &$ty, left_adj: &mut $ty, right: $ty) ($ty,), |a, b| { a.add_to(left_adj); (b,) });
        operators!(@binary $ty, SharedShared, $op, $sign, $apply, |$x, $y, $r| $partials,
            (left: &$ty, right: &$ty)
            (left: &$ty, left_adj: &mut $ty, right: &$ty, right_adj: &mut $ty) (),
            |a, b| { a.add_to(left_adj); b.add_to(right_adj); });
        operators!(@assign $ty, MutValue, $assign, $sign, $apply, |$x, $y, $r| $partials,
            (left: &mut $ty, right: $ty)
            (left: &mut $ty, left_adj: &mut $ty, right: $ty) ($ty,), |left_adj, b| (b,));
        operators!(@assign $ty, MutShared, $assign, $sign, $apply, |$x, $y, $r| $partials,
            (left: &mut $ty, right: &$ty)
            (left: &mut $ty, left_adj: &mut $ty, right: &$ty, right_adj: &mut $ty) (),
            |left_adj, b| { b.add_to(right_adj); });
    };
    (@binary $ty:ty, $shape:ident, $op:ident, $sign:tt, $apply:path, |$x:ident, $y:ident, $r:ident| $partials:expr,
        ($left:ident: $left_ty:ty, $right:ident: $right_ty:ty)
        ($($param:ident: $param_ty:ty),*) $increments:ty, |$a:ident, $b:ident| $back:expr) => {
        #[diagnostic::do_not_recommend]
        impl $shape<$op, $ty> for $ty {
            type Output = $ty;
            type Increments = $increments;

            #[inline]
            fn forward<C: Context>(_: C, _: &mut Tape, $left: $left_ty, $right: $right_ty) -> $ty {
                $left $sign $right
            }

            #[inline]
            fn reverse<C: Context>(_: C, _: &mut Tape, $($param: $param_ty,)* seed: $ty) -> $increments {
                let ($x, $y): ($ty, $ty) = (Clone::clone(&$left), Clone::clone(&$right));
                let $r = $x $sign $y;
                let ($a, $b) = $apply(seed, $partials);
                $back
            }
        }
    };
    (@assign $ty:ty, $shape:ident, $op:ident, $sign:tt, $apply:path, |$x:ident, $y:ident, $r:ident| $partials:expr,
        ($left:ident: $left_ty:ty, $right:ident: $right_ty:ty)
        ($($param:ident: $param_ty:ty),*) $increments:ty, |$adj:ident, $b:ident| $back:expr) => {
        #[diagnostic::do_not_recommend]
        impl $shape<$op, $ty> for $ty {
            type Output = ();
            type Increments = $increments;

            #[inline]
            fn forward<C: Context>(_: C, tape: &mut Tape, $left: $left_ty, $right: $right_ty) {
                if is_reversed::<C>() {
                    $left.keep(tape);
                }
                let value = *$left $sign $right;
                *$left = value;
            }

            #[inline]
            fn reverse<C: Context>(_: C, tape: &mut Tape, $($param: $param_ty,)* _: ()) -> $increments {
                let $r = *$left;
                if is_reversed::<C>() {
                    $left.kept(tape);
                }
                let ($x, $y): ($ty, $ty) = (*$left, $right.clone());
                let (a, $b) = $apply(*$adj, $partials);
                *$adj = a;
                $back
            }
        }
    };
}

macro_rules! negation {
    ($ty:ty) => {
        #[diagnostic::do_not_recommend]
        impl Value<Neg> for $ty {
            type Output = $ty;
            type Increments = ($ty,);

            #[inline]
            fn forward<C: Context>(_: C, _: &mut Tape, left: $ty) -> $ty {
                -left
            }

            #[inline]
            fn reverse<C: Context>(_: C, _: &mut Tape, _: $ty, seed: $ty) -> ($ty,) {
                (Number::increments(seed, (-(1 as $ty), -(1 as $ty))).0,)
            }
        }

        #[diagnostic::do_not_recommend]
        impl Shared<Neg> for $ty {
            type Output = $ty;
            type Increments = ();

            #[inline]
            fn forward<C: Context>(_: C, _: &mut Tape, left: &$ty) -> $ty {
                -left
            }

            #[inline]
            fn reverse<C: Context>(_: C, _: &mut Tape, _: &$ty, left_adj: &mut $ty, seed: $ty) {
                Number::increments(seed, (-(1 as $ty), -(1 as $ty)))
                    .0
                    .add_to(left_adj);
            }
        }
    };
}

/// The increments where the second partial is the product of both factors: the seed may be as large as that is small.
fn in_turn<T: Float>(seed: T, (x, y): (T, T)) -> (T, T) {
    let increment = scale(seed, x);
    (increment, scale(increment, y))
}

macro_rules! floats {
    ($($ty:ty)*) => { $(
        impl Number for $ty {
            #[inline]
            fn increments(seed: $ty, (x, y): ($ty, $ty)) -> ($ty, $ty) {
                (scale(seed, x), scale(seed, y))
            }

            #[inline]
            fn add_to(self, adjoint: &mut $ty) {
                *adjoint += self;
            }

            #[inline]
            fn keep(self, tape: &mut Tape) {
                tape.push_real(self);
            }

            #[inline]
            fn kept(&mut self, tape: &mut Tape) {
                *self = tape.pop_real();
            }
        }

        operators!($ty: Add + AddAssign Number::increments, |x, y, r| { _ = (x, y, r); (1.0, 1.0) });
        operators!($ty: Sub - SubAssign Number::increments, |x, y, r| { _ = (x, y, r); (1.0, -1.0) });
        operators!($ty: Mul * MulAssign Number::increments, |x, y, r| { _ = r; (y, x) });
        operators!($ty: Div / DivAssign in_turn, |x, y, r| { _ = x; (partial::div_x(y), partial::div_y(r)) });
        operators!($ty: Rem % RemAssign Number::increments, |x, y, r| { _ = r; (1.0, partial::rem(x, y)) });
        negation!($ty);
    )* };
}

/// A number without a derivative has nothing to pass back, in values of its own type.
macro_rules! integers {
    ($($ty:ty)*) => { $(
        impl Number for $ty {
            #[inline]
            fn increments(_: $ty, partials: ($ty, $ty)) -> ($ty, $ty) {
                partials
            }

            #[inline]
            fn add_to(self, _: &mut $ty) {}

            #[inline]
            fn keep(self, tape: &mut Tape) {
                tape.push_int(self);
            }

            #[inline]
            fn kept(&mut self, tape: &mut Tape) {
                *self = tape.pop_int();
            }
        }

        operators!($ty: Add + AddAssign Number::increments, |x, y, _r| (x, y));
        operators!($ty: Sub - SubAssign Number::increments, |x, y, _r| (x, y));
        operators!($ty: Mul * MulAssign Number::increments, |x, y, _r| (x, y));
        operators!($ty: Div / DivAssign Number::increments, |x, y, _r| (x, y));
        operators!($ty: Rem % RemAssign Number::increments, |x, y, _r| (x, y));
    )* };
}

floats!(f32 f64);
integers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

macro_rules! negated {
    ($($ty:ty)*) => { $(negation!($ty);)* };
}

negated!(i8 i16 i32 i64 i128 isize);
