//! Tapes with a limit, and adjoints whose lack of memory is an error.
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

use std::process::Command;

use adjoint::{Differentiable, LimitExceeded, SweepError, Tape, adjoint};

/// A helper with a short loop, and a loop around its calls.
#[adjoint]
fn smooth(u: &mut [f64], nu: f64) {
    for i in 1..u.len() {
        u[i] += nu * u[i - 1] * u[i - 1].sin();
    }
}

#[adjoint]
fn march(u: &mut [f64], nu: f64, steps: usize) -> f64 {
    for i in 0..u.len() {
        u[i] = u[i].exp();
    }
    for _ in 0..steps {
        smooth(u, nu);
    }
    u.iter().sum()
}

/// The line of the time loop of `march`.
const TIME_LOOP: u32 = line!() - 7;

#[track_caller]
fn limit<T: std::fmt::Debug>(result: Result<T, SweepError>) -> LimitExceeded {
    match result {
        Err(SweepError::Limit(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_time_loop_is_named() {
    let mut tape = Tape::with_limit(10_000);
    let (mut u, mut u_adj, mut nu_adj) = (vec![0.1; 20], vec![0.5; 20], 0.25);
    let mut attempt =
        |steps| march_adjoint_try(&mut tape, &mut u, &mut u_adj, 0.1, &mut nu_adj, steps, 1.0);
    let error = limit(attempt(1000));
    let at = error.location().expect("it is a loop");
    assert_eq!((at.file(), at.line()), (file!(), TIME_LOOP));
    assert_eq!(error.limit(), 10_000);
    let text = error.to_string();
    let expected = format!("The loop at tests/limits.rs:{TIME_LOOP}:");
    assert!(text.contains(&expected), "{text}");
    assert_eq!((u, u_adj, nu_adj), (vec![0.1; 20], vec![0.5; 20], 0.25));
}

/// Loops whose records are in frames, and a loop around such a one.
#[adjoint]
fn frames(x: &[f64], n: usize) -> f64 {
    let (mut product, mut sum) = (1.0, 0.0);
    for v in x {
        product *= v * v;
    }
    for k in 0..n {
        for v in x {
            sum += (v * k as f64).sin() * product;
            product *= v * v;
        }
    }
    sum
}

/// The line of the second loop of `frames`.
const OUTER: u32 = line!() - 10;

#[test]
fn loops_with_frames_are_named() {
    for (x, n, line) in [(&[0.9; 1000][..], 1, OUTER - 3), (&[0.9; 10], 1000, OUTER)] {
        let mut x_adj = vec![0.0; x.len()];
        let mut tape = Tape::with_limit(4_000);
        let error = limit(frames_adjoint_try(&mut tape, x, &mut x_adj, n, 1.0));
        assert_eq!(error.location().map(|at| at.line()), Some(line), "{error}");
        assert_eq!(x_adj, vec![0.0; x.len()]);
    }
}

#[test]
fn within_the_limit_nothing_is_different() {
    let adjoint = |tape: &mut Tape| {
        let (mut u, mut u_adj, mut nu_adj) = (vec![0.1; 20], vec![0.5; 20], 0.25);
        let value = march_adjoint_try(tape, &mut u, &mut u_adj, 0.1, &mut nu_adj, 20, 1.0);
        (value.expect("it fits"), u, u_adj, nu_adj)
    };
    let mut tape = Tape::new();
    let expected = adjoint(&mut tape);
    let needed = tape.stats().peak_bytes;
    assert!(needed > 6_000);
    let mut limited = Tape::with_limit(needed + needed / 2);
    for _ in 0..3 {
        assert_eq!(adjoint(&mut limited), expected);
    }
    let (mut u, mut u_adj, mut nu_adj) = (vec![0.1; 20], vec![0.5; 20], 0.25);
    let value = march_adjoint_with(&mut limited, &mut u, &mut u_adj, 0.1, &mut nu_adj, 20, 1.0);
    assert_eq!((value, u, u_adj, nu_adj), expected);
}

#[test]
#[should_panic = "more than the limit of 1000 bytes. The loop at tests/limits.rs:"]
fn without_try_it_is_a_panic() {
    let (mut u, mut u_adj, mut nu_adj) = (vec![0.1; 20], vec![0.5; 20], 0.25);
    let tape = &mut Tape::with_limit(1_000);
    march_adjoint_with(tape, &mut u, &mut u_adj, 0.1, &mut nu_adj, 20, 1.0);
}

/// A type without a copy.
#[derive(Debug, PartialEq)]
struct Generator(u32);

impl Generator {
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(self.0) / f64::from(u32::MAX)
    }
}

#[derive(Differentiable, Clone, Debug, PartialEq)]
struct Walk {
    at: Vec<f64>,
    steps: usize,
    scale: f64,
}

#[adjoint]
impl Walk {
    #[adjoint(wrt(self, factor), of(self, ret))]
    fn walk(
        &mut self,
        factor: &[f64; 2],
        g: &mut Generator,
        seen: &mut Vec<usize>,
        n: usize,
    ) -> Option<f64> {
        let mut sum = 0.0;
        for k in 0..n {
            let step = g.draw();
            let next = self.at[k].sin() * step * factor[k % 2] + self.scale;
            self.at.push(next);
            self.steps += 1;
            self.scale *= 1.0 + 0.01 * next;
            seen.push(k);
            sum += next * next;
        }
        if sum > 1e9 {
            None
        } else {
            Some(sum * self.scale)
        }
    }
}

#[test]
fn values_of_all_kinds_are_as_they_were() {
    let entry = Walk {
        at: vec![0.5, 0.25],
        steps: 3,
        scale: 0.5,
    };
    // The adjoint of what the method leaves has the shape of that.
    let adjoint = |n: usize| Walk {
        at: vec![2.0; 2 + n],
        ..entry.clone()
    };
    let run = |tape: &mut Tape, n: usize| {
        let (mut walk, mut walk_adj) = (entry.clone(), adjoint(n));
        let (mut seen, mut factor_adj) = (vec![7], [1.0, 2.0]);
        let g = &mut Generator(1);
        let value = walk.walk_adjoint_try(
            tape,
            &mut walk_adj,
            &[0.5, 0.75],
            &mut factor_adj,
            g,
            &mut seen,
            n,
            Some(1.0),
        );
        (value, walk, walk_adj, factor_adj, seen)
    };
    let tape = &mut Tape::with_limit(2_000);
    let (error, walk, walk_adj, factor_adj, seen) = run(tape, 1000);
    assert!(limit(error).location().is_some());
    assert_eq!(
        (walk, walk_adj, factor_adj, seen),
        (entry.clone(), adjoint(1000), [1.0, 2.0], vec![7])
    );
    let (value, walk, _, factor_adj, seen) = run(tape, 5);
    assert!(value.expect("it fits").is_some());
    assert_eq!((walk.steps, seen.len()), (8, 6));
    assert_ne!(factor_adj, [1.0, 2.0]);
}

/// Steps of which one in the middle records most.
#[adjoint]
fn bulge(x: &mut [f64], nu: f64, steps: usize, most: usize) -> f64 {
    #[checkpoint(snapshots = 4)]
    for t in 0..steps {
        let n = if t == steps / 2 { most } else { 3 };
        for i in 0..n {
            let at = i % x.len();
            x[at] = (x[at] * nu).sin() + 0.01 * t as f64;
        }
    }
    x.iter().sum()
}

#[test]
fn an_error_of_the_reverse_sweep_leaves_the_adjoints_as_they_were() {
    let mut tape = Tape::with_limit(4_000);
    let mut run = |most| {
        let (mut x, mut x_adj, mut nu_adj) = ([0.5, 0.75, 1.0], [1.0, 2.0, 3.0], -1.0);
        let result = bulge_adjoint_try(
            &mut tape,
            &mut x,
            &mut x_adj,
            0.9,
            &mut nu_adj,
            30,
            most,
            0.0,
        );
        (result, x, x_adj, nu_adj)
    };
    let (error, x, x_adj, nu_adj) = run(1000);
    let error = limit(error);
    assert!(
        error.to_string().contains("reverse it from snapshots"),
        "{error}"
    );
    assert_eq!(
        (x, x_adj, nu_adj),
        ([0.5, 0.75, 1.0], [1.0, 2.0, 3.0], -1.0)
    );
    let (value, _, x_adj, _) = run(9);
    assert!(value.is_ok());
    assert_ne!(x_adj, [1.0, 2.0, 3.0]);
}

/// Whatever the limit is: an error that changes nothing, or the same bits.
#[test]
fn any_limit_is_an_error_or_makes_no_difference() {
    let run = |tape: &mut Tape| {
        let (mut x, mut x_adj, mut nu_adj) = ([0.5, 0.75, 1.0], [1.0, 2.0, 3.0], -1.0);
        let result = bulge_adjoint_try(tape, &mut x, &mut x_adj, 0.9, &mut nu_adj, 30, 40, 1.0);
        (result, x, x_adj, nu_adj)
    };
    let (value, x, x_adj, nu_adj) = run(&mut Tape::new());
    let expected = (value.expect("there is no limit"), x, x_adj, nu_adj);
    let (mut errors, mut fits) = (0, 0);
    for limit in (0..12_000).step_by(41) {
        let mut tape = Tape::with_limit(limit);
        for _ in 0..2 {
            let (result, x, x_adj, nu_adj) = run(&mut tape);
            match result {
                Ok(value) => {
                    assert_eq!((value, x, x_adj, nu_adj), expected, "{limit}");
                    fits += 1;
                }
                Err(SweepError::Limit(error)) => {
                    assert_eq!(error.limit(), limit);
                    let entry = ([0.5, 0.75, 1.0], [1.0, 2.0, 3.0], -1.0);
                    assert_eq!((x, x_adj, nu_adj), entry, "{limit}");
                    errors += 1;
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    assert!(errors > 50 && fits > 50, "{errors} errors, {fits} fits");
}

/// The line of the loop of `many`.
const MANY: u32 = line!() + 6;

/// Snapshots in memory and on disk, in numbers that a caller chooses.
#[adjoint]
fn many(x: &mut [f64], nu: f64, steps: usize, in_memory: usize, on_disk: usize) {
    #[checkpoint(snapshots = in_memory, disk = on_disk)]
    for _ in 0..steps {
        for i in 0..x.len() {
            x[i] = (x[i] * nu).sin();
        }
    }
}

/// Its adjoint, and whether the values are as they were.
fn many_on(tape: &mut Tape, in_memory: usize, on_disk: usize) -> (Result<(), SweepError>, bool) {
    let (mut x, mut x_adj, mut nu_adj) = ([0.5; 1000], [1.0; 1000], 2.0);
    let result = many_adjoint_try(
        tape,
        &mut x,
        &mut x_adj,
        0.9,
        &mut nu_adj,
        50,
        in_memory,
        on_disk,
    );
    let is_same = (x, x_adj, nu_adj) == ([0.5; 1000], [1.0; 1000], 2.0);
    (result, is_same)
}

#[test]
fn snapshots_count_and_are_named() {
    let mut tape = Tape::with_limit(100_000);
    let (result, is_same) = many_on(&mut tape, 20, 0);
    let error = limit(result);
    assert!(is_same);
    assert_eq!(error.location().map(|at| at.line()), Some(MANY));
    let text = error.to_string();
    assert!(
        text.contains("The snapshots of the loop at tests/limits.rs:"),
        "{text}"
    );
    // With fewer, and with the others on disk.
    for (in_memory, on_disk) in [(5, 0), (5, 20)] {
        let (result, is_same) = many_on(&mut tape, in_memory, on_disk);
        assert!(!is_same, "{result:?}");
        result.expect("it fits");
        let taken = tape.stats().snapshots;
        assert_eq!(taken.bytes, 8_000 * taken.entries, "each holds the state");
    }
}

/// This test alone, in a process of its own whose directory for temporary files is this one; the shell says the words first.
#[cfg(target_os = "linux")]
fn in_child(test: &str, directory: &std::path::Path, first: &str) {
    let mut child = Command::new("sh");
    child.args(["-c", &format!("{first} exec \"$0\" \"$@\"")]);
    child.arg(std::env::current_exe().expect("the program of the tests"));
    child.args(["--exact", "--nocapture", test]);
    child.env("TMPDIR", directory).env(IN_CHILD, "1");
    let output = child.output().expect("the child runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("as it was"),
        "{output:?}"
    );
}

/// Set where a test runs as a child.
#[cfg(target_os = "linux")]
const IN_CHILD: &str = "ADJOINT_TEST_CHILD";

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let directory = std::env::temp_dir().join(format!("limits-{}", std::process::id()));
    if std::env::var_os(IN_CHILD).is_none() {
        std::fs::create_dir(&directory).expect("a directory");
        in_child(
            "a_full_disk_is_an_error",
            &directory,
            "trap '' XFSZ; ulimit -f 32;",
        );
        // It is empty.
        std::fs::remove_dir(&directory).expect("nothing is left behind");
        return;
    }
    let mut tape = Tape::new();
    let (result, is_same) = many_on(&mut tape, 2, 20);
    let error = result.expect_err("the disk is full").to_string();
    assert!(error.contains("cannot write a snapshot to `"), "{error}");
    assert!(
        error.contains(std::env::temp_dir().to_str().expect("a name")),
        "{error}"
    );
    assert!(is_same);
    let (result, is_same) = many_on(&mut tape, 2, 0);
    assert!(result.is_ok() && !is_same);
    println!("as it was");
}

#[cfg(target_os = "linux")]
#[test]
fn an_unwritable_directory_is_an_error() {
    if std::env::var_os(IN_CHILD).is_none() {
        in_child(
            "an_unwritable_directory_is_an_error",
            std::path::Path::new("/proc"),
            "",
        );
        return;
    }
    let (result, is_same) = many_on(&mut Tape::new(), 2, 20);
    let error = result.expect_err("there is no such directory");
    assert!(matches!(error, SweepError::Snapshot(_)));
    let text = error.to_string();
    assert!(
        text.contains("cannot create the file for snapshots `/proc/adjoint-"),
        "{text}"
    );
    assert!(is_same);
    println!("as it was");
}
