//! `inactive` names the method of one type, and another type of its name has one too.

mod plain {
    pub struct Gauge(pub f64);

    impl Gauge {
        pub fn read(&self, x: f64) -> f64 {
            x * self.0
        }
    }
}

mod fine {
    use adjoint::{Differentiable, adjoint};

    #[derive(Clone, Debug, Differentiable)]
    pub struct Gauge(pub f64);

    #[adjoint]
    impl Gauge {
        pub fn read(&self, x: f64) -> f64 {
            x * self.0
        }
    }
}

use adjoint::adjoint;
use fine::Gauge;

#[adjoint(wrt(x), of(ret), inactive(plain::Gauge::read))]
fn f(x: f64, p: &plain::Gauge, q: &Gauge) -> f64 {
    q.read(x) * x + p.read(2.0)
}

fn main() {}
