//! What a reversed loop took, in numbers.

/// What [`reverse_loop`](super::reverse_loop) did.
///
/// Each step is recorded once, so that the loop's steps are run `advanced + steps` times in all, and `advanced` is what
/// checkpointing computes besides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoopStats {
    /// The number of steps of the loop.
    pub steps: usize,
    /// Steps that were run plainly, without a record.
    pub advanced: usize,
    /// Snapshots that were taken.
    pub taken: usize,
    /// How often a snapshot was restored.
    pub restored: usize,
    /// The most snapshots that were alive at once, the entry state's included.
    pub peak_snapshots: usize,
    /// The most of them in memory.
    pub peak_memory: usize,
    /// The most of them on disk.
    pub peak_disk: usize,
    /// The most steps that were on the tape at once.
    pub longest_record: usize,
}
