//! The residuals of a bundle adjustment.

use std::hint::black_box;

use adjoint::Tape;

use crate::workload::{Workload, uniform};

#[path = "../../examples/gradbench/kernels/ba.rs"]
mod kernel;

use kernel::{residuals, residuals_adjoint_with};

/// GradBench's smallest camera and point.
const CAMERA: [f64; 11] = [
    -0.758453, -1.109613, -0.845551, 34.556073, 39.676747, 53.881673, 419.194514, 5.864426,
    -8.51887, 0.087812, 0.002739,
];
const POINT: [f64; 3] = [7.203245, 0.001144, 3.023326];

struct Bundle {
    cameras: Vec<[f64; 11]>,
    cameras_adj: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    points_adj: Vec<[f64; 3]>,
    weights: Vec<f64>,
    weights_adj: Vec<f64>,
    features: Vec<[f64; 2]>,
    observations: Vec<[usize; 2]>,
    errors: Vec<[f64; 2]>,
    errors_adj: Vec<[f64; 2]>,
    weight_errors: Vec<f64>,
    weight_errors_adj: Vec<f64>,
}

pub fn workload(cameras: usize, points: usize, observations: usize) -> Box<dyn Workload> {
    Box::new(Bundle {
        cameras: vec![CAMERA; cameras],
        cameras_adj: vec![[0.0; 11]; cameras],
        points: vec![POINT; points],
        points_adj: vec![[0.0; 3]; points],
        weights: uniform(observations, 0.0, 1.0),
        weights_adj: vec![0.0; observations],
        features: vec![[271.760969, 834.209256]; observations],
        observations: (0..observations)
            .map(|i| [i % cameras, i % points])
            .collect(),
        errors: vec![[0.0; 2]; observations],
        errors_adj: vec![[0.0; 2]; observations],
        weight_errors: vec![0.0; observations],
        weight_errors_adj: vec![0.0; observations],
    })
}

impl Workload for Bundle {
    fn function(&mut self) {
        residuals(
            black_box(&self.cameras),
            &self.points,
            &self.weights,
            &self.features,
            &self.observations,
            &mut self.errors,
            &mut self.weight_errors,
        );
        black_box((&self.errors, &self.weight_errors));
    }

    fn gradient(&mut self, tape: &mut Tape) {
        self.cameras_adj.fill([0.0; 11]);
        self.points_adj.fill([0.0; 3]);
        self.weights_adj.fill(0.0);
        self.errors_adj.fill([1.0; 2]);
        self.weight_errors_adj.fill(1.0);
        residuals_adjoint_with(
            tape,
            black_box(&self.cameras),
            &mut self.cameras_adj,
            &self.points,
            &mut self.points_adj,
            &self.weights,
            &mut self.weights_adj,
            &self.features,
            &self.observations,
            &mut self.errors,
            &mut self.errors_adj,
            &mut self.weight_errors,
            &mut self.weight_errors_adj,
        );
        black_box((&self.cameras_adj, &self.points_adj, &self.weights_adj));
    }
}
