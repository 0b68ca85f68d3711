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

/// Asserts that a gradient agrees to 8 decimals with central differences, extrapolated, of a function at a point.
#[track_caller]
pub fn assert_gradient(found: &[f64], at: &[f64], function: impl Fn(&[f64]) -> f64) {
    assert_eq!(found.len(), at.len(), "length of the gradient");
    for (i, found) in found.iter().enumerate() {
        let moved = |h: f64| {
            let mut moved = at.to_vec();
            moved[i] += h;
            function(&moved)
        };
        let difference = |h: f64| (moved(h) - moved(-h)) / (2.0 * h);
        let expected = (4.0 * difference(5e-5) - difference(1e-4)) / 3.0;
        assert!(
            (found - expected).abs() < 1e-8,
            "entry {i}: {found} instead of {expected}"
        );
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
