//! Blocks, tuples and `Some(..)` are temporaries: a write into them leaves the original as it is.

use adjoint::adjoint;

use crate::common::check;
use crate::common::types::V;

#[adjoint]
impl V {
    fn shift(&mut self, x: f64) -> f64 {
        self.p *= x;
        self.q += self.p;
        self.q
    }
}

#[adjoint]
fn wave(p: &mut f64, x: f64) -> f64 {
    *p = (*p + x).sin();
    *p * x
}

#[adjoint]
fn receivers(u: V, o: Option<f64>, x: f64) -> f64 {
    let r = { u }.shift(x);
    let s = (if x > 0.0 { u } else { V { p: x, q: x } }).shift(x);
    let t = { o }.take().unwrap_or(x);
    u.p + r * u.q + s * t + o.unwrap_or(x)
}

#[adjoint]
fn lent(p: f64, mut q: f64, u: V) -> f64 {
    let r = wave(&mut (p, q).0, q);
    std::mem::swap(&mut (p, q).0, &mut q);
    let t = &mut { u };
    t.p = q;
    p * r + q * t.q + u.p * t.p
}

#[adjoint]
fn in_options(p: f64, x: f64) -> f64 {
    let mut s = 0.0;
    if let Some(z) = &mut Some(p) {
        *z *= x;
        s += *z;
    }
    if let Some(z) = Some(p).as_mut() {
        *z = x;
        s *= *z;
    }
    p + s
}

#[adjoint]
fn lists(mut a: [f64; 3], x: f64) -> f64 {
    let mut s = 0.0;
    for k in 0..3 {
        { a }.swap(0, k);
        (a, x).0.reverse();
        for z in { a }.iter_mut() {
            *z *= x;
            s += a[0] * *z;
        }
        a[k] *= x;
    }
    s + a[2]
}

#[test]
fn copies_without_a_name() {
    let u = V { p: 0.3, q: 0.4 };
    check!(receivers(u, Some(0.3), 0.7) -> f64);
    check!(receivers(u, None, -0.7) -> f64);
    check!(lent(0.3, 0.7, u) -> f64);
    let by_p = check!(in_options(0.3, 0.7) -> f64)[0][0];
    assert!((by_p - 1.49).abs() < 1e-12, "{by_p}");
    check!(lists([0.3, 0.5, 0.7], 1.2) -> f64);
}
