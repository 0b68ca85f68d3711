//! Comparisons of floats; NaN and infinities are equal to themselves only.

/// Whether two numbers agree up to `tol`, relative to the larger one or to `scale`.
pub fn close(a: f64, b: f64, tol: f64, scale: f64) -> bool {
    if a.is_finite() && b.is_finite() {
        (a - b).abs() <= tol * a.abs().max(b.abs()).max(scale)
    } else {
        a == b || (a.is_nan() && b.is_nan())
    }
}

/// Asserts that all entries agree to about 12 digits of the larger one, or of 1.
#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(
        found.len(),
        expected.len(),
        "lengths of {found:?} and {expected:?}"
    );
    for (i, (&a, &b)) in found.iter().zip(expected).enumerate() {
        assert!(close(a, b, 1e-12, 1.0), "entry {i}: {a:e} instead of {b:e}");
    }
}

/// Asserts that all entries of all rows agree to about 12 digits.
#[track_caller]
pub fn assert_rows_close(found: &[Vec<f64>], expected: &[&[f64]]) {
    assert_eq!(found.len(), expected.len(), "number of rows");
    for (a, b) in found.iter().zip(expected) {
        assert_close(a, b);
    }
}

/// Whether two sequences are the same bits.
pub fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.to_bits() == y.to_bits())
}
