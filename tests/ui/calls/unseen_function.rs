use adjoint::{Differentiable, adjoint};

#[derive(Clone, Copy, Default, Differentiable)]
struct Angle {
    turn: f64,
}

impl Angle {
    fn polar(turn: f64) -> Angle {
        Angle { turn }
    }

    fn sin(self) -> Angle {
        self
    }
}

#[adjoint]
impl Angle {
    fn of(turn: f64) -> Angle {
        Angle { turn }
    }
}

#[adjoint]
fn function(x: f64) -> f64 {
    Angle::polar(x).turn
}

#[adjoint]
fn like_a_number(x: f64) -> f64 {
    let a = Angle::of(x).sin();
    a.turn
}

trait Law {
    fn rate(x: f64) -> f64;
}

impl Law for Angle {
    fn rate(x: f64) -> f64 {
        x
    }
}

#[adjoint]
impl Angle {
    fn rate(x: f64) -> f64 {
        2.0 * x
    }
}

#[adjoint]
fn of_another_trait(x: f64) -> f64 {
    <Angle as Law>::rate(x)
}

fn main() {}
