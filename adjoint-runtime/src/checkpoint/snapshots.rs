//! Snapshots that are tapes, in memory and in files.

use super::{Files, Slot, StoreError, Tier};
use crate::tape::{Account, Pushed};
use crate::{SweepError, Tape};

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
    /// That of a tape with a limit.
    account: Option<Account>,
    /// Whether a caller takes errors of this adjoint.
    is_tried: bool,
}

impl Snapshots {
    /// The same on this account.
    pub(super) fn on(self, account: Option<Account>, is_tried: bool) -> Snapshots {
        Snapshots {
            account,
            is_tried,
            ..self
        }
    }

    /// An empty tape for the snapshot in a slot.
    pub(super) fn save(&mut self, slot: Slot) -> &mut Tape {
        self.settle();
        self.pending = Some((slot, true));
        let tape = match slot.tier {
            Tier::Memory => {
                if slot.index >= self.memory.len() {
                    let account = &self.account;
                    let empty = || Tape::on(account.clone());
                    self.memory.resize_with(slot.index + 1, empty);
                }
                &mut self.memory[slot.index]
            }
            Tier::Disk => self.files().buffer(),
        };
        tape.abandon();
        tape
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
            Tier::Disk => {
                let is_tried = self.is_tried;
                let read = self.files().read(slot);
                (read.unwrap_or_else(|error| raise(error, is_tried)), true)
            }
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
            Tier::Disk => self.files().remove(slot),
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
                let written = files.write(slot);
                written.unwrap_or_else(|error| raise(error, self.is_tried));
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
            account: self.account.take(),
            is_tried: self.is_tried,
            ..Snapshots::default()
        };
        let old = std::mem::replace(self, emptied);
        (old.taken, old.most_bytes)
    }

    /// Those on disk.
    fn files(&mut self) -> &mut Files<Tape> {
        self.files.get_or_insert_with(|| {
            let files = Files::new();
            let mut files = files.unwrap_or_else(|error| raise(error, self.is_tried));
            *files.buffer() = Tape::on(self.account.clone());
            files
        })
    }
}

/// An error of the file system ends the adjoint.
fn raise(error: StoreError, is_tried: bool) -> ! {
    SweepError::Snapshot(error).raise(is_tried)
}
