//! `[INV]` Table 1: times of the loop and of its adjoints, and what their tapes hold.

use std::cell::RefCell;
use std::fmt::Display;

use adjoint::TapeStats;

use crate::loops::{FORMS, Form, Run, dot_product_error};
use crate::{TOLERANCE, ensure, same_bits, timing};

/// The values of olB.
const SIZES: [usize; 4] = [100, 10_000, 1_000_000, 10_000_000];

/// The paper's figures: µs of P, Ps and Pi, integers of Ps and Pi, control values of Ps and Pi, reals. (The 52 olB
/// integers of the second row have a zero more in the paper, which has no control values.)
const PAPER: [&str; SIZES.len()] = [
    "27 100 93 5200 200 - - 2000",
    "2865 10672 9477 520000 20000 - - 200000",
    "297109 1154878 1133269 52000000 2000000 - - 20000000",
    "2985838 - 11612644 - 20000000 - - 200000000",
];

/// The columns, as wide as their largest figures.
const WIDTHS: [usize; 8] = [10, 10, 10, 11, 10, 11, 10, 11];

/// The most bytes of a tape that is run.
const LARGEST_TAPE: usize = 4 << 30;

/// Prints Table 1, and checks its gradients and bounds.
pub fn run() -> Result<(), String> {
    println!("[INV] Table 1: the function P, its adjoints Ps that stores and Pi that inverts\n");
    print_row(
        "",
        ["time, µs", "", "", "integers", "", "control", "", "reals"],
    );
    print_row("olB", ["P", "Ps", "Pi", "Ps", "Pi", "Ps", "Pi", "Pi"]);
    println!("the paper");
    for (outer, row) in SIZES.iter().zip(PAPER) {
        print_row(&outer.to_string(), row.split(' '));
    }
    for form in &FORMS {
        println!("here, with `{}`", form.name);
        let mut bytes_per_outer = 0;
        for outer in SIZES {
            let estimate = bytes_per_outer * outer;
            let stores = estimate <= LARGEST_TAPE;
            let measured = measure(form, outer, stores)?;
            print_row(&outer.to_string(), measured.row());
            match measured.stored {
                Some(stored) => bytes_per_outer = stored.peak_bytes.div_ceil(outer),
                None => println!(
                    "          The tape of Ps would hold {:.1} GB, that of Pi holds {:.1} GB.",
                    estimate as f64 / 1e9,
                    measured.inverted.peak_bytes as f64 / 1e9
                ),
            }
        }
        let error = dot_product_error(form);
        println!("          gradient check: {error:.1e}");
        ensure(error < TOLERANCE, || {
            format!("the gradient of the loop with `{}` is wrong", form.name)
        })?;
    }
    println!();
    Ok(())
}

fn print_row(outer: &str, cells: impl IntoIterator<Item: Display>) {
    print!("{outer:>9}");
    for (cell, width) in cells.into_iter().zip(WIDTHS) {
        print!("{cell:>width$}");
    }
    println!();
}

/// What one form of the loop took.
struct Measured {
    /// Seconds of P, Pi and Ps.
    seconds: [f64; 3],
    inverted: TapeStats,
    /// Nothing where the tape would be too large.
    stored: Option<TapeStats>,
}

impl Measured {
    fn row(&self) -> [String; WIDTHS.len()] {
        let [p, pi, ps] = self.seconds.map(|s| format!("{:.0}", 1e6 * s));
        let stored = |cell: fn(TapeStats) -> usize| match self.stored {
            Some(stats) => cell(stats).to_string(),
            None => "-".to_string(),
        };
        [
            p,
            self.stored.map_or("-".to_string(), |_| ps),
            pi,
            stored(|stats| stats.integers.entries),
            self.inverted.integers.entries.to_string(),
            stored(|stats| stats.control.entries),
            self.inverted.control.entries.to_string(),
            self.inverted.reals.entries.to_string(),
        ]
    }
}

/// Runs one form of the loop, compares the gradients, and holds the tape against the paper's.
fn measure(form: &Form, outer: usize, stores: bool) -> Result<Measured, String> {
    let mut run = Run::new(outer);
    let inverted = run.adjoint(form.inverted);
    let mut stored = None;
    if stores {
        let gradient = (run.a_adj.clone(), run.p_adj.clone());
        stored = Some(run.adjoint(form.stored));
        let same = same_bits(&gradient.0, &run.a_adj) && same_bits(&gradient.1, &run.p_adj);
        ensure(same, || format!("olB = {outer}: the gradients differ"))?;
    }
    let integers = inverted.integers.entries + inverted.control.entries;
    ensure(integers <= 2 * outer, || {
        format!("olB = {outer}: {integers} integers")
    })?;
    let reals = inverted.reals.entries;
    ensure(reals <= 20 * outer, || {
        format!("olB = {outer}: {reals} reals")
    })?;
    let run = RefCell::new(run);
    let seconds = timing::interleaved_medians(
        (3_000_000 / outer).clamp(1, 101),
        [
            &mut || run.borrow_mut().function(form),
            &mut || {
                run.borrow_mut().adjoint(form.inverted);
            },
            &mut || {
                if stores {
                    run.borrow_mut().adjoint(form.stored);
                }
            },
        ],
    );
    Ok(Measured {
        seconds,
        inverted,
        stored,
    })
}
