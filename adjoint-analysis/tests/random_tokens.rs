//! Mutants of annotated items: whatever is made of them are tokens or refusals.
//!
//! More of them: `cargo run --release -p adjoint-analysis --features testing --example fuzz_tokens -- FROM TO`.

use std::process::Command;
use std::time::Duration;

use adjoint_analysis::gen_tokens::campaign::campaign;
use adjoint_analysis::gen_tokens::{Children, run_as_child};

/// How many mutants are drawn.
const MUTANTS: u64 = 3_000;

/// The test, in a process of its own.
fn command() -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args(["--exact", "mutants_are_taken_or_refused"]);
    command
}

#[test]
fn mutants_are_taken_or_refused() {
    if run_as_child() {
        return;
    }
    let children = Children {
        command,
        stack: 8 << 20,
        most: 500,
        limit: Duration::from_secs(30),
    };
    let counts = campaign(0..MUTANTS, &children, &mut |seed, fault| {
        panic!("seed {seed}: {fault:?}");
    });
    let counts = counts.expect("processes");
    assert_eq!(counts.all(), MUTANTS);
    // Most are no Rust, but enough are.
    assert!(counts.parsed() > MUTANTS / 5, "{counts}");
}
