//! Items around a function and in it: their names, types and signatures.

pub mod access_impls;
pub mod associated_types;
pub mod attributes;
pub mod constants;
pub mod environment;
pub(super) mod generic_arguments;
pub mod generics;
pub mod imports;
pub(super) mod nested_items;
pub mod overloads;
pub mod signatures;
