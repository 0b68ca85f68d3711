//! Control entries on the tape: as few as possible, and the reason for each.

mod common;

use std::fmt::Write;

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse;
use adjoint_analysis::compile::analyse_in;
use adjoint_analysis::expand::find::functions;
use adjoint_analysis::options::Options;
use adjoint_analysis::report::control_entries;
use adjoint_analysis::text::parse;
use expect_test::{Expect, expect, expect_file};

const HEAD: &str = "\
# Control flow on the tape

What the adjoints of the kernels in `tests/` record to retrace the control flow, for each loop and
branch, and why that can't be computed again. A kernel that is not named records nothing of the kind. A
trip count takes 8 bytes, a flag one bit, a label one bit (of two ways) or one byte. This page is made by
a test:

```text
UPDATE_EXPECT=1 cargo test -p adjoint-analysis --features testing --test control
```
";

#[test]
fn the_page_says_what_the_kernels_record() {
    let mut page = HEAD.to_string();
    for (name, file) in common::test_files() {
        let mut rows = String::new();
        for found in functions(&file) {
            let options = found.options.expect("options");
            let Ok(analysed) = analyse_in(&found.item, &options, &found.env) else {
                continue;
            };
            for entry in control_entries(&analysed) {
                let cell = |text: &str| text.replace('|', "\\|");
                let (of, reason) = (cell(&entry.construct), cell(&entry.reason));
                let kernel = &found.item.sig.ident;
                writeln!(rows, "| `{kernel}` | {of} | {} | {reason} |", entry.kind).expect("text");
            }
        }
        if !rows.is_empty() {
            write!(
                page,
                "\n## tests/{name}\n\n| kernel | of | entry | why |\n| --- | --- | --- | --- |\n{rows}"
            )
            .expect("text");
        }
    }
    expect_file!["../../docs/generated/control.md"].assert_eq(&page);
}

fn analysed(function: &str) -> Analysed {
    let analysed = analyse(&syn::parse_str(function).unwrap(), &Options::default()).unwrap();
    let text = analysed.plan.to_string();
    let read = parse::plan(&text).unwrap();
    assert_eq!(read.to_string(), text, "the text of a plan round-trips");
    analysed
}

#[track_caller]
fn entries(function: &str, expected: Expect) {
    let lines: Vec<String> = control_entries(&analysed(function))
        .iter()
        .map(|e| format!("{} of {}: {}", e.kind, e.construct, e.reason))
        .collect();
    expected.assert_eq(&lines.join("\n"));
}

#[test]
fn the_only_way_out_of_a_loop_needs_no_flag() {
    entries(
        "fn f(a: f64) -> f64 {
            let mut x = a;
            loop {
                let y = x * x - a;
                if y.abs() < 1e-9 { break; }
                x -= y / (2.0 * x);
            }
            x
        }",
        expect!["trip count of `loop`: only a `break` ends it"],
    );
}

#[test]
fn two_ways_out_take_one_bit_for_the_loop() {
    entries(
        "fn f(a: f64) -> f64 {
            let mut x = a;
            loop {
                if x > 9.0 { x = x.ln(); break; }
                x = x * x + 0.5;
                if x * a < 0.1 { x = x.sin(); break; }
            }
            x
        }",
        expect![[r#"
            trip count of `loop`: only a `break` ends it
            label of `if x > 9.0`: tells several ways: `x` is overwritten"#]],
    );
}

#[test]
fn an_exit_across_loops_tells_the_branches_inside() {
    entries(
        "fn f(x: &[f64], n: usize) -> f64 {
            let mut s = 1.0;
            'rows: for i in 0..n {
                for j in 0..n {
                    s *= x[i * n + j];
                    if s > 9.0 { s = s.sqrt(); break 'rows; }
                    if s < 0.1 { s += 1.0; continue 'rows; }
                }
                s = s.sin();
            }
            s
        }",
        expect![[r#"
            trip count of `for j in 0..n`: a `break` may end it
            label of `if s > 9.0`: tells several ways: `s` is overwritten
            trip count of `for i in 0..n`: a `break` may end it"#]],
    );
}

#[test]
fn a_chain_takes_one_label() {
    entries(
        "fn f(x: f64, y: f64) -> f64 {
            let mut r = x * y;
            if r > 2.0 { r = r.sin(); }
            else if r > 1.0 { r = r * r; }
            else if r > 0.0 { r = r.exp(); }
            else { r = r * y; }
            r
        }",
        expect!["label of `if r > 2.0`: tells several ways: `r` is overwritten"],
    );
}

#[test]
fn a_loop_that_counts_needs_no_count() {
    for (head, step) in [
        ("let mut i = 0; while i < n", "i += 1"),
        ("let mut i = 3; while i <= n", "i += 2"),
        ("let mut i = n; while i > 0", "i -= 1"),
        ("let mut i = n; while 2 <= i", "i -= 2"),
    ] {
        let function =
            format!("fn f(x: &mut [f64], n: usize) {{ {head} {{ x[0] = x[0].sin(); {step}; }} }}");
        entries(&function, expect![""]);
    }
}

#[test]
fn a_loop_that_a_counter_ends_needs_no_count() {
    for body in [
        "if i >= n { break; } x[0] = x[0].sin(); i += 1;",
        "x[0] = x[0].sin(); i += 1; if n < i { break; }",
        "x[0] = x[0].sin(); if i < n { i += 2; } else { x[1] *= x[0]; break; }",
    ] {
        let function =
            format!("fn f(x: &mut [f64], n: usize) {{ let mut i = 0; loop {{ {body} }} }}");
        entries(&function, expect![""]);
    }
}

#[test]
fn a_loop_that_may_end_otherwise_is_counted() {
    entries(
        "fn f(x: &mut [f64], n: usize) {
            let mut i = 0;
            let mut n = n;
            while i < n { x[0] = x[0].sin(); i += 1; if x[0] > 0.9 { n -= 1; } }
        }",
        expect![
            "trip count of `while i < n_2`: its counter has no start, step or bound that is at hand"
        ],
    );
}

#[test]
fn a_flag_of_the_users_tells_the_way() {
    entries(
        "fn f(x: &mut [f64]) {
            let mut found = false;
            for i in 0..x.len() {
                x[0] *= x[i];
                if x[0] > 2.0 { found = true; x[0] = x[0].ln(); break; }
            }
            if found { x[0] = x[0].exp(); } else { x[0] = x[0].sin(); }
        }",
        expect!["trip count of `for i in 0..at`: a `break` may end it"],
    );
}

#[test]
fn a_way_out_of_several_loops_takes_one_number_for_each() {
    entries(
        "fn f(x: &[f64], n: usize, m: usize) -> f64 {
            let mut s = 1.0;
            for i in 0..n {
                for j in (2..=m).rev() {
                    s *= x[i * m + j];
                    if s > 9.0 { return s.sqrt(); }
                }
                s = s.sin();
            }
            s
        }",
        expect![[r#"
            trip count of `for j in (2..=m).rev()`: a `break` may end it
            trip count of `for i in 0..n`: a `break` may end it"#]],
    );
}

#[test]
fn one_number_tells_the_flags_of_a_loop() {
    entries(
        "fn f(x: &mut [f64], limit: f64) -> f64 {
            let (mut found, mut at) = (false, 0);
            for i in 0..x.len() {
                x[i] = x[i].sin();
                if x[i] > limit { found = true; at = i; break; }
            }
            if !found { return x[0]; }
            x[at] * x[0]
        }",
        expect!["trip count of `for i in 0..at_2`: a `break` may end it"],
    );
}

#[test]
fn a_search_with_nothing_to_undo_takes_a_flag() {
    entries(
        "fn f(x: &[f64], limit: f64) -> f64 {
            let mut found = false;
            for i in 0..x.len() {
                if x[i] > limit { found = true; break; }
            }
            let mut s = x[0];
            if found { s = s.sin(); } else { s *= x[1]; }
            s.exp()
        }",
        expect![[""]],
    );
}

#[test]
fn steps_to_a_bound_need_no_count() {
    for (start, head, step) in [
        ("0", "while i != n", "i += 1"),
        ("n", "while 3 != i", "i -= 1"),
    ] {
        let function = format!(
            "fn f(x: &mut [f64], n: u8) {{ let mut i = {start}; {head} {{ x[0] = x[0].sin(); {step}; }} }}"
        );
        entries(&function, expect![""]);
    }
    entries(
        "fn f(x: &mut [f64], n: usize) {
            let mut i = 0; while i != n { x[0] = x[0].sin(); i += 2; }
        }",
        expect![
            "trip count of `while i != n`: its counter has no start, step or bound that is at hand"
        ],
    );
}

#[test]
fn references_that_take_turns_are_recorded_once() {
    entries(
        "fn f(a: &mut [f64], b: &mut [f64], steps: usize) {
            let (mut cur, mut next) = (a, b);
            for k in 0..steps {
                for i in 0..cur.len() { next[i] = cur[i] * cur[i]; }
                std::mem::swap(&mut cur, &mut next);
            }
        }",
        expect![[r#"
            label of `let next_is = 1`: conditions read it
            label of `let cur_is = 0`: conditions read it"#]],
    );
}
