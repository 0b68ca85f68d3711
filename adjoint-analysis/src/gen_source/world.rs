//! What stands around a function: the items that it can use.

use super::draw::types::{Held, Ty};
use crate::gen_program::random::Random;

/// A function that can be called.
#[derive(Clone, Debug)]
pub(super) struct Function {
    /// As it is named in a call: `h1`, `Node3::total`.
    pub(super) path: String,
    /// Its name after a dot, where its first parameter is `self`.
    pub(super) method: Option<String>,
    pub(super) params: Vec<(Ty, Held)>,
    pub(super) ret: Option<Ty>,
}

/// A struct whose fields can be seen.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) fields: Vec<(String, Ty)>,
    /// The operators that it has, and whether on references.
    pub(super) operators: Vec<&'static str>,
}

/// All items so far.
#[derive(Clone, Default, Debug)]
pub(super) struct World {
    /// The text of items, each with its attribute.
    pub(super) items: Vec<String>,
    /// How values of the types are lists of scalars.
    pub(super) shapes: Vec<String>,
    pub(super) functions: Vec<Function>,
    pub(super) records: Vec<Record>,
    /// Types of which sequences, options and parameters may be made.
    pub(super) types: Vec<Ty>,
    names: usize,
}

impl World {
    /// A new name.
    pub(super) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// The struct of that name.
    pub(super) fn record(&self, ty: &Ty) -> Option<&Record> {
        self.records
            .iter()
            .find(|r| Ty::Named(r.name.clone()) == *ty)
    }

    /// A type of the source's own.
    pub(super) fn some_type(&self, rng: &mut Random) -> Option<Ty> {
        match self.types.is_empty() {
            true => None,
            false => Some(rng.pick(&self.types).clone()),
        }
    }
}
