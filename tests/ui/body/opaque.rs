use adjoint::{Tape, adjoint};

macro_rules! squared {
    ($x:expr) => {
        $x * $x
    };
}

trait Gamma {
    fn gamma(self) -> f64;
}

impl Gamma for f64 {
    fn gamma(self) -> f64 {
        self
    }
}

#[adjoint]
fn opaque(x: &[f64], out: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        out[i] = squared!(x[i]);
        sum += x[i].gamma();
    }
    sum
}

fn main() {
    let (x, mut out) = ([1.0, 2.0], [0.0; 2]);
    opaque_adjoint(&x, &mut [0.0; 2], &mut out, &mut [1.0; 2], 1.0);
    opaque_adjoint_with(&mut Tape::new(), &x, &mut [0.0; 2], &mut out, &mut [1.0; 2], 1.0);
}
