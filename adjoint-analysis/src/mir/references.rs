//! References that are chosen or moved at run time become integers: category C4 of `[PTR]` §2.1.

pub mod dereference;
pub mod points_to;

use proc_macro2::Span;

use crate::ir::VarId;

/// A reference that is chosen or moved at run time.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The reference itself.
    pub itself: VarId,
    /// What stands for the value that it refers to.
    pub target: VarId,
    /// Whether it is a `&mut` one.
    pub mutable: bool,
    /// Whether it may be assigned again once it has been used.
    pub moves: bool,
    /// Where it is made.
    pub span: Span,
}
