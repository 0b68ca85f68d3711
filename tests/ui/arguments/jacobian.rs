use adjoint::adjoint;

#[adjoint(jacobian, custom = by_hand)]
fn square(x: f64) -> f64 {
    x * x
}

fn by_hand(x: f64, x_adj: &mut f64, ret_adj: f64) -> f64 {
    *x_adj += 2.0 * x * ret_adj;
    x * x
}

#[adjoint(jacobian)]
mod group {
    pub fn cube(x: f64) -> f64 {
        x * x * x
    }
}

#[adjoint(pullback, custom = by_hand)]
fn squared(x: f64) -> f64 {
    x * x
}

fn main() {
    let mut jac = [0.0];
    square_jacobian(1.0, &mut jac);
}
