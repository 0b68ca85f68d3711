//! From lowered statements to IR: passes over a whole function, before it is analysed.
//!
//! [`exits`] brings what leaves loops early into tail position, [`references`] puts integers in the place of references,
//! [`moves`] moves what is not read again, [`sink_declarations`] declares variables where they are named.

pub mod code;
pub mod cursors;
pub mod definite_init;
pub mod draft;
pub mod exits;
pub mod labeled;
pub mod moves;
pub mod references;
pub mod sink_declarations;
