//! Kernels as people write them who have never heard of the attribute: textbook methods, each in one
//! or two functions, with the idioms that come with them.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod accessors;
mod algebra;
mod aliases;
mod arranged;
mod array_arguments;
mod arrays_made;
mod both_ends;
mod boxed_slices;
mod by_path;
mod capitals;
mod captures;
mod cast_sums;
mod choices;
mod chosen_fields;
mod chosen_in_arms;
mod chosen_in_loops;
mod complex;
mod conditions;
mod constants;
mod consumed_lists;
mod curves;
mod decoders;
mod defaults;
mod descents;
mod dimensions;
mod exchanged_fields;
mod exits;
mod extents;
mod fixed_arrays;
mod from_behind;
mod functions;
mod generic_fields;
mod generic_helpers;
mod generic_literals;
mod generic_results;
mod grids;
mod handed;
mod impls;
mod imports;
mod index_helpers;
mod inner_functions;
mod iterations;
mod left_with;
mod lengths;
mod lent_fields;
mod lent_parts;
mod lent_tuples;
mod lent_twice;
mod libraries;
mod linear;
mod lists;
mod literals;
mod made_for_calls;
mod math_methods;
mod matrices;
mod models;
mod namesakes;
mod narrowed;
mod objects;
mod open_integers;
mod options;
mod options_stay;
mod outcomes;
mod owned_selves;
mod owners;
mod particles;
mod parts_of_sequences;
mod parts_of_variants;
mod passed;
mod places;
mod planned;
mod raw_names;
mod reshaped;
mod returned_boxes;
mod rings;
mod scaled;
mod science;
mod sequences;
mod shared_elements;
mod signals;
mod simulations;
mod states;
mod taken_apart;
mod textbook;
mod texts;
mod thinned;
mod told_by_callees;
mod trees;
mod tried;
mod truncated;
mod unseen_fields;
mod unseen_integers;
mod whole_arrays;
mod wide_tuples;
mod work_spaces;
mod written_behind;
mod written_out;
