//! Slice methods that reorder and search lists, in fields whose types the macro does not see.

use crate::common::check;
use adjoint::{Differentiable, adjoint};

#[derive(Clone, Debug, Default, Differentiable)]
pub struct Store {
    v: Vec<f64>,
    w: Vec<f64>,
    k: Vec<usize>,
    rows: Vec<Vec<f64>>,
}
#[adjoint]
fn stored(x: &[f64]) -> Store {
    Store {
        v: x.to_vec(),
        w: x.iter().map(|t| t * t).collect(),
        k: vec![2, 0, 1],
        rows: vec![x.to_vec(), x.to_vec()],
    }
}
#[adjoint]
fn fill(s: &mut Store) -> f64 {
    s.v.fill(2.0);
    s.v[0] *= s.w[1];
    s.v[0] + s.v[1] * s.w[0]
}
#[adjoint]
fn reversed(s: &mut Store) -> f64 {
    s.v.reverse();
    s.v[0] * s.w[0] + s.v[2]
}
#[adjoint]
fn rotated(s: &mut Store) -> f64 {
    s.v.rotate_left(1);
    s.w.rotate_right(1);
    s.v[0] * s.w[0] + s.v[2]
}
#[adjoint]
fn sorted(s: &mut Store) -> f64 {
    s.v.sort_by(|a, b| a.partial_cmp(b).unwrap());
    s.v[0] * s.w[0] + s.v[2] * s.v[1]
}
#[adjoint]
fn sorted_down(s: &mut Store) -> f64 {
    s.v.sort_unstable_by(|a, b| b.total_cmp(a));
    s.v[0] * s.w[0] + s.v[2] * s.v[1]
}
#[adjoint]
fn numbers_sorted(s: &mut Store) -> f64 {
    s.k.sort();
    s.k.reverse();
    s.v[s.k[0]] * s.w[s.k[2]]
}
#[adjoint]
fn contained(s: &mut Store) -> f64 {
    if s.k.contains(&2) {
        s.v[0] * s.w[0]
    } else {
        0.0
    }
}
#[adjoint]
fn searched(s: &mut Store) -> f64 {
    let i = match s.k.binary_search(&1) {
        Ok(i) => i,
        Err(i) => i,
    };
    s.v[i.min(2)] * s.w[0]
}
#[adjoint]
fn parted(s: &mut Store) -> f64 {
    let i = s.v.partition_point(|t| *t < 0.5);
    s.v[i.min(2)] * s.w[0]
}
#[adjoint]
fn joined(s: &mut Store) -> f64 {
    let t = s.rows.concat();
    let mut r = 0.0;
    for x in t.iter() {
        r += x * x;
    }
    r
}
#[adjoint]
fn copied(s: &mut Store) -> f64 {
    let t = s.v.to_vec();
    let u = [t, s.w.clone()].concat();
    u.iter().map(|x| x * x).sum()
}
#[adjoint]
fn median(s: &mut Store) -> f64 {
    s.v.select_nth_unstable_by(1, |a, b| a.partial_cmp(b).unwrap());
    s.v[1] * s.w[0]
}
#[adjoint]
fn median_lent(s: &mut Store) -> f64 {
    let (_, m, _) =
        s.v.select_nth_unstable_by(1, |a, b| a.partial_cmp(b).unwrap());
    *m * s.w[0]
}
#[adjoint]
fn ranked(s: &mut Store) -> f64 {
    let mut idx: Vec<usize> = (0..s.v.len()).collect();
    idx.sort_by(|&i, &j| s.v[j].partial_cmp(&s.v[i]).unwrap());
    s.v[idx[0]] * s.w[idx[1]]
}
#[adjoint]
fn ranked_behind(s: &mut Store) -> f64 {
    let t = &mut *s;
    let mut idx: Vec<usize> = (0..t.v.len()).collect();
    idx.sort_by(|&i, &j| t.v[j].partial_cmp(&t.v[i]).unwrap());
    t.v[idx[0]] *= 2.0;
    t.v[idx[0]] * t.w[idx[1]]
}
#[adjoint]
fn turned(s: &mut Store) -> f64 {
    let k = s.k[0].rotate_left(1);
    s.k[1] = k % 3;
    s.v[k % 3] * s.w[s.k[1]]
}
#[adjoint]
fn arranged(x: &[f64], which: usize) -> f64 {
    let mut s = stored(x);
    match which {
        0 => fill(&mut s),
        1 => reversed(&mut s),
        2 => rotated(&mut s),
        3 => sorted(&mut s),
        4 => sorted_down(&mut s),
        5 => numbers_sorted(&mut s),
        6 => contained(&mut s),
        7 => searched(&mut s),
        8 => parted(&mut s),
        9 => joined(&mut s),
        10 => copied(&mut s),
        11 => median(&mut s),
        12 => median_lent(&mut s),
        13 => ranked(&mut s),
        14 => ranked_behind(&mut s),
        _ => turned(&mut s),
    }
}
#[adjoint]
fn arranged_at_the_end(s: &mut Store, which: usize) -> f64 {
    if s.w[0] < 1.0 {
        s.v.reverse()
    }
    for i in 0..which {
        match i {
            0 => s.w.rotate_left(1),
            1 => s.w.reverse(),
            _ => s.w.fill(0.7),
        }
    }
    match which {
        0 => {}
        1 => s.v.sort_by(|a, b| a.total_cmp(b)),
        _ => {
            if let Some(row) = s.rows.first_mut() {
                row.rotate_right(1)
            }
        }
    }
    s.v[0] * s.w[0] + s.v[2] * s.w[1] + s.rows[0][1] * s.v[1]
}
#[adjoint]
fn tails(x: &[f64], which: usize) -> f64 {
    let mut s = stored(x);
    arranged_at_the_end(&mut s, which)
}
#[adjoint]
fn deviations(x: &[f64]) -> f64 {
    let mut v = x.to_vec();
    let n = v.len() / 2;
    let m = *v.select_nth_unstable_by(n, f64::total_cmp).1;
    v.iter().map(|t| (t - m).powi(2)).sum()
}

#[test]
fn lists_that_are_not_visible() {
    for which in 0..16 {
        check!(arranged(&vec![0.4, 0.9, 0.3], const which) -> f64);
    }
    for which in 0..4 {
        check!(tails(&vec![0.4, 0.9, 0.3], const which) -> f64);
    }
    check!(deviations(&vec![0.4, 0.9, 0.3, 0.7]) -> f64);
}
