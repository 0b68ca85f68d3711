//! Values that lowering holds in parts: `Option` and `Result`, arrays and structs of references.

pub(super) mod assign_in_arms;
pub(super) mod reference_arrays;
pub mod reference_struct;
pub(super) mod tagged;
pub mod trait_object;
