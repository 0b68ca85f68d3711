//! References that are chosen by a branch, assigned again, narrowed and swapped.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, assert_rows_close, check};

#[adjoint]
fn norm2(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += v * v;
    }
    s
}

#[adjoint]
fn step(from: &[f64], to: &mut [f64]) {
    for i in 0..to.len() {
        to[i] = from[i] * from[i] + 0.5 * to[i];
    }
}

// Chosen by a branch.

#[adjoint]
fn chosen_by_if(a: &[f64], b: &[f64], c: bool) -> f64 {
    let p = if c { a } else { b };
    let mut s = 0.0;
    for i in 0..p.len() {
        s += p[i] * p[i] * p[0];
    }
    s
}

#[test]
fn a_shared_slice_by_if() {
    for c in [true, false] {
        check!(chosen_by_if(&vec![0.5, -1.5], &vec![2.0, 0.3, 0.7], const c) -> f64);
    }
}

#[adjoint]
fn chosen_by_match(a: &[f64], b: &Vec<f64>, c: &[f64; 3], k: usize) -> f64 {
    let p: &[f64] = match k {
        0 => a,
        1 => b,
        2 => &a[1..],
        _ => c,
    };
    let mut s = 0.0;
    for v in p.iter() {
        s += v * v * v;
    }
    s * p[p.len() - 1]
}

#[test]
fn a_shared_slice_by_match() {
    for k in 0..4 {
        check!(chosen_by_match(&vec![0.5, -1.5], &vec![2.0, 0.3, 0.7], &[1.1, 0.9, -0.4], const k) -> f64);
    }
}

#[adjoint]
fn chosen_to_write(a: &mut [f64], b: &mut [f64], c: bool) {
    let p = if c { &mut *a } else { &mut *b };
    for v in p.iter_mut() {
        *v = *v * *v;
    }
    p[0] += p[1];
    a[0] *= b[0];
}

#[test]
fn a_slice_to_write_by_if() {
    for c in [true, false] {
        check!(chosen_to_write(&mut vec![0.5, -1.5], &mut vec![2.0, 0.3, 0.7], const c));
    }
}

#[adjoint]
fn parts_by_if(x: &mut [f64], m: usize, c: bool) -> f64 {
    let p = if c { &mut x[..m] } else { &mut x[m..] };
    for i in 1..p.len() {
        p[i] *= p[i - 1];
    }
    p.len() as f64 * p[p.len() - 1]
}

#[test]
fn parts_of_one_slice_by_if() {
    for c in [true, false] {
        check!(parts_by_if(&mut vec![0.5, -1.5, 2.0, 0.3, 0.7], const 2, const c) -> f64);
    }
}

#[adjoint]
fn pair_by_parity(a: &mut Vec<f64>, b: &mut Vec<f64>, steps: usize) {
    for t in 0..steps {
        let (src, dst) = if t % 2 == 0 {
            (&*a, &mut *b)
        } else {
            (&*b, &mut *a)
        };
        for i in 0..dst.len() {
            dst[i] = src[i] * src[i] - 0.3 * dst[i];
        }
    }
}

#[test]
fn a_pair_by_parity() {
    for steps in 0..5 {
        check!(pair_by_parity(&mut vec![0.5, -0.7], &mut vec![0.9, 0.3], const steps));
    }
}

#[adjoint]
fn local_pair_by_parity(x: &[f64], steps: usize) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![0.1; x.len()];
    for t in 0..steps {
        let (src, dst) = if t % 2 == 0 {
            (&a, &mut b)
        } else {
            (&b, &mut a)
        };
        step(src, dst);
    }
    norm2(&a) + 2.0 * norm2(&b)
}

#[test]
fn a_pair_of_locals_in_a_call() {
    for steps in 0..5 {
        check!(local_pair_by_parity(&vec![0.5, -0.7, 0.2], const steps) -> f64);
    }
}

#[adjoint]
fn scalar_by_if(a: &mut f64, b: &mut f64, c: bool, k: f64) {
    let p = if c { &mut *a } else { &mut *b };
    *p *= k;
    *p += k * k;
    *a *= *b;
}

#[test]
fn a_scalar_to_write_by_if() {
    for c in [true, false] {
        check!(scalar_by_if(&mut 0.5, &mut -0.7, const c, 1.3));
    }
}

#[adjoint]
fn element_in_a_loop(x: &mut [f64], y: &mut [f64]) {
    for i in 0..x.len() {
        let larger = if x[i] > y[i] { &mut x[i] } else { &mut y[i] };
        *larger = *larger * *larger;
    }
}

#[test]
fn an_element_in_a_loop() {
    check!(element_in_a_loop(
        &mut vec![0.5, -1.5, 2.0],
        &mut vec![0.4, 0.3, 2.5]
    ));
}

#[adjoint]
fn declared_first(a: &mut [f64], b: &mut [f64], k: usize) -> f64 {
    let p;
    if k == 0 {
        p = &mut *a;
    } else {
        p = &mut *b;
    }
    p[0] *= p[1];
    norm2(p) * a[1] * b[1]
}

#[test]
fn declared_before_it_is_chosen() {
    for k in 0..2 {
        check!(declared_first(&mut vec![0.5, -1.5], &mut vec![2.0, 0.3], const k) -> f64);
    }
}

#[adjoint]
fn constants_by_if(x: &[f64], c: bool) -> f64 {
    let w = if c {
        &[1.0, 2.0, 0.5]
    } else {
        &[3.0, -1.0, 0.0]
    };
    let mut s = 0.0;
    for i in 0..3 {
        s += w[i] * x[i] * x[i];
    }
    s
}

#[test]
fn constants_chosen_by_if() {
    for c in [true, false] {
        let j = check!(constants_by_if(&vec![0.5, -1.5, 2.0], const c) -> f64);
        let expected = if c { [1.0, -6.0, 2.0] } else { [3.0, 3.0, 0.0] };
        assert_rows_close(&j, &[&expected]);
    }
}

#[adjoint]
fn two_choices(a: &[f64], b: &[f64], c: bool, d: bool) -> f64 {
    let p = if c { a } else { b };
    let q = if d { a } else { b };
    let mut s = 0.0;
    for i in 0..p.len() {
        s += p[i] * q[i] * q[0];
    }
    s
}

#[test]
fn two_shared_choices_may_be_the_same() {
    for (c, d) in [(true, true), (true, false), (false, true), (false, false)] {
        check!(two_choices(&vec![0.5, -1.5], &vec![2.0, 0.3], const c, const d) -> f64);
    }
}

// Assigned again.

#[adjoint]
fn assigned_again(a: &[f64], b: &[f64]) -> f64 {
    let mut cur = a;
    let mut s = cur[0] * cur[1];
    cur = b;
    s += cur[0] * cur[0] * cur[1];
    cur = a;
    s * cur[0]
}

#[test]
fn assigned_again_in_straight_code() {
    check!(assigned_again(&vec![0.5, -1.5], &vec![2.0, 0.3]) -> f64);
}

#[adjoint]
fn assigned_in_a_loop(a: &[f64], b: &[f64], c: &[f64], n: usize) -> f64 {
    let mut cur = a;
    let mut s = 1.0;
    for i in 0..n {
        s = s * cur[0] + cur[1];
        cur = match i % 3 {
            0 => b,
            1 => c,
            _ => a,
        };
    }
    s * cur[0]
}

#[test]
fn assigned_again_in_a_loop() {
    for n in 0..6 {
        check!(
            assigned_in_a_loop(&vec![0.5, -1.5], &vec![2.0, 0.3], &vec![0.9, 0.8], const n) -> f64
        );
    }
}

#[adjoint]
fn narrowed(x: &[f64]) -> f64 {
    let mut r = x;
    let mut s = 1.0;
    while r.len() > 1 {
        s = s * r[0] + r[1] * r[1];
        r = &r[1..];
    }
    s * r[0]
}

#[test]
fn narrowed_from_the_front() {
    for n in 1..5 {
        check!(narrowed(&[0.5, -1.5, 2.0, 0.3, 0.7][..n].to_vec()) -> f64);
    }
}

#[adjoint]
fn narrowed_parameter(mut x: &[f64]) -> f64 {
    let mut s = 0.0;
    while !x.is_empty() {
        s += x[0] * x[x.len() - 1];
        x = &x[1..];
        if !x.is_empty() {
            x = &x[..x.len() - 1];
        }
    }
    s
}

#[test]
fn narrowed_from_both_ends() {
    for n in 0..6 {
        check!(narrowed_parameter(&[0.5, -1.5, 2.0, 0.3, 0.7][..n].to_vec()) -> f64);
    }
}

#[adjoint]
fn blocks_of(x: &[f64], n: usize) -> f64 {
    let mut rest = &x[..];
    let mut s = 0.0;
    while rest.len() >= n {
        let (head, tail) = rest.split_at(n);
        s += norm2(head) * head[0];
        rest = tail;
    }
    for v in rest {
        s *= v;
    }
    s
}

#[test]
fn blocks_split_off() {
    for n in 1..4 {
        check!(blocks_of(&vec![0.5, -1.5, 2.0, 0.3, 0.7], const n) -> f64);
    }
}

#[adjoint]
fn blocks_to_write(x: &mut [f64], n: usize) {
    let mut rest = x;
    let mut k = 1.0;
    while rest.len() >= n {
        let tmp = std::mem::take(&mut rest);
        let (head, tail) = tmp.split_at_mut(n);
        for v in head.iter_mut() {
            *v = k * *v * *v;
        }
        if tail.len() > 0 {
            tail[0] += head[0];
        }
        k += 1.0;
        rest = tail;
    }
}

#[test]
fn blocks_taken_and_split_off() {
    for n in 1..4 {
        check!(blocks_to_write(&mut vec![0.5, -1.5, 2.0, 0.3, 0.7], const n));
    }
}

#[adjoint]
fn halves_in_a_call(x: &mut [f64]) {
    let mut rest = x;
    while rest.len() >= 4 {
        let tmp = std::mem::take(&mut rest);
        let (head, tail) = tmp.split_at_mut(2);
        step(head, &mut tail[..2]);
        rest = tail;
    }
}

#[test]
fn halves_of_a_moving_slice_in_a_call() {
    check!(halves_in_a_call(&mut vec![
        0.5, -1.5, 0.8, 0.3, 0.7, 0.2, -0.4, 1.2
    ]));
}

#[adjoint]
fn searched(a: &[f64], b: &[f64], limit: f64) -> f64 {
    let mut r = a;
    let mut s = 0.0;
    loop {
        if r.is_empty() {
            break;
        }
        if r[0] > limit {
            r = b;
            break;
        }
        s += r[0] * r[0];
        r = &r[1..];
    }
    for v in r {
        s += v * v * v;
    }
    s
}

#[test]
fn moved_to_another_slice_when_found() {
    check!(searched(&vec![0.5, -1.5, 3.0, 0.3], &vec![2.0, 0.4], 2.5) -> f64);
    check!(searched(&vec![0.5, -1.5, 2.0, 0.3], &vec![2.0, 0.4], 2.5) -> f64);
}

// Buffers that change places.

#[adjoint]
fn ping_pong(x: &mut [f64], steps: usize, k: f64) -> f64 {
    let mut other = vec![0.0; x.len()];
    let (mut cur, mut next) = (&mut *x, &mut other[..]);
    for _ in 0..steps {
        for i in 0..cur.len() {
            next[i] = cur[i] + k * cur[i] * cur[i];
        }
        std::mem::swap(&mut cur, &mut next);
    }
    norm2(cur) + next[0]
}

#[test]
fn buffers_of_slices() {
    for steps in 0..5 {
        check!(ping_pong(&mut vec![0.5, -0.7, 0.2], const steps, 0.3) -> f64);
    }
}

#[adjoint]
fn ping_pong_parameters(a: &mut [f64], b: &mut [f64], steps: usize) {
    let (mut cur, mut next) = (a, b);
    for _ in 0..steps {
        step(cur, next);
        std::mem::swap(&mut cur, &mut next);
    }
    cur[0] *= next[1];
}

#[test]
fn buffers_of_two_parameters() {
    for steps in 0..6 {
        check!(ping_pong_parameters(&mut vec![0.5, -0.7], &mut vec![0.9, 0.3], const steps));
    }
}

#[adjoint]
fn ping_pong_vecs(x: &[f64], steps: usize) -> f64 {
    let mut a = x.to_vec();
    let mut b = vec![0.5; x.len()];
    let mut cur = &mut a;
    let mut next = &mut b;
    for _ in 0..steps {
        step(cur, next);
        std::mem::swap(&mut cur, &mut next);
    }
    norm2(cur) * next[1]
}

#[test]
fn buffers_of_vecs() {
    for steps in 0..6 {
        check!(ping_pong_vecs(&vec![0.5, -0.7, 0.2], const steps) -> f64);
    }
}

#[adjoint]
fn ping_pong_break(a: &mut [f64], b: &mut [f64], limit: f64) -> f64 {
    let (mut cur, mut next) = (a, b);
    let mut n = 0.0;
    for _ in 0..10 {
        step(cur, next);
        if next[0] > limit {
            break;
        }
        std::mem::swap(&mut cur, &mut next);
        n += cur[1];
    }
    n * cur[0]
}

#[test]
fn buffers_with_a_break() {
    for limit in [0.1, 0.9, 1.5, 3.0, 100.0] {
        check!(ping_pong_break(&mut vec![0.8, -0.7], &mut vec![0.9, 0.3], limit) -> f64);
    }
}

#[adjoint]
fn ping_pong_nested(a: &mut [f64], b: &mut [f64], outer: usize, inner: usize) -> f64 {
    let (mut cur, mut next) = (a, b);
    let mut s = 0.0;
    for t in 0..outer {
        for _ in 0..inner + t {
            for (n, c) in next.iter_mut().zip(cur.iter()) {
                *n = *c * *c - 0.4 * *n;
            }
            std::mem::swap(&mut cur, &mut next);
        }
        s += cur[0] * cur[1];
        if t == 1 {
            std::mem::swap(&mut cur, &mut next);
        }
    }
    s + next[0]
}

#[test]
fn buffers_in_nested_loops() {
    for (outer, inner) in [(0, 3), (1, 0), (2, 1), (3, 2)] {
        check!(
            ping_pong_nested(
                &mut vec![0.8, -0.7],
                &mut vec![0.9, 0.3],
                const outer,
                const inner,
            ) -> f64
        );
    }
}

#[adjoint]
fn three_buffers(x: &mut [f64], y: &mut [f64], z: &mut [f64], steps: usize) -> f64 {
    let (mut a, mut b, mut c) = (x, y, z);
    for _ in 0..steps {
        for i in 0..a.len() {
            c[i] = 2.0 * b[i] - a[i] * b[i];
        }
        std::mem::swap(&mut a, &mut b);
        std::mem::swap(&mut b, &mut c);
    }
    norm2(b) + a[0] * c[1]
}

#[test]
fn three_buffers_in_turn() {
    for steps in 0..5 {
        check!(
            three_buffers(
                &mut vec![0.8, -0.7],
                &mut vec![0.9, 0.3],
                &mut vec![0.1, 0.2],
                const steps,
            ) -> f64
        );
    }
}

#[adjoint]
fn swapped_by_hand(a: &mut [f64], b: &mut [f64], steps: usize) -> f64 {
    let mut cur = a;
    let mut next = b;
    for _ in 0..steps {
        step(cur, next);
        let tmp = cur;
        cur = next;
        next = tmp;
    }
    norm2(cur) * next[0]
}

#[test]
fn buffers_swapped_by_hand() {
    for steps in 0..4 {
        check!(swapped_by_hand(&mut vec![0.8, -0.7], &mut vec![0.9, 0.3], const steps) -> f64);
    }
}

#[adjoint]
fn swapped_by_tuple(a: &mut [f64], b: &mut [f64], steps: usize) -> f64 {
    let (mut cur, mut next) = (a, b);
    for _ in 0..steps {
        step(cur, next);
        (cur, next) = (next, cur);
    }
    norm2(cur) * next[0]
}

#[test]
fn buffers_swapped_by_a_tuple() {
    for steps in 0..4 {
        check!(swapped_by_tuple(&mut vec![0.8, -0.7], &mut vec![0.9, 0.3], const steps) -> f64);
    }
}

#[adjoint]
fn contents_and_references(a: &mut Vec<f64>, b: &mut Vec<f64>) {
    let (mut p, mut q) = (a, b);
    std::mem::swap(&mut p, &mut q);
    p[0] *= 3.0;
    std::mem::swap(p, q);
    p[0] *= q[0];
    std::mem::swap(&mut *p, &mut *q);
    q[1] += p[0];
}

#[test]
fn contents_and_references_are_swapped() {
    check!(contents_and_references(
        &mut vec![0.8, -0.7],
        &mut vec![0.9, 0.3]
    ));
}

#[adjoint]
fn replaced(a: &mut [f64], b: &mut [f64]) -> f64 {
    let mut cur = a;
    let old = std::mem::replace(&mut cur, b);
    old[0] *= cur[0];
    cur[1] *= old[1];
    norm2(old) * cur[1]
}

#[test]
fn a_reference_is_replaced() {
    check!(replaced(&mut vec![0.8, -0.7], &mut vec![0.9, 0.3]) -> f64);
}

/// The wave equation with references to three time levels.
#[adjoint]
fn wave_by_reference(u0: &[f64], c: f64, steps: usize, out: &mut [f64]) {
    let n = u0.len();
    let (mut x, mut y, mut z) = (u0.to_vec(), u0.to_vec(), vec![0.0; n]);
    let (mut old, mut cur, mut new) = (&mut x, &mut y, &mut z);
    for _ in 0..steps {
        for i in 1..n - 1 {
            let bend = cur[i - 1] - 2.0 * cur[i] + cur[i + 1];
            new[i] = 2.0 * cur[i] - old[i] + c * c * bend * (1.0 + 0.1 * cur[i]);
        }
        std::mem::swap(&mut old, &mut cur);
        std::mem::swap(&mut cur, &mut new);
    }
    out.copy_from_slice(cur);
}

/// The same with the buffers themselves.
#[adjoint]
fn wave_by_value(u0: &[f64], c: f64, steps: usize, out: &mut [f64]) {
    let n = u0.len();
    let (mut old, mut cur, mut new) = (u0.to_vec(), u0.to_vec(), vec![0.0; n]);
    for _ in 0..steps {
        for i in 1..n - 1 {
            let bend = cur[i - 1] - 2.0 * cur[i] + cur[i + 1];
            new[i] = 2.0 * cur[i] - old[i] + c * c * bend * (1.0 + 0.1 * cur[i]);
        }
        std::mem::swap(&mut old, &mut cur);
        std::mem::swap(&mut cur, &mut new);
    }
    out.copy_from_slice(&cur);
}

#[test]
fn a_wave_over_hundred_steps() {
    let u: Vec<f64> = (0..12).map(|i| (0.5 * i as f64).sin()).collect();
    for steps in [0, 1, 2, 3, 7, 100] {
        let a = check!(wave_by_reference(&u, 0.4, const steps, &mut vec![0.0; 12]));
        let b = check!(wave_by_value(&u, 0.4, const steps, &mut vec![0.0; 12]));
        let rows: Vec<&[f64]> = b.iter().map(Vec::as_slice).collect();
        assert_rows_close(&a, &rows);
    }
}

#[test]
fn swapped_references_record_what_swapped_buffers_record() {
    let u: Vec<f64> = (0..12).map(|i| (0.5 * i as f64).sin()).collect();
    let stats = |by_reference: bool| {
        let mut tape = adjoint::Tape::new();
        let (mut u_adj, mut c_adj) = (vec![0.0; 12], 0.0);
        let (mut out, mut out_adj) = (vec![0.0; 12], vec![1.0; 12]);
        let f = match by_reference {
            true => wave_by_reference_adjoint_with,
            false => wave_by_value_adjoint_with,
        };
        f(
            &mut tape,
            &u,
            &mut u_adj,
            0.4,
            &mut c_adj,
            50,
            &mut out,
            &mut out_adj,
        );
        tape.stats()
    };
    let (by_reference, by_value) = (stats(true), stats(false));
    assert!(
        by_reference.reals.entries <= by_value.reals.entries
            && by_reference.integers.entries <= by_value.integers.entries + 10
            && by_reference.control.bytes <= by_value.control.bytes + 100,
        "{by_reference:?} {by_value:?}"
    );
}

#[test]
fn squares_of_ping_pong() {
    // Three steps of x -> x² by turns: x⁸.
    #[adjoint]
    fn squared(x: f64, steps: usize) -> f64 {
        let (mut a, mut b) = ([x], [0.0]);
        let (mut cur, mut next) = (&mut a, &mut b);
        for _ in 0..steps {
            next[0] = cur[0] * cur[0];
            std::mem::swap(&mut cur, &mut next);
        }
        cur[0]
    }
    let j = check!(squared(1.1, const 3) -> f64);
    assert_close(&j[0], &[8.0 * 1.1f64.powi(7)]);
}

// Shapes of use.

#[adjoint]
fn rows_by_index(m: &Vec<Vec<f64>>, order: &[usize]) -> f64 {
    let mut row = &m[0];
    let mut s = 1.0;
    for &i in order {
        s += row[0] * m[i][1] * row.len() as f64;
        row = &m[i];
    }
    s * row[1]
}

#[test]
fn rows_of_a_matrix() {
    check!(rows_by_index(&vec![vec![0.5, -1.5], vec![2.0, 0.3], vec![0.7, 0.9]], const &[2, 0, 1]) -> f64);
}

#[adjoint]
fn larger_first(x: &mut [f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while rest.len() > 1 {
        let k = rest.len() / 3 + 1;
        let (l, r) = std::mem::take(&mut rest).split_at_mut(k);
        if l.len() < r.len() {
            s += norm2(l) * s;
            r[0] *= l[0];
            rest = r;
        } else {
            s += norm2(r) * s * s;
            l[0] += r[0] * r[0];
            rest = l;
        }
    }
    s
}

#[test]
fn one_of_two_halves_goes_on() {
    for n in 1..8 {
        check!(larger_first(&mut [0.5, -0.5, 0.2, 0.3, 0.7, -0.4, 0.1][..n].to_vec()) -> f64);
    }
}

#[adjoint]
fn bisected(x: &[f64], at: f64) -> f64 {
    let mut r = x;
    while r.len() > 1 {
        let mid = r.len() / 2;
        r = if r[mid] > at { &r[..mid] } else { &r[mid..] };
    }
    r[0] * r[0] * at
}

#[test]
fn a_bisection_of_a_slice() {
    for (k, at) in [0.0, 0.6, 1.2, 1.9, 3.5].into_iter().enumerate() {
        let j = check!(bisected(&vec![0.5, 1.0, 1.5, 2.0, 2.5], at) -> f64);
        let x = [0.5, 0.5, 1.0, 1.5, 2.5][k];
        assert_close(&[j[0][5]], &[x * x]);
    }
}

#[adjoint]
fn split_first(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while let Some((first, tail)) = rest.split_first() {
        s = s * first + first * first;
        rest = tail;
    }
    s
}

#[adjoint]
fn split_last_mut(x: &mut [f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while let Some((last, init)) = std::mem::take(&mut rest).split_last_mut() {
        *last *= s;
        s += *last * 0.5;
        rest = init;
    }
    s
}

#[adjoint]
fn slice_patterns(x: &[f64]) -> f64 {
    let mut rest = x;
    let mut s = 1.0;
    while let [a, b, tail @ ..] = rest {
        s = s * a + b * b;
        rest = tail;
    }
    if let [last] = rest {
        s *= last;
    }
    s
}

#[test]
fn elements_taken_off() {
    for n in 0..6 {
        let x = [0.5, -0.5, 1.2, 0.3, 0.7][..n].to_vec();
        check!(split_first(&x) -> f64);
        check!(split_last_mut(&mut x.clone()) -> f64);
        check!(slice_patterns(&x) -> f64);
    }
}

#[adjoint]
fn optional_reference(x: &[f64], y: &[f64], k: usize) -> f64 {
    let found = if k < 2 {
        Some(&x[k..])
    } else if k < 4 {
        Some(y)
    } else {
        None
    };
    match found {
        Some(part) => part[0] * part[part.len() - 1] * norm2(part),
        None => x[0] * y[0],
    }
}

#[test]
fn an_optional_slice() {
    for k in 0..5 {
        check!(optional_reference(&vec![0.5, -0.5, 1.2], &vec![0.3, 0.7], const k) -> f64);
    }
}

#[adjoint]
fn best_so_far(x: &[f64], n: usize) -> f64 {
    let mut best: Option<&[f64]> = None;
    for part in x.chunks(n) {
        let better = match best {
            Some(b) => part[0] > b[0],
            None => true,
        };
        if better {
            best = Some(part);
        }
    }
    match best {
        Some(b) => norm2(b) * b[0],
        None => 0.0,
    }
}

#[test]
fn the_best_part_so_far() {
    for n in 1..4 {
        check!(best_so_far(&vec![0.5, -0.5, 1.2, 0.3, 0.7], const n) -> f64);
    }
}

#[adjoint]
fn through_a_closure(a: &[f64], b: &[f64], c: bool) -> f64 {
    let p = if c { a } else { b };
    let f = |i: usize| p[i] * p[0];
    f(0) + f(1) * f(1)
}

#[test]
fn captured_by_a_closure() {
    for c in [true, false] {
        check!(through_a_closure(&vec![0.5, -1.5], &vec![2.0, 0.3], const c) -> f64);
    }
}

#[adjoint]
fn generic_ping_pong<T: num_traits::Float>(a: &mut [T], b: &mut [T], steps: usize) -> T {
    let (mut cur, mut next) = (a, b);
    for _ in 0..steps {
        for i in 0..cur.len() {
            next[i] = cur[i] * cur[i] + next[i];
        }
        std::mem::swap(&mut cur, &mut next);
    }
    cur[0] * next[1]
}

#[test]
fn generic_buffers() {
    check!(generic_ping_pong(&mut vec![0.8, -0.7], &mut vec![0.9, 0.3], const 3) -> f64);
    check!(generic_ping_pong(&mut vec![0.75f32, -0.5], &mut vec![0.875, 0.25], const 3) -> f32);
}

#[derive(Clone, adjoint::Differentiable)]
struct Pair {
    a: Vec<f64>,
    b: Vec<f64>,
}

#[adjoint]
fn fields(p: &mut Pair, steps: usize) {
    let (mut cur, mut next) = (&mut p.a, &mut p.b);
    for _ in 0..steps {
        for i in 0..2 {
            next[i] = next[i] * cur[i];
        }
        std::mem::swap(&mut cur, &mut next);
    }
    cur[0] += next[0] * next[1];
}

#[test]
fn fields_of_a_struct() {
    for steps in 0..4 {
        let mut p = Pair {
            a: vec![0.5, 1.5],
            b: vec![2.0, -0.5],
        };
        let (a, b) = (p.a.clone(), p.b.clone());
        let mut adj = Pair {
            a: vec![1.0, 0.0],
            b: vec![0.0, 0.0],
        };
        fields_adjoint(&mut p, &mut adj, steps);
        let at = |i: usize, h: f64| {
            let mut p = Pair {
                a: a.clone(),
                b: b.clone(),
            };
            if i < 2 {
                p.a[i] += h
            } else {
                p.b[i - 2] += h
            }
            fields(&mut p, steps);
            p.a[0]
        };
        let found: Vec<f64> = adj.a.iter().chain(&adj.b).copied().collect();
        for i in 0..4 {
            let estimate = (at(i, 1e-5) - at(i, -1e-5)) / 2e-5;
            assert!(
                (found[i] - estimate).abs() < 1e-8,
                "{steps} {i}: {} {estimate}",
                found[i]
            );
        }
    }
}

#[adjoint]
fn ring_of_buffers(x: &[f64], steps: usize) -> f64 {
    let (mut a, mut b, mut c) = (x.to_vec(), x.to_vec(), x.to_vec());
    for t in 0..steps {
        let (p, q, r) = match t % 3 {
            0 => (&a, &b, &mut c),
            1 => (&b, &c, &mut a),
            _ => (&c, &a, &mut b),
        };
        for i in 0..r.len() {
            r[i] = 0.5 * p[i] * q[i] + r[i];
        }
    }
    a[0] * b[1] + c[0] * c[1]
}

#[test]
fn a_ring_of_three_by_match() {
    for steps in 0..7 {
        check!(ring_of_buffers(&vec![0.5, -0.7], const steps) -> f64);
    }
}

#[adjoint]
fn memory_functions(x: &[f64], y: &mut Vec<f64>) -> f64 {
    let mut v = x.to_vec();
    let new: Vec<f64> = x.iter().map(|a| a * a).collect();
    let old = std::mem::replace(&mut v, new);
    let mut w = std::mem::take(&mut v);
    std::mem::swap(&mut w, y);
    norm2(&old) * w[0] + w[1] * x[1]
}

#[test]
fn owned_vecs_are_replaced_taken_and_swapped() {
    check!(memory_functions(&vec![0.5, -0.7], &mut vec![0.9, 1.3]) -> f64);
}

#[adjoint]
fn moved_elements(x: &mut [f64], k: f64) {
    let n = x.len();
    x.copy_within(1..3, 0);
    x[0] *= k;
    x.swap(0, n - 1);
    x.rotate_left(2);
    x[1] *= x[0];
    x.rotate_right(1);
    x.reverse();
    x.copy_within(..2, 2);
    x[n - 1] *= x[2];
    for pair in x.chunks_exact_mut(2) {
        pair.swap(0, 1);
        pair[0] *= k;
    }
}

#[test]
fn elements_are_moved() {
    check!(moved_elements(&mut vec![0.5, -0.7, 1.2, 0.3, 0.8], 1.5));
}

#[adjoint]
fn printed(a: &[f64], b: &[f64], c: bool) -> f64 {
    let p = if c { a } else { b };
    assert!(p.len() > 1, "{p:?}");
    debug_assert_eq!(p.len(), 2);
    p[0] * p[1]
}

#[test]
fn named_in_a_macro() {
    for c in [true, false] {
        check!(printed(&vec![0.5, -1.5], &vec![2.0, 0.3], const c) -> f64);
    }
}

#[adjoint]
fn chosen_again_in_a_loop(a: &mut [f64], b: &mut [f64], n: usize) -> f64 {
    let mut s = 0.0;
    for i in 0..n {
        let p = if a[0] < b[0] { &mut *a } else { &mut *b };
        for v in p.iter_mut() {
            *v = *v * 1.5 + 0.1 * i as f64;
        }
        if p[1] > 2.0 {
            continue;
        }
        s += p[0] * p[1];
    }
    s
}

#[test]
fn chosen_anew_in_each_iteration() {
    for n in 0..5 {
        check!(chosen_again_in_a_loop(&mut vec![0.5, 0.3], &mut vec![0.6, 0.9], const n) -> f64);
    }
}

#[adjoint]
fn returned_early(a: &[f64], b: &[f64], k: usize) -> f64 {
    let mut r = a;
    for i in 0..4 {
        if i == k {
            return r[0] * r[0] * r[1];
        }
        r = if i % 2 == 0 { b } else { a };
    }
    r[1]
}

#[test]
fn a_reference_and_an_early_return() {
    for k in 0..5 {
        check!(returned_early(&vec![0.5, 0.3], &vec![0.6, 0.9], const k) -> f64);
    }
}

#[adjoint]
fn value_of_a_call(a: &[f64], b: &[f64], c: bool) -> f64 {
    let p = if c { a } else { b };
    let v = norm2(p);
    let w = norm2(&p[1..]) * v;
    v * w
}

#[test]
fn the_result_of_a_call_through_a_reference() {
    for c in [true, false] {
        check!(value_of_a_call(&vec![0.5, -1.5], &vec![2.0, 0.3], const c) -> f64);
    }
}

#[adjoint]
fn array_of_references(a: &[f64], b: &[f64], c: &[f64], k: usize) -> f64 {
    let all = [a, b, c];
    let p = all[k % 3];
    let mut s = p[0];
    for q in [a, c] {
        s += q[1] * p[1];
    }
    s * all[2][0]
}

#[test]
fn references_in_an_array() {
    for k in 0..3 {
        check!(
            array_of_references(&vec![0.5, -1.5], &vec![2.0, 0.3], &vec![1.1, 0.7], const k) -> f64
        );
    }
}

#[adjoint]
fn array_of_mutable_references(a: &mut [f64], b: &mut [f64], k: f64) {
    for p in [&mut *a, &mut *b] {
        p[0] *= k;
        p[1] += p[0] * p[0];
    }
    for (i, p) in [b, a].into_iter().enumerate() {
        p[1] *= k + i as f64;
    }
}

#[test]
fn mutable_references_in_an_array() {
    check!(array_of_mutable_references(
        &mut vec![0.5, -1.5],
        &mut vec![2.0, 0.3],
        1.3
    ));
}

#[adjoint]
fn rows_of_a_split(m: &mut Vec<Vec<f64>>, steps: usize) -> f64 {
    let (top, bottom) = m.split_at_mut(1);
    let (mut cur, mut next) = (&mut top[0], &mut bottom[0]);
    for _ in 0..steps {
        step(cur, next);
        std::mem::swap(&mut cur, &mut next);
    }
    norm2(cur) * next[0]
}

#[test]
fn buffers_in_two_halves() {
    for steps in 0..4 {
        check!(rows_of_a_split(&mut vec![vec![0.8, -0.7], vec![0.9, 0.3]], const steps) -> f64);
    }
}

#[adjoint]
fn halves_by_parity(x: &mut [f64], steps: usize) {
    let n = x.len() / 2;
    for t in 0..steps {
        let (a, b) = x.split_at_mut(n);
        let (src, dst) = if t % 2 == 0 { (a, b) } else { (b, a) };
        step(src, dst);
    }
}

#[test]
fn halves_chosen_by_parity() {
    for steps in 0..4 {
        check!(halves_by_parity(&mut vec![0.8, -0.7, 0.9, 0.3], const steps));
    }
}

#[adjoint]
fn list_of_buffers(x: &mut [f64], y: &mut [f64], steps: usize) -> f64 {
    let mut l = [x, y];
    for t in 0..steps {
        for i in 0..2 {
            l[1][i] = l[0][i] * l[0][i] + 0.3 * l[1][i];
        }
        l.swap(0, 1);
        l[t % 2][0] *= 1.1;
    }
    norm2(l[0]) * l[1][1]
}

#[test]
fn buffers_in_an_array_of_references() {
    for steps in 0..4 {
        check!(list_of_buffers(&mut vec![0.8, -0.7], &mut vec![0.9, 0.3], const steps) -> f64);
    }
}

#[adjoint]
fn option_of_element(x: &mut [f64], k: usize) -> f64 {
    let mut last = x.get_mut(k);
    if let Some(v) = last {
        *v *= *v;
    }
    last = x.get_mut(k + 1);
    match last {
        Some(v) => {
            *v *= 3.0;
            *v * *v
        }
        None => 0.5,
    }
}

#[test]
fn an_optional_element_to_write() {
    for k in 0..4 {
        check!(option_of_element(&mut vec![0.8, -0.7, 0.9], const k) -> f64);
    }
}

#[adjoint]
fn reference_of_a_reference(a: &mut [f64], b: &mut [f64], c: bool, d: bool) -> f64 {
    let p = if c { &mut *a } else { &mut *b };
    let q = if d { &mut p[..2] } else { &mut p[1..] };
    q[0] *= q[1];
    let r = &*q;
    r[0] * r[1] + a[0] * b[2]
}

#[test]
fn a_choice_of_parts_of_a_choice() {
    for (c, d) in [(true, true), (true, false), (false, true), (false, false)] {
        check!(
            reference_of_a_reference(
                &mut vec![0.8, -0.7, 0.9],
                &mut vec![0.3, 1.3, 0.4],
                const c,
                const d,
            ) -> f64
        );
    }
}

#[adjoint]
fn window_and_other(a: &mut [f64], b: &mut [f64]) -> f64 {
    let mut p = a;
    let mut q = b;
    let mut s = 0.0;
    while p.len() > 1 && q.len() > 1 {
        p[0] += q[0] * q[1];
        s += p[0] * p[1];
        std::mem::swap(&mut p, &mut q);
        let tmp = std::mem::take(&mut p);
        p = &mut tmp[1..];
    }
    s * p[0] * q[0]
}

#[test]
fn windows_that_are_swapped() {
    check!(window_and_other(&mut vec![0.8, -0.7, 0.9], &mut vec![0.3, 1.3, 0.4, 0.2]) -> f64);
}

#[test]
#[should_panic(expected = "range end index 3 out of range for slice of length 2")]
fn a_part_beyond_the_window_panics() {
    #[adjoint]
    fn beyond(x: &[f64]) -> f64 {
        let mut r = &x[1..3];
        r = &r[..3];
        r[0]
    }
    beyond_adjoint(&[1.0, 2.0, 3.0, 4.0, 5.0], &mut [0.0; 5], 1.0);
}

#[test]
#[should_panic(expected = "the len is 2 but the index is 2")]
fn a_reference_that_is_not_in_the_array_panics() {
    #[adjoint]
    fn beyond(x: &[f64], y: &[f64], k: usize) -> f64 {
        let p = [x, y][k];
        p[0]
    }
    beyond_adjoint(&[1.0], &mut [0.0], &[1.0], &mut [0.0], 2, 1.0);
}

#[adjoint]
fn broken_with(x: &mut [f64], y: &mut [f64], limit: f64) -> f64 {
    let mut i = 0;
    let p = loop {
        if i == 2 {
            break &mut y[1..];
        }
        if x[i] > limit {
            break &mut x[i..];
        }
        i += 1;
    };
    p[0] *= p[1];
    let q = 'found: {
        if p.len() > 2 {
            break 'found &p[1..];
        }
        &*p
    };
    norm2(q) * q[0]
}

#[test]
fn a_reference_out_of_a_loop() {
    for limit in [0.1, 0.6, 2.0] {
        check!(broken_with(&mut vec![0.5, 1.5, 0.7], &mut vec![0.9, 0.3, 0.4], limit) -> f64);
    }
}

#[adjoint]
fn largest(x: &[f64]) -> f64 {
    let mut best = &x[0];
    for v in x {
        if v > best {
            best = v;
        }
    }
    *best * *best
}

#[test]
fn the_largest_element_by_reference() {
    let j = check!(largest(&vec![0.5, 1.5, 0.7]) -> f64);
    assert_close(&j[0], &[0.0, 3.0, 0.0]);
}

#[adjoint]
fn two_parts_of_one(a: &mut (f64, f64), b: &mut (f64, f64), n: usize, k: f64) {
    let mut r = &mut *a;
    for i in 0..n {
        let first = &mut r.0;
        std::mem::swap(first, &mut r.1);
        *first *= k * r.1;
        if i == 1 {
            r = b;
        }
    }
}

#[test]
fn two_parts_of_what_one_points_to_are_exchanged() {
    for n in 0..3 {
        check!(two_parts_of_one(&mut (0.5, -0.7), &mut (1.5, 0.3), const n, 1.3));
    }
}
