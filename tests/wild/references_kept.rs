//! References in arrays and `Option`s that are assigned at run time: an element by its number, the one before in a loop.

use adjoint::adjoint;

use crate::common::check;
use fields::*;

#[adjoint]
fn element_chosen(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut rows = [x, y];
    let k = n % 2;
    rows[k] = &y[1..];
    rows[0][0] + 2.0 * rows[1][0]
}

#[adjoint]
fn slots(x: &[f64], y: &[f64], n: usize) -> f64 {
    let (mut a, mut b, mut c) = (x[0], y[0], x[1]);
    {
        let mut slots = [&mut a, &mut b];
        slots[n % 2] = &mut c;
        *slots[0] *= 2.0;
        *slots[1] += 1.0;
    }
    a + 3.0 * b + 5.0 * c
}

#[adjoint]
fn within_a_tuple(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut t = ([x, y], 1.0);
    t.0[n % 2] = &y[1..];
    t.0[0][0] * 2.0 + t.0[1][0]
}

#[adjoint]
fn element_for_a_name(x: &[f64], y: &[f64]) -> f64 {
    let (mut u, mut v, mut t) = ([x[0], x[1]], [y[0], y[1]], [1.5, 2.5]);
    {
        let mut rows = [&mut u, &mut v];
        let mut z = &mut t;
        std::mem::swap(&mut rows[0], &mut z);
        rows[0][0] *= 2.0;
        rows[1][0] += 1.0;
        z[1] *= 3.0;
    }
    u[0] * 2.0 + v[0] * u[1] + v[1] * t[0]
}

#[adjoint]
fn taken(x: &[f64]) -> f64 {
    let mut a = x[0];
    let mut o = Some(&mut a);
    if let Some(v) = o.take() {
        *v *= x[1];
    }
    a
}

#[adjoint]
fn one_before(x: &[f64], y: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut it = a.iter_mut();
    let mut prev = it.next();
    while let Some(v) = it.next() {
        if let Some(p) = prev.take() {
            *p += *v * y[0];
            *v *= 0.5;
        }
        prev = Some(v);
    }
    a.iter().fold(0.1, |s, v| s * v + 1.0)
}

#[adjoint]
fn first_and_last(x: &[f64], y: &[f64]) -> f64 {
    let mut a = [x[0], x[1], x[2]];
    let mut o = a.first_mut();
    if let Some(v) = o.take() {
        *v *= y[0];
    }
    let l = a.last_mut().take().unwrap();
    *l += y[1];
    a[0] * a[2]
}

#[adjoint]
fn kept_for_the_next(x: &[f64], y: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut prev: Option<&mut f64> = None;
    for v in a.iter_mut() {
        if let Some(p) = prev {
            *p += *v * y[0];
        }
        prev = Some(v);
    }
    a.iter().fold(0.1, |s, v| s * v + 1.0)
}

#[adjoint]
fn in_turn(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut a = x.to_vec();
    let mut p: Option<&mut f64> = None;
    {
        let (l, r) = a.split_at_mut(2);
        for i in 0..n {
            if let Some(v) = p {
                *v += 1.0;
            }
            p = if i % 2 == 0 {
                Some(&mut l[0])
            } else {
                Some(&mut r[0])
            };
        }
        if let Some(v) = p {
            *v *= y[0];
        }
    }
    a.iter().fold(0.1, |s, v| s * v + 1.0)
}

#[adjoint]
fn of_a_result(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut t = y.to_vec();
    let mut prev: Result<&mut f64, f64> = Err(x[0]);
    for v in t.iter_mut().take(n) {
        match prev {
            Ok(p) => *p *= *v,
            Err(k) => *v *= k,
        }
        prev = Ok(v);
    }
    t.iter().fold(0.1, |s, v| s * v * 0.5 + 1.0)
}

#[adjoint]
fn slice_before(x: &[f64], y: &[f64]) -> f64 {
    let mut best: Option<&[f64]> = None;
    let mut s = 0.0;
    for r in x.chunks_exact(2) {
        if let Some(b) = best {
            s += b[0] * r[1];
        }
        best = Some(r);
    }
    s + y[0] * best.unwrap()[1]
}

#[adjoint]
fn greatest_row(x: &[f64], y: &[f64]) -> f64 {
    let mut best: Option<&[f64]> = None;
    for r in x.chunks_exact(2) {
        best = match best {
            Some(b) if b[0] > r[0] => Some(b),
            _ => Some(r),
        };
    }
    best.unwrap()[1] * y[0]
}

#[adjoint]
fn number_before(x: &[f64], y: &[f64]) -> f64 {
    let mut prev: Option<&f64> = None;
    let mut s = 0.0;
    for v in x {
        if let Some(p) = prev {
            s += p * v;
        }
        prev = Some(v);
    }
    s * y[0]
}

#[adjoint]
fn written_by_as_mut(x: &mut [f64], y: &[f64]) -> f64 {
    let mut prev: Option<&mut f64> = None;
    for v in x.iter_mut() {
        if let Some(p) = prev.as_mut() {
            **p += *v * y[0];
        }
        prev = Some(v);
    }
    if let Some(p) = prev {
        *p *= 2.0;
    }
    x[0] * x[1]
}

#[adjoint]
fn arrays_in_turn(x: &[f64], y: &[f64]) -> f64 {
    let mut prev: Option<&[f64; 2]> = None;
    let a = [x[0], y[1]];
    let b = [x[1], y[0]];
    let mut s = 0.0;
    for k in 0..4 {
        if let Some(p) = prev {
            s += p[0] * k as f64;
        }
        prev = if k % 2 == 0 { Some(&a) } else { Some(&b) };
    }
    s * prev.map_or(1.0, |p| p[1])
}

#[adjoint]
mod fields {
    pub struct S<'a> {
        t: Option<&'a mut f64>,
        k: f64,
    }
    impl<'a> S<'a> {
        fn fire(&mut self) -> bool {
            match self.t.take() {
                Some(v) => {
                    *v *= self.k;
                    true
                }
                None => false,
            }
        }
    }
    pub fn fired(x: &[f64], y: &[f64]) -> f64 {
        let mut a = x[0];
        let mut s = S {
            t: Some(&mut a),
            k: y[0],
        };
        let h = s.fire();
        let g = s.fire();
        a + (h as usize) as f64 * 2.0 + (g as usize) as f64
    }
    pub struct B<'a> {
        p: Option<&'a [f64]>,
        q: Option<&'a [f64]>,
    }
    pub fn fields_swapped(x: &[f64], y: &[f64]) -> f64 {
        let mut b = B {
            p: Some(x),
            q: Some(y),
        };
        std::mem::swap(&mut b.p, &mut b.q);
        b.p.map_or(0.0, |v| v[0]) + 2.0 * b.q.map_or(0.0, |v| v[1])
    }
    pub struct L<'a> {
        p: Option<&'a mut Vec<f64>>,
        q: Option<&'a mut Vec<f64>>,
    }
    pub fn lists_swapped(x: &[f64], y: &[f64]) -> f64 {
        let (mut u, mut v) = (x.to_vec(), y.to_vec());
        {
            let mut b = L {
                p: Some(&mut u),
                q: Some(&mut v),
            };
            std::mem::swap(&mut b.p, &mut b.q);
            if let Some(c) = b.p {
                c[0] *= 2.0;
            }
        }
        u.iter().sum::<f64>() * v[0]
    }
}

#[test]
fn in_arrays() {
    for n in 0..4 {
        check!(element_chosen(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15], const n) -> f64);
    }
    for n in 0..4 {
        check!(slots(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15], const n) -> f64);
    }
    for n in 0..4 {
        check!(within_a_tuple(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15], const n) -> f64);
    }
    check!(element_for_a_name(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
}
#[test]
fn taken_out() {
    check!(taken(&[0.9, 0.4, 0.2, 0.35, 1.3]) -> f64);
    check!(first_and_last(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
}
#[test]
fn kept_in_a_loop() {
    check!(one_before(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(kept_for_the_next(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    for n in 0..4 {
        check!(in_turn(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15], const n) -> f64);
    }
    for n in 0..4 {
        check!(of_a_result(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15], const n) -> f64);
    }
    check!(slice_before(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(greatest_row(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(number_before(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(written_by_as_mut(&mut [0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(arrays_in_turn(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
}
#[test]
fn in_fields() {
    check!(fired(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(fields_swapped(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
    check!(lists_swapped(&[0.9, 0.4, 0.2, 0.35, 1.3], &[0.7, 0.3, 0.6, 0.8, 0.15]) -> f64);
}
