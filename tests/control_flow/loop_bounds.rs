//! Loop bounds in variables without `mut`, while their operands change.
//!
//! Whole variables are assigned from their old values, by references and where a zero seed meets a pole. Some values
//! are overwritten before they are read, on purpose.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn bounds(x: &[f64], m0: usize) -> f64 {
    let mut m = m0;
    let mut v = x.to_vec();
    let mut s = 0.0;
    for r in 0..3 {
        let n = m;
        m = m * 2 % 5;
        for i in 0..n.min(v.len()) {
            let k = i;
            for j in k..n {
                if j >= v.len() {
                    break;
                }
                s = s * v[i] + v[j].abs().sqrt();
            }
        }
        if n == 1 {
            v.truncate(2);
        }
        let n = v.len();
        for i in (0..n).rev().step_by(2) {
            v[i] = s.sin() * v[n - 1 - i];
        }
        if s > 50.0 {
            return s;
        }
        if n == 0 {
            continue;
        }
        s = v[n - 1] / n as f64 + s * r as f64;
    }
    s
}
#[test]
fn bounds_test() {
    for m in 0..5 {
        check!(bounds(&[0.4, 0.7, 1.9, 0.3, 2.5], const m) -> f64);
        check!(bounds(&[], const m) -> f64);
        check!(bounds(&[0.6], const m) -> f64);
        check!(bounds(&[30.0, 0.5, 9.0, 0.1], const m) -> f64);
    }
}

#[adjoint]
#[allow(unused_assignments)]
fn through(a: f64, b: f64, x: &[f64]) -> f64 {
    let (mut p, mut q) = (a, b);
    let mut s = 0.0;
    for v in x {
        let t = s;
        let (r, w) = if *v > 0.0 { (&mut p, &q) } else { (&mut q, &p) };
        *r = *w * t + v;
        s = p.abs().sqrt() * q;
        let u = s;
        s = u * u;
        let mut z = s;
        z = t;
        z = z * p + u;
        s = z;
        if s.is_nan() {
            break;
        }
    }
    s
}
#[test]
fn through_test() {
    check!(through(0.7, 0.3, &[0.4, -0.7, 1.3]) -> f64);
    check!(through(0.7, 0.3, &[]) -> f64);
    check!(through(0.7, 0.3, &[-0.4, 0.7, -1.3, 0.2]) -> f64);
    check!(through(f64::NAN, 0.3, &[0.7, 0.2]) -> f64);
}

/// A zero seed meets a pole; another one does not.
#[adjoint]
#[allow(unused_assignments)]
fn poles(a: f64, b: f64) -> (f64, f64) {
    let mut s = a.sqrt();
    let t = s;
    s = b * b;
    let mut u = t.ln();
    u = s * 2.0;
    (u, s)
}
#[test]
fn poles_test() {
    check!(poles(0.7, 0.3) -> (f64, f64));
    let (mut da, mut db) = (0.0, 0.0);
    poles_adjoint(0.0, &mut da, 0.3, &mut db, (1.0, 1.0));
    assert_eq!((da, db), (0.0, 6.0 * 0.3));
}

#[adjoint]
#[allow(unused_assignments)]
fn captured(x: &[f64], k0: usize) -> f64 {
    fn upto(n: usize, f: impl Fn(usize) -> f64) -> f64 {
        let mut t = 1.0;
        for i in 0..n {
            t = t * f(i) + f(i);
        }
        t
    }
    let mut k = k0;
    let sum = |n: usize| {
        let mut t = 0.0;
        for i in 0..n {
            t += x[i] * t + x[i];
        }
        t
    };
    let a = sum(k);
    k += 1;
    let b = sum(k);
    let (n, m) = (k, k - 1);
    k = 0;
    let c: f64 = (0..n).map(|i| x[i] * a).sum();
    let d: f64 = x[m..n].iter().sum::<f64>() + x[..k].iter().sum::<f64>();
    let n = {
        let n = n - 1;
        k = n;
        n
    };
    let mut e = 0.0;
    'o: for i in 0..n {
        let n = i;
        for j in 0..n {
            if x[j] < 0.0 {
                break 'o;
            }
            e += x[j] * x[i];
        }
        k = 7;
    }
    a * b + c * d + e + upto(n, |i| x[i % x.len()])
}
#[test]
fn captured_test() {
    check!(captured(&[0.4, 0.7, 1.9, 0.3], const 2) -> f64);
    check!(captured(&[0.4, -0.7, 1.9, 0.3], const 3) -> f64);
    check!(captured(&[0.4], const 0) -> f64);
}
