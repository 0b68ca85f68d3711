//! Elements, rows and buffers that change places: `mem`, the methods of slices and of `Vec`s, between
//! steps that read what was there before.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::{Differentiable, adjoint};
use common::{check, flat};

// Buffers.

#[adjoint]
fn three_levels(u0: &[f64], c: f64, steps: usize) -> f64 {
    let n = u0.len();
    let mut old = u0.to_vec();
    let mut now = u0.to_vec();
    let mut new = vec![0.0; n];
    for t in 0..steps {
        for i in 1..n - 1 {
            new[i] = 2.0 * now[i] - old[i] + c * now[i] * (now[i - 1] - 2.0 * now[i] + now[i + 1]);
        }
        if t % 3 == 2 {
            std::mem::swap(&mut old, &mut new);
        }
        std::mem::swap(&mut old, &mut now);
        std::mem::swap(&mut now, &mut new);
    }
    now.iter().zip(&old).map(|(a, b)| a * b).sum()
}

#[adjoint]
fn replaced_each_step(u0: &[f64], steps: usize) -> f64 {
    let mut u = u0.to_vec();
    let mut kept = Vec::new();
    for t in 0..steps {
        let next: Vec<f64> = u.iter().map(|v| v * v - 0.3 * v).collect();
        let old = std::mem::replace(&mut u, next);
        if t % 2 == 0 {
            kept.push(old);
        }
    }
    let mut s = u.iter().sum::<f64>();
    while let Some(k) = kept.pop() {
        s = s * 0.7 + k[0] * k[k.len() - 1];
    }
    s
}

#[adjoint]
fn taken_and_given_back(u: &mut Vec<f64>, steps: usize) {
    for t in 0..steps {
        let mut work = std::mem::take(u);
        for v in work.iter_mut() {
            *v *= 1.0 + *v * t as f64;
        }
        work.rotate_left(1);
        *u = work;
    }
}

#[adjoint]
fn ring(x: &[f64], steps: usize) -> f64 {
    let mut levels = vec![x.to_vec(), x.to_vec(), x.to_vec()];
    for t in 0..steps {
        let (a, b, c) = (t % 3, (t + 1) % 3, (t + 2) % 3);
        for i in 0..x.len() {
            levels[c][i] = levels[a][i] * levels[b][i] + 0.1 * levels[c][i];
        }
        levels.swap(a, c);
    }
    levels.rotate_right(1);
    levels[0][0] * levels[1][0] + levels[2][x.len() - 1]
}

#[adjoint]
fn optional_work(x: &[f64], steps: usize) -> f64 {
    let mut spare: Option<Vec<f64>> = Some(x.to_vec());
    let mut s = 0.0;
    for t in 0..steps {
        let mut work = match spare.take() {
            Some(w) => w,
            None => vec![0.5; x.len()],
        };
        for (w, v) in work.iter_mut().zip(x) {
            *w = *w * v + 0.1;
        }
        s += work[0] * s + work[x.len() - 1];
        if t % 3 != 1 {
            spare = Some(work);
        }
    }
    s
}

#[test]
fn buffers_change_places() {
    let u = vec![0.0, 0.5, -0.7, 0.2, 0.0];
    for steps in 0..6 {
        check!(three_levels(&u, 0.3, const steps) -> f64);
        check!(replaced_each_step(&vec![0.5, -0.7, 0.9], const steps) -> f64);
        check!(taken_and_given_back(&mut vec![0.5, -0.7, 0.9], const steps));
        check!(ring(&vec![0.5, -0.7], const steps) -> f64);
        check!(optional_work(&vec![0.5, -0.7], const steps) -> f64);
    }
}

// Methods of slices.

#[adjoint]
fn shuffled(x: &mut [f64], k: f64) -> f64 {
    let n = x.len();
    x.swap(0, n - 1);
    x[0] *= k;
    x.reverse();
    x[1] *= x[0];
    x.rotate_left(2);
    x[2] *= x[1] * k;
    x.rotate_right(1);
    x.copy_within(1..3, 0);
    x[0] += x[3] * x[0];
    x[1..].reverse();
    x[..2].swap_with_slice(&mut [k, k * k]);
    x.iter()
        .rev()
        .enumerate()
        .map(|(i, v)| v * v * i as f64)
        .sum()
}

#[adjoint]
fn filled(x: &mut [f64], y: &[f64], k: f64) {
    let (a, b) = x.split_at_mut(2);
    a[0] *= b[0];
    b.copy_from_slice(&y[..b.len()]);
    b[1] *= a[0];
    a.clone_from_slice(&y[1..3]);
    a.fill(a[1] * k);
    x[3..].fill(k);
    x[4] *= x[1];
}

#[adjoint]
fn ends(x: &mut [f64], k: f64) -> f64 {
    if let Some(first) = x.first_mut() {
        *first *= k;
    }
    if let Some(last) = x.last_mut() {
        *last += k * *last;
    }
    let mut s = 0.0;
    if let Some((first, rest)) = x.split_first_mut() {
        for v in rest.iter_mut() {
            *v *= *first;
            *first += *v;
        }
        s += rest.len() as f64 * *first;
    }
    if let Some(v) = x.get_mut(1) {
        *v *= s;
    }
    s + x.get(2).copied().unwrap_or(k) * x.first().unwrap_or(&k) + x.get(7).map_or(k, |v| v * k)
}

#[adjoint]
fn windowed(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for w in x.windows(3) {
        s += (w[0] - 2.0 * w[1] + w[2]) * w[1] * s + k * w[0];
    }
    for pair in x.chunks(2).rev() {
        s *= pair[0];
        s += pair[pair.len() - 1];
    }
    s
}

#[adjoint]
fn sorted(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let median = v[v.len() / 2];
    v.sort_by(|a, b| (b - median).abs().partial_cmp(&(a - median).abs()).unwrap());
    let mut s = 0.0;
    for (i, u) in v.iter().enumerate() {
        s += u * u * k * (i + 1) as f64;
    }
    v.sort_unstable_by(|a, b| b.total_cmp(a));
    s * v[0] - median
}

#[test]
fn slices_change() {
    check!(shuffled(&mut vec![0.5, -0.7, 0.9, 0.2, 1.1], 1.3) -> f64);
    check!(filled(
        &mut vec![0.5, -0.7, 0.9, 0.2, 1.1],
        &vec![0.4, 0.8, -0.3],
        1.3
    ));
    check!(ends(&mut vec![0.5, -0.7, 0.9, 0.2], 1.3) -> f64);
    check!(ends(&mut vec![0.5], 1.3) -> f64);
    check!(windowed(&vec![0.5, -0.7, 0.9, 0.2, 1.1], 1.3) -> f64);
    check!(sorted(&vec![0.5, -0.7, 0.9, 0.2, 1.1], 1.3) -> f64);
}

// Methods of `Vec`s.

#[adjoint]
fn cut_up(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    let mut tail = v.split_off(2);
    v[0] *= tail[0];
    tail.append(&mut v);
    let gone = tail.swap_remove(0);
    tail.retain(|u| *u > -0.5);
    tail.insert(1, gone * k);
    tail.truncate(4);
    let mut s = gone;
    for u in tail.drain(1..) {
        s = s * u + k;
    }
    s * tail[0] + v.len() as f64
}

#[adjoint]
fn rows_swapped(m: &mut Vec<Vec<f64>>, k: f64) -> f64 {
    let n = m.len();
    for c in 0..n - 1 {
        let mut best = c;
        for r in c + 1..n {
            if m[r][c].abs() > m[best][c].abs() {
                best = r;
            }
        }
        m.swap(c, best);
        for r in c + 1..n {
            let f = m[r][c] / m[c][c];
            for j in c..n {
                let pivot = m[c][j];
                m[r][j] -= f * pivot;
            }
        }
    }
    let mut d = k;
    for i in 0..n {
        d *= m[i][i];
    }
    m.reverse();
    let last = m.pop().unwrap();
    m.insert(0, last);
    m[0][0] *= k;
    d
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Particle {
    position: [f64; 2],
    mass: f64,
}

flat!(Particle { position, mass });

#[adjoint]
fn merged_particles(all: &mut Vec<Particle>, r: usize) -> f64 {
    let mut i = 0;
    while i < all.len() {
        let mut j = i + 1;
        while j < all.len() {
            let dx = all[i].position[0] - all[j].position[0];
            let dy = all[i].position[1] - all[j].position[1];
            if dx * dx + dy * dy < 0.1 * r as f64 {
                let gone: Particle = all.swap_remove(j);
                let m: f64 = all[i].mass + gone.mass;
                for k in 0..2 {
                    all[i].position[k] =
                        (all[i].mass * all[i].position[k] + gone.mass * gone.position[k]) / m;
                }
                all[i].mass = m;
            } else {
                j += 1;
            }
        }
        i += 1;
    }
    all.iter()
        .map(|p| p.mass * p.position[0] * p.position[1])
        .sum()
}

#[adjoint]
fn stack_of_structs(x: &[f64]) -> f64 {
    let mut stack: Vec<Particle> = Vec::new();
    let mut s = 0.0;
    for (i, v) in x.iter().enumerate() {
        stack.push(Particle {
            position: [*v, v * v],
            mass: s + v,
        });
        if i % 3 == 2 {
            if let (Some(a), Some(b)) = (stack.pop(), stack.pop()) {
                s += a.mass * b.position[1] - a.position[0] * b.mass;
            }
        }
        if let Some(top) = stack.last_mut() {
            top.mass *= s + 1.0;
        }
    }
    for p in &stack {
        s *= p.mass;
    }
    s
}

#[adjoint]
fn scratch_each_time(x: &[f64], rounds: usize) -> f64 {
    let mut s = 1.0;
    for t in 0..rounds {
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for v in x {
            let row = vec![v * s; t + 1];
            rows.push(row);
        }
        let last = rows.len() - 1;
        rows.swap(0, last);
        let (a, b) = rows.split_at_mut(1);
        std::mem::swap(&mut a[0], &mut b[0]);
        s += rows[1][t] * rows[0][0];
    }
    s
}

#[test]
fn vecs_change() {
    check!(cut_up(&vec![0.5, -0.7, 0.9, 0.2, 1.1], 1.3) -> f64);
    check!(rows_swapped(&mut vec![
        vec![0.1, 0.7, -0.4],
        vec![1.5, 0.3, 0.2],
        vec![-0.6, 1.1, 0.9],
    ], 1.2) -> f64);
    let p = |x: f64, y: f64, mass: f64| Particle {
        position: [x, y],
        mass,
    };
    let all = vec![
        p(0.0, 0.1, 1.0),
        p(2.0, 0.3, 0.5),
        p(0.2, 0.1, 0.7),
        p(2.1, 0.2, 1.5),
    ];
    check!(merged_particles(&mut all.clone(), const 2) -> f64);
    check!(stack_of_structs(&vec![0.5, -0.7, 0.9, 0.2, 1.1, 0.3, -0.4]) -> f64);
    for rounds in 0..3 {
        check!(scratch_each_time(&vec![0.5, -0.7, 0.9], const rounds) -> f64);
    }
}
