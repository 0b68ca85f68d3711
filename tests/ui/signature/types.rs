use adjoint::{Tape, adjoint};
use std::rc::Rc;

#[adjoint]
fn shared(x: f64, k: Rc<f64>, rule: impl Fn(f64) -> f64) -> f64 {
    rule(x) * *k
}

#[adjoint(wrt(x))]
fn applied(x: &[f64], (low, high): (f64, f64), low_high: u8, rule: &dyn Fn(f64) -> f64) -> f64 {
    rule(x[0]).clamp(low, high) * f64::from(low_high)
}

#[adjoint]
fn optional(first: Option<&f64>, k: f64) -> Option<(&f64, f64)> {
    first.map(|v| (v, *v * k))
}

fn main() {
    let mut x_adj = 0.0;
    shared_adjoint(1.0, &mut x_adj, Rc::new(1.0), &mut Rc::new(0.0), |x| x, 1.0);
    let rule = |x: f64| x + 1.0;
    applied_adjoint_with(&mut Tape::new(), &[1.0], &mut [0.0], (0.0, 1.0), 1, &rule, 1.0);
}
