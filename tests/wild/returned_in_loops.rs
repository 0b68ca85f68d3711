//! Structs without a default that are returned from within loops alone.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Copy, Differentiable)]
pub struct Complex {
    re: f64,
    im: f64,
}

flat!(Complex { re, im });

#[adjoint]
fn halved(z: Complex, k: f64) -> Complex {
    let mut w = z;
    loop {
        w.re *= k;
        if w.re < 0.5 {
            return w;
        }
    }
}

/// Which of the ways out is taken depends on the iteration; an inner loop returns as well.
#[adjoint]
fn iterated(z: Complex, k: f64, n: usize) -> Complex {
    let mut w = z;
    let mut count = 0;
    loop {
        w = Complex {
            re: w.re * k - 0.1 * w.im,
            im: w.im * k + 0.1 * w.re,
        };
        for j in 0..n {
            if count == 3 && j == 1 {
                w.im *= w.re;
                return w;
            }
            w.re += 0.01 * w.im * j as f64;
        }
        if count == 5 {
            return Complex { re: w.im, im: w.re };
        }
        count += 1;
    }
}

#[adjoint]
pub mod steps {
    use super::*;

    impl std::ops::SubAssign for Complex {
        fn sub_assign(&mut self, other: Complex) {
            self.re -= other.re;
            self.im -= other.im;
        }
    }

    pub fn until(z: Complex, k: f64) -> Complex {
        let mut w = z;
        let mut iterations = 0;
        loop {
            w -= Complex {
                re: k * w.im,
                im: k * w.re,
            };
            iterations += 1;
            if iterations == 4 {
                return w;
            }
        }
    }
}

#[test]
fn a_struct_leaves_a_loop_by_return() {
    let z = Complex { re: 1.7, im: 0.4 };
    check!(halved(z, 0.7) -> Complex);
    check!(halved(z, 0.2) -> Complex);
    check!(iterated(z, 0.9, const 0) -> Complex);
    check!(iterated(z, 0.9, const 1) -> Complex);
    check!(iterated(z, 0.9, const 3) -> Complex);
    check!(steps::until(z, 0.3) -> Complex);
}
