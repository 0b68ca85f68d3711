//! The determinant by expansion of minors, GradBench's `det`.

use adjoint::adjoint;

pub use minors::{determinant, determinant_adjoint_with};

#[adjoint]
mod minors {
    /// The determinant of a matrix of `ell` rows.
    pub fn determinant(a: &[f64], ell: usize) -> f64 {
        let mut columns: Vec<usize> = (1..=ell).collect();
        columns.push(0);
        minor(a, ell, &mut columns, 0)
    }

    /// The determinant of what the rows from `row` on have in the columns that remain. Behind column `j` comes column
    /// `columns[j]`, and the first one is in the last place; they are the same after the call.
    fn minor(a: &[f64], ell: usize, columns: &mut [usize], row: usize) -> f64 {
        let mut column = columns[ell];
        if row + 1 == ell {
            return a[row * ell + column];
        }
        let mut before = ell;
        let mut det = 0.0;
        let mut sign = 1.0;
        while column != ell {
            columns[before] = columns[column];
            det += sign * a[row * ell + column] * minor(a, ell, columns, row + 1);
            columns[before] = column;
            before = column;
            column = columns[column];
            sign = -sign;
        }
        det
    }
}
