//! What is drawn: statements, expressions, calls and control flow, always valid.

pub(super) mod calls;
pub(super) mod control;
pub(super) mod exits;
pub(super) mod growth;
pub(super) mod inductions;
pub(super) mod integers;
pub(super) mod moves;
pub(super) mod options;
pub(super) mod reals;
pub(super) mod statements;
pub(super) mod sweeps;
pub(super) mod writer;
