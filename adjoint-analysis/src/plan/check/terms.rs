//! Terms: symbolic values of locations.

mod bijections;
pub(super) mod cells;
pub(super) mod choice;
mod constants;
pub(super) mod elements;
pub(super) mod memory;
mod polynomials;
pub(super) mod state;
pub(super) mod term;
