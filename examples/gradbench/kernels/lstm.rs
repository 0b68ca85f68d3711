//! A language model of diagonal long short-term memory, GradBench's `lstm`.

use adjoint::adjoint;

pub use network::{objective, objective_adjoint_with};

#[adjoint]
mod network {
    /// The loss over a sequence of characters of `bits` numbers each. A layer has `8 · bits` of the numbers of `main`, and
    /// `2 · bits` of those of `state`.
    #[adjoint(wrt(main, extra))]
    pub fn objective(
        main: &[f64],
        extra: &[f64],
        state: &[f64],
        sequence: &[f64],
        bits: usize,
    ) -> f64 {
        let (in_weights, out) = extra.split_at(bits);
        let mut state = state.to_vec();
        let mut y = vec![0.0; bits];
        let mut total = 0.0;
        let characters = sequence.len() / bits;
        for t in 0..characters - 1 {
            let input = &sequence[t * bits..(t + 1) * bits];
            let next = &sequence[(t + 1) * bits..(t + 2) * bits];
            for ((y, w), x) in y.iter_mut().zip(in_weights).zip(input) {
                *y = w * x;
            }
            for (parameters, state) in main
                .chunks_exact(8 * bits)
                .zip(state.chunks_exact_mut(2 * bits))
            {
                layer(parameters, state, &mut y);
            }
            total += log_likelihood(out, &mut y, next);
        }
        -total / (bits * (characters - 1)) as f64
    }

    /// Takes a layer one step further, from its input in `y` to its output there.
    fn layer(parameters: &[f64], state: &mut [f64], y: &mut [f64]) {
        let b = y.len();
        let (weights, biases) = parameters.split_at(4 * b);
        let (hidden, cell) = state.split_at_mut(b);
        for j in 0..b {
            let forget = sigmoid(y[j] * weights[j] + biases[j]);
            let ingate = sigmoid(hidden[j] * weights[b + j] + biases[b + j]);
            let outgate = sigmoid(y[j] * weights[2 * b + j] + biases[2 * b + j]);
            let change = (hidden[j] * weights[3 * b + j] + biases[3 * b + j]).tanh();
            cell[j] = cell[j] * forget + ingate * change;
            hidden[j] = outgate * cell[j].tanh();
            y[j] = hidden[j];
        }
    }

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    /// The log-likelihood of the character `next` after the output `y`, which becomes the prediction.
    fn log_likelihood(out: &[f64], y: &mut [f64], next: &[f64]) -> f64 {
        let (weights, biases) = out.split_at(y.len());
        let mut sum = 2.0;
        for ((y, w), b) in y.iter_mut().zip(weights).zip(biases) {
            *y = *y * w + b;
            sum += y.exp();
        }
        let normaliser = sum.ln();
        let mut likelihood = 0.0;
        for (y, x) in y.iter().zip(next) {
            likelihood += x * (y - normaliser);
        }
        likelihood
    }
}
