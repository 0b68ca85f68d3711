//! Iterators as random-access producers: a length, and the item of each position.
//!
//! `for` and the consumers become counted loops over the positions; what has no positions is code
//! around such a loop ([`stream`]). Nothing of an iterator is left in the IR.
//!
//! An iterator begins at a [`source`] or a [`range`], goes through [`adapter`]s and ends in `for` or in
//! a consumer: one that runs over all items ([`consumer`], [`collect`]), looks for one ([`select`],
//! [`best`]) or takes one after the other ([`cursor`]).

mod adapter;
mod consumer;
mod named;
mod position;
mod producer;
mod range;
mod source;
mod stream;
mod zip;

pub use self::consumer::collect::owned_lists;
pub use self::consumer::try_fold::attempts;
pub use self::named::double_ended::ended_names;
pub use self::named::reassigned::refilled_names;
pub use self::named::user_iterator::iterators;
pub use producer::Producer;
