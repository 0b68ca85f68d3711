//! The determinant by expansion of minors, GradBench's `det`.

use adjoint::adjoint;

pub use minors::{determinant, determinant_adjoint_with};

#[adjoint]
mod minors {
    /// The determinant of a matrix of `ell` rows.
    pub fn determinant(a: &[f64], ell: usize) -> f64 {
        let mut rows: Vec<usize> = (1..=ell).collect();
        rows.push(0);
        let mut columns = rows.clone();
        minor(a, ell, &mut rows, &mut columns, ell)
    }

    /// The determinant of the `n` rows and columns that remain. Behind row `i` comes row `rows[i]`, and the first one is in
    /// the last place; so with the columns. Both are the same after the call.
    fn minor(a: &[f64], ell: usize, rows: &mut [usize], columns: &mut [usize], n: usize) -> f64 {
        let row = rows[ell];
        let mut column = columns[ell];
        if n == 1 {
            return a[row * ell + column];
        }
        rows[ell] = rows[row];
        let mut before = ell;
        let mut det = 0.0;
        let mut sign = 1.0;
        for _ in 0..n {
            columns[before] = columns[column];
            det += sign * a[row * ell + column] * minor(a, ell, rows, columns, n - 1);
            columns[before] = column;
            before = column;
            column = columns[column];
            sign = -sign;
        }
        rows[ell] = row;
        det
    }
}
