use adjoint::adjoint;

#[adjoint(wrt = "x")]
fn product(x: f64, k: f64) -> f64 {
    k * x
}

fn main() {
    let (mut x_adj, mut k_adj) = (0.0, 0.0);
    product_adjoint(1.0, &mut x_adj, 2.0, &mut k_adj, 1.0);
}
