//! Macros, and items: modules, imports, constants, statics and their names.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../common/mod.rs"]
mod common;

mod block_imports;
mod cfg_functions;
mod const_tables;
mod constants_of_user_types;
mod dbg_and_write;
mod imports;
mod inner_items;
mod items_from_macros;
mod items_of_one_name;
mod local_macros;
mod macro_fragments;
mod macro_hygiene;
mod macros_on_references;
mod nested_modules;
mod raw_identifiers;
mod reused_names;
mod side_effects_in_macros;
mod statics;
mod uppercase_names;
mod variables_named_like_functions;
