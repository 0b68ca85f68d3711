//! More than two disjoint views of one sequence, passed to one call.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn five_views(a: &[f64], b: &mut [f64], c: &mut [f64], d: &[f64], e: &mut [f64]) {
    for i in 0..a.len() {
        b[i] *= a[i] * d[i];
        c[i] += b[i] * e[i];
        e[i] *= c[i] * d[i];
    }
}

#[adjoint]
fn parts_of_parts(s: &mut [f64], n: usize) {
    let (l, r) = s.split_at_mut(3 * n);
    let (a, l) = l.split_at_mut(n);
    let (b, c) = l.split_at_mut(n);
    let (d, e) = r.split_at_mut(n);
    five_views(&e[..n], &mut d[..n], a, b, c);
    five_views(c, a, d, &b[..], e);
    five_views(b, &mut c[..], a, &d[..n], e);
}

/// What a layer of an LSTM keeps, behind what is not its own: hidden state, cell, gates.
#[adjoint]
fn one_layer(s: &mut [f64], a: usize, b: usize, c: usize) {
    let (h, s1) = s[a..].split_at_mut(b);
    let (s1, s2) = s1.split_at_mut(c);
    gated(&h[..], &mut s2[..b], &mut s1[..b]);
    gated(&s1[..b], &mut h[..], &mut s2[..b]);
}

#[adjoint]
fn gated(h: &[f64], cell: &mut [f64], gate: &mut [f64]) {
    for i in 0..h.len() {
        cell[i] = cell[i] * h[i] + gate[i];
        gate[i] *= cell[i].tanh();
    }
}

#[adjoint]
fn halves_within_rows(m: &mut [Vec<f64>], n: usize) {
    let (x, y) = m.split_at_mut(1);
    let (p, q) = x[0].split_at_mut(n);
    let (y, z) = y.split_at_mut(1);
    let (u, v) = z[0].split_at_mut(n);
    five_views(&y[0][..n], p, u, &q[..n], v);
    five_views(u, v, &mut y[0][..n], p, &mut q[..n]);
}

#[test]
fn more_than_two_views_of_one_slice() {
    let s = [0.5, 1.5, -0.7, 0.4, 0.9, 1.1, -0.3, 0.6, 1.2, -0.8];
    check!(parts_of_parts(&mut s.to_vec(), const 2));
    check!(one_layer(&mut s.to_vec(), const 1, const 2, const 4));
    let row = |k: f64| vec![0.5 * k, 1.5, -0.7, 0.4 + k];
    check!(halves_within_rows(&mut vec![row(0.3), row(0.8), row(1.1)], const 2));
}
