//! The limitations page says what the refusals say.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use adjoint_analysis::refuse::Reason;
use expect_test::expect_file;

/// What stands above it is written by hand.
const HEADING: &str = "## What is refused\n\n";

#[test]
fn the_list_is_that_of_the_refusals() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/limitations.md");
    let present = fs::read_to_string(path).expect("the page is there");
    let (by_hand, _) = present.split_once(HEADING).expect("the page has a list");
    let mut page = format!("{by_hand}{HEADING}");
    for (name, message, help) in Reason::TABLE {
        let help = help.replace("{{", "{").replace("}}", "}");
        writeln!(page, "### {name}\n\n{message}\n\n*Way out:* {help}\n").expect("text");
    }
    // `UPDATE_EXPECT=1 cargo test -p adjoint-analysis --test limitations` writes it anew.
    expect_file!["../../docs/limitations.md"].assert_eq(&format!("{}\n", page.trim_end()));
}
