//! Dual numbers.

use adjoint_analysis::interp::{Dual, Number};
use adjoint_analysis::ir::Intrinsic;

/// The slope of an intrinsic of one operand along itself.
fn slope(op: Intrinsic, x: f64) -> f64 {
    Dual::intrinsic(op, &[Dual::new(x, 1.0)]).slope
}

#[test]
fn dual_numbers_agree_with_differences_where_functions_are_smooth() {
    let h = 1e-6;
    for op in Intrinsic::ALL
        .iter()
        .copied()
        .filter(|op| *op != Intrinsic::Powi)
    {
        let x: Vec<f64> = match op {
            Intrinsic::Acosh => vec![1.7],
            Intrinsic::Clamp => vec![0.3, -0.6, 0.7],
            _ => vec![0.37, 1.62, 0.41][..op.arity()].to_vec(),
        };
        for i in 0..x.len() {
            let at = |d: f64| {
                let mut x = x.clone();
                x[i] += d;
                f64::intrinsic(op, &x)
            };
            let dual: Vec<Dual> = x
                .iter()
                .enumerate()
                .map(|(j, x)| Dual::new(*x, f64::from(i == j)))
                .collect();
            let difference = (at(h) - at(-h)) / (2.0 * h);
            let found = Dual::intrinsic(op, &dual).slope;
            assert!(
                (found - difference).abs() < 1e-7 * (1.0 + found.abs()),
                "{} {i}",
                op.name()
            );
        }
    }
    assert_eq!(Dual::new(3.0, 1.0).powi(-2).slope, -2.0 * 3f64.powi(-3));
}

#[test]
fn dual_numbers_follow_the_contract_at_kinks() {
    assert_eq!(slope(Intrinsic::Abs, 0.0), 0.0);
    assert_eq!(slope(Intrinsic::Abs, -0.0), 0.0);
    assert_eq!(slope(Intrinsic::Sqrt, 0.0), f64::INFINITY);
    assert_eq!(
        Dual::intrinsic(Intrinsic::Sqrt, &[Dual::constant(0.0)]).slope,
        0.0
    );
    let two = |op, x, y| Dual::intrinsic(op, &[Dual::new(x, 1.0), Dual::new(y, 10.0)]).slope;
    assert_eq!(two(Intrinsic::Max, 2.0, 2.0), 1.0);
    assert_eq!(two(Intrinsic::Min, 2.0, 2.0), 1.0);
    assert_eq!(two(Intrinsic::Max, f64::NAN, 2.0), 10.0);
    assert_eq!(two(Intrinsic::Min, 2.0, f64::NAN), 1.0);
    assert_eq!(two(Intrinsic::Hypot, 0.0, 0.0), 0.0);
    assert_eq!(two(Intrinsic::Atan2, 0.0, 0.0), 0.0);
    assert_eq!(two(Intrinsic::Powf, 0.0, 2.0), 0.0);
    assert_eq!(two(Intrinsic::Powf, 0.0, 1.0), 1.0);
    assert_eq!(two(Intrinsic::RemEuclid, -1.0, 4.0), 11.0);
    let clamp = |x| {
        let bounds = [
            Dual::new(x, 1.0),
            Dual::new(-1.0, 10.0),
            Dual::new(1.0, 100.0),
        ];
        Dual::intrinsic(Intrinsic::Clamp, &bounds).slope
    };
    assert_eq!(
        [clamp(-2.0), clamp(-1.0), clamp(1.0), clamp(2.0)],
        [10.0, 1.0, 1.0, 100.0]
    );
    assert_eq!(Dual::new(0.0, 1.0).powi(0).slope, 0.0);
}
