//! Double-ended queues: delay lines, moving averages, histories, orders in which nodes are visited.

use std::collections::VecDeque;

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn delay(x: &[f64], d: usize, feedback: f64) -> Vec<f64> {
    let mut line: VecDeque<f64> = VecDeque::from(vec![0.25; d]);
    let mut out = Vec::with_capacity(x.len());
    for &s in x {
        let old = line.pop_front().unwrap();
        let y = s + feedback * old;
        line.push_back(y);
        out.push(y * y);
    }
    out
}

#[adjoint]
fn moving(x: &[f64], n: usize) -> f64 {
    let mut window = VecDeque::with_capacity(n);
    let (mut sum, mut best) = (0.0, 0.0);
    for v in x {
        window.push_back(*v);
        sum += v;
        if window.len() > n {
            sum -= window.pop_front().unwrap();
        }
        if let (Some(first), Some(last)) = (window.front(), window.back()) {
            best += sum / window.len() as f64 * (last - first);
        }
    }
    best + window
        .iter()
        .rev()
        .enumerate()
        .map(|(k, v)| v * v * k as f64)
        .sum::<f64>()
}

/// Two-loop recursion over a history of pairs.
#[adjoint]
fn direction(g: &[f64], steps: usize) -> f64 {
    let mut history: VecDeque<(Vec<f64>, f64)> = VecDeque::new();
    let mut q = g.to_vec();
    for k in 0..steps {
        if history.len() == 2 {
            history.pop_front();
        }
        let s: Vec<f64> = q.iter().map(|v| v.sin() + k as f64).collect();
        let rho = 1.0 / (1.0 + s.iter().map(|v| v * v).sum::<f64>());
        history.push_back((s, rho));
        for (s, rho) in history.iter().rev() {
            let a = rho * s.iter().zip(&q).map(|(s, q)| s * q).sum::<f64>();
            for (q, s) in q.iter_mut().zip(s) {
                *q -= a * s;
            }
        }
        if let Some((s, rho)) = history.back_mut() {
            s[0] *= *rho;
        }
    }
    q.iter().sum::<f64>() * history[0].0[0]
}

#[adjoint]
fn visited(weights: &[f64], next: &[[usize; 2]]) -> f64 {
    let mut queue = VecDeque::new();
    queue.push_back((0usize, 1.0));
    queue.push_front((1, weights[0]));
    let mut total = 0.0;
    while let Some((node, along)) = queue.pop_front() {
        let w = along * weights[node];
        total += w * w;
        for &n in &next[node] {
            if n > node {
                queue.push_back((n, w));
            }
        }
        if queue.len() > 5 {
            let last = queue.pop_back();
            total += last.map_or(0.0, |(_, w)| w);
        }
    }
    total
}

#[test]
fn queues_with_two_ends() {
    check!(delay(&[0.3, 0.7, -0.2, 0.5], const 2, 0.6) -> & Vec<f64>);
    check!(moving(&[0.3, 0.7, -0.2, 0.5, 0.1], const 3) -> f64);
    check!(direction(&[0.3, -0.7], const 4) -> f64);
    check!(visited(&[0.3, 0.7, 1.2, 0.5], const &[[1, 2], [2, 3], [3, 3], [0, 0]]) -> f64);
}
