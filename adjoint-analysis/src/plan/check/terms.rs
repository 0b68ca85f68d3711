//! Terms: symbolic values of locations.

mod bijections;
pub(super) mod cells;
pub(super) mod choice;
pub(super) mod elements;
mod linear;
pub(super) mod memory;
pub(super) mod state;
pub(super) mod term;
