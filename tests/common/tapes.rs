//! Two adjoints of one kernel.

use adjoint::Tape;

/// Runs on a tape: the arguments are the input and its adjoint, which starts at zero.
type Adjoint<'a> = &'a dyn Fn(&mut Tape, &[f64], &mut [f64]) -> f64;

/// The most bytes that each of the two had on its tape; their values are the same in each bit, and their gradients up to rounding.
pub fn bytes_of_same(x: &[f64], adjoints: [Adjoint<'_>; 2]) -> (usize, usize) {
    let [first, second] = adjoints.map(|adjoint| {
        let (mut tape, mut x_adj) = (Tape::new(), vec![0.0; x.len()]);
        let value = adjoint(&mut tape, x, &mut x_adj);
        (x_adj, value, tape.stats().peak_bytes)
    });
    assert_eq!(first.1.to_bits(), second.1.to_bits());
    for (a, b) in first.0.iter().zip(&second.0) {
        assert!((a - b).abs() <= 1e-12 * a.abs().max(1.0), "{a} {b}");
    }
    (first.2, second.2)
}
