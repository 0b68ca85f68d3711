//! The oracle for kernels that nobody has looked at, drawn at random: it says what it finds.
//!
//! A call is written as for the harness of the other tests, and expanded by the same macro, `check!`; what is
//! done with it here is at [`Case::check`].
#![allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each binary uses a part of the oracle"
)]

mod case;
#[path = "../common/check.rs"]
mod check;
#[path = "../common/compare.rs"]
mod compare;
#[path = "../common/differences.rs"]
mod differences;
#[path = "../common/flat.rs"]
mod flat;
#[path = "../common/random.rs"]
mod random;
mod report;
#[path = "../common/slot.rs"]
mod slot;

pub use case::{Case, Verdict};
pub(crate) use check::check;
pub use flat::Flat;
pub(crate) use flat::flat;
pub use random::Random;
pub use report::Report;
pub use slot::{Role, Slot};
