//! The determinant by expansion of minors, with the columns that remain as a set of bits and as a linked list.

use adjoint::adjoint;

use crate::common::{assert_close, check};
use crate::{Entries, values};

#[adjoint]
fn by_bits(a: &[f64], n: usize, row: usize, free: usize) -> f64 {
    if row == n {
        return 1.0;
    }
    let mut sum = 0.0;
    let mut sign = 1.0;
    for column in 0..n {
        if free & (1 << column) != 0 {
            sum += sign * a[row * n + column] * by_bits(a, n, row + 1, free & !(1 << column));
            sign = -sign;
        }
    }
    sum
}

/// The next row after `i` is `r[i]`, and the next column `c[i]`; the first ones are in the last places.
#[adjoint]
fn of_minor(a: &[f64], r: &mut [usize], c: &mut [usize], ell: usize, n: usize) -> f64 {
    let row = r[ell];
    let mut column = c[ell];
    if n == 1 {
        return a[row * ell + column];
    }
    let mut det = 0.0;
    let mut sign = 1.0;
    r[ell] = r[row];
    let mut before = ell;
    for _ in 0..n {
        c[before] = c[column];
        det += sign * a[row * ell + column] * of_minor(a, r, c, ell, n - 1);
        c[before] = column;
        before = column;
        column = c[column];
        sign = -sign;
    }
    r[ell] = row;
    det
}

#[adjoint]
fn by_lists(a: &[f64], ell: usize) -> f64 {
    let mut r = vec![0; ell + 1];
    let mut c = vec![0; ell + 1];
    for i in 0..ell {
        r[i] = i + 1;
        c[i] = i + 1;
    }
    of_minor(a, &mut r, &mut c, ell, ell)
}

/// A matrix with its determinant and gradient.
const MATRIX: [f64; 9] = [1.0, 2.0, 3.0, 4.0, 5.5, 6.0, 7.0, 8.0, 9.0];
const GRADIENT: [f64; 9] = [1.5, 6.0, -6.5, 6.0, -12.0, 6.0, -4.5, 6.0, -2.5];

#[test]
fn derivatives() {
    assert_close(
        &check!(by_bits(&MATRIX.to_vec(), const 3, const 0, const 0b111) -> f64)[0],
        &GRADIENT,
    );
    assert_close(
        &check!(by_lists(&MATRIX.to_vec(), const 3) -> f64)[0],
        &GRADIENT,
    );
    let larger = values(16);
    let bits = check!(by_bits(&larger, const 4, const 0, const 0b1111) -> f64);
    let lists = check!(by_lists(&larger, const 4) -> f64);
    assert_close(&bits[0], &lists[0]);
}

pub fn entries() -> Vec<Entries> {
    use crate::entries;
    let a = values(16);
    vec![
        entries("by_bits", |t| {
            by_bits_adjoint_with(t, &a, &mut values(16), 4, 0, 0b1111, 1.0);
        }),
        entries("by_lists", |t| {
            by_lists_adjoint_with(t, &a, &mut values(16), 4, 1.0);
        }),
    ]
}
