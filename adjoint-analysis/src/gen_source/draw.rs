//! What is drawn: statements, expressions and values, as a person might write them.

pub(super) mod chains;
pub(super) mod closures;
pub(super) mod collections;
pub(super) mod control;
pub(super) mod indices;
pub(super) mod inductions;
pub(super) mod options;
pub(super) mod patterns;
pub(super) mod reals;
pub(super) mod references;
pub(super) mod statements;
pub(super) mod types;
pub(super) mod values;
pub(super) mod writer;
