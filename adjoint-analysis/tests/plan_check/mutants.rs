//! Each mutant has one thing wrong, and the checker says what.

mod adjoints;
mod control;
mod primal;
mod records;
mod snapshots;

use adjoint_analysis::plan::check::FaultKind;

use super::faults;

/// Checks that the plan, with the changes made to it, has a fault of this kind.
#[track_caller]
fn catches(plan: &str, changes: &[(&str, &str)], kind: FaultKind) {
    let mut mutant = plan.to_string();
    for (from, to) in changes {
        // What both sweeps say is meant in the reverse one.
        let at = mutant
            .rfind(from)
            .unwrap_or_else(|| panic!("`{from}` is not in the plan"));
        mutant.replace_range(at..at + from.len(), to);
    }
    let found = faults(&mutant);
    assert!(
        found.iter().any(|f| f.kind == kind),
        "expected {kind:?}, found {found:#?}\n{mutant}"
    );
}
