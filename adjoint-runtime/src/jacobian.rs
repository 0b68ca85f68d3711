//! Whole Jacobians, row by row.

/// Checks that a dense Jacobian has an entry for each output and input.
///
/// # Panics
///
/// With the function's name and the numbers, if it hasn't.
#[track_caller]
pub fn check_jacobian(function: &str, length: usize, rows: usize, columns: usize) {
    assert!(
        length == rows * columns,
        "Jacobian of `{function}`: `jac` has {length} entries, but {rows} rows (outputs) of {columns} columns (inputs) are {}",
        rows * columns
    );
}
