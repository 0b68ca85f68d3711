use adjoint::adjoint;

#[adjoint(wtr(x))]
fn square(x: f64) -> f64 {
    x * x
}

fn main() {
    let mut x_adj = 0.0;
    square_adjoint(1.0, &mut x_adj, 1.0);
    square(1.0);
}
