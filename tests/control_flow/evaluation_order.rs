//! Places and values that are evaluated before an argument or a closure changes them.
//!
//! Closures are called as often as without the attribute.

use std::cell::Cell;

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn in_macros(x: f64) -> f64 {
    let mut s = x;
    assert_eq!(s + 1.0, {
        s += 1.0;
        s
    });
    let mut n = 8;
    let t = format!("{}{}", n + 1, {
        n += 100;
        n
    });
    let v = vec![
        s;
        {
            s += 1.0;
            3
        }
    ];
    v.iter().sum::<f64>() * s * t.len() as f64
}

#[adjoint]
fn options_in_lists(x: &[f64]) -> f64 {
    let mut o = [Some(x[0]), Some(x[1]), None, None];
    let mut i = 0;
    let a = o[i].replace({
        i += 1;
        x[i] * x[i]
    });
    let b = *o[i].insert({
        i += 1;
        x[1] * i as f64
    });
    let c = *o[i].get_or_insert({
        i += 1;
        x[0] * x[1]
    });
    let d = *o[i].get_or_insert_with(|| {
        i = 0;
        x[1]
    });
    if let Some(v) = o[i].as_mut() {
        i += 1;
        *v *= x[0];
    }
    let e = o[i].map_or(0.0, |v| {
        i = 0;
        v * x[1]
    });
    let f = o[i].as_mut().map_or(0.0, |v| {
        i = 3;
        *v *= 2.0;
        *v
    });
    a.unwrap()
        + 2.0 * b
        + 3.0 * c
        + 5.0 * d
        + 7.0 * e
        + 11.0 * f
        + o[0].unwrap() * o[1].unwrap() * o[2].unwrap() * o[3].unwrap()
}

#[adjoint]
fn lists_in_lists(x: &[f64]) -> f64 {
    let mut rows = vec![x.to_vec(), x.to_vec(), x.to_vec()];
    let mut i = 0;
    rows[i].fill_with(|| {
        i = 1;
        x[1] * x[0]
    });
    rows[i].iter_mut().for_each(|v| {
        i += 1;
        *v *= x[0] * i as f64;
    });
    i = 2;
    rows[i].retain(|v| {
        i = 0;
        *v < 0.5
    });
    rows[i].resize_with(4, || {
        i = 1;
        x[1]
    });
    rows[i].push({
        i = 2;
        x[0]
    });
    rows[i].swap(
        {
            i = 0;
            0
        },
        0,
    );
    rows[i].sort_by(|a, b| b.partial_cmp(a).unwrap());
    i = 1;
    let m = rows[i].iter().fold(1.0, |m, v| {
        i = 2;
        m * v
    });
    let weighted =
        |r: &[f64]| -> f64 { r.iter().zip([2.0, 3.0, 5.0, 7.0]).map(|(v, w)| v * w).sum() };
    m * weighted(&rows[0]) + weighted(&rows[1]) * i as f64 + weighted(&rows[2])
}

#[adjoint]
fn scanned(x: &[f64]) -> f64 {
    let mut c = 0.0;
    let scan = x.iter().scan(1.0, |s, v| {
        *s *= v;
        c += v;
        Some(*s)
    });
    let v: Vec<f64> = scan.collect();
    let mut y = x.to_vec();
    let scan = y.iter_mut().scan(0.0, |s, v| {
        *v *= 2.0;
        *s += *v;
        Some(*s)
    });
    let w: Vec<f64> = scan.collect();
    (v.iter().sum::<f64>() + w[1] * y[0]) * c
}

thread_local! {
    static DRAWN: Cell<usize> = const { Cell::new(0) };
}

fn reset() {
    DRAWN.set(0);
}

/// 8/13, 3/13, 11/13, 6/13, 1/13, 9/13, ..
fn draw() -> f64 {
    DRAWN.set(DRAWN.get() + 1);
    ((DRAWN.get() * 8) % 13) as f64 / 13.0
}

#[adjoint]
fn drawn(x: &[f64], k: usize) -> f64 {
    reset();
    let lots = x.iter().map(|v| v * draw());
    match k {
        0 => {
            let kept: Vec<f64> = x.iter().copied().filter(|_| draw() < 0.7).collect();
            kept.iter().map(|v| v * v).sum()
        }
        1 => lots.skip(1).sum(),
        2 => lots.step_by(2).sum(),
        3 => lots.last().unwrap(),
        4 => x.iter().map(|v| v * draw()).nth(1).unwrap() * draw(),
        5 => lots.count() as f64 * x[0] * draw(),
        6 => lots.max_by(|a, b| a.total_cmp(b)).unwrap() * draw(),
        7 => {
            let kept: Vec<f64> = x.iter().copied().take_while(|_| draw() < 0.7).collect();
            kept.iter().map(|v| v * v).sum()
        }
        8 => {
            let kept: Vec<f64> = x
                .iter()
                .filter_map(|v| (draw() < 0.7).then_some(v * v))
                .collect();
            kept.len() as f64 * kept[0] + draw() * x[1]
        }
        _ => lots.skip(1).step_by(2).map(|v| v * draw()).sum(),
    }
}

#[adjoint]
fn matched(x: &[f64]) -> f64 {
    let (mut s, mut i, mut t) = (x[0], 0, 0.0);
    t += match Some(s) {
        Some(v)
            if {
                s += 1.0;
                v < 1.0
            } =>
        {
            v * s
        }
        _ => 0.0,
    };
    let o = [Some(x[0]), Some(x[1]), None];
    t += match o[i] {
        Some(v)
            if {
                i += 1;
                v > 1.0
            } =>
        {
            v
        }
        Some(v) => v * x[i],
        None => 0.0,
    };
    let rows = vec![x.to_vec(), vec![x[1], x[1]], vec![x[0]]];
    t += match rows[i].as_slice() {
        [v, w]
            if {
                i += 1;
                v < w
            } =>
        {
            *v
        }
        [v, w] => v * w * w,
        _ => 0.0,
    };
    t += match (x[i - 1], t) {
        (v, w)
            if {
                i -= 2;
                t *= 2.0;
                v < w
            } =>
        {
            v * w * t
        }
        (v, w) => v - w,
    };
    if let Some(v) = Some(x[i])
        && {
            i += 1;
            v < 1.0
        }
    {
        t += v * v * x[i];
    }
    t
}

#[adjoint]
fn options_beside(x: &[f64]) -> f64 {
    let mut i = 0;
    let mut next = || {
        i = 1 - i;
        i
    };
    let a = Some(x[0]).unwrap_or(x[next()]);
    let mut k = 0;
    let b = Some(x[k]).unwrap_or({
        k += 1;
        2.0
    });
    let c = Some(x[k]).map_or(
        {
            k -= 1;
            2.0
        },
        |v| v * v,
    );
    let d = Some(x[k])
        .zip({
            k += 1;
            Some(x[k])
        })
        .map(|(p, q)| p * q * q);
    a * b + c * d.unwrap() + k as f64
}

#[adjoint]
fn by_cached_keys(x: &[f64]) -> f64 {
    reset();
    let mut v = x.to_vec();
    v.sort_by_cached_key(|v| (v * draw() * 100.0) as i64);
    let right = x[..2].iter().zip(x.iter().filter(|_| draw() > 0.1));
    let s: f64 = right.map(|(a, b)| a * b).sum();
    v.iter()
        .zip([2.0, 3.0, 5.0, 7.0])
        .map(|(v, w)| v * w)
        .sum::<f64>()
        * s
        * draw()
}

#[test]
fn found_before_it_is_changed() {
    check!(matched(&[0.3, 0.7]) -> f64);
    check!(options_beside(&[0.3, 0.7]) -> f64);
    check!(in_macros(0.3) -> f64);
    check!(options_in_lists(&[0.3, 0.7]) -> f64);
    check!(lists_in_lists(&[0.3, 0.7]) -> f64);
}

#[test]
fn called_as_often_as_without() {
    check!(scanned(&[0.3, 0.7]) -> f64);
    check!(by_cached_keys(&[0.3, 0.72, 0.6, 0.9]) -> f64);
    for k in 0..10 {
        check!(drawn(&[0.3, 0.72, 0.6, 0.9], const k) -> f64);
    }
}

#[adjoint]
fn held(x: f64) -> f64 {
    use std::iter::{once, repeat, repeat_n, successors};
    let (mut s, mut t) = (x, 0.0);
    for v in repeat(s).take(2) {
        s *= 5.0;
        t += v * s;
    }
    for v in repeat_n(s, 2) {
        s = x;
        t += v * s;
    }
    for v in [x].into_iter().chain(Some(s)) {
        s *= 3.0;
        t += v * s;
    }
    for (a, v) in [1.0, 1.5].iter().zip(repeat(s)) {
        s += x;
        t += a * v;
    }
    let (one, two) = (once(s), successors(Some(s), |v| Some(v * v)).take(2));
    let (some, mut maybe) = (Some(s).into_iter(), Some(s));
    let by_name = maybe.into_iter();
    maybe = Some(x);
    s = x * x;
    t += one.sum::<f64>() + 2.0 * two.sum::<f64>() + some.sum::<f64>() * maybe.unwrap();
    t += by_name.chain([s]).product::<f64>();
    once(s)
        .chain({
            s += 1.0;
            [s - t]
        })
        .sum()
}

#[adjoint]
fn held_lists(x: &[f64]) -> f64 {
    use std::iter::{once, repeat_n};
    let mut v = x.to_vec();
    let rows: Vec<Vec<f64>> = once(v.clone()).chain(repeat_n(v, 2)).collect();
    v = rows[1].clone();
    v[0] *= x[1];
    let mut o = Some(v);
    let all: Vec<Vec<f64>> = rows.into_iter().chain(o).collect();
    o = Some(vec![x[0]]);
    all.iter().map(|r| r[0] * r[1]).sum::<f64>() * o.unwrap()[0]
}

#[test]
fn held_by_iterators() {
    check!(held(0.3) -> f64);
    check!(held_lists(&[0.3, 0.7]) -> f64);
}
