//! What the report says of snapshots: a page with those of ten time loops is `docs/generated/snapshots.md`.

mod common;

use std::fmt::Write as _;

use adjoint_analysis::compile::analyse_in;
use adjoint_analysis::expand::find::functions;
use adjoint_analysis::report;
use expect_test::expect_file;

const HEAD: &str = "\
# What snapshots hold

The state of each time loop in `tests/time_loops.rs`, as the report has it: what is in a snapshot and why, the bytes of one, and what
is left out. A test makes this page; another one measures these sizes.

```text
UPDATE_EXPECT=1 cargo test -p adjoint-analysis --features testing,report --test snapshot_report
```

| kernel | snapshots |
| --- | --- |
";

#[test]
fn the_page_says_what_snapshots_hold() {
    let files = common::test_files();
    let named = |(name, _): &&(String, _)| *name == "time_loops.rs";
    let (_, file) = files.iter().find(named).expect("the time loops");
    let mut page = HEAD.to_string();
    let mut loops = 0;
    for f in functions(file) {
        let options = f.options.expect("options");
        let analysed = analyse_in(&f.item, &options, &f.env).expect("it is taken");
        let report = report::markdown(&analysed);
        let Some(section) = report.split("**Snapshots**\n").nth(1) else {
            continue;
        };
        for entry in section.lines().map_while(|line| line.strip_prefix("- ")) {
            writeln!(page, "| `{}` | {entry} |", f.item.sig.ident).expect("a string");
            loops += 1;
        }
    }
    assert_eq!(loops, 10);
    expect_file!["../../docs/generated/snapshots.md"].assert_eq(&page);
}
