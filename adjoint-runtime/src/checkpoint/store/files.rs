//! Snapshots in files.

mod directory;

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::super::{Slot, Tier};
use super::{Encode, Store, StoreError, misused};
use directory::Directory;

/// How many bytes go to a file at once.
const BUFFER: usize = 1 << 16;

/// Snapshots in files, one each, in a directory of their own.
///
/// The directory is made with the store and removed with it, also when a panic unwinds past it (but not when the
/// process is aborted or killed). One snapshot more is held in memory, through which all go.
///
/// It has slots on disk alone: [`Tiered`](super::Tiered) has both kinds.
#[derive(Debug)]
pub struct Files<T> {
    directory: Directory,
    /// By index, whether the file is there.
    live: Vec<bool>,
    /// What is written, or was read, last.
    snapshot: T,
}

impl<T: Encode + Default> Files<T> {
    /// Files in a new directory below the system's directory for temporary files.
    ///
    /// # Errors
    ///
    /// If the directory can't be made.
    pub fn new() -> Result<Files<T>, StoreError> {
        Files::new_in(std::env::temp_dir())
    }

    /// Files in a new directory below this one, which exists.
    ///
    /// # Errors
    ///
    /// If the directory can't be made.
    pub fn new_in(parent: impl AsRef<Path>) -> Result<Files<T>, StoreError> {
        Ok(Files {
            directory: Directory::create_in(parent.as_ref())?,
            live: Vec::new(),
            snapshot: T::default(),
        })
    }
}

impl<T> Files<T> {
    /// The directory with the files, which nobody else should write to.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    fn path(&self, index: usize) -> PathBuf {
        self.directory().join(format!("snapshot-{index}"))
    }

    /// The path of a snapshot that is live.
    fn live_path(&self, slot: Slot) -> PathBuf {
        let index = index_on_disk(slot);
        if self.live.get(index) != Some(&true) {
            misused(slot, "this slot holds no snapshot");
        }
        self.path(index)
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

fn write_file(path: &Path, snapshot: &impl Encode) -> io::Result<()> {
    let mut file = BufWriter::with_capacity(BUFFER, File::create(path)?);
    snapshot.encode(&mut file)?;
    file.flush()
}

fn read_file(path: &Path, snapshot: &mut impl Encode) -> io::Result<()> {
    let mut file = BufReader::with_capacity(BUFFER, File::open(path)?);
    snapshot.decode(&mut file)?;
    match file.read(&mut [0])? {
        0 => Ok(()),
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            "the file is longer than its snapshot",
        )),
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
        let path = self.path(index);
        write_file(&path, &self.snapshot)
            .map_err(StoreError::on("write the snapshot file", &path))?;
        if index >= self.live.len() {
            self.live.resize(index + 1, false);
        }
        self.live[index] = true;
        Ok(())
    }

    /// Reads a slot into the buffer.
    pub(in super::super) fn read(&mut self, slot: Slot) -> Result<&mut T, StoreError> {
        let path = self.live_path(slot);
        read_file(&path, &mut self.snapshot)
            .map_err(StoreError::on("read the snapshot file", &path))?;
        Ok(&mut self.snapshot)
    }

    /// Removes the file of a slot.
    pub(in super::super) fn remove(&mut self, slot: Slot) -> Result<(), StoreError> {
        let path = self.live_path(slot);
        fs::remove_file(&path).map_err(StoreError::on("remove the snapshot file", &path))?;
        self.live[slot.index] = false;
        Ok(())
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
        self.remove(slot)
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        for index in 0..self.live.len() {
            if self.live[index] {
                self.release(Slot::disk(index))?;
            }
        }
        Ok(())
    }
}
