//! Values of types that the macro does not see, from a `match` or an `if` whose other arms leave.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct State {
    a: f64,
    b: f64,
}

#[adjoint]
fn step(s: &State, h: f64) -> Result<State, String> {
    if s.a > 10.0 {
        return Err("too large".to_string());
    }
    Ok(State {
        a: s.a + h * s.b,
        b: s.b - h * s.a,
    })
}

#[adjoint]
fn passed_on(x: f64, n: usize) -> Result<f64, String> {
    let mut s = State { a: x, b: 1.0 };
    let mut i = 0;
    loop {
        let next = match step(&s, 0.1) {
            Ok(v) => v,
            Err(e) => return Err(e),
        };
        s = next;
        i += 1;
        if i >= n {
            break;
        }
    }
    Ok(s.a * s.b)
}

#[adjoint]
fn or_nothing(x: f64, n: usize) -> f64 {
    passed_on(x, n).unwrap_or(x * x)
}

#[adjoint]
fn two_ways_stay(x: f64, n: usize) -> f64 {
    let mut s = State { a: x, b: 1.0 };
    for i in 0..n {
        let next = match step(&s, 0.1) {
            Ok(v) => v,
            Err(_) if i > 2 => return s.a * s.a,
            Err(_) => State {
                a: s.b * 0.5,
                b: s.a,
            },
        };
        s = next;
    }
    s.a * s.b
}

#[adjoint]
fn one_after_another(x: f64, n: usize) -> f64 {
    let mut s = State { a: x, b: 1.0 };
    let mut t = 0.0;
    let mut i = 0;
    while i < n {
        i += 1;
        let Ok(next) = step(&s, 0.1 * s.a) else { break };
        let other = match step(&next, 0.3) {
            Ok(other) => other,
            Err(_) => {
                t += next.a;
                s = next;
                continue;
            }
        };
        t += next.a * other.b;
        s = other;
    }
    t + s.a * s.b
}

#[adjoint]
fn declared_before(x: f64, n: usize) -> f64 {
    let mut s = State { a: x, b: 1.0 };
    let mut t = 0.0;
    for i in 0..n {
        let next;
        if s.a * s.b < 8.0 {
            next = State {
                a: s.a * 1.5,
                b: s.b * s.a,
            };
        } else if i == 1 {
            return t + s.a;
        } else {
            t += s.b;
            continue;
        }
        t += next.a * next.b;
        s = next;
    }
    t + s.a * s.b
}

/// The type of the error stands in the signature alone.
#[adjoint]
fn with_a_text(x: &[f64]) -> Result<f64, (f64, String)> {
    let mut s = 0.0;
    for (i, v) in x.iter().enumerate() {
        if *v < 0.0 {
            return Err((*v * s, format!("negative: {i}")));
        }
        s += v.sqrt();
    }
    Ok(s)
}

#[adjoint]
fn either(x: &[f64]) -> f64 {
    match with_a_text(x) {
        Ok(v) => v * x[0],
        Err((v, _)) => v * v * x[1],
    }
}

#[adjoint]
fn with_a_name(x: &[f64]) -> Result<State, (usize, f64, &'static str)> {
    let mut s = State { a: 0.0, b: 1.0 };
    let mut i = 0;
    while i < x.len() {
        if x[i] * s.b < 0.0 {
            return Err((i, x[i] * s.a, "negative"));
        }
        s = State {
            a: s.a + x[i] * s.b,
            b: s.b * x[i],
        };
        i += 1;
    }
    Ok(s)
}

#[adjoint]
fn either_state(x: &[f64]) -> f64 {
    match with_a_name(x) {
        Ok(s) => s.a * s.b,
        Err((i, v, _)) => v * v * x[i],
    }
}

#[adjoint]
fn raise(y: &mut f64, b: f64) {
    *y *= b;
}

/// Several loops are left at once, and what one way makes is used further in.
#[adjoint]
fn several_at_once(x: &[f64], k: f64) -> f64 {
    let mut s = State { a: k, b: 1.0 };
    let mut t = 0.0;
    'rows: for (i, v) in x.iter().enumerate() {
        let kept;
        if v.is_nan() {
            continue 'rows;
        }
        let next = match step(&s, *v * 9.0) {
            Ok(n) => {
                kept = n.clone();
                n
            }
            Err(_) if i > 2 => break 'rows,
            Err(_) => {
                t += s.a * v;
                s.a *= 0.3;
                continue;
            }
        };
        let other;
        for _ in 0..i {
            let inner = match step(&next, t) {
                Ok(q) => q,
                Err(_) => continue 'rows,
            };
            t += inner.a * kept.a;
            if t > 50.0 {
                return t * next.a;
            }
        }
        if t > 0.3 {
            other = State { a: t.sin(), b: t };
            t += other.a * next.b;
        } else {
            t -= next.a;
        }
        s = next;
        raise(&mut s.a, 1.0 + t * 0.01);
    }
    t * s.a + k
}

#[test]
fn loops_are_left_and_go_on_from_inner_ones() {
    for k in [0.21, 0.4, 1.3, 2.6, 8.7, 11.3] {
        check!(several_at_once(&vec![], k) -> f64);
        check!(several_at_once(&vec![0.3, 0.5, 1.2, 0.9, 2.0], k) -> f64);
        check!(several_at_once(&vec![-0.3, 2.5, -1.2, 0.9], k) -> f64);
    }
    let (x, mut x_adj, mut k_adj) = ([0.3, f64::NAN, 1.2], [0.0; 3], 0.0);
    let value = several_at_once_adjoint(&x, &mut x_adj, 0.4, &mut k_adj, 1.0);
    assert_eq!(value, several_at_once(&x, 0.4));
    assert!(x_adj[0] != 0.0 && x_adj[0].is_finite() && k_adj.is_finite());
    assert_eq!(x_adj[1], 0.0);
}

#[test]
fn values_that_are_made_on_one_way_only() {
    for n in 0..5 {
        for x in [0.3, 1.3, 4.3, 7.3, 9.87, 11.3] {
            check!(or_nothing(x, const n) -> f64);
            check!(two_ways_stay(x, const n) -> f64);
            check!(one_after_another(x, const n) -> f64);
            check!(declared_before(x, const n) -> f64);
        }
    }
}

#[test]
fn errors_of_several_parts_leave_loops() {
    for x in [
        vec![0.3, 1.2, 0.7, 2.0],
        vec![0.4, -0.7],
        vec![0.4, 0.8, -0.3, 0.8],
    ] {
        check!(either(&x) -> f64);
        check!(either_state(&x) -> f64);
    }
    let mut x_adj = [0.0; 2];
    let left = with_a_text_adjoint(&[4.0, -3.0], &mut x_adj, Err((1.0, String::new())));
    assert_eq!(left, Err((-6.0, "negative: 1".to_string())));
    assert_eq!(x_adj, [-0.75, 2.0]);
}
