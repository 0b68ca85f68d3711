//! References that are chosen anew in each round, in a loop that is duplicated for each place of another reference.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn element_or_scalar(y: &mut [f64], mut z: f64, c: bool, d: bool) {
    let mut s = 0.5 * z.tanh();
    {
        let p = if c { &mut s } else { &mut z };
        for e in y.iter_mut() {
            {
                let q = if d { &mut *e } else { &mut *p };
                *q -= 0.9 * q.tanh();
            }
            *e = 0.75 * *e + *p;
        }
        *p = 0.5 * p.sin();
    }
    if let Some(e) = y.last_mut() {
        *e += s * z;
    }
}

#[adjoint]
fn every_third(y: &mut [f64], mut z: f64, c: bool, d: bool) {
    let mut s = 0.5 * z.tanh();
    let p = if c { &mut s } else { &mut z };
    for e in y.iter_mut().step_by(3) {
        let q = match d {
            true => &mut *e,
            false => &mut *p,
        };
        *q -= 0.9 * q.tanh();
        *e = 0.75 * *e + *p;
    }
    y[0] += *p;
}

#[adjoint]
fn parts(y: &mut [f64], a: &mut [f64], b: &mut [f64], c: bool, n: usize) {
    let p = if c { a } else { b };
    for i in 0..n {
        let q = if i % 2 == 0 {
            &mut y[i..i + 2]
        } else {
            &mut p[..2]
        };
        q[0] *= q[1];
        p[1] += y[i] * p[0];
    }
}

#[test]
fn chosen_anew() {
    for (c, d) in [(true, true), (true, false), (false, true), (false, false)] {
        check!(element_or_scalar(&mut [0.3, 0.4, 0.5, 0.6], 0.7, const c, const d));
        check!(every_third(&mut [0.3, 0.4, 0.5, 0.6], 0.7, const c, const d));
        check!(parts(&mut [0.3, 0.4, 0.5, 0.6], &mut [0.8, 1.1], &mut [0.9, 0.2], const c, const 3));
    }
}
