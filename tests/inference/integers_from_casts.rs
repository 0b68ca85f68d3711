//! Integers in fields that the macro does not see: only casts and the operators of integers reveal them.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Cell {
    x: f64,
    n: usize,
    m: usize,
    i: i32,
}

#[adjoint]
fn summed(a: &Cell, b: &Cell) -> f64 {
    a.x * (a.n + b.n) as f64
}
#[adjoint]
fn multiplied(a: &Cell, b: &Cell) -> f64 {
    let mut k = a.n * b.n;
    k *= b.n;
    a.x * k as f64
}
#[adjoint]
fn chosen(a: &Cell, b: &Cell) -> f64 {
    a.x * (a.n.max(b.n)) as f64 + b.x * (a.m.min(b.m)) as f64
}
#[adjoint]
fn apart(a: &Cell, b: &Cell) -> f64 {
    let d = a.n.abs_diff(b.n);
    a.x * d as f64 + b.x * (a.i - b.i).abs() as f64 + f64::from(a.i * b.i)
}
#[adjoint]
fn divided(a: &Cell, b: &Cell) -> f64 {
    a.x * ((a.n + 1) * (b.m + 2)) as f64 / (a.n * b.n) as f64
}
#[adjoint]
fn counted(a: &Cell, b: &Cell) -> f64 {
    let last = a.n + b.n;
    let mut s = 0.0;
    for k in 0..last {
        s += a.x * k as f64;
    }
    s / last as f64
}
#[adjoint]
fn cells(x: f64, y: f64, which: usize) -> f64 {
    let a = Cell {
        x,
        n: 3,
        m: 2,
        i: 4,
    };
    let b = Cell {
        x: y,
        n: 2,
        m: 5,
        i: 7,
    };
    match which {
        0 => summed(&a, &b),
        1 => multiplied(&a, &b),
        2 => chosen(&a, &b),
        3 => apart(&a, &b),
        4 => divided(&a, &b),
        _ => counted(&a, &b),
    }
}

#[test]
fn casts_of_what_operators_make() {
    for which in 0..6 {
        check!(cells(0.3, 0.7, const which) -> f64);
    }
}

/// A generator of random numbers whose `impl` is annotated and whose fields are not visible.
#[derive(Clone, Debug, Default, Differentiable)]
pub struct Generator {
    s: u64,
    spare: Option<f64>,
    words: [u64; 4],
}
#[adjoint]
impl Generator {
    fn uniform(&mut self) -> f64 {
        self.s = self
            .s
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.s >> 11) as f64 / (1u64 << 53) as f64
    }
    fn xoshiro(&mut self) -> f64 {
        let r = self.words[0]
            .wrapping_add(self.words[3])
            .rotate_left(23)
            .wrapping_add(self.words[0]);
        let t = self.words[1] << 17;
        self.words[2] ^= self.words[0];
        self.words[3] ^= self.words[1];
        self.words[1] ^= self.words[2];
        self.words[0] ^= self.words[3];
        self.words[2] ^= t;
        self.words[3] = self.words[3].rotate_left(45);
        (r >> 11) as f64 / 9007199254740992.0
    }
    fn normal(&mut self) -> f64 {
        if let Some(z) = self.spare.take() {
            return z;
        }
        let (u, v) = (self.uniform(), self.uniform());
        let r = (-2.0 * (1.0 - u).ln()).sqrt();
        let a = 2.0 * std::f64::consts::PI * v;
        self.spare = Some(r * a.sin());
        r * a.cos()
    }
}
#[adjoint]
fn option_price(x: f64, s: f64) -> f64 {
    let mut g = Generator {
        s: 42,
        spare: None,
        words: [1, 2, 3, 4],
    };
    let mut t = 0.0;
    for _ in 0..8 {
        t += (x + s * g.normal()).max(0.0) + g.xoshiro() * x + s * g.uniform();
    }
    t / 8.0
}
#[adjoint]
fn drawn(g: &mut Generator, x: f64) -> f64 {
    let mut t = 0.0;
    for _ in 0..5 {
        g.s = g.s.wrapping_mul(6364136223846793005).wrapping_add(1);
        t += (g.s >> 33) as f64 / 2147483648.0 * x;
    }
    t
}
#[adjoint]
fn draws(x: f64) -> f64 {
    let mut g = Generator {
        s: 7,
        ..Default::default()
    };
    drawn(&mut g, x)
}

#[test]
fn generators_of_random_numbers() {
    check!(option_price(0.3, 0.8) -> f64);
    check!(draws(0.3) -> f64);
}
