//! Constants and imports in inner blocks, and in functions with closures as parameters.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn lightness(x: f64) -> f64 {
    if x > 0.2 {
        use std::f64::consts::{LN_2, PI as HALF_TURN};
        const K: f64 = 2.5;
        const TABLE: [f64; 3] = [0.5, K, 1.0 / 3.0];
        let mut s = K * x + LN_2;
        for (i, t) in TABLE.iter().enumerate() {
            s += t * x.powi(i as i32) + TABLE[i] * HALF_TURN.cos();
        }
        s * K
    } else {
        const K: f64 = -1.5;
        K * x * x
    }
}

const TOL: f64 = 0.125;

/// Constants of one name, one within the other.
#[adjoint]
fn nested(x: f64) -> f64 {
    let mut s = x * TOL;
    for k in 0..3 {
        const TOL: f64 = 0.25;
        s += TOL * x * k as f64;
        if s > 0.1 {
            const TOL: f64 = 0.5;
            s *= TOL + x;
        }
        s -= TOL;
    }
    s + TOL
}

#[adjoint]
fn halved(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x {
        const STEPS: usize = 4;
        const FIRST: f64 = SECOND;
        const SECOND: f64 = 0.25;
        let mut w = *v;
        for _ in 0..STEPS {
            w = w * SECOND + v.sin();
        }
        s += w * FIRST;
    }
    s
}

#[adjoint]
mod searches {
    fn golden<F>(f: F, a: f64, b: f64) -> (f64, f64)
    where
        F: Fn(f64) -> f64,
    {
        const PHI: f64 = 0.6180339887498949;
        const ROUNDS: usize = 8;
        use std::mem::swap;
        let (mut a, mut b) = (a, b);
        let mut c = b - PHI * (b - a);
        let mut d = a + PHI * (b - a);
        let (mut fc, mut fd) = (f(c), f(d));
        for _ in 0..ROUNDS {
            if fc < fd {
                b = d;
                swap(&mut d, &mut c);
                fd = fc;
                c = b - PHI * (b - a);
                fc = f(c);
            } else {
                a = c;
                swap(&mut c, &mut d);
                fc = fd;
                d = a + PHI * (b - a);
                fd = f(d);
            }
        }
        if fc < fd { (c, fc) } else { (d, fd) }
    }

    pub fn least(e: f64, m: f64) -> f64 {
        let (at, best) = golden(|x| (x - e).powi(2) + 0.3 * (x * m).cos(), e * 0.1, m + 1.0);
        at * best + best
    }
}

#[test]
fn constants_and_imports_of_blocks() {
    check!(nested(0.3) -> f64);
    check!(lightness(0.3) -> f64);
    check!(lightness(0.1) -> f64);
    check!(halved(&[0.3, -0.7]) -> f64);
    check!(searches::least(0.3, 1.1) -> f64);
}
