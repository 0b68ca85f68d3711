//! Calls whose derivative no caller needs, or only their `&mut` arguments restored: they leave nothing on the tape.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Gain {
    a: f64,
}

#[adjoint]
impl Gain {
    fn twice(b: f64) -> f64 {
        2.0 * b
    }
    fn grow(&mut self, k: f64) {
        self.a *= k;
    }
}

#[adjoint]
fn made(a: f64) -> Gain {
    Gain { a: a.sin() }
}

#[adjoint]
fn made_of_small(a: f64) -> Option<Gain> {
    if a > 3.0 {
        None
    } else {
        Some(Gain { a: a.sin() })
    }
}

#[adjoint]
fn raise(y: &mut f64, b: f64) {
    *y *= b;
}

#[adjoint(custom = mixed_by_hand)]
fn mixed(a: f64, y: &mut f64, z: &mut [f64]) {
    let t = *y * a;
    z.iter_mut().for_each(|v| *v *= t);
    *y = t;
}

fn mixed_by_hand(
    a: f64,
    a_adj: &mut f64,
    y: &mut f64,
    y_adj: &mut f64,
    z: &mut [f64],
    z_adj: &mut [f64],
) {
    let t = *y * a;
    let mut t_adj = *y_adj;
    for (v, v_adj) in z.iter_mut().zip(z_adj) {
        t_adj += *v * *v_adj;
        *v_adj *= t;
        *v *= t;
    }
    *a_adj += t_adj * *y;
    *y_adj = t_adj * a;
    *y = t;
}

/// Conditions read what callees have written, and a struct, an `Option` and a list change under them.
#[adjoint]
fn tangled(a: f64, y: &mut f64, n: usize) -> f64 {
    let mut s = made(a);
    let mut list = vec![Gain { a: *y }];
    let mut z = [*y, a];
    for i in 0..n {
        raise(y, 1.0 + a);
        if *y > 0.9 {
            s = made(*y);
            list.push(s.clone());
        }
        let Some(o) = made_of_small(*y * z[0]) else {
            *y += Gain::twice(a);
            return s.a * list[list.len() - 1].a;
        };
        mixed(a, y, &mut z);
        z[1] -= Gain::twice(o.a);
        if z[1] < -3.0 {
            break;
        }
        if i == 1 {
            continue;
        }
        s.grow(z[0]);
        while list.len() > 2 {
            list.pop();
        }
    }
    *y * s.a + z[0] * z[1] + list.iter().map(|s| s.a).sum::<f64>()
}

#[adjoint]
fn of_constants(a: f64, b: f64, n: usize) -> f64 {
    let mut t = b.sin();
    t = t * t;
    let mut c = a;
    let q = tangled(a, &mut c, n);
    t = t.cos() * t * (q + c);
    t * t
}

#[adjoint]
fn by_both(k: f64, n: usize) -> f64 {
    let mut r = k;
    for _ in 0..2 {
        r = of_constants(0.7, r, n) * r + of_constants(r, 0.3, n);
    }
    r
}

/// `y` is no variable of anybody's, and the reverse sweep needs it back.
#[adjoint(wrt(k))]
fn restored(x: f64, k: f64, n: usize) -> f64 {
    let (mut y, mut t) = (x, k);
    for _ in 0..n {
        let q = tangled(x, &mut y, n);
        t = (t * y).sin() + q;
        y *= 0.1;
    }
    t
}

#[adjoint]
fn by_constants_alone(k: f64, n: usize) -> f64 {
    let r = restored(0.6, k, n);
    r * r * of_constants(0.2, 0.1, n)
}

#[adjoint]
fn lengthened(v: &mut Vec<f64>, b: f64) {
    let last = v[v.len() - 1];
    v.push(last * b);
}

#[adjoint]
fn of_a_list(a: f64, n: usize) -> f64 {
    let (mut v, mut s) = (vec![a], made(a));
    for _ in 0..n {
        lengthened(&mut v, a);
        if v[v.len() - 1] < 0.2 {
            s = made(v[0]);
        }
    }
    v.iter().sum::<f64>() * s.a
}

#[adjoint]
fn around_a_list(k: f64, n: usize) -> f64 {
    let mut t = k.sin();
    t = t * t;
    t = t.exp() * t * of_a_list(0.7, n);
    t * t * of_a_list(t * 0.1, n)
}

#[test]
fn callers_that_want_nothing_find_nothing_on_the_tape() {
    for n in 0..5 {
        for a in [0.31, 0.72, 1.13, -0.47] {
            check!(tangled(a, &mut 0.83, const n) -> f64);
            check!(of_constants(a, 0.37, const n) -> f64);
        }
        check!(by_both(0.37, const n) -> f64);
        check!(restored(const 0.62, 0.37, const n) -> f64);
        check!(by_constants_alone(0.37, const n) -> f64);
        check!(of_a_list(0.6, const n) -> f64);
        check!(around_a_list(0.6, const n) -> f64);
    }
}

#[test]
fn a_zero_seed_gives_zeros_through_infinities() {
    let (mut a_adj, mut y, mut y_adj) = (0.0, 0.83, 0.0);
    tangled_adjoint(f64::INFINITY, &mut a_adj, &mut y, &mut y_adj, 3, 0.0);
    assert_eq!((a_adj, y_adj), (0.0, 0.0));
}
