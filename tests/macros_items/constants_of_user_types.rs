//! Constants of user types beside floats, and named closures in the closures of `sort_by`.

use adjoint::adjoint;

use crate::common::check;

/// An operator with a float may make a float of its own.
#[adjoint]
mod own {
    use std::ops::{Add, AddAssign, Mul, Rem, Sub};

    use adjoint::Differentiable;

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct M {
        a: f64,
    }

    impl M {
        pub const ID: Self = Self { a: 1.5 };
        pub const TWO: [Self; 2] = [Self { a: 1.5 }, Self { a: -0.5 }];

        fn own(t: f64) -> f64 {
            let p = Self::ID + t;
            p * t
        }
    }

    impl Add<f64> for M {
        type Output = f64;
        fn add(self, r: f64) -> f64 {
            self.a * r + 2.0
        }
    }

    impl Sub<M> for f64 {
        type Output = f64;
        fn sub(self, r: M) -> f64 {
            self * r.a * self
        }
    }

    impl Rem<M> for f64 {
        type Output = f64;
        fn rem(self, r: M) -> f64 {
            (self * r.a).sin()
        }
    }

    impl AddAssign<M> for f64 {
        fn add_assign(&mut self, r: M) {
            *self = r.a * *self + 2.0;
        }
    }

    pub fn sums(t: f64) -> f64 {
        let p = M::ID + t;
        let mut q = t;
        q += M::ID;
        p * q * (t - M::ID) * (t % M::ID) + M::own(t)
    }

    pub fn tables(t: f64) -> f64 {
        let mut s = M::TWO[1] + t;
        for k in M::TWO.iter() {
            s += (*k + t) * t;
        }
        s
    }

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct V {
        x: f64,
        y: f64,
    }

    impl V {
        pub const UP: V = V { x: 0.25, y: 1.0 };
        pub const G: f64 = 9.81;
        const N: usize = 3;
        const W: [f64; 3] = [1.0, 2.0, 3.0];

        fn max(self, other: V) -> V {
            V {
                x: self.x.max(other.x),
                y: self.y * other.y,
            }
        }

        fn weight(&self) -> f64 {
            let mut s = 0.0;
            for i in 0..Self::N {
                s += Self::W[i] * self.x * Self::G;
            }
            s + (Self::UP * self.y).x
        }
    }

    impl Mul<f64> for V {
        type Output = V;
        fn mul(self, o: f64) -> V {
            V {
                x: self.x * o,
                y: self.y * o,
            }
        }
    }

    impl Mul<V> for f64 {
        type Output = V;
        fn mul(self, o: V) -> V {
            o * self
        }
    }

    impl Add for V {
        type Output = V;
        fn add(self, o: V) -> V {
            V {
                x: self.x + o.x,
                y: self.y + o.y,
            }
        }
    }

    pub fn vectors(x: f64, y: f64, g: f64) -> f64 {
        let v = V { x, y };
        let up = V::UP * 3.0;
        let r = v + V::UP * g * y + g * V::UP + up.max(v) + V::UP.max(v) + V::UP * 2.0;
        r.x * r.y + V::G * g + v.weight()
    }
}

#[adjoint]
fn sorted(a: &[f64], n: usize) -> f64 {
    let mut order: Vec<usize> = (0..n).collect();
    let idx = |i: usize| i * n + i;
    order.sort_by(|&i, &j| a[idx(i)].total_cmp(&a[idx(j)]));
    let by_size = |i: &usize, j: &usize| a[*i].abs().total_cmp(&a[*j].abs());
    let mut all: Vec<usize> = (0..n * n).collect();
    all.sort_by(by_size);
    let key = |v: &f64| v.sin();
    let mut b = a.to_vec();
    b.sort_unstable_by(|p, q| key(p).partial_cmp(&key(q)).unwrap());
    a[order[0]] * a[order[1]] + a[all[2]] * b[1].exp() + b[0] * b[3]
}

#[test]
fn constants_have_the_operators_of_their_types() {
    check!(own::sums(0.7) -> f64);
    check!(own::tables(0.7) -> f64);
    check!(own::vectors(0.3, 0.5, 0.7) -> f64);
}

#[test]
fn comparisons_name_closures() {
    check!(sorted(&[0.5, 0.3, 0.1, 0.9, -0.4, 0.2, 0.8, 0.7, 0.65], const 3) -> f64);
}

/// What a closure binds hides variables there alone.
#[adjoint]
mod hiding {
    pub fn key(x: f64, y: f64) -> f64 {
        let v = [x, y, 0.9, -0.2];
        let k = 1usize;
        let w = [0usize, 1, 2, 3, 5];
        let k = k + 2;
        let i = match w.binary_search_by_key(&k, |k| *k) {
            Ok(i) => i,
            Err(i) => i,
        };
        v[i] * x
    }

    pub fn rows(x: &[f64], y: f64) -> f64 {
        let mut order: Vec<usize> = (0..x.len()).collect();
        let a = y * y;
        order.sort_by(|&i, &j| {
            let (a, b) = (x[i].abs(), x[j].abs());
            let y = a - b;
            y.partial_cmp(&0.0).unwrap()
        });
        x[order[0]] * a + x[order[1]] * y
    }
}

#[test]
fn closures_hide_names_where_they_bind_them() {
    check!(hiding::key(0.4, 0.3) -> f64);
    check!(hiding::rows(&[0.4, -0.3, 0.7], 0.6) -> f64);
}
