//! Growing lists that are moved into fields; the macro sees the type of neither.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};
#[derive(Clone, Debug, Differentiable)]
pub struct Duo {
    pub y: Vec<f64>,
    pub z: Vec<f64>,
}
flat!(Duo { y, z });
#[derive(Clone, Debug, Differentiable)]
pub struct Trio {
    pub p: [f64; 3],
    pub d: Duo,
}
flat!(Trio { p, d });
#[adjoint]
pub fn owned(mut v: Vec<f64>) -> Vec<f64> {
    v.push(0.3 * v[0]);
    v
}
#[adjoint]
pub fn turned(v: [f64; 3]) -> [f64; 3] {
    [v[1] * v[2], v[2], v[0] * v[0]]
}
#[adjoint]
pub fn c(w: &mut Duo) -> f64 {
    let u = owned(w.y.to_vec());
    let s = u[0];
    w.y = u;
    s
}
#[adjoint]
pub fn again(w: &Duo) -> f64 {
    let mut u = owned(w.y.clone());
    let s = u[0] * u[1];
    u = owned(u);
    for v in u.iter_mut() {
        *v *= s;
    }
    u = owned(u);
    s + u[1] * u[u.len() - 1]
}
#[adjoint]
pub fn looped(w: &mut Duo, n: usize) -> f64 {
    let mut s = 0.0;
    for _ in 0..n {
        let u = owned(w.y.to_vec());
        s += u[0] * u[u.len() - 1];
        w.y = u;
        w.y[0] *= s;
    }
    s
}
#[adjoint]
pub fn exchanged(w: &mut Duo, n: usize) -> f64 {
    let mut s = 1.0;
    for i in 0..n {
        let u = owned(w.y.to_vec());
        s += u[i] * s;
        let v = std::mem::replace(&mut w.z, u);
        s += v[0] * w.z[i];
        w.y = v;
    }
    s
}
#[adjoint]
pub fn arrays(w: &mut Trio, n: usize) -> f64 {
    let mut s = 1.0;
    for _ in 0..n {
        let u = turned(w.p);
        s += u[0] * s;
        w.p = u;
        w.p[1] *= s;
        let q = w.p;
        w.p = turned(q);
        s += w.d.y[0] * q[0];
    }
    s
}
#[adjoint]
pub fn inner(w: &mut Trio) -> f64 {
    let u = owned(w.d.z.to_vec());
    let s = u.iter().sum::<f64>();
    w.d.y = u;
    w.d.y[0] * s
}
#[adjoint]
pub fn picked(w: &mut Vec<Duo>, i: usize) -> f64 {
    let u = owned(w[i].z.clone());
    let s = u[0];
    w[i].y = u;
    let t = owned(w[0].y.clone());
    let r = t[t.len() - 1];
    w[1].z = t;
    r * s
}
#[test]
fn lists_that_were_moved_into_fields() {
    let d = || Duo {
        y: vec![0.94, 0.27],
        z: vec![0.3],
    };
    check!(c(&mut d()) -> f64);
    check!(again(&d()) -> f64);
    check!(looped(&mut d(), const 3) -> f64);
    check!(looped(&mut d(), const 0) -> f64);
    check!(exchanged(&mut Duo { y: vec![0.94, 0.27, 0.4], z: vec![0.3, 0.2] }, const 2) -> f64);
    check!(arrays(&mut Trio { p: [0.4, 0.7, 0.9], d: d() }, const 2) -> f64);
    check!(inner(&mut Trio { p: [0.4, 0.7, 0.9], d: d() }) -> f64);
    check!(picked(&mut vec![d(), d()], const 1) -> f64);
    check!(picked(&mut vec![d(), d()], const 0) -> f64);
}
