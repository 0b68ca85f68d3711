//! References: accessors, views, disjoint and reassigned borrows, temporaries.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod borrowed_tuples;
mod copies_and_places;
mod disjoint_views;
mod elements_borrowed_together;
mod lists_behind_pointers;
mod lists_made_in_arguments;
mod missing_elements;
mod moved_reference_structs;
mod reassigned_reference_pairs;
mod reassigned_references;
mod reference_accessors;
mod references_chosen_in_loops;
mod references_in_parameters;
mod references_to_fields;
mod references_to_references;
mod shared_reborrows;
mod structs_of_references;
mod swapped_references;
mod temporaries;
mod tuples_of_references;
mod views_of_data;
