//! The text form of functions and plans, whose grammar the module [`crate::ir`] states.

#[cfg(feature = "testing")]
pub mod parse;
pub mod print;
pub(super) mod syntax;
