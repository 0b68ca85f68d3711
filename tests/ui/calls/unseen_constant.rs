use adjoint::adjoint;

const COEFFICIENTS: &[f64] = &[1.0, 2.0];

#[adjoint]
fn horner(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |s, c| s * x + c)
}

#[adjoint]
fn handed_on(x: f64) -> f64 {
    horner(COEFFICIENTS, x)
}

#[adjoint]
fn with_its_type(x: f64) -> f64 {
    let c: &[f64] = COEFFICIENTS;
    horner(c, x)
}

fn main() {}
