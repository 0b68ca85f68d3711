//! Type inference: unification, expectations from context, and guesses about types that only rustc knows, each of which
//! rustc checks.

pub(super) mod boxed_options;
pub(super) mod cast_fallback;
pub(super) mod closure_effects;
pub mod enum_kind;
pub mod expectation;
pub(super) mod list_usage;
pub(super) mod number_checks;
pub(super) mod operand_checks;
pub(super) mod receiver_borrow;
pub(super) mod rustc_checks;
pub(super) mod struct_usage;
pub(super) mod unify;
