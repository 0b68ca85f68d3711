//! `Vec`s that keep their length: work space, matrices, results, parameters.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_rows_close, check};

#[adjoint]
fn work_in_a_loop(x: &[f64], rounds: usize) -> f64 {
    let mut total = 0.0;
    for r in 0..rounds {
        let mut work = vec![0.0; x.len() + r];
        work[0] = total;
        for i in 1..work.len() {
            work[i] = work[i - 1] * x[i % x.len()] + (r as f64 + x[0]).sin();
        }
        total += work[work.len() - 1] * work[0];
        total = total.cos() + work[1];
    }
    total
}

#[test]
fn a_vec_made_anew_each_time() {
    for rounds in 0..4 {
        check!(work_in_a_loop(&vec![0.5, 1.2, -0.7], const rounds) -> f64);
    }
}

#[adjoint]
fn dp_table(x: &[f64], y: &[f64], gamma: f64) -> f64 {
    // Soft dynamic time warping.
    let (n, m) = (x.len(), y.len());
    let mut table = vec![vec![0.0; m + 1]; n + 1];
    for i in 1..=n {
        table[i][0] = 10.0;
    }
    for j in 1..=m {
        table[0][j] = 10.0;
    }
    for i in 1..=n {
        for j in 1..=m {
            let cost = (x[i - 1] - y[j - 1]) * (x[i - 1] - y[j - 1]);
            let (a, b, c) = (table[i - 1][j], table[i][j - 1], table[i - 1][j - 1]);
            let s = (-a / gamma).exp() + (-b / gamma).exp() + (-c / gamma).exp();
            table[i][j] = cost - gamma * s.ln();
        }
    }
    table[n][m]
}

#[test]
fn a_table_of_rows() {
    check!(dp_table(&vec![0.5, 1.2, -0.7], &vec![0.3, 1.0], 0.8) -> f64);
}

#[adjoint]
fn points_in_a_vec(start: [f64; 3], n: usize, k: f64) -> f64 {
    let mut path = vec![[0.0; 3]; n];
    path[0] = start;
    for i in 1..n {
        let p = path[i - 1];
        path[i] = [p[0] * k, p[1] + p[0] * p[2], p[2] - k * p[1]];
        path[i][2] *= p[2];
    }
    let mut length = 0.0;
    for pair in path.windows(2) {
        let d = pair[1][0] - pair[0][0];
        let e = pair[1][1] * pair[0][2];
        length += (d * d + e * e + 1.0).sqrt();
    }
    length
}

#[test]
fn a_vec_of_arrays() {
    check!(points_in_a_vec([0.5, 1.2, -0.7], const 4, 0.9) -> f64);
}

#[adjoint]
fn literals(x: f64, y: f64) -> f64 {
    let mut v = vec![x, y, x * y];
    let w = vec![x.sin(), 2.0, v[2]];
    v[0] *= w[0];
    let mut u = v.clone();
    u[1] = v[0] * w[2];
    v[1] = u[1] * u[1];
    v = u.clone();
    v[2] *= u[0];
    v[0] + v[1] * v[2] + u[2] * w[1]
}

#[test]
fn literals_and_clones() {
    check!(literals(0.7, 1.3) -> f64);
}

#[adjoint]
fn softmax(x: &[f64]) -> Vec<f64> {
    let m = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut out = vec![0.0; x.len()];
    let mut s = 0.0;
    for (o, v) in out.iter_mut().zip(x) {
        *o = (v - m).exp();
        s += *o;
    }
    for o in out.iter_mut() {
        *o /= s;
    }
    out
}

#[test]
fn a_vec_is_returned() {
    check!(softmax(&vec![0.5, 1.2, -0.7]) -> &Vec<f64>);
}

#[adjoint]
fn uses_a_returned_vec(x: &[f64], w: &Vec<f64>) -> f64 {
    let p = softmax(x);
    let mut q = softmax(&p);
    q[0] *= p[1];
    let mut s = 0.0;
    for i in 0..p.len() {
        s += p[i] * q[i] * w[i];
    }
    s
}

#[test]
fn a_returned_vec_is_used() {
    check!(uses_a_returned_vec(&vec![0.5, 1.2, -0.7], &vec![0.3, 0.4, 0.9]) -> f64);
}

#[adjoint]
fn matmul(a: &Vec<Vec<f64>>, b: &Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let (n, m, p) = (a.len(), b.len(), b[0].len());
    let mut c = vec![vec![0.0; p]; n];
    for i in 0..n {
        for j in 0..p {
            for k in 0..m {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    c
}

#[adjoint]
fn trace_of_powers(a: &Vec<Vec<f64>>) -> f64 {
    let square = matmul(a, a);
    let cube = matmul(&square, a);
    let mut t = 0.0;
    for i in 0..a.len() {
        t += cube[i][i] * square[i][0];
    }
    t
}

#[test]
fn matrices_as_vecs_of_vecs() {
    let a = vec![vec![0.5, 1.2], vec![-0.7, 0.4]];
    check!(trace_of_powers(&a) -> f64);
}

#[adjoint]
fn in_out_vec(y: &mut Vec<f64>, rows: &mut Vec<Vec<f64>>, k: f64) {
    for i in 0..y.len() {
        y[i] = y[i] * y[i] * k;
        rows[0][i] *= y[i];
    }
    rows.swap(0, 1);
    for (a, b) in rows[0].iter_mut().zip(y.iter()) {
        *a += b * *a;
    }
    let first = rows[1].clone();
    rows[0] = first;
}

#[test]
fn vecs_by_mutable_reference() {
    check!(in_out_vec(
        &mut vec![0.5, 1.2],
        &mut vec![vec![0.3, 0.4], vec![0.9, -0.2]],
        0.8
    ));
}

#[adjoint]
fn by_value(v: Vec<f64>, k: f64) -> Vec<f64> {
    let mut w = v;
    for e in w.iter_mut() {
        *e *= *e * k;
    }
    w
}

#[test]
fn a_vec_by_value() {
    let jacobian = check!(by_value(vec![3.0, 5.0], 2.0) -> &Vec<f64>);
    assert_rows_close(&jacobian, &[&[12.0, 0.0, 9.0], &[0.0, 20.0, 25.0]]);
}

#[adjoint]
fn mutable_by_value(mut v: Vec<f64>, k: f64) -> f64 {
    for i in 1..v.len() {
        v[i] *= v[i - 1] * k;
    }
    let last = v[v.len() - 1];
    v[0] = last;
    v.iter().sum::<f64>() * v[0]
}

#[test]
fn a_mutable_vec_by_value() {
    check!(mutable_by_value(vec![0.5, 1.2, 0.8], 1.1) -> f64);
}

#[adjoint]
fn fill_row(row: &mut [f64], x: f64) {
    for (i, r) in row.iter_mut().enumerate() {
        *r = *r * x + (i as f64 * x).cos();
    }
}

#[adjoint]
fn rows_are_lent(n: usize, x: f64) -> f64 {
    let mut m = vec![vec![0.5; 3]; n];
    for i in 0..n {
        fill_row(&mut m[i], x * (i + 1) as f64);
        if i > 0 {
            let (above, below) = m.split_at_mut(i);
            for (b, a) in below[0].iter_mut().zip(above[i - 1].iter()) {
                *b *= a;
            }
        }
    }
    for row in m.iter_mut() {
        fill_row(row, x);
    }
    let mut s = 0.0;
    for row in &m {
        for v in row {
            s += v * v;
        }
    }
    s
}

#[test]
fn rows_of_a_vec_are_lent() {
    check!(rows_are_lent(const 3, 0.7) -> f64);
}

#[adjoint]
fn integer_vecs(x: &[f64]) -> f64 {
    let mut order = vec![0; x.len()];
    for i in 0..x.len() {
        order[i] = (i * 2) % x.len();
    }
    let mut counts = vec![0usize; 3];
    let mut s = 1.0;
    for &i in &order {
        s *= x[i] + counts[i % 3] as f64;
        counts[i % 3] += 1;
    }
    s
}

#[test]
fn vecs_of_integers() {
    check!(integer_vecs(&vec![0.5, 1.2, -0.7]) -> f64);
}

#[adjoint]
fn conditional_work(x: &[f64], flag: bool) -> f64 {
    let v = if flag { x.to_vec() } else { vec![1.0; x.len()] };
    let mut w = vec![0.0; 0];
    if flag {
        w = v.clone();
        w[0] *= x[1];
    }
    let mut s = 0.0;
    for i in 0..v.len() {
        s += v[i] * x[i];
    }
    for e in &w {
        s *= e;
    }
    s
}

#[test]
fn vecs_from_branches() {
    check!(conditional_work(&vec![0.5, 1.2, -0.7], const true) -> f64);
    check!(conditional_work(&vec![0.5, 1.2, -0.7], const false) -> f64);
}

#[adjoint]
fn jacobi(a: &[Vec<f64>], b: &[f64], sweeps: usize) -> Vec<f64> {
    let n = b.len();
    let mut x = vec![0.0; n];
    for _ in 0..sweeps {
        let old = x.clone();
        for i in 0..n {
            let mut s = b[i];
            for j in 0..n {
                if j != i {
                    s -= a[i][j] * old[j];
                }
            }
            x[i] = s / a[i][i];
        }
    }
    x
}

#[test]
fn an_iterative_solver() {
    let a = vec![
        vec![4.0, 1.0, 0.5],
        vec![1.0, 5.0, -0.3],
        vec![0.2, 0.7, 3.0],
    ];
    check!(jacobi(&a, &vec![1.0, 2.0, 3.0], const 4) -> &Vec<f64>);
}

#[adjoint]
fn rebound(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    for _ in 0..n {
        let mut next = vec![0.0; v.len()];
        for i in 0..v.len() {
            next[i] = v[i] * v[(i + 1) % v.len()] + 0.1;
        }
        v = next;
    }
    v.iter().product()
}

#[test]
fn a_buffer_is_moved_into_another() {
    for n in 0..4 {
        check!(rebound(&vec![0.5, 1.2, -0.7], const n) -> f64);
    }
}

#[adjoint]
fn of_other_lengths(x: &[f64], n: usize) -> f64 {
    let mut v = x.to_vec();
    let mut s = 0.0;
    for k in 1..n {
        let mut longer = vec![s; k * 2];
        for (l, v) in longer.iter_mut().zip(&v) {
            *l += v * x[0];
        }
        v = longer;
        s += v.iter().sum::<f64>() * v[0];
    }
    v = vec![s * x[1]];
    v[0] * s
}

#[test]
fn a_vec_becomes_one_of_another_length() {
    for n in 0..4 {
        check!(of_other_lengths(&vec![0.5, 1.2, -0.7], const n) -> f64);
    }
}

#[adjoint]
fn rows_are_swapped(m: &mut Vec<Vec<f64>>, spare: &mut Vec<f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..m.len() {
        std::mem::swap(&mut m[i], spare);
        for v in spare.iter_mut() {
            *v *= *v + s;
        }
        s += m[i].iter().sum::<f64>() * spare[0];
        m.swap(0, i);
    }
    m.reverse();
    s * m[0][0]
}

#[test]
fn rows_are_swapped_with_a_spare_one() {
    check!(rows_are_swapped(
        &mut vec![vec![0.5, 1.2], vec![0.7, -0.2], vec![0.3, 0.9]],
        &mut vec![1.1, 0.6]
    ) -> f64);
}

#[adjoint]
fn gauss(a: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    // Elimination with partial pivoting on copies.
    let n = b.len();
    let mut m: Vec<Vec<f64>> = a.to_vec();
    let mut x = b.to_vec();
    for k in 0..n {
        let mut pivot = k;
        for i in k + 1..n {
            if m[i][k].abs() > m[pivot][k].abs() {
                pivot = i;
            }
        }
        m.swap(k, pivot);
        x.swap(k, pivot);
        for i in k + 1..n {
            let f = m[i][k] / m[k][k];
            for j in k..n {
                m[i][j] -= f * m[k][j];
            }
            x[i] -= f * x[k];
        }
    }
    for k in (0..n).rev() {
        let s: f64 = (k + 1..n).map(|j| m[k][j] * x[j]).sum();
        x[k] = (x[k] - s) / m[k][k];
    }
    x
}

#[test]
fn elimination_with_row_swaps() {
    let a = vec![
        vec![0.1, 2.0, -1.0],
        vec![1.5, 0.3, 0.7],
        vec![-0.6, 1.0, 2.5],
    ];
    check!(gauss(&a, &vec![1.0, -2.0, 0.5]) -> &Vec<f64>);
}

#[adjoint]
fn history(x0: f64, k: f64, steps: usize) -> f64 {
    let mut path = vec![0.0; steps + 1];
    let mut gradients: Vec<[f64; 2]> = vec![[0.0; 2]; steps];
    path[0] = x0;
    for t in 0..steps {
        gradients[t] = [path[t].sin() * k, path[t] * path[t]];
        let [g, h] = gradients[t];
        path[t + 1] = path[t] - 0.1 * g * h;
    }
    let (first, last) = (path[0], path[steps]);
    path.iter().map(|p| (p - last) * (p - first)).sum::<f64>()
        + gradients.iter().map(|g| g[0]).sum::<f64>()
}

#[test]
fn a_trajectory_kept_whole() {
    for steps in 1..5 {
        check!(history(0.8, 1.3, const steps) -> f64);
    }
}

#[adjoint]
fn ragged_rows(x: &[f64], n: usize) -> f64 {
    let mut m = vec![x.to_vec(), vec![x[0]], vec![0.5; 3]];
    let mut spare = vec![x[1] * x[0]; 2];
    let mut s: f64 = 1.0;
    for i in 0..n {
        std::mem::swap(&mut m[i % 3], &mut spare);
        for v in spare.iter_mut() {
            *v *= *v + s;
        }
        s += m[i % 3].iter().sum::<f64>() * spare[0].cos();
        m.swap(0, i % 3);
        m[1] = vec![s; i + 1];
    }
    s * m[0][0] * m[1][0]
}

#[test]
fn rows_of_different_lengths_change_places() {
    for n in 0..6 {
        check!(ragged_rows(&vec![0.5, 0.8, -0.3], const n) -> f64);
    }
}
