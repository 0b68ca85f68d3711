//! Walks that write and leave early, results that some paths drop, and arguments that calls overwrite in part.
//!
//! Calls overwrite all of an argument or a part of it, on all paths or on some.

use adjoint::{Differentiable, adjoint};

use crate::common::types::rose::{Node, tree};
use crate::common::{check, flat};

/// The index changes after it was used, the walk writes, grows what it passes and leaves early; it is made
/// anew in a loop, also not at all.
#[adjoint]
fn walked_again(tree: &mut Node, k: f64, times: usize, stop: f64) -> f64 {
    let mut total = k;
    for t in 0..times {
        let mut cur = &mut *tree;
        let mut i = t;
        while !cur.children.is_empty() {
            let n = cur.children.len();
            i %= n;
            cur.value *= 1.0 + 0.1 * k;
            if cur.value > stop {
                cur.value = total * k;
                return total + cur.value;
            }
            if t == 1 && cur.children.len() < 3 {
                cur.children.push(Node {
                    value: total * 0.1,
                    children: vec![],
                });
            }
            cur = &mut cur.children[i];
            i += 1;
            total += cur.value * cur.value;
        }
        cur.value += total;
        total = cur.value.sin();
    }
    total + tree.value
}

/// What the walk passed is kept by value; it turns around, breaks off and goes on.
#[adjoint]
fn trailing(tree: &Node, k: f64, depth: usize) -> f64 {
    let mut cur = tree;
    let mut last = tree.value;
    let mut s = k;
    for d in 0..depth {
        if cur.children.is_empty() {
            break;
        }
        last = cur.value;
        let i = (d + 2) % cur.children.len();
        cur = &cur.children[i];
        if cur.value < 0.0 {
            s -= last;
            continue;
        }
        s += cur.value * last * s;
    }
    s * cur.value + last.cos()
}

#[test]
fn walks_through_children_again_and_again() {
    for times in 0..4 {
        for stop in [100.0, 1.5, 0.5] {
            check!(walked_again(&mut tree(), 0.6, const times, stop) -> f64);
        }
    }
    for depth in 0..5 {
        check!(trailing(&tree(), 0.8, const depth) -> f64);
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Pair {
    a: f64,
    b: Vec<f64>,
}
flat!(Pair { a, b });

#[adjoint]
fn swallowed(p: &mut Pair, k: f64) -> Result<Pair, String> {
    let old = p.clone();
    if k < 0.0 {
        p.a = k * k;
        return Err(String::new());
    }
    if k == 0.0 {
        return Ok(old);
    }
    p.b.push(p.a * k);
    p.a = p.b[0] * k;
    Ok(old)
}

/// Taken on some ways, dropped on others, left by `?`, also in no iteration at all.
#[adjoint]
fn sometimes(p: &mut Pair, k: &[f64], take: usize) -> Result<f64, String> {
    let mut s = 0.0;
    for (i, &k) in k.iter().enumerate() {
        match i % 4 {
            0 => {
                let _ = swallowed(p, k);
            }
            1 if take > 0 => s += swallowed(p, k)?.a * k,
            2 => {
                if let Ok(old) = swallowed(p, k) {
                    if take > 1 {
                        s += old.b.iter().sum::<f64>();
                    }
                }
            }
            _ => {
                swallowed(p, k).ok();
                swallowed(p, -k).ok();
            }
        }
    }
    if take == 3 {
        return Ok(0.0);
    }
    Ok(s + p.a)
}

#[adjoint]
fn sometimes_or(p: &mut Pair, k: &[f64], take: usize) -> f64 {
    sometimes(p, k, take).unwrap_or(0.5 * k[0])
}

#[test]
fn results_that_are_taken_sometimes() {
    let p = || Pair {
        a: 0.7,
        b: vec![0.4, 1.3],
    };
    for take in 0..4 {
        check!(
            sometimes_or(&mut p(), &vec![0.6, 0.9, 1.2, 0.3, 0.8, -0.4, 0.5], const take) -> f64
        );
        check!(sometimes_or(&mut p(), &vec![0.6], const take) -> f64);
        check!(sometimes_or(&mut p(), &vec![-0.6, 0.7], const take) -> f64);
    }
}

#[adjoint]
mod overwriting {
    /// All of it.
    pub fn all(y: &mut [f64; 3], z: &f64) {
        *y = [*z, 2.0, *z * *z];
    }

    /// All of it on one way only.
    pub fn some(y: &mut [f64; 3], z: &f64, way: bool) {
        if way {
            *y = [*z; 3];
        } else {
            y[0] *= 2.0;
        }
    }

    pub fn one(y: &mut f64, z: &mut f64) {
        let t = *z;
        *z = 3.0;
        *y = t;
    }

    /// In no iteration, or in the last.
    pub fn looped(y: &mut f64, n: usize) {
        for i in 0..n {
            *y = i as f64;
        }
    }

    pub fn by_turns(y: &mut f64, z: &mut f64, depth: usize) {
        one(y, z);
        if depth > 0 {
            back(z, y, depth - 1);
        }
    }

    pub fn back(y: &mut f64, z: &mut f64, depth: usize) {
        *y = 0.5;
        if depth > 0 {
            by_turns(z, y, depth - 1);
        } else {
            one(z, y);
        }
    }

    pub fn of_constants(x: &mut [f64; 3], k: f64, n: usize) -> f64 {
        let c = 2.0;
        let before = x[0] * x[1] * k;
        for i in 0..n {
            x[2] = x[i] * k;
            *x = [k, 1.0, x[2] * k];
            all(x, &c);
            some(x, &c, i % 2 == 0);
        }
        before
    }

    pub fn of_elements(x: &mut [f64], k: f64, n: usize) -> f64 {
        let mut c = 2.0;
        let mut s = 0.0;
        for i in 0..n {
            s += x[i] * k;
            x[i] = 1.0;
            one(&mut x[i], &mut c);
            let (a, b) = x.split_at_mut(1);
            by_turns(&mut a[0], &mut b[0], i);
            looped(&mut b[0], n - 2);
        }
        s
    }

    pub fn constant_in(y: &mut f64, depth: usize, n: usize) {
        let mut c = 0.3;
        by_turns(y, &mut c, depth);
        looped(&mut c, n);
        back(y, &mut c, depth);
    }
}

#[test]
fn arguments_that_are_overwritten() {
    use overwriting::*;
    for n in 0..3 {
        check!(of_constants(&mut [0.4, 0.9, 1.3], 0.7, const n) -> f64);
        for depth in 0..4 {
            check!(by_turns(&mut 0.4, &mut 1.2, const depth));
            check!(back(&mut 0.4, &mut 1.2, const depth));
            check!(constant_in(&mut 0.4, const depth, const n));
        }
    }
    for n in 2..4 {
        check!(of_elements(&mut [0.4, 0.9, 1.3, 0.2], 0.7, const n) -> f64);
    }
}

/// Results without a default whose callers want them on some ways only, or never, but want what was written.
mod unwanted {
    use super::*;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub enum Fault {
        Empty,
        Large(usize),
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Pair {
        pub a: f64,
        pub b: f64,
    }

    #[adjoint]
    pub fn tried(x: &[f64], k: f64) -> Result<f64, Fault> {
        if x[0] > 1.4 {
            return Err(Fault::Large(x.len()));
        }
        Ok(k.atan() * x[0])
    }

    #[adjoint]
    pub fn all_written(y: &mut [f64], k: f64) -> Result<f64, Fault> {
        if y.is_empty() {
            return Err(Fault::Empty);
        }
        let mut s = k;
        for v in y.iter_mut() {
            if *v > 5.0 {
                return Err(Fault::Large(2));
            }
            *v = (*v).sin() + 0.4;
            s += tried(&[*v], s)?;
        }
        Ok(s)
    }

    #[adjoint]
    pub fn on_some_ways(y: &mut [f64], k: f64) -> f64 {
        let s = k;
        let first = all_written(y, k);
        if k > 0.4 {
            return (s + s).tanh();
        }
        let _ = all_written(y, s);
        match first {
            Err(Fault::Large(n)) => n as f64 * s,
            Err(_) => s,
            Ok(v) => v + s,
        }
    }

    #[adjoint]
    pub fn grown(y: &mut Vec<f64>, k: f64) -> Option<Pair> {
        let mut p = Pair { a: k, b: y[0] };
        y.push(p.a * p.b);
        if y[0] > 3.0 {
            return None;
        }
        p.a *= y[1];
        y.insert(0, p.a);
        p = Pair { a: p.b * k, b: p.a };
        y[2] += p.b;
        if y.len() > 7 {
            return Some(Pair { a: 1.0, ..p });
        }
        Some(p)
    }

    #[adjoint]
    pub fn grown_twice(y: &[f64], k: f64) -> f64 {
        let mut z = y.to_vec();
        let _ = grown(&mut z, k);
        let last = grown(&mut z, k * 0.5);
        let sum = z.iter().sum::<f64>();
        if k > 0.6 {
            return sum;
        }
        sum + last.map_or(k, |p| p.a * p.b)
    }
}

#[test]
fn results_that_are_wanted_on_some_ways() {
    use unwanted::*;
    for k in [0.2, 0.5, 0.9] {
        check!(on_some_ways(&mut [0.3, 0.8, 0.7], k) -> f64);
        check!(on_some_ways(&mut [0.3, 1.5, 6.0], k) -> f64);
        check!(on_some_ways(&mut [0.0f64; 0], k) -> f64);
        check!(grown_twice(&[0.3, 0.8, 1.1], k) -> f64);
        check!(grown_twice(&[0.3, 0.8, 1.1, 0.4, 1.2], k) -> f64);
        check!(grown_twice(&[3.2, 0.8], k) -> f64);
    }
}
