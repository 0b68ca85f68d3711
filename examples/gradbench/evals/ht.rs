//! Hand tracking: all residuals, and their Jacobian, whose columns of barycentric coordinates are compressed.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::{Evaluation, rows};
use crate::kernels::ht::{
    Matrix, Model, from_triangle_adjoint_with, from_vertex_adjoint_with, residuals,
};

#[derive(Deserialize)]
pub struct Input {
    theta: Vec<f64>,
    us: Vec<[f64; 2]>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
    model: Hand,
}

#[derive(Deserialize)]
struct Hand {
    parents: Vec<isize>,
    base_relatives: Vec<Matrix>,
    inverse_base_absolutes: Vec<Matrix>,
    base_positions: Vec<[f64; 4]>,
    weights: Vec<Vec<f64>>,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

pub struct Ht {
    theta: Vec<f64>,
    us: Vec<[f64; 2]>,
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
    model: Model,
    errors: Vec<[f64; 3]>,
    /// By rows.
    jacobian: Vec<f64>,
}

impl Evaluation for Ht {
    const NAMES: [&str; 2] = ["objective", "jacobian"];

    type Input = Input;

    fn new(Input { theta, us, data }: Input) -> Result<Ht, String> {
        let hand = data.model;
        let columns = theta.len() + if us.is_empty() { 0 } else { 2 };
        Ok(Ht {
            errors: vec![[0.0; 3]; data.points.len()],
            jacobian: vec![0.0; 3 * data.points.len() * columns],
            theta,
            us,
            correspondences: data.correspondences,
            points: data.points,
            model: Model {
                parents: hand.parents.iter().map(|&p| p.try_into().ok()).collect(),
                base_relatives: hand.base_relatives,
                inverse_base_absolutes: hand.inverse_base_absolutes,
                base_positions: hand.base_positions,
                weights: hand.weights,
                triangles: hand.triangles,
                is_mirrored: hand.is_mirrored,
            },
        })
    }

    fn function(&mut self) {
        residuals(
            &self.theta,
            &self.us,
            &self.model,
            &self.correspondences,
            &self.points,
            &mut self.errors,
        );
    }

    /// Each row is from a reverse sweep over what its point depends on.
    fn derivative(&mut self, tape: &mut Tape) {
        self.jacobian.fill(0.0);
        let columns = self.jacobian.len() / (3 * self.points.len()).max(1);
        for (r, row) in self.jacobian.chunks_exact_mut(columns).enumerate() {
            let (i, mut seed) = (r / 3, [0.0; 3]);
            seed[r % 3] = 1.0;
            let (at, point) = (self.correspondences[i], &self.points[i]);
            match (self.us.get(i), row.split_first_chunk_mut()) {
                (Some(u), Some((u_adj, theta_adj))) => {
                    from_triangle_adjoint_with(
                        tape,
                        &self.theta,
                        theta_adj,
                        u,
                        u_adj,
                        &self.model,
                        at,
                        point,
                        seed,
                    );
                }
                _ => {
                    let (theta, model) = (&self.theta, &self.model);
                    from_vertex_adjoint_with(tape, theta, row, model, at, point, seed);
                }
            }
        }
    }

    fn value(&self) -> Value {
        json!(self.errors.as_flattened())
    }

    fn derivatives(&self) -> Value {
        rows(&self.jacobian, 3 * self.points.len())
    }
}
