//! Constants, inactive functions and types, and derivatives that no caller needs.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod calls_without_derivative;
mod constant_arguments;
mod constant_data;
mod constant_maps;
mod functions_without_adjoint;
mod inactive_functions;
mod inactive_methods;
mod inactive_references;
mod narrowed_callees;
mod opaque_constants;
mod parsed_numbers;
mod partials_out_of_range;
mod random_generators;
mod roots_at_zero;
mod seed_shapes;
mod texts_as_choices;
mod work_buffers;
mod zero_times_infinity;
