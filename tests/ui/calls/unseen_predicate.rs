use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Default, Differentiable)]
struct Field {
    level: f64,
}

#[adjoint]
impl Field {
    fn of(x: f64) -> Field {
        Field { level: x }
    }

    fn is_positive(&self) -> f64 {
        1.0 / (1.0 + (-self.level).exp())
    }

    fn is_empty(&self) -> f64 {
        1.0 - self.is_positive()
    }
}

#[adjoint]
fn smooth(x: f64) -> f64 {
    let field = Field::of(x);
    field.is_positive()
}

#[adjoint]
fn of_a_field(field: &Field, x: f64) -> f64 {
    x * field.is_empty()
}

fn main() {}
