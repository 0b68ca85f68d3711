//! Checkpointing: schedules against their formulas, stores, and the driver.

mod binomial;
mod driver;
mod encode;
mod files;
mod memory;
mod online;
mod periodic;
mod simulate;
mod solver;
mod two_level;
