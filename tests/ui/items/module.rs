use adjoint::adjoint;

#[adjoint]
mod kernels {
    pub fn square(x: f64) -> f64 {
        x * x
    }
}

fn main() {
    kernels::square(2.0);
}
