//! Central differences with Richardson extrapolation and an error estimate (Ridders' method).

/// A function of one variable with several results.
pub type Curve<'a> = &'a dyn Fn(f64) -> Vec<f64>;

/// A derivative and how far off it may be.
#[derive(Clone, Copy, Debug)]
pub struct Estimate {
    /// The derivative.
    pub value: f64,
    /// An estimate of its error.
    pub error: f64,
}

const LEVELS: usize = 10;
const RATIO: f64 = 1.5;

/// The derivatives at 0 of all results, from the first steps that give the smallest error each.
/// Short first steps are for points that lie close to a kink or to the end of the domain.
pub fn derivatives(curve: Curve<'_>, first_steps: &[f64]) -> Vec<Estimate> {
    let mut best: Vec<Estimate> = Vec::new();
    for &step in first_steps {
        let tableau = extrapolate(curve, step);
        if best.is_empty() {
            best = tableau;
        } else {
            for (b, t) in best.iter_mut().zip(tableau) {
                if t.error < b.error || b.error.is_nan() {
                    *b = t;
                }
            }
        }
    }
    best
}

fn extrapolate(curve: Curve<'_>, first_step: f64) -> Vec<Estimate> {
    let mut step = first_step;
    let mut previous: Vec<Vec<f64>> = Vec::new();
    let mut best: Vec<Estimate> = Vec::new();
    for level in 0..LEVELS {
        let mut row = vec![quotient(curve, step)];
        let mut factor = RATIO * RATIO;
        for order in 1..=level {
            let (fine, coarse) = (&row[order - 1], &previous[order - 1]);
            let next = fine
                .iter()
                .zip(coarse)
                .map(|(f, c)| f + (f - c) / (factor - 1.0))
                .collect();
            row.push(next);
            factor *= RATIO * RATIO;
        }
        if level == 0 {
            best = row[0]
                .iter()
                .map(|&value| Estimate {
                    value,
                    error: f64::INFINITY,
                })
                .collect();
        }
        for order in 1..=level {
            keep_better(
                &mut best,
                &row[order],
                &row[order - 1],
                &previous[order - 1],
            );
        }
        previous = row;
        step /= RATIO;
    }
    best
}

fn quotient(curve: Curve<'_>, step: f64) -> Vec<f64> {
    let (up, down) = (curve(step), curve(-step));
    up.iter()
        .zip(&down)
        .map(|(u, d)| (u - d) / (2.0 * step))
        .collect()
}

fn keep_better(best: &mut [Estimate], found: &[f64], fine: &[f64], coarse: &[f64]) {
    for (i, b) in best.iter_mut().enumerate() {
        let error = (found[i] - fine[i]).abs().max((found[i] - coarse[i]).abs());
        if error < b.error {
            *b = Estimate {
                value: found[i],
                error,
            };
        }
    }
}
