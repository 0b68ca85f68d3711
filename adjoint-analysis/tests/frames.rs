//! Frames: which loops keep their records in one.

#[path = "common/proved.rs"]
mod proved;

use std::collections::BTreeSet;

use adjoint_analysis::ir::StmtKind;
use adjoint_analysis::plan::{RecordKind, Storage};

use proved::proved_plan;

/// How many records are in frames, and how many are pushed: of numbers, and of flags.
fn framed_and_pushed(function: &str) -> [(usize, usize); 2] {
    let plan = proved_plan("without(fusion, flattening)", function);
    let mut made = BTreeSet::new();
    plan.each_forward_stmt(&mut |s| {
        if let StmtKind::Record(record, _) | StmtKind::RecordControl(record, _) = &s.kind {
            made.insert(*record);
        }
    });
    let count = |of_kind: &dyn Fn(&RecordKind) -> bool| {
        let records = made.iter().map(|record| plan.record(*record));
        let records = records.filter(|r| of_kind(&r.kind));
        let (framed, pushed): (Vec<_>, Vec<_>) =
            records.partition(|r| matches!(r.storage, Storage::Frame { .. }));
        (framed.len(), pushed.len())
    };
    let is_number = |kind: &RecordKind| matches!(kind, RecordKind::Value(ty) if ty.is_float());
    [count(&is_number), count(&RecordKind::is_in_bits)]
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
    assert_eq!(framed_and_pushed(function), [(2, 0), (0, 0)]);
}

#[test]
fn the_inner_loop_has_the_frame_if_it_records_flags() {
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
    // The flag; behind the loop, the row and the element.
    assert_eq!(framed_and_pushed(function), [(0, 2), (1, 0)]);
}

#[test]
fn flags_and_labels_are_bytes_of_a_frame() {
    let function = "fn f(a: &[f64], x: &mut [f64], n: usize) {
        for i in 0..n {
            let slope = x[i + 1] - x[i];
            let limited = if slope < a[0] { a[0] } else if slope > a[1] { a[1] } else { slope };
            if x[i] > 0.5 {
                x[i] *= a[i] * limited;
            }
        }
    }";
    assert_eq!(framed_and_pushed(function), [(2, 0), (2, 0)]);
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
    assert_eq!(framed_and_pushed(function), [(1, 2), (0, 0)]);
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
    assert_eq!(framed_and_pushed(function)[0].0, 0);
}
