//! The shape of tuples.

use super::Shape;
use crate::{Mismatch, Tape};

/// One component: its type, its marker, a variable, its position.
macro_rules! tuple {
    ([$([$T:ident $M:ident $v:ident $i:tt])*] [$([$rT:ident $rM:ident $rv:ident $ri:tt])*]) => {
        impl<$($T: Shape<$M>, $M),*> Shape<($($M,)*)> for ($($T,)*) {
            #[inline]
            fn zero_like(&self) -> Self {
                ($(self.$i.zero_like(),)*)
            }

            #[inline]
            fn vacant(&self) -> Self {
                ($(self.$i.vacant(),)*)
            }

            #[inline]
            fn set_zero(&mut self) {
                $(self.$i.set_zero();)*
            }

            #[inline]
            fn accumulate(&mut self, increment: &Self) {
                $(self.$i.accumulate(&increment.$i);)*
            }

            #[inline]
            fn check_shape(&self, adjoint: &Self) -> Result<(), Mismatch> {
                $(
                    self.$i
                        .check_shape(&adjoint.$i)
                        .map_err(|mismatch| mismatch.in_field(stringify!($i)))?;
                )*
                Ok(())
            }

            #[inline]
            fn scalars(&self) -> usize {
                0 $(+ self.$i.scalars())*
            }

            #[inline]
            fn save(&self, tape: &mut Tape) {
                $(self.$i.save(tape);)*
            }

            #[inline]
            fn restore(&mut self, tape: &mut Tape) {
                $(self.$ri.restore(tape);)*
            }

            #[inline]
            fn load(tape: &mut Tape) -> Self {
                $(let $rv = $rT::load(tape);)*
                ($($v,)*)
            }
        }
    };
}

/// All tuples up to these components; each is listed in both orders, for the tape is a stack.
macro_rules! tuples {
    ([$($forward:tt)*] [$($backward:tt)*]) => {};
    ([$($forward:tt)*] [$($backward:tt)*] $next:tt $($rest:tt)*) => {
        tuple!([$($forward)* $next] [$next $($backward)*]);
        tuples!([$($forward)* $next] [$next $($backward)*] $($rest)*);
    };
}

tuples!([] []
    [A MA a 0] [B MB b 1] [C MC c 2] [D MD d 3] [E ME e 4] [F MF f 5]
    [G MG g 6] [H MH h 7] [I MI i 8] [J MJ j 9] [K MK k 10] [L ML l 11]
);
