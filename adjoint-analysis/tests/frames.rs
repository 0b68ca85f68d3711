//! Frames: which loops keep their records in one.

#[path = "common/proved.rs"]
mod proved;

use adjoint_analysis::ir::StmtKind;
use adjoint_analysis::plan::{RecordKind, Storage};

use proved::proved_plan;

/// How many records of numbers are in frames, and how many are pushed.
fn framed_and_pushed(function: &str) -> (usize, usize) {
    let plan = proved_plan("without(fusion, flattening)", function);
    let mut made = Vec::new();
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Record(record, _) = &s.kind {
            made.push(*record);
        }
    });
    let numbers = made.iter().map(|record| plan.record(*record));
    let numbers = numbers.filter(|r| matches!(&r.kind, RecordKind::Value(ty) if ty.is_float()));
    let (framed, pushed): (Vec<_>, Vec<_>) =
        numbers.partition(|r| matches!(r.storage, Storage::Frame { .. }));
    (framed.len(), pushed.len())
}

#[test]
fn an_inner_loop_that_records_nothing_is_no_obstacle() {
    let function = "fn f(a: &[f64], x: &[f64], y: &mut [f64], n: usize) {
        for i in 0..n {
            let mut row = 0.0;
            for j in 0..n {
                row += a[i * n + j] * x[j];
            }
            y[i] = (row * row).sin();
        }
    }";
    assert_eq!(framed_and_pushed(function), (2, 0));
}

#[test]
fn flags_of_an_inner_loop_are_pushed_beside_a_frame() {
    let function = "fn f(a: &[f64], x: &mut [f64], n: usize) {
        for i in 0..n {
            let mut row = 0.0;
            for j in 0..n {
                if a[j] > row {
                    row += x[i] * a[j];
                }
            }
            x[i] = (row * row).sin();
        }
    }";
    assert_eq!(framed_and_pushed(function), (2, 0));
}

#[test]
fn an_inner_loop_that_records_numbers_has_the_frame() {
    let function = "fn f(a: &[f64], x: &mut [f64], n: usize) {
        for i in 0..n {
            let mut row = x[i];
            for j in 0..n {
                row = (row * a[j]).sin();
            }
            x[i] = row * row;
        }
    }";
    // The row in the inner loop; behind it, the row and the element.
    assert_eq!(framed_and_pushed(function), (1, 2));
}

#[test]
fn a_loop_whose_iterations_are_counted_is_an_obstacle() {
    let function = "fn f(a: &[f64], x: &mut [f64], n: usize) {
        for i in 0..n {
            let mut row = x[i];
            while row < a[0] {
                row += 2.0 * a[i];
            }
            x[i] = (row * row).sin();
        }
    }";
    assert_eq!(framed_and_pushed(function).0, 0);
}
