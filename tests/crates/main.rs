//! Functions as they stand in numerical crates, with the attribute put on them.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod learning;
mod linear_algebra;
mod objectives;
mod physics;
mod signals;
mod solvers;
mod special;
mod statistics;
