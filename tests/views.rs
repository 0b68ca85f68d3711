//! Sub-slices, halves, chunks, windows and swapped buffers: views of memory, read, written and lent.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{Random, assert_close, check};

#[adjoint]
fn norm2(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i] * x[i];
    }
    s
}

#[adjoint]
fn scale_by_first(x: &mut [f64]) {
    let first = x[0];
    for i in 0..x.len() {
        x[i] *= first;
    }
}

#[adjoint]
fn rows_by_sub_slice(a: &[f64], n: usize, x: &[f64], y: &mut [f64]) {
    for i in 0..y.len() {
        let row = &a[i * n..][..n];
        let mut s = 0.0;
        for j in 0..n {
            s += row[j] * x[j];
        }
        y[i] = s * s;
    }
}

#[test]
fn a_row_is_a_view_of_a_view() {
    check!(rows_by_sub_slice(
        &vec![1.0, 2.0, -0.5, 0.25, 3.0, -1.5],
        const 3,
        &vec![0.3, -0.7, 1.1],
        &mut vec![0.1, 0.2]
    ));
}

#[adjoint]
fn lent_parts(v: &mut [f64], lo: usize, hi: usize) -> f64 {
    let before = norm2(&v[..lo]);
    scale_by_first(&mut v[lo..hi]);
    scale_by_first(&mut v[hi - 1..]);
    before * norm2(&v[lo..=hi])
}

#[test]
fn parts_are_lent_to_callees() {
    check!(lent_parts(&mut vec![0.5, 1.5, -0.7, 2.0, 0.9, 1.2], const 1, const 4) -> f64);
}

#[adjoint]
fn halves_together(v: &mut [f64], mid: usize) {
    let (left, right) = v.split_at_mut(mid);
    for i in 0..left.len().min(right.len()) {
        let (a, b) = (left[i], right[i]);
        left[i] = a * b;
        right[i] = a + b * b;
    }
}

#[test]
fn halves_are_written_together() {
    check!(halves_together(&mut vec![0.5, 1.5, -0.7, 2.0, 0.9], const 2));
}

#[adjoint]
fn multiply_into(x: &[f64], y: &mut [f64], k: f64) {
    for i in 0..x.len() {
        y[i] = y[i] * x[i] + k * x[i];
    }
}

#[adjoint]
fn halves_are_lent(v: &mut [f64], k: f64) {
    let mid = v.len() / 2;
    let (left, right) = v.split_at_mut(mid);
    multiply_into(left, right, k);
    multiply_into(right, left, k);
    scale_by_first(left);
}

#[test]
fn halves_are_lent_together() {
    check!(halves_are_lent(&mut vec![0.5, 1.5, -0.7, 2.0], 0.8));
}

#[adjoint]
fn quarters(v: &mut [f64]) -> f64 {
    let n = v.len();
    let (left, right) = v.split_at_mut(n / 2);
    let (a, b) = left.split_at_mut(n / 4);
    let (c, d) = right.split_at_mut(n / 4);
    multiply_into(a, b, 2.0);
    multiply_into(b, c, 3.0);
    multiply_into(c, d, 0.5);
    multiply_into(d, a, 1.5);
    norm2(a) * d[0]
}

#[test]
fn halves_of_halves() {
    check!(quarters(&mut vec![0.5, 1.5, -0.7, 0.4]) -> f64);
}

#[adjoint]
fn shared_halves(x: &[f64]) -> f64 {
    let (a, b) = x.split_at(x.len() / 2);
    norm2(a) * norm2(b) + norm2(x) * a[0] * b[0]
}

#[test]
fn shared_halves_and_the_whole() {
    check!(shared_halves(&vec![0.5, 1.5, -0.7, 0.4]) -> f64);
}

#[adjoint]
fn chunked(x: &[f64], out: &mut [f64]) {
    for (point, o) in x.chunks_exact(2).zip(out.iter_mut()) {
        *o = point[0] * point[1] + o.sin();
    }
}

#[test]
fn exact_chunks() {
    check!(chunked(
        &vec![0.5, 1.5, -0.7, 0.4, 9.0],
        &mut vec![0.1, 0.2]
    ));
}

#[adjoint]
fn ragged_chunks(x: &mut [f64], w: f64) -> f64 {
    let mut total = 0.0;
    for chunk in x.chunks_mut(2) {
        let n = chunk.len();
        for e in chunk.iter_mut() {
            *e *= w + n as f64;
        }
        scale_by_first(chunk);
    }
    for chunk in x.chunks(3) {
        total += norm2(chunk) * chunk[chunk.len() - 1];
    }
    total
}

#[test]
fn chunks_with_a_rest() {
    check!(ragged_chunks(&mut vec![0.5, 1.5, -0.7, 0.4, 1.3], 0.7) -> f64);
}

#[adjoint]
fn second_differences(u: &[f64], out: &mut [f64]) {
    for (o, w) in out.iter_mut().zip(u.windows(3)) {
        *o += (w[0] - 2.0 * w[1] + w[2]) * w[1];
    }
}

#[test]
fn windows() {
    check!(second_differences(
        &vec![0.5, 1.5, -0.7, 0.4, 1.3],
        &mut vec![0.1, 0.0, -0.3]
    ));
}

#[adjoint]
fn exact_chunks_in_place(v: &mut [f64]) {
    for pair in v.chunks_exact_mut(2) {
        let (a, b) = (pair[0], pair[1]);
        pair[0] = a * b;
        pair[1] = a - b;
        pair.swap(0, 1);
    }
}

#[test]
fn pairs_in_place() {
    check!(exact_chunks_in_place(&mut vec![0.5, 1.5, -0.7, 0.4, 2.5]));
}

#[adjoint]
fn fft(x: &mut [f64], work: &mut [f64]) {
    // Interleaved real and imaginary parts.
    let n = x.len() / 2;
    if n == 1 {
        return;
    }
    let half = n / 2;
    {
        let (even, odd) = work.split_at_mut(n);
        for (i, c) in x.chunks_exact(2).enumerate() {
            let at = i / 2 * 2;
            if i % 2 == 0 {
                even[at] = c[0];
                even[at + 1] = c[1];
            } else {
                odd[at] = c[0];
                odd[at + 1] = c[1];
            }
        }
        let (low, high) = x.split_at_mut(n);
        fft(even, low);
        fft(odd, high);
    }
    let (even, odd) = work.split_at_mut(n);
    let (low, high) = x.split_at_mut(n);
    for (k, ((e, o), (l, h))) in even
        .chunks_exact_mut(2)
        .zip(odd.chunks_exact(2))
        .zip(low.chunks_exact_mut(2).zip(high.chunks_exact_mut(2)))
        .enumerate()
    {
        let angle = -std::f64::consts::PI * k as f64 / half as f64;
        let (s, c) = angle.sin_cos();
        let t = [c * o[0] - s * o[1], c * o[1] + s * o[0]];
        l[0] = e[0] + t[0];
        l[1] = e[1] + t[1];
        h[0] = e[0] - t[0];
        h[1] = e[1] - t[1];
    }
}

#[test]
fn a_recursive_fft_with_work_space() {
    let x = Random::new(3).vector(16, -1.0, 1.0);
    check!(fft(&mut x, &mut vec![0.0; 16]));
}

#[adjoint]
fn fft_bit_reversed(re: &mut [f64], im: &mut [f64]) {
    // Decimation in frequency: the output is in bit-reversed order.
    let n = re.len();
    if n < 2 {
        return;
    }
    let (re0, re1) = re.split_at_mut(n / 2);
    let (im0, im1) = im.split_at_mut(n / 2);
    for (k, ((a, b), (c, d))) in re0
        .iter_mut()
        .zip(re1.iter_mut())
        .zip(im0.iter_mut().zip(im1.iter_mut()))
        .enumerate()
    {
        let (s, w) = (-2.0 * std::f64::consts::PI * k as f64 / n as f64).sin_cos();
        let (dr, di) = (*a - *b, *c - *d);
        *a += *b;
        *c += *d;
        *b = dr * w - di * s;
        *d = dr * s + di * w;
    }
    fft_bit_reversed(re0, im0);
    fft_bit_reversed(re1, im1);
}

#[test]
fn a_recursive_fft_in_place() {
    let mut random = Random::new(5);
    let (re, im) = (random.vector(8, -1.0, 1.0), random.vector(8, -1.0, 1.0));
    check!(fft_bit_reversed(&mut re, &mut im));
}

#[adjoint]
fn haar(v: &mut [f64]) {
    // In place on pairs, then recursively on the first half.
    let n = v.len();
    if n < 2 {
        return;
    }
    let mut work = v.to_vec();
    for (i, pair) in v.chunks_exact_mut(2).enumerate() {
        work[i] = (pair[0] + pair[1]) * 0.5;
        work[n / 2 + i] = pair[0] * pair[1];
    }
    v.copy_from_slice(&work);
    let (low, high) = v.split_at_mut(n / 2);
    haar(low);
    for (h, l) in high.iter_mut().zip(low.iter()) {
        *h *= l;
    }
}

#[test]
fn a_recursion_on_one_half() {
    check!(haar(&mut vec![0.5, 1.5, -0.7, 0.4, 2.5, 0.3, 1.1, -0.9]));
}

#[adjoint]
fn through_reborrows(w: &mut [f64]) -> f64 {
    let v = &mut *w;
    scale_by_first(v);
    {
        let u = &mut v[1..];
        u[0] *= 3.0;
        scale_by_first(&mut *u);
    }
    let r = &*v;
    norm2(r) + norm2(&r[1..])
}

#[test]
fn reborrows() {
    check!(through_reborrows(&mut vec![0.5, 1.5, -0.7]) -> f64);
}

#[adjoint]
fn reference_to_an_element(v: &mut [f64]) -> f64 {
    let mut i = 0;
    let mut total = 0.0;
    while i + 1 < v.len() {
        let next = v[i + 1];
        let here = &mut v[i];
        i += 1;
        *here = *here * next;
        total += here.sin();
        *here += total;
    }
    total
}

#[test]
fn an_element_by_reference_stays_where_it_was_taken() {
    check!(reference_to_an_element(&mut vec![0.5, 1.5, -0.7]) -> f64);
}

#[adjoint]
fn slice_with_moving_bounds(v: &mut [f64]) -> f64 {
    let mut lo = 0;
    let mut total = 0.0;
    while lo < v.len() {
        let part = &mut v[lo..];
        lo += 2;
        part[0] *= part[0];
        total += part[0] * part[part.len() - 1];
    }
    total
}

#[test]
fn a_slice_stays_where_it_was_taken() {
    check!(slice_with_moving_bounds(&mut vec![0.5, 1.5, -0.7, 0.4, 2.5]) -> f64);
}

#[adjoint]
fn ends(x: &[f64]) -> f64 {
    x.first().unwrap() * x.last().unwrap() + *x.first().unwrap()
}

#[test]
fn first_and_last() {
    assert_eq!(check!(ends(&vec![2.0, 5.0, 3.0]) -> f64), [[4.0, 0.0, 2.0]]);
}

#[adjoint]
fn ends_in_place(x: &mut [f64]) {
    let last = *x.last().unwrap();
    *x.first_mut().unwrap() *= last;
    *x.last_mut().unwrap() = last * last;
}

#[test]
fn first_and_last_in_place() {
    check!(ends_in_place(&mut vec![2.0, 5.0, 3.0]));
}

#[adjoint]
fn block_copies(x: &[f64], y: &mut [f64]) {
    let n = x.len();
    let mut work = [0.0; 3];
    work.copy_from_slice(&x[..3]);
    for w in work.iter_mut() {
        *w = w.exp();
    }
    y[1..4].copy_from_slice(&work);
    y[n..].fill(x[0] * x[1]);
    y.swap(0, 2);
}

#[test]
fn copies_and_fills() {
    check!(block_copies(
        &vec![0.5, 1.5, -0.7, 0.4],
        &mut vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    ));
}

#[adjoint]
fn copy_between_halves(v: &mut [f64]) {
    let (a, b) = v.split_at_mut(2);
    b.copy_from_slice(a);
    for (x, y) in a.iter_mut().zip(b) {
        *x *= *y;
        *y += *x * *x;
    }
}

#[test]
fn a_copy_between_halves() {
    check!(copy_between_halves(&mut vec![0.5, 1.5, -0.7, 0.4]));
}

#[adjoint]
fn owned_copy(x: &[f64], k: f64) -> f64 {
    let mut v = x.to_vec();
    let mut w = x[1..].to_vec();
    for i in 0..w.len() {
        v[i] *= w[i];
        w[i] = v[i] * v[i + 1] * k;
    }
    norm2(&v) * norm2(&w)
}

#[test]
fn to_vec() {
    check!(owned_copy(&vec![0.5, 1.5, -0.7], 1.2) -> f64);
}

#[adjoint]
fn swapped_arrays(x: &[f64; 3], steps: usize) -> f64 {
    let mut a = *x;
    let mut b = [0.0; 3];
    for t in 0..steps {
        for i in 0..3 {
            b[i] = a[i] * a[(i + 1) % 3] + (t as f64) * 0.1;
        }
        std::mem::swap(&mut a, &mut b);
    }
    a[0] * b[1] + a[2]
}

#[test]
fn ping_pong_in_arrays() {
    for steps in 0..6 {
        check!(swapped_arrays(&[0.8, 1.1, -0.6], const steps) -> f64);
    }
}

#[adjoint]
fn swapped_vecs(u: &mut [f64], nu: f64, steps: usize) {
    let n = u.len();
    let mut old = u.to_vec();
    let mut new = vec![0.0; n];
    for _ in 0..steps {
        new[0] = old[0];
        new[n - 1] = old[n - 1];
        for i in 1..n - 1 {
            new[i] = old[i] - old[i] * (old[i] - old[i - 1])
                + nu * (old[i + 1] - 2.0 * old[i] + old[i - 1]);
        }
        std::mem::swap(&mut old, &mut new);
    }
    u.copy_from_slice(&old);
}

#[test]
fn ping_pong_in_vecs() {
    for steps in 0..5 {
        check!(swapped_vecs(&mut vec![0.5, 0.9, 1.4, 0.7, 0.3], 0.1, const steps));
    }
}

#[adjoint]
fn wave(u0: &[f64], c: f64, steps: usize, u: &mut [f64]) {
    let n = u0.len();
    let mut past = u0.to_vec();
    let mut now = u0.to_vec();
    let mut next = vec![0.0; n];
    for _ in 0..steps {
        for i in 1..n - 1 {
            let c2 = c * c * (1.0 + 0.1 * now[i]);
            next[i] = 2.0 * now[i] - past[i] + c2 * (now[i + 1] - 2.0 * now[i] + now[i - 1]);
        }
        std::mem::swap(&mut past, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    u.copy_from_slice(&now);
}

#[test]
fn a_wave_over_a_hundred_steps() {
    let u0 = vec![0.0, 0.2, 0.5, 0.9, 0.4, 0.1, 0.0];
    check!(wave(&u0, 0.3, const 100, &mut vec![0.0; 7]));
    for steps in 1..5 {
        check!(wave(&u0, 0.5, const steps, &mut vec![0.0; 7]));
    }
}

#[adjoint]
fn swapped_elements(a: &mut [f64], b: &mut [f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..a.len() {
        std::mem::swap(&mut a[i], &mut b[i]);
        a[i] *= b[i];
        s += a[i] * s + b[i];
    }
    let (x, y) = a.split_at_mut(1);
    std::mem::swap(&mut x[0], &mut y[0]);
    s + a[0] * a[1] * a[1]
}

#[test]
fn swaps_of_elements() {
    check!(swapped_elements(&mut vec![0.5, 1.5, -0.7], &mut vec![0.3, 0.8, 1.2]) -> f64);
}

#[adjoint]
fn swapped_scalars(x: f64, y: f64, n: usize) -> f64 {
    let (mut a, mut b) = (x, y);
    for _ in 0..n {
        a = a * b + 0.1;
        std::mem::swap(&mut a, &mut b);
    }
    let old = std::mem::replace(&mut a, x * b);
    old * a + b
}

#[test]
fn swaps_of_scalars() {
    for n in 0..5 {
        check!(swapped_scalars(0.7, 1.3, const n) -> f64);
    }
}

#[adjoint]
fn swapped_halves(v: &mut [f64], w: &mut [[f64; 2]]) -> f64 {
    let (a, b) = v.split_at_mut(2);
    a.swap_with_slice(b);
    a[0] *= b[1];
    w.swap(0, 1);
    w[0][0] *= w[1][1];
    w[1].swap(0, 1);
    w.reverse();
    w[0][0] * a[0] * b[0]
}

#[test]
fn swaps_of_blocks() {
    check!(swapped_halves(&mut vec![0.5, 1.5, -0.7, 0.4], &mut vec![[1.0, 2.0], [3.0, 0.5], [0.7, 0.9]]) -> f64);
}

#[adjoint]
fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

#[adjoint]
fn gate(w: &[f64], x: &[f64], h: &[f64], bias: f64) -> f64 {
    let (wx, wh) = w.split_at(x.len());
    let mut s = bias;
    for (w, x) in wx.iter().zip(x) {
        s += w * x;
    }
    for (w, h) in wh.iter().zip(h) {
        s += w * h;
    }
    s
}

#[adjoint]
fn lstm_cell(params: &[f64], x: &[f64], h: &mut [f64], c: &mut [f64]) {
    let (n, m) = (h.len(), x.len());
    let size = n * (n + m + 1);
    let old = h.to_vec();
    let weights = |g: usize, i: usize| &params[g * size + i * (n + m)..][..n + m];
    for i in 0..n {
        let bias = |g: usize| params[g * size + n * (n + m) + i];
        let input = sigmoid(gate(weights(0, i), x, &old, bias(0)));
        let forget = sigmoid(gate(weights(1, i), x, &old, bias(1)));
        let output = sigmoid(gate(weights(2, i), x, &old, bias(2)));
        let update = gate(weights(3, i), x, &old, bias(3)).tanh();
        c[i] = forget * c[i] + input * update;
        h[i] = output * c[i].tanh();
    }
}

#[adjoint]
fn lstm(params: &[f64], xs: &[f64], m: usize, h: &mut [f64], c: &mut [f64]) -> f64 {
    let mut loss = 0.0;
    for x in xs.chunks_exact(m) {
        lstm_cell(params, x, h, c);
        loss += norm2(h);
    }
    loss
}

#[test]
fn an_lstm_on_one_parameter_vector() {
    let mut random = Random::new(11);
    let params = random.vector(40, -1.0, 1.0);
    let xs = random.vector(6, -1.0, 1.0);
    check!(lstm(&params, &xs, const 2, &mut vec![0.1, -0.2], &mut vec![0.3, 0.1]) -> f64);
}

#[adjoint]
fn logsumexp(x: &[f64]) -> f64 {
    let m = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut s = 0.0;
    for &v in x {
        s += (v - m).exp();
    }
    m + s.ln()
}

#[adjoint]
fn triangular_product(d: usize, icf: &[f64], x: &[f64], out: &mut [f64]) {
    let (log_diagonal, lower) = icf.split_at(d);
    let mut at = 0;
    for i in 0..d {
        out[i] = log_diagonal[i].exp() * x[i];
    }
    for j in 0..d {
        for i in j + 1..d {
            out[i] += lower[at] * x[j];
            at += 1;
        }
    }
}

#[adjoint]
fn gmm(
    d: usize,
    k: usize,
    alphas: &[f64],
    means: &[f64],
    icf: &[f64],
    x: &[f64],
    gamma: f64,
) -> f64 {
    let width = d * (d + 1) / 2;
    let mut main_term = vec![0.0; k];
    let mut centred = vec![0.0; d];
    let mut qx = vec![0.0; d];
    let mut slse = 0.0;
    for point in x.chunks_exact(d) {
        for ik in 0..k {
            let q = &icf[ik * width..(ik + 1) * width];
            let mean = &means[ik * d..][..d];
            for i in 0..d {
                centred[i] = point[i] - mean[i];
            }
            triangular_product(d, q, &centred, &mut qx);
            let sum_log: f64 = q[..d].iter().sum();
            main_term[ik] = alphas[ik] + sum_log - 0.5 * norm2(&qx);
        }
        slse += logsumexp(&main_term);
    }
    let mut prior = 0.0;
    for q in icf.chunks_exact(width) {
        let (diagonal, lower) = q.split_at(d);
        let frobenius: f64 = diagonal.iter().map(|q| (2.0 * q).exp()).sum();
        prior += 0.5 * gamma * gamma * (frobenius + norm2(lower));
    }
    slse - (x.len() / d) as f64 * logsumexp(alphas) + prior
}

#[test]
fn a_gaussian_mixture() {
    let mut random = Random::new(17);
    let (d, k) = (2, 3);
    let alphas = random.vector(k, -1.0, 1.0);
    let means = random.vector(k * d, -1.0, 1.0);
    let icf = random.vector(k * d * (d + 1) / 2, -1.0, 1.0);
    let x = random.vector(4 * d, -2.0, 2.0);
    check!(gmm(const d, const k, &alphas, &means, &icf, &x, 0.7) -> f64);
}

#[adjoint]
fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

#[adjoint]
fn rodrigues(rot: &[f64], pt: &[f64; 3]) -> [f64; 3] {
    let theta2 = norm2(rot);
    if theta2 == 0.0 {
        let c = cross(rot, pt);
        return [pt[0] + c[0], pt[1] + c[1], pt[2] + c[2]];
    }
    let theta = theta2.sqrt();
    let (s, c) = theta.sin_cos();
    let w = [rot[0] / theta, rot[1] / theta, rot[2] / theta];
    let w_cross = cross(&w, pt);
    let dot: f64 = w.iter().zip(pt.iter()).map(|(a, b)| a * b).sum();
    let tmp = dot * (1.0 - c);
    let mut out = [0.0; 3];
    for i in 0..3 {
        out[i] = pt[i] * c + w_cross[i] * s + w[i] * tmp;
    }
    out
}

#[adjoint]
fn distort(radial: &[f64], proj: &mut [f64; 2]) {
    let r2 = proj[0] * proj[0] + proj[1] * proj[1];
    let l = 1.0 + radial[0] * r2 + radial[1] * r2 * r2;
    proj.iter_mut().for_each(|p| *p *= l);
}

#[adjoint]
fn reprojection(
    cam: &[f64; 11],
    point: &[f64; 3],
    weight: f64,
    feature: &[f64; 2],
    err: &mut [f64],
) {
    let centred = [point[0] - cam[3], point[1] - cam[4], point[2] - cam[5]];
    let p = rodrigues(&cam[..3], &centred);
    let mut proj = [p[0] / p[2], p[1] / p[2]];
    distort(&cam[9..], &mut proj);
    for i in 0..2 {
        err[i] = weight * (proj[i] * cam[6] + cam[7 + i] - feature[i]);
    }
}

#[adjoint]
fn bundle_adjustment(
    cams: &[[f64; 11]],
    points: &[[f64; 3]],
    weights: &[f64],
    observations: &[[usize; 2]],
    features: &[[f64; 2]],
    err: &mut [f64],
    weight_err: &mut [f64],
) {
    for (i, (obs, e)) in observations.iter().zip(err.chunks_exact_mut(2)).enumerate() {
        reprojection(&cams[obs[0]], &points[obs[1]], weights[i], &features[i], e);
    }
    for (e, w) in weight_err.iter_mut().zip(weights) {
        *e = 1.0 - w * w;
    }
}

#[test]
fn bundle_adjustment_residuals() {
    let cam = |s: f64| {
        [
            0.1 * s,
            0.2,
            -0.1,
            0.5,
            -0.2 * s,
            0.3,
            1.2,
            0.1,
            -0.1,
            0.05,
            0.01 * s,
        ]
    };
    check!(bundle_adjustment(
        &vec![cam(1.0), cam(0.7)],
        &vec![[0.3, 0.8, 2.0], [-0.4, 0.6, 3.0]],
        &vec![0.9, 1.1, 0.7],
        const &[[0, 0], [1, 1], [0, 1]],
        &vec![[0.1, 0.2], [0.3, 0.1], [-0.2, 0.4]],
        &mut vec![0.0; 6],
        &mut vec![0.0; 3]
    ));
}

#[test]
fn no_rotation() {
    let row = &check!(rodrigues(&vec![0.0, 0.0, 0.0], &[1.0, 2.0, 3.0]) -> [f64; 3])[0];
    assert_close(row, &[0.0, 3.0, -2.0, 1.0, 0.0, 0.0]);
}

#[adjoint]
fn rows_of_nested_arrays(a: &mut [[f64; 3]; 2]) -> f64 {
    let [top, bottom] = a;
    top[0] *= bottom[1];
    let (first, rest) = a.split_at_mut(1);
    multiply_into(&first[0], &mut rest[0], 0.3);
    for row in a.iter_mut() {
        let (l, r) = row.split_at_mut(1);
        l[0] *= r[0] + r[1];
        scale_by_first(row);
    }
    norm2(&a[1]) + a.len() as f64 * a[0][2]
}

#[test]
fn nested_arrays() {
    check!(rows_of_nested_arrays(&mut [[0.5, 1.5, -0.7], [0.4, 2.5, 0.3]]) -> f64);
}

#[adjoint]
fn a_view_in_a_tuple(x: &[f64], v: &mut [f64]) -> f64 {
    let (part, k) = (&x[1..], 2.0 * x[0]);
    let pair = (part, &mut v[..2]);
    pair.1[0] = pair.0[0] * k;
    let (p, q) = pair;
    q[1] *= p[1] * q[0];
    q[0] * q[1]
}

#[test]
fn views_in_tuples() {
    check!(a_view_in_a_tuple(&vec![0.5, 1.5, -0.7], &mut vec![0.4, 2.5, 0.3]) -> f64);
}

#[adjoint]
fn three_arrays_in_one(work: &mut [f64], n: usize, x: f64) -> f64 {
    let (a, rest) = work.split_at_mut(n);
    let (b, c) = rest.split_at_mut(n);
    for i in 0..n {
        a[i] *= x;
        b[i] += a[i] * a[n - 1 - i];
    }
    for t in 0..3 {
        for i in 0..n {
            c[i] += b[i] * a[i] * x;
        }
        if t % 2 == 0 {
            multiply_into(c, a, 0.5);
        } else {
            multiply_into(c, b, x);
        }
        multiply_into(&b[1..], &mut c[..n - 1], x);
        b.swap_with_slice(a);
    }
    norm2(&work[n..]) + work[0] * work[2 * n]
}

#[test]
fn three_arrays_in_one_buffer() {
    check!(three_arrays_in_one(&mut vec![0.5, 1.5, -0.7, 0.4, 0.9, 1.1], const 2, 0.8) -> f64);
}

#[adjoint]
fn rotations(v: &mut [f64], k: f64) -> f64 {
    v.rotate_left(2);
    v[0] *= v[1] * k;
    v[1..].rotate_right(1);
    v[1] *= v[0];
    v.reverse();
    v[0] * v[2]
}

#[test]
fn rotate_and_reverse() {
    check!(rotations(&mut vec![0.5, 1.5, -0.7, 0.4, 0.9], 0.8) -> f64);
}

#[adjoint]
fn swapped_rows(a: &mut [[f64; 2]; 3], b: &mut [[f64; 2]; 3], n: usize) -> f64 {
    let mut s: f64 = 0.0;
    for i in 0..n {
        std::mem::swap(&mut a[i % 3], &mut b[(i + 1) % 3]);
        a[i % 3][0] *= b[i % 3][1] * a[i % 3][1];
        std::mem::swap(a, b);
        s += a[0][0] * b[1][0] * s.cos();
    }
    s
}

#[test]
fn rows_and_whole_arrays_are_swapped() {
    for n in 0..5 {
        check!(swapped_rows(
            &mut [[0.5, 1.5], [-0.7, 0.4], [0.9, 1.2]],
            &mut [[0.3, 0.8], [0.6, -0.5], [1.1, 0.7]],
            const n
        ) -> f64);
    }
}

#[adjoint]
fn swapped_in_a_branch(x: &[f64], y: &mut [f64], limit: f64) {
    let mut a = x.to_vec();
    let mut b = y.to_vec();
    for t in 0..4 {
        if a[0] * b[0] < limit {
            std::mem::swap(&mut a, &mut b);
        }
        for i in 0..a.len() {
            b[i] += a[i] * a[i] * (t as f64 + 1.0) * 0.1;
        }
        if t == 2 {
            a = b.clone();
        }
    }
    for i in 0..y.len() {
        y[i] = a[i] * b[i];
    }
}

#[test]
fn buffers_swapped_by_a_condition() {
    check!(swapped_in_a_branch(
        &vec![0.5, 1.5],
        &mut vec![0.7, 0.4],
        0.5
    ));
    check!(swapped_in_a_branch(
        &vec![0.5, 1.5],
        &mut vec![0.9, 0.4],
        0.4
    ));
}

#[adjoint]
fn merge_sort(v: &mut [f64], work: &mut [f64]) {
    let n = v.len();
    if n < 2 {
        return;
    }
    let (left, right) = v.split_at_mut(n / 2);
    let (a, b) = work.split_at_mut(n / 2);
    merge_sort(left, a);
    merge_sort(right, b);
    let (mut i, mut j) = (0, 0);
    for w in work.iter_mut() {
        if j >= right.len() || (i < left.len() && left[i] <= right[j]) {
            *w = left[i];
            i += 1;
        } else {
            *w = right[j];
            j += 1;
        }
    }
    v.copy_from_slice(work);
}

#[test]
fn a_merge_sort() {
    check!(merge_sort(
        &mut vec![0.9, -0.4, 0.3, 1.7, 0.1],
        &mut vec![0.0; 5]
    ));
}

#[adjoint]
fn strassen_like(n: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    // A recursive matrix product on quarters kept one after another.
    if n == 1 {
        c[0] += a[0] * b[0];
        return;
    }
    let q = n * n / 4;
    let (b0, b1) = b.split_at(2 * q);
    for (i, row) in c.chunks_exact_mut(2 * q).enumerate() {
        let ai = &a[i * 2 * q..][..q];
        let (c0, c1) = row.split_at_mut(q);
        strassen_like(n / 2, ai, &b0[..q], c0);
        strassen_like(n / 2, ai, &b0[q..], c1);
    }
    for (i, row) in c.chunks_exact_mut(2 * q).enumerate() {
        let ai = &a[i * 2 * q + q..][..q];
        let (c0, c1) = row.split_at_mut(q);
        strassen_like(n / 2, ai, &b1[..q], c0);
        strassen_like(n / 2, ai, &b1[q..], c1);
    }
}

#[test]
fn a_recursive_matrix_product() {
    let mut random = Random::new(23);
    let (a, b) = (random.vector(16, -1.0, 1.0), random.vector(16, -1.0, 1.0));
    check!(strassen_like(const 4, &a, &b, &mut vec![0.0; 16]));
}

#[adjoint]
fn multigrid(u: &mut [f64], f: &[f64], levels: usize) {
    let n = u.len();
    for i in 1..n - 1 {
        u[i] = 0.5 * (u[i - 1] + u[i + 1] + f[i]) + 0.1 * u[i] * u[i];
    }
    if levels == 0 {
        return;
    }
    let m = n / 2 + 1;
    let mut residual = vec![0.0; m];
    let mut correction = vec![0.0; m];
    for (i, r) in residual.iter_mut().enumerate().skip(1).take(m - 2) {
        *r = f[2 * i] - 2.0 * u[2 * i] + u[2 * i - 1] + u[2 * i + 1];
    }
    multigrid(&mut correction, &residual, levels - 1);
    for (i, pair) in correction.windows(2).enumerate() {
        u[2 * i] += pair[0];
        u[2 * i + 1] += 0.5 * (pair[0] + pair[1]);
    }
}

#[test]
fn a_multigrid_cycle() {
    let mut random = Random::new(29);
    let f = random.vector(9, -1.0, 1.0);
    check!(multigrid(&mut vec![0.1; 9], &f, const 2));
}

#[adjoint]
fn elements_through_indices_that_change(v: &mut [f64], at: &mut [usize]) -> f64 {
    let mut s = 0.0;
    for k in 0..at.len() {
        let e = &mut v[at[k]];
        at[k] += 1;
        *e *= *e + s;
        s += *e;
        let (p, q) = (at[k], at[(k + 1) % 3]);
        let part = &mut v[p.min(q)..];
        at[0] = 0;
        part[0] *= s;
    }
    s
}

#[test]
fn indices_change_after_the_borrow() {
    check!(elements_through_indices_that_change(
        &mut vec![0.5, 1.5, -0.7, 0.4, 0.9],
        const &mut [1, 3, 2]
    ) -> f64);
}
