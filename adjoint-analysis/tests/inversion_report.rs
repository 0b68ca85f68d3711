//! What the report and `explain` say of integers that come back by inversion, for the examples of `[INV]`.

use adjoint_analysis::analysed::Analysed;
use adjoint_analysis::compile::analyse;
use adjoint_analysis::options::Options;
use adjoint_analysis::report;
use expect_test::{Expect, expect};

fn analysed(function: &str) -> Analysed {
    analyse(&syn::parse_str(function).unwrap(), &Options::default()).unwrap()
}

/// The sections of the report behind the roles.
#[track_caller]
fn check_report(function: &str, expected: Expect) {
    let report = report::markdown(&analysed(function));
    let roles = report.find("**Recorded**").unwrap();
    expected.assert_eq(&report[roles..]);
}

const FIGURE_2: &str = "\
fn figure_2(a: &mut [f64], n: usize) {
    let mut j = 1;
    while j < n {
        let k = j + 1;
        j = k + 2;
        a[j] = a[k] * a[j];
    }
}";

const FIGURE_8: &str = "\
fn figure_8(a: &mut [f64], p: &[f64], n: usize, o: usize) {
    let (mut l, mut i, mut j) = (0, o, o);
    while l < n {
        let k = i - j;
        let m = k + 3 + l;
        i = k + 2 * l;
        a[i] = a[j] * p[k] * a[m];
        j = j + m + 4;
        i = i + j + 1;
        a[j] = a[i] * p[k] * a[m];
        l = l + 1;
    }
}";

const TRIANGLE: &str = "\
fn packed(x: &[f64], l: &[f64], n: usize) -> f64 {
    let (mut s, mut at) = (0.0, 0);
    for i in 0..n {
        for j in 0..i {
            s += l[at] * x[j] * s;
            at += 1;
        }
    }
    s
}";

const COUNTER: &str = "\
fn grow(x: &[f64], y: f64) -> f64 {
    let (mut s, mut i) = (y, 0);
    while s < 9.0 {
        s = s * x[i];
        i += 1;
    }
    s
}";

#[test]
fn report_of_figure_2() {
    check_report(
        FIGURE_2,
        expect![[r#"
        **Recorded**
        - last value of `j` (line 2); for the adjoint of line 6 and the place overwritten in line 6; assigned more than once
        - `a[j]` before `a[j] = a[k] * a[j]` (line 6); for the adjoint of line 6

        **Inverted**
        - `k` (line 4): `j - 2`; for the adjoint of line 6 and the place overwritten in line 6
        - `j` before `j = k + 2` (line 5): `k - 1`; for the adjoint of line 6 and the place overwritten in line 6

        **Control flow**
        - `while j < n` (line 3): trips counted: its counter has no start, step or bound that is at hand

        **Tape**: `8·t₁ + 16` bytes; `t₁` = all iterations of `while j < n` (line 3)."#]],
    );
}

#[test]
fn report_of_figure_8() {
    check_report(
        FIGURE_8,
        expect![[r#"
        **Recorded**
        - last value of `i` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; assigned more than once
        - last value of `j` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; assigned more than once
        - `a[i]` before `a[i] = a[j] * p[k] * a[m]` (line 7); for the adjoint of lines 7 and 10
        - `a[j]` before `a[j] = a[i] * p[k] * a[m]` (line 10); for the adjoint of lines 7 and 10

        **Inverted**
        - last value of `l` (line 2): the trip count of `while l < n` (line 3); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `k` (line 4): `i - 1 - j - 2 * (l - 1)`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `m` (line 5): `k + 3 + (l - 1)`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `i` before `i = k + 2 * l` (line 6): `k + j`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `j` before `j = j + m + 4` (line 8): `j - 4 - m`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `i` before `i = i + j + 1` (line 9): `i - 1 - j`; for the adjoint of line 7 and the place overwritten in line 7
        - `l` before `l = l + 1` (line 11): `l - 1`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10

        **Control flow**
        - `while l < n` (line 3): trips computed again from where its counter starts and ends

        **Tape**: `16·t₁ + 16` bytes; `t₁` = all iterations of `while l < n` (line 3)."#]],
    );
}

#[test]
fn report_of_figure_9_d() {
    check_report(
        &FIGURE_8.replace("k + 2 * l", "k.max(2 * l)"),
        expect![[r#"
        **Recorded**
        - last value of `i` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in line 7; assigned more than once
        - last value of `j` (line 2); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; assigned more than once
        - `k` (line 4); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10; `i` is overwritten
        - `a[i]` before `a[i] = a[j] * p[k] * a[m]` (line 7); for the adjoint of lines 7 and 10
        - `a[j]` before `a[j] = a[i] * p[k] * a[m]` (line 10); for the adjoint of lines 7 and 10

        **Inverted**
        - last value of `l` (line 2): the trip count of `while l < n` (line 3); for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `m` (line 5): `k + 3 + (l - 1)`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `i` before `i = k.max(2 * l)` (line 6): `k + j`; for the adjoint of lines 7 and 10 and the place overwritten in line 7
        - `j` before `j = j + m + 4` (line 8): `j - 4 - m`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10
        - `i` before `i = i + j + 1` (line 9): `i - 1 - j`; for the adjoint of line 7 and the place overwritten in line 7
        - `l` before `l = l + 1` (line 11): `l - 1`; for the adjoint of lines 7 and 10 and the place overwritten in lines 7 and 10

        **Control flow**
        - `while l < n` (line 3): trips computed again from where its counter starts and ends

        **Tape**: `24·t₁ + 16` bytes; `t₁` = all iterations of `while l < n` (line 3)."#]],
    );
}

#[test]
fn report_of_a_packed_triangle() {
    check_report(
        TRIANGLE,
        expect![[r#"
        **Recorded**
        - last value of `at` (line 2); for the adjoint of line 5; assigned more than once
        - `s` before `s += l[at] * x[j] * s` (line 5); for the adjoint of line 5; in the frame of line 4

        **Inverted**
        - `at` before `at += 1` (line 6): `at - 1`; for the adjoint of line 5

        **Control flow**
        - `for i in 0..n` (line 3): runs backwards over its bounds, which give `i`
        - `for j in 0..i` (line 4): runs backwards over its bounds, which give `j`

        **Tape**: `8·t₁ + 8` bytes; `t₁` = all iterations of `for j in 0..i` (line 4)."#]],
    );
}

#[test]
fn report_of_a_counter() {
    check_report(
        COUNTER,
        expect![[r#"
        **Recorded**
        - last value of `i` (line 2); for the adjoint of line 4; assigned more than once
        - `s` before `s = s * x[i]` (line 4); for the adjoint of line 4

        **Inverted**
        - `i` before `i += 1` (line 5): `i - 1`; for the adjoint of line 4

        **Control flow**
        - `while s < 9.0` (line 3): `i` is its trip count

        **Tape**: `8·t₁ + 8` bytes; `t₁` = all iterations of `while s < 9.0` (line 3)."#]],
    );
}
