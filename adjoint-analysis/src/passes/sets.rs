//! Sets of variables and of cells, and which statements write them.

pub mod cells;
pub mod names;
pub mod set;
pub mod writes;
