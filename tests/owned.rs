//! `Vec`s that grow and shrink.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    clippy::explicit_counter_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::check;

#[adjoint]
fn pushed_and_summed(x: &[f64], k: f64) -> f64 {
    let mut squares = Vec::new();
    for i in 0..x.len() {
        squares.push(x[i] * x[i] * k);
    }
    let mut s = 0.0;
    for i in 0..squares.len() {
        s += squares[i].sin() * (i + 1) as f64;
    }
    s
}

#[test]
fn elements_are_pushed() {
    check!(pushed_and_summed(&vec![0.5, 1.2, -0.7], 1.3) -> f64);
    check!(pushed_and_summed(&Vec::<f64>::new(), 1.3) -> f64);
}

#[adjoint]
fn postfix(x: &[f64], program: &[i32]) -> f64 {
    // A stack machine: a number is an operand, -1 adds, -2 multiplies, -3 takes the sine.
    let mut stack: Vec<f64> = Vec::with_capacity(4);
    for &op in program {
        if op >= 0 {
            stack.push(x[op as usize]);
        } else if op == -3 {
            let a = stack.pop().unwrap();
            stack.push(a.sin());
        } else {
            let (b, a) = (stack.pop().unwrap(), stack.pop().unwrap());
            stack.push(if op == -1 { a + b } else { a * b });
        }
    }
    stack.pop().expect("a result")
}

#[test]
fn a_stack_machine() {
    let x = vec![0.5, 1.2, -0.7];
    check!(postfix(&x, const &[0, 1, -2, -3, 2, -1, 0, 2, -2, -2]) -> f64);
    check!(postfix(&x, const &[0]) -> f64);
}

#[test]
#[should_panic(expected = "called `Option::unwrap()` on a `None` value")]
fn an_empty_stack_panics_as_in_the_function() {
    let mut x_adj = vec![0.0; 1];
    postfix_adjoint(&[1.0], &mut x_adj, &[0, -1], 1.0);
}

#[adjoint]
fn grows_and_shrinks(y: &mut Vec<f64>, k: f64) {
    // Each second element goes, the others are doubled in number.
    let last = y.pop().unwrap();
    y.push(last * last * k);
    y.push(y[0] * last);
    y.insert(1, k.sin() * y[1]);
    let gone = y.remove(0);
    y[0] *= gone;
}

#[test]
fn an_in_out_vec_that_changes_its_length() {
    check!(grows_and_shrinks(&mut vec![0.5, 1.2], 0.8));
    let (mut y, mut y_adj, mut k_adj) = (vec![2.0, 3.0], vec![0.0, 1.0, 0.0], 0.0);
    grows_and_shrinks_adjoint(&mut y, &mut y_adj, 5.0, &mut k_adj);
    // The exit value is left; the adjoint is that of the entry value.
    assert_eq!(y, [2.0 * (5.0f64.sin() * 45.0), 45.0, 6.0]);
    assert_eq!(y_adj, [0.0, 30.0]);
    assert_eq!(k_adj, 9.0);
}

#[test]
#[should_panic(expected = "`y` has length 3, but `y_adj` has length 2")]
fn the_adjoint_is_held_against_the_exit_length() {
    let (mut y, mut y_adj, mut k_adj) = (vec![2.0, 3.0], vec![0.0; 2], 0.0);
    grows_and_shrinks_adjoint(&mut y, &mut y_adj, 5.0, &mut k_adj);
}

#[adjoint]
fn emptied(y: &mut Vec<f64>, x: &[f64]) -> f64 {
    let before: f64 = y.iter().sum();
    y.clear();
    for v in x {
        y.push(v * v * before);
    }
    y.truncate(2);
    y.iter().map(|v| v.cos()).sum()
}

#[test]
fn an_in_out_vec_that_is_cleared() {
    check!(emptied(&mut vec![0.5, 1.2, 0.3, 0.2], &vec![0.4, -0.6, 0.9]) -> f64);
    check!(emptied(&mut vec![0.5], &vec![0.4]) -> f64);
}

#[adjoint]
fn resized(y: &mut Vec<f64>, n: usize, x: f64) -> f64 {
    y.resize(n, x * x);
    let mut product = 1.0;
    for v in y.iter() {
        product *= v + 1.0;
    }
    y.resize(2, x);
    product
}

#[test]
fn a_vec_is_resized() {
    for n in 0..5 {
        check!(resized(&mut vec![0.5, 1.2, 0.3], const n, 0.7) -> f64);
    }
}

#[adjoint]
fn extended(x: &[f64], y: &Vec<f64>, k: f64) -> Vec<f64> {
    let mut all = x.to_vec();
    all.extend_from_slice(y);
    all.extend(x.iter().map(|v| v * k));
    all.extend([k, k * k]);
    all.extend(y.iter().rev().skip(1));
    let mut more = vec![k; 2];
    all.append(&mut more);
    more.push(k * all[0]);
    all.extend(more);
    all
}

#[test]
fn a_vec_is_extended() {
    check!(extended(&vec![0.5, 1.2], &vec![-0.3, 0.6, 0.9], 0.7) -> &Vec<f64>);
}

#[adjoint]
fn cut_and_joined(x: &[f64], at: usize) -> f64 {
    let mut v = x.to_vec();
    let mut tail = v.split_off(at);
    for t in tail.iter_mut() {
        *t *= *t;
    }
    tail.append(&mut v);
    let mut s = 0.0;
    for (i, t) in tail.drain(..).enumerate() {
        s = s * x[0] + t * (i + 1) as f64;
    }
    s + tail.len() as f64
}

#[test]
fn a_vec_is_split_and_drained() {
    for at in 0..4 {
        check!(cut_and_joined(&vec![0.5, 1.2, -0.7], const at) -> f64);
    }
}

#[adjoint]
fn drained_within(x: &[f64]) -> f64 {
    let mut v: Vec<f64> = x.iter().map(|a| a.sin()).collect();
    let mut s = 0.0;
    for d in v.drain(1..3) {
        s += d * x[0];
    }
    s * v[0] + v[1] * v[1]
}

#[test]
fn a_part_is_drained() {
    check!(drained_within(&vec![0.5, 1.2, -0.7, 0.4]) -> f64);
}

#[adjoint]
fn kept(x: &[f64], bound: f64) -> f64 {
    let mut v = x.to_vec();
    v.retain(|a| *a < bound);
    let mut p = bound;
    for a in &v {
        p *= a * p;
    }
    p
}

#[test]
fn some_elements_are_retained() {
    check!(kept(&vec![0.5, 1.2, -0.7, 0.4], 0.9) -> f64);
}

#[adjoint]
fn swap_removed(x: &[f64], order: &[usize]) -> f64 {
    let mut rest = x.to_vec();
    let mut s = 1.0;
    for &i in order {
        let a = rest.swap_remove(i);
        s = s * a + rest.len() as f64 * a;
    }
    s * rest[0]
}

#[test]
fn an_element_is_swapped_out() {
    check!(swap_removed(&vec![0.5, 1.2, -0.7, 0.4], const &[1, 0, 1]) -> f64);
}

#[adjoint]
fn sorted_by_insertion(x: &[f64], k: f64) -> f64 {
    let mut sorted: Vec<f64> = Vec::new();
    for &v in x {
        let mut at = 0;
        while at < sorted.len() && sorted[at] < v {
            at += 1;
        }
        sorted.insert(at, v);
    }
    let mut s = 0.0;
    let mut w = 1.0;
    for v in &sorted {
        s += w * v;
        w *= k;
    }
    s
}

#[test]
fn elements_are_inserted_in_order() {
    check!(sorted_by_insertion(&vec![0.5, 1.2, -0.7, 0.4, -0.1], 0.6) -> f64);
}

#[adjoint]
fn depth_first(left: &[usize], right: &[usize], w: &[f64], x: f64) -> f64 {
    // A tree by indices; 0 is no child.
    let mut stack = vec![1];
    let mut s = x;
    while let Some(node) = stack.pop() {
        s = s * w[node - 1] + x.sin();
        if left[node - 1] > 0 {
            stack.push(left[node - 1]);
        }
        if right[node - 1] > 0 {
            stack.push(right[node - 1]);
        }
    }
    s
}

#[test]
fn a_stack_of_indices() {
    check!(depth_first(const &[2, 4, 0, 0], const &[3, 0, 0, 0], &vec![0.5, 1.2, -0.7, 0.4], 0.9) -> f64);
}

#[adjoint]
fn breadth_first(edges: &[(usize, usize)], w: &mut Vec<f64>) {
    let mut seen = vec![false; w.len()];
    let mut front = vec![0usize];
    while !front.is_empty() {
        let mut next = Vec::new();
        for &i in &front {
            seen[i] = true;
            for &(a, b) in edges {
                if a == i && !seen[b] {
                    w[b] += w[i] * w[i];
                    next.push(b);
                }
            }
        }
        front = next;
    }
}

#[test]
fn a_front_that_is_made_anew() {
    check!(breadth_first(const &[(0, 1), (0, 2), (1, 3), (2, 3)], &mut vec![0.5, 1.2, -0.7, 0.4]));
}

#[adjoint]
fn rows_grow(x: &[f64], n: usize) -> f64 {
    let mut rows: Vec<Vec<f64>> = Vec::new();
    for i in 0..n {
        rows.push(Vec::new());
        for j in 0..=i {
            rows[i].push(x[(i + j) % x.len()] * x[j % x.len()]);
        }
    }
    rows[0].push(x[0]);
    let last = rows.pop().unwrap();
    rows.push(vec![last[0], last[last.len() - 1] * last[0]]);
    rows.remove(0);
    let mut s = 0.0;
    for row in rows.iter() {
        for (j, v) in row.iter().enumerate() {
            s += v.sin() * (j + row.len()) as f64;
        }
    }
    s
}

#[test]
fn a_vec_of_vecs() {
    check!(rows_grow(&vec![0.5, 1.2, -0.7], const 4) -> f64);
}

#[adjoint]
fn ragged(rows: &mut Vec<Vec<f64>>, k: f64) -> f64 {
    let mut taken = 0.0;
    for i in 0..rows.len() {
        while let Some(v) = rows[i].pop() {
            if v < 0.0 {
                break;
            }
            taken += v * v * k;
        }
        rows[i].push(taken);
    }
    rows.swap(0, 1);
    rows.push(vec![k, taken]);
    taken
}

#[test]
fn an_in_out_vec_of_vecs() {
    check!(ragged(&mut vec![vec![0.5, -1.2, 0.7], vec![], vec![0.3, 0.4]], 0.8) -> f64);
}

#[adjoint]
fn pairs(x: &[f64], dt: f64) -> f64 {
    let mut path: Vec<[f64; 2]> = vec![[x[0], x[1]]];
    for i in 0..4 {
        let [q, p] = path[i];
        path.push([q + dt * p, p - dt * q.sin()]);
    }
    let mut events = Vec::new();
    for s in &path {
        if s[0] > 0.6 {
            events.push((s[0], s[1] * s[0]));
        }
    }
    let mut total = 0.0;
    while let Some((a, b)) = events.pop() {
        total += a * b + total * a;
    }
    total
}

#[test]
fn a_vec_of_arrays_and_one_of_tuples() {
    check!(pairs(&vec![0.5, 1.2], 0.3) -> f64);
}

#[adjoint]
fn tops(x: &[f64]) -> f64 {
    let mut hull: Vec<f64> = Vec::new();
    let mut s = 0.0;
    for &v in x {
        while let Some(&top) = hull.last() {
            if top > v {
                break;
            }
            s += top * v;
            hull.pop();
        }
        if let Some(top) = hull.last_mut() {
            *top *= v;
        }
        if hull.is_empty() {
            s += v;
        }
        hull.push(v);
    }
    if let Some(&first) = hull.first() {
        s *= first;
    }
    s + hull.len() as f64
}

#[test]
fn a_monotone_stack() {
    check!(tops(&vec![0.5, 0.3, 1.2, -0.7, -0.2, 0.4, 0.1]) -> f64);
    check!(tops(&Vec::<f64>::new()) -> f64);
}

#[adjoint]
fn scratch_in_a_loop(x: &[f64], rounds: usize) -> f64 {
    let mut s = 1.0;
    for r in 0..rounds {
        let mut work = Vec::new();
        for i in 0..r {
            work.push(x[i % x.len()] * s);
        }
        if let Some(last) = work.pop() {
            s += last * last;
        }
        drop(work);
    }
    s
}

#[test]
fn a_vec_that_goes_out_of_scope() {
    for rounds in 0..5 {
        check!(scratch_in_a_loop(&vec![0.5, 1.2], const rounds) -> f64);
    }
}

#[adjoint]
fn reused(x: &[f64], rounds: usize) -> f64 {
    let mut work = Vec::new();
    let mut s = 0.0;
    for r in 0..rounds {
        work.clear();
        for i in 0..=r {
            work.push(x[i % x.len()] * (i + 1) as f64);
        }
        for i in 1..work.len() {
            work[i] = work[i] * work[i - 1];
        }
        s += work[work.len() - 1].sin();
    }
    s
}

#[test]
fn a_vec_that_is_cleared_and_filled_again() {
    check!(reused(&vec![0.5, 1.2, -0.7], const 4) -> f64);
}

#[adjoint]
fn extends_itself(v: &mut Vec<f64>) {
    let n = v.len();
    for i in 0..v.len() {
        v.push(v[i] * v[n - 1 - i]);
    }
    let copy = v.clone();
    for c in copy {
        v.push(c * c);
    }
}

#[test]
fn a_vec_that_reads_itself() {
    check!(extends_itself(&mut vec![0.5, 1.2, -0.7]));
}

#[adjoint]
fn grow_by(v: &mut Vec<f64>, x: f64) {
    let n = v.len();
    v.push(x * v[n - 1]);
    v[0] *= x;
}

#[adjoint]
fn halve(v: &mut Vec<f64>) -> f64 {
    let mut lost = 0.0;
    let half = v.len() / 2;
    while v.len() > half {
        let last = v.pop().unwrap();
        lost += last * last;
    }
    lost
}

#[adjoint]
fn by_callees(v: &mut Vec<f64>, x: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..3 {
        grow_by(v, x * (i + 1) as f64);
        s += v.iter().sum::<f64>();
        grow_by(v, s);
        s *= halve(v);
    }
    let mut own = vec![x];
    grow_by(&mut own, s);
    let y = own[1];
    grow_by(&mut own, y);
    s + halve(&mut own) * v[0]
}

#[test]
fn a_callee_changes_the_length() {
    check!(by_callees(&mut vec![0.5, 0.2], 0.9) -> f64);
}

#[adjoint]
fn partition(v: Vec<f64>, k: f64) -> Vec<f64> {
    // Quicksort that makes new Vecs.
    if v.len() <= 1 {
        return v;
    }
    let pivot = v[0];
    let (mut less, mut more) = (Vec::new(), Vec::new());
    for i in 1..v.len() {
        if v[i] < pivot {
            less.push(v[i] * k);
        } else {
            more.push(v[i]);
        }
    }
    let mut all = partition(less, k);
    all.push(pivot);
    let mut rest = partition(more, k);
    all.append(&mut rest);
    all
}

#[test]
fn vecs_are_passed_and_returned() {
    check!(partition(vec![0.5, 1.2, -0.7, 0.4, 0.9], 0.8) -> &Vec<f64>);
}

#[adjoint]
fn taken(y: &mut Vec<f64>, x: f64) -> f64 {
    let mut old = std::mem::take(y);
    y.push(x);
    for v in old.iter_mut() {
        *v *= x;
        y.push(*v * *v);
    }
    let other = std::mem::replace(y, vec![x, x * x]);
    y.push(other[1]);
    old.len() as f64 * other[0] * old[0]
}

#[test]
fn a_vec_is_taken_and_replaced() {
    check!(taken(&mut vec![0.5, 1.2], 0.7) -> f64);
}

#[adjoint]
fn popped_values(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let a = v.pop();
    let b = v.pop().unwrap_or(2.0);
    let c = match v.pop() {
        Some(c) => c * b,
        None => b,
    };
    let Some(d) = v.pop() else {
        return c * a.unwrap();
    };
    let e = match v.pop() {
        None => d,
        Some(e) if e > 0.0 => e * d,
        Some(e) => e - d,
    };
    c * d + e * a.unwrap_or(1.0)
}

#[test]
fn a_pop_as_a_value() {
    for n in 2..6 {
        check!(popped_values(&vec![0.5, 1.2, -0.7, 0.4, 0.9, -0.3][..n].to_vec()) -> f64);
    }
}

#[adjoint]
fn generic_stack<T: num_traits::Float>(x: &[T], k: T) -> T {
    let mut v: Vec<T> = Vec::with_capacity(x.len());
    for &a in x {
        v.push(a * k);
        if v.len() > 2 {
            let b = v.remove(0);
            v[0] = v[0] + b * b;
        }
    }
    v[0] * v[v.len() - 1].sin()
}

#[test]
fn floats_of_any_type() {
    check!(generic_stack(&vec![0.5, 1.2, -0.7, 0.4], 0.9) -> f64);
    check!(generic_stack(&vec![0.5f32, 1.25, -0.75, 0.5], 0.75f32) -> f32);
}

#[adjoint(of(out))]
fn written_only(x: &[f64], out: &mut Vec<f64>) {
    out.clear();
    for v in x {
        out.push(v.exp());
    }
}

#[test]
fn a_vec_that_is_filled() {
    check!(written_only(&vec![0.5, 1.2], &mut vec![0.3, 0.1, 0.2]));
}

#[adjoint]
fn deque(x: &[f64], width: usize) -> f64 {
    // A sliding window by a queue at the front of a `Vec`.
    let mut window: Vec<f64> = Vec::new();
    let mut s = 0.0;
    for &v in x {
        window.push(v);
        if window.len() > width {
            s -= window.remove(0) * v;
        }
        let mean = window.iter().sum::<f64>() / window.len() as f64;
        s += mean * mean;
    }
    s
}

#[test]
fn a_sliding_window() {
    check!(deque(&vec![0.5, 1.2, -0.7, 0.4, 0.9], const 2) -> f64);
}

#[adjoint]
fn constants_first(x: f64) -> f64 {
    // Before anything varied is in it, the adjoint has nothing to follow.
    let mut v = vec![0.0; 5];
    v[4] = 1.0;
    v.swap(1, 4);
    v = vec![0.0; 1];
    v.push(2.0);
    v.push(x);
    v[0] = x * x;
    let s = v[0] * v[2] + v[1];
    v.clear();
    v.push(3.0);
    v.push(4.0);
    v[0] = 1.0;
    s * v[1]
}

#[test]
fn constants_and_kills() {
    check!(constants_first(0.7) -> f64);
}

#[adjoint]
fn spread(x: &[f64]) -> f64 {
    let mut v: Vec<f64> = Vec::new();
    for (i, a) in x.iter().enumerate() {
        if i % 2 == 0 {
            v.push(*a);
        } else if i % 3 == 0 {
            v.clear();
        } else {
            v.truncate(v.len() / 2);
            v.extend(x[..i].iter().map(|b| b * a));
        }
    }
    let mut s = 1.0;
    for a in v {
        s += s * a;
    }
    s
}

#[test]
fn lengths_that_depend_on_the_way() {
    for n in 0..8 {
        let x: Vec<f64> = (0..n).map(|i| 0.3 + 0.1 * i as f64).collect();
        check!(spread(&x) -> f64);
    }
}
