//! Where snapshots are held.

mod encode;
mod error;
mod files;
mod memory;
mod tiered;

use super::Slot;

pub use encode::Encode;
pub use error::StoreError;
pub use files::Files;
pub use memory::Memory;
pub use tiered::Tiered;

/// Slots for snapshots of type `T`.
///
/// [`reverse_loop`](super::reverse_loop) clears a store before its sweep. A store that is kept serves any number of
/// sweeps, one at a time, and reuses its memory.
///
/// # Panics
///
/// The methods panic if the store has no slots of the tier that is asked for, or the slot holds no snapshot where one
/// is needed: then the schedule and the store do not belong together.
pub trait Store<T> {
    /// Lets `save` write the snapshot of a slot. It gets what the slot held last, to reuse its memory, or else
    /// `T::default()`, and overwrites all of it.
    fn save(&mut self, slot: Slot, save: &mut dyn FnMut(&mut T)) -> Result<(), StoreError>;

    /// Lets `restore` read the snapshot of a slot, which stays.
    fn restore(&mut self, slot: Slot, restore: &mut dyn FnMut(&T)) -> Result<(), StoreError>;

    /// Frees a slot.
    fn release(&mut self, slot: Slot) -> Result<(), StoreError>;

    /// Frees all slots.
    fn clear(&mut self) -> Result<(), StoreError>;
}

/// A slot is used in a way that its store does not offer.
#[cold]
#[track_caller]
fn misused(slot: Slot, why: &str) -> ! {
    panic!("checkpointing: {why} ({slot:?})")
}
