//! Operators of users' types: `#[adjoint] impl Add for Vec3`.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#[macro_use]
mod common;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use adjoint::{Differentiable, adjoint};

#[derive(Differentiable, Clone, Copy, Debug, PartialEq)]
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

const A: Vec3 = Vec3 { x: 0.3, y: -0.7, z: 1.1 };
const B: Vec3 = Vec3 { x: -0.4, y: 0.9, z: 0.2 };
const C: Vec3 = Vec3 { x: 1.3, y: 0.6, z: -0.8 };

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
