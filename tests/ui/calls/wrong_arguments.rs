use adjoint::adjoint;

#[adjoint]
fn product(x: f64, y: &[f64], n: usize) -> f64 {
    x * y[n]
}

fn main() {
    let (mut x_adj, mut y_adj) = (0.0, [0.0; 2]);
    // The seed is missing.
    product_adjoint(1.0, &mut x_adj, &[2.0, 3.0], &mut y_adj, 1);
    // An adjoint is passed by value.
    product_adjoint(1.0, x_adj, &[2.0, 3.0], &mut y_adj, 1, 1.0);
}
