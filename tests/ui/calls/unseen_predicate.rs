use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Default, Differentiable)]
struct Field {
    level: f64,
}

#[adjoint]
impl Field {
    fn is_positive(&self) -> f64 {
        1.0 / (1.0 + (-self.level).exp())
    }

    fn is_empty(&self) -> f64 {
        1.0 - self.is_positive()
    }
}

#[adjoint]
fn field_of(x: f64) -> Field {
    Field { level: x }
}

#[adjoint]
fn smooth(x: f64) -> f64 {
    let field = field_of(x);
    field.is_positive()
}

#[adjoint]
fn of_a_field(field: &Field, x: f64) -> f64 {
    x * field.is_empty()
}

fn main() {}
