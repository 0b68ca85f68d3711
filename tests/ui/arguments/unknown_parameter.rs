use adjoint::adjoint;

#[adjoint(wrt(x, y), of(ret, out))]
fn product(x: f64, k: f64) -> f64 {
    k * x
}

#[adjoint(wrt(x, n), of(x))]
fn power(x: f64, n: i32) -> f64 {
    x.powi(n)
}

fn main() {
    let mut x_adj = 0.0;
    product_adjoint(1.0, &mut x_adj, 2.0, 1.0);
    power(1.0, 2);
}
