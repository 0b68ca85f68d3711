//! Work space that helpers overwrite, in the log-likelihood of a Gaussian mixture: what is recorded is what
//! an adjoint reads, and once.

#[macro_use]
mod common;

use adjoint::{Tape, adjoint};

/// The helpers, each annotated by itself.
mod apart {
    use adjoint::adjoint;

    #[adjoint]
    pub fn centre(x: &[f64], mean: &[f64], out: &mut [f64]) {
        for i in 0..out.len() {
            out[i] = x[i] - mean[i];
        }
    }

    #[adjoint]
    pub fn scale(factor: &[f64], shear: f64, x: &[f64], out: &mut [f64]) {
        for i in 0..out.len() {
            out[i] = factor[i] * x[i];
        }
        out[1] += shear * x[0];
    }

    #[adjoint]
    pub fn norm2(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v * v;
        }
        s
    }

    #[adjoint]
    pub fn logsumexp(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v.exp();
        }
        s.ln()
    }
}

/// The same, seen together.
#[adjoint(without(fusion))]
mod together {
    pub fn centre(x: &[f64], mean: &[f64], out: &mut [f64]) {
        for i in 0..out.len() {
            out[i] = x[i] - mean[i];
        }
    }

    pub fn scale(factor: &[f64], shear: f64, x: &[f64], out: &mut [f64]) {
        for i in 0..out.len() {
            out[i] = factor[i] * x[i];
        }
        out[1] += shear * x[0];
    }

    pub fn norm2(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v * v;
        }
        s
    }

    pub fn logsumexp(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v.exp();
        }
        s.ln()
    }

    pub fn mixture(weights: &[f64], means: &[f64], factors: &[f64], x: &[f64]) -> f64 {
        let (mut terms, mut centred, mut scaled) = ([0.0; 3], [0.0; 2], [0.0; 2]);
        let mut sum = 0.0;
        for point in x.chunks_exact(2) {
            for k in 0..3 {
                centre(point, &means[2 * k..][..2], &mut centred);
                scale(
                    &factors[3 * k..][..2],
                    factors[3 * k + 2],
                    &centred,
                    &mut scaled,
                );
                terms[k] = weights[k] - 0.5 * norm2(&scaled);
            }
            sum += logsumexp(&terms);
        }
        sum
    }
}

macro_rules! mixtures {
    ($($(#[$attribute:meta])* $name:ident;)*) => {$(
        $(#[$attribute])*
        fn $name(weights: &[f64], means: &[f64], factors: &[f64], x: &[f64]) -> f64 {
            let (mut terms, mut centred, mut scaled) = ([0.0; 3], [0.0; 2], [0.0; 2]);
            let mut sum = 0.0;
            for point in x.chunks_exact(2) {
                for k in 0..3 {
                    apart::centre(point, &means[2 * k..][..2], &mut centred);
                    apart::scale(&factors[3 * k..][..2], factors[3 * k + 2], &centred, &mut scaled);
                    terms[k] = weights[k] - 0.5 * apart::norm2(&scaled);
                }
                sum += apart::logsumexp(&terms);
            }
            sum
        }
    )*};
}

mixtures! {
    #[adjoint(without(fusion))] by_all;
    #[adjoint(wrt(means), without(fusion))] by_means;
    #[adjoint(wrt(weights), without(fusion))] by_weights;
}

const WEIGHTS: [f64; 3] = [0.2, -0.4, 0.1];
const MEANS: [f64; 6] = [0.3, -0.2, 1.1, 0.4, -0.9, 0.6];
const FACTORS: [f64; 9] = [0.8, 1.2, 0.3, 0.5, 0.9, -0.4, 1.1, 0.7, 0.2];
const X: [f64; 8] = [0.5, -0.7, 0.2, 0.9, -1.3, 0.4, 0.8, 0.1];

#[test]
fn gradients() {
    let (weights, means) = (WEIGHTS.to_vec(), MEANS.to_vec());
    let (factors, x) = (FACTORS.to_vec(), X.to_vec());
    check!(by_all(&weights, &means, &factors, &x) -> f64);
    check!(by_means(const &weights, &means, const &factors, const &x) -> f64);
    check!(by_weights(&weights, const &means, const &factors, const &x) -> f64);
    check!(together::mixture(&weights, &means, &factors, &x) -> f64);
}

/// How many reals the forward sweep puts on the tape.
macro_rules! reals {
    ($adjoint:path: $($args:expr),*) => {{
        let mut tape = Tape::new();
        $adjoint(&mut tape, $($args,)* 1.0);
        assert_eq!((tape.stats().integers.entries, tape.stats().control.entries), (0, 0));
        tape.stats().reals.entries
    }};
}

#[test]
fn nothing_is_recorded_for_inputs_nor_twice() {
    let (mut weights, mut means) = ([0.0; 3], [0.0; 6]);
    let (mut factors, mut x) = ([0.0; 9], [0.0; 8]);
    // Each iteration overwrites two reals, of which the last pair is still there at the end.
    let (points, vector) = (4, 2 * 4 * 3 + 2);
    let exponentials = points * (3 + 1);
    let all = reals!(by_all_adjoint_with:
        &WEIGHTS, &mut weights, &MEANS, &mut means, &FACTORS, &mut factors, &X, &mut x);
    assert_eq!(all, 2 * vector + exponentials);
    let together = reals!(together::mixture_adjoint_with:
        &WEIGHTS, &mut weights, &MEANS, &mut means, &FACTORS, &mut factors, &X, &mut x);
    assert_eq!(together, all);
    // `centred` is a factor in the adjoints of `factors` alone.
    let by_means = reals!(by_means_adjoint_with: &WEIGHTS, &MEANS, &mut means, &FACTORS, &X);
    assert_eq!(by_means, vector + exponentials);
    let by_weights = reals!(by_weights_adjoint_with: &WEIGHTS, &mut weights, &MEANS, &FACTORS, &X);
    assert_eq!(by_weights, exponentials);
}
