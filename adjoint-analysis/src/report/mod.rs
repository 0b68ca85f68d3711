//! What was done, told to people.
//!
//! [`markdown`] is the adjoint report, the documentation of `f_adjoint`, made where there is a
//! `reader`. With the feature
//! `explain` come the annotated listing (`listing`) and the control-flow graphs (`cfg`), which
//! the example `explain` prints and draws. All are made from the finished plan and the facts of the
//! passes; nothing here decides anything.

mod control;
mod markdown;
mod needs;
mod reader;
mod tape;
mod text;
mod view;

#[cfg(feature = "explain")]
pub mod cfg;
#[cfg(feature = "explain")]
mod listing;
#[cfg(feature = "explain")]
mod sweeps;

#[cfg(feature = "explain")]
pub use listing::listing;
pub use markdown::{markdown, summary};

use crate::analysed::Analysed;

/// The report without its first sentence, for the documentation of `f_adjoint`; empty where nobody reads it.
pub fn for_readers(analysed: &Analysed) -> String {
    match cfg!(feature = "report") && reader::is_there() {
        true => markdown::body(analysed),
        false => String::new(),
    }
}

/// A control entry on the tape.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ControlEntry {
    /// The loop or branch that it is for, as code.
    pub of: String,
    /// A flag, a label or a trip count.
    pub what: &'static str,
    /// Why it can't be computed again.
    pub reason: String,
}

/// What the forward sweep records to retrace the control flow, as often as it gets there, and why.
pub fn control_entries(analysed: &Analysed) -> Vec<ControlEntry> {
    let view = view::View::new(analysed);
    let entries = control::entries(&view).into_iter();
    entries
        .map(|(id, what, reason)| ControlEntry {
            of: view.text(id),
            what,
            reason,
        })
        .collect()
}
