use adjoint::adjoint;

mod physics {
    pub fn energy(x: f64) -> f64 {
        x * x
    }
}

#[adjoint]
fn total(x: f64, n: usize) -> f64 {
    let y = physics::energy(x + 1.0);
    let mut sum = y.sin() + y;
    for _ in 0..n {
        sum += y;
    }
    sum
}

fn main() {
    let mut x_adj = 0.0;
    total_adjoint(1.0, &mut x_adj, 3, 1.0);
}
