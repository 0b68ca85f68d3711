//! Control flow: loops, early exits, patterns, and the order of evaluation.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod compound_assignment_order;
mod early_exits;
mod early_returns_of_references;
mod evaluation_order;
mod exits_from_arguments;
mod exits_from_matches;
mod inlining_and_exits;
mod let_chains;
mod loop_bounds;
mod open_ended_loops;
mod or_patterns;
mod places_indexed_by_calls;
mod queues_and_exits;
mod receivers_and_arguments;
mod results_and_exits;
mod returns_from_loops;
mod unread_elements;
mod unused_values;
mod values_at_loop_exits;
mod walks_and_overwrites;
