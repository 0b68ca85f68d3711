//! `Option`s of references that start as `None` and are assigned in a loop: the best, the last, the previous one.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
struct P {
    x: f64,
    w: f64,
}
flat!(P { x, w });

#[adjoint]
fn of_lists(ps: &[Vec<f64>], k: f64) -> f64 {
    let mut best: Option<&Vec<f64>> = None;
    for p in ps {
        if best.map_or(true, |b| b[0] < p[0]) {
            best = Some(p);
        }
    }
    match best {
        Some(b) => b[0] * b[1],
        None => k,
    }
}

#[adjoint]
fn of_structs(ps: &[P], k: f64) -> f64 {
    let mut best: Option<&P> = None;
    for p in ps {
        if best.map_or(true, |b| b.x < p.x) {
            best = Some(p);
        }
    }
    if let Some(b) = best { b.x * b.w } else { k }
}

#[adjoint]
fn the_last(ps: &[P], k: f64) -> f64 {
    let mut best: Option<&P> = None;
    for p in ps {
        if p.x > k {
            best = Some(p);
        }
    }
    match best {
        Some(b) => b.x * b.w,
        None => k,
    }
}

#[adjoint]
fn by_match(ps: &[P], k: f64) -> f64 {
    let mut best: Option<&P> = None;
    for p in ps {
        match best {
            Some(b) if b.x >= p.x => {}
            _ => best = Some(p),
        }
    }
    let s = match best {
        Some(b) => b.x * b.w,
        None => k,
    };
    s * 2.0
}

#[adjoint]
fn with_number(ps: &[P], k: f64) -> f64 {
    let mut best: Option<(usize, &P)> = None;
    for (i, p) in ps.iter().enumerate() {
        if best.map_or(true, |(_, b)| b.x < p.x) {
            best = Some((i, p));
        }
    }
    match best {
        Some((i, b)) => b.x * b.w * i as f64,
        None => k,
    }
}

#[adjoint]
fn written(ps: &mut [P], k: f64) {
    let mut best: Option<&mut P> = None;
    for p in ps.iter_mut() {
        if p.x > k {
            best = Some(p);
        }
    }
    if let Some(b) = best {
        b.w *= b.x * k;
    }
}

#[adjoint]
fn differences(ps: &[P], k: f64) -> f64 {
    let mut prev: Option<&P> = None;
    let mut s = 0.0;
    for p in ps {
        if let Some(q) = prev {
            s += (p.x - q.x) * q.w;
        }
        prev = Some(p);
    }
    s * k
}

#[adjoint]
fn of_numbers(a: &[f64], k: f64) -> f64 {
    let mut m: Option<&f64> = None;
    for v in a {
        if m.is_none_or(|b| v > b) {
            m = Some(v);
        }
    }
    m.copied().unwrap_or(k) * k
}

#[adjoint]
mod seen {
    use super::P;

    pub fn of_structs(ps: &[P], k: f64) -> f64 {
        let mut best: Option<&P> = None;
        for p in ps {
            if best.map_or(true, |b| b.x < p.x) {
                best = Some(p);
            }
        }
        match best {
            Some(b) => b.x * b.w,
            None => k,
        }
    }
}

#[test]
fn references_kept_from_loops() {
    let p = |x, w| P { x, w };
    for ps in [vec![], vec![p(0.5, 0.3), p(0.9, 0.7), p(0.4, 0.2)]] {
        check!(of_structs(&ps, 0.45) -> f64);
        check!(the_last(&ps, 0.45) -> f64);
        check!(by_match(&ps, 0.45) -> f64);
        check!(with_number(&ps, 0.45) -> f64);
        check!(written(&mut ps, 0.45));
        check!(differences(&ps, 0.45) -> f64);
        check!(seen::of_structs(&ps, 0.45) -> f64);
    }
    check!(of_lists(&vec![vec![0.5, 0.3], vec![0.7, 0.9], vec![0.6, 0.1]], 0.45) -> f64);
    check!(of_numbers(&[0.1, 0.7, 0.3], 0.45) -> f64);
}
