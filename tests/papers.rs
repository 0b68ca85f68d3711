//! The examples of the papers, run. (`adjoint-analysis/tests/papers.rs` looks at their plans.)
#![allow(
    clippy::assign_op_pattern,
    clippy::approx_constant,
    reason = "the statements are spelt as in the papers"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

/// `[TBR]` Figure 1, with `check(j)` for `j > 0`.
#[adjoint]
fn figure_1(x: &mut [f64]) {
    let mut i = 0usize;
    let mut j = 10usize;
    let mut a = 3.14159;
    while j > 0 {
        if i.max(j) > 7 {
            x[i] = j as f64 + x[i].sin();
        } else {
            x[j] = j as f64 * x[j].cos() + a;
        }
        i += 1;
        j -= 1;
        a /= 2.0;
    }
}

/// The derivative of each element of `x` is that of the statements that overwrite it.
#[test]
fn tbr_figure_1() {
    let x: Vec<f64> = (0..11).map(|k| 0.3 * k as f64 - 1.0).collect();
    let jacobian = check!(figure_1(&mut x.clone()));
    for (k, row) in jacobian.iter().enumerate() {
        // Iterations with j from 10 down to 8 and i from 8 on go one way; those between the other.
        let mut slope = 1.0;
        let (mut value, mut a) = (x[k], 3.14159);
        for (i, j) in (0..10).map(|i| (i, 10 - i)) {
            if i.max(j) > 7 && i == k {
                slope *= value.cos();
                value = j as f64 + value.sin();
            } else if i.max(j) <= 7 && j == k {
                slope *= -(j as f64) * value.sin();
                value = j as f64 * value.cos() + a;
            }
            a /= 2.0;
        }
        let mut expected = [0.0; 11];
        expected[k] = slope;
        assert_close(row, &expected);
    }
}

/// `[CFR]` §2.
#[adjoint]
fn section_2(x: [f64; 2], y: &mut [f64; 3]) {
    let mut i = 1;
    while i < 3 {
        if i < 2 {
            y[1] = x[0].sin();
        } else {
            y[0] = x[1].cos();
        }
        i += 1;
    }
    y[2] = y[0] * y[1];
}

#[test]
fn cfr_section_2() {
    let x = [0.4_f64, -1.1];
    let jacobian = check!(section_2(x, &mut [0.1, 0.2, 0.3]));
    let (s, c) = (x[0].sin(), x[1].cos());
    let (ds, dc) = (x[0].cos(), -x[1].sin());
    assert_close(&jacobian[0], &[0.0, dc, 0.0, 0.0, 0.0]);
    assert_close(&jacobian[1], &[ds, 0.0, 0.0, 0.0, 0.0]);
    assert_close(&jacobian[2], &[c * ds, s * dc, 0.0, 0.0, 0.0]);
}
