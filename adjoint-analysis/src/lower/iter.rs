//! Iterators as random-access producers: a length, and an item for each position.
//!
//! `for` and the consumers become counted loops over the positions. An iterator without positions becomes code around
//! such a loop ([`stream`]). No iterator is left in the IR.
//!
//! An iterator begins at a [`source`] or a [`range`], goes through [`adapter`]s, and ends in `for` or in a
//! [`consumer`]. A [`named`] iterator keeps its position in a variable, which `next` advances.

mod adapter;
mod consumer;
mod named;
mod position;
mod producer;
mod range;
mod source;
mod stream;
mod zip;

pub use self::consumer::collect::owned_slices_type;
pub use self::consumer::try_fold::is_try_method;
pub use self::named::double_ended::double_ended_names;
pub use self::named::reassigned::collect_reassigned_names;
pub use self::named::user_iterator::iterator_types;
pub use producer::Producer;
