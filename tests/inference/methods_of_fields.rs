//! Methods of fields whose types the `impl` does not see.
//!
//! Elements may be missing, `Vec`s stand behind methods of the same name, `Option`s in loops.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct Series {
    c: Vec<f64>,
    k: f64,
    w: [f64; 3],
}

flat!(Series { c, k, w });

fn series() -> Series {
    Series {
        c: vec![0.4, -0.7, 1.2, 0.9],
        k: 1.3,
        w: [0.2, 0.1, 0.6],
    }
}

#[adjoint]
impl Series {
    fn by_pattern(&self, i: usize) -> f64 {
        let mut t = 0.0;
        if let Some(v) = self.c.get(i) {
            t += v * self.k;
        }
        t += match self.w.get(i + 1) {
            Some(&v) => v * v,
            None => self.k,
        };
        let Some(v) = self.c.get(2 * i) else {
            return t;
        };
        let mut j = 0;
        while let Some(u) = self.c.get(j) {
            t += u * v;
            j += 2;
        }
        t
    }

    fn by_closure(&self, i: usize) -> f64 {
        let a = self.c.get(i).map(|v| v * self.k).unwrap_or(0.3);
        let b = self.c.get(i + 2).map_or(self.k, |v| v.sin());
        let c = self.c.get(i).unwrap_or(&0.5);
        let d = self.c.get(i).zip(self.w.get(i)).map_or(0.0, |(a, b)| a * b);
        let e = self.c.get(1..i + 1).map_or(0.0, |part| part.iter().sum());
        a * b + c * d + e * self.k
    }

    fn tried(&self, i: usize) -> Option<f64> {
        let v = self.c.get(i)?;
        self.w.get(i).map(|w| w * v)
    }

    fn ends(&self) -> f64 {
        let ends = match (self.c.first(), self.c.last()) {
            (Some(a), Some(b)) => a * b,
            _ => 0.0,
        };
        let (first, others) = self.c.split_first().unwrap();
        if let Some((last, others)) = self.w.split_last() {
            return ends + last * others[0] * first;
        }
        others[0]
    }

    fn backwards(&self) -> f64 {
        let horner = self.c.iter().rev().fold(0.0, |t, c| t * self.k + c);
        let mut t = horner;
        for (i, c) in self.c.iter().rev().enumerate().skip(1) {
            t += c * c * i as f64;
        }
        t
    }

    fn change(&mut self, i: usize) {
        if let Some(v) = self.c.get_mut(i) {
            *v *= self.k;
        }
        if let Some(v) = self.c.last_mut() {
            *v = v.sin() * self.w[0];
        }
        self.w.get_mut(i).map(|v| *v *= 2.0);
        if let Some(part) = self.c.get_mut(1..3) {
            part.swap(0, 1);
            part[0] *= part[1];
        }
    }
}

#[adjoint]
fn by_pattern(s: &Series, i: usize) -> f64 {
    s.by_pattern(i)
}

#[adjoint]
fn by_closure(s: &Series, i: usize) -> f64 {
    s.by_closure(i)
}

#[adjoint]
fn tried(s: &Series, i: usize) -> Option<f64> {
    s.tried(i)
}

#[adjoint]
fn change(s: &mut Series, i: usize) {
    s.change(i);
}

#[adjoint]
fn ends(s: &Series) -> f64 {
    s.ends()
}

#[adjoint]
fn backwards(s: &Series) -> f64 {
    s.backwards()
}

#[test]
fn elements_that_may_be_missing() {
    for i in 0..6 {
        check!(by_pattern(&series(), const i) -> f64);
        check!(by_closure(&series(), const i) -> f64);
        check!(tried(&series(), const i) -> Option<f64>);
        check!(change(&mut series(), const i));
    }
    check!(ends(&series()) -> f64);
    check!(backwards(&series()) -> f64);
}

/// A stack that weighs what is pushed, with methods named like those of the `Vec` in it.
#[derive(Clone, Debug, Default, Differentiable)]
struct Stack {
    data: Vec<f64>,
    k: f64,
}

flat!(Stack { data, k });

#[adjoint]
impl Stack {
    fn push(&mut self, v: f64) {
        self.data.push(v * self.k);
    }

    fn pop(&mut self) -> Option<f64> {
        self.data.pop()
    }

    fn insert(&mut self, at: usize, v: f64) {
        self.data.insert(at, v.sin());
    }

    fn remove(&mut self, at: usize) -> f64 {
        self.data.remove(at)
    }

    fn clear(&mut self) {
        self.data.clear();
    }

    fn extend(&mut self, items: &[f64]) {
        self.data.extend(items.iter().map(|v| v * v));
        self.data.retain(|v| *v > 0.01);
    }

    fn get(&self, at: usize) -> Option<f64> {
        self.data.get(at).map(|v| v * self.k)
    }

    fn sum(&self) -> f64 {
        self.data.iter().sum()
    }
}

#[adjoint]
fn stacked(s: &mut Stack, x: &[f64]) -> f64 {
    s.push(x[0]);
    s.push(x[1] * x[0]);
    s.insert(1, x[1]);
    let taken = s.remove(0) * s.pop().unwrap_or(0.0);
    let there = s.get(1).unwrap_or(0.25) + s.get(7).unwrap_or(0.5);
    let sum = s.sum();
    s.clear();
    s.extend(x);
    taken * there + sum * s.sum()
}

#[test]
fn methods_named_like_those_of_the_field() {
    let stack = Stack {
        data: vec![0.4, 0.3],
        k: 1.7,
    };
    check!(stacked(&mut stack.clone(), &vec![0.6, -0.8, 0.05]) -> f64);
}

#[derive(Clone, Debug, Default, Differentiable)]
struct Tree {
    value: f64,
    left: Option<Box<Tree>>,
    right: Option<Box<Tree>>,
    others: Vec<Tree>,
    log: Vec<f64>,
}

flat!(Tree {
    value,
    left,
    right,
    others,
    log
});

fn leaf(value: f64) -> Tree {
    Tree {
        value,
        log: vec![0.5],
        ..Tree::default()
    }
}

fn tree() -> Tree {
    Tree {
        left: Some(Box::new(Tree {
            right: Some(Box::new(leaf(0.4))),
            ..leaf(-0.6)
        })),
        right: Some(Box::new(leaf(1.1))),
        others: vec![leaf(0.2), leaf(0.7)],
        ..leaf(0.3)
    }
}

#[adjoint]
impl Tree {
    fn scale(&mut self, k: f64) {
        self.value *= k;
        for child in [&mut self.left, &mut self.right].into_iter().flatten() {
            child.scale(k * 0.5);
        }
        for child in &mut self.others {
            child.scale(k * k);
        }
    }

    fn sum(&self) -> f64 {
        let children = [&self.left, &self.right].into_iter().flatten();
        self.value * self.value
            + children.map(|child| child.sum()).sum::<f64>()
            + self.others.iter().map(|child| child.sum()).product::<f64>()
    }

    fn product(&self, k: f64) -> f64 {
        let mut all = self.value.sin() * k;
        for child in self.left.iter().chain(self.right.iter()) {
            all *= child.product(k);
        }
        all
    }

    /// Each level goes to the leftmost tree.
    fn push(&mut self, v: f64) {
        match &mut self.left {
            Some(left) => left.push(v * self.value),
            None => self.log.push(v),
        }
    }

    fn clear(&mut self) {
        self.log.clear();
        if let Some(left) = &mut self.left {
            left.clear();
        }
    }

    fn walk(&mut self, k: f64) {
        for child in self.left.iter_mut().chain(self.right.iter_mut()) {
            child.walk(k * 0.9);
            self.value += child.value * k;
        }
    }
}

#[adjoint]
fn scale(t: &mut Tree, k: f64) {
    t.scale(k);
}

#[adjoint]
fn sum(t: &Tree) -> f64 {
    t.sum()
}

#[adjoint]
fn product(t: &Tree, k: f64) -> f64 {
    t.product(k)
}

#[adjoint]
fn push(t: &mut Tree, v: f64) {
    t.push(v);
}

#[adjoint]
fn clear(t: &mut Tree) {
    t.clear();
}

#[adjoint]
fn walk(t: &mut Tree, k: f64) {
    t.walk(k);
}

#[test]
fn options_that_are_run_over() {
    check!(scale(&mut tree(), 1.2));
    check!(sum(&tree()) -> f64);
    check!(product(&tree(), 1.3) -> f64);
    check!(push(&mut tree(), 0.7));
    check!(clear(&mut tree()));
    check!(walk(&mut tree(), 0.8));
}

/// What is not seen is an `Option` here.
#[adjoint]
fn root_of(x: f64) -> Option<f64> {
    if x > 0.0 { Some(x.sqrt()) } else { None }
}

#[adjoint]
fn roots(x: &[f64]) -> f64 {
    x.iter().flat_map(|&x| root_of(x)).sum()
}

#[test]
fn options_of_callees_that_are_not_seen() {
    check!(roots(&vec![0.4, -0.3, 1.9]) -> f64);
}

#[derive(Clone, Debug, Differentiable)]
struct Rows {
    rows: Vec<Vec<f64>>,
    w: f64,
}

flat!(Rows { rows, w });

/// A type with methods that are named like those of `Vec`, which its own fields' elements have as well.
#[adjoint]
impl Rows {
    fn push(&mut self, v: f64) {
        self.rows.push(vec![v, v * v]);
    }

    fn pop(&mut self) -> Option<f64> {
        self.rows.pop().map(|r| r[0] * self.w)
    }

    fn taken(&mut self, k: f64) -> Option<f64> {
        let r = self.rows.pop()?;
        Some(r[1] * self.w + k)
    }

    fn last_or(&mut self, k: f64) -> f64 {
        if let Some(r) = self.rows.pop() {
            r[0] * r[1] * k
        } else {
            self.w * k
        }
    }

    fn trim(&mut self, k: f64) -> f64 {
        let mut s = 0.0;
        for r in self.rows.iter_mut() {
            let r: &mut Vec<f64> = r;
            r.push(k);
            if r.len() > 2 {
                s += r.pop().unwrap() * r[0];
                r.pop();
            }
        }
        s
    }

    fn scale(&mut self, k: f64) {
        self.w *= k;
        for r in &mut self.rows {
            for v in r.iter_mut() {
                *v *= k;
            }
        }
    }

    fn total(&self, k: f64) -> f64 {
        self.rows.iter().flatten().sum::<f64>() * self.w + k
    }
}

/// The literal tells that the methods are the type's own.
#[adjoint]
fn of_rows(x: &[f64], k: f64) -> f64 {
    let mut n = Rows { rows: vec![], w: k };
    for v in x {
        n.push(*v);
    }
    n.scale(k);
    let a = n.pop().unwrap_or(k);
    let b = n.taken(k).unwrap_or(a);
    let c = n.last_or(b);
    let t = n.trim(k);
    n.total(k) * a + t * c
}

#[test]
fn methods_named_like_those_of_their_fields() {
    for n in [0, 1, 2, 3, 5] {
        let x: Vec<f64> = (0..n).map(|i| 0.3 + 0.21 * i as f64).collect();
        check!(of_rows(&x, 0.8) -> f64);
    }
}

#[derive(Clone, Debug, Differentiable)]
enum Shape {
    Round(f64),
    Flat { p: f64, q: f64 },
    Many(Vec<f64>),
}

#[adjoint]
impl Shape {
    fn new(way: usize, p: f64, q: f64) -> Shape {
        match way {
            0 => Shape::Round(p),
            1 => Shape::Flat { p, q },
            _ => Shape::Many(vec![p, q]),
        }
    }
    fn grow(&mut self, k: f64) {
        match self {
            Shape::Round(r) => {
                *r *= 0.5 + (*r).cos();
            }
            Shape::Flat { p, q } => *p *= k * (*q).exp(),
            Shape::Many(v) => v[0] *= 0.5 + v[1].cos(),
        }
    }
    fn grown(&self, k: f64) -> Shape {
        let mut shape = self.clone();
        match &mut shape {
            Shape::Round(r) => {
                *r *= 0.5 + (*r).cos();
            }
            Shape::Flat { p, q } => *p *= k * (*q).exp(),
            Shape::Many(v) => v[0] *= 0.5 + v[1].cos(),
        }
        shape
    }
    fn size(&self) -> f64 {
        match self {
            Shape::Round(r) => r * r,
            Shape::Flat { p, q } => p * q,
            Shape::Many(v) => v.iter().product(),
        }
    }
}

#[adjoint]
fn grown(way: usize, p: f64, q: f64, k: f64) -> f64 {
    let mut shape = Shape::new(way, p, q);
    if k > 0.0 {
        shape.grow(k);
    }
    shape.grown(q).size()
}

#[derive(Clone, Debug, Differentiable)]
struct Part {
    a: f64,
    v: Vec<f64>,
    shape: Shape,
}

#[adjoint]
fn part(k: f64) -> Part {
    let shape = Shape::Round(k);
    Part {
        a: k,
        v: vec![k, 0.3],
        shape,
    }
}

#[adjoint]
fn changed(k: f64) -> f64 {
    let mut c = part(k);
    if k > 0.1 {
        c.a *= 0.5 + c.a.cos();
        c.v[0] *= 0.5 + c.v[0].cos() * c.v[1].exp();
    }
    if let Shape::Round(r) = &mut c.shape {
        *r *= 0.5 + (*r).sin();
    }
    c.a * c.v[0] + c.shape.size()
}

#[adjoint]
fn one_of_two(k: f64) -> f64 {
    let c = part(k);
    let shape;
    if k > 0.1 {
        shape = c.shape;
    } else {
        shape = Shape::Round(c.a * k);
    }
    shape.size() * k
}

#[test]
fn parts_that_are_changed_by_what_is_made_of_them() {
    for way in 0..3 {
        check!(grown(const way, 0.7, 0.4, 1.2) -> f64);
        check!(grown(const way, 0.7, 0.4, -1.2) -> f64);
    }
    check!(changed(0.6) -> f64);
    check!(one_of_two(0.6) -> f64);
    check!(one_of_two(-0.6) -> f64);
}
