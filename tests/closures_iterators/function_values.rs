//! One of several named functions, chosen at run time: by paths, closures and boxes.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn ptr1(x: f64) -> f64 {
    let g = f64::sin;
    g(x) * g(2.0 * x)
}

#[adjoint]
fn ptr3(x: &[f64], k: usize) -> f64 {
    let act: fn(f64) -> f64 = match k {
        0 => f64::tanh,
        1 => |v| v * v,
        _ => f64::exp,
    };
    x.iter().copied().map(act).sum()
}

#[adjoint]
fn soft(x: f64) -> f64 {
    (1.0 + x.exp()).ln()
}

#[adjoint]
fn scaled(x: f64, k: f64) -> f64 {
    x * k * k
}

#[adjoint]
fn by_kind(x: &[f64], k: usize) -> f64 {
    let kind = match k {
        0 => 'a',
        1 => 'b',
        _ => 'c',
    };
    let act: fn(f64) -> f64 = match kind {
        'a' => soft,
        'b' => f64::tanh,
        _ => |v| v * v,
    };
    let mut s = 0.0;
    for v in x {
        s += act(*v) * act(s);
    }
    s
}

#[adjoint]
fn boxed(x: &[f64], k: f64, flag: bool) -> f64 {
    let f: Box<dyn Fn(f64) -> f64> = if flag {
        Box::new(|v| v * k)
    } else {
        Box::new(move |v| (v - k).sin())
    };
    x.iter().map(|&v| f(v)).sum::<f64>() * f(k)
}

#[adjoint]
fn lent(x: &[f64], k: f64, n: usize) -> f64 {
    let twice = |v: f64| 2.0 * v * k;
    let f: &dyn Fn(f64) -> f64 = match n {
        0 => &twice,
        1 => &|v| v.sqrt(),
        2 => &soft,
        _ => panic!("no such"),
    };
    x.iter()
        .map(|v| f(v.abs()))
        .fold(0.0, |a, b| a + b * a.cos())
}

#[adjoint]
fn two_args(x: f64, y: f64, n: usize) -> f64 {
    let op: fn(f64, f64) -> f64 = match n {
        0 => f64::hypot,
        1 => f64::atan2,
        2 => scaled,
        _ => |a, b| a / b,
    };
    op(x, y) + op(y, x * 2.0)
}

#[adjoint]
fn changed(x: f64, n: usize) -> f64 {
    let mut n = n;
    let f = if n == 0 { f64::sin } else { f64::cos };
    n = 1 - n.min(1);
    let g = if n == 0 { f64::sin } else { f64::cos };
    f(x) * g(x * x) + n as f64 * x
}

#[adjoint]
fn looped(x: &[f64], tags: &[usize]) -> f64 {
    let mut s = 1.0;
    for (v, t) in x.iter().zip(tags) {
        let f: fn(f64) -> f64 = if *t == 0 {
            f64::sin
        } else if *t == 1 {
            f64::exp
        } else {
            soft
        };
        if *t == 7 {
            break;
        }
        s = f(s * v) + f(*v);
    }
    s
}

#[test]
fn one_of_several() {
    let x = [0.3, 0.7, -1.1, 0.45, 0.9, 0.2, -0.6];
    check!(ptr1(0.3) -> f64);
    for k in 0..3 {
        check!(ptr3(&x, const k) -> f64);
        check!(by_kind(&x, const k) -> f64);
        check!(lent(&x, 0.7, const k) -> f64);
    }
    for k in 0..4 {
        check!(two_args(0.4, 0.9, const k) -> f64);
    }
    for flag in [true, false] {
        check!(boxed(&x, 0.7, const flag) -> f64);
    }
    for n in 0..2 {
        check!(changed(0.7, const n) -> f64);
    }
    check!(looped(&x, const &[0, 1, 2, 0, 1]) -> f64);
    check!(looped(&x, const &[0, 1, 7, 0, 1]) -> f64);
}
