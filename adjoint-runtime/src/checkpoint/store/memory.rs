//! Snapshots in memory.

use super::super::{Slot, Tier};
use super::{Store, StoreError, misused};

/// Snapshots in memory, of any type.
///
/// A freed slot keeps its value, and the next snapshot there overwrites it: a `Vec` is allocated once. What the store
/// holds is freed with it. It never fails.
#[derive(Debug, Clone)]
pub struct Memory<T> {
    /// By index, each with whether it is live.
    slots: Vec<(T, bool)>,
}

impl<T> Memory<T> {
    /// A store without slots.
    pub fn new() -> Memory<T> {
        Memory { slots: Vec::new() }
    }
}

impl<T> Default for Memory<T> {
    fn default() -> Memory<T> {
        Memory::new()
    }
}

fn index_in_memory(slot: Slot) -> usize {
    if slot.tier != Tier::Memory {
        misused(
            slot,
            "the schedule has snapshots on disk, but the store is in memory alone: use `Tiered`",
        );
    }
    slot.index
}

impl<T: Default> Store<T> for Memory<T> {
    fn save(&mut self, slot: Slot, save: &mut dyn FnMut(&mut T)) -> Result<(), StoreError> {
        let index = index_in_memory(slot);
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Default::default);
        }
        let (snapshot, live) = &mut self.slots[index];
        save(snapshot);
        *live = true;
        Ok(())
    }

    fn restore(&mut self, slot: Slot, restore: &mut dyn FnMut(&T)) -> Result<(), StoreError> {
        match self.slots.get(index_in_memory(slot)) {
            Some((snapshot, true)) => restore(snapshot),
            _ => misused(slot, "this slot holds no snapshot"),
        }
        Ok(())
    }

    fn release(&mut self, slot: Slot) -> Result<(), StoreError> {
        match self.slots.get_mut(index_in_memory(slot)) {
            Some((_, live)) if *live => *live = false,
            _ => misused(slot, "this slot holds no snapshot"),
        }
        Ok(())
    }

    fn clear(&mut self) -> Result<(), StoreError> {
        for (_, live) in &mut self.slots {
            *live = false;
        }
        Ok(())
    }
}
