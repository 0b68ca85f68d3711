//! The binomial schedule is optimal.

use adjoint_runtime::checkpoint::{Action, Binomial, optimal_advances, repetitions};

use crate::simulate::{least_repetitions, optimum, simulate};

#[test]
fn plain_steps_are_the_optimum_and_snapshots_within_the_bound() {
    for s in 1..=30 {
        for l in 0..=300 {
            let outcome = simulate(Binomial::new(l, s), l);
            assert_eq!(outcome.advanced(), optimum(l, s), "l = {l}, s = {s}");
            assert!(outcome.peak <= s, "l = {l}, s = {s}");
            assert_eq!(outcome.peak, outcome.peak_memory);
            assert_eq!(outcome.peak_disk, 0);
            assert_eq!(outcome.longest_record, usize::from(l > 0));
            let most = outcome.advances.iter().copied().max().unwrap_or(0);
            assert_eq!(most, least_repetitions(l, s), "l = {l}, s = {s}");
        }
    }
}

#[test]
fn the_exit_state_is_reached_as_if_by_a_step_more() {
    for s in 1..=30 {
        for l in 0..=100 {
            let outcome = simulate(Binomial::reaching_exit(l, s), l);
            assert_eq!(outcome.advanced(), optimum(l + 1, s), "l = {l}, s = {s}");
            assert!(outcome.reached_exit || l == 0, "l = {l}, s = {s}");
            assert!(outcome.peak <= s, "l = {l}, s = {s}");
        }
    }
}

#[test]
fn the_formulas_are_those_of_the_paper() {
    for s in 1..=30 {
        for l in 0..=300 {
            assert_eq!(
                optimal_advances(l, s),
                optimum(l, s) as u128,
                "l = {l}, s = {s}"
            );
            assert_eq!(
                repetitions(l, s),
                least_repetitions(l, s),
                "l = {l}, s = {s}"
            );
        }
    }
    let figures = [
        (100, 5, 316),
        (100, 10, 222),
        (100, 20, 178),
        (1000, 10, 3636),
        (1000, 50, 1948),
    ];
    for (l, s, advanced) in figures {
        assert_eq!(optimal_advances(l, s), advanced);
    }
}

/// The fewest plain steps, and of these the fewest snapshots, by trying all splits.
fn by_all_splits(most_steps: usize, most_snapshots: usize) -> Vec<Vec<(usize, usize)>> {
    // With one snapshot, that of the entry state; no snapshot of the entry state is counted.
    let one = (0..=most_steps)
        .map(|l| (l * l.saturating_sub(1) / 2, 0))
        .collect();
    let mut tables: Vec<Vec<(usize, usize)>> = vec![Vec::new(), one];
    for s in 2..=most_snapshots {
        let mut table = vec![(0, 0), (0, 0)];
        for l in 2..=most_steps {
            let splits = (1..l).map(|k| {
                let ((a, b), (c, d)) = (tables[s - 1][l - k], table[k]);
                (k + a + c, b + d + usize::from(l - k > 1))
            });
            table.push(splits.min().expect("there is a split"));
        }
        tables.push(table);
    }
    tables
}

#[test]
fn no_other_split_has_fewer_steps_or_snapshots() {
    let tables = by_all_splits(120, 12);
    for (s, table) in tables.iter().enumerate().skip(1) {
        for (l, (advanced, taken)) in table.iter().enumerate() {
            let outcome = simulate(Binomial::new(l, s), l);
            assert_eq!(outcome.advanced(), *advanced, "l = {l}, s = {s}");
            let entry = usize::from(l > 1);
            assert_eq!(outcome.taken(), taken + entry, "l = {l}, s = {s}");
        }
    }
}

#[test]
fn no_step_is_an_empty_stream_and_one_step_needs_no_snapshot() {
    assert_eq!(Binomial::new(0, 1).next(), None);
    let actions: Vec<_> = Binomial::new(1, 1).collect();
    assert_eq!(actions, [Action::Reverse { from: 0, to: 1 }]);
}

#[test]
fn more_snapshots_than_steps_are_not_taken() {
    let outcome = simulate(Binomial::new(10, usize::MAX), 10);
    assert_eq!(
        (outcome.advanced(), outcome.taken(), outcome.peak),
        (9, 9, 9)
    );
}

#[test]
fn long_loops_do_not_overflow() {
    let (l, r) = (usize::MAX, usize::MAX as u128 - 1);
    assert_eq!(optimal_advances(l, 1), r * (r + 1) / 2);
    assert_eq!(repetitions(l, usize::MAX), 1);
    assert_eq!(optimal_advances(l, usize::MAX), r);
    let first = Binomial::new(l, 100).nth(1);
    let Some(Action::Advance { from: 0, to }) = first else {
        panic!("{first:?} is not the first advance");
    };
    // The first snapshot behind the entry is in the last tenth of the loop.
    assert!(to > l / 10 && to < l, "{to}");
}

#[test]
#[should_panic(expected = "at least one snapshot")]
fn no_snapshots_are_a_panic() {
    Binomial::new(10, 0);
}

#[test]
#[should_panic(expected = "whose length is fixed")]
fn the_end_of_a_loop_of_known_length_is_a_panic() {
    use adjoint_runtime::checkpoint::Schedule;
    Binomial::new(10, 2).end_at(5);
}
