use adjoint::{Differentiable, adjoint};

trait Energy {
    fn energy(&self, x: f64) -> f64;
}

#[derive(Clone, Differentiable)]
struct Spring {
    stiffness: f64,
}

impl Spring {
    fn energy(&self, x: f64) -> f64 {
        self.stiffness * x
    }
}

#[adjoint]
impl Energy for Spring {
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * x * x
    }
}

#[adjoint]
fn twice(s: &Spring, x: f64) -> f64 {
    2.0 * s.energy(x)
}

fn main() {
    let spring = Spring { stiffness: 1.0 };
    twice(&spring, 1.0);
    Energy::energy(&spring, 1.0);
}
