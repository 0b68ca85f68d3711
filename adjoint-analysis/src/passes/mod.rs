//! The analyses: one file per algorithm, in the order in which they run.
//!
//! Each is a function from immutable inputs to a result; none knows syntax or tokens.

pub mod activity;
pub mod checkpoint;
pub mod control;
pub mod fixed_lengths;
pub mod flattening;
pub mod inversion;
pub mod rewrite;
pub mod sets;
pub mod tbr;
