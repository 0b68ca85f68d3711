//! Mutants of annotated items: tokens that nobody wrote, on which the macro has to end all the same.
//!
//! The programs of [`gen_program`](crate::gen_program) and the sources of [`gen_source`](crate::gen_source) are
//! right by construction. These are the annotated items of the façade's tests with a few tokens changed: dropped,
//! doubled, exchanged, put into other brackets, taken from elsewhere. Whatever comes of them has to be tokens or
//! refusals. A panic, an overflow of the stack and an expansion without an end are faults.

pub mod campaign;
mod child;
mod corpus;
mod judge;
mod mutate;
pub mod reduce;
mod tree;

use std::fmt;

pub use child::{Children, run_as_child};
pub use corpus::Corpus;
use tree::{Tree, tokens, trees};

/// The arguments of an attribute and the item under it.
#[derive(Clone, Debug)]
pub struct Mutant {
    arguments: Vec<Tree>,
    item: Vec<Tree>,
}

impl Mutant {
    /// The mutant that its text shows.
    fn parse(text: &str) -> Option<Mutant> {
        let mut all = trees(text.parse().ok()?).into_iter();
        let (_hash, attribute) = (all.next()?, all.next()?);
        let arguments = match attribute.content()? {
            [_adjoint, arguments, ..] => arguments.content()?.to_vec(),
            _ => Vec::new(),
        };
        Some(Mutant {
            arguments,
            item: all.collect(),
        })
    }
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (arguments, item) = (tokens(&self.arguments), tokens(&self.item));
        write!(f, "#[adjoint({arguments})]\n{item}")
    }
}
