//! Snapshots in memory and in files.

use std::path::Path;

use super::super::{Slot, Tier};
use super::{Encode, Files, Memory, Store, StoreError};

/// Snapshots in memory and in files, for schedules with both: [`TwoLevel`](super::super::TwoLevel),
/// [`Online::with_disk`](super::super::Online::with_disk).
#[derive(Debug)]
pub struct Tiered<T> {
    memory: Memory<T>,
    files: Files<T>,
}

impl<T: Encode + Default> Tiered<T> {
    /// With a new file in the system's directory for temporary files.
    ///
    /// # Errors
    ///
    /// If the file can't be made.
    pub fn new() -> Result<Tiered<T>, StoreError> {
        Tiered::new_in(std::env::temp_dir())
    }

    /// With a new file in this directory, which exists.
    ///
    /// # Errors
    ///
    /// If the file can't be made.
    pub fn new_in(parent: impl AsRef<Path>) -> Result<Tiered<T>, StoreError> {
        Ok(Tiered {
            memory: Memory::new(),
            files: Files::new_in(parent)?,
        })
    }
}

impl<T: Encode + Default> Tiered<T> {
    /// The files' part.
    pub fn files(&self) -> &Files<T> {
        &self.files
    }

    fn of(&mut self, tier: Tier) -> &mut dyn Store<T> {
        match tier {
            Tier::Memory => &mut self.memory,
            Tier::Disk => &mut self.files,
        }
    }
}

impl<T: Encode + Default> Store<T> for Tiered<T> {
    fn save(&mut self, slot: Slot, save: &mut dyn FnMut(&mut T)) -> Result<(), StoreError> {
        self.of(slot.tier).save(slot, save)
    }

    fn restore(&mut self, slot: Slot, restore: &mut dyn FnMut(&T)) -> Result<(), StoreError> {
        self.of(slot.tier).restore(slot, restore)
    }

    fn release(&mut self, slot: Slot) -> Result<(), StoreError> {
        self.of(slot.tier).release(slot)
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        self.memory.clear()?;
        self.files.clear()
    }
}
