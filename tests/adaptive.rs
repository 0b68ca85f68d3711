//! Algorithms that decide by their values: searches, adaptive steps, pivoting, recursion.
#![allow(
    clippy::needless_range_loop,
    clippy::manual_swap,
    clippy::manual_is_multiple_of,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

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
