//! Integers in fields whose types the macro does not see, added up: `m.ptr[i + 1] += m.ptr[i]`.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Csr {
    n: usize,
    ptr: Vec<usize>,
    cnt: [i32; 4],
    val: Vec<f64>,
    k: usize,
}
#[derive(Clone, Debug, Default, Differentiable)]
pub struct Off {
    o: Vec<usize>,
    d: usize,
    c: [i32; 4],
}
pub type Idx = usize;
pub type Real = f64;

#[adjoint]
fn shifted(x: &[f64], o: &Off, n: usize) -> f64 {
    let mut m = Csr {
        n,
        ptr: vec![1; n + 1],
        val: x.to_vec(),
        cnt: [1; 4],
        k: 0,
    };
    m.ptr[0] += o.o[0];
    m.k += o.d;
    m.cnt[1] += o.c[2];
    let mut s = 0.0;
    for i in 0..m.ptr[0] {
        s += x[i % n] * m.val[m.k];
    }
    s * m.cnt[1] as f64
}
#[adjoint]
fn aliased(x: &[f64], o: &Off, n: usize) -> Real {
    let mut k: Idx = 0;
    let mut j: Idx = 1;
    k += o.d;
    j += k;
    k -= j / 2;
    j *= o.o[0];
    let mut s: Real = 0.0;
    let h: Real = x[k] * 2.0;
    for i in 0..j {
        s += x[i % n] * h;
    }
    s -= h;
    s *= x[1];
    s
}
#[adjoint]
fn nested(x: &[f64], o: &Off, n: usize) -> f64 {
    let mut m = (0, o.clone(), [o.d, 2]);
    m.0 += o.d;
    m.1.d += m.2[0];
    m.2[1] += m.1.d;
    m.2[1] -= m.2[0];
    m.1.o[0] += m.1.d;
    m.1.o[0] *= m.1.d;
    let e = &mut m.1;
    e.d += o.d;
    let Off {
        d, o: ref mut oo, ..
    } = *e;
    oo[0] += d;
    let mut s = 0.0;
    for i in 0..m.0 + m.1.d + m.2[1] + m.1.o[0] + oof(&m.2) {
        s += x[i % n] * x[(i * 2) % n];
    }
    s
}
fn oof(x: &[usize; 2]) -> usize {
    x[1]
}

#[adjoint]
fn prefix(x: &[f64], n: usize) -> f64 {
    let mut m = Csr {
        n,
        ptr: vec![1; n + 1],
        val: x.to_vec(),
        cnt: [1; 4],
        k: 0,
    };
    for i in 0..n {
        m.ptr[i + 1] += m.ptr[i];
        m.val[i] += m.val[(i + 1) % n];
    }
    m.cnt[1] -= m.cnt[0] * 3;
    m.cnt[2] = m.cnt[1] * m.cnt[0] + m.cnt[3];
    m.cnt[3] *= m.cnt[2];
    m.cnt[1] += m.cnt[3];
    m.ptr[2] = m.ptr[1] * 2 - m.k;
    m.val[0] * m.ptr[2] as f64 * m.cnt[1] as f64
}

#[adjoint]
impl Csr {
    fn scan(&mut self) -> f64 {
        for i in 0..self.n {
            self.ptr[i + 1] += self.ptr[i];
            self.val[i] += self.val[(i + 1) % self.n];
        }
        self.val[0] * self.ptr[2] as f64
    }
}

#[adjoint]
fn scanned(x: &[f64], n: usize) -> f64 {
    let mut m = Csr {
        n,
        ptr: vec![1; n + 1],
        val: x.to_vec(),
        cnt: [1; 4],
        k: 0,
    };
    m.scan()
}

/// The offsets have no adjoint that means anything, but one of their shape.
macro_rules! with_offsets {
    ($kernel:ident, $adjoint:ident) => {{
        let (x, mut x_adj) = ([0.3, 0.8, 0.5], [0.0; 3]);
        let offsets = Off {
            o: vec![3],
            d: 1,
            c: [1, 2, 3, 4],
        };
        let mut o_adj = offsets.clone();
        let y = $kernel(&x, &offsets, 3);
        assert_eq!($adjoint(&x, &mut x_adj, &offsets, &mut o_adj, 3, 1.0), y);
        assert_eq!(
            (o_adj.o, o_adj.d, o_adj.c),
            (offsets.o.clone(), offsets.d, offsets.c)
        );
        for i in 0..3 {
            let at = |h: f64| {
                let mut x = x;
                x[i] += h;
                $kernel(&x, &offsets, 3)
            };
            let difference = (8.0 * (at(1e-3) - at(-1e-3)) - (at(2e-3) - at(-2e-3))) / 12e-3;
            assert!(
                (difference - x_adj[i]).abs() < 1e-9,
                "{} {difference}",
                x_adj[i]
            );
        }
    }};
}

#[test]
fn integers_that_are_not_seen_are_added_up() {
    assert_eq!(
        shifted(
            &[0.5, 0.25, 1.0],
            &Off {
                o: vec![3],
                d: 1,
                c: [1, 2, 3, 4]
            },
            3
        ),
        (0.5 + 0.25 + 1.0 + 0.5) * 0.25 * 4.0
    );
    with_offsets!(shifted, shifted_adjoint);
    with_offsets!(aliased, aliased_adjoint);
    with_offsets!(nested, nested_adjoint);
    check!(prefix(&vec![0.3, 0.8, 0.5], const 3) -> f64);
    check!(scanned(&vec![0.3, 0.8, 0.5], const 3) -> f64);
}

fn steps(x: f64) -> usize {
    (x.abs() * 3.0) as usize
}

/// What is counted goes with what is overwritten, so it is recorded.
#[adjoint(inactive(steps))]
fn stretched(x: &mut f64, k: f64) {
    let n = steps(*x);
    *x *= n as f64 * k;
}

#[test]
fn integers_of_what_is_overwritten_are_recorded() {
    check!(stretched(&mut 1.1, 0.7));
    check!(stretched(&mut -2.2, 0.3));
}
