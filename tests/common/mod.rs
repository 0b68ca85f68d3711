//! The oracle harness: what every kernel's adjoint is held against.
//!
//! A test names a kernel and the arguments of one call, as it would write the call:
//!
//! ```ignore
//! check!(axpy(2.0, &vec![1.0, -3.0], &mut vec![0.5, 4.0]));
//! check!(dot(&[1.0, 2.0], &[3.0, 4.0]) -> f64);
//! check!(table(const 3, &[1.0, 2.0]) -> f64);
//! ```
//!
//! `&mut` arguments are in-out, all others are read; `const` stands before an argument that has no
//! adjoint. The result is the Jacobian, one row per output scalar (those of the return value first,
//! then those of each `&mut` argument), one column per input scalar, for a closed form to be
//! compared with. What is checked is listed at [`Case::check`].
#![allow(
    clippy::needless_update,
    dead_code,
    unused_imports,
    unused_macros,
    reason = "each test binary uses a part of the harness"
)]

mod case;
#[macro_use]
mod check;
mod compare;
mod differences;
mod flat;
pub mod linked;
mod random;
mod slot;
mod snapshots;
mod tapes;
pub mod types;

pub use case::{Case, Jacobian};
pub(crate) use check::check;
pub use compare::{assert_close, assert_gradient, assert_rows_close};
pub use flat::Flat;
pub(crate) use flat::flat;
pub use random::Random;
pub use slot::{Role, Slot};
pub use snapshots::snapshot_bytes;
pub use tapes::bytes_of_same;
