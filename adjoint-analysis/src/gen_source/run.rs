//! Sources compiled and run, many at a time, and made small where they fail.

pub mod campaign;
pub(super) mod messages;
pub mod outcome;
pub(super) mod project;
pub mod reduce;
