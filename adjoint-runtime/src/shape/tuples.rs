//! The shape of tuples.

use std::slice::Iter;

use super::Shape;
use crate::{Mismatch, Tape};

/// One component: its type, its marker, a variable, its position.
macro_rules! tuple {
    ([$([$T:ident $M:ident $v:ident $i:tt])*] [$([$rT:ident $rM:ident $rv:ident $ri:tt])*]) => {
        #[diagnostic::do_not_recommend]
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
            fn axpy(&mut self, a: f64, x: &Self) {
                $(self.$i.axpy(a, &x.$i);)*
            }

            #[inline]
            fn scale(&mut self, a: f64) {
                $(self.$i.scale(a);)*
            }

            #[inline]
            fn dot(&self, other: &Self) -> f64 {
                0.0 $(+ self.$i.dot(&other.$i))*
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
            fn flat_len(&self) -> usize {
                0 $(+ self.$i.flat_len())*
            }

            #[inline]
            fn append_flat(&self, flat: &mut Vec<f64>) {
                $(self.$i.append_flat(flat);)*
            }

            #[inline]
            fn take_flat(&mut self, flat: &mut Iter<'_, f64>) {
                $(self.$i.take_flat(flat);)*
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
