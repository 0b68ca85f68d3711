use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
struct Body {
    mass: f32,
}

#[adjoint]
impl Body {
    fn mass(&self) -> f32 {
        self.mass * 2.0
    }
}

#[adjoint]
fn cast(body: &Body, k: f64) -> f64 {
    k * body.mass() as f64
}

#[adjoint]
fn by_name(body: &Body, k: f64) -> f64 {
    let mass = body.mass();
    k * mass as f64
}

#[adjoint]
fn with_its_type(body: &Body, k: f64) -> f64 {
    let mass: f32 = body.mass();
    k * mass as f64
}

fn main() {}
