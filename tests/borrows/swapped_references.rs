//! References that `mem::swap`, `replace` and `take` move through other references, in `Option`s and in arrays.

use adjoint::adjoint;

use crate::common::check;
use of_structs::*;

#[adjoint]
fn fields_swapped(x: &[f64], y: &[f64]) -> f64 {
    let mut t = (x, y);
    std::mem::swap(&mut t.0, &mut t.1);
    t.0[0] * t.1[1] * t.1[1]
}

#[adjoint]
fn list_reversed(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = [x, y];
    rows.reverse();
    rows[0][0] * rows[1][1] * rows[1][2]
}

#[adjoint]
fn list_assigned(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = [x, y, x];
    rows[0] = rows[1];
    rows[1] = &x[1..];
    rows[0][0] * rows[1][1] * rows[2][2]
}

#[adjoint]
fn assigned_at_once(x: &[f64], y: &[f64]) -> f64 {
    let mut p = x;
    let mut q = y;
    (p, q) = (q, p);
    p[0] * q[1] * q[0]
}

#[adjoint]
fn option_assigned(x: &[f64], y: &[f64]) -> f64 {
    let mut o = Some(x);
    if let Some(r) = &mut o {
        *r = y;
    }
    o.unwrap()[0] * x[1]
}

#[adjoint]
fn option_assigned_by_as_mut(x: &[f64], y: &[f64]) -> f64 {
    let mut o = Some(x);
    if let Some(r) = o.as_mut() {
        *r = &y[1..];
    }
    o.unwrap()[0] * x[1]
}

#[adjoint]
fn option_replaced(x: &[f64], y: &[f64]) -> f64 {
    let mut o = Some(x);
    let p = o.replace(y);
    p.unwrap()[0] * o.unwrap()[1] * y[0]
}

#[adjoint]
fn swapped_in_turn(x: &[f64], y: &[f64]) -> f64 {
    let mut p = x;
    let mut q = y;
    for k in 0..3 {
        let (a, b) = (&mut p, &mut q);
        if k != 1 {
            std::mem::swap(a, b);
        } else {
            *a = &a[1..];
        }
    }
    p[0] * q[1] * q[0]
}

#[adjoint]
fn swapped_in_a_tuple(x: &[f64], y: &[f64]) -> f64 {
    let (mut p, mut q) = (x, y);
    let r = (&mut p, &mut q);
    std::mem::swap(r.0, r.1);
    p[0] * q[1] * q[0]
}

#[adjoint]
fn swapped_through_a_tuple(x: &[f64], y: &[f64]) -> f64 {
    let (mut p, mut q) = (x, y);
    let r = (&mut p, &mut q);
    std::mem::swap(&mut *r.0, &mut *r.1);
    p[0] * q[1] * q[0]
}

#[adjoint]
fn vec_swapped(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = vec![x, y, x];
    rows.swap(0, 1);
    let (a, b) = rows.split_at_mut(1);
    std::mem::swap(&mut a[0], &mut b[1]);
    rows[0][0] * rows[1][1] * rows[2][2]
}

#[adjoint]
fn taken_in_a_loop(x: &[f64], y: &[f64]) -> f64 {
    let mut p = x;
    let mut s = 0.0;
    while let Some((h, t)) = p.split_first() {
        s += h * y[0];
        let r = &mut p;
        *r = t;
        if s > 1.0 {
            std::mem::take(r);
        }
    }
    s
}

#[adjoint]
fn taken_and_written(x: &[f64], y: &[f64]) -> f64 {
    let mut a = [x[0], y[1]];
    let mut o = Some(&mut a);
    let r = o.take().unwrap();
    r[0] = x[1] * y[0];
    a[0] * a[1]
}

#[adjoint]
fn replaced_and_written(x: &[f64], y: &[f64]) -> f64 {
    let mut a = [x[0], y[1]];
    let mut b = [x[2], y[2]];
    let mut o = Some(&mut a);
    let r = o.replace(&mut b).unwrap();
    r[0] = x[1] * y[0];
    o.unwrap()[1] *= 2.0;
    a[0] * a[1] * b[1]
}

#[adjoint]
fn replaced_in_a_loop(x: &[f64], y: &[f64]) -> f64 {
    let mut o = Some(x);
    for k in 0..3 {
        let p = o.replace(if k == 1 { y } else { x });
        if p.unwrap()[0] > 1.0 {
            return 0.0;
        }
    }
    o.unwrap()[0] * y[1]
}

#[adjoint]
fn taken_and_set(x: &[f64], y: &[f64]) -> f64 {
    let mut o = Some(x);
    let p = o.take();
    o = Some(&y[1..]);
    p.unwrap()[0] * o.unwrap()[0]
}

#[adjoint]
fn inserted(x: &[f64], y: &[f64]) -> f64 {
    let mut o: Option<&[f64]> = None;
    o.get_or_insert(x);
    o.insert(y)[0] * x[0]
}

#[adjoint]
fn taken_from_first(x: &[f64], y: &[f64]) -> f64 {
    let mut v = vec![x[0], y[0]];
    let mut o = v.first_mut();
    if let Some(a) = o.take() {
        *a *= y[2];
    }
    v[0] * v[1]
}

#[adjoint]
fn replaced_scalars(x: &[f64], y: &[f64]) -> f64 {
    let mut a = x[0];
    let mut b = y[0];
    let mut o = Some(&mut a);
    if let Some(r) = o.replace(&mut b) {
        *r *= 3.0;
    }
    *o.unwrap() *= x[1];
    a * b
}

#[adjoint]
fn replaced_one_squared(x: &[f64], y: &[f64]) -> f64 {
    let mut a = x[0];
    let mut b = y[0];
    let mut o = Some(&mut a);
    if let Some(r) = o.replace(&mut b) {
        *r *= 3.0;
    }
    *o.unwrap() *= x[1];
    a * a * b
}

#[adjoint]
fn inserted_and_written(x: &[f64], y: &[f64]) -> f64 {
    let mut a = [x[0], y[1]];
    let mut b = [x[2], y[2]];
    let mut o = Some(&mut a);
    o.insert(&mut b)[0] *= x[3];
    if let Some(r) = o {
        r[1] = x[0];
    }
    a[0] * a[1] * b[1] * b[0]
}

#[adjoint]
fn made_and_written(x: &[f64], y: &[f64]) -> f64 {
    let a = [x[0], y[1]];
    let mut b = [x[2], y[2]];
    let mut o: Option<&mut [f64; 2]> = None;
    o.get_or_insert(&mut b)[0] *= x[3];
    if let Some(r) = o {
        r[1] = x[0];
    }
    a[0] * a[1] * b[1] * b[0]
}

#[adjoint]
fn read_and_replaced(x: &[f64], y: &[f64]) -> f64 {
    let mut o = Some(x);
    let v = o.map_or(0.0, |r| r[0]) * o.replace(y).map_or(1.0, |r| r[1]);
    v * o.unwrap()[0]
}

#[adjoint]
fn list_swapped_by_reference(x: &[f64], y: &[f64]) -> f64 {
    let q = &x[1..];
    let mut rows = [x, y, &x[2..]];
    let r = &mut rows;
    r.swap(0, 1);
    r[0] = r[2];
    rows[0][0] * rows[1][1] * rows[2][1] * q[0]
}

#[adjoint]
fn element_assigned(x: &[f64], y: &[f64]) -> f64 {
    let q = &x[1..];
    let mut rows = [x, y, &x[2..]];
    let r = &mut rows[1];
    *r = &y[2..];
    rows[0][0] * rows[1][1] * rows[2][1] * q[0]
}

#[adjoint]
fn element_swapped(x: &[f64], y: &[f64]) -> f64 {
    let mut q = &x[1..];
    let mut rows = [x, y, &x[2..]];
    std::mem::swap(&mut rows[1], &mut q);
    rows[0][0] * rows[1][1] * rows[2][1] * q[0]
}

#[adjoint]
fn list_made_anew(x: &[f64], y: &[f64]) -> f64 {
    let q = &x[1..];
    let mut rows = [x, y, &x[2..]];
    let [a, b, _] = rows;
    rows = [b, a, b];
    rows[0][0] * rows[1][1] * rows[2][1] * q[0]
}

#[adjoint]
fn copy_reversed(x: &[f64], y: &[f64]) -> f64 {
    let q = &x[1..];
    let mut rows = [x, y, &x[2..]];
    let mut s2 = rows;
    s2.reverse();
    rows[0] = s2[0];
    rows[0][0] * rows[1][1] * rows[2][1] * q[0]
}

#[adjoint]
fn element_chosen(x: &[f64], y: &[f64]) -> f64 {
    let q = &x[1..];
    let mut rows = [x, y, &x[2..]];
    let k = if x[0] > 0.1 { 1 } else { 2 };
    rows[k] = y;
    rows[0][0] * rows[1][1] * rows[2][1] * q[0]
}

#[adjoint]
fn swapped(x: &[f64], y: &[f64]) -> f64 {
    let (mut p, mut q) = (x, y);
    let a = &mut p;
    let b = &mut q;
    if a[0] > b[0] {
        std::mem::swap(a, b);
    }
    p[0] * q[1]
}

#[adjoint]
fn swapped_again_lent(x: &[f64], y: &[f64]) -> f64 {
    let (mut p, mut q) = (x, y);
    let a = &mut p;
    let b = &mut q;
    if a[0] > b[0] {
        std::mem::swap(&mut *a, b);
    }
    p[0] * q[1]
}

#[adjoint]
fn array_replaced(x: &[f64; 2], y: &[f64; 2]) -> f64 {
    let mut p = x;
    let r = &mut p;
    let old = std::mem::replace(r, y);
    old[0] * p[1]
}

#[adjoint]
fn listed(x: &[f64], y: &[f64]) -> f64 {
    let mut rows = [x, y, x];
    rows.swap(0, 1);
    let [a, _, c] = &mut rows;
    std::mem::swap(a, c);
    rows[0][0] * rows[1][1] * rows[2][1]
}

#[adjoint]
fn swapped_and_written(x: &mut [f64; 2], y: &mut [f64; 2], n: usize) -> f64 {
    let mut p = x;
    let mut q = y;
    let mut s = 0.0;
    for _ in 0..n {
        let a = &mut p;
        let b = &mut q;
        a[0] += b[1];
        std::mem::swap(a, b);
        s += p[0] * q[1];
    }
    s
}

#[adjoint]
fn swapped_by_name(x: &mut [f64; 2], y: &mut [f64; 2], n: usize) -> f64 {
    use std::mem::swap;
    let mut p = x;
    let mut q = y;
    let mut s = 0.0;
    for _ in 0..n {
        p[0] += q[1];
        swap(&mut p, &mut q);
        s += p[0] * q[1];
        {
            let a = &mut p;
            swap(&mut *a, &mut q);
            a[1] *= 1.5;
            swap(a, &mut q);
        }
    }
    s
}

#[adjoint]
fn contents_swapped(x: &mut [f64; 2], y: &mut [f64; 2], n: usize) -> f64 {
    let mut p = x;
    let mut q = y;
    let mut s = 0.0;
    for _ in 0..n {
        let a = &mut p;
        let b = &mut q;
        a[0] += b[1];
        std::mem::swap(*a, *b);
        s += p[0] * q[1];
        std::mem::swap(p, q);
        p[1] *= s;
    }
    s
}

#[adjoint]
fn pair_swapped(x: &[f64], y: &[f64]) -> f64 {
    let mut t = (x, y);
    {
        let (a, b) = &mut t;
        std::mem::swap(a, b);
    }
    t.0[0] * t.1[1] * t.1[1]
}

#[adjoint]
fn taken(x: &[f64]) -> f64 {
    let mut r = x;
    let a = &mut r;
    let h = std::mem::take(a);
    let n = a.len();
    h[0] * h[1] + n as f64 * h[2]
}

#[adjoint]
mod of_structs {
    pub struct P<'a> {
        a: &'a [f64; 2],
        b: &'a [f64; 2],
    }
    impl P<'_> {
        fn flip(&mut self) {
            let P { a, b } = self;
            std::mem::swap(a, b);
        }
        fn flip2(&mut self) {
            std::mem::swap(&mut self.a, &mut self.b);
        }
    }
    pub fn flipped(x: &[f64; 2], y: &[f64; 2]) -> f64 {
        let mut p = P { a: x, b: y };
        p.flip();
        let s = p.a[0] * p.b[1] * p.a[1];
        if s > 0.1 {
            p.flip2();
            p.flip();
            p.flip2();
        }
        s * p.a[0]
    }
    fn swap_refs<'a>(a: &mut &'a [f64], b: &mut &'a [f64]) {
        std::mem::swap(a, b)
    }
    fn advance<'a>(a: &mut &'a [f64], n: usize) -> &'a [f64] {
        let rest = &a[n..];
        let old = std::mem::replace(a, rest);
        &old[..n]
    }
    pub fn lent_to_a_function(x: &[f64], y: &[f64]) -> f64 {
        let (mut p, mut q) = (x, y);
        let mut s = 0.0;
        for k in 0..3 {
            if x[k] > y[k] {
                swap_refs(&mut p, &mut q);
            }
            s += p[0] * q[1];
        }
        s
    }
    pub fn advanced(x: &[f64]) -> f64 {
        let mut r = x;
        let h = advance(&mut r, 2);
        let g = advance(&mut r, 1);
        h[0] * g[0] + h[1] * r[0]
    }
}

#[test]
fn of_options() {
    check!(option_assigned(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(option_assigned_by_as_mut(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(option_replaced(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(taken_in_a_loop(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(taken_and_written(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(replaced_and_written(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(replaced_in_a_loop(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(taken_and_set(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(inserted(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(taken_from_first(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(replaced_scalars(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(replaced_one_squared(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(inserted_and_written(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(made_and_written(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(read_and_replaced(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
}
#[test]
fn of_arrays() {
    check!(list_reversed(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(list_assigned(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(vec_swapped(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(list_swapped_by_reference(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(element_assigned(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(element_swapped(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(list_made_anew(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(copy_reversed(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(element_chosen(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
}
#[test]
fn of_tuples_and_names() {
    check!(fields_swapped(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(assigned_at_once(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(swapped_in_turn(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(swapped_in_a_tuple(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
    check!(swapped_through_a_tuple(&[0.9, 0.4, 0.3, 0.6, 0.8], &[0.7, 0.3, 0.2, 0.5, 0.1]) -> f64);
}
#[test]
fn by_way_of_others() {
    check!(swapped(&[0.9, 0.4], &[0.7, 0.3]) -> f64);
    check!(swapped(&[0.5, 0.4], &[0.7, 0.3]) -> f64);
    check!(swapped_again_lent(&[0.9, 0.4], &[0.7, 0.3]) -> f64);
    check!(array_replaced(&[0.9, 0.4], &[0.7, 0.3]) -> f64);
    check!(listed(&[0.9, 0.4], &[0.7, 0.3]) -> f64);
    check!(pair_swapped(&[0.9, 0.4], &[0.7, 0.3]) -> f64);
    check!(taken(&[0.9, 0.4, 0.3, 0.6]) -> f64);
}
#[test]
fn with_contents() {
    for n in 0..4 {
        check!(swapped_and_written(&mut [0.9, 0.4], &mut [0.7, 0.3], const n) -> f64);
        check!(swapped_by_name(&mut [0.9, 0.4], &mut [0.7, 0.3], const n) -> f64);
        check!(contents_swapped(&mut [0.9, 0.4], &mut [0.7, 0.3], const n) -> f64);
    }
}
#[test]
fn of_structs_and_functions() {
    check!(flipped(&[0.9, 0.4], &[0.7, 0.3]) -> f64);
    check!(lent_to_a_function(&[0.9, 0.4, 0.3], &[0.7, 0.3, 0.8]) -> f64);
    check!(advanced(&[0.9, 0.4, 0.3, 0.6]) -> f64);
}
