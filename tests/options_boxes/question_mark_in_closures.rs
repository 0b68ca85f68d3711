//! Closures that `?` returns from: called in place, or bound to a name and called.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

/// A callee whose type its callers don't see.
#[adjoint]
fn root(x: f64) -> Result<f64, String> {
    if x < 0.0 {
        return Err("negative".to_string());
    }
    Ok(x.sqrt())
}

#[adjoint]
fn pick(x: f64) -> Option<f64> {
    if x < 0.0 {
        return None;
    }
    Some(x.sqrt())
}

#[derive(Debug, Clone, Differentiable)]
enum Missing {
    First,
    Second,
}

#[derive(Debug, Clone, Differentiable)]
enum Outside {
    Below(f64),
    Above,
}

#[adjoint]
fn bounded_root(x: f64) -> Result<f64, Outside> {
    if x < 0.0 {
        return Err(Outside::Below(x * x));
    }
    if x > 4.0 {
        return Err(Outside::Above);
    }
    Ok(x.sqrt())
}

#[adjoint]
fn first(x: &[f64], k: f64) -> f64 {
    let t = (|| -> Option<f64> {
        let v = x.first()?;
        Some(v * k)
    })();
    t.unwrap_or(k * k)
}

#[test]
fn first_where_it_leaves() {
    check!(first(&vec![0.1, 0.7], 1.3) -> f64);
    check!(first(&Vec::<f64>::new(), 1.3) -> f64);
}

#[adjoint]
fn neighbours(x: &[f64], k: f64) -> f64 {
    let g = |i: usize| -> Option<f64> {
        let v = x.get(i)?;
        let w = x.get(i + 1)?;
        Some(v * w * k)
    };
    g(0).unwrap_or(k) * g(1).unwrap_or(k * k)
}

#[test]
fn neighbours_where_it_leaves() {
    for m in 0..4 {
        check!(neighbours(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn inferred(x: &[f64], k: f64) -> f64 {
    let t: Option<f64> = (|| {
        let v = x.first()?;
        let w = x.last()?;
        Some(v * k * w)
    })();
    match t {
        Some(v) => v * v,
        None => k,
    }
}

#[test]
fn inferred_where_it_leaves() {
    for m in 0..4 {
        check!(inferred(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn errors_that_carry_floats(x: &[f64], k: f64) -> f64 {
    let t = (|| -> Result<f64, f64> {
        let v = x.first().ok_or(k)?;
        if *v < 0.0 {
            return Err(v * k);
        }
        Ok(v.sqrt() * k)
    })();
    match t {
        Ok(v) => v * v,
        Err(e) => e * e * e,
    }
}

#[test]
fn errors_that_carry_floats_where_it_leaves() {
    for x in [vec![], vec![0.4], vec![-0.4]] {
        check!(errors_that_carry_floats(&x, 1.3) -> f64);
    }
}

#[adjoint]
fn in_a_loop_some(x: &[f64], k: f64) -> Option<f64> {
    let t = (|| {
        let v = x.first()?;
        Some(v * k)
    })()?;
    let mut s = t;
    for v in x {
        s += (|| -> Option<f64> {
            let w = x.get(2)?;
            Some(w * v * t)
        })()?;
    }
    Some(s)
}
#[adjoint]
fn in_a_loop(x: &[f64], k: f64) -> f64 {
    in_a_loop_some(x, k).unwrap_or(k)
}

#[test]
fn in_a_loop_where_it_leaves() {
    for m in 0..4 {
        check!(in_a_loop(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn counting(x: &[f64], k: f64) -> f64 {
    let mut n = 0.0;
    let mut g = |i: usize| {
        let v = x.get(i)?;
        n += v * k;
        if n > 1.0 {
            return None;
        }
        Some(n * v)
    };
    let a = g(0);
    let b = g(1);
    let c = g(2);
    a.unwrap_or(k) * b.unwrap_or(0.3) * c.unwrap_or(k) * n
}

#[test]
fn counting_where_it_leaves() {
    for m in 0..4 {
        check!(counting(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn early(x: &[f64], k: f64) -> f64 {
    let t = (|| {
        for v in x {
            if *v > 0.5 {
                let w = (v - 0.6 > 0.0).then(|| v * k)?;
                return Some(w * w);
            }
        }
        None
    })();
    t.unwrap_or(x[0] * k)
}

#[test]
fn early_where_it_leaves() {
    check!(early(&vec![0.1, 0.7], 1.3) -> f64);
    check!(early(&vec![0.1, 0.55], 1.3) -> f64);
    check!(early(&vec![0.1], 1.3) -> f64);
}

#[adjoint]
fn as_a_condition(x: &[f64], k: f64) -> f64 {
    if let Some(v) = (|| Some(x.first()? * x.get(1)?))() {
        v * k
    } else {
        k.sin()
    }
}

#[test]
fn as_a_condition_where_it_leaves() {
    for m in 0..4 {
        check!(as_a_condition(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn checked_indices(x: &[f64], k: f64) -> f64 {
    let at = |i: usize, j: usize| -> Option<f64> {
        let r = i.checked_mul(2)?.checked_add(j)?;
        x.get(r).copied()
    };
    let mut s = 0.0;
    for i in 0..3 {
        for j in 0..2 {
            s += at(i, j).unwrap_or(k) * k;
            if let (Some(a), Some(b)) = (at(i, j), at(i + 1, j)) {
                s += a * b;
            }
        }
    }
    s
}

#[test]
fn checked_indices_where_it_leaves() {
    for m in 0..4 {
        check!(checked_indices(&[0.1, 0.7, 0.9, 0.3, 0.8][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn pairs(x: &[f64], k: f64) -> f64 {
    let t = (|| -> Option<(f64, Vec<f64>)> {
        let v = x.first()?;
        let w: Vec<f64> = x.iter().map(|a| a * v).collect();
        Some((v * k, w))
    })();
    match t {
        Some((a, w)) => a * w.iter().sum::<f64>(),
        None => k,
    }
}

#[test]
fn pairs_where_it_leaves() {
    for m in 0..4 {
        check!(pairs(&[0.1, 0.7, 0.9, 0.3, 0.8][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn texts(x: &[f64], k: f64) -> f64 {
    let lookup = |i: usize| x.get(i).copied().ok_or("none");
    let run = || -> Result<f64, &str> {
        let a = lookup(0)?;
        let b = lookup(1)?;
        Ok(a * b * k)
    };
    run().unwrap_or(0.5 * k)
}

#[test]
fn texts_where_it_leaves() {
    for m in 0..4 {
        check!(texts(&[0.1, 0.7, 0.9, 0.3, 0.8][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn nested(x: &[f64], k: f64) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        let w = (|| -> Option<f64> {
            let a = x.get(i + 1)?;
            let mut t = k;
            for j in 0..i {
                let b = x.get(j + 2)?;
                t += a * b;
                if t > 2.0 {
                    return Some(t * t);
                }
            }
            Some(t - a)
        })();
        s += w.unwrap_or(x[i] * s);
    }
    s
}

#[test]
fn nested_where_it_leaves() {
    for m in 0..5 {
        check!(nested(&[0.1, 0.7, 0.9, 0.3, 0.8][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn calling_each_other(x: &[f64], k: f64) -> f64 {
    let f = |v: f64| {
        let w = if v > 0.0 { Some(v) } else { None }?;
        Some(w.ln() * k)
    };
    let g = |a, b| -> Option<f64> { Some(f(a)? + f(b)?) };
    let mut s = 0.0;
    for w in x.windows(2) {
        match g(w[0], w[1]) {
            Some(v) => s += v * v,
            None => {
                s *= k;
                continue;
            }
        }
        s += 0.1 * k;
    }
    s
}

#[test]
fn calling_each_other_where_it_leaves() {
    check!(calling_each_other(&vec![0.2, 0.9, -0.1, 0.4, 0.7, -0.3, 1.0], 1.3) -> f64);
    check!(calling_each_other(&Vec::<f64>::new(), 1.3) -> f64);
}

#[adjoint]
fn calls(x: &[f64], k: f64) -> f64 {
    let g = |v: f64| -> Result<f64, String> {
        let a = root(v)?;
        let b = root(a - 0.5)?;
        Ok(a * b * k)
    };
    let mut s = 0.0;
    for v in x {
        match g(*v) {
            Ok(t) => s += t,
            Err(_) => s *= k,
        }
    }
    s
}

#[test]
fn calls_where_it_leaves() {
    check!(calls(&vec![0.9, -0.1, 0.2, 0.7, 0.01], 1.3) -> f64);
}

#[adjoint]
fn tuples(x: &[f64], k: f64) -> f64 {
    let r = (|| -> Result<(f64, f64), String> {
        let a = root(x[0])?;
        let b = root(x[1] - a)?;
        Ok((a * k, b * b))
    })();
    let o: Option<f64> = (|| {
        let a = pick(x[0])?;
        let b = pick(x[1] - a)?;
        Some(a * b * k)
    })();
    let (a, b) = match r {
        Ok((a, b)) => (a, b * k),
        Err(_) => (k, k * k),
    };
    a * b + o.unwrap_or(a * k)
}

#[test]
fn tuples_where_it_leaves() {
    check!(tuples(&vec![0.2, 0.9], 1.3) -> f64);
    check!(tuples(&vec![-0.2, 0.9], 1.3) -> f64);
    check!(tuples(&vec![0.2, -0.9, 0.3], 1.3) -> f64);
}

#[adjoint]
fn enums(x: &[f64], k: f64) -> f64 {
    let r = (|| -> Result<_, Missing> {
        let a = x.get(0).ok_or(Missing::First)?;
        let b = x.get(1).ok_or_else(|| Missing::Second)?;
        Ok((a * k, b * b))
    })();
    match r {
        Ok((a, b)) => a * b,
        Err(Missing::First) => k,
        Err(Missing::Second) => k * k,
    }
}

#[test]
fn enums_where_it_leaves() {
    for m in 0..4 {
        check!(enums(&[0.1, 0.7, 0.9][..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn errors_of_a_type(x: &[f64], k: f64) -> f64 {
    let go = |i: usize, s: f64| -> Result<f64, Outside> {
        let a = bounded_root(x[i] * s)?;
        let b = bounded_root(a - 0.3)?;
        Ok(a * k + b)
    };
    let mut t = k;
    for i in 0..x.len() {
        t *= match go(i, t) {
            Ok(v) => v,
            Err(Outside::Below(w)) => w + k,
            Err(Outside::Above) => 0.5,
        };
    }
    t
}

#[test]
fn errors_of_a_type_where_it_leaves() {
    check!(errors_of_a_type(&vec![0.2, 0.9], 1.3) -> f64);
    check!(errors_of_a_type(&vec![-0.2, 0.9], 1.3) -> f64);
    check!(errors_of_a_type(&vec![0.2, -0.9, 0.3, 7.0], 1.3) -> f64);
}
