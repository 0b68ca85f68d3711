//! The analysis behind `adjoint`, as a plain library: from a `syn` item to IR, to a reversal plan,
//! to tokens.

pub mod derive;
pub mod emit;
pub mod expand;
pub mod ir;
pub mod lower;
pub mod options;
pub mod passes;
pub mod plan;
pub mod refuse;
pub mod report;
pub mod roles;
pub mod rules;
#[cfg(feature = "testing")]
pub mod testing;

pub mod analysed;
pub mod compile;
#[cfg(feature = "testing")]
pub mod gen_program;
#[cfg(feature = "testing")]
pub mod gen_source;
#[cfg(feature = "testing")]
pub mod gen_tokens;
#[cfg(feature = "testing")]
pub mod interp;
pub mod mir;
pub mod text;
