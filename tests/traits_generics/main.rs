//! Traits, generic functions and trait objects.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod associated_types;
mod bounds_on_methods;
mod boxed_state_machines;
mod boxed_trait_objects;
mod conversions_in_generics;
mod extension_traits;
mod generic_constructors;
mod generic_helpers;
mod generics_to_integers;
mod impl_trait_results;
mod minimal_bounds;
mod moved_trait_objects;
mod non_float_parameters;
mod overloaded_impls;
mod provided_methods;
mod sorted_trait_objects;
mod static_dispatch;
mod std_trait_paths;
mod trait_accessors;
mod trait_calls;
mod trait_functions;
mod trait_methods;
mod trait_object_owners;
mod trait_objects_in_containers;
mod trait_objects_in_enums;
mod user_float_traits;
