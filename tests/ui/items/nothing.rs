use adjoint::adjoint;

#[adjoint]
fn positive(x: f64) -> bool {
    x > 0.0
}

#[adjoint]
fn sum(n: usize) -> f64 {
    (0..n).map(|i| i as f64).sum()
}

fn main() {
    positive(1.0);
    sum(3);
}
