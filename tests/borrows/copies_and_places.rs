//! Writes through `&mut` and `ref mut`: they reach the place of their operand, or a copy if it has none.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Copy, Debug, Differentiable)]
struct Running {
    s: f64,
}

#[adjoint]
impl Running {
    /// Has a name that numbers have too.
    fn add(&mut self, v: f64) -> f64 {
        self.s += v * self.s;
        self.s
    }
}

#[adjoint]
fn copies_of_structs(x: f64, y: f64) -> f64 {
    let r = Running { s: x };
    let o = Some(r);
    let a = { r }.add(y);
    let b = (r, 1).0.add(y);
    let c = Some(r).unwrap().add(a);
    let d = o.unwrap().add(b);
    (a + 2.0 * b + 3.0 * c + 5.0 * d) * r.s * o.unwrap().s
}

#[adjoint]
fn parts_of_copies(x: f64, y: f64) -> f64 {
    let (o, t) = (Some((x, Running { s: y }, [x, y])), (x, Some(y)));
    let p = Some(t);
    let mut r = o.unwrap().1.add(2.0);
    o.unwrap().0 += 3.0;
    *(&mut o.unwrap().0) *= 2.0;
    std::mem::swap(&mut o.unwrap().0, &mut r);
    o.unwrap().2.swap(0, 1);
    let (ref mut a, ..) = o.unwrap();
    *a *= 2.0;
    for v in o.unwrap().2.iter_mut() {
        *v *= 2.0;
        r += *v;
    }
    if let Some(v) = &mut p.unwrap().1 {
        *v *= 3.0;
    }
    let f = || t;
    f().0 *= 5.0;
    r *= f().1.take().unwrap();
    { t }.0 = 3.0;
    let (q, s) = (o.unwrap(), p.unwrap());
    *a * r * q.0 * q.1.s * q.2[0] * s.0 * s.1.unwrap() * t.0
}

#[adjoint]
fn kept(x: &[f64]) -> f64 {
    let mut r = Running { s: x[0] };
    let kept: Vec<f64> = x.iter().copied().filter(|v| r.add(*v) < 0.5).collect();
    kept.iter().sum::<f64>() * r.s
}

#[adjoint]
fn places(x: f64, y: f64) -> f64 {
    let (mut s, mut a, mut p, mut o) = (x, [x, y], (x, y), Some(x));
    match s {
        ref mut g if *g > 0.0 => *g *= y,
        _ => {}
    }
    match a[1] {
        ref mut g => *g += x,
    }
    match s {
        ref mut g @ 0.0..=5.0 => *g += 1.0,
        _ => {}
    }
    match p {
        (ref mut a, b) if b > 0.0 => *a += b,
        _ => {}
    }
    match o {
        ref mut q @ Some(_) => *q = Some(y * y),
        _ => {}
    }
    if let ref mut g = s
        && y > 0.0
    {
        *g += x;
    }
    s * a[0] * a[1] * p.0 * o.unwrap()
}

#[adjoint]
fn copies(x: f64, y: f64) -> f64 {
    let s = x;
    let o = Some(x);
    let (ref mut c, d) = (s, y);
    *c += d;
    match Some(s) {
        Some(ref mut c) => *c += 1.0,
        _ => {}
    }
    let f = |ref mut v: f64| {
        *v += 1.0;
        *v
    };
    let g = |(ref mut v, w): (f64, f64)| {
        *v += w;
        *v
    };
    if let Some(ref mut q) = { o } {
        *q = 4.0;
    }
    let m = &mut Some(s);
    *m = None;
    if let Some(v) = o.clone().as_mut() {
        *v = 7.0;
    }
    let none = (1 + m.is_none() as u8) as f64;
    s * y * *c * f(s) * g((s, d)) * o.unwrap() * none
}

#[adjoint]
fn copies_of_lists(x: &[f64]) -> f64 {
    let o = Some(x.to_vec());
    let n = &mut o.clone();
    if let Some(v) = n {
        v[0] *= 3.0;
    }
    for v in o.clone().iter_mut() {
        v.push(1.0);
    }
    let rows = vec![x.to_vec()];
    let last = rows.last().cloned().unwrap().pop().unwrap();
    let v = o.unwrap();
    v[0] * n.as_ref().unwrap()[0] * v.len() as f64 * last * rows[0].len() as f64
}

#[adjoint]
fn tuples(x: f64, y: f64) -> f64 {
    let (mut p, mut q, mut r) = (Some((x, y)), (x, Some(y)), (1, x));
    if let Some((a, b)) = &mut p {
        *a += *b;
    }
    if let Some((ref mut a, b)) = p {
        *a *= b;
    }
    if let Some(t) = &mut p {
        t.0 *= 2.0;
        t.1 = t.0 * y;
    }
    p.as_mut().map(|(a, b)| std::mem::swap(a, b));
    for (a, b) in p.iter_mut() {
        *a += *b;
    }
    if let (a, Some(b)) = &mut q {
        std::mem::swap(a, b);
        *a *= x;
    }
    match &mut r {
        (1, v) if *v < 9.0 => *v += y,
        _ => {}
    }
    let mut s = (x, y);
    if let (a, b) = &mut s
        && x > 0.0
    {
        *a += *b;
    }
    let t = &mut s;
    *t = (t.1, t.0);
    let (a, b) = p.unwrap();
    a * b * q.0 * q.1.unwrap() * r.1 * s.0 * s.1
}

#[adjoint]
fn options_in_options(x: f64, y: f64) -> f64 {
    let (mut o, mut p, mut h) = (Some(Some(x)), Some(Some(y)), (Some(x), y));
    if let Some(Some(q)) = &mut o {
        *q += y;
    }
    if let Some(q) = o.as_mut() {
        *q = q.map(|v| v * y);
    }
    if let Some(q) = &mut p {
        *q = None;
    }
    let q = &mut h.0;
    *q = q.map(|v| v * v);
    let v = h.0.unwrap();
    let q = &mut h.0;
    *q = None;
    let (ref mut g, _) = h;
    let was = g.is_none();
    *g = Some(v * y);
    let none = (1 + p.flatten().is_none() as u8 + was as u8) as f64;
    o.flatten().unwrap() * v * h.0.unwrap() * none
}

#[test]
fn structs() {
    check!(copies_of_structs(0.3, 0.9) -> f64);
    check!(parts_of_copies(0.3, 0.9) -> f64);
    check!(kept(&[0.3, 0.2, 0.7]) -> f64);
}

#[test]
fn numbers_and_options() {
    check!(places(0.3, 0.9) -> f64);
    check!(copies(0.3, 0.9) -> f64);
    check!(copies_of_lists(&[0.3, 0.9]) -> f64);
}

#[test]
fn parts_of_tuples() {
    check!(tuples(0.3, 0.9) -> f64);
    check!(options_in_options(0.3, 0.9) -> f64);
}

#[adjoint]
fn owned_slices(x: &[f64], k: f64) -> f64 {
    let mut w = x.to_owned();
    w.push(k * k);
    let mut v = x[1..].to_owned();
    v.resize(4, k);
    w.iter().zip(&v).map(|(a, b)| a * b).sum::<f64>() + w.len() as f64 * k
}

#[adjoint]
fn owned_arrays(x: &[f64; 3], k: f64) -> f64 {
    let mut w = x.to_owned();
    w[0] *= k;
    w[0] * x[1] + w[2]
}

#[adjoint]
fn owned_lists(x: &Vec<f64>, k: f64) -> f64 {
    let mut w = x.to_owned();
    w.push(k);
    let u = x.as_slice().to_owned();
    w[0] * w[3] * u[1]
}

#[test]
fn what_is_made_to_be_owned() {
    check!(owned_slices(&[0.4, 0.5, 0.6], 0.7) -> f64);
    check!(owned_arrays(&[0.4, 0.5, 0.6], 0.7) -> f64);
    check!(owned_lists(&vec![0.4, 0.5, 0.6], 0.7) -> f64);
}
