//! Snapshots in memory and on disk.

use adjoint_runtime::checkpoint::{Binomial, TwoLevel};

use crate::simulate::{optimum, simulate};

/// The fewest accesses to disk of all choices of depths, with at most so many snapshots in memory.
fn fewest_disk_accesses(accesses: &[usize], memory: usize) -> usize {
    (0u32..1 << accesses.len())
        .filter(|in_memory| in_memory.count_ones() as usize <= memory)
        .map(|in_memory| {
            let on_disk = (0..accesses.len()).filter(|depth| in_memory >> depth & 1 == 0);
            on_disk.map(|depth| accesses[depth]).sum()
        })
        .min()
        .expect("all may be on disk")
}

#[test]
fn steps_are_optimal_bounds_hold_and_disk_is_used_least() {
    for s in 1..=10 {
        for l in 0..=130 {
            let binomial = simulate(Binomial::new(l, s), l);
            let accesses = binomial.memory_accesses();
            for memory in 0..=s {
                let outcome = simulate(TwoLevel::new(l, memory, s - memory), l);
                let case = format!("l = {l}, s = {s}, memory = {memory}");
                assert_eq!(outcome.advanced(), optimum(l, s), "{case}");
                assert!(outcome.peak_memory <= memory, "{case}");
                assert!(outcome.peak_disk <= s - memory, "{case}");
                let fewest = fewest_disk_accesses(&accesses, memory);
                assert_eq!(outcome.disk_accesses(), fewest, "{case}");
            }
        }
    }
}

#[test]
fn the_exit_state_is_reached_as_if_by_a_step_more() {
    for l in 0..=60 {
        let outcome = simulate(TwoLevel::reaching_exit(l, 2, 3), l);
        assert_eq!(outcome.advanced(), optimum(l + 1, 5), "l = {l}");
        assert!(outcome.reached_exit || l == 0);
        assert!(
            outcome.peak_memory <= 2 && outcome.peak_disk <= 3,
            "l = {l}"
        );
    }
}

#[test]
fn nothing_is_on_disk_where_memory_suffices() {
    let outcome = simulate(TwoLevel::new(8, 7, 100), 8);
    assert_eq!((outcome.peak_memory, outcome.peak_disk), (7, 0));
    let outcome = simulate(TwoLevel::new(8, usize::MAX, usize::MAX), 8);
    assert_eq!((outcome.peak_memory, outcome.peak_disk), (7, 0));
}

#[test]
#[should_panic(expected = "at least one snapshot")]
fn no_snapshots_are_a_panic() {
    TwoLevel::new(10, 0, 0);
}
