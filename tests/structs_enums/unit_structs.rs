//! Unit structs and unit variants as values: generic functions over traits, and indices by enums.

use std::ops::{Index, IndexMut};

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Copy, PartialEq, Differentiable)]
enum Axis {
    X,
    Y,
}

#[derive(Clone, Copy, Default, Differentiable)]
struct Point {
    x: f64,
    y: f64,
}

#[adjoint]
impl Index<Axis> for Point {
    type Output = f64;

    fn index(&self, axis: Axis) -> &f64 {
        match axis {
            Axis::X => &self.x,
            Axis::Y => &self.y,
        }
    }
}

#[adjoint]
impl IndexMut<Axis> for Point {
    fn index_mut(&mut self, axis: Axis) -> &mut f64 {
        match axis {
            Axis::X => &mut self.x,
            Axis::Y => &mut self.y,
        }
    }
}

#[derive(Clone, Default, Differentiable)]
struct Body {
    speed: Point,
    mass: f64,
}

#[adjoint]
impl Body {
    fn energy(&self, k: f64) -> f64 {
        self.mass * self.speed[Axis::X] * k + self.speed[Axis::Y]
    }

    fn kick(&mut self, k: f64) {
        self.speed[Axis::X] += k * self.mass;
        self.speed[Axis::Y] = self.speed[Axis::X] * k;
    }
}

#[adjoint]
fn kicked(x: f64, y: f64) -> f64 {
    let mut body = Body {
        speed: Point { x, y },
        mass: x * y,
    };
    let before = body.energy(y);
    body.kick(before);
    body.energy(x) * before
}

#[adjoint]
fn along(x: f64, y: f64) -> f64 {
    let mut p = Point { x, y };
    p[Axis::X] *= y;
    let mut s = p[Axis::Y] * 2.0;
    let mut last = Axis::X;
    for k in 0..3 {
        s += p[last] * p[Axis::X];
        last = if k == 1 { Axis::X } else { Axis::Y };
    }
    s * p[last]
}

struct Layout;

impl Layout {
    const MIDDLE: usize = 1;
}

/// Indexed by numbers and by pairs of them.
#[derive(Clone, Differentiable)]
struct Table {
    values: Vec<f64>,
    width: usize,
}

impl Table {
    fn last(&self) -> usize {
        self.width
    }
}

#[adjoint]
impl Index<usize> for Table {
    type Output = f64;

    fn index(&self, i: usize) -> &f64 {
        &self.values[i]
    }
}

#[adjoint]
impl IndexMut<usize> for Table {
    fn index_mut(&mut self, i: usize) -> &mut f64 {
        &mut self.values[i]
    }
}

#[adjoint]
impl Index<(usize, usize)> for Table {
    type Output = f64;

    fn index(&self, (i, j): (usize, usize)) -> &f64 {
        &self.values[i * self.width + j]
    }
}

#[adjoint]
impl IndexMut<(usize, usize)> for Table {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut f64 {
        &mut self.values[i * self.width + j]
    }
}

#[adjoint]
fn read(table: &Table, k: f64) -> f64 {
    let (last, middle) = (table.last(), Layout::MIDDLE);
    table[Layout::MIDDLE] * k + table[(0, Layout::MIDDLE)] + table[last] * table[middle]
}

#[adjoint]
fn by_constants(x: &[f64], k: f64) -> f64 {
    let mut table = Table {
        values: x.to_vec(),
        width: 2,
    };
    table[Layout::MIDDLE] *= k;
    read(&table, k) * table[Layout::MIDDLE] * x[Layout::MIDDLE]
}

#[test]
fn indices() {
    for (x, y) in [(0.3, 0.8), (-1.2, 0.7)] {
        check!(by_constants(&[x, y, 0.4], 0.3) -> f64);
        check!(kicked(x, y) -> f64);
        check!(along(x, y) -> f64);
    }
}

#[adjoint]
mod solvers {
    use adjoint::Differentiable;

    pub trait Preconditioner {
        fn solve(&self, r: f64) -> f64;

        fn many(&self, r: f64, n: usize) -> f64 {
            let mut s = r;
            for _ in 0..n {
                s = self.solve(s) * r;
            }
            s
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Identity;

    impl Preconditioner for Identity {
        fn solve(&self, r: f64) -> f64 {
            r.sin()
        }
    }

    #[derive(Clone, Copy, Differentiable)]
    pub struct Jacobi {
        w: f64,
    }

    impl Preconditioner for Jacobi {
        fn solve(&self, r: f64) -> f64 {
            r * self.w
        }
    }

    #[derive(Clone, Differentiable)]
    pub struct Net<A> {
        w: f64,
        activation: A,
    }

    impl<A: Preconditioner> Net<A> {
        fn run(&self, x: f64) -> f64 {
            self.activation.solve(self.w * x)
        }
    }

    fn lent<P: Preconditioner>(p: &P, b: f64) -> f64 {
        p.solve(b) * b
    }

    fn given<P: Preconditioner>(p: P, b: f64) -> f64 {
        p.many(b, 2) * b
    }

    pub fn solved(x: f64, y: f64) -> f64 {
        let (i, j) = (Identity, Jacobi { w: y });
        lent(&i, x)
            + lent(&Identity, y) * lent(&j, x)
            + given(Identity, x)
            + given(j, y)
            + i.solve(y)
            + Identity.many(x, 2)
    }

    pub fn activated(x: f64, y: f64) -> f64 {
        let plain = Net {
            w: x,
            activation: Identity,
        };
        let scaled = Net {
            w: y,
            activation: Jacobi { w: x },
        };
        plain.run(y) * scaled.run(x)
    }
}

#[test]
fn unit_structs() {
    use solvers::*;
    for (x, y) in [(0.3, 0.8), (-1.2, 0.7)] {
        check!(solved(x, y) -> f64);
        check!(activated(x, y) -> f64);
    }
}
