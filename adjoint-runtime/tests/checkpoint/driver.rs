//! Schedules on solvers.

use std::cell::RefCell;

use adjoint_runtime::checkpoint::{
    Action, Binomial, Closures, LoopStats, LoopSweeps, Memory, Online, Periodic, Schedule, Slot,
    StoreAll, Tiered, TwoLevel, reverse_loop,
};

use crate::simulate::optimum;
use crate::solver::Spin;

fn bits(gradient: &[f64]) -> Vec<u64> {
    gradient.iter().map(|g| g.to_bits()).collect()
}

fn gradient_of(steps: usize, schedule: impl Schedule) -> (Vec<u64>, LoopStats) {
    let mut spin = Spin::new(steps, 9);
    let mut store = Tiered::new().unwrap();
    let stats = reverse_loop(&mut spin, schedule, &mut store).unwrap();
    (bits(&spin.u_adj), stats)
}

#[test]
fn gradients_have_the_same_bits_by_all_schedules() {
    for steps in [0, 1, 2, 3, 10, 47] {
        let (all, stats) = gradient_of(steps, StoreAll::new(steps));
        assert_eq!((stats.steps, stats.longest_record), (steps, steps));
        for s in [1, 2, 3, 7] {
            let (binomial, stats) = gradient_of(steps, Binomial::new(steps, s));
            assert_eq!(binomial, all, "{steps} steps, {s} snapshots");
            assert_eq!(stats.advanced, optimum(steps, s));
            let (online, stats) = gradient_of(steps, Online::new(s));
            assert_eq!(online, all, "{steps} steps, {s} snapshots");
            assert_eq!(stats.steps, steps);
            let (online, _) = gradient_of(steps, Online::with_disk(s, 2));
            assert_eq!(online, all, "{steps} steps, {s} snapshots");
            let (two_level, stats) = gradient_of(steps, TwoLevel::new(steps, s, 2));
            assert_eq!(two_level, all, "{steps} steps, {s} snapshots");
            assert_eq!(stats.advanced, optimum(steps, s + 2));
            let (periodic, _) = gradient_of(steps, Periodic::new(steps, s));
            assert_eq!(periodic, all, "{steps} steps, a period of {s}");
            let (periodic, _) = gradient_of(steps, Periodic::new(steps, s).on_disk());
            assert_eq!(periodic, all, "{steps} steps, a period of {s}");
        }
    }
}

/// The gradient where the exit state is reached in a sweep of its own.
fn gradient_by_two_sweeps(steps: usize, schedule: impl Schedule) -> Vec<u64> {
    let mut store = Tiered::new().unwrap();
    let mut sweeps = LoopSweeps::new(schedule);
    let mut first = Spin::new(steps, 9);
    sweeps.forward(&mut first, &mut store).unwrap();
    // The last step does not see that it is the last one, so that this adjoint stays.
    let mut second = Spin::new(steps + 1, 9);
    second.u_adj.copy_from_slice(&first.u);
    second.u.fill(f64::NAN);
    let stats = sweeps.reverse(&mut second, &mut store).unwrap();
    assert_eq!(stats.steps, steps);
    bits(&second.u_adj)
}

#[test]
fn two_sweeps_give_the_gradient_of_one() {
    for steps in [1, 2, 3, 10, 47] {
        let (all, _) = gradient_of(steps, StoreAll::new(steps));
        for s in [1, 2, 5] {
            let binomial = gradient_by_two_sweeps(steps, Binomial::reaching_exit(steps, s));
            assert_eq!(binomial, all, "{steps} steps, {s} snapshots");
            let two_level = gradient_by_two_sweeps(steps, TwoLevel::reaching_exit(steps, s, 2));
            assert_eq!(two_level, all, "{steps} steps, {s} snapshots");
            let periodic = gradient_by_two_sweeps(steps, Periodic::reaching_exit(steps, s));
            assert_eq!(periodic, all, "{steps} steps, a period of {s}");
        }
    }
}

#[test]
#[should_panic(expected = "use `reaching_exit`")]
fn a_schedule_that_leaves_out_the_exit_state_has_no_forward_sweep() {
    let mut sweeps = LoopSweeps::new(Binomial::new(5, 2));
    let _ = sweeps.forward(&mut Spin::new(5, 3), &mut Memory::new());
}

#[test]
fn an_online_loop_ends_where_its_forward_sweep_does() {
    let mut store = Memory::new();
    let mut sweeps = LoopSweeps::new(Online::new(3));
    let mut spin = Spin::new(9, 4);
    sweeps.forward(&mut spin, &mut store).unwrap();
    spin.u_adj.clone_from(&spin.u);
    let stats = sweeps.reverse(&mut spin, &mut store).unwrap();
    let mut all = Spin::new(9, 4);
    reverse_loop(&mut all, StoreAll::new(9), &mut Memory::new()).unwrap();
    assert_eq!(bits(&spin.u_adj), bits(&all.u_adj));
    assert_eq!((stats.steps, stats.advanced), (9, optimum(10, 3)));
}

#[test]
fn statistics_count_what_was_done() {
    let (_, stats) = gradient_of(10, TwoLevel::new(10, 2, 1));
    let expected = LoopStats {
        steps: 10,
        advanced: 15,
        taken: 6,
        restored: 9,
        peak_snapshots: 3,
        peak_memory: 2,
        peak_disk: 1,
        longest_record: 1,
    };
    assert_eq!(stats, expected);
}

#[test]
fn a_loop_of_closures_runs_while_its_condition_holds() {
    // Halves x until it is below 1; the adjoint of each step is a half.
    let asked = RefCell::new(Vec::new());
    let mut halving = Closures::new(
        (100.0, 1.0, Vec::new()),
        |(x, _, _), _| *x /= 2.0,
        |(x, x_adj, reversed), steps| {
            reversed.push((steps.start, *x));
            *x_adj /= 2.0;
        },
        |(x, _, _), snapshot: &mut f64| *snapshot = *x,
        |(x, _, _), snapshot| *x = *snapshot,
    )
    .runs_while(|(x, _, _), step| {
        asked.borrow_mut().push(step);
        *x >= 1.0
    });
    let stats = reverse_loop(&mut halving, Online::new(2), &mut Memory::new()).unwrap();
    let (_, x_adj, reversed) = halving.state;
    assert_eq!(x_adj, 1.0 / 128.0);
    let states: Vec<_> = (0..7)
        .rev()
        .map(|i| (i, 100.0 / f64::from(1 << i)))
        .collect();
    assert_eq!(reversed, states);
    assert_eq!(*asked.borrow(), (0..8).collect::<Vec<_>>());
    assert_eq!((stats.steps, stats.peak_snapshots), (7, 2));
}

/// A schedule made of given actions, for a loop of three steps.
struct Given<'a>(std::slice::Iter<'a, Action>);

impl Iterator for Given<'_> {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        self.0.next().copied()
    }
}

impl Schedule for Given<'_> {
    fn steps(&self) -> Option<usize> {
        Some(3)
    }
}

/// Whether the driver performs these actions to the end, or else its panic.
fn perform(actions: &[Action]) -> Result<(), String> {
    let given = Given(actions.iter());
    let sweep = || reverse_loop(&mut Spin::new(3, 2), given, &mut Memory::new());
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(sweep)) {
        Ok(stats) => stats.map(|_| ()).map_err(|error| error.to_string()),
        Err(panic) => Err(*panic.downcast::<String>().expect("a message")),
    }
}

#[test]
fn wrong_schedules_are_panics() {
    use Action::{Advance, Drop, Restore, Reverse, Take};
    let slot = Slot::memory(0);
    let right = [
        Take { step: 0, slot },
        Advance { from: 0, to: 2 },
        Reverse { from: 2, to: 3 },
        Restore { step: 0, slot },
        Drop { step: 0, slot },
        Reverse { from: 0, to: 2 },
    ];
    assert_eq!(perform(&right), Ok(()));
    let but = |position: usize, action: Action| {
        let mut wrong = right;
        wrong[position] = action;
        perform(&wrong).unwrap_err()
    };
    let out_of_step = [
        but(0, Take { step: 1, slot }),
        but(1, Advance { from: 1, to: 2 }),
        but(1, Advance { from: 0, to: 0 }),
        but(1, Advance { from: 0, to: 4 }),
        but(2, Reverse { from: 1, to: 3 }),
        but(2, Reverse { from: 2, to: 2 }),
        but(2, Take { step: 2, slot }),
        but(3, Restore { step: 1, slot }),
        but(
            3,
            Restore {
                step: 0,
                slot: Slot::memory(1),
            },
        ),
        but(3, Drop { step: 0, slot }),
        but(5, Reverse { from: 0, to: 1 }),
        but(5, Drop { step: 0, slot }),
    ];
    for message in out_of_step {
        assert!(
            message.contains("a schedule is out of step at"),
            "{message}"
        );
    }
    let unfinished = perform(&right[..5]).unwrap_err();
    assert!(
        unfinished.contains("before all steps were reversed"),
        "{unfinished}"
    );
    let first_steps_only = perform(&[Reverse { from: 0, to: 2 }]).unwrap_err();
    assert!(
        first_steps_only.contains("out of step"),
        "{first_steps_only}"
    );
    let live = but(4, Restore { step: 0, slot });
    assert!(live.contains("live snapshots"), "{live}");
}
