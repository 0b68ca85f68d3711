//! Modules in an annotated one that have documentation and attributes of their own, and constants named like keywords.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
mod special {
    pub fn scaled(x: f64, k: f64) -> f64 {
        super::special::series::polynomial(x, &[k, x], 1) * k
    }

    pub mod series {
        //! Sums of powers.
        #![allow(dead_code)]

        const IN: [f64; 2] = [0.5, 2.0];

        pub fn polynomial(x: f64, c: &[f64], n: usize) -> f64 {
            let mut s = c[0];
            for i in 1..=n {
                s = s * x + c[i];
            }
            s
        }

        pub fn fresnel(x: f64) -> f64 {
            x * polynomial(x, &super::FN, 2) + polynomial(x, &IN, 1)
        }
    }

    const FN: [f64; 3] = [1.0, 2.0, 3.0];

    /// Every third element counts twice.
    pub fn weighted(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for (i, v) in x.iter().enumerate() {
            s += if i.is_multiple_of(3) {
                2.0 * v * v
            } else {
                v * v
            };
        }
        s
    }
}

#[test]
fn modules_within() {
    check!(special::scaled(0.7, 1.2) -> f64);
    check!(special::weighted(&[0.3, 0.4, 0.5, 0.6]) -> f64);
    let fresnel = check_fresnel(0.7);
    assert!((fresnel - (3.0 * 0.49 + 4.0 * 0.7 + 3.0 + 0.5)).abs() < 1e-12);
}

fn check_fresnel(x: f64) -> f64 {
    let mut x_adj = 0.0;
    special::series::fresnel_adjoint(x, &mut x_adj, 1.0);
    x_adj
}
