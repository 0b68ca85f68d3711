use adjoint::adjoint;

#[derive(Clone)]
struct Spring {
    stiffness: f64,
}

#[adjoint]
fn energy(spring: &Spring, x: f64) -> f64 {
    0.5 * spring.stiffness * x * x
}

fn main() {
    energy(&Spring { stiffness: 1.0 }, 1.0);
}
