//! Closures, functions as values, and iterators.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod by_ref;
mod collected_flags;
mod comparator_parameters;
mod comparisons;
mod converted_parameters;
mod destructured_parameters;
mod double_ended;
mod function_parameters;
mod function_values;
mod functions_passed_to_std;
mod higher_order_functions;
mod inlined_calls;
mod inner_functions;
mod iterator_parameters;
mod methods_by_path;
mod move_closures;
mod mutating_captures;
mod returned_closures;
mod searches_from_the_end;
mod short_sources;
mod stateful_closures;
mod user_iterators;
mod writing_closures;
