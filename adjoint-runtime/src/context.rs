//! What a call tells the callee of its caller's needs; all of it folds away.

/// The needs of a caller.
pub trait Context: Copy {
    /// Whether `&mut` arguments have to hold their entry values again after the reverse sweep.
    const RESTORE: bool;
}

/// A caller that needs nothing: the outermost one.
#[derive(Clone, Copy, Debug)]
pub struct Outermost;

impl Context for Outermost {
    const RESTORE: bool = false;
}

/// A caller whose own adjoint reads what the call overwrote.
#[derive(Clone, Copy, Debug)]
pub struct Restore;

impl Context for Restore {
    const RESTORE: bool = true;
}

/// A function with `#[adjoint]`, by its handle.
#[diagnostic::on_unimplemented(
    message = "this function is called with values that depend on the independents, and has no adjoint",
    label = "called here from a function under `#[adjoint]`",
    note = "help: annotate the called function with `#[adjoint]`"
)]
pub trait Annotated {}
