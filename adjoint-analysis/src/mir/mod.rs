//! Passes over a lowered function that turn it into IR, before it is analysed.
//!
//! [`exits`] moves early exits into tail position, [`references`] replaces references by integers, [`moves`] turns last
//! reads of owned values into moves, [`sink_declarations`] moves declarations to where the variables are used.

pub mod code;
pub mod cursors;
pub mod definite_init;
pub mod draft;
pub mod exits;
pub mod labeled;
pub mod moves;
pub mod references;
pub mod sink_declarations;
