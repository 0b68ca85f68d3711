use adjoint::{Differentiable, adjoint};

#[derive(Clone, Differentiable)]
pub struct Filter {
    gain: f64,
}

#[adjoint(wrt(x), without(tbr))]
impl Filter {
    fn run(&self, x: f64) -> f64 {
        self.gain * x
    }
}

#[adjoint(of(ret), inactive(noise), custom = a)]
mod kernels {
    fn noise(_: f64) -> f64 {
        0.5
    }

    pub fn f(x: f64) -> f64 {
        x * noise(x)
    }
}

fn main() {}
