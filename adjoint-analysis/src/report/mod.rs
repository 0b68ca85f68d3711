//! What was done, told to people.
//!
//! [`markdown`] is the adjoint report, the documentation of `f_adjoint`. With the feature
//! `explain` come the annotated listing (`listing`) and the control-flow graphs (`cfg`), which
//! the example `explain` prints and draws. All are made from the finished plan and the facts of the
//! passes; nothing here decides anything.

mod control;
mod markdown;
mod needs;
mod source;
mod tape;
mod text;
mod view;

#[cfg(feature = "explain")]
pub mod cfg;
#[cfg(feature = "explain")]
mod listing;
#[cfg(feature = "explain")]
mod sweeps;

#[cfg(feature = "explain")]
pub use listing::listing;
pub use markdown::markdown;
pub use source::Source;
