//! Textbook methods of several fields, each in one or two functions.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

// Mechanics.
mod grids;
mod mechanics;
mod particles;

// Linear algebra and interpolation.
mod interpolation;
mod linear_algebra;

// Signals and sequences.
mod decoders;
mod sequence_models;
mod signals;

// Statistics and machine learning.
mod covariance_functions;
mod filters_and_mixtures;
mod neural_networks;
mod statistics_and_learning;

// Symbols, stacks and orders.
mod stacks_and_orders;
mod symbolic;

// Several fields at once.
mod sciences;
mod textbook;
