//! Scores over paths: sums and maxima of logarithms, and the path that gives them.

use adjoint::adjoint;

use crate::common::check;
use crate::filters_and_mixtures::logaddexp;

fn pick(c: &[usize], s: usize) -> usize {
    if s % 2 == 1 { c[s / 2] } else { 0 }
}
#[adjoint]
fn ctc(logits: &[Vec<f64>], labels: &[usize]) -> f64 {
    let s = 2 * labels.len() + 1;
    let logp: Vec<Vec<f64>> = logits
        .iter()
        .map(|row| {
            let m = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let z = row.iter().map(|v| (v - m).exp()).sum::<f64>().ln() + m;
            row.iter().map(|v| v - z).collect()
        })
        .collect();
    let mut alpha = vec![f64::NEG_INFINITY; s];
    alpha[0] = logp[0][0];
    alpha[1] = logp[0][pick(labels, 1)];
    for row in &logp[1..] {
        let prev = alpha.clone();
        for j in 0..s {
            let lab = pick(labels, j);
            let mut acc = prev[j];
            if j >= 1 {
                acc = logaddexp(acc, prev[j - 1]);
            }
            if j >= 2 && lab != 0 && lab != pick(labels, j - 2) {
                acc = logaddexp(acc, prev[j - 2]);
            }
            alpha[j] = acc + row[lab];
        }
    }
    -logaddexp(alpha[s - 1], alpha[s - 2])
}
#[test]
fn a_loss_over_alignments() {
    check!(ctc(&vec![vec![0.1, 0.5, -0.2], vec![0.3, 0.2, 0.9], vec![-0.1, 0.4, 0.2], vec![0.6, -0.3, 0.1]], const &[1, 2]) -> f64);
}

#[adjoint]
fn beam(scores: &[[f64; 4]], width: usize) -> f64 {
    let mut beams: Vec<(f64, usize)> = vec![(0.0, 0)];
    for row in scores {
        let mut next: Vec<(f64, usize)> = Vec::with_capacity(beams.len() * 4);
        for &(s, last) in &beams {
            for (k, w) in row.iter().enumerate() {
                let bonus = if k == last { 0.5 } else { 0.0 };
                next.push((s + w.tanh() + bonus * w, k));
            }
        }
        next.sort_by(|a, b| b.0.total_cmp(&a.0));
        next.truncate(width);
        beams = next;
    }
    let m = beams[0].0;
    m + beams.iter().map(|(s, _)| (s - m).exp()).sum::<f64>().ln()
}
#[test]
fn a_beam() {
    check!(beam(&vec![[0.1, 0.7, -0.3, 0.2], [0.5, 0.45, 0.9, -1.0], [1.1, 0.3, 0.62, 0.05]], const 3) -> f64);
}

#[adjoint]
fn viterbi(trans: &[[f64; 3]; 3], emit: &[[f64; 3]]) -> f64 {
    let mut score = emit[0];
    let mut back: Vec<[usize; 3]> = Vec::new();
    for e in emit.iter().skip(1) {
        let mut next = [0.0; 3];
        let mut ptr = [0usize; 3];
        for j in 0..3 {
            let (arg, best) = (0..3)
                .map(|i| (i, score[i] + trans[i][j]))
                .max_by(|a, b| a.1.partial_cmp(&b.1).unwrap())
                .unwrap();
            next[j] = best + e[j];
            ptr[j] = arg;
        }
        score = next;
        back.push(ptr);
    }
    let mut state = 0;
    for j in 1..3 {
        if score[j] > score[state] {
            state = j;
        }
    }
    let total = score[state];
    let mut path = vec![state];
    for ptr in back.iter().rev() {
        state = ptr[state];
        path.push(state);
    }
    path.reverse();
    total
        + path
            .iter()
            .zip(emit)
            .map(|(&s, e)| e[s] * e[s])
            .sum::<f64>()
}
#[test]
fn the_best_path() {
    check!(viterbi(&[[0.1, 0.5, -0.3], [0.2, 0.8, 0.4], [-0.5, 0.3, 0.6]], &vec![[0.2, 0.9, -0.1], [0.5, 0.3, 0.35], [0.7, -0.2, 0.15]]) -> f64);
}
