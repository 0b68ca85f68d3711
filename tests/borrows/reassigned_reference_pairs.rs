//! Pairs of a reference and a number, and lists of references, that are assigned in loops.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn numbered(x: &[f64], y: &[f64]) -> f64 {
    let mut a = [x[0], x[1], x[2]];
    {
        let mut best: Option<(usize, &mut f64)> = None;
        for (k, v) in a.iter_mut().enumerate() {
            if let Some((j, p)) = best {
                *p += *v * j as f64 + y[0];
            }
            best = Some((k, v));
        }
    }
    a[0] * a[1] * a[2]
}

#[adjoint]
fn nearest(x: &[f64], y: &[f64]) -> f64 {
    let mut best: Option<(f64, &[f64])> = None;
    for r in x.chunks_exact(2) {
        let d = (r[0] - y[0]).powi(2);
        match best {
            Some((bd, _)) if bd <= d => {}
            _ => best = Some((d, r)),
        }
    }
    let (d, r) = best.unwrap();
    d * r[1]
}

#[adjoint]
fn nearest_by_map_or(x: &[f64], y: &[f64]) -> f64 {
    let mut best: Option<(f64, &[f64])> = None;
    for r in x.chunks_exact(2) {
        let d = (r[0] - y[0]).powi(2);
        if best.map_or(true, |(bd, _)| d < bd) {
            best = Some((d, r));
        }
    }
    best.map_or(0.0, |(d, r)| d * r[1])
}

#[adjoint]
fn lists_with_weights(x: &[f64], y: &[f64]) -> f64 {
    let mut a = x.to_vec();
    let mut b = y.to_vec();
    {
        let mut cur: Option<(&mut Vec<f64>, f64)> = None;
        for k in 0..3 {
            if let Some((v, w)) = cur {
                v[0] *= w;
            }
            cur = Some((if k % 2 == 0 { &mut a } else { &mut b }, 0.5 + k as f64));
        }
    }
    a[0] * b[0]
}

#[adjoint]
fn two_at_once(x: &[f64], y: &[f64]) -> f64 {
    let mut two: Option<(&[f64], &[f64])> = None;
    let mut s = 0.0;
    for (r, q) in x.chunks_exact(2).zip(y.chunks_exact(2)) {
        if let Some((a, b)) = two {
            s += a[0] * b[1] * r[1];
        }
        two = Some((q, r));
    }
    s + two.unwrap().0[1]
}

#[adjoint]
fn three_and_none(x: &[f64], y: &[f64]) -> f64 {
    let mut best: Option<(usize, f64, &[f64])> = None;
    let mut s = 0.0;
    for (i, r) in x.chunks_exact(2).enumerate() {
        if let Some((k, d, b)) = &best {
            s += d * b[0] * *k as f64;
        }
        if r[0] > 0.3 {
            best = Some((i, r[1] * y[0], r));
        } else {
            best = None;
        }
    }
    s + best.map(|b| b.1).unwrap_or(y[1])
}

#[adjoint]
fn taken_in_turn(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut a = [x[0], x[1], x[2]];
    let mut b = [y[0], y[1]];
    let mut s = 0.0;
    {
        let mut last: Option<&mut f64> = None;
        let mut spare: Option<&mut f64> = Some(&mut b[0]);
        for (k, v) in a.iter_mut().enumerate() {
            if k >= n {
                break;
            }
            if let Some(p) = last {
                *p *= *v;
                s += *p;
            }
            last = Some(v);
            let keep = spare.take();
            spare = last.take();
            last = keep;
        }
        if let Some(p) = spare {
            *p = f64::NAN.max(*p) * 2.0;
        }
    }
    s + a[0] * a[1] * a[2] * b[0]
}

#[adjoint]
fn rows_moved_about(x: &[f64], y: &[f64], n: usize) -> f64 {
    let mut rows = [x, y, x];
    let mut q = y;
    for k in 0..n {
        let i = (k * 2) % 3;
        if rows[i].is_empty() {
            break;
        }
        rows[i] = &rows[i][1..];
        std::mem::swap(&mut rows[1], &mut q);
        if k == 1 {
            rows.reverse();
            continue;
        }
        rows[(k + 1) % 3] = q;
    }
    rows.iter()
        .map(|r| r.first().copied().unwrap_or(0.5))
        .product::<f64>()
        * q.len() as f64
}

#[test]
fn beside_numbers() {
    check!(numbered(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3]) -> f64);
    check!(nearest(&[0.9, 0.4, 0.2, 0.35, 0.75, 0.6], &[0.7, 0.3]) -> f64);
    check!(nearest_by_map_or(&[0.9, 0.4, 0.2, 0.35, 0.75, 0.6], &[0.7, 0.3]) -> f64);
    check!(lists_with_weights(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3]) -> f64);
    check!(two_at_once(&[0.9, 0.4, 0.2, 0.35], &[0.7, 0.3, 0.5, 0.6]) -> f64);
    check!(three_and_none(&[0.9, 0.4, 0.2, 0.35, 0.75, 0.6, 0.8, 0.5], &[0.7, 0.3]) -> f64);
}
#[test]
fn with_exits_and_no_trips() {
    for n in 0..5 {
        check!(taken_in_turn(&[0.4, 0.3, 0.2], &[0.7, 0.6], const n) -> f64);
        check!(rows_moved_about(&[0.4, 0.3, 0.2, 0.9], &[0.7, 0.6, 0.8, 1.1], const n) -> f64);
    }
}
