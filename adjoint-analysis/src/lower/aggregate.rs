//! Scalar replacement of aggregates: `Option` and `Result`, arrays and structs of references are split into their
//! parts.

pub(super) mod assign_in_arms;
pub(super) mod reference_arrays;
pub mod reference_struct;
pub(super) mod split_enum;
pub mod trait_object;
