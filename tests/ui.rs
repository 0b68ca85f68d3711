//! What rustc shows for mistakes: the errors are ours, at the user's code, and nothing follows them.
//!
//! `TRYBUILD=overwrite cargo test --test ui` refreshes the expectations.

#[test]
fn errors() {
    trybuild::TestCases::new().compile_fail("tests/ui/*/*.rs");
}
