//! The experiments of `[INV]`: how much less the tape holds where indices come back by inversion.
//!
//! ```text
//! cargo run --release --example cheaper_adjoints
//! ```
//!
//! The first table is the paper's Table 1, with its figures beside those of this machine: a loop whose four indices are
//! undone, so that the tape has two integers for each run of the loop. The second one is for the loop over the edges of
//! an irregular mesh in Figure 11. Gradients with and without inversion are equal to the bit, and both are checked
//! against differences.
//!
//! It takes half a minute and 2 GB of memory. A tape of more than 4 GB is estimated, which the paper's laptop could not
//! hold either.

mod loops;
mod mesh;
mod table_1;
#[path = "../common/timing.rs"]
mod timing;

use std::process::ExitCode;

/// The largest relative error that passes a gradient check.
const TOLERANCE: f64 = 1e-7;

fn main() -> ExitCode {
    match table_1::run().and_then(|()| mesh::run()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cheaper_adjoints: {error}");
            ExitCode::FAILURE
        }
    }
}

/// An error, unless the condition holds.
fn ensure(condition: bool, error: impl FnOnce() -> String) -> Result<(), String> {
    match condition {
        true => Ok(()),
        false => Err(error()),
    }
}

/// Whether both have the same bits.
fn same_bits(a: &[f64], b: &[f64]) -> bool {
    let bits = |x: &f64| x.to_bits();
    a.iter().map(bits).eq(b.iter().map(bits))
}
