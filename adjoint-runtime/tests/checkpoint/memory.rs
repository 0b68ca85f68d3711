//! Snapshots in memory.

use adjoint_runtime::checkpoint::{Binomial, Memory, Slot, Store, reverse_loop};

use crate::solver::Spin;

fn holding(slot: Slot) -> Memory<u64> {
    let mut memory = Memory::new();
    memory.save(slot, &mut |snapshot| *snapshot = 7).unwrap();
    memory
}

fn read(store: &mut impl Store<u64>, slot: Slot) -> u64 {
    let mut value = 0;
    store
        .restore(slot, &mut |snapshot| value = *snapshot)
        .unwrap();
    value
}

#[test]
fn a_slot_holds_its_snapshot_until_it_is_released() {
    let (slot, other) = (Slot::memory(3), Slot::memory(1));
    let mut memory = holding(slot);
    memory.save(other, &mut |snapshot| *snapshot = 8).unwrap();
    assert_eq!((read(&mut memory, slot), read(&mut memory, other)), (7, 8));
    memory.release(other).unwrap();
    assert_eq!(read(&mut memory, slot), 7);
}

#[test]
#[should_panic(expected = "this slot holds no snapshot")]
fn a_released_slot_is_not_read() {
    let mut memory = holding(Slot::memory(0));
    memory.release(Slot::memory(0)).unwrap();
    read(&mut memory, Slot::memory(0));
}

#[test]
#[should_panic(expected = "this slot holds no snapshot")]
fn a_cleared_slot_is_not_read() {
    let mut memory = holding(Slot::memory(0));
    memory.clear().unwrap();
    read(&mut memory, Slot::memory(0));
}

#[test]
#[should_panic(expected = "this slot holds no snapshot")]
fn a_slot_is_released_once() {
    let mut memory = holding(Slot::memory(0));
    memory.release(Slot::memory(0)).unwrap();
    memory.release(Slot::memory(0)).unwrap();
}

#[test]
#[should_panic(expected = "the store is in memory alone: use `Tiered`")]
fn a_slot_on_disk_is_refused() {
    holding(Slot::disk(0));
}

#[test]
fn a_second_sweep_reuses_the_snapshots() {
    let mut memory = Memory::new();
    let mut sweep = || {
        let mut spin = Spin::new(100, 10_000);
        let stats = reverse_loop(&mut spin, Binomial::new(100, 6), &mut memory).unwrap();
        assert_eq!(stats.peak_snapshots, 6);
    };
    let first = allocation_counter::measure(&mut sweep).bytes_total;
    let second = allocation_counter::measure(&mut sweep).bytes_total;
    let snapshots = 6 * 10_000 * 8;
    assert!(second + snapshots <= first, "{first} bytes, then {second}");
}
