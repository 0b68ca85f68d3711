//! A tool for GradBench, the benchmark of automatic differentiation (<https://github.com/gradbench/gradbench>).
//!
//! ```text
//! cargo build --release --example gradbench
//! gradbench run --eval "python3 python/gradbench/gradbench/evals/gmm/run.py" --tool target/release/examples/gradbench
//! ```
//!
//! It reads one JSON message from each line of its input, and answers each with a line. The kernels are in `kernels/`,
//! and what goes in and out of them in `evals/`. Evals that ask for second derivatives are answered as undefined.

mod evals;
mod evaluation;
#[cfg(test)]
mod replay;
mod session;

/// The functions, written once each.
mod kernels {
    pub mod ba;
    pub mod det;
    pub mod gmm;
    pub mod hello;
    pub mod ht;
    pub mod llsq;
    pub mod lse;
    pub mod lstm;
    pub mod ode;
}

use std::io::{self, BufRead, Write};
use std::process::ExitCode;

use session::Session;

fn main() -> ExitCode {
    match serve(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gradbench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers messages until there are no more.
fn serve(messages: impl BufRead, mut responses: impl Write) -> io::Result<()> {
    let mut session = Session::default();
    for line in messages.lines() {
        let message = serde_json::from_str(&line?)?;
        writeln!(responses, "{}", session.respond(message))?;
        responses.flush()?;
    }
    Ok(())
}
