//! References in arrays and `Option`s that are assigned at run time: by number, or the previous one in a loop.

use adjoint::adjoint;

use crate::common::check;
use fields::*;
use held::*;

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

#[adjoint]
fn counted(x: &[f64], n: usize) -> f64 {
    let mut counts = [0usize; 4];
    {
        let mut prev: Option<&mut usize> = None;
        for (k, v) in counts.iter_mut().enumerate() {
            *v = k;
            if let Some(p) = prev {
                *p += *v + n;
            }
            prev = Some(v);
        }
    }
    x[0] * counts[0] as f64 + x[1] * counts[1] as f64 + x[2] * counts[3] as f64
}

#[adjoint]
fn list_before(x: &[f64], y: &[f64]) -> f64 {
    let rows = vec![x.to_vec(), y.to_vec()];
    let mut last: Option<&Vec<f64>> = None;
    let mut s = 0.0;
    for r in &rows {
        if let Some(l) = last {
            s += l[0] * r[1];
        }
        last = Some(r);
    }
    s + last.unwrap()[0]
}

#[adjoint]
fn indices_before(x: &[f64], idx: &[usize]) -> f64 {
    let mut last: Option<&[usize]> = None;
    let mut s = 0.0;
    for r in idx.chunks_exact(2) {
        if let Some(l) = last {
            s += x[l[0]] * x[r[1]];
        }
        last = Some(r);
    }
    s
}

#[adjoint]
fn lists_written(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = vec![x.to_vec(), y.to_vec(), vec![x[0]]];
    {
        let mut last: Option<&mut Vec<f64>> = None;
        for r in rows.iter_mut() {
            if let Some(l) = last {
                l[0] *= r[0];
                r[0] += l[0];
            }
            last = Some(r);
        }
    }
    rows[0][0] * rows[1][0] * rows[2][0]
}

#[adjoint]
fn pair_before(x: &[f64], y: &[f64]) -> f64 {
    let ps = [(x[0], y[0]), (x[1], y[1])];
    let mut last: Option<&(f64, f64)> = None;
    let mut s = 0.0;
    for p in &ps {
        if let Some(l) = last {
            s += l.0 * p.1;
        }
        last = Some(p);
    }
    s
}

#[adjoint]
fn or_an_error(x: &[f64], y: &[f64]) -> f64 {
    let mut last: Result<&[f64], f64> = Err(y[0]);
    let mut s = 0.0;
    for p in x.chunks_exact(2) {
        s += match last {
            Ok(l) => l[0] * p[1],
            Err(e) => e * p[0],
        };
        last = Ok(p);
    }
    s
}

#[adjoint]
fn rows_in_turn(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = [x, y];
    for k in 0..3 {
        let i = k % 2;
        rows[i] = if rows[i][0] > 0.5 {
            &rows[1 - i][1..]
        } else {
            rows[1 - i]
        };
    }
    rows[0][0] * rows[1][1]
}

#[adjoint]
fn rows_cut(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = [x, y, x];
    for k in 0..3 {
        rows[k] = &rows[k][1..];
    }
    rows[0][0] * rows[1][1] * rows[2][0]
}

#[adjoint]
fn numbers_that_change(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut rows = [x, y];
    let mut k = n;
    rows[{
        k += 1;
        k % 2
    }] = {
        k += 1;
        &y[k % 2..]
    };
    rows[0][0] * rows[1][1] * k as f64
}

#[adjoint]
fn one_or_none(x: &[f64], y: &[f64]) -> f64 {
    let mut a = x[0];
    let mut b = x[1];
    {
        let mut cur: Option<&mut f64> = if y[0] > 0.5 { Some(&mut a) } else { None };
        for _ in 0..2 {
            if let Some(p) = cur {
                *p *= x[2];
            }
            cur = Some(&mut b);
        }
    }
    a * b
}

#[adjoint]
mod held {
    use adjoint::Differentiable;
    #[derive(Clone, Copy, Differentiable)]
    pub struct Body {
        pub m: f64,
        pub x: f64,
    }
    pub struct Feed<'a> {
        prev: Option<&'a mut f64>,
        k: f64,
    }
    impl<'a> Feed<'a> {
        fn feed(&mut self, v: &'a mut f64) {
            if let Some(p) = self.prev.take() {
                *p += *v * self.k;
            }
            self.prev = Some(v);
        }
    }
    pub struct Last<'a> {
        prev: Option<&'a [f64]>,
        k: f64,
    }
    impl<'a> Last<'a> {
        fn feed(&mut self, v: &'a [f64]) -> f64 {
            let s = match self.prev {
                Some(p) => p[0] * v[1] * self.k,
                None => 1.0,
            };
            self.prev = Some(v);
            s
        }
    }
    pub struct Seen<'a> {
        prev: Option<&'a f64>,
    }
    pub fn heaviest(x: &[f64]) -> f64 {
        let bodies = [
            Body { m: x[0], x: x[1] },
            Body { m: x[2], x: x[3] },
            Body { m: x[1], x: x[0] },
        ];
        let mut best: Option<&Body> = None;
        let mut s = 0.0;
        for b in &bodies {
            if let Some(o) = best {
                s += o.m * b.x;
                if o.m > b.m {
                    continue;
                }
            }
            best = Some(b);
        }
        s * best.unwrap().m
    }

    pub fn pulled(x: &[f64]) -> f64 {
        let mut bodies = vec![
            Body { m: x[0], x: x[1] },
            Body { m: x[2], x: x[3] },
            Body { m: x[1], x: x[0] },
        ];
        let mut best: Option<&mut Body> = None;
        for b in bodies.iter_mut() {
            if let Some(o) = best {
                o.m += b.x;
                b.x *= o.m;
            }
            best = Some(b);
        }
        bodies[0].m * bodies[1].x * bodies[2].x
    }

    pub fn fed(x: &[f64], y: &[f64]) -> f64 {
        let mut a = [x[0], x[1], x[2]];
        {
            let mut f = Feed {
                prev: None,
                k: y[0],
            };
            for v in a.iter_mut() {
                f.feed(v);
            }
        }
        a[0] * a[1] * a[2]
    }

    pub fn fed_slices(x: &[f64], y: &[f64]) -> f64 {
        let mut f = Last {
            prev: None,
            k: y[0],
        };
        let mut s = 0.0;
        for v in x.chunks_exact(2) {
            s += f.feed(v);
        }
        s
    }

    pub fn seen_before(x: &[f64], y: &[f64]) -> f64 {
        let mut f = Seen { prev: None };
        let mut s = 0.0;
        for v in x {
            if let Some(p) = f.prev {
                s += p * v;
            }
            f.prev = Some(v);
        }
        s * y[0]
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
#[test]
fn of_any_type() {
    check!(heaviest(&[0.9, 0.4, 0.2, 0.35]) -> f64);
    check!(counted(&[0.9, 0.4, 0.2, 0.35], const 3) -> f64);
    check!(list_before(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(indices_before(&[0.9, 0.4, 0.2, 0.35], const &[0, 1, 2, 3, 1, 2]) -> f64);
    check!(pulled(&[0.9, 0.4, 0.2, 0.35]) -> f64);
    check!(lists_written(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(pair_before(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(or_an_error(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
}
#[test]
fn arrays_in_loops() {
    check!(rows_in_turn(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(rows_cut(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(numbers_that_change(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6], const 3) -> f64);
}
#[test]
fn in_fields_of_structs() {
    check!(fed(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(one_or_none(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(fed_slices(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
    check!(seen_before(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.2, 0.8, 0.6]) -> f64);
}
