use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Rows {
    width: usize,
    all: Vec<f64>,
}

#[adjoint]
fn row(rows: &Rows, i: usize) -> &[f64] {
    &rows.all[i * rows.width..][..rows.width]
}

#[adjoint]
impl Rows {
    // Within the `impl`, this is written out.
    fn row(&self, i: usize) -> &[f64] {
        &self.all[i * self.width..][..self.width]
    }

    fn sum(&self, i: usize) -> f64 {
        self.row(i).iter().sum()
    }
}

fn main() {
    let mut rows = Rows { width: 2, all: vec![0.5; 6] };
    rows.clone().sum_adjoint(&mut rows, 1, 1.0);
}
