//! The runtime of `adjoint`: what generated adjoints call.
//!
//! Depend on `adjoint`, which re-exports what users need:
//!
//! | item | what for |
//! | --- | --- |
//! | [`Tape`], [`TapeStats`] | the memory between the two sweeps, to keep, to measure and to limit |
//! | [`SweepError`] | why there was not enough of it |
//! | [`Differentiable`], [`Carrier`], [`Mismatch`] | structs and enums that carry floats, by derive |
//! | [`Real`] | the bound on a type parameter that carries floats |
//! | [`check`] | comparing an adjoint with differences of its function |
//! | [`checkpoint`] | reversing long loops from snapshots |
//!
//! and these, which generated code reaches through `__private`:
//!
//! | module | what for |
//! | --- | --- |
//! | [`partial`] | the derivative rules with their edge values |
//! | [`intrinsic`], [`convert`] | std's methods and conversions for generic floats |
//! | [`range`] | counted loops by trip number |

#![forbid(unsafe_code)]

mod callee;
mod carrier;
pub mod check;
pub mod checkpoint;
mod context;
pub mod convert;
#[doc(hidden)]
pub mod demand;
#[doc(hidden)]
pub mod deque;
mod differentiable;
#[doc(hidden)]
pub mod fallback;
pub mod intrinsic;
mod items;
mod jacobian;
mod kept;
mod live_range;
mod mismatch;
mod number;
#[doc(hidden)]
pub mod of_bounds;
#[doc(hidden)]
pub mod operators;
#[doc(hidden)]
pub mod order;
mod outcome;
pub mod partial;
pub mod range;
mod real;
mod seed;
#[doc(hidden)]
pub mod shape;
mod stand_in;
mod sweep_error;
mod tape;

pub use carrier::Carrier;
pub use differentiable::Differentiable;
pub use mismatch::{Difference, Mismatch};
pub use real::Real;
pub use sweep_error::{LimitExceeded, SweepError};
pub use tape::{Pushed, Tape, TapeStats};

/// For generated code only; nothing here is stable.
#[doc(hidden)]
pub mod __private {
    pub use crate::callee::{
        Callee, Either, IfRestored, IfReversed, IfWanted, Readings, Returned, Returns,
    };
    pub use crate::checkpoint::steps::{Step, Steps};
    pub use crate::context::closing::{Closed, Limited, run, tells_varied};
    pub use crate::context::lists::*;
    pub use crate::context::{
        All, And, Annotated, AnnotatedMethod, AnnotatedNumber, Bit, Bits, Context, First, Head,
        Heads, InSight, Meet, Moving, Needs, No, Or, Outermost, Rest, Reversed, Rows, Site, Tail,
        Tails, Truth, UserType, Varies, Wants, Yes,
    };
    pub use crate::context::{
        Called, called, demanded, is_reversed, keeps_to_options, made, needs, needs_no_adjoint,
        outermost, refused, truth,
    };
    pub use crate::convert::{
        AddNothing, AddTo, Increment, Target, add_converted, cast, constant, offset,
    };
    pub use crate::demand;
    pub use crate::deque;
    pub use crate::fallback;
    pub use crate::items::{Items, ItemsMut};
    pub use crate::jacobian::check_jacobian;
    pub use crate::kept::{Unkept, kept};
    pub use crate::live_range::by_memory;
    pub use crate::number::{Holds, number};
    pub use crate::of_bounds;
    pub use crate::operators;
    pub use crate::order;
    pub use crate::outcome::Outcome;
    pub use crate::range::{Index, Order, nth, pairs, ran, trips, trips_down, trips_to, trips_up};
    pub use crate::seed::{Ignored, Seed, Unread, seeded, unseeded};
    pub use crate::shape::{Carried, Diff, Discrete, Leaf, Plain, Seq, Shape, Twice, check_length};
    pub use crate::shape::{lend, owned, reshape_adjoint, take_last, zeros_like};
    pub use crate::shape::{no_variant, unequal};
    pub use crate::stand_in::{LeftOut, constant_argument, zeros_if_told};
    pub use crate::tape::{Tape, close_slots, in_slot, open_slots, put_if, top_slots};
    pub use crate::{Mismatch, Real, SweepError, intrinsic, partial};
    pub use num_traits;
}
