//! Panics of the adjoint are reported where the function's own are: at the user's index, not at the attribute.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use adjoint::{Differentiable, adjoint};

thread_local! {
    /// Whether this thread's panics are looked at, instead of printed.
    static IS_WATCHED: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<(String, u32)>> = const { RefCell::new(None) };
}

/// All tests share one hook.
static HOOK: Once = Once::new();

fn watch() {
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        if !IS_WATCHED.get() {
            return print(info);
        }
        let place = info.location().map(|l| (l.file().to_string(), l.line()));
        PLACE.with(|p| *p.borrow_mut() = place);
    }));
}

/// The line of this file at which the code panics.
fn line_of(code: impl FnOnce()) -> u32 {
    HOOK.call_once(watch);
    IS_WATCHED.set(true);
    let result = catch_unwind(AssertUnwindSafe(code));
    IS_WATCHED.set(false);
    assert!(result.is_err(), "nothing panics");
    let (file, line) = PLACE.with(|p| p.borrow_mut().take()).expect("a place");
    assert!(file.ends_with("located.rs"), "{file}:{line}");
    line
}

#[adjoint]
fn at_index(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        s += x[i].sin();
    }
    s
}

#[rustfmt::skip]
#[adjoint]
fn beside(x: &[f64], y: &mut [f64]) {
    let n = x.len();
    let scale = 2.0;
    for i in 0..n {
        let a = x[i] * scale;
        y[i] = a * a
            + x[i + 1];
    }
}

#[adjoint]
fn of_local(x: f64, n: usize) -> f64 {
    let mut t = vec![x; 4];
    let weights = [0.5, 0.25];
    let k = n * 2;
    t[1] = x * weights[0];
    let w = weights[k - 4];
    t[n] = w * x;
    t[0] + t[1] * t[k]
}

#[adjoint]
fn of_rows(a: &[Vec<f64>], i: usize, j: usize) -> f64 {
    let row = &a[i];
    row[j] * row[0] + a[0][j]
}

#[adjoint]
fn of_ranges(x: &[f64], from: usize, to: usize) -> f64 {
    let part = &x[from..to];
    let mut s = 0.0;
    for v in part {
        s += v * v;
    }
    s
}

#[adjoint]
fn of_remainders(x: &[f64], n: usize) -> f64 {
    let i = 7;
    let k = i % n;
    x[k] * x[0]
}

#[derive(Clone, Debug, Differentiable)]
struct Table {
    values: Vec<f64>,
    shift: usize,
}

#[adjoint]
impl Table {
    fn at(&self, i: usize) -> f64 {
        let i = i + self.shift;
        self.values[i] * 2.0
    }
}

#[adjoint]
mod seen {
    pub fn third(x: &[f64]) -> f64 {
        let y = x[0] * 3.0;
        y * x[2]
    }

    pub fn outer(x: &[f64]) -> f64 {
        let s = third(&x[1..]);
        s * s
    }
}

/// The primal and the adjoint panic at the same line.
macro_rules! same_line {
    ($primal:expr, $adjoint:expr) => {
        let primal = line_of(|| {
            let _ = $primal;
        });
        let adjoint = line_of(|| {
            let _ = $adjoint;
        });
        assert_eq!(primal, adjoint, "{}", stringify!($primal));
    };
}

#[test]
fn panics_are_reported_at_the_users_line() {
    let x = [0.5, 1.5, 2.5];
    let zeros = || [0.0; 3];
    same_line!(at_index(&x, 4), at_index_adjoint(&x, &mut zeros(), 4, 1.0));
    for n in [4, 2, 3] {
        same_line!(of_local(0.3, n), of_local_adjoint(0.3, &mut 0.0, n, 1.0));
    }
    let rows = vec![vec![0.5, 1.0], vec![0.25]];
    for (i, j) in [(2, 0), (1, 1), (0, 2)] {
        let mut adjoint: Vec<Vec<f64>> = rows.iter().map(|r| vec![0.0; r.len()]).collect();
        same_line!(
            of_rows(&rows, i, j),
            of_rows_adjoint(&rows, &mut adjoint, i, j, 1.0)
        );
    }
    for (from, to) in [(1, 4), (2, 1)] {
        same_line!(
            of_ranges(&x, from, to),
            of_ranges_adjoint(&x, &mut zeros(), from, to, 1.0)
        );
    }
    for n in [0, 4] {
        same_line!(
            of_remainders(&x, n),
            of_remainders_adjoint(&x, &mut zeros(), n, 1.0)
        );
    }
    let table = Table {
        values: x.to_vec(),
        shift: 1,
    };
    let mut table_adj = Table {
        values: vec![0.0; 3],
        shift: 1,
    };
    same_line!(table.at(2), table.at_adjoint(&mut table_adj, 2, 1.0));
    same_line!(seen::outer(&x), seen::outer_adjoint(&x, &mut zeros(), 1.0));
    same_line!(
        seen::third(&x[1..]),
        seen::third_adjoint(&x[1..], &mut [0.0; 2], 1.0)
    );
}

/// The message of a panic.
fn message_of<R>(code: impl FnOnce() -> R) -> String {
    let mut message = String::new();
    line_of(|| {
        let caught = catch_unwind(AssertUnwindSafe(code)).map(drop).unwrap_err();
        message = caught.downcast_ref::<String>().expect("a text").clone();
        std::panic::resume_unwind(caught);
    });
    message
}

#[test]
fn lengths_are_reported_at_the_call_of_the_adjoint() {
    let x = [0.5, 1.5, 2.5];
    let short = || [0.0; 2];
    let line = line!() + 1;
    let found = line_of(|| _ = at_index_adjoint(&x, &mut short(), 3, 1.0));
    assert_eq!(found, line);
    let mut tape = adjoint::Tape::new();
    let line = line!() + 1;
    let found = line_of(|| _ = at_index_adjoint_with(&mut tape, &x, &mut short(), 3, 1.0));
    assert_eq!(found, line);
    let rows = vec![vec![0.5, 1.0], vec![0.25]];
    let line = line!() + 1;
    let found = line_of(|| _ = of_rows_adjoint(&rows, &mut [vec![0.0; 2], vec![]], 0, 1, 1.0));
    assert_eq!(found, line);
}

#[test]
fn lengths_are_reported_with_the_names() {
    let x = [0.5, 1.5, 2.5];
    assert_eq!(
        message_of(|| at_index_adjoint(&x, &mut [0.0; 2], 3, 1.0)),
        "adjoint of `at_index`: `x` has length 3, but `x_adj` has length 2"
    );
    let table = |n: usize| Table {
        values: vec![0.5; n],
        shift: 1,
    };
    assert_eq!(
        message_of(|| table(3).at_adjoint(&mut table(2), 1, 1.0)),
        "adjoint of `at`: `self.values` has length 3, but `self_adj.values` has length 2"
    );
    let rows = vec![vec![0.5, 1.0], vec![0.25]];
    assert_eq!(
        message_of(|| of_rows_adjoint(&rows, &mut [vec![0.0; 2], vec![]], 0, 1, 1.0)),
        "adjoint of `of_rows`: `a[1]` has length 1, but `a_adj[1]` has length 0"
    );
}

#[test]
fn a_statement_of_several_lines_is_reported_at_its_first() {
    let x = [0.5, 1.5, 2.5];
    let primal = line_of(|| beside(&x, &mut [0.0; 3]));
    let adjoint = line_of(|| beside_adjoint(&x, &mut [0.0; 3], &mut [0.0; 3], &mut [0.0; 3]));
    assert_eq!(adjoint, primal - 1);
}
