use adjoint::adjoint;

struct Spring {
    stiffness: f64,
}

impl Spring {
    #[adjoint]
    fn energy(&self, x: f64) -> f64 {
        0.5 * self.stiffness * x * x
    }
}

#[adjoint]
unsafe fn first(x: &[f64]) -> f64 {
    unsafe { *x.get_unchecked(0) }
}

#[adjoint]
async fn later(x: f64) -> f64 {
    x + 1.0
}

fn main() {
    let (spring, mut spring_adj, mut x_adj) = (Spring { stiffness: 1.0 }, Spring { stiffness: 0.0 }, 0.0);
    spring.energy_adjoint(&mut spring_adj, 1.0, &mut x_adj, 1.0);
    first_adjoint(&[1.0], &mut [0.0], 1.0);
    let _ = later(1.0);
}
