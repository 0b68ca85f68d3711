//! Snapshots at regular distances, and none at all.

use adjoint_runtime::checkpoint::{Periodic, StoreAll};

use crate::simulate::simulate;

#[test]
fn each_segment_but_the_last_is_advanced_once() {
    for period in 1..=40 {
        for l in 0..=200usize {
            let outcome = simulate(Periodic::new(l, period), l);
            let case = format!("l = {l}, period = {period}");
            let segments = l.div_ceil(period).saturating_sub(1);
            assert_eq!(outcome.advanced(), segments * period, "{case}");
            assert!(outcome.advances.iter().all(|n| *n <= 1), "{case}");
            assert_eq!(
                (outcome.taken(), outcome.peak_memory),
                (segments, segments),
                "{case}"
            );
            assert_eq!(outcome.longest_record, period.min(l), "{case}");

            let exit = simulate(Periodic::reaching_exit(l, period), l);
            assert_eq!(
                (exit.advanced(), exit.taken()),
                (l, l.div_ceil(period)),
                "{case}"
            );
            assert_eq!(exit.longest_record, period.min(l), "{case}");
            assert!(exit.reached_exit || l == 0, "{case}");

            let on_disk = simulate(Periodic::new(l, period).on_disk(), l);
            assert_eq!(
                (on_disk.peak_memory, on_disk.peak_disk),
                (0, segments),
                "{case}"
            );
        }
    }
}

#[test]
fn a_period_beyond_the_loop_stores_all() {
    let outcome = simulate(Periodic::new(5, usize::MAX), 5);
    assert_eq!((outcome.advanced(), outcome.longest_record), (0, 5));
}

#[test]
#[should_panic(expected = "a period of 0 steps")]
fn a_period_of_zero_is_a_panic() {
    Periodic::new(5, 0);
}

#[test]
fn store_all_records_all_at_once() {
    for l in 0..=20 {
        let outcome = simulate(StoreAll::new(l), l);
        assert_eq!((outcome.advanced(), outcome.taken()), (0, 0));
        assert_eq!(outcome.longest_record, l);
    }
}
