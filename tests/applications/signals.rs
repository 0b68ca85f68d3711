//! Filters and strings: states that are carried from sample to sample.

use std::f64::consts::TAU;

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Biquad {
    b: [f64; 3],
    a: [f64; 2],
}
#[derive(Clone, Copy, Debug, Default, Differentiable)]
struct State {
    z1: f64,
    z2: f64,
}
#[adjoint]
impl Biquad {
    fn lowpass(f0: f64, q: f64, fs: f64) -> Self {
        let w0 = TAU * f0 / fs;
        let (sn, cs) = w0.sin_cos();
        let alpha = sn / (2.0 * q);
        let a0 = 1.0 + alpha;
        Self {
            b: [
                (1.0 - cs) / 2.0 / a0,
                (1.0 - cs) / a0,
                (1.0 - cs) / 2.0 / a0,
            ],
            a: [-2.0 * cs / a0, (1.0 - alpha) / a0],
        }
    }
    #[inline]
    fn process(&self, s: &mut State, x: f64) -> f64 {
        let y = self.b[0].mul_add(x, s.z1);
        s.z1 = self.b[1] * x - self.a[0] * y + s.z2;
        s.z2 = self.b[2] * x - self.a[1] * y;
        y
    }
}
#[adjoint]
fn cascade(f0: &[f64], q: f64, signal: &[f64]) -> f64 {
    let fs = 48.0;
    let sections: Vec<Biquad> = f0.iter().map(|&f| Biquad::lowpass(f, q, fs)).collect();
    let mut states = vec![State::default(); sections.len()];
    let mut energy = 0.0;
    for &x in signal {
        let mut y = x;
        for (s, st) in sections.iter().zip(states.iter_mut()) {
            y = s.process(st, y);
        }
        energy += y * y;
    }
    energy.sqrt()
}
#[test]
fn a_cascade_of_biquads() {
    check!(cascade(&vec![3.0, 7.5], 0.8, &vec![1.0, 0.3, -0.4, 0.2, 0.7]) -> f64);
}

#[adjoint]
fn fir_ring(taps: &[f64], input: &[f64], output: &mut [f64]) {
    let n = taps.len();
    let mut buf = vec![0.0; n];
    let mut head = 0usize;
    for (x, y) in input.iter().zip(output.iter_mut()) {
        buf[head] = *x;
        let mut acc = 0.0;
        for (k, t) in taps.iter().enumerate() {
            let idx = (head + n - k) % n;
            acc += t * buf[idx];
        }
        *y = acc.tanh();
        head = (head + 1) % n;
    }
}
#[test]
fn a_ring_buffer() {
    check!(fir_ring(
        &vec![0.5, -0.2, 0.1],
        &vec![1.0, 2.0, -1.0, 0.5, 0.3],
        &mut vec![0.0; 5]
    ));
}

#[adjoint]
fn karplus(seed: &[f64], damp: f64, n: usize) -> Vec<f64> {
    let mut line = seed.to_vec();
    let mut out = Vec::with_capacity(n);
    let mut i = 0;
    while out.len() < n {
        let j = if i + 1 == line.len() { 0 } else { i + 1 };
        let y = line[i];
        line[i] = damp * 0.5 * (y + line[j]);
        out.push(y);
        i = j;
    }
    out
}
#[adjoint]
fn pluck(seed: &[f64], damp: f64) -> f64 {
    karplus(seed, damp, 11)
        .iter()
        .rev()
        .enumerate()
        .map(|(k, y)| y * y / (k as f64 + 1.0))
        .sum()
}
#[test]
fn a_plucked_string() {
    check!(pluck(&vec![0.3, -0.8, 0.5, 1.0], 0.97) -> f64);
}
