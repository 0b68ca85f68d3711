//! Operators of users' types: `#[adjoint] impl Add for Vec3`.

#![allow(
    clippy::all,
    missing_docs,
    reason = "kernels are written as numerical programmers write them"
)]
#[macro_use]
mod common;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use adjoint::adjoint;

#[derive(adjoint::Differentiable, Clone, Copy, Debug, PartialEq)]
pub struct Vec3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

common::flat!(Vec3 { x, y, z });

#[adjoint]
impl Vec3 {
    pub fn new(x: f64, y: f64, z: f64) -> Vec3 {
        Vec3 { x, y, z }
    }

    pub fn dot(self, other: Vec3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    pub fn norm(&self) -> f64 {
        self.dot(*self).sqrt()
    }
}

#[adjoint]
impl Add for Vec3 {
    type Output = Vec3;
    fn add(self, o: Vec3) -> Vec3 {
        Vec3 {
            x: self.x + o.x,
            y: self.y + o.y,
            z: self.z + o.z,
        }
    }
}

#[adjoint]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, o: Self) -> Self::Output {
        Self {
            x: self.x - o.x,
            y: self.y - o.y,
            z: self.z - o.z,
        }
    }
}

#[adjoint]
impl Mul<f64> for Vec3 {
    type Output = Vec3;
    fn mul(self, k: f64) -> Vec3 {
        Vec3::new(self.x * k, self.y * k, self.z * k)
    }
}

#[adjoint]
impl Mul<Vec3> for f64 {
    type Output = Vec3;
    fn mul(self, v: Vec3) -> Vec3 {
        v * self
    }
}

/// The inner product.
#[adjoint]
impl Mul for Vec3 {
    type Output = f64;
    fn mul(self, o: Vec3) -> f64 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
}

#[adjoint]
impl Div<f64> for Vec3 {
    type Output = Vec3;
    fn div(self, k: f64) -> Vec3 {
        let inverse = 1.0 / k;
        self * inverse
    }
}

#[adjoint]
impl Neg for Vec3 {
    type Output = Vec3;
    fn neg(self) -> Vec3 {
        Vec3 {
            x: -self.x,
            y: -self.y,
            z: -self.z,
        }
    }
}

#[adjoint]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, o: Vec3) {
        self.x += o.x;
        self.y += o.y;
        self.z += o.z;
    }
}

#[adjoint]
impl SubAssign<&Vec3> for Vec3 {
    fn sub_assign(&mut self, o: &Vec3) {
        *self = *self - *o;
    }
}

#[adjoint]
impl MulAssign<f64> for Vec3 {
    fn mul_assign(&mut self, k: f64) {
        self.x *= k;
        self.y *= k;
        self.z *= k;
    }
}

#[adjoint]
impl<'a> Add<&'a Vec3> for &'a Vec3 {
    type Output = Vec3;
    fn add(self, o: &'a Vec3) -> Vec3 {
        *self + *o
    }
}

#[adjoint]
impl Sub<&Vec3> for Vec3 {
    type Output = Vec3;
    fn sub(self, o: &Vec3) -> Vec3 {
        self - *o
    }
}

const A: Vec3 = Vec3 {
    x: 0.3,
    y: -0.7,
    z: 1.1,
};
const B: Vec3 = Vec3 {
    x: -0.4,
    y: 0.9,
    z: 0.2,
};
const C: Vec3 = Vec3 {
    x: 1.3,
    y: 0.6,
    z: -0.8,
};

#[adjoint]
fn lerp(a: Vec3, b: Vec3, t: f64) -> Vec3 {
    a + (b - a) * t
}

#[adjoint]
fn scaled(a: &Vec3, b: &Vec3) -> f64 {
    let d = *a - *b;
    let e = 2.0 * d + -d / 3.0;
    e.norm() + (a + b).norm() + *a * *b
}

#[adjoint]
fn walk(start: Vec3, velocity: Vec3, steps: usize, dt: f64) -> f64 {
    let mut position = start;
    let mut v = velocity;
    for _ in 0..steps {
        let acceleration = -position / position.norm();
        v += acceleration * dt;
        position += v * dt;
        position -= &(start * 0.01);
        v *= 0.99;
    }
    position.norm() + v * position
}

#[adjoint]
fn total(points: &[Vec3]) -> f64 {
    let mut sum = Vec3::new(0.0, 0.0, 0.0);
    for p in points {
        sum = sum + *p * p.norm();
    }
    for p in points.iter() {
        sum -= p;
    }
    let folded = points.iter().fold(sum, |a, b| a + *b * 0.5);
    folded.norm()
}

#[test]
fn operands_by_value() {
    check!(lerp(A, B, 0.3) -> Vec3);
}

#[test]
fn operands_by_reference_and_mixed_with_numbers() {
    check!(scaled(&A, &B) -> f64);
}

#[test]
fn operators_in_loops() {
    check!(walk(A, B, const 5, 0.1) -> f64);
    check!(total(&vec![A, B, C]) -> f64);
}

/// In a module all types are known: those of fields and of what operators make.
#[adjoint]
mod bodies {
    use std::ops::{Add, AddAssign, Index, Mul, Sub};

    use adjoint::Differentiable;

    #[derive(Differentiable, Clone, Copy, Debug, PartialEq)]
    pub struct P2 {
        pub x: f64,
        pub y: f64,
    }

    impl Add for P2 {
        type Output = P2;
        fn add(self, o: P2) -> P2 {
            P2 {
                x: self.x + o.x,
                y: self.y + o.y,
            }
        }
    }

    impl Sub for P2 {
        type Output = P2;
        fn sub(self, o: P2) -> P2 {
            P2 {
                x: self.x - o.x,
                y: self.y - o.y,
            }
        }
    }

    impl Mul<P2> for f64 {
        type Output = P2;
        fn mul(self, p: P2) -> P2 {
            P2 {
                x: self * p.x,
                y: self * p.y,
            }
        }
    }

    impl Mul for P2 {
        type Output = f64;
        fn mul(self, o: P2) -> f64 {
            self.x * o.x + self.y * o.y
        }
    }

    impl AddAssign for P2 {
        fn add_assign(&mut self, o: P2) {
            *self = *self + o;
        }
    }

    /// Not differentiated, and not in the way.
    impl Index<usize> for P2 {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            if i == 0 { &self.x } else { &self.y }
        }
    }

    #[derive(adjoint::Differentiable, Clone, Debug, PartialEq)]
    pub struct Body {
        pub at: P2,
        pub speed: P2,
        pub mass: f64,
    }

    fn force(a: &Body, b: &Body) -> P2 {
        let d = b.at - a.at;
        let r2 = d * d + 0.01;
        (a.mass * b.mass / (r2 * r2.sqrt())) * d
    }

    pub fn advance(bodies: &mut [Body], dt: f64, steps: usize) {
        for _ in 0..steps {
            for i in 0..bodies.len() {
                let mut total = P2 { x: 0.0, y: 0.0 };
                for j in 0..bodies.len() {
                    if i != j {
                        total += force(&bodies[i], &bodies[j]);
                    }
                }
                let m = bodies[i].mass;
                bodies[i].speed += (dt / m) * total;
            }
            for b in bodies.iter_mut() {
                b.at = b.at + dt * b.speed;
            }
        }
    }

    pub fn energy(bodies: &[Body]) -> f64 {
        bodies
            .iter()
            .map(|b| 0.5 * b.mass * (b.speed * b.speed))
            .sum()
    }
}

use bodies::{Body, P2};

common::flat!(P2 { x, y });
common::flat!(Body { at, speed, mass });

fn two() -> Vec<Body> {
    let p = |x, y| P2 { x, y };
    vec![
        Body {
            at: p(0.0, 0.1),
            speed: p(0.2, -0.1),
            mass: 1.5,
        },
        Body {
            at: p(1.0, 0.3),
            speed: p(-0.3, 0.4),
            mass: 0.7,
        },
    ]
}

#[test]
fn operators_seen_in_a_module() {
    check!(bodies::advance(&mut two(), 0.1, const 3));
    check!(bodies::energy(&two()) -> f64);
}

/// Outside of it, types of fields are told by their use.
#[adjoint]
fn distances(bodies: &[Body], to: &P2) -> f64 {
    let mut far = 0.0;
    for b in bodies {
        let d = b.at - *to;
        far += (d.x * d.x + d.y * d.y).sqrt() * b.mass;
        let back = 0.5 * (*to - b.at);
        far += back.x;
    }
    far
}

#[adjoint]
fn mixed(a: P2, b: &P2, k: f64) -> f64 {
    let shifted = |p: P2, by: f64| p + by * *b;
    let points = [a, shifted(a, k), shifted(*b, 2.0 * k)];
    let sum = points.iter().fold(a, |s, p| s + *p);
    let mut each = sum;
    for p in points {
        each += p;
    }
    let product: f64 = sum * each;
    product.sin() + std::ops::Mul::mul(a, sum) + std::ops::Add::add(a, sum).x
}

#[test]
fn operators_of_another_module() {
    check!(distances(&two(), &P2 { x: 0.4, y: -0.2 }) -> f64);
    check!(mixed(P2 { x: 0.4, y: -0.2 }, &P2 { x: 1.1, y: 0.3 }, 0.7) -> f64);
}

mod generic {
    use std::ops::{Add, Mul, MulAssign, Neg, Sub};

    use adjoint::{Differentiable, adjoint};
    use num_traits::Float;

    #[derive(Differentiable, Clone, Copy, Debug, PartialEq)]
    pub struct Complex<T> {
        pub re: T,
        pub im: T,
    }

    #[adjoint]
    impl<T: Float> Complex<T> {
        pub fn new(re: T, im: T) -> Self {
            Complex { re, im }
        }

        pub fn norm_sqr(&self) -> T {
            self.re * self.re + self.im * self.im
        }
    }

    #[adjoint]
    impl<T: Float> Add for Complex<T> {
        type Output = Self;
        fn add(self, other: Self) -> Self::Output {
            Self::Output {
                re: self.re + other.re,
                im: self.im + other.im,
            }
        }
    }

    #[adjoint]
    impl<'a, T> Sub<&'a Complex<T>> for &Complex<T>
    where
        T: Float,
    {
        type Output = Complex<T>;
        fn sub(self, other: &'a Complex<T>) -> Complex<T> {
            Complex {
                re: self.re - other.re,
                im: self.im - other.im,
            }
        }
    }

    #[adjoint]
    impl<T: Float> Mul for Complex<T> {
        type Output = Complex<T>;
        fn mul(self, o: Complex<T>) -> Complex<T> {
            let re = self.re * o.re - self.im * o.im;
            Self {
                re,
                im: self.re * o.im + self.im * o.re,
            }
        }
    }

    #[adjoint]
    impl<T: Float> Mul<T> for Complex<T> {
        type Output = Complex<T>;
        fn mul(mut self, k: T) -> Complex<T> {
            self.re = self.re * k;
            self.im = self.im * k;
            self
        }
    }

    #[adjoint]
    impl<T: Float> MulAssign for Complex<T> {
        fn mul_assign(&mut self, o: Self) {
            *self = *self * o;
        }
    }

    #[adjoint]
    impl<T: Float> Neg for Complex<T> {
        type Output = Complex<T>;
        fn neg(self) -> Complex<T> {
            Complex {
                re: -self.re,
                im: -self.im,
            }
        }
    }
}

use generic::Complex;

common::flat!(Complex64 { re, im });
type Complex64 = Complex<f64>;

#[adjoint]
fn orbit(c: Complex<f64>, start: Complex<f64>, steps: usize) -> f64 {
    let mut z = start;
    for _ in 0..steps {
        z = z * z + c;
        z *= -c * 0.5;
    }
    (&z - &c).norm_sqr()
}

#[adjoint]
fn polynomial<T: num_traits::Float>(coefficients: &[Complex<T>], z: Complex<T>) -> T {
    let mut value = Complex::new(T::zero(), T::zero());
    for c in coefficients.iter().rev() {
        value = value * z + *c;
    }
    value.norm_sqr()
}

#[test]
fn operators_of_generic_structs() {
    let (c, z) = (Complex::new(-0.3, 0.4), Complex::new(0.2, 0.6));
    check!(orbit(c, z, const 4) -> f64);
    check!(polynomial(&vec![c, z, Complex::new(1.0, 0.5)], z) -> f64);
}

mod dense {
    use std::ops::{Add, Mul, Sub};

    use adjoint::{Differentiable, adjoint};

    #[derive(Differentiable, Clone, Debug, PartialEq)]
    pub struct Matrix {
        pub rows: usize,
        pub cols: usize,
        pub data: Vec<f64>,
    }

    #[adjoint]
    impl Mul for &Matrix {
        type Output = Matrix;
        fn mul(self, other: &Matrix) -> Matrix {
            let mut data = vec![0.0; self.rows * other.cols];
            for i in 0..self.rows {
                for j in 0..other.cols {
                    for k in 0..self.cols {
                        data[i * other.cols + j] +=
                            self.data[i * self.cols + k] * other.data[k * other.cols + j];
                    }
                }
            }
            Matrix {
                rows: self.rows,
                cols: other.cols,
                data,
            }
        }
    }

    #[adjoint]
    impl Add for Matrix {
        type Output = Matrix;
        fn add(mut self, other: Matrix) -> Matrix {
            for (a, b) in self.data.iter_mut().zip(&other.data) {
                *a += b;
            }
            self
        }
    }

    #[adjoint]
    impl Sub<&Matrix> for Matrix {
        type Output = Matrix;
        fn sub(self, other: &Matrix) -> Matrix {
            let data: Vec<f64> = self
                .data
                .iter()
                .zip(&other.data)
                .map(|(a, b)| a - b)
                .collect();
            Matrix { data, ..self }
        }
    }

    #[adjoint]
    impl Mul<f64> for Matrix {
        type Output = Matrix;
        fn mul(mut self, k: f64) -> Matrix {
            self.data.iter_mut().for_each(|x| *x *= k);
            self
        }
    }
}

use dense::Matrix;

common::flat!(Matrix { data });

#[adjoint]
fn powers(a: &Matrix, b: &Matrix, n: usize) -> f64 {
    let mut p = a.clone();
    for _ in 0..n {
        p = &p * a + b.clone() * 0.5;
        p = p - b;
    }
    p.data.iter().map(|x| x * x).sum()
}

#[test]
fn operators_of_values_that_own_memory() {
    let m = |data: [f64; 4]| Matrix {
        rows: 2,
        cols: 2,
        data: data.to_vec(),
    };
    check!(powers(&m([0.3, 0.5, -0.2, 0.9]), &m([1.0, 0.4, 0.2, -0.6]), const 3) -> f64);
}

type Number = f64;

/// What is only a name may be the name of a number.
#[adjoint]
fn named(x: Number, y: &[Number], n: usize) -> Number {
    let mut s = x * y[0] - -x / y[1] % 3.0;
    for i in 0..n {
        s += y[i] * x;
        s *= y[i];
        s -= s / x + &x;
    }
    s
}

#[test]
fn a_name_of_a_number() {
    check!(named(0.7, &vec![0.3, -0.8, 1.4], const 3) -> f64);
}

#[derive(adjoint::Differentiable, Clone, Copy, Debug, PartialEq)]
pub struct Single {
    pub a: f32,
    pub count: usize,
}

#[adjoint]
impl Mul<f32> for Single {
    type Output = Single;
    fn mul(self, k: f32) -> Single {
        Single {
            a: self.a * k,
            ..self
        }
    }
}

#[adjoint]
impl Mul<usize> for Single {
    type Output = Single;
    fn mul(self, n: usize) -> Single {
        Single {
            a: self.a * n as f32,
            count: n,
        }
    }
}

#[adjoint]
impl Mul<Single> for Single {
    type Output = Single;
    fn mul(self, o: Single) -> Single {
        Single {
            a: self.a * o.a,
            ..self
        }
    }
}

#[adjoint]
fn singles(s: Single, k: f32) -> f32 {
    let t = s * 2.5 * k * s;
    t.a * k
}

#[test]
fn operators_in_single_precision() {
    let (s, mut s_adj) = (Single { a: 3.0, count: 1 }, Single { a: 0.0, count: 1 });
    let mut k_adj = 0.0;
    let f = singles_adjoint(s, &mut s_adj, 0.5, &mut k_adj, 1.0);
    // 2.5 k² a²
    assert_eq!(f, 2.5 * 0.25 * 9.0);
    assert_eq!((s_adj.a, k_adj), (2.5 * 0.25 * 6.0, 2.5 * 2.0 * 0.5 * 9.0));
}
