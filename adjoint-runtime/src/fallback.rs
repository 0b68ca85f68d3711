//! What a call of a function without `#[adjoint]` runs into, for the sake of the message.

/// Stands for the handle that a function without `#[adjoint]` does not have.
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub enum __callee {}
