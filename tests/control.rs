//! Kernels with structured and unstructured control flow: `match`, `break` and `continue`, `return`
//! from any depth, `let else`, `?`, ranges at the ends of their types.
#![allow(
    clippy::needless_range_loop,
    clippy::assign_op_pattern,
    clippy::manual_memcpy,
    clippy::manual_swap,
    clippy::manual_is_multiple_of,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

#[adjoint]
fn by_number(x: f64, kind: u32) -> f64 {
    match kind {
        0 => x * x,
        1 | 2 => x.sin(),
        3..=5 => {
            let t = x.exp();
            t * x
        }
        _ => -x,
    }
}

#[test]
fn match_on_integers() {
    for kind in 0..8 {
        check!(by_number(0.7, const kind) -> f64);
    }
}

#[adjoint]
fn by_range(x: &[f64]) -> f64 {
    let mut s = 1.0;
    for i in 0..x.len() {
        s = match i % 7 {
            0 => s * x[i],
            1..4 => s + x[i] * x[i],
            n @ 4..=5 => s * n as f64 - x[i].cos(),
            _ => s / x[i],
        };
    }
    s
}

#[test]
fn match_on_ranges_in_a_loop() {
    check!(by_range(&vec![0.5, 1.2, -0.7, 0.9, 1.5, 0.3, 2.0, 0.8, -1.1]) -> f64);
}

#[adjoint]
fn by_tuple(x: f64, y: f64) -> f64 {
    match (x > 0.0, y > 0.0) {
        (true, true) => x * y,
        (true, false) => x / y,
        (false, true) => y.powf(-x),
        (false, false) => (x * y).sqrt(),
    }
}

#[test]
fn match_on_a_tuple_of_conditions() {
    for (x, y) in [(0.7, 1.2), (0.7, -1.2), (-0.7, 1.2), (-0.7, -1.2)] {
        check!(by_tuple(x, y) -> f64);
    }
}

#[adjoint]
fn by_guard(x: f64, n: i32) -> f64 {
    match n {
        k if k < 0 => x.powi(-k),
        0 => x,
        k if x > 1.0 => x * k as f64,
        k if k % 2 == 0 => x.sqrt(),
        _ => x.ln(),
    }
}

#[test]
fn match_with_guards_on_active_values() {
    for n in [-3, 0, 1, 2] {
        check!(by_guard(0.6, const n) -> f64);
        check!(by_guard(1.6, const n) -> f64);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Limiter {
    Minmod,
    VanLeer,
    Superbee,
}

#[adjoint(wrt(a, b))]
fn limited(limiter: Limiter, a: f64, b: f64) -> f64 {
    if a * b <= 0.0 {
        return 0.0;
    }
    match limiter {
        Limiter::Minmod => {
            if a.abs() < b.abs() {
                a
            } else {
                b
            }
        }
        Limiter::VanLeer => 2.0 * a * b / (a + b),
        Limiter::Superbee => {
            let r = b / a;
            a * (2.0 * r).min(1.0).max(r.min(2.0))
        }
    }
}

#[test]
fn match_on_an_enum() {
    for limiter in [Limiter::Minmod, Limiter::VanLeer, Limiter::Superbee] {
        for (a, b) in [(1.0, 0.3), (1.0, 1.4), (1.0, 3.0), (-1.0, -0.7)] {
            check!(limited(const limiter, a, b) -> f64);
        }
        assert_eq!(
            check!(limited(const limiter, 1.0, -2.0) -> f64),
            [[0.0, 0.0]]
        );
    }
}

#[adjoint]
fn in_statement_position(x: &mut [f64], codes: &[u8]) {
    for i in 0..codes.len() {
        match codes[i] {
            b's' => x[i] = x[i].sin(),
            b'q' => x[i] *= x[i],
            b'n' => {}
            _ => {
                let next = (i + 1) % x.len();
                x[next] += x[i];
            }
        }
    }
}

#[test]
fn match_as_a_statement() {
    check!(in_statement_position(&mut vec![0.5, 1.5, -0.5, 2.0, 0.1], const b"sqn?q"));
}

#[adjoint]
fn early_return(x: f64, y: f64) -> f64 {
    if x < 0.0 {
        return y;
    }
    let z = x.sqrt() * y;
    if z > 2.0 {
        let w = z.ln();
        return w * x;
    }
    z * z
}

#[test]
fn return_from_branches() {
    check!(early_return(-1.0, 2.0) -> f64);
    check!(early_return(4.0, 2.0) -> f64);
    check!(early_return(0.5, 1.0) -> f64);
}

#[adjoint]
fn return_from_depth(a: &[[f64; 3]], limit: f64) -> f64 {
    let mut s = 0.1;
    for i in 0..a.len() {
        for j in 0..3 {
            s = s * 1.1 + a[i][j] * a[i][j];
            if s > limit {
                return s.sqrt() + a[i][0];
            }
        }
        s += a[i][1];
    }
    s
}

#[test]
fn return_from_nested_loops() {
    let a = vec![[0.5, 1.0, -0.3], [1.2, 0.8, 0.4], [0.9, -1.1, 0.2]];
    for limit in [0.05, 0.9, 2.0, 3.0, 100.0] {
        check!(return_from_depth(&a, limit) -> f64);
    }
}

#[adjoint]
fn return_without_value(x: &mut [f64], at: usize) {
    for i in 0..x.len() {
        if i == at {
            return;
        }
        x[i] *= x[i];
    }
    x[0] = 1.0;
}

#[test]
fn return_leaves_the_rest_untouched() {
    for at in 0..5 {
        check!(return_without_value(&mut vec![1.5, -0.5, 2.0, 0.3], const at));
    }
}

#[adjoint]
fn break_on_value(x: &[f64], limit: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += x[i] * x[i];
        if s > limit {
            break;
        }
        s *= 0.9;
    }
    s * x[0]
}

#[test]
fn break_from_a_counted_loop() {
    let x = vec![1.0, 0.5, 2.0, 0.7];
    for limit in [0.5, 1.1, 4.0, 50.0] {
        check!(break_on_value(&x, limit) -> f64);
    }
}

#[adjoint]
fn continue_over_some(x: &mut [f64]) -> f64 {
    let mut p = 1.0;
    for i in 0..x.len() {
        if x[i] < 0.0 {
            x[i] = 0.5 * x[i];
            continue;
        }
        p *= x[i] + 0.2;
        if i % 2 == 1 {
            continue;
        }
        x[i] = p;
    }
    p
}

#[test]
fn continue_in_a_counted_loop() {
    check!(continue_over_some(&mut vec![1.0, -0.5, 2.0, 0.7, -3.0, 1.3]) -> f64);
}

#[adjoint]
fn labelled(a: &[[f64; 3]; 3]) -> f64 {
    let mut s = 1.0;
    'rows: for i in 0..3 {
        for j in 0..3 {
            if a[i][j] < 0.0 {
                s *= 1.0 - a[i][j];
                continue 'rows;
            }
            if a[i][j] > 9.0 {
                s += a[i][j];
                break 'rows;
            }
            s += s * a[i][j];
        }
        s = s.sqrt();
    }
    s
}

#[test]
fn labels_leave_outer_loops() {
    check!(labelled(&[[1.0, 2.0, 0.5], [0.3, -1.0, 7.0], [0.2, 0.4, 0.6]]) -> f64);
    check!(labelled(&[[1.0, 2.0, 0.5], [0.3, 10.0, 7.0], [0.2, 0.4, 0.6]]) -> f64);
    check!(labelled(&[[-1.0, 2.0, 0.5], [-0.3, 1.0, 7.0], [-0.2, 0.4, 0.6]]) -> f64);
}

#[adjoint]
fn three_labels(x: &mut [f64], n: usize) -> f64 {
    let mut s = 0.5;
    'a: for i in 0..n {
        let mut j = 0;
        'b: while j < n {
            j += 1;
            let mut k = 0;
            'c: loop {
                k += 1;
                s += 0.1 * x[(i + j + k) % x.len()] * s;
                match (i + 2 * j + 3 * k) % 7 {
                    0 => continue 'a,
                    1 => break 'b,
                    2 => continue 'b,
                    3 => break 'c,
                    4 if k > 3 => break 'a,
                    _ => {}
                }
                x[k % n] = x[k % n] * 0.9 + 0.01 * s;
            }
            s *= 1.01;
        }
        x[i] += s;
    }
    s
}

#[test]
fn breaks_and_continues_to_every_level() {
    for n in 1..6 {
        check!(three_labels(&mut vec![0.5, 0.3, 0.8, -0.2, 0.6], const n) -> f64);
    }
}

#[adjoint]
fn labelled_block(x: f64, y: f64) -> f64 {
    let r = 'found: {
        if x > y {
            break 'found x * x;
        }
        let t = y.sin();
        if t > 0.9 {
            break 'found t * x;
        }
        t + x
    };
    r * y
}

#[test]
fn break_from_a_labelled_block() {
    for (x, y) in [(2.0, 1.0), (0.5, 1.5), (0.1, 0.3)] {
        check!(labelled_block(x, y) -> f64);
    }
}

#[adjoint]
fn loop_with_value(a: f64) -> f64 {
    let mut x = 0.5 * (a + 1.0);
    let root = loop {
        let next = 0.5 * (x + a / x);
        if (next - x).abs() < 1e-12 {
            break next;
        }
        x = next;
    };
    root * root * root
}

#[test]
fn break_gives_the_loop_its_value() {
    let a = 5.0_f64;
    assert_close(&check!(loop_with_value(a) -> f64)[0], &[1.5 * a.sqrt()]);
}

#[adjoint]
fn bisection(c: f64) -> f64 {
    let mut lo = 0.0;
    let mut hi = c;
    let mut mid = 0.5 * hi;
    for _ in 0..60 {
        mid = 0.5 * (lo + hi);
        if mid * mid * mid < 8.0 {
            lo = mid;
        } else {
            hi = mid;
        }
        if hi - lo < 1e-3 * c {
            break;
        }
    }
    mid
}

#[test]
fn bisection_differentiates_its_own_steps() {
    // mid = c · (a dyadic number), as long as the decisions stay.
    let c = 5.0;
    let jacobian = check!(bisection(c) -> f64);
    assert_close(&jacobian[0], &[bisection(c) / c]);
}

#[adjoint(wrt(a))]
fn newton(a: f64, tolerance: f64, most: usize) -> f64 {
    let mut x = 1.0_f64;
    let mut n = 0;
    loop {
        let f = x * x.exp() - a;
        if f.abs() < tolerance || n == most {
            return x;
        }
        x -= f / (x.exp() * (1.0 + x));
        n += 1;
    }
}

#[test]
fn newton_for_the_lambert_function() {
    let a = 3.0;
    let w = newton(a, 1e-14, 50);
    assert_close(
        &check!(newton(a, const 1e-14, const 50) -> f64)[0],
        &[w / (a * (1.0 + w))],
    );
    check!(newton(a, const 0.0, const 2) -> f64);
    assert_eq!(check!(newton(a, const 0.0, const 0) -> f64), [[0.0]]);
}

#[adjoint]
fn adaptive_heun(y0: f64, k: f64, end: f64) -> f64 {
    let mut t = 0.0;
    let mut y = y0;
    let mut h = 0.25;
    while t < end {
        if t + h > end {
            h = end - t;
        }
        let k1 = -k * y + t.sin();
        let euler = y + h * k1;
        let k2 = -k * euler + (t + h).sin();
        let heun = y + 0.5 * h * (k1 + k2);
        if (heun - euler).abs() > 0.02 {
            h *= 0.5;
            continue;
        }
        t += h;
        y = heun;
        if (heun - euler).abs() < 0.004 {
            h *= 2.0;
        }
    }
    y
}

#[test]
fn adaptive_steps_are_accepted_and_rejected() {
    check!(adaptive_heun(1.3, 1.9, 1.47) -> f64);
}

#[adjoint]
fn gaussian(x: f64, s: f64) -> f64 {
    (-x * x / (s * s)).exp()
}

#[adjoint]
fn simpson(a: f64, b: f64, s: f64) -> f64 {
    (b - a) / 6.0 * (gaussian(a, s) + 4.0 * gaussian(0.5 * (a + b), s) + gaussian(b, s))
}

#[adjoint(wrt(a, b, s))]
fn adaptive_simpson(a: f64, b: f64, s: f64, tolerance: f64, depth: usize) -> f64 {
    let mid = 0.5 * (a + b);
    let whole = simpson(a, b, s);
    let halves = simpson(a, mid, s) + simpson(mid, b, s);
    if depth == 0 || (halves - whole).abs() < 15.0 * tolerance {
        return halves + (halves - whole) / 15.0;
    }
    adaptive_simpson(a, mid, s, 0.5 * tolerance, depth - 1)
        + adaptive_simpson(mid, b, s, 0.5 * tolerance, depth - 1)
}

#[test]
fn adaptive_simpson_recurses() {
    let jacobian = check!(adaptive_simpson(-0.4, 2.0, 0.7, const 1e-5, const 6) -> f64);
    assert!((jacobian[0][1] - gaussian(2.0, 0.7)).abs() < 1e-3);
}

#[adjoint]
fn factorial_product(x: f64, n: u32) -> f64 {
    if n == 0 {
        1.0
    } else {
        (x + n as f64) * factorial_product(x, n - 1)
    }
}

#[test]
fn recursion_in_an_expression() {
    for n in 0..5 {
        check!(factorial_product(0.3, const n) -> f64);
    }
}

#[adjoint]
fn lu_pivoting(a: &mut [[f64; 4]; 4], order: &mut [usize; 4]) -> f64 {
    let mut det = 1.0;
    for k in 0..4 {
        let mut p = k;
        for i in k + 1..4 {
            if a[i][k].abs() > a[p][k].abs() {
                p = i;
            }
        }
        if a[p][k] == 0.0 {
            return 0.0;
        }
        if p != k {
            for j in 0..4 {
                let t = a[k][j];
                a[k][j] = a[p][j];
                a[p][j] = t;
            }
            order.swap(k, p);
            det = -det;
        }
        det *= a[k][k];
        for i in k + 1..4 {
            a[i][k] /= a[k][k];
            for j in k + 1..4 {
                a[i][j] -= a[i][k] * a[k][j];
            }
        }
    }
    det
}

#[test]
fn lu_with_row_swaps() {
    let a = [
        [0.1, 2.0, 1.0, 0.5],
        [3.0, 1.0, 0.2, 0.0],
        [1.0, 0.5, 0.3, 4.0],
        [0.7, 5.0, 1.0, 1.0],
    ];
    check!(lu_pivoting(&mut a, const &mut [0, 1, 2, 3]) -> f64);
    let (mut factors, mut order) = (a, [0, 1, 2, 3]);
    lu_pivoting_adjoint(&mut factors, &mut [[0.0; 4]; 4], &mut order, 1.0);
    assert_eq!(order, [1, 3, 0, 2]);
    let (mut singular, mut adjoints) = ([[0.0; 4]; 4], [[0.5; 4]; 4]);
    lu_pivoting_adjoint(&mut singular, &mut adjoints, &mut order, 1.0);
    assert_eq!(adjoints, [[0.5; 4]; 4]);
}

#[adjoint]
fn table_lookup(xs: &[f64], ys: &[f64], x: f64) -> f64 {
    let n = xs.len();
    if x <= xs[0] {
        return ys[0];
    }
    if x >= xs[n - 1] {
        return ys[n - 1];
    }
    let mut lo = 0;
    let mut hi = n - 1;
    while hi - lo > 1 {
        let mid = (lo + hi) / 2;
        if xs[mid] > x {
            hi = mid;
        } else {
            lo = mid;
        }
    }
    let t = (x - xs[lo]) / (xs[hi] - xs[lo]);
    ys[lo] + t * (ys[hi] - ys[lo])
}

#[test]
fn table_lookup_by_binary_search() {
    let (xs, ys) = (
        vec![0.0, 0.5, 1.5, 2.0, 4.0],
        vec![1.0, -1.0, 0.5, 2.0, 0.0],
    );
    for x in [-1.0, 0.2, 1.1, 1.9, 3.3, 5.0] {
        check!(table_lookup(&xs, &ys, x) -> f64);
    }
}

#[adjoint]
fn collatz(x: f64, start: u64) -> f64 {
    let mut n = start;
    let mut y = x;
    while n != 1 {
        if n % 2 == 0 {
            n /= 2;
            y = 0.5 * y * y + 0.1;
        } else {
            n = 3 * n + 1;
            y = y.sin() + x;
        }
    }
    y
}

#[test]
fn control_by_the_collatz_sequence() {
    for start in [1, 2, 3, 7, 27] {
        check!(collatz(0.4, const start) -> f64);
    }
}

#[adjoint]
fn all_bytes(x: f64) -> f64 {
    let mut s = x;
    for b in 0..=255u8 {
        s += (b as f64 * 0.01 * x).sin() * 0.01;
    }
    for b in (250..=u8::MAX).rev() {
        s = s * 0.9 + b as f64 * x * 1e-3;
    }
    for b in i8::MIN..=-127 {
        s *= b as f64 * -0.01 * x;
    }
    s
}

#[test]
fn ranges_to_the_ends_of_their_types() {
    check!(all_bytes(0.8) -> f64);
}

#[adjoint]
fn negative_indices(x: &[f64], radius: isize) -> f64 {
    let n = x.len() as isize;
    let mut s = 1.0;
    for i in -radius..=radius {
        let at = (i + n) % n;
        let w = (-(i * i) as f64 * 0.1).exp();
        s += w * x[at as usize] * s;
    }
    for i in (-radius..radius).rev().step_by(2) {
        s -= 0.1 * i as f64 * x[i.unsigned_abs()];
    }
    s
}

#[test]
fn ranges_over_negative_integers() {
    for radius in -1..4 {
        check!(negative_indices(&vec![0.3, -0.2, 0.5, 0.9, 0.1], const radius) -> f64);
    }
}

#[adjoint]
fn trips(x: f64, lo: i32, hi: i32) -> f64 {
    let mut y = x;
    for i in lo..hi {
        y = y * x + i as f64;
    }
    for i in lo..=hi {
        y += x * i as f64;
    }
    let mut n = hi - lo;
    while n > 0 {
        y *= 0.5 + x;
        n -= 2;
    }
    y
}

#[test]
fn loops_with_zero_one_and_more_trips() {
    for (lo, hi) in [(0, 0), (0, 1), (5, 2), (-1, -1), (-3, 4), (1, 0)] {
        check!(trips(0.7, const lo, const hi) -> f64);
    }
}

#[adjoint]
fn last_positive(x: &[f64]) -> Option<f64> {
    let mut found = None;
    for i in 0..x.len() {
        if x[i] > 0.0 {
            found = Some(x[i] * x[i]);
        }
    }
    found
}

#[adjoint]
fn with_if_let(x: &[f64], fallback: f64) -> f64 {
    if let Some(v) = last_positive(x) {
        v * fallback
    } else {
        fallback.exp()
    }
}

#[test]
fn if_let_on_an_option_of_a_float() {
    check!(with_if_let(&vec![1.0, 2.0, -1.0], 0.4) -> f64);
    check!(with_if_let(&vec![-1.0], 0.4) -> f64);
}

#[adjoint]
fn with_let_else(x: &[f64], w: f64) -> f64 {
    let Some(v) = last_positive(x) else {
        return w * w;
    };
    let y = v * w;
    y.sin()
}

#[test]
fn let_else_returns() {
    check!(with_let_else(&vec![0.3, 1.2, -1.0], 0.7) -> f64);
    check!(with_let_else(&vec![], 0.7) -> f64);
}

#[adjoint]
fn product_of_two(x: &[f64], y: &[f64]) -> Option<f64> {
    let a = last_positive(x)?;
    let scaled = 2.0 * a;
    let b = last_positive(y)?;
    Some(scaled * b)
}

#[adjoint]
fn with_question_marks(x: &[f64], y: &[f64]) -> f64 {
    match product_of_two(x, y) {
        Some(p) if p > 10.0 => p.ln(),
        Some(p) => p,
        None => x[0],
    }
}

#[test]
fn question_mark_on_an_option() {
    check!(with_question_marks(&vec![1.0, 2.0], &vec![0.5]) -> f64);
    check!(with_question_marks(&vec![1.0, 2.0], &vec![3.0]) -> f64);
    check!(with_question_marks(&vec![-1.0], &vec![3.0]) -> f64);
    check!(with_question_marks(&vec![1.0], &vec![-3.0]) -> f64);
}

#[adjoint]
fn index_by_option(x: &[f64], at: Option<usize>) -> f64 {
    let first = match at {
        Some(i) if i < x.len() => x[i],
        Some(_) => 1.0,
        None => x[0] * x[0],
    };
    if let Some(i) = at {
        first * i as f64
    } else {
        first
    }
}

#[test]
fn options_of_integers() {
    for at in [None, Some(0), Some(2), Some(9)] {
        check!(index_by_option(&vec![0.5, 1.5, -2.5], const at) -> f64);
    }
}

#[adjoint]
fn stack_of_indices(x: &mut [f64], start: usize) -> f64 {
    let mut stack = vec![start];
    let mut s = 1.0;
    while let Some(i) = stack.pop() {
        s = s * 0.5 + x[i] * x[i];
        x[i] = s.sin();
        if 2 * i + 2 < x.len() {
            stack.push(2 * i + 1);
            stack.push(2 * i + 2);
        }
    }
    s
}

#[test]
fn while_let_walks_a_tree() {
    for start in 0..4 {
        check!(
            stack_of_indices(&mut vec![0.3, 1.1, -0.7, 0.2, 0.9, 1.4, -0.5], const start) -> f64
        );
    }
}

#[adjoint]
fn next_in_range(x: &[f64]) -> f64 {
    let mut at = x.len().checked_sub(1);
    let mut s = 0.2;
    while let Some(i) = at {
        s = s * x[i] + x[i];
        at = i.checked_sub(2);
    }
    s
}

#[test]
fn while_let_on_checked_arithmetic() {
    check!(next_in_range(&vec![0.5, 1.5, -0.3, 0.8, 1.1]) -> f64);
    check!(next_in_range(&vec![]) -> f64);
}

#[adjoint]
fn golden_section(a: f64, b: f64, c: f64) -> f64 {
    let ratio = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut lo = a;
    let mut hi = b;
    let mut x1 = hi - ratio * (hi - lo);
    let mut x2 = lo + ratio * (hi - lo);
    let mut f1 = (x1 - c) * (x1 - c);
    let mut f2 = (x2 - c) * (x2 - c);
    while hi - lo > 0.01 {
        if f1 < f2 {
            hi = x2;
            x2 = x1;
            f2 = f1;
            x1 = hi - ratio * (hi - lo);
            f1 = (x1 - c) * (x1 - c);
        } else {
            lo = x1;
            x1 = x2;
            f1 = f2;
            x2 = lo + ratio * (hi - lo);
            f2 = (x2 - c) * (x2 - c);
        }
    }
    f1 + 0.5 * (lo + hi)
}

#[test]
fn golden_section_search() {
    check!(golden_section(0.0, 3.0, 1.234) -> f64);
}

#[adjoint]
fn secant(target: f64) -> f64 {
    let mut x0 = 1.0;
    let mut x1 = 2.0;
    for _ in 0..40 {
        let f0 = x0 * x0 * x0 - target;
        let f1 = x1 * x1 * x1 - target;
        if f1.abs() < 1e-9 || x0 == x1 {
            break;
        }
        let next = x1 - f1 * (x1 - x0) / (f1 - f0);
        x0 = x1;
        x1 = next;
    }
    x1
}

#[test]
fn secant_method_stops_on_its_residual() {
    check!(secant(6.0) -> f64);
}

#[adjoint]
fn insertion_sort(x: &mut [f64]) {
    for i in 1..x.len() {
        let mut j = i;
        while j > 0 && x[j - 1] > x[j] {
            let t = x[j];
            x[j] = x[j - 1];
            x[j - 1] = t;
            j -= 1;
        }
    }
}

#[test]
fn sorting_permutes_the_adjoints() {
    let jacobian = check!(insertion_sort(&mut vec![3.0, 1.0, 2.0]));
    assert_eq!(
        jacobian,
        [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    );
}

#[adjoint(wrt(u))]
fn convergence_in_place(u: &mut [f64], tolerance: f64) -> usize {
    let n = u.len();
    let mut sweeps = 0;
    loop {
        let mut change = 0.0;
        for i in 1..n - 1 {
            let old = u[i];
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
            change += (u[i] - old).abs();
        }
        sweeps += 1;
        if change < tolerance {
            break sweeps;
        }
    }
}

#[test]
fn sweeps_until_convergence() {
    check!(convergence_in_place(&mut vec![1.0, 0.0, 0.3, 0.9, 2.0], const 0.05));
}

#[adjoint]
fn state_machine(x: &[f64]) -> f64 {
    let mut state = 0;
    let mut s = 1.0;
    let mut i = 0;
    while i < x.len() {
        state = match (state, x[i] > 0.5) {
            (0, true) => {
                s *= x[i];
                1
            }
            (0, false) => 0,
            (1, true) => {
                s += x[i] * s;
                i += 1;
                2
            }
            (1, false) => {
                s -= x[i];
                0
            }
            _ => {
                s = s.sin() + x[i];
                0
            }
        };
        i += 1;
    }
    s
}

#[test]
fn a_state_machine_that_skips() {
    check!(state_machine(&vec![0.9, 0.8, 0.2, 0.7, 0.1, 0.6, 1.2, 0.4, 0.3]) -> f64);
}

#[adjoint]
fn match_in_operand(x: f64, n: usize) -> f64 {
    x * match n {
        0 => 1.0,
        1 => x,
        _ => {
            if x < 0.0 {
                return -x;
            }
            x.sqrt()
        }
    } + 1.0
}

#[test]
fn return_from_inside_an_operand() {
    for n in 0..3 {
        check!(match_in_operand(0.8, const n) -> f64);
        check!(match_in_operand(-0.8, const n) -> f64);
    }
}

#[adjoint]
fn lazy_conditions(x: &[f64], at: usize) -> f64 {
    let mut s = 0.5;
    if at < x.len() && x[at] > 0.0 {
        s = x[at] * x[at];
    }
    if at >= x.len() || x[at] < 1.0 {
        s += x[0].exp();
    }
    s
}

#[test]
fn lazy_operators_guard_indices() {
    for at in 0..4 {
        check!(lazy_conditions(&vec![0.5, 2.0, -1.0], const at) -> f64);
    }
}

#[adjoint]
fn diverging_arms(x: f64, n: u8) -> f64 {
    let factor = match n {
        0 => return x,
        1 => 2.0,
        2 => x,
        _ => panic!("{n} is too large"),
    };
    let mut s = 0.0;
    for i in 0..4 {
        let term = if i == 2 { continue } else { factor * i as f64 };
        s += term * x;
    }
    s
}

#[test]
fn arms_that_do_not_return() {
    for n in 0..3 {
        check!(diverging_arms(1.3, const n) -> f64);
    }
}

#[adjoint]
fn shadowed_in_arms(x: f64, y: f64) -> f64 {
    let s = x * y;
    let s = match s > 1.0 {
        true => {
            let s = s.ln();
            s * x
        }
        false => {
            let x = s.exp();
            x * s
        }
    };
    s + x
}

#[test]
fn shadowing_inside_arms() {
    check!(shadowed_in_arms(1.5, 2.0) -> f64);
    check!(shadowed_in_arms(0.5, 0.7) -> f64);
}

#[adjoint]
fn levenberg(target: f64) -> f64 {
    let mut x = 0.5;
    let mut damping = 1.0;
    let mut cost = (x * x - target) * (x * x - target);
    let mut accepted = 0;
    while accepted < 5 {
        let r = x * x - target;
        let j = 2.0 * x;
        let trial = x - j * r / (j * j + damping);
        let trial_cost = (trial * trial - target) * (trial * trial - target);
        if trial_cost < cost {
            x = trial;
            cost = trial_cost;
            damping *= 0.3;
            accepted += 1;
        } else {
            damping *= 4.0;
        }
    }
    x + cost
}

#[test]
fn damped_steps_are_accepted_and_rejected() {
    check!(levenberg(7.3) -> f64);
}
