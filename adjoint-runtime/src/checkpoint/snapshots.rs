//! Snapshots that are tapes, in memory and in files.

use super::{Files, Slot, StoreError, Tier};
use crate::Tape;
use crate::tape::Pushed;

/// The snapshots of one loop.
#[derive(Default)]
pub(super) struct Snapshots {
    memory: Vec<Tape>,
    files: Option<Files<Tape>>,
    /// The snapshot that is being recorded, and whether it is another one.
    pending: Option<(Slot, bool)>,
    taken: Pushed,
    /// The bytes in memory, and the most at once.
    bytes: usize,
    most_bytes: usize,
}

impl Snapshots {
    /// An empty tape for the snapshot in a slot.
    pub(super) fn save(&mut self, slot: Slot) -> &mut Tape {
        self.settle();
        self.pending = Some((slot, true));
        match slot.tier {
            Tier::Memory => {
                if slot.index >= self.memory.len() {
                    self.memory.resize_with(slot.index + 1, Tape::default);
                }
                let tape = &mut self.memory[slot.index];
                tape.abandon();
                tape
            }
            Tier::Disk => self.files().buffer(),
        }
    }

    /// The snapshot in a slot, and whether that stays as it is when the tape is emptied.
    pub(super) fn restore(&mut self, slot: Slot) -> (&mut Tape, bool) {
        self.settle();
        match slot.tier {
            Tier::Memory => {
                let tape = &mut self.memory[slot.index];
                self.bytes -= tape.bytes();
                self.pending = Some((slot, false));
                (tape, false)
            }
            Tier::Disk => (checked(self.files().read(slot)), true),
        }
    }

    pub(super) fn release(&mut self, slot: Slot) {
        self.settle();
        match slot.tier {
            Tier::Memory => {
                let tape = &mut self.memory[slot.index];
                self.bytes -= tape.bytes();
                tape.abandon();
            }
            Tier::Disk => checked(self.files().remove(slot)),
        }
    }

    /// Takes in the snapshot that has been recorded.
    pub(super) fn settle(&mut self) {
        let Some((slot, is_new)) = self.pending.take() else {
            return;
        };
        let bytes = match slot.tier {
            Tier::Memory => {
                let bytes = self.memory[slot.index].bytes();
                self.bytes += bytes;
                self.most_bytes = self.most_bytes.max(self.bytes);
                bytes
            }
            Tier::Disk => {
                let files = self.files();
                let bytes = files.buffer().bytes();
                checked(files.write(slot));
                bytes
            }
        };
        if is_new {
            self.taken += Pushed { entries: 1, bytes };
        }
    }

    /// The bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Frees all slots. Returns what was taken, and the most bytes in memory at once.
    pub(super) fn clear(&mut self) -> (Pushed, usize) {
        self.memory.iter_mut().for_each(Tape::abandon);
        let emptied = Snapshots {
            memory: std::mem::take(&mut self.memory),
            ..Snapshots::default()
        };
        let old = std::mem::replace(self, emptied);
        (old.taken, old.most_bytes)
    }

    /// The files, in a directory that goes away with them.
    fn files(&mut self) -> &mut Files<Tape> {
        self.files.get_or_insert_with(|| checked(Files::new()))
    }
}

/// An error of the file system ends the adjoint.
fn checked<T>(result: Result<T, StoreError>) -> T {
    result.unwrap_or_else(|error| panic!("{error}"))
}
