//! `move` closures with a state, in structs and tuples: a copy has a state of its own.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod in_fields {
    pub struct Gen<F: FnMut() -> f64> {
        f: F,
        k: f64,
    }
    impl<F: FnMut() -> f64 + Copy> Gen<F> {
        fn next(&mut self) -> f64 {
            (self.f)() * self.k
        }
    }
    pub fn counted(x: f64) -> f64 {
        let mut n = 0.0;
        let mut g = Gen {
            f: move || {
                n += x;
                n
            },
            k: x,
        };
        let a = g.next();
        let mut c = g.f;
        let b = c() + c();
        let d = g.next();
        let r = &mut g.f;
        let e = r();
        let mut t = (c, 1.0);
        let u = (t.0)();
        let mut v = t.0;
        a + 2.0 * b
            + 3.0 * d
            + 4.0 * e
            + 5.0 * u
            + 6.0 * v()
            + 7.0 * (t.0)()
            + 8.0 * g.next()
            + c() * t.1
    }
}
#[adjoint]
mod copied {
    #[derive(Clone, Copy)]
    pub struct C<F: FnMut(f64) -> f64> {
        f: F,
        k: f64,
    }
    impl<F: FnMut(f64) -> f64> C<F> {
        fn go(&mut self, v: f64) -> f64 {
            self.k += 1.0;
            (self.f)(v) * self.k
        }
    }
    pub fn in_a_tuple(x: &[f64]) -> f64 {
        let mut k = x[1];
        let t = (
            move |v: f64| {
                k += v;
                k * x[0]
            },
            x[0],
        );
        let mut s = 0.0;
        let (mut g, w) = t;
        s += g(w) + g(x[1]);
        let (mut h, _) = t;
        s += h(w);
        let mut u = t;
        s += (u.0)(1.0) * (u.0)(2.0);
        s + k
    }
    pub fn of_a_field(x: &[f64]) -> f64 {
        let mut k = x[1];
        let mut c = C {
            f: move |v: f64| {
                k += v;
                k * x[0]
            },
            k: 1.0,
        };
        let mut g = c.f;
        let a = g(1.0);
        let C { f: mut h, .. } = c;
        let C { f: mut i, k: l } = c;
        a * c.go(1.0) + h(2.0) * h(1.0) + i(0.5) * l
    }
}
#[test]
fn copied_out() {
    check!(copied::in_a_tuple(&[1.3, 0.7]) -> f64);
    check!(copied::of_a_field(&[1.3, 0.7]) -> f64);
}
#[test]
fn asked_again() {
    check!(in_fields::counted(0.3) -> f64);
}
