use adjoint::adjoint;

#[adjoint]
fn product(x: f64, x_adj: f64) -> f64 {
    x * x_adj
}

fn main() {
    let mut adjoints = [0.0; 2];
    let [a, b] = &mut adjoints;
    product_adjoint(1.0, a, 2.0, b, 1.0);
}
