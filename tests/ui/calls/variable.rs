use adjoint::adjoint;

fn square(x: f64) -> f64 {
    x * x
}

#[adjoint(wrt(x))]
fn applied(x: f64, weight: fn(usize) -> f64, rule: fn(f64) -> f64) -> f64 {
    weight(3) * rule(x)
}

fn main() {
    applied_adjoint(1.0, &mut 0.0, |n| n as f64, square, 1.0);
}
