//! Lowering of the standard library's methods and functions.

pub(super) mod array_chunks;
pub(super) mod deque;
pub(super) mod float_conversion;
pub(super) mod growth;
pub(super) mod integer_conversion;
pub(super) mod into;
pub(super) mod mem;
pub(super) mod method;
pub mod option;
pub(super) mod ordering;
pub(super) mod slices;
pub(super) mod sort;
pub(super) mod unwrap;
