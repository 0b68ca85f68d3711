//! Iterators as random-access producers: a length, and the item of each position.
//!
//! `for` and the consumers become counted loops over the positions; what has no positions is code
//! around such a loop ([`stream`]). Nothing of an iterator is left in the IR.
//!
//! An iterator begins at a [`source`] or a [`range`], goes through [`adapter`]s and ends in `for` or in
//! a consumer: one that runs over all items ([`consumer`], [`collect`]), looks for one ([`select`],
//! [`best`]) or takes one after the other ([`cursor`]).

mod adapter;
mod attempt;
mod best;
mod collect;
mod consumer;
mod cursor;
mod ended;
mod kept;
mod own;
mod position;
mod producer;
mod range;
mod refilled;
mod select;
mod source;
mod stream;
mod zip;

pub use attempt::attempts;
pub use collect::owned_lists;
pub use ended::ended_names;
pub use own::iterators;
pub use producer::Producer;
pub use refilled::refilled_names;
