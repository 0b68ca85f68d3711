//! Snapshots on disk.

mod extents;
mod scratch;

use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::super::{Slot, Tier};
use super::{Encode, Store, StoreError, misused};
use extents::Extents;
use scratch::Scratch;

/// How many bytes go to the file at once.
const BUFFER: usize = 1 << 16;

/// Snapshots on disk, in a file of their own.
///
/// On Unix, the file has no name as soon as it is open: nothing is left of it when the store is dropped, when a panic
/// unwinds past it, or when the process is killed. Elsewhere it goes with the store. One snapshot more is held in memory,
/// through which all go. The file grows to as many snapshots as there are at once.
///
/// It has slots on disk alone: [`Tiered`](super::Tiered) has both kinds.
#[derive(Debug)]
pub struct Files<T> {
    scratch: Scratch,
    extents: Extents,
    /// What is written, or was read, last.
    snapshot: T,
}

impl<T: Encode + Default> Files<T> {
    /// A new file in the system's directory for temporary files.
    ///
    /// # Errors
    ///
    /// If the file can't be made.
    pub fn new() -> Result<Files<T>, StoreError> {
        Files::new_in(std::env::temp_dir())
    }

    /// A new file in this directory, which exists.
    ///
    /// # Errors
    ///
    /// If the file can't be made.
    pub fn new_in(directory: impl AsRef<Path>) -> Result<Files<T>, StoreError> {
        Ok(Files {
            scratch: Scratch::create_in(directory.as_ref())?,
            extents: Extents::default(),
            snapshot: T::default(),
        })
    }
}

impl<T> Files<T> {
    /// The path that the file was made with. On Unix, there is no such file any more.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }
}

fn index_on_disk(slot: Slot) -> usize {
    if slot.tier != Tier::Disk {
        misused(
            slot,
            "the schedule has snapshots in memory, but the store is on disk alone: use `Tiered`",
        );
    }
    slot.index
}

/// A place to write to that only counts.
struct Count(u64);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// For snapshots that are written in place.
impl<T: Encode> Files<T> {
    /// What is written next, or was read last.
    pub(in super::super) fn buffer(&mut self) -> &mut T {
        &mut self.snapshot
    }

    /// Writes the buffer to a slot.
    pub(in super::super) fn write(&mut self, slot: Slot) -> Result<(), StoreError> {
        let index = index_on_disk(slot);
        let written = self.try_write(index);
        if written.is_err() {
            self.extents.release(index);
        }
        written.map_err(StoreError::on("write a snapshot to", self.path()))
    }

    fn try_write(&mut self, index: usize) -> io::Result<()> {
        let mut count = Count(0);
        self.snapshot.encode(&mut count)?;
        let extent = self.extents.assign(index, count.0);
        let mut file = self.scratch.file();
        file.seek(SeekFrom::Start(extent.start))?;
        let mut file = BufWriter::with_capacity(BUFFER, file);
        self.snapshot.encode(&mut file)?;
        file.flush()
    }

    /// Reads a slot into the buffer.
    pub(in super::super) fn read(&mut self, slot: Slot) -> Result<&mut T, StoreError> {
        let index = self.live_index(slot);
        let read = self.try_read(index);
        read.map_err(StoreError::on("read a snapshot from", self.path()))?;
        Ok(&mut self.snapshot)
    }

    fn try_read(&mut self, index: usize) -> io::Result<()> {
        let Some(extent) = self.extents.of(index) else {
            return Ok(());
        };
        let mut file = self.scratch.file();
        file.seek(SeekFrom::Start(extent.start))?;
        let mut file = BufReader::with_capacity(BUFFER, file.take(extent.length));
        self.snapshot.decode(&mut file)
    }

    /// Frees a slot.
    pub(in super::super) fn remove(&mut self, slot: Slot) {
        let index = self.live_index(slot);
        self.extents.release(index);
    }

    /// The index of a slot that holds a snapshot.
    fn live_index(&self, slot: Slot) -> usize {
        let index = index_on_disk(slot);
        if self.extents.of(index).is_none() {
            misused(slot, "this slot holds no snapshot");
        }
        index
    }
}

impl<T: Encode + Default> Store<T> for Files<T> {
    fn save(&mut self, slot: Slot, save: &mut dyn FnMut(&mut T)) -> Result<(), StoreError> {
        save(&mut self.snapshot);
        self.write(slot)
    }

    fn restore(&mut self, slot: Slot, restore: &mut dyn FnMut(&T)) -> Result<(), StoreError> {
        self.read(slot).map(|snapshot| restore(snapshot))
    }

    fn release(&mut self, slot: Slot) -> Result<(), StoreError> {
        self.remove(slot);
        Ok(())
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        let live: Vec<usize> = self.extents.live().collect();
        live.into_iter()
            .for_each(|index| self.extents.release(index));
        Ok(())
    }
}
