//! The derivative of a function of one variable, from its values.

/// The first step, relative to the point (absolutely, for one below 1).
const FIRST_STEP: f64 = 0.05;
/// Each step is the last one divided by this.
const SHRINK: f64 = 4.0;
/// Down to a step of 7e-10; fewer where rounding errors take over before.
const STEPS: usize = 14;

/// An estimate of the derivative.
#[derive(Clone, Copy)]
struct Estimate {
    value: f64,
    /// How far it may be off.
    error: f64,
}

/// The derivative of `f` at `x`: central differences at shrinking steps, extrapolated to step zero
/// by Neville's scheme in the square of the step. Of all entries the one is taken whose neighbours
/// and rounding errors say that it is best. NaN, if `f` is finite on both sides at no step.
pub(super) fn derivative(mut f: impl FnMut(f64) -> f64, x: f64) -> f64 {
    let mut best = Estimate {
        value: f64::NAN,
        error: f64::INFINITY,
    };
    let mut row: Vec<f64> = Vec::new();
    let mut step = FIRST_STEP * x.abs().max(1.0);
    for _ in 0..STEPS {
        let (right, left) = (x + step, x - step);
        let (above, below) = (f(right), f(left));
        let difference = (above - below) / (right - left);
        // What rounding the two values to doubles does to the difference.
        let rounding = f64::EPSILON * above.abs().max(below.abs()) / step;
        if difference.is_finite() {
            if best.value.is_nan() {
                best.value = difference;
            }
            row = extrapolate(&row, difference, |estimate| {
                let error = estimate.error + rounding;
                if error < best.error {
                    best = Estimate { error, ..estimate };
                }
            });
            if rounding > best.error {
                break;
            }
        } else {
            row.clear();
        }
        step /= SHRINK;
    }
    best.value
}

/// The next row of Neville's table. Each new entry is shown with its distance from the two entries
/// that it comes from.
fn extrapolate(above: &[f64], difference: f64, mut show: impl FnMut(Estimate)) -> Vec<f64> {
    let mut row = vec![difference];
    let mut factor = 1.0;
    for (order, &coarser) in above.iter().enumerate() {
        factor *= SHRINK * SHRINK;
        let finer = row[order];
        let value = finer + (finer - coarser) / (factor - 1.0);
        row.push(value);
        show(Estimate {
            value,
            error: (value - finer).abs().max((value - coarser).abs()),
        });
    }
    row
}

#[cfg(test)]
mod tests {
    use super::derivative;

    #[track_caller]
    fn close(found: f64, expected: f64) {
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error < 1e-9, "{found} instead of {expected}");
    }

    #[test]
    fn smooth_functions() {
        close(derivative(f64::sin, 1.0), 1f64.cos());
        close(derivative(f64::exp, 3.0), 3f64.exp());
        close(derivative(|x| x.powi(7), -2.0), 448.0);
        close(derivative(|x| 1.0 / x, 1e-3), -1e6);
        close(derivative(|x| x * x, 1e6), 2e6);
        close(derivative(|_| 5.0, 1.0), 0.0);
    }

    #[test]
    fn steps_out_of_the_domain_are_left_out() {
        close(derivative(f64::sqrt, 1e-4), 50.0);
        close(derivative(f64::ln, 1e-6), 1e6);
        close(derivative(f64::acos, 0.999), -22.366_272_042_129_22);
    }

    #[test]
    fn kinks_nearby_are_seen_as_such() {
        close(derivative(f64::abs, 1e-3), 1.0);
        close(derivative(|x| x.max(1.0), 1.001), 1.0);
    }

    #[test]
    fn a_large_constant_does_not_hide_the_slope() {
        let found = derivative(|x| 1e8 + x, 1.0);
        assert!((found - 1.0).abs() < 1e-6, "{found}");
    }

    #[test]
    fn fast_oscillations_are_resolved() {
        let found = derivative(|x| (1e3 * x).sin(), 0.5);
        let expected = 1e3 * 500f64.cos();
        assert!((found / expected - 1.0).abs() < 1e-8, "{found}");
    }

    #[test]
    fn no_finite_values_give_nan() {
        assert!(derivative(|_| f64::NAN, 1.0).is_nan());
        assert!(derivative(f64::ln, -1.0).is_nan());
    }
}
