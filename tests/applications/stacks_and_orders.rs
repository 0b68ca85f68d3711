//! Computations that depend on enums, on the contents of a stack, and on the order of values.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
enum Op {
    Push(usize),
    Const(f64),
    Add,
    Mul,
    Sin,
}
#[adjoint(wrt(vars))]
fn eval_rpn(ops: &[Op], vars: &[f64]) -> f64 {
    let mut stack: Vec<f64> = Vec::new();
    for op in ops {
        match op {
            Op::Push(i) => stack.push(vars[*i]),
            Op::Const(c) => stack.push(*c),
            Op::Add => {
                let b = stack.pop().unwrap();
                let a = stack.pop().unwrap();
                stack.push(a + b);
            }
            Op::Mul => {
                let b = stack.pop().unwrap();
                let a = stack.pop().unwrap();
                stack.push(a * b);
            }
            Op::Sin => {
                let a = stack.pop().unwrap();
                stack.push(a.sin());
            }
        }
    }
    stack.pop().unwrap()
}
#[adjoint]
fn formula(vars: &[f64]) -> f64 {
    eval_rpn(
        &[
            Op::Push(0),
            Op::Push(1),
            Op::Mul,
            Op::Sin,
            Op::Push(0),
            Op::Add,
            Op::Const(2.0),
            Op::Mul,
        ],
        vars,
    )
}
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Call,
    Put,
}
#[adjoint(wrt(s, k, r, sigma, t))]
fn crr(kind: Kind, s: f64, k: f64, r: f64, sigma: f64, t: f64, n: usize) -> f64 {
    let dt = t / n as f64;
    let u = (sigma * dt.sqrt()).exp();
    let d = u.recip();
    let p = ((r * dt).exp() - d) / (u - d);
    let disc = (-r * dt).exp();
    let payoff = |spot: f64| match kind {
        Kind::Call => (spot - k).max(0.0),
        Kind::Put => (k - spot).max(0.0),
    };
    let mut v: Vec<f64> = (0..=n)
        .map(|i| payoff(s * u.powi(2 * i as i32 - n as i32)))
        .collect();
    for step in (0..n).rev() {
        for i in 0..=step {
            let hold = disc * (p * v[i + 1] + (1.0 - p) * v[i]);
            let spot = s * u.powi(2 * i as i32 - step as i32);
            v[i] = hold.max(payoff(spot));
        }
    }
    v[0]
}

#[adjoint]
fn put(s: f64, k: f64, r: f64, sigma: f64, t: f64) -> f64 {
    crr(Kind::Put, s, k, r, sigma, t, 6) + crr(Kind::Call, s, k, r, sigma, t, 5)
}
#[adjoint]
fn while_let_stack(x: &[f64]) -> f64 {
    let mut stack = vec![(0usize, x.len())];
    let mut total = 0.0;
    while let Some((lo, hi)) = stack.pop() {
        if hi - lo <= 1 {
            total += x[lo] * x[lo] * (lo + 1) as f64;
            continue;
        }
        let mid = (lo + hi) / 2;
        stack.push((lo, mid));
        stack.push((mid, hi));
        total *= 1.1;
    }
    total
}
#[adjoint]
fn quicksort(v: Vec<f64>) -> Vec<f64> {
    if v.len() <= 1 {
        return v;
    }
    let pivot = v[0];
    let left: Vec<f64> = v[1..].iter().filter(|&&a| a < pivot).cloned().collect();
    let right: Vec<f64> = v[1..].iter().filter(|&&a| a >= pivot).cloned().collect();
    let mut out = quicksort(left);
    out.push(pivot);
    out.extend(quicksort(right));
    out
}
#[adjoint]
fn quicksort_sum(x: &[f64]) -> f64 {
    quicksort(x.to_vec())
        .iter()
        .enumerate()
        .map(|(i, v)| v * (i as f64 + 1.0))
        .sum()
}
#[adjoint]
fn bubble(x: &mut [f64]) {
    let n = x.len();
    let mut swapped = true;
    while swapped {
        swapped = false;
        for i in 1..n {
            if x[i - 1] > x[i] {
                x.swap(i - 1, i);
                swapped = true;
            }
        }
    }
    for i in 0..n {
        x[i] *= i as f64;
    }
}
#[adjoint]
fn insertion(x: &mut Vec<f64>) {
    for i in 1..x.len() {
        let key = x[i];
        let mut j = i;
        while j > 0 && x[j - 1] > key {
            x[j] = x[j - 1];
            j -= 1;
        }
        x[j] = key;
    }
    for (i, v) in x.iter_mut().enumerate() {
        *v = v.powi(i as i32 + 1);
    }
}
#[adjoint]
fn two_pointers(x: &[f64], y: &[f64]) -> Vec<f64> {
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::with_capacity(x.len() + y.len());
    while i < x.len() && j < y.len() {
        if x[i] <= y[j] {
            out.push(x[i] * 2.0);
            i += 1;
        } else {
            out.push(y[j] * 3.0);
            j += 1;
        }
    }
    out.extend_from_slice(&x[i..]);
    out.extend_from_slice(&y[j..]);
    out
}
#[adjoint]
fn dp_table(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len(), b.len());
    let mut d = vec![vec![f64::INFINITY; m + 1]; n + 1];
    d[0][0] = 0.0;
    for i in 1..=n {
        for j in 1..=m {
            let c = (a[i - 1] - b[j - 1]).powi(2);
            d[i][j] = c + d[i - 1][j].min(d[i][j - 1]).min(d[i - 1][j - 1]);
        }
    }
    d[n][m]
}
#[adjoint]
fn recursion_memo(n: usize, x: f64, memo: &mut Vec<Option<f64>>) -> f64 {
    if let Some(v) = memo[n] {
        return v;
    }
    let v = match n {
        0 => 1.0,
        1 => x,
        _ => 2.0 * x * recursion_memo(n - 1, x, memo) - recursion_memo(n - 2, x, memo),
    };
    memo[n] = Some(v);
    v
}
#[adjoint]
fn cheb(x: f64) -> f64 {
    let mut memo = vec![None; 7];
    recursion_memo(6, x, &mut memo)
}
#[adjoint]
fn labeled(x: &[f64]) -> f64 {
    let mut s = 0.0;
    'outer: for i in 0..x.len() {
        for j in 0..x.len() {
            if x[i] * x[j] > 2.5 {
                break 'outer;
            }
            if x[j] < 0.0 {
                continue 'outer;
            }
            s += x[i].sin() * x[j];
        }
        s *= 1.5;
    }
    s
}

#[test]
fn formulas() {
    check!(formula(&vec![0.4, 1.3]) -> f64);
}

#[test]
fn options_on_a_tree() {
    check!(put(100.0, 105.0, 0.03, 0.25, 0.5) -> f64);
}

#[test]
fn orders() {
    let x = vec![0.7, 1.3, -0.4, 2.1];
    check!(while_let_stack(&x) -> f64);
    check!(quicksort_sum(&x) -> f64);
    check!(bubble(&mut x));
    check!(insertion(&mut x));
    check!(two_pointers(&vec![0.1, 0.5], &vec![0.3, 0.7, 0.9]) -> &Vec<f64>);
    check!(labeled(&x) -> f64);
}

#[test]
fn tables_that_are_filled() {
    check!(dp_table(&vec![0.7, 1.3, -0.4, 2.1], &vec![0.5, 1.0, 0.1]) -> f64);
    check!(cheb(0.4) -> f64);
}
