use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Differentiable)]
struct Pair {
    a: f64,
    b: f64,
}

impl IntoIterator for Pair {
    type Item = f64;
    type IntoIter = std::array::IntoIter<f64, 2>;

    fn into_iter(self) -> Self::IntoIter {
        [self.a, self.b].into_iter()
    }
}

#[adjoint]
fn pair(x: f64) -> Pair {
    Pair { a: x, b: x * x }
}

#[adjoint]
fn pairs(x: &[f64]) -> f64 {
    x.iter().flat_map(|v| pair(*v)).sum()
}

fn main() {
    pairs(&[1.0]);
}
