//! The analyses: one file per algorithm, in the order in which they run.
//!
//! Each is a function from immutable inputs to a result; none knows syntax or tokens.

pub mod activity;
pub mod bits;
pub mod cells;
pub mod control;
pub mod cost;
pub mod exits;
pub mod inactive;
pub mod labels;
pub mod left_out;
pub mod links;
pub mod regions;
pub mod set;
pub mod summary;
pub mod tbr;
pub mod temporaries;
pub mod trips;
pub mod values;
mod worlds;
pub mod writes;
