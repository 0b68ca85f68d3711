use adjoint::adjoint;

#[adjoint]
fn root(x: f64) -> Option<f64> {
    (x >= 0.0).then(|| x.sqrt())
}

#[adjoint]
fn roots(x: &[f64]) -> f64 {
    x.iter().flat_map(|v| root(*v)).sum()
}

fn main() {
    roots(&[1.0]);
}
