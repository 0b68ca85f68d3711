//! Functions generic in a float, with locals of structs that are generic in it and come from their constructors.

use crate::common::check;
use adjoint::adjoint;

#[adjoint]
mod factors {
    use adjoint::Differentiable;
    use num_traits::Float;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Lu<T> {
        lu: Vec<Vec<T>>,
        piv: Vec<usize>,
        sign: i32,
    }

    impl<T: Float> Lu<T> {
        pub fn decompose(a: &[Vec<T>]) -> Result<Lu<T>, &'static str> {
            let n = a.len();
            let mut lu: Vec<Vec<T>> = a.to_vec();
            let mut piv: Vec<usize> = (0..n).collect();
            let mut sign = 1;
            for k in 0..n {
                let mut p = k;
                for i in k..n {
                    if lu[i][k].abs() > lu[p][k].abs() {
                        p = i;
                    }
                }
                if lu[p][k].abs() < T::epsilon() {
                    return Err("singular");
                }
                if p != k {
                    lu.swap(p, k);
                    piv.swap(p, k);
                    sign = -sign;
                }
                for i in k + 1..n {
                    lu[i][k] = lu[i][k] / lu[k][k];
                    for j in k + 1..n {
                        let t = lu[i][k] * lu[k][j];
                        lu[i][j] = lu[i][j] - t;
                    }
                }
            }
            Ok(Lu { lu, piv, sign })
        }

        pub fn det(&self) -> T {
            let all = self.lu.iter().enumerate();
            let d = all.fold(T::one(), |acc, (i, row)| acc * row[i]);
            if self.sign < 0 { -d } else { d }
        }

        pub fn solve(&self, b: &[T]) -> Vec<T> {
            let n = b.len();
            let mut x: Vec<T> = self.piv.iter().map(|&p| b[p]).collect();
            for i in 1..n {
                for j in 0..i {
                    x[i] = x[i] - self.lu[i][j] * x[j];
                }
            }
            for i in (0..n).rev() {
                for j in i + 1..n {
                    x[i] = x[i] - self.lu[i][j] * x[j];
                }
                x[i] = x[i] / self.lu[i][i];
            }
            x
        }
    }

    fn both<T: Float>(a: &[Vec<T>], b: &[T]) -> Result<T, &'static str> {
        let lu = Lu::decompose(a)?;
        let x = lu.solve(b);
        Ok(x.iter().fold(T::zero(), |s, &v| s + v * v) + lu.det())
    }

    /// The literal tells by its fields alone what it is generic over.
    fn product<T: Float>(a: &[Vec<T>]) -> T {
        let lu = Lu {
            lu: a.to_vec(),
            piv: vec![0, 1],
            sign: -1,
        };
        let d = lu.det();
        d * lu.lu[0][1]
    }

    pub fn diagonal(a: &[Vec<f64>]) -> f64 {
        product(a)
    }

    pub fn solved(a: &[Vec<f64>], b: &[f64]) -> f64 {
        match both(a, b) {
            Ok(v) => v,
            Err(message) => message.len() as f64 * b[0],
        }
    }
}

#[test]
fn a_generic_factorisation() {
    use factors::*;
    let a = vec![
        vec![0.1, 2.0, 1.0],
        vec![3.0, 0.5, -1.0],
        vec![1.0, -1.5, 2.2],
    ];
    check!(solved(&a, &[1.0, 0.4, -0.6]) -> f64);
    check!(diagonal(&a) -> f64);
}

#[test]
fn a_singular_matrix() {
    use factors::*;
    let zeros = vec![vec![0.0; 2]; 2];
    let mut adjoints = (zeros.clone(), [0.0; 2]);
    let value = solved_adjoint(&zeros, &mut adjoints.0, &[1.0, 0.4], &mut adjoints.1, 1.0);
    assert_eq!((value, adjoints), (8.0, (zeros, [8.0, 0.0])));
}

#[adjoint]
pub mod vectors {
    use adjoint::Differentiable;
    use num_traits::Float;
    use std::ops::*;
    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct V<T> {
        pub x: T,
    }
    impl<T: Float> Mul<T> for V<T> {
        type Output = Self;
        fn mul(self, k: T) -> Self {
            V { x: self.x * k }
        }
    }
    fn acc<T: Float>(b: &V<T>, e: T) -> V<T> {
        V { x: b.x * e }
    }
    fn scaled<T: Float, const N: usize>(b: [T; N], e: T) -> [T; N] {
        b.map(|x| x * e)
    }
    fn sum<T: Float>(b: &[V<T>]) -> T {
        b.iter().fold(T::zero(), |s, b| s + b.x)
    }
    pub fn a2<T: Float>(b: V<T>, e: T) -> T {
        let mut s = b;
        for _ in 0..2 {
            let a = acc(&b, e);
            s = a * e;
        }
        s.x
    }
    pub fn a3<T: Float>(b: V<T>, e: T) -> T {
        let q = scaled([b.x, e, e * e], e);
        let mut t = T::zero();
        for i in 0..2 {
            let a = acc(&b, q[i]);
            t = t + sum(&[a * e, a, b]) * q[2];
        }
        t
    }
    pub fn run(x: f64, e: f64) -> f64 {
        a2(V { x }, e) + a3(V { x: e }, x)
    }
}

#[test]
fn generic_functions_of_generic_structs() {
    check!(vectors::run(0.7, 0.3) -> f64);
}

mod lone {
    use adjoint::{Differentiable, adjoint};
    use num_traits::Float;

    #[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
    pub struct V<T> {
        x: T,
        y: T,
    }
    #[adjoint]
    impl<T: Float> V<T> {
        fn dot(&self, o: &Self) -> T {
            self.x * o.x + self.y * o.y
        }
    }
    #[adjoint]
    fn gs<T: Float>(vs: &mut [V<T>]) {
        for i in 0..vs.len() {
            let v = &mut vs[i];
            let n = v.dot(v).sqrt();
            v.x = v.x / n;
        }
    }
    #[adjoint]
    pub fn run(x: f64, y: f64) -> f64 {
        let mut v = [V { x, y }, V { x: y, y: x * x }];
        gs(&mut v);
        v[0].x * v[1].x
    }
}

#[test]
fn results_in_lone_generic_functions() {
    check!(lone::run(0.3, 0.8) -> f64);
}
