//! `Option`s, `Result`s and boxes, with the lists and trees that people build of them.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod arenas;
mod best_so_far;
mod boxes_moved_out;
mod branches_to_results;
mod disjoint_payloads;
mod dropped_results;
mod lists_and_trees;
mod named_errors;
mod option_methods;
mod options_of_places;
mod question_mark_in_closures;
mod recursion_over_plans;
mod references_from_arms;
mod returned_boxes;
mod tree_descents;
mod tree_lookups;
mod tree_methods;
mod unwrap_or_default;
mod walks_from_nodes;
