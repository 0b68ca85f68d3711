use adjoint::adjoint;

#[adjoint]
fn sum(n: usize) -> f64 {
    (0..n).map(|i| i as f64).sum()
}

fn main() {
    sum(3);
}
