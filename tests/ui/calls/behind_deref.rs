use adjoint::{Differentiable, adjoint};
use std::ops::{Deref, DerefMut};

#[derive(Clone, Copy, Default, Differentiable)]
struct Spring {
    k: f64,
}

#[adjoint]
impl Spring {
    fn force(&self, x: f64) -> f64 {
        -self.k * x
    }
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Stiffened {
    spring: Spring,
}

impl Deref for Stiffened {
    type Target = Spring;

    fn deref(&self) -> &Spring {
        &self.spring
    }
}

impl DerefMut for Stiffened {
    fn deref_mut(&mut self) -> &mut Spring {
        &mut self.spring
    }
}

#[adjoint]
impl Stiffened {
    fn new(k: f64) -> Stiffened {
        Stiffened {
            spring: Spring { k },
        }
    }
}

impl Stiffened {
    fn force(&self, x: f64) -> f64 {
        10.0 * self.spring.force(x)
    }
}

#[adjoint]
fn of_the_type_itself(k: f64, x: f64) -> f64 {
    let s: Stiffened = Stiffened::new(k);
    s.force(x)
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Wave {
    phase: f64,
}

impl Deref for Wave {
    type Target = f64;

    fn deref(&self) -> &f64 {
        &self.phase
    }
}

impl Wave {
    fn sin(self) -> f64 {
        2.0 * self.phase.sin()
    }
}

#[adjoint]
impl Wave {
    fn of(x: f64) -> Wave {
        Wave { phase: x * x }
    }
}

#[adjoint]
fn named_like_one_of_a_number(x: f64) -> f64 {
    Wave::of(x).sin()
}

fn main() {}
