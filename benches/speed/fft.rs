//! A fast Fourier transform; what is differentiated is the sum of what it gives.

use std::f64::consts::PI;
use std::hint::black_box;

use adjoint::{Tape, adjoint};

use crate::workload::{Workload, uniform};

/// The transform in place, of a length that is a power of 2. The tables have `cos` and `sin` of `2πk/n`.
#[adjoint(wrt(re, im))]
fn transform(re: &mut [f64], im: &mut [f64], cos: &[f64], sin: &[f64]) {
    let n = re.len();
    let mut j = 0;
    for i in 1..n {
        let mut bit = n >> 1;
        while j & bit != 0 {
            j ^= bit;
            bit >>= 1;
        }
        j ^= bit;
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        let stride = n / (2 * half);
        let blocks = re
            .chunks_exact_mut(2 * half)
            .zip(im.chunks_exact_mut(2 * half));
        for (re, im) in blocks {
            let (re_a, re_b) = re.split_at_mut(half);
            let (im_a, im_b) = im.split_at_mut(half);
            for k in 0..half {
                let (c, s) = (cos[k * stride], -sin[k * stride]);
                let x = re_b[k] * c - im_b[k] * s;
                let y = re_b[k] * s + im_b[k] * c;
                re_b[k] = re_a[k] - x;
                im_b[k] = im_a[k] - y;
                re_a[k] += x;
                im_a[k] += y;
            }
        }
        half *= 2;
    }
}

struct Signal {
    signal: [Vec<f64>; 2],
    cos: Vec<f64>,
    sin: Vec<f64>,
    /// Real and imaginary parts.
    parts: [Vec<f64>; 2],
    adjoints: [Vec<f64>; 2],
}

pub fn workload(n: usize) -> Box<dyn Workload> {
    let angles = (0..n / 2).map(|k| 2.0 * PI * k as f64 / n as f64);
    let signal = [uniform(n, -1.0, 1.0), uniform(n, 0.0, 1.0)];
    Box::new(Signal {
        cos: angles.clone().map(f64::cos).collect(),
        sin: angles.map(f64::sin).collect(),
        parts: signal.clone(),
        adjoints: signal.clone(),
        signal,
    })
}

impl Signal {
    fn reset(&mut self) {
        for (part, signal) in self.parts.iter_mut().zip(&self.signal) {
            part.copy_from_slice(signal);
        }
    }
}

impl Workload for Signal {
    fn function(&mut self) {
        self.reset();
        let [re, im] = &mut self.parts;
        transform(re, im, &self.cos, &self.sin);
        black_box(&self.parts);
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.reset();
        let [re, im] = &mut self.parts;
        let [re_adj, im_adj] = &mut self.adjoints;
        re_adj.fill(1.0);
        im_adj.fill(1.0);
        transform_adjoint_with(tape, re, re_adj, im, im_adj, &self.cos, &self.sin);
        black_box(&self.adjoints);
    }
}
