//! Look-ups in maps and sets that `wrt` leaves out: their results are constants.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::common::check;
use adjoint::adjoint;

#[adjoint(wrt(x))]
fn or_one(x: &[f64], w: &HashMap<usize, f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += w.get(&i).copied().unwrap_or(1.0) * x[i] * x[i];
    }
    s
}

#[adjoint(wrt(x))]
fn where_there_is_one(x: &[f64], w: &BTreeMap<usize, f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        if let Some(c) = w.get(&i) {
            s += c * x[i].sin();
        }
    }
    s
}

#[adjoint(wrt(x))]
fn indexed(x: &[f64], w: &HashMap<usize, f64>) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += w[&i] * x[i].exp() + s * w[&0];
    }
    s
}

#[adjoint(wrt(x))]
fn by_names(x: &[f64], w: &HashMap<String, f64>, names: &[&str], all: &str) -> f64 {
    let scale = w.get(all).copied().unwrap_or_default() + w["b"];
    let mut s = 0.0;
    for (i, name) in names.iter().enumerate() {
        let c = w.get(*name).copied().unwrap_or_default();
        s += c * x[i] * x[i] * scale;
    }
    s
}

#[adjoint(wrt(x))]
fn by_pairs(x: &[f64], w: &BTreeMap<(usize, usize), f64>, used: &BTreeSet<usize>) -> f64 {
    let mut s = 0.0;
    for (&(i, j), &c) in w {
        s += c * x[i] * x[j];
    }
    for (pair, c) in w.iter() {
        s += *c * x[pair.0].cos();
    }
    for i in used {
        s += x[*i].powi(3);
    }
    if used.contains(&2) && w.contains_key(&(0, 1)) {
        s *= w.values().sum::<f64>() + used.len() as f64;
    }
    s * w[&(0, 1)]
}

#[adjoint(wrt(x))]
fn by_cases(x: f64, w: &HashMap<usize, f64>, key: usize) -> f64 {
    let c = *w.get(&3).unwrap();
    let d = w.get(&(key + 7)).unwrap_or(&2.0);
    let e = if w.contains_key(&key) { w[&key] } else { 1.0 };
    let f = w.get(&key).map(|v| v * 2.0).unwrap_or(0.25);
    let g = w.get(&3).map_or(1.0, |v| v.sqrt());
    let h = match w.get(&key) {
        Some(c) => *c * x,
        None => x.sin(),
    };
    (c + d + e + f + g) * x * x * h
}

#[adjoint(wrt(x))]
fn rows(x: f64, w: &HashMap<usize, Vec<f64>>, k: &BTreeMap<usize, [f64; 2]>) -> Option<f64> {
    let mut s = 0.0;
    if let Some(row) = w.get(&3) {
        for c in row.iter() {
            s += c * x * x;
        }
    }
    let total: f64 = w.values().map(|r| r[0]).sum();
    let [a, b] = k.get(&1)?;
    Some(s + total * x + *w[&3].first().unwrap() * a * x.exp() + b * k[&1][1])
}

struct Table {
    w: HashMap<usize, f64>,
    k: f64,
}

/// The type of the field is not visible.
#[adjoint(wrt(x))]
fn in_a_field(x: f64, t: &Table) -> f64 {
    let Some(c) = t.w.get(&3) else {
        return x;
    };
    let d = t.w[&4];
    (c + d + t.k) * x * x
}

#[adjoint]
mod together {
    use std::collections::BTreeMap;

    pub struct Grid {
        pub at: BTreeMap<i64, f64>,
        pub h: f64,
    }

    #[adjoint(wrt(x))]
    pub fn weighted(x: &[f64], g: &Grid) -> f64 {
        let mut s = 0.0;
        for (k, x) in x.iter().enumerate() {
            let near = g.at.get(&(k as i64 - 1)).copied().unwrap_or(g.h);
            s += near * scaled(*x, g);
        }
        s
    }

    #[adjoint(wrt(x))]
    fn scaled(x: f64, g: &Grid) -> f64 {
        x.tanh() * g.at[&0] * g.h
    }
}

#[test]
fn what_is_found_is_constant() {
    let w = HashMap::from([(0, 2.0), (1, 3.0), (3, 0.5), (4, 1.5)]);
    let sorted = BTreeMap::from([(0, 2.0), (2, 3.0)]);
    let x = [0.3, -0.7, 1.1];
    check!(or_one(&x, const &w) -> f64);
    check!(where_there_is_one(&x, const &sorted) -> f64);
    check!(indexed(&[0.3, -0.7], const &w) -> f64);
    for key in [3, 5] {
        check!(by_cases(0.8, const &w, const key) -> f64);
    }
    let t = Table { w, k: 0.25 };
    check!(in_a_field(0.8, const &t) -> f64);
    let g = together::Grid {
        at: BTreeMap::from([(-1, 0.5), (0, 2.0)]),
        h: 0.1,
    };
    check!(together::weighted(&x, const &g) -> f64);
}

#[test]
fn by_keys_of_all_kinds() {
    let names = HashMap::from(["a", "b"].map(|name| (name.to_string(), name.len() as f64 + 0.5)));
    check!(by_names(&[0.3, 0.4], const &names, const &["b", "z"], const "a") -> f64);
    let pairs = BTreeMap::from([((0, 1), 0.5), ((2, 1), -2.0)]);
    let used = BTreeSet::from([0, 2]);
    check!(by_pairs(&[0.3, -0.7, 1.1], const &pairs, const &used) -> f64);
}

/// `d/dx` of what the rows give.
#[test]
fn of_rows() {
    let w = HashMap::from([(3, vec![2.0, 1.0]), (5, vec![-0.5])]);
    let k = BTreeMap::from([(1, [0.25, 4.0])]);
    let mut x_adj = 0.0;
    let value = rows_adjoint(0.5, &mut x_adj, &w, &k, Some(1.0));
    assert_eq!(value, rows(0.5, &w, &k));
    crate::common::assert_close(&[x_adj], &[3.0 + 1.5 + 0.5 * 0.5f64.exp()]);
}

/// Maps that the function makes itself, of constants.
mod made {
    use std::collections::{BTreeMap, HashMap};

    use adjoint::adjoint;

    fn weights(n: usize) -> BTreeMap<usize, f64> {
        (0..n).map(|i| (i, 0.5 + i as f64)).collect()
    }

    #[adjoint]
    pub fn looked_up(x: &[f64]) -> f64 {
        let n = x.len();
        let m = weights(n);
        let mut s = 0.0;
        for (i, v) in x.iter().enumerate() {
            s += v.powi(2) * m.get(&i).copied().unwrap_or(1.0) * m[&i];
            if m.contains_key(&(i + 1)) {
                s *= 1.5;
            }
        }
        s * m.len() as f64
    }

    #[adjoint]
    pub fn run_over(x: &[f64]) -> f64 {
        let n = x.len();
        let m: BTreeMap<usize, f64> = (0..n).map(|i| (i, 0.5 + i as f64)).collect();
        let h: HashMap<usize, f64> = weights(n).into_iter().collect();
        let mut s = 0.0;
        for (k, v) in m.iter() {
            s += x[*k] * v * s + h[&0] * x[0];
        }
        for (k, v) in &m {
            s += x[*k] * v;
        }
        for v in m.values() {
            s += x[0] * v;
        }
        if let Some(v) = h.get(&1) {
            s *= v * x[1];
        }
        s
    }
}

#[test]
fn maps_that_are_made_of_constants() {
    let x = vec![0.3, 0.5, 0.9];
    check!(made::looked_up(&x) -> f64);
    check!(made::run_over(&x) -> f64);
}
