//! Types and `impl`s with minimal bounds: structs without `Clone`, parameters without bounds.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Differentiable)]
struct Tree {
    up: f64,
    levels: Vec<f64>,
}

#[adjoint]
impl Tree {
    fn new(up: f64, steps: usize) -> Self {
        let levels = (0..steps).map(|k| up * k as f64).collect();
        Tree { up, levels }
    }

    fn price(&self, s: f64) -> f64 {
        self.levels.iter().fold(s, |v, l| v * self.up + l * l)
    }
}

#[adjoint]
fn priced(x: f64) -> f64 {
    let tree = Tree::new(x, 3);
    let mut s = tree.price(2.0);
    for k in 0..2 {
        let other = Tree::new(s * 0.1, 2 + k);
        s += other.price(x) * tree.up;
    }
    s + tree.price(x)
}

#[adjoint]
mod seen {
    use adjoint::Differentiable;

    #[derive(Differentiable)]
    pub struct Net {
        pub layers: Vec<Layer>,
    }

    #[derive(Clone, Differentiable)]
    pub struct Layer {
        pub w: f64,
        pub b: f64,
    }

    impl Net {
        fn new(w: &[f64]) -> Self {
            let layers = w.chunks_exact(2).map(|c| Layer { w: c[0], b: c[1] });
            Net {
                layers: layers.collect(),
            }
        }

        fn run(&self, x: f64) -> f64 {
            let mut y = x;
            for layer in &self.layers {
                y = (layer.w * y + layer.b).tanh();
            }
            y
        }
    }

    pub fn trained(w: &[f64], x: f64) -> f64 {
        let net = Net::new(w);
        net.run(x) - net.run(2.0 * x)
    }

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Mat<T, const R: usize, const C: usize> {
        pub a: [[T; C]; R],
    }

    impl<T, const R: usize, const C: usize> Mat<T, R, C> {
        pub fn new(a: [[T; C]; R]) -> Self {
            Mat { a }
        }

        pub fn into_rows(self) -> [[T; C]; R] {
            self.a
        }
    }

    impl<T: Copy, const R: usize, const C: usize> Mat<T, R, C> {
        pub fn at(&self, i: usize, j: usize) -> T {
            self.a[i][j]
        }

        pub fn transpose(&self) -> Mat<T, C, R> {
            let a: [[T; R]; C] = std::array::from_fn(|j| std::array::from_fn(|i| self.a[i][j]));
            Mat::new(a)
        }
    }

    #[derive(Clone, Debug, Differentiable)]
    pub struct Pair<A, B> {
        pub a: A,
        pub b: B,
    }

    impl<A, B> Pair<A, B> {
        pub fn new(a: A, b: B) -> Self {
            Self { a, b }
        }

        pub fn swap(self) -> Pair<B, A> {
            Pair {
                a: self.b,
                b: self.a,
            }
        }

        pub fn with_a<C>(self, a: C) -> Pair<C, B> {
            Pair { a, b: self.b }
        }
    }

    pub fn generic(x: &[f64]) -> f64 {
        let m = Mat::new([[x[0], x[1], x[2]], [x[1], x[2], x[0]]]);
        let t = m.transpose();
        let p = Pair::new(t.at(0, 1) * x[0], [x[1], x[2]].to_vec()).swap();
        let q = p.with_a(x[2] * x[2]);
        let r = t.into_rows();
        q.a * q.b + r[2][0]
    }

    pub fn arrays(x: f64) -> f64 {
        let a: Vec<[f64; 3]> = (0..3)
            .map(|i| std::array::from_fn(|j| x.powi((i * 3 + j) as i32)))
            .collect();
        a[1][2] * a[2][0]
    }
}

use seen::*;

#[test]
fn structs_without_clone() {
    check!(priced(0.9) -> f64);
    check!(trained(&[0.3, 0.7, -0.4, 0.2], 0.6) -> f64);
}

#[test]
fn parameters_without_bounds() {
    check!(generic(&[0.3, 0.7, -0.4]) -> f64);
    check!(arrays(0.9) -> f64);
}
