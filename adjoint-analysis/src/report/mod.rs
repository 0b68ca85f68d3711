//! Reports about an analysed function, for people.
//!
//! [`markdown`] is the adjoint report: the documentation of `f_adjoint`, made if there is a `reader`. The feature
//! `explain` adds the annotated listing (`listing`), the tables of what comes back (`recovery_table`), the control-flow
//! graphs (`cfg`), the dependency graphs of integers (`dependencies`) and the computational graphs of runs of assignments
//! (`blocks`), which the example `explain` prints and draws.
//! All reports are made from the finished plan and the facts of the passes; they decide nothing.

mod control;
mod formula;
mod fused;
mod gradients;
mod markdown;
mod needs;
mod phrases;
mod reader;
mod recovery;
mod snapshots;
mod tape;
mod text;
mod view;

#[cfg(feature = "explain")]
pub mod blocks;
#[cfg(feature = "explain")]
pub mod cfg;
#[cfg(feature = "explain")]
mod columns;
#[cfg(feature = "explain")]
pub mod dependencies;
#[cfg(feature = "explain")]
pub mod diagram;
#[cfg(feature = "explain")]
mod levels;
#[cfg(feature = "explain")]
mod listing;
#[cfg(feature = "explain")]
mod recovery_table;
#[cfg(feature = "explain")]
mod sweeps;

#[cfg(feature = "explain")]
pub use listing::listing;
pub use markdown::{body, markdown, summary};
#[cfg(feature = "explain")]
pub use recovery_table::recovery_tables;

use crate::analysed::Analysed;

/// The report without its first sentence, for the documentation of `f_adjoint`; empty if there is no reader.
pub fn doc_body(analysed: &Analysed) -> String {
    match cfg!(feature = "report") && reader::has_reader() {
        true => markdown::body(analysed),
        false => String::new(),
    }
}

/// A control entry on the tape.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ControlEntry {
    /// The loop or branch, as code.
    pub construct: String,
    /// A flag, a label or a trip count.
    pub kind: &'static str,
    /// The reason why it can't be recomputed.
    pub reason: String,
}

/// The control entries that each run of the forward sweep records to retrace the control flow, with reasons.
pub fn control_entries(analysed: &Analysed) -> Vec<ControlEntry> {
    let view = view::View::new(analysed);
    let entries = control::entries(&view).into_iter();
    entries
        .map(|(id, what, reason)| ControlEntry {
            construct: view.text(id),
            kind: what,
            reason,
        })
        .collect()
}
