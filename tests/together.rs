//! What callers learn of callees: which arguments their adjoints read, which outputs they overwrite, across
//! separate attributes and inside a module.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[macro_use]
mod common;

use adjoint::adjoint;
use common::linked::{Node, list};

mod apart {
    use adjoint::adjoint;

    #[adjoint]
    pub fn dot<T: num_traits::Float>(a: &[T], b: &[T]) -> T {
        let mut s = T::zero();
        for i in 0..a.len() {
            s = s + a[i] * b[i];
        }
        s
    }

    #[adjoint]
    pub fn first(v: &[f64]) -> f64 {
        v[0]
    }

    #[adjoint]
    pub fn mean<const N: usize>(v: &[f64; N]) -> f64 {
        let mut s = 0.0;
        for x in v {
            s += x;
        }
        s / N as f64
    }

    #[adjoint]
    pub fn fill_some(x: &[f64], w: &mut [f64], n: usize) {
        for i in 0..n {
            w[i] = w[i] * x[i] + x[i];
        }
    }

    #[adjoint]
    pub fn grow(v: &mut Vec<f64>, x: f64) {
        let last = v[v.len() - 1];
        v.push(last * x);
    }

    /// Of its outputs, each depends on one argument.
    #[adjoint]
    pub fn split(kept: &mut f64, x: f64) -> [f64; 2] {
        let t = x;
        *kept *= 2.0;
        [1.0, t]
    }

    /// Writes its work space before and behind the recursion.
    #[adjoint]
    pub fn descend(x: &[f64], w: &mut [f64], n: usize) -> f64 {
        if n == 0 {
            return w[0];
        }
        w[0] *= x[n - 1];
        let s = descend(x, w, n - 1);
        w[0] *= 2.0;
        s + w[0]
    }
}

use apart::{descend, dot, fill_some, first, grow, mean, split};

#[adjoint]
fn partly_overwritten(x: &[f64], n: usize) -> f64 {
    let mut w = vec![1.0; x.len()];
    let mut s = 0.0;
    for r in 0..3 {
        fill_some(x, &mut w, n);
        s += dot(&w, &w) * (r as f64 + 1.0);
        w[0] = s.sin();
    }
    s + first(&w)
}

#[adjoint]
fn grown_by_a_callee(x: &[f64]) -> f64 {
    let mut v = vec![x[0]];
    for k in 0..x.len() {
        grow(&mut v, x[k]);
        let f = first(&v);
        v[0] = f * 1.5;
    }
    dot(&v, &v)
}

#[adjoint]
fn linear_in_arrays(x: &[f64]) -> f64 {
    let mut a = [0.0; 4];
    let mut s = 0.0;
    for k in 0..3 {
        for i in 0..4 {
            a[i] = x[i] * x[(i + k) % 4];
        }
        s += mean(&a);
        a[k] = s;
        s += first(&a);
    }
    s
}

#[adjoint]
fn through_recursion(x: &[f64], w: &mut [f64]) -> f64 {
    let a = descend(x, w, x.len());
    w[1] = w[0] * a;
    a * descend(x, w, 1) + w[1]
}

/// Whether its adjoint reads `x` hangs on what its own callee says.
#[adjoint]
fn inverse(w: &mut [f64; 2], x: &[f64]) -> f64 {
    *w = [1.0 / x[0], 1.0];
    let q = w[0];
    split(&mut w[1], q)[1]
}

#[adjoint]
fn inverse_of_a_copy(x: &[f64]) -> f64 {
    let (mut w, copy) = ([1.0; 2], [x[0]; 4]);
    inverse(&mut w, &copy) * x[1]
}

#[adjoint]
mod group {
    use super::Node;
    use super::apart::split;

    pub fn inverse(w: &mut [f64; 2], x: &[f64]) -> f64 {
        *w = [1.0 / x[0], 1.0];
        let q = w[0];
        split(&mut w[1], q)[1]
    }

    pub fn inverse_of_a_copy(x: &[f64]) -> f64 {
        let (mut w, copy) = ([1.0; 2], [x[0]; 4]);
        inverse(&mut w, &copy) * x[1]
    }

    pub fn product(x: &[f64]) -> f64 {
        let mut s = 1.0;
        for v in x {
            s *= v;
        }
        s
    }

    pub fn overwrite(x: &[f64], y: &mut [f64]) {
        for i in 0..y.len() {
            y[i] = x[i] * x[i];
        }
    }

    pub fn overwrite_most(x: &[f64], y: &mut [f64]) {
        for i in 1..y.len() {
            y[i] = x[i] * x[i];
        }
    }

    pub fn perhaps(x: &[f64], y: &mut [f64]) {
        if x[0] > 0.0 {
            overwrite(x, y);
        }
    }

    pub fn in_full_and_in_part(x: &[f64], y: &mut [f64]) -> f64 {
        let a = product(y);
        overwrite_most(x, y);
        let b = product(y);
        overwrite(x, y);
        a * b + product(y)
    }

    /// Leaves the first as it is, and makes the second a constant.
    pub fn constant(kept: &mut [f64], y: &mut f64) {
        kept[0] += 0.0;
        *y = 1.0;
    }

    pub fn made_constant_twice(x: &[f64]) -> f64 {
        let mut s = x[1];
        let mut a = [s];
        constant(&mut a, &mut s);
        constant(&mut a, &mut s);
        s += a[0];
        s
    }

    pub fn on_a_condition(x: &[f64], y: &mut [f64]) -> f64 {
        let a = y[0] * y[1];
        perhaps(x, y);
        a + product(y)
    }

    pub fn norm(x: &[f64]) -> f64 {
        let mut s = 0.0;
        for v in x {
            s += v * v;
        }
        s.sqrt()
    }

    /// Half of it is overwritten in each iteration, before or behind its use.
    pub fn halves(x: &[f64], y: &mut [f64], steps: usize, mid: usize) -> f64 {
        let mut s = 1.0;
        for k in 0..steps {
            s += norm(y) * s;
            let (head, tail) = y.split_at_mut(mid);
            if k % 2 == 0 {
                overwrite(x, head);
            } else {
                overwrite(x, tail);
            }
            for v in tail.iter_mut() {
                *v *= s;
            }
            s = norm(head).min(s) + 0.1 * s;
        }
        s + norm(y)
    }

    fn checked(x: &[f64], w: &mut [f64], n: usize) -> Option<f64> {
        if n > x.len() {
            return None;
        }
        let mut s = w[0];
        for i in 0..n {
            w[0] = w[0] * x[i] + s;
            s = other(x, w, i)? - w[0];
            if s > 20.0 {
                return Some(s);
            }
        }
        Some(s * w[0])
    }

    fn other(x: &[f64], w: &mut [f64], n: usize) -> Option<f64> {
        if n == 0 {
            w[1] = w[0];
            return Some(w[1] * x[0]);
        }
        let a = checked(x, w, n - 1)?;
        w[1] += a;
        Some(a * w[1] * 0.1)
    }

    pub fn with_ways_out(x: &[f64], w: &mut [f64], n: usize) -> f64 {
        match checked(x, w, n) {
            Some(v) => v + w[1],
            None => w[0] * w[1],
        }
    }

    pub fn walked_twice(x: &[f64], head: &mut Option<Box<Node>>, limit: f64) -> f64 {
        let mut s = 0.0;
        let mut cur = &mut *head;
        while let Some(node) = cur {
            if node.value > limit {
                node.value *= s;
                break;
            }
            s += node.value * x[0];
            node.value = s * node.value;
            cur = &mut node.next;
        }
        let mut cur = &*head;
        let mut last = 0.0;
        while let Some(node) = cur {
            last = node.value * s + last * x[1];
            if last.is_nan() {
                break;
            }
            cur = &node.next;
        }
        if let Some(node) = head {
            node.value = last;
            node.next = None;
        }
        s * last
    }
}

const X: [f64; 4] = [0.7, -0.4, 1.3, 0.6];

#[test]
fn callees_that_are_asked() {
    for n in 0..3 {
        check!(partly_overwritten(&X.to_vec(), const n) -> f64);
    }
    for n in 1..5 {
        check!(grown_by_a_callee(&X[..n].to_vec()) -> f64);
    }
    check!(linear_in_arrays(&X.to_vec()) -> f64);
    check!(inverse(&mut [0.3, 0.9], &X.to_vec()) -> f64);
    check!(inverse_of_a_copy(&X.to_vec()) -> f64);
    check!(through_recursion(&X.to_vec(), &mut vec![0.3, 0.8]) -> f64);
}

#[test]
fn callees_that_are_seen() {
    use group::*;
    check!(made_constant_twice(&X.to_vec()) -> f64);
    check!(group::inverse(&mut [0.3, 0.9], &X.to_vec()) -> f64);
    check!(group::inverse_of_a_copy(&X.to_vec()) -> f64);
    for x in [0.5, -0.5] {
        let x = vec![x, 0.4, -1.1];
        check!(in_full_and_in_part(&x, &mut vec![0.9, -0.3, 0.7]) -> f64);
        check!(on_a_condition(&x, &mut vec![0.9, -0.3, 0.7]) -> f64);
    }
}

#[test]
fn halves_that_are_overwritten_by_turns() {
    let x = vec![0.5, -0.7, 0.2, 0.9];
    for (mid, steps) in (0..=4).flat_map(|mid| (0..5).map(move |steps| (mid, steps))) {
        check!(group::halves(&x, &mut vec![0.3, 0.6, -0.4, 1.1], const steps, const mid) -> f64);
    }
}

#[test]
fn recursion_with_ways_out() {
    for n in 0..5 {
        check!(group::with_ways_out(&vec![0.5, 1.7, -0.2], &mut vec![0.3, 0.6], const n) -> f64);
    }
}

#[test]
fn a_list_walked_twice_and_cut() {
    for (limit, n) in [-1.0, 0.6, 9.0]
        .into_iter()
        .flat_map(|l| (0..4).map(move |n| (l, n)))
    {
        let head = list(&[0.4, 0.5, 0.8][..n]);
        check!(group::walked_twice(&vec![0.5, -0.7], &mut head, limit) -> f64);
    }
}

#[test]
fn a_zero_seed_through_nan() {
    let mut y = vec![f64::NAN, 1.0, 2.0, 0.0];
    let (mut x_adj, mut y_adj) = (vec![0.0; 4], vec![0.0; 4]);
    let x = [0.0, 0.0, f64::INFINITY, 0.0];
    group::halves_adjoint(&x, &mut x_adj, &mut y, &mut y_adj, 3, 2, 0.0);
    assert_eq!((x_adj, y_adj), (vec![0.0; 4], vec![0.0; 4]));
}
