use adjoint::{Differentiable, adjoint};
use std::ops::{AddAssign, Index, IndexMut, Sub, SubAssign};

#[derive(Clone, Copy, Debug, Default, Differentiable)]
pub struct Angle {
    pub v: f64,
}
impl AddAssign<f64> for Angle {
    fn add_assign(&mut self, other: f64) {
        self.v += other;
    }
}
impl SubAssign<f64> for Angle {
    fn sub_assign(&mut self, other: f64) {
        self.v -= other;
    }
}
impl Sub for Angle {
    type Output = f64;
    fn sub(self, other: Angle) -> f64 {
        3.0 * self.v - other.v
    }
}

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Arrow {
    pub x: f64,
    pub y: f64,
}
impl Arrow {
    pub fn len(&self) -> f64 {
        self.x.hypot(self.y)
    }
    pub fn cmp(&self, other: &Arrow) -> f64 {
        self.x * other.y
    }
}

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Ring {
    pub d: Vec<f64>,
}
impl Ring {
    pub fn first(&self) -> Option<f64> {
        self.d.get(2).copied()
    }
    pub fn fill(&mut self, x: f64) {
        self.d[0] = x * x;
    }
    pub fn iter(&self) -> std::slice::Iter<'_, f64> {
        self.d.iter()
    }
    pub fn as_ref(&self) -> &[f64] {
        &self.d[1..]
    }
}
#[adjoint]
impl Index<usize> for Ring {
    type Output = f64;
    fn index(&self, i: usize) -> &f64 {
        &self.d[i + 1]
    }
}
#[adjoint]
impl IndexMut<usize> for Ring {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.d[i + 1]
    }
}

pub trait Opposite {
    fn neg(self) -> f64;
}
impl Opposite for f64 {
    fn neg(self) -> f64 {
        1.0 - 3.0 * self
    }
}

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Scene {
    pub a: Angle,
    pub b: Angle,
    pub arrow: Arrow,
    pub ring: Ring,
    pub single: Single,
}
#[derive(Clone, Copy, Debug, Default, Differentiable)]
pub struct Single {
    pub w: f32,
}

#[adjoint]
fn operators(s: &Scene, k: f64) -> f64 {
    (s.a - s.b) * k
}

#[adjoint]
fn lengths(s: &Scene, arrow: &Arrow, k: f64) -> f64 {
    s.arrow.len() * k + arrow.len()
}

#[adjoint]
fn arrow(x: f64) -> Arrow {
    Arrow { x, y: x * x }
}

#[adjoint]
fn length_of_result(x: f64, k: f64) -> f64 {
    let v = arrow(x);
    v.len() * k
}

#[adjoint]
fn orders(a: &Arrow, b: &Arrow, k: f64) -> f64 {
    a.cmp(b) * k
}

#[adjoint]
fn ends(s: &Scene, k: f64) -> f64 {
    s.ring.first().unwrap() * k
}

#[adjoint]
fn filled(s: &mut Scene, k: f64) -> f64 {
    s.ring.fill(k);
    k
}

#[adjoint]
fn run_over(ring: &Ring, k: f64) -> f64 {
    ring.iter().map(|x| x * k).sum()
}

#[adjoint]
fn lent(s: &Scene, k: f64) -> f64 {
    s.ring.as_ref()[0] * k
}

#[adjoint]
fn negated(x: f64) -> f64 {
    x.neg()
}

#[adjoint]
fn cast(s: &Single, t: &Single, k: f64) -> f64 {
    k * (s.w * t.w) as f64
}

#[derive(Clone, Debug, Differentiable)]
pub struct VecDeque {
    v: Vec<f64>,
}
impl VecDeque {
    pub fn new() -> VecDeque {
        VecDeque { v: vec![1.0] }
    }
    pub fn push_back(&mut self, x: f64) {
        self.v.push(x * 2.0);
    }
    pub fn len(&self) -> usize {
        self.v.len() + 3
    }
}

#[adjoint]
fn queued(x: f64) -> f64 {
    let mut q = VecDeque::new();
    q.push_back(x);
    x * q.len() as f64
}

#[derive(Clone, Debug, Differentiable)]
pub struct Gap {
    pub a: f64,
}
#[adjoint]
impl Gap {
    pub fn abs_diff(&self) -> f64 {
        self.a * self.a
    }
    pub fn to_bits(&self) -> f64 {
        self.a * 3.0
    }
    pub fn eq(&self, other: &Gap) -> f64 {
        self.a * other.a
    }
}
#[derive(Clone, Debug, Differentiable)]
pub struct Gaps {
    pub g: Gap,
}

#[adjoint]
fn gaps(s: &Gaps, x: f64) -> f64 {
    s.g.abs_diff() * x
}

#[adjoint]
fn bits(s: &Gaps, x: f64) -> f64 {
    s.g.to_bits() * x
}

#[adjoint]
fn equal(s: &Gaps, t: &Gaps, x: f64) -> f64 {
    s.g.eq(&t.g) * x
}

fn main() {}
