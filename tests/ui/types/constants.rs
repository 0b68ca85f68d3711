//! Constants of types that are not visible, beside floats: their own operators may be any.

use adjoint::adjoint;

mod far {
    #[derive(Clone, Copy)]
    pub struct Gain(pub f64);
    pub const UNIT: Gain = Gain(1.5);
    pub const TABLE: [Gain; 2] = [Gain(1.5), Gain(0.5)];

    impl std::ops::Add<f64> for Gain {
        type Output = f64;
        fn add(self, x: f64) -> f64 {
            self.0 * x + 2.0
        }
    }
}

#[adjoint]
fn of_a_constant(t: f64) -> f64 {
    let p = far::UNIT + t;
    p * t
}

#[adjoint]
fn of_a_table(t: f64) -> f64 {
    let mut s = t;
    for k in far::TABLE.iter() {
        s += *k + t;
    }
    s
}

#[adjoint]
mod near {
    use super::far;

    const UNIT: f64 = 0.5;

    pub fn by_path(t: f64) -> f64 {
        let p = far::UNIT + t;
        p * t + UNIT
    }

    pub fn imported(t: f64) -> f64 {
        use super::far::UNIT;
        let p = UNIT + t;
        p * t
    }
}

fn main() {}
