//! A dense layer of a neural network on a batch.

use std::hint::black_box;

use adjoint::{Tape, adjoint};

use crate::workload::{Workload, uniform};

/// The sum of `tanh(w x + bias)` over the rows `x` of the batch.
#[adjoint]
fn layer(w: &[f64], bias: &[f64], batch: &[f64]) -> f64 {
    let n = bias.len();
    let mut sum = 0.0;
    for x in batch.chunks_exact(n) {
        for i in 0..n {
            let mut z = bias[i];
            for (w, x) in w[i * n..(i + 1) * n].iter().zip(x) {
                z += w * x;
            }
            sum += z.tanh();
        }
    }
    sum
}

struct Layer {
    /// Weights, bias and batch.
    inputs: [Vec<f64>; 3],
    adjoints: [Vec<f64>; 3],
}

pub fn workload(n: usize, rows: usize) -> Box<dyn Workload> {
    let inputs = [n * n, n, n * rows].map(|n| uniform(n, -0.2, 0.2));
    Box::new(Layer {
        adjoints: inputs.clone(),
        inputs,
    })
}

impl Workload for Layer {
    fn function(&mut self) {
        let [w, bias, batch] = black_box(&self.inputs);
        black_box(layer(w, bias, batch));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        let [w, bias, batch] = black_box(&self.inputs);
        self.adjoints.iter_mut().for_each(|adj| adj.fill(0.0));
        let [w_adj, bias_adj, batch_adj] = &mut self.adjoints;
        black_box(layer_adjoint_with(
            tape, w, w_adj, bias, bias_adj, batch, batch_adj, 1.0,
        ));
        black_box(&self.adjoints);
    }
}
