//! What a call of a function without `#[adjoint]` runs into, for the sake of the message.

/// Stands for the handle that a function without `#[adjoint]` does not have.
#[allow(non_camel_case_types)]
#[derive(Debug)]
pub enum __callee {}

/// A function that can be called from an annotated one: no type implements it but by `#[adjoint]`.
#[diagnostic::on_unimplemented(
    message = "this function carries floats and has no adjoint",
    label = "called from a function under `#[adjoint]`",
    note = "annotate it with `#[adjoint]`, give it an adjoint by `#[adjoint(custom = ..)]`, or declare it inactive by `#[adjoint(inactive(..))]`"
)]
pub trait Annotated {}

impl __callee {
    /// Never callable: the bound does not hold.
    pub fn forward<C, A>(_: C, _: A)
    where
        __callee: Annotated,
    {
    }
}
