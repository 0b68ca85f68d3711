//! `Option`s of references to places that the bindings of a match arm lead to.

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn last(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let last = match h.len() {
        0 => None,
        n => Some(&h[n - 1]),
    };
    match last {
        Some(v) => v[0] * k,
        None => k * k,
    }
}

#[adjoint]
fn each_before(h: &Vec<Vec<f64>>, k: f64) -> f64 {
    let mut s = 0.0;
    for n in 0..=h.len() {
        let before = match n {
            0 => None,
            n => {
                let j = n - 1;
                Some(&h[j])
            }
        };
        if let Some(v) = before {
            s += v[0] * k
        } else {
            s += k
        }
    }
    s
}

#[adjoint]
fn mapped(h: &Vec<Vec<f64>>, i: Option<usize>, k: f64) -> f64 {
    let row = i.map(|j| &h[j]);
    match row {
        Some(v) => v[0] * k,
        None => k * k,
    }
}

#[adjoint]
fn with_number(h: &Vec<Vec<f64>>, i: Option<usize>, k: f64) -> f64 {
    let row = match i {
        Some(j) if j > 0 => Some((&h[j], j)),
        _ => None,
    };
    match row {
        Some((v, j)) => v[0] * k * j as f64,
        None => k,
    }
}

#[adjoint]
fn written(h: &mut Vec<Vec<f64>>, i: Option<usize>, k: f64) {
    let row = match i {
        Some(j) => Some(&mut h[j]),
        None => None,
    };
    if let Some(v) = row {
        v[0] *= k;
    }
}

#[adjoint]
fn or_else(h: &Vec<Vec<f64>>, i: Option<usize>, k: f64) -> f64 {
    let row: Result<&Vec<f64>, f64> = match i {
        Some(j) => Ok(&h[j]),
        None => Err(k * k),
    };
    match row {
        Ok(v) => v[0] * k,
        Err(e) => e,
    }
}

#[adjoint]
fn or_left(h: &Vec<Vec<f64>>, i: Option<usize>, k: f64) -> f64 {
    let row = match i {
        Some(j) => &h[j],
        None => return k * k,
    };
    row[0] * k
}

#[adjoint]
fn by_chain(h: &Vec<Vec<f64>>, i: Option<usize>, k: f64) -> f64 {
    let row = if let Some(i) = i
        && i + 1 >= h.len()
    {
        None
    } else {
        let j = h.len() - 1;
        Some(&h[j])
    };
    row.map_or(k, |v| v[0] * k)
}

#[adjoint]
fn pair_or_left(h: &Vec<Vec<f64>>, i: Option<usize>, k: f64) -> f64 {
    let (a, b) = match i {
        Some(j) => (&h[j], &h[h.len() - 1 - j]),
        None => return k * k,
    };
    a[0] * b[0] * k
}

#[test]
fn places_by_names_of_arms() {
    let h = vec![vec![1.0, 2.0], vec![3.0]];
    for h in [h.clone(), Vec::new()] {
        check!(last(&h, 3.0) -> f64);
        check!(each_before(&h, 3.0) -> f64);
    }
    for i in [None, Some(0), Some(1)] {
        check!(mapped(&h, const i, 3.0) -> f64);
        check!(with_number(&h, const i, 3.0) -> f64);
        check!(written(&mut h, const i, 3.0));
        check!(or_else(&h, const i, 3.0) -> f64);
        check!(or_left(&h, const i, 3.0) -> f64);
        check!(by_chain(&h, const i, 3.0) -> f64);
        check!(pair_or_left(&h, const i, 3.0) -> f64);
    }
}
