//! Types that the macro has to infer, or to leave to rustc.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod associated_function_results;
mod integer_conversions;
mod integer_fields;
mod integers_from_callees;
mod integers_from_casts;
mod library_code;
mod math_methods;
mod methods_of_fields;
mod methods_of_one_name;
mod nested_expectations;
mod types_from_callees;
mod types_inferred_later;
mod variables_from_callees;
