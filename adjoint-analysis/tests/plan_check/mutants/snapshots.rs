//! Steps of checkpointed loops that are run again from another state, or otherwise.

use adjoint_analysis::plan::check::FaultKind::*;

use super::super::plans::CHECKPOINTED;
use super::catches;

#[test]
fn a_variable_is_missing_in_the_snapshot() {
    let without_k = [("#1 record r3 k;", ""), ("#1 restore r3 k;", "")];
    catches(CHECKPOINTED, &without_k, Snapshot);
    let without_y = [("#1 record r2 y;", ""), ("#1 restore r2 y;", "")];
    catches(CHECKPOINTED, &without_y, Snapshot);
}

#[test]
fn a_snapshot_is_restored_in_the_order_of_its_records() {
    let exchanged = [
        ("#1 restore r3 k;", ""),
        ("#1 restore r2 y;", "#1 restore r2 y; #1 restore r3 k;"),
    ];
    catches(CHECKPOINTED, &exchanged, Snapshot);
}

#[test]
fn a_step_reads_what_was_changed_since() {
    let other_n = [(
        "sin(y[1usize]);\n    #3 y[0usize] = sin * k + y[0usize];\n    #4 k = k * 0.5f64;\n  } checkpoint 2usize\n  #1 record r4",
        "sin(y[1usize]);\n    #3 y[0usize] = sin * k + y[0usize];\n    #4 k = k * 0.25f64;\n  } checkpoint 2usize\n  #1 record r4",
    )];
    catches(CHECKPOINTED, &other_n, NotPrimal);
}

#[test]
fn a_step_is_run_again_without_a_record() {
    catches(CHECKPOINTED, &[("#4 record r0 k;", "")], Unbalanced);
    let without = [("#4 record r0 k;", ""), ("#4 restore r0 k;", "")];
    catches(CHECKPOINTED, &without, StaleRead);
}

#[test]
fn a_step_is_run_again_in_part() {
    catches(
        CHECKPOINTED,
        &[(
            "#4 record r0 k;\n      #4 k = k * 0.5f64;",
            "#4 record r0 k;",
        )],
        MissingPrimal,
    );
}

#[test]
fn snapshots_without_a_reversal() {
    catches(
        CHECKPOINTED,
        &[("#1 restore r3 k;", "#1 restore r6 k;")],
        Snapshot,
    );
}
