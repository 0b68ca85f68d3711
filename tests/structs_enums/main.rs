//! Structs and enums of the user's: constructors, methods, operators, indices, type arguments.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod accessors_named_like_lists;
mod complex_numbers;
mod const_generics;
mod constructors;
mod consuming_methods;
mod default_structs;
mod enum_conversions;
mod generic_fields;
mod generic_literals;
mod generic_operators;
mod impls;
mod index_and_into_iterator;
mod index_and_sum;
mod index_helpers;
mod inferred_type_arguments;
mod len_methods;
mod mut_self;
mod newtypes;
mod operators;
mod unit_structs;
mod variant_accessors;
mod vec_like_types;
