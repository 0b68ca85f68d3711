//! Generated code is free of warnings and of `unsafe` under the strictest settings of a user's crate.
#![deny(warnings, clippy::all)]
#![forbid(unsafe_code)]

mod common;

use adjoint::{Differentiable, adjoint};
use common::check;
use num_traits::Float;

#[adjoint]
fn with_frames(x: &[f64], out: &mut [f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let t = x[i].sin();
        out[i] *= t * t;
        s += out[i] / (1.0 + t);
    }
    s
}

#[adjoint]
fn until_small(mut x: f64, a: f64) -> f64 {
    while (x * x - a).abs() > 1e-6 {
        x -= (x * x - a) / (2.0 * x);
    }
    x
}

#[adjoint]
fn early(x: &[f64], limit: f64) -> f64 {
    let mut s = 1.0;
    for (i, v) in x.iter().enumerate() {
        if *v > limit {
            return s * v;
        }
        if i % 2 == 0 {
            continue;
        }
        s += v * v;
    }
    s
}

#[adjoint]
fn generic<T: Float>(x: T, y: T) -> T {
    if x > y { x * y } else { (x - y).exp() }
}

#[adjoint]
fn single(x: f32) -> f32 {
    x.sqrt() * generic(x, 2.0)
}

#[derive(Differentiable, Clone)]
struct Line {
    slope: f64,
    offset: f64,
}

#[adjoint]
impl Line {
    fn at(&self, x: f64) -> f64 {
        self.slope * x + self.offset
    }
}

#[adjoint]
mod kernels {
    pub fn length(v: [f64; 3]) -> f64 {
        let [x, y, z] = v;
        (x * x + y * y + z * z).sqrt()
    }

    pub fn scale(v: &mut [f64], by: f64) {
        for x in v.iter_mut() {
            *x *= by;
        }
    }
}

#[adjoint(wrt(x), of(ret))]
fn with_scratch(x: &[f64], scratch: &mut [f64]) -> f64 {
    scratch.copy_from_slice(x);
    kernels::scale(scratch, x[0]);
    scratch.iter().map(|v| v * v).sum()
}

#[test]
fn the_kernels_have_their_gradients() {
    check!(with_frames(&vec![0.3, 0.9], &mut vec![1.5, -0.5]) -> f64);
    check!(until_small(1.0, 2.0) -> f64);
    check!(early(&vec![0.3, 0.9, 1.4, 3.0], 2.0) -> f64);
    check!(single(1.5) -> f32);
    check!(kernels::length([1.0, 2.0, -2.0]) -> f64);
    let line = Line {
        slope: 2.0,
        offset: 1.0,
    };
    let mut line_adj = Line {
        slope: 0.0,
        offset: 0.0,
    };
    let mut x_adj = 0.0;
    assert_eq!(line.at_adjoint(&mut line_adj, 3.0, &mut x_adj, 1.0), 7.0);
    assert_eq!((line_adj.slope, line_adj.offset, x_adj), (3.0, 1.0, 2.0));
    let (mut x_adj, mut scratch) = ([0.0; 2], [0.0; 2]);
    let value = with_scratch_adjoint(&[2.0, 3.0], &mut x_adj, &mut scratch, 1.0);
    // x₀² (x₀² + x₁²)
    assert_eq!(
        (value, x_adj),
        (52.0, [2.0 * 2.0 * 13.0 + 4.0 * 4.0, 4.0 * 6.0])
    );
}
