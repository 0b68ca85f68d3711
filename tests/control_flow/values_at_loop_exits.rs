//! Values of types without a default that loops assign, store in `Option`s or leave with.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Vec2 {
    x: f64,
    y: f64,
}

flat!(Vec2 { x, y });

/// A value of a type without a default, returned from within a loop or behind it.
#[adjoint]
fn first_of(x: &[f64], k: f64) -> Vec2 {
    let mut at = Vec2 { x: k, y: k * k };
    for (i, v) in x.iter().enumerate() {
        if *v > 1.0 {
            let y = at.y * v;
            return Vec2 { x: *v, y };
        }
        at.x += v.sin() * k;
        for w in &x[i..] {
            if w * v < -2.0 {
                return Vec2 { x: w * at.x, y: *v };
            }
            at.y *= 1.0 + 0.1 * w * at.x;
        }
    }
    at
}

#[adjoint]
fn of_first(x: &[f64], k: f64) -> f64 {
    let at = first_of(x, k);
    at.x * at.y.cos()
}

#[test]
fn values_without_a_default_are_returned_from_loops() {
    check!(of_first(&vec![0.4, -0.3, 0.2], 0.7) -> f64);
    check!(of_first(&vec![0.4, 1.3, 2.2], 0.7) -> f64);
    check!(of_first(&vec![0.4, 0.9, -2.8, 0.6], 0.7) -> f64);
    check!(of_first(&vec![1.4], 0.7) -> f64);
}

/// A variable that is assigned where the loop is left, by a call that alone tells its type.
#[adjoint]
fn found_in_loop(x: &[f64], k: f64) -> f64 {
    let at;
    let mut i = 0;
    loop {
        if x[i] > 1.0 {
            at = first_of(&x[i..], k);
            break;
        }
        i += 1;
        if i == x.len() {
            at = first_of(x, k * k);
            break;
        }
    }
    at.x * at.y
}

#[test]
fn variables_are_assigned_where_loops_are_left() {
    check!(found_in_loop(&vec![0.4, -0.3, 0.2], 0.7) -> f64);
    check!(found_in_loop(&vec![0.4, 1.3, 2.2], 0.7) -> f64);
}

/// The nearest of many, kept as a struct in an `Option` that is matched again and again.
#[adjoint]
mod nearest {
    use adjoint::Differentiable;

    #[derive(Clone, Copy, Debug, Differentiable)]
    pub struct Hit {
        pub t: f64,
        pub n: f64,
    }

    pub fn hit(group: &Option<Vec<Hit>>, x: f64) -> Option<Hit> {
        match group {
            None => None,
            Some(all) => {
                let mut best: Option<Hit> = None;
                for s in all.iter() {
                    let h = Hit {
                        t: s.t * x,
                        n: x + s.n,
                    };
                    best = match best {
                        Some(b) if b.t <= h.t => Some(b),
                        _ => Some(h),
                    };
                }
                best
            }
        }
    }

    pub fn of_both(t: &[f64], x: f64) -> f64 {
        let all = t.iter().map(|t| Hit { t: *t, n: t * x });
        let group = Some(all.collect::<Vec<Hit>>());
        let first = hit(&group, x).map_or(x, |h| h.t * h.n);
        hit(&None, first).map_or(first, |h| h.n)
    }
}

#[adjoint]
fn nearest_made_here(t: &[f64], x: f64) -> f64 {
    let mut best: Option<nearest::Hit> = None;
    for s in t {
        let h = nearest::Hit { t: s * x, n: x };
        best = match best {
            Some(b) if b.t <= h.t => Some(b),
            _ => Some(h),
        };
    }
    match best {
        Some(b) => b.t * b.n,
        None => x,
    }
}

#[test]
fn the_nearest_is_kept_in_an_option() {
    for t in [vec![0.8, 0.3, 0.5], vec![0.2, 0.9], Vec::new()] {
        check!(nearest::of_both(&t, 0.7) -> f64);
        check!(nearest_made_here(&t, -0.7) -> f64);
    }
}
