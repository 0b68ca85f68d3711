//! The sizes of snapshots.

use adjoint::Tape;

/// The bytes of one snapshot of the last adjoint, which reversed one loop from three snapshots or more.
pub fn snapshot_bytes(tape: &Tape) -> usize {
    let taken = tape.stats().snapshots;
    assert!(taken.entries >= 3);
    assert_eq!(
        taken.bytes % taken.entries,
        0,
        "snapshots of one loop have one size"
    );
    taken.bytes / taken.entries
}
