use adjoint::adjoint;

trait Energy {
    fn energy(&self, x: f64) -> f64;
}

#[adjoint]
impl Energy for f64 {
    fn energy(&self, x: f64) -> f64 {
        0.5 * self * x * x
    }
}

fn main() {
    1.0.energy(1.0);
}
