use adjoint::adjoint;

trait Energy {
    fn energy(&self, x: f64) -> f64;
}

struct Spring {
    stiffness: f64,
}

#[adjoint]
impl Energy for Spring {
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * x * x
    }
}

fn main() {
    Spring { stiffness: 1.0 }.energy(1.0);
}
