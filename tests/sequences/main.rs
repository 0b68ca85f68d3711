//! Slices, arrays, `Vec`s, queues and tuples.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod aliased_arrays;
mod array_arguments;
mod boxed_slices;
mod dedup_and_retain;
mod deques;
mod deques_in_fields;
mod destructured_elements;
mod fixed_arrays;
mod inferred_array_lengths;
mod lists_of_slices;
mod long_arrays;
mod peeking_and_chunking;
mod range_parameters;
mod reassigned_during_iteration;
mod reshaped_matrices;
mod single_values_as_slices;
mod slice_methods;
mod slices_of_whole_arrays;
mod sorts_with_ties;
mod swapped_fields;
mod type_aliases;
mod vec_methods_on_fields;
mod vecs_moved_into_fields;
mod wide_tuples;
