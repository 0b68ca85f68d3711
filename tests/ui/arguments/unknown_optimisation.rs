use adjoint::adjoint;

#[adjoint(wrt(x), without(tape))]
fn product(x: f64, k: f64) -> f64 {
    k * x
}

fn main() {
    let mut x_adj = 0.0;
    product_adjoint(1.0, &mut x_adj, 2.0, 1.0);
}
