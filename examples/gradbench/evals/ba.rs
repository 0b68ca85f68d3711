//! Bundle adjustment: all residuals, and their sparse Jacobian.

use adjoint::Tape;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::evaluation::Evaluation;
use crate::kernels::ba::{reproject_jacobian_with, residuals, weight_error_adjoint_with};

/// An observation depends on a camera, a point and a weight.
const COLUMNS: usize = 11 + 3 + 1;

#[derive(Deserialize)]
pub struct Input {
    n: usize,
    m: usize,
    p: usize,
    cam: [f64; 11],
    x: [f64; 3],
    w: f64,
    feat: [f64; 2],
}

pub struct Ba {
    cameras: Vec<[f64; 11]>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    features: Vec<[f64; 2]>,
    /// The camera and the point of each observation.
    observations: Vec<[usize; 2]>,
    errors: Vec<[f64; 2]>,
    weight_errors: Vec<f64>,
    jacobian: Sparse,
}

/// A matrix by rows: where each row begins, and the columns and values of its entries.
#[derive(Default)]
struct Sparse {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

impl Sparse {
    fn clear(&mut self) {
        self.rows.clear();
        self.columns.clear();
        self.values.clear();
        self.rows.push(0);
    }

    /// Entries of the last row, in consecutive columns.
    fn push(&mut self, first_column: usize, values: &[f64]) {
        self.columns
            .extend(first_column..first_column + values.len());
        self.values.extend_from_slice(values);
    }

    fn end_row(&mut self) {
        self.rows.push(self.values.len());
    }
}

impl Evaluation for Ba {
    const NAMES: [&str; 2] = ["objective", "jacobian"];

    type Input = Input;

    fn new(input: Input) -> Result<Ba, String> {
        let Input { n, m, p, .. } = input;
        if p == 0 || n == 0 || m == 0 {
            return Err("there is nothing to see".into());
        }
        Ok(Ba {
            cameras: vec![input.cam; n],
            points: vec![input.x; m],
            weights: vec![input.w; p],
            features: vec![input.feat; p],
            observations: (0..p).map(|i| [i % n, i % m]).collect(),
            errors: vec![[0.0; 2]; p],
            weight_errors: vec![0.0; p],
            jacobian: Sparse::default(),
        })
    }

    fn function(&mut self) {
        residuals(
            &self.cameras,
            &self.points,
            &self.weights,
            &self.features,
            &self.observations,
            &mut self.errors,
            &mut self.weight_errors,
        );
    }

    fn derivative(&mut self, tape: &mut Tape) {
        let first_point = 11 * self.cameras.len();
        let first_weight = first_point + 3 * self.points.len();
        self.jacobian.clear();
        for (i, &[camera, point]) in self.observations.iter().enumerate() {
            let mut rows = [0.0; 2 * COLUMNS];
            reproject_jacobian_with(
                tape,
                &self.cameras[camera],
                &self.points[point],
                self.weights[i],
                &self.features[i],
                &mut rows,
            );
            for row in rows.chunks(COLUMNS) {
                self.jacobian.push(11 * camera, &row[..11]);
                self.jacobian.push(first_point + 3 * point, &row[11..14]);
                self.jacobian.push(first_weight + i, &row[14..]);
                self.jacobian.end_row();
            }
        }
        for (i, &weight) in self.weights.iter().enumerate() {
            let mut weight_adj = 0.0;
            weight_error_adjoint_with(tape, weight, &mut weight_adj, 1.0);
            self.jacobian.push(first_weight + i, &[weight_adj]);
            self.jacobian.end_row();
        }
    }

    fn value(&self) -> Value {
        let p = self.errors.len();
        json!({
            "reproj_error": { "elements": self.errors[p - 1], "repeated": p },
            "w_err": { "element": self.weight_errors[p - 1], "repeated": p },
        })
    }

    fn derivatives(&self) -> Value {
        let Sparse {
            rows,
            columns,
            values,
        } = &self.jacobian;
        json!({ "rows": ends(rows), "cols": ends(columns), "vals": ends(values) })
    }
}

/// The first 30 items, and the last one.
fn ends<T: Copy>(items: &[T]) -> Vec<T> {
    items.iter().take(30).chain(items.last()).copied().collect()
}
