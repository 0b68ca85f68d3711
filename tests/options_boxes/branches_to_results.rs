//! Branches that give an `Option` or a `Result` of a type without a default.

use adjoint::adjoint;

use crate::common::check;
use crate::common::types::{Fault, Vec2};

#[adjoint]
fn logarithm(x: f64, i: usize) -> Result<f64, Fault> {
    if x < 0.0 {
        Err(Fault::Negative(i))
    } else if x == 0.0 {
        Err(Fault::Zero)
    } else {
        Ok(x.ln())
    }
}

#[adjoint]
fn by_match(x: f64, i: usize) -> Result<Vec2, Fault> {
    match i {
        0 => Err(Fault::Zero),
        1 if x > 1.0 => Err(Fault::Large { by: x * x - 1.0 }),
        _ => Ok(Vec2 { x: x.sin(), y: x }),
    }
}

#[adjoint]
fn optional(x: f64) -> Option<Vec2> {
    if x < 0.5 {
        None
    } else {
        Some(Vec2 { x, y: x * x })
    }
}

#[adjoint]
fn boxed(x: f64) -> Option<Box<Vec2>> {
    if x < 0.5 {
        None
    } else {
        Some(Box::new(Vec2 { x, y: x.exp() }))
    }
}

#[adjoint]
fn from_option(x: f64) -> Result<f64, Fault> {
    let v = if x > 0.0 { Some(x.ln()) } else { None };
    v.ok_or(Fault::Zero)
}

#[adjoint]
fn one(x: f64, i: usize) -> f64 {
    let log = match logarithm(x, i) {
        Ok(v) => v,
        Err(Fault::Negative(at)) => x * at as f64,
        Err(_) => 3.0 * x,
    };
    let vec = match by_match(x, i) {
        Ok(v) => v.x * v.y,
        Err(Fault::Large { by }) => by * x,
        Err(_) => x,
    };
    let option = if let Some(v) = optional(x) {
        v.x * v.y
    } else {
        x
    };
    let held = if let Some(v) = boxed(x) { v.x * v.y } else { x };
    log * vec + option * held + from_option(x).unwrap_or(x)
}

/// The values never leave the function.
#[adjoint]
fn inside(x: &[f64], n: usize) -> f64 {
    let mut s = 0.0;
    for (i, &v) in x.iter().enumerate() {
        let outcome: Result<Vec2, Fault> = if v < 0.0 {
            Err(Fault::Large { by: v * s })
        } else if i == n {
            break;
        } else {
            Ok(Vec2 { x: v * v, y: s })
        };
        let found = if s > 0.3 {
            Some(Vec2 { x: s, y: v })
        } else {
            None
        };
        s += match (&outcome, &found) {
            (Ok(a), Some(b)) => a.x * b.y + a.y,
            (Ok(a), None) => a.x.sin(),
            (Err(Fault::Large { by }), _) => *by,
            (Err(_), _) => 0.0,
        };
    }
    s
}

/// A struct that is set on some ways out of the loop only.
#[adjoint]
fn found_late(x: &[f64]) -> f64 {
    let best;
    let mut i = 0;
    loop {
        if i == x.len() {
            best = Vec2 { x: 1.0, y: x[0] };
            break;
        }
        if x[i] > 0.6 {
            best = Vec2 {
                x: x[i],
                y: x[i].cos(),
            };
            break;
        }
        i += 1;
    }
    best.x * best.y
}

/// The question mark, behind other methods.
#[adjoint]
fn all(x: &[f64]) -> Result<f64, Fault> {
    let mut s = 1.0;
    for (i, &v) in x.iter().enumerate() {
        let log = logarithm(v, i)?;
        let scaled = by_match(log, i + 1)?;
        s *= if scaled.x > 0.2 {
            from_option(scaled.x)?
        } else {
            scaled.y
        };
    }
    Ok(s)
}

#[adjoint]
fn all_or(x: &[f64]) -> f64 {
    match all(x) {
        Ok(v) => v,
        Err(Fault::Negative(i)) => x[i] * x[0],
        Err(Fault::Large { by }) => by,
        Err(Fault::Zero) => 0.0,
    }
}

#[test]
fn outcomes_of_branches() {
    for x in [-0.4, 0.3, 0.8, 1.7] {
        for i in 0..3 {
            check!(one(x, const i) -> f64);
        }
    }
    let x = vec![0.3, 0.9, -0.4, 0.7, 1.2, 0.5];
    for n in 0..7 {
        check!(inside(&x, const n) -> f64);
        check!(found_late(&x[..n.max(1)].to_vec()) -> f64);
        check!(all_or(&x[..n].to_vec()) -> f64);
    }
    check!(all_or(&vec![1.3, 6.0, 2.0]) -> f64);
}

/// What is exchanged for a constant has no influence any more, and the caller's adjoint says so.
#[adjoint]
fn exchanged(y: &mut Option<f64>, k: f64) -> f64 {
    let mut other = Some(2.0);
    std::mem::swap(y, &mut other);
    k
}

#[adjoint]
fn emptied(y: &mut Option<f64>) {
    let mut other = None;
    std::mem::swap(y, &mut other);
}

#[adjoint]
fn replaced(y: &mut Vec<f64>) {
    let mut other = vec![1.0];
    std::mem::swap(y, &mut other);
}

#[adjoint]
fn exchanges(x: f64, k: f64) -> f64 {
    let mut y = Some(x * k);
    let before = y.unwrap_or(0.0);
    let r = exchanged(&mut y, k);
    let between = y.unwrap_or(x);
    emptied(&mut y);
    let mut list = vec![x, between, k];
    let sum: f64 = list.iter().map(|v| v * v).sum();
    replaced(&mut list);
    before * r + between * k + y.unwrap_or(k * x) * list[0] + sum
}

#[test]
fn exchanges_for_constants() {
    let (mut y, mut y_adj, mut k_adj) = (Some(3.0), Some(1.0), 0.0);
    assert_eq!(
        exchanged_adjoint(&mut y, &mut y_adj, 0.5, &mut k_adj, 1.0),
        0.5
    );
    assert_eq!((y, y_adj, k_adj), (Some(2.0), Some(0.0), 1.0));
    let (mut y, mut y_adj) = (vec![3.0, 1.0], vec![5.0]);
    replaced_adjoint(&mut y, &mut y_adj);
    assert_eq!((y, y_adj), (vec![1.0], vec![0.0, 0.0]));
    check!(exchanges(0.7, 1.3) -> f64);
}

/// Nothing but the ends of the closure, or what is done with the whole, tells of which type the items are.
#[adjoint]
fn told_by_ends(x: &[f64]) -> Result<f64, Fault> {
    let sum: Result<f64, Fault> = x.iter().try_fold(0.1, |s, v| Ok(s + logarithm(*v, 1)? * s));
    let by_name = x.iter().try_fold(0.3, |s, v| {
        if s > 40.0 {
            return Err(Fault::Large { by: s });
        }
        Ok(s * logarithm(v + s, 2)?)
    })?;
    let optional = x.iter().map(|v| Some(s_of(optional(*v)?))).last();
    Ok(sum? * by_name + optional.flatten().unwrap_or(x[0]))
}

#[adjoint]
fn s_of(v: Vec2) -> f64 {
    v.x * v.y
}

#[adjoint]
fn told_by_the_whole(x: &[f64]) -> Result<f64, Fault> {
    let sum = x.iter().try_fold(0.2, |s, v| scaled(s, *v))?;
    x.iter().try_for_each(|v| tested(*v))?;
    let last: Result<f64, Fault> = x.iter().try_fold(sum, |s, v| scaled(*v, s));
    Ok(last? * sum)
}

#[adjoint]
fn scaled(s: f64, v: f64) -> Result<f64, Fault> {
    Ok(s.cos() + logarithm(v, 3)?)
}

#[adjoint]
fn tested(v: f64) -> Result<(), Fault> {
    if v > 9.0 {
        Err(Fault::Large { by: v - 9.0 })
    } else {
        Ok(())
    }
}

#[adjoint]
fn told(x: &[f64]) -> f64 {
    let whole = match told_by_the_whole(x) {
        Ok(v) => v,
        Err(Fault::Large { by }) => by * by,
        Err(_) => x[0],
    };
    match told_by_ends(x) {
        Ok(v) => v * whole,
        Err(Fault::Large { by }) => by * by * whole,
        Err(_) => x[0] * whole,
    }
}

#[test]
fn closures_and_folds_tell_the_types_of_what_they_try() {
    check!(told(&vec![0.4, 1.3, 2.2]) -> f64);
    check!(told(&vec![0.4, -1.3, 2.2]) -> f64);
    check!(told(&vec![0.4, 0.0, 2.2]) -> f64);
    check!(told(&vec![9.4, 11.0, 42.2]) -> f64);
}

/// What `?` converts without floats in it.
#[adjoint]
mod converted {
    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub enum Inner {
        Singular(usize),
    }

    #[derive(Clone, Debug, adjoint::Differentiable)]
    pub enum Outer {
        Step(Inner),
        Large(f64),
    }

    pub fn root(x: f64) -> Result<f64, Inner> {
        match x > 0.0 {
            true => Ok(x.sqrt()),
            false => Err(Inner::Singular(1)),
        }
    }

    pub fn step(x: f64) -> Result<f64, Outer> {
        let y = root(x).map_err(Outer::Step)?;
        if y > 3.0 {
            return Err(Outer::Large(y));
        }
        Ok(y * x)
    }

    pub fn last_two(x: &[f64]) -> Result<f64, String> {
        let mut stack = x.to_vec();
        let a = stack.pop().ok_or("underflow")?;
        let b = stack.pop().ok_or_else(|| format!("only {}", x.len()))?;
        Ok(a * b)
    }

    pub fn all(x: &[f64]) -> f64 {
        let step = match step(x[0]) {
            Ok(y) => y,
            Err(Outer::Large(y)) => y * y,
            Err(Outer::Step(Inner::Singular(n))) => n as f64 * x[0],
        };
        step * last_two(x).map_or(x[0], |v| v * v)
    }
}

#[test]
fn errors_are_converted() {
    for x in [vec![0.4, 0.9], vec![-0.4, 0.9], vec![0.7], vec![11.0, 0.2]] {
        check!(converted::all(&x) -> f64);
    }
}
