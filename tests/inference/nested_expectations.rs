//! Values within others (`Some(..)`, tuples, lists, operands of `return`), whose expected type comes from the whole.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
pub struct Pair {
    pub x: f64,
    pub y: f64,
}

flat!(Pair { x, y });

#[adjoint]
impl From<(f64, f64)> for Pair {
    fn from((x, y): (f64, f64)) -> Pair {
        Pair { x: x * y, y }
    }
}

#[adjoint]
fn in_a_list(x: f64) -> f64 {
    let pairs: Vec<Pair> = vec![(x, x * x).into(), Pair { x, y: 2.0 }];
    let array: [Pair; 2] = [(x, 3.0).into(), pairs[0]];
    pairs[0].x * pairs[0].y * pairs[1].x + array[0].x * array[1].y
}

#[adjoint]
fn in_repeats_and_pushes(x: f64, n: usize) -> Vec<Pair> {
    if n == 0 {
        return vec![(x, 2.0).into(); 2];
    }
    let start: [Pair; 2] = [(x, x).into(); 2];
    let mut pairs: Vec<Pair> = start.to_vec();
    for k in 0..n {
        pairs.push((x, k as f64).into());
        pairs.insert(k, (pairs[k].x, x).into());
    }
    let mut thirds: Vec<[f64; 3]> = Vec::new();
    thirds.push(std::array::from_fn(|i| x * (i + n) as f64));
    pairs.push((thirds[0][1], thirds[0][2]).into());
    pairs
}

#[adjoint]
fn in_a_tuple(x: f64) -> (Pair, f64) {
    ((x, x * 2.0).into(), x)
}

#[adjoint]
fn in_an_option(x: f64, n: usize) -> f64 {
    let pair: Option<Pair> = if n > 1 { Some((x, x * x).into()) } else { None };
    pair.map_or(x, |pair| pair.x * pair.y)
}

#[adjoint]
fn converted(x: f32, y: f64) -> f64 {
    let t: (f64, f64) = (x.into(), y);
    let some: Option<f64> = Some(x.into());
    let both: [f64; 2] = [x.into(), some.unwrap()];
    let wrapped: Option<f64> = y.into();
    t.0 * y + both[0] * both[1] + f64::max(x.into(), y) * wrapped.unwrap()
}

#[adjoint]
fn collected(x: &[f64]) -> (Vec<f64>, [f64; 2]) {
    if x[0] < 0.0 {
        return (Vec::new(), std::array::from_fn(|i| x[i] * x[0]));
    }
    let squares = x.iter().map(|v| v * v).collect();
    (squares, std::array::from_fn(|i| x[i] * 2.0))
}

#[adjoint]
fn boxed(x: &[f64]) -> (Box<[f64]>, f64) {
    (x.iter().map(|v| v.sin()).collect(), x[0])
}

#[adjoint]
fn returned(x: &[f64]) -> [f64; 3] {
    for k in 0..x.len() {
        if x[k] > 1.0 {
            return std::array::from_fn(|i| x[k] * (i + k) as f64);
        }
    }
    x[..3].try_into().unwrap()
}

mod attempts {
    use adjoint::adjoint;

    #[adjoint]
    pub fn head(x: &[f64]) -> Option<[f64; 3]> {
        if x.len() < 3 {
            return None;
        }
        Some(x[..3].try_into().unwrap())
    }

    #[adjoint]
    pub fn sines(x: &[f64]) -> Option<Box<[f64]>> {
        if x.len() > 3 {
            return Some(x.iter().map(|v| v.sin()).collect());
        }
        None
    }

    #[adjoint]
    pub fn powers(x: f64) -> Result<(Vec<f64>, [f64; 2]), String> {
        if x > 0.0 {
            let powers = (0..4).map(|k| x.powi(k)).collect();
            Ok((powers, std::array::from_fn(|i| x + i as f64)))
        } else {
            Err("negative".into())
        }
    }
}

#[adjoint]
fn attempted(x: &[f64]) -> f64 {
    let mut s = x[0];
    if let Some(h) = attempts::head(x) {
        s += h[0] * h[2];
    }
    let sines: Option<Box<[f64]>> = attempts::sines(x);
    if let Some(b) = &sines {
        s *= b[3];
    }
    match attempts::powers(s) {
        Ok((powers, both)) => powers[3] * both[1],
        Err(_) => s,
    }
}

#[test]
fn told_by_the_type_of_the_whole() {
    check!(in_a_list(0.7) -> f64);
    check!(in_a_tuple(0.7) -> (Pair, f64));
    for n in 0..3 {
        check!(in_an_option(0.7, const n) -> f64);
        check!(in_repeats_and_pushes(0.7, const n) -> &Vec<Pair>);
    }
    check!(converted(0.7_f32, 1.3) -> f64);
    let x = [0.4, -0.6, 0.9, 1.7];
    for n in 1..=4 {
        check!(attempted(&x[..n].to_vec()) -> f64);
        check!(attempted(&x[4 - n..].to_vec()) -> f64);
    }
    check!(returned(&x.to_vec()) -> [f64; 3]);
    check!(returned(&x[..3].to_vec()) -> [f64; 3]);
    check!(boxed(&x.to_vec()) -> (Box<[f64]>, f64));
    check!(collected(&x.to_vec()) -> (Vec<f64>, [f64; 2]));
    check!(collected(&x[1..].to_vec()) -> (Vec<f64>, [f64; 2]));
}

/// A type within another does not tell whether an array made of a slice is a reference to it.
#[adjoint]
fn written_within_a_tuple(x: &mut [f64], y: f64) -> f64 {
    let (p, q): (&mut [f64; 2], f64) = ((&mut x[..2]).try_into().unwrap(), y);
    p[0] *= q;
    p[1] += p[0] * q;
    let (first, k): (&mut [f64; 2], f64) = (x.first_chunk_mut().unwrap(), y);
    first[1] *= k;
    x[0] * x[1]
}

#[adjoint]
fn written_within_an_option(x: &mut [f64], y: f64) -> f64 {
    let part: Option<&mut [f64; 2]> = Some((&mut x[1..3]).try_into().unwrap());
    if let Some(p) = part {
        p[0] *= y;
        p[1] += p[0];
    }
    x[1] * x[2]
}

#[test]
fn written_through_parts_of_tuples_and_options() {
    check!(written_within_a_tuple(&mut vec![0.3, 1.2, 0.5], 0.7) -> f64);
    check!(written_within_an_option(&mut vec![0.3, 1.2, 0.5], 0.7) -> f64);
}
