//! Replaces references that are chosen or moved at run time by integers: category C4 of `[PTR]` §2.1.

pub mod dereference;
pub mod points_to;

use proc_macro2::Span;

use crate::ir::VarId;

/// A reference that is chosen or moved at run time.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The variable of the reference itself.
    pub itself: VarId,
    /// The variable that represents its referent.
    pub target: VarId,
    /// Whether it is a `&mut` one.
    pub mutable: bool,
    /// Whether it may be reassigned after it has been used.
    pub rebindable: bool,
    /// The position where it is created.
    pub span: Span,
}
