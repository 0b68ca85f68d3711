//! Closures and arguments that change the receiver of their call: Rust copies a `Copy` receiver first.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// The alternative of an `Option` is evaluated after the `Option`, whatever it does to it.
#[adjoint]
fn alternatives(x: f64, k: f64) -> f64 {
    let mut o = Some(x);
    let a = o.unwrap_or({
        o = None;
        k
    }) + o.unwrap_or(k * k);
    o = if x > 0.0 { Some(x * k) } else { None };
    let b = o.map_or(
        {
            o = Some(k * k);
            k
        },
        |v| v * k,
    );
    let c = o.ok_or({
        o = None;
        k * x
    });
    let d = o
        .map(|v| {
            o = Some(k);
            v * k
        })
        .unwrap_or(x);
    a * b + c.unwrap_or(x) * d * o.unwrap_or(k)
}

/// An array goes by value into its iterators.
#[adjoint]
fn arrays_by_value(x: f64, k: f64) -> f64 {
    let mut a = [x, k, x * k];
    let mut s = 0.0;
    for v in a {
        a[2] += v * s;
        s += v;
    }
    let b = a.map(|v| {
        a[2] = 3.0 * k;
        v * v
    });
    let items = a.into_iter().enumerate().map(|(i, v)| {
        if i == 0 {
            a[1] = x * x;
        }
        v * a[i]
    });
    let t: f64 = items.sum();
    s * b[0] * b[1] + b[2] * a[2] + t
}

/// Closures that change by methods what they capture: each item is made once.
#[adjoint]
fn logged(x: &[f64], k: f64) -> f64 {
    let mut log = Vec::new();
    let largest = x
        .iter()
        .map(|v| {
            log.push(v * k);
            v * 2.0
        })
        .reduce(|a, b| if b > a { b } else { a })
        .unwrap();
    let last = x
        .iter()
        .map(|v| {
            log.push(v * v);
            v * k
        })
        .last()
        .unwrap();
    let mut stack = vec![k, 2.0 * k, 3.0 * k, k * k];
    let taken: f64 = x.iter().map(|v| v * stack.pop().unwrap()).sum();
    let cubes: f64 = log.iter().map(|v| v * v * v).sum();
    largest * last * cubes + taken * stack[0]
}

/// A closure that changes variables of its own alone can be one of a pair.
#[adjoint]
fn own_variables(x: &[f64]) -> f64 {
    let powers = x.iter().map(|v| {
        let mut s = 0.0;
        for i in 0..3 {
            s += v * i as f64 + s * v;
        }
        s
    });
    let halved = x.iter().copied().map(|mut v| {
        v *= 0.5;
        v * v
    });
    powers.zip(halved).map(|(a, b)| a * b).sum()
}

#[derive(Clone, Debug, Differentiable)]
struct Gain {
    g: f64,
}

#[adjoint]
impl Gain {
    fn raise(&self, total: &mut [f64], x: f64) -> f64 {
        total[0] += x * x * self.g;
        total[0] * x
    }

    fn squared(&mut self) -> f64 {
        self.g *= self.g;
        self.g
    }
}

#[adjoint]
fn grow(row: &mut Vec<f64>) -> f64 {
    row.push(row[0] * row[1]);
    row[row.len() - 1] * row[0]
}

/// What a method is lent without a sign changes with each item.
#[adjoint]
fn lent_to_methods(x: &[f64], total: &mut [f64]) -> f64 {
    let gain = Gain { g: x[1] };
    x.iter()
        .map(|v| gain.raise(total, *v))
        .last()
        .unwrap_or(0.0)
        + total[0] * x[0]
}

/// Items that are `&mut` change, whichever of them is asked for.
#[adjoint]
fn lent_items(x: &[f64]) -> f64 {
    let mut rows = vec![x.to_vec(), vec![x[1], x[2]], x.to_vec()];
    let pushed = rows.iter_mut().map(|r| {
        r.push(r[0] * r[1]);
        r[0] * r.len() as f64
    });
    let a = pushed.last().unwrap();
    let b = rows.iter_mut().map(|r| grow(r)).last().unwrap();
    let c = rows.iter_mut().map(grow).last().unwrap();
    let mut gains = [Gain { g: x[0] }, Gain { g: x[1] }];
    let d = gains.iter_mut().map(|g| g.squared()).last().unwrap();
    a * b + c * d * gains[0].g + rows.iter().flatten().sum::<f64>()
}

/// The items before the one that is asked for are made first.
#[adjoint]
fn lent_items_by_position(x: &[f64], k: f64) -> f64 {
    let mut rows = vec![x.to_vec(), vec![k, 2.0], vec![x[1], k]];
    let a = rows.iter_mut().map(|r| grow(r)).nth(1).unwrap_or(k);
    let b = rows.iter_mut().rev().map(grow).nth(1).unwrap();
    let none = rows.iter_mut().map(grow).nth(3).unwrap_or(k);
    let mut log = Vec::new();
    let logged = x.iter().map(|v| {
        log.push(v * k);
        v * v
    });
    let c = logged.into_iter().nth(1).unwrap_or(k);
    a * b * none + c * log.iter().sum::<f64>() + rows.iter().flatten().sum::<f64>()
}

/// Patterns take references out of what is captured.
#[adjoint]
fn through_patterns(x: &[f64]) -> f64 {
    let kept = &mut Some(x.to_vec());
    let pushed = x.iter().map(|v| match kept {
        Some(all) => {
            let list = all;
            list.push(v * list[0]);
            list.len() as f64 * v
        }
        None => 0.0,
    });
    let last = pushed.last().unwrap();
    last * kept.as_ref().map_or(0.0, |all| all.iter().sum::<f64>())
}

#[test]
fn alternatives_that_change_the_option() {
    check!(alternatives(0.7, 1.3) -> f64);
    check!(alternatives(-0.4, 0.6) -> f64);
}

#[test]
fn arrays_that_change_while_their_items_are_used() {
    check!(arrays_by_value(0.7, 1.3) -> f64);
    check!(arrays_by_value(-0.4, 0.6) -> f64);
}

#[test]
fn captured_lists() {
    check!(logged(&vec![0.3, -0.7, 1.1], 1.3) -> f64);
    check!(logged(&vec![0.9, 0.2, -0.4], 0.8) -> f64);
}

#[test]
fn variables_of_the_closure() {
    check!(own_variables(&vec![0.3, -0.7, 1.1]) -> f64);
}

#[test]
fn what_is_lent_without_a_sign_changes() {
    check!(lent_to_methods(&[0.7, 1.3, 0.4], &mut [0.3]) -> f64);
    check!(lent_items(&[0.7, 1.3, 0.4]) -> f64);
    check!(lent_items_by_position(&[0.7, 1.3, 0.4], 0.6) -> f64);
    check!(through_patterns(&[0.7, 1.3, 0.4]) -> f64);
}
