//! Loops of unknown length.

use adjoint_runtime::checkpoint::{Online, Schedule, optimal_advances};

use crate::simulate::{choose, least_repetitions, optimum, simulate};

#[test]
fn repetitions_are_minimal_and_snapshots_within_the_bound() {
    for s in 1..=30 {
        for l in 0..=300 {
            let outcome = simulate(Online::new(s), l);
            let case = format!("l = {l}, s = {s}");
            // The end of the loop is found as if by a step more.
            let r = least_repetitions(l + 1, s);
            let most = outcome.advances.iter().copied().max().unwrap_or(0);
            assert!(most <= r, "{case}: {most}");
            assert!(outcome.advanced() <= r * l, "{case}");
            assert!(outcome.advanced() >= optimum(l + 1, s), "{case}");
            assert!(outcome.peak <= s, "{case}");
            assert!(outcome.reached_exit || l == 0, "{case}");
            assert_eq!(outcome.longest_record, usize::from(l > 0));
        }
    }
}

#[test]
fn up_to_two_repetitions_no_schedule_has_fewer_steps() {
    for s in 1..=30 {
        for l in (0..=300).take_while(|l| *l < choose(s + 2, s)) {
            let outcome = simulate(Online::new(s), l);
            assert_eq!(
                outcome.advanced() as u128,
                optimal_advances(l + 1, s),
                "l = {l}, s = {s}"
            );
        }
    }
}

#[test]
fn one_snapshot_is_that_of_the_entry_state() {
    let outcome = simulate(Online::new(1), 50);
    assert_eq!((outcome.taken(), outcome.peak), (1, 1));
    assert_eq!(outcome.advanced(), 50 * 51 / 2);
}

#[test]
fn a_loop_without_steps_takes_nothing() {
    assert_eq!(simulate(Online::new(3), 0).taken(), 0);
}

#[test]
fn memory_is_filled_before_disk() {
    for memory in 0..6 {
        for disk in 0..6 {
            for l in 0..=100 {
                if memory + disk == 0 {
                    continue;
                }
                let outcome = simulate(Online::with_disk(memory, disk), l);
                let case = format!("l = {l}, memory = {memory}, disk = {disk}");
                assert!(outcome.peak_memory <= memory, "{case}");
                assert!(outcome.peak_disk <= disk, "{case}");
                assert!(outcome.peak_disk == 0 || l > memory, "{case}");
                let same = simulate(Online::new(memory + disk), l);
                assert_eq!(outcome.advances, same.advances, "{case}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "at least one snapshot")]
fn no_snapshots_are_a_panic() {
    Online::new(0);
}

#[test]
#[should_panic(expected = "given twice")]
fn two_ends_are_a_panic() {
    let mut schedule = Online::new(2);
    schedule.end_at(0);
    schedule.end_at(0);
}

#[test]
#[should_panic(expected = "given as step 7")]
fn an_end_elsewhere_is_a_panic() {
    Online::new(2).end_at(7);
}
