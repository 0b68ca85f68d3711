//! Recursions: direct and mutual, of functions that are annotated one by one and of those that are seen
//! together, of methods, over lists and trees, with few arguments and with many. Each function gets few
//! instances whatever its callers ask for, so all of it builds in release as fast as code without them.

#[macro_use]
mod common;

use adjoint::{Differentiable, adjoint};
use common::Random;

#[adjoint]
fn integrand(x: f64, p: &[f64; 2]) -> f64 {
    (-p[0] * x * x).exp() * (p[1] * x).cos()
}

/// Adaptive quadrature by Simpson's rule, which hands down what it knows of the interval.
#[adjoint]
#[allow(clippy::too_many_arguments)]
fn adapt(
    p: &[f64; 2],
    a: f64,
    fa: f64,
    b: f64,
    fb: f64,
    m: f64,
    fm: f64,
    whole: f64,
    eps: f64,
    depth: u32,
) -> f64 {
    let (lm, rm) = (0.5 * (a + m), 0.5 * (m + b));
    let (flm, frm) = (integrand(lm, p), integrand(rm, p));
    let left = (m - a) / 6.0 * (fa + 4.0 * flm + fm);
    let right = (b - m) / 6.0 * (fm + 4.0 * frm + fb);
    let delta = left + right - whole;
    if depth == 0 || delta.abs() <= 15.0 * eps {
        return left + right + delta / 15.0;
    }
    adapt(p, a, fa, m, fm, lm, flm, left, eps / 2.0, depth - 1)
        + adapt(p, m, fm, b, fb, rm, frm, right, eps / 2.0, depth - 1)
}

/// The callers differ in what they vary: here the parameters and the upper bound.
#[adjoint]
fn integral(p: &[f64; 2], b: f64) -> f64 {
    let (fa, fb, fm) = (integrand(0.0, p), integrand(b, p), integrand(0.5 * b, p));
    let whole = b / 6.0 * (fa + 4.0 * fm + fb);
    adapt(p, 0.0, fa, b, fb, 0.5 * b, fm, whole, 1e-9, 3)
}

/// Here the lower bound alone.
#[adjoint(wrt(a))]
fn from_below(a: f64, p: &[f64; 2]) -> f64 {
    let (fa, fb, fm) = (
        integrand(a, p),
        integrand(1.0, p),
        integrand(0.5 * (a + 1.0), p),
    );
    adapt(p, a, fa, 1.0, fb, 0.5 * (a + 1.0), fm, 0.2, 1e-9, 2)
}

#[test]
fn adaptive_quadrature() {
    // No tolerance is met, so that differences see no step.
    check!(adapt(&[1.3, 0.7], 0.0, 1.0, 2.0, 0.1, 1.0, 0.4, 0.7, -1.0, const 4) -> f64);
    check!(integral(&[1.3, 0.7], 2.0) -> f64);
    check!(from_below(0.1, const &[1.3, 0.7]) -> f64);
}

// Two functions that call each other in turn, with the arguments moved round.

#[adjoint]
fn even(a: f64, b: f64, c: f64, d: f64, k: u32) -> f64 {
    match k {
        0 => a * b + c.sin() * d,
        _ => odd(b, c, d, a * 1.01, k - 1) + a,
    }
}

#[adjoint]
fn odd(a: f64, b: f64, c: f64, d: f64, k: u32) -> f64 {
    match k {
        0 => a * b * c * d,
        _ => even(d, a, b, c.cos(), k - 1) * b,
    }
}

/// One argument varies, and is another one at each depth.
#[adjoint]
fn of_one(x: f64, k: u32) -> f64 {
    even(x, 1.0, 2.0, 0.5, k) + odd(0.3, 0.2, x * x, 1.5, k)
}

#[test]
fn in_turn() {
    for k in 0..9 {
        check!(even(0.3, 1.2, -0.4, 0.9, const k) -> f64);
        check!(odd(0.3, 1.2, -0.4, 0.9, const k) -> f64);
        check!(of_one(0.8, const k) -> f64);
    }
}

// The same with arguments behind references: where one is told to be varied though it is not, its adjoint is zeros.

#[adjoint]
fn ping(x: &[f64], p: &[f64; 3], out: &mut [f64], k: usize) -> f64 {
    for i in 0..out.len() {
        out[i] += x[i] * p[i % 3];
    }
    match k {
        0 => x[0] * p[1],
        _ => pong(p, x, out, k - 1) * p[0],
    }
}

#[adjoint]
fn pong(p: &[f64; 3], x: &[f64], out: &mut [f64], k: usize) -> f64 {
    let y: Vec<f64> = x.iter().map(|v| v.sin() + p[0] * p[2]).collect();
    for o in out.iter_mut() {
        *o *= p[1];
    }
    match k {
        0 => y[1] * p[2] * out[0],
        _ => ping(&y, &[p[2], p[0], p[1]], out, k - 1) + ping(x, p, out, k / 2),
    }
}

#[adjoint(wrt(x), of(ret))]
fn of_signal(x: &[f64], k: usize) -> f64 {
    let mut out = vec![0.1; x.len()];
    ping(x, &[0.5, 1.5, -0.7], &mut out, k) + out[1]
}

#[adjoint(wrt(p), of(ret))]
fn of_model(p: &[f64; 3], k: usize) -> f64 {
    let x = [0.3, -0.2, 0.8];
    let mut out = [0.1; 3];
    pong(p, &x, &mut out, k) + out[2]
}

#[test]
fn references_in_turn() {
    let x = vec![0.3, -0.8, 0.5];
    for k in 0..7 {
        check!(ping(&x, &[0.5, 1.5, -0.7], &mut vec![0.1, 0.2, 0.3], const k) -> f64);
        check!(of_signal(&x, const k) -> f64);
        check!(of_model(&[0.5, 1.5, -0.7], const k) -> f64);
    }
}

/// Each part of the signal is a constant for one half and varies for the other.
#[adjoint]
fn halves(x: &[f64], w: &[f64], scale: f64) -> f64 {
    if x.len() == 1 {
        return (x[0] * w[0]).sin() * scale;
    }
    let mid = x.len() / 2;
    let fixed = vec![0.7; mid];
    halves(&x[..mid], &fixed, scale * w[0])
        + halves(&fixed, &x[..mid], w[mid])
        + halves(&w[mid..], &x[mid..], scale)
}

#[adjoint(wrt(x))]
fn halves_of_one(x: &[f64], w: &[f64]) -> f64 {
    halves(x, w, 1.3)
}

#[test]
fn constants_on_the_way() {
    let mut random = Random::new(7);
    for n in [1, 2, 5, 8] {
        let (x, w) = (random.vector(n, -1.0, 1.0), random.vector(n, -1.0, 1.0));
        check!(halves(&x, &w, 0.9) -> f64);
        let constant = w.clone();
        check!(halves_of_one(&x, const &constant) -> f64);
    }
}

macro_rules! rotations {
    ($($name:ident of $caller:ident ($first:ident $(, $arg:ident)*) $test:ident;)*) => {
        $(
            /// Calls itself twice, with the arguments moved round and with two of them exchanged.
            #[adjoint]
            #[allow(clippy::too_many_arguments)]
            fn $name($first: f64, $($arg: f64,)* k: u32) -> f64 {
                if k == 0 {
                    return $first.sin() $(* (1.0 + 0.5 * $arg))*;
                }
                let moved = 0.9 * $name($($arg,)* $first.cos(), k - 1);
                moved * $first + $name($first * moved, $(0.8 * $arg,)* k - 1)
            }

            /// One argument varies.
            #[adjoint]
            fn $caller(x: f64, k: u32) -> f64 {
                $name(x, $({ let $arg = 0.3; $arg },)* k)
            }

            #[test]
            fn $test() {
                for k in 0..4 {
                    check!($name(0.7, $({ let $arg = 0.2; $arg },)* const k) -> f64);
                    check!($caller(0.7, const k) -> f64);
                }
            }
        )*
    };
}

rotations! {
    of_2 of by_2 (a, b) two;
    of_3 of by_3 (a, b, c) three;
    of_5 of by_5 (a, b, c, d, e) five;
    of_8 of by_8 (a, b, c, d, e, f, g, h) eight;
    of_11 of by_11 (a, b, c, d, e, f, g, h, i, j, l) eleven;
    of_14 of by_14 (a, b, c, d, e, f, g, h, i, j, l, m, n, o) fourteen;
}

/// A tree of masses, built by one recursion and summed up by another, both annotated by themselves.
mod bodies {
    use super::*;

    #[derive(Clone, Debug, Default, PartialEq, Differentiable)]
    pub struct Cell {
        pub at: f64,
        pub mass: f64,
        pub left: Option<Box<Cell>>,
        pub right: Option<Box<Cell>>,
    }

    #[adjoint]
    pub fn build(pos: &[f64], mass: &[f64]) -> Cell {
        if pos.len() == 1 {
            return Cell {
                at: pos[0],
                mass: mass[0],
                left: None,
                right: None,
            };
        }
        let mid = pos.len() / 2;
        let left = build(&pos[..mid], &mass[..mid]);
        let right = build(&pos[mid..], &mass[mid..]);
        let total = left.mass + right.mass;
        Cell {
            at: (left.at * left.mass + right.at * right.mass) / total,
            mass: total,
            left: Some(Box::new(left)),
            right: Some(Box::new(right)),
        }
    }

    #[adjoint]
    pub fn force(cell: &Cell, x: f64, width: f64) -> f64 {
        let d = cell.at - x;
        if cell.left.is_none() || width < 0.3 {
            return cell.mass * d / (d * d + 1.0).powf(1.5);
        }
        let mut sum = 0.0;
        if let Some(left) = &cell.left {
            sum += force(left, x, 0.5 * width);
        }
        if let Some(right) = &cell.right {
            sum += force(right, x, 0.5 * width);
        }
        sum
    }

    #[adjoint]
    pub fn pull(pos: &[f64], mass: &[f64], x: f64) -> f64 {
        let cell = build(pos, mass);
        force(&cell, x, pos[pos.len() - 1] - pos[0])
    }

    /// The masses are constants, the place varies.
    #[adjoint(wrt(x))]
    pub fn at_place(pos: &[f64], x: f64) -> f64 {
        let cell = build(pos, &vec![1.0; pos.len()]);
        force(&cell, x, 1.0) * x
    }
}

#[test]
fn trees() {
    use bodies::*;
    let pos = vec![-1.0, -0.4, 0.1, 0.7, 1.2, 2.0];
    let mass = vec![1.0, 0.5, 2.0, 0.3, 1.4, 0.8];
    check!(pull(&pos, &mass, 0.35) -> f64);
    check!(pull(&pos[..1].to_vec(), &mass[..1].to_vec(), 0.35) -> f64);
    check!(at_place(const &pos, 0.35) -> f64);
}

/// Methods that call themselves on parts, and each other.
mod expression {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Node {
        pub factor: f64,
        pub next: Option<Box<Node>>,
    }

    #[adjoint]
    impl Node {
        pub fn value(&self, x: f64, y: f64, z: f64) -> f64 {
            match &self.next {
                Some(next) => self.factor * x + next.other(y, z, x.sin()),
                None => self.factor * x * y * z,
            }
        }

        pub fn other(&self, x: f64, y: f64, z: f64) -> f64 {
            match &self.next {
                Some(next) => self.factor * next.value(y, z, x) - next.value(x, x, y),
                None => self.factor.exp() * y - z,
            }
        }

        pub fn there(&self, a: f64, b: f64) -> f64 {
            match &self.next {
                Some(next) => self.factor * next.there(b, a.cos()) + next.back(b, a),
                None => self.factor * a * b,
            }
        }

        pub fn back(&self, a: f64, b: f64) -> f64 {
            match &self.next {
                Some(next) => next.there(b, a) * b,
                None => self.factor.sin() * a,
            }
        }

        pub fn scale(&mut self, by: f64) {
            self.factor *= by;
            if let Some(next) = &mut self.next {
                next.scale(by * by);
            }
        }
    }

    pub fn list(factors: &[f64]) -> Node {
        let mut nodes = factors.iter().rev();
        let last = nodes.next().copied().unwrap_or_default();
        let end = Node {
            factor: last,
            next: None,
        };
        nodes.fold(end, |next, factor| Node {
            factor: *factor,
            next: Some(Box::new(next)),
        })
    }

    #[adjoint]
    pub fn of_list(node: &Node, x: f64) -> f64 {
        node.value(x, 0.4, x * x) + node.other(1.0, x, 0.2) + node.there(x, 0.3) * node.back(0.5, x)
    }

    #[adjoint]
    pub fn of_scaled(node: &mut Node, by: f64) -> f64 {
        node.scale(by);
        node.value(by, 1.0, 0.5)
    }
}

/// The factors of a list.
fn factors(node: &expression::Node) -> Vec<f64> {
    let rest = node.next.as_ref().map(|next| factors(next));
    std::iter::once(node.factor)
        .chain(rest.into_iter().flatten())
        .collect()
}

#[test]
fn methods() {
    use expression::*;
    for n in 1..6 {
        let given: Vec<f64> = (0..n).map(|k| 0.9 - 0.3 * k as f64).collect();
        let node = list(&given);
        let (mut node_adj, mut x_adj) = (list(&vec![0.0; n]), 0.0);
        let value = of_list_adjoint(&node, &mut node_adj, 0.6, &mut x_adj, 1.0);
        assert_eq!(value, of_list(&node, 0.6));
        let h = 1e-6;
        let slope = |f: &dyn Fn(f64) -> f64| (f(h) - f(-h)) / (2.0 * h);
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-8 * (1.0 + b.abs()), "{a} {b}");
        close(x_adj, slope(&|h| of_list(&node, 0.6 + h)));
        let changed = |k: usize, h: f64| {
            let mut given = given.clone();
            given[k] += h;
            list(&given)
        };
        for (k, adjoint) in factors(&node_adj).into_iter().enumerate() {
            close(adjoint, slope(&|h| of_list(&changed(k, h), 0.6)));
        }
        let (mut node, mut node_adj, mut by_adj) = (node, list(&vec![0.0; n]), 0.0);
        of_scaled_adjoint(&mut node, &mut node_adj, 0.8, &mut by_adj, 1.0);
        close(by_adj, slope(&|h| of_scaled(&mut list(&given), 0.8 + h)));
        for (k, adjoint) in factors(&node_adj).into_iter().enumerate() {
            close(adjoint, slope(&|h| of_scaled(&mut changed(k, h), 0.8)));
        }
    }
}

/// A recursion whose members see each other: what they read of their arguments is known.
#[adjoint]
mod together {
    pub fn down(x: f64, y: &[f64], scale: f64, depth: usize) -> f64 {
        if depth == 0 {
            return x * y[0] + scale;
        }
        up(scale, &[x, y[1 % y.len()] * x], y[0], depth - 1) * x
    }

    pub fn up(x: f64, y: &[f64], scale: f64, depth: usize) -> f64 {
        if depth == 0 {
            return y[0] / (1.0 + x * x);
        }
        down(y[1], y, 2.0, depth - 1) + down(scale, &[0.5, 0.25], x, depth / 2)
    }

    pub fn from_above(x: f64, depth: usize) -> f64 {
        down(0.7, &[x, 1.5], 0.3, depth)
    }

    /// Only the weights are linear in it, so a caller that varies these needs no values.
    pub fn weighted(w: &[f64], x: f64, depth: usize) -> f64 {
        match depth {
            0 => w[0] * x.sin(),
            _ => w[depth % w.len()] * x + weighted(&w[..1], x * x, depth - 1),
        }
    }
}

#[test]
fn seen_together() {
    use together::*;
    let y = vec![0.4, 0.9];
    for depth in 0..6 {
        check!(down(0.7, &y, 0.2, const depth) -> f64);
        check!(up(0.7, &y, 0.2, const depth) -> f64);
        check!(from_above(0.6, const depth) -> f64);
        check!(weighted(&y, 0.9, const depth) -> f64);
    }
}

/// Generic recursions are instances for each type of numbers.
#[adjoint]
fn series<T: num_traits::Float>(x: T, term: T, c: &[T], k: usize) -> T {
    if k == c.len() {
        return term;
    }
    term * c[k] + series(x, term * x, c, k + 1)
}

#[adjoint(wrt(x))]
fn of_series(x: f64) -> f64 {
    series(x, 1.0, &[0.5, -0.25, 0.125], 0)
}

#[test]
fn generic() {
    check!(series(0.8, 1.1, &vec![0.3, -0.6, 0.2], const 0) -> f64);
    check!(of_series(0.8) -> f64);
}
