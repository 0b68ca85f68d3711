//! Random Rust sources: a kernel as a person might write it, with the types and functions that it needs.
//!
//! The programs of [`gen_program`](crate::gen_program) are IR, and judge plans. These are text, and judge all of
//! it: lowering of the language's syntax, what is known of types, iterators, closures, references, lists and
//! trees, calls, and the code that is generated, as rustc takes it. Each is compiled with and without the
//! attribute, run, and compared with differences by the oracle in `tests/judge`.
//!
//! What is drawn is well-typed by construction, and follows simple rules of borrowing; rustc has the last
//! word. It ends, indexes where there is something, and keeps its numbers moderate.

mod draw;
mod items;
mod kernel;
pub mod run;
mod source;
mod world;

pub use self::run::outcome::{Counts, Fault, Outcome};
pub use self::run::project::Project;
pub use kernel::draw;
pub use source::Source;

/// What a source is made of, mostly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// Iterators, closures, options and ways out.
    Chains,
    /// Structures, references, lists, trees and matrices.
    Structures,
}
