//! Closures that write, behind adapters that skip items: the number and order of the calls are those of std.

use adjoint::adjoint;

use crate::common::check;

/// Of two sequences that are zipped.
const LENGTHS: [(usize, usize); 9] = [
    (0, 0),
    (0, 2),
    (2, 0),
    (3, 3),
    (2, 3),
    (3, 2),
    (5, 1),
    (5, 2),
    (5, 4),
];

/// An item on the right is made for each on the left.
#[adjoint]
fn right_of_a_zip(x: &[f64], y: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let s: f64 = y
        .iter()
        .zip(x.iter().map(|v| {
            acc = acc * v + 1.0;
            acc * acc
        }))
        .map(|(a, b)| a * b)
        .sum();
    s * acc
}

#[test]
fn right_of_a_zip_as_in_std() {
    for (m, n) in LENGTHS {
        let x = [0.3, 0.7, -0.4, 0.9, 0.2];
        check!(right_of_a_zip(&x[..m].to_vec(), &x[..n].to_vec(), 1.3) -> f64);
    }
}

/// One item more is made on the left than there are on the right.
#[adjoint]
fn filtered_left(x: &[f64], y: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let mut s = 0.0;
    for (a, b) in x
        .iter()
        .filter(|v| {
            acc = acc * **v + 1.0;
            **v > 0.0
        })
        .zip(y)
    {
        s += a * b;
    }
    s * acc
}

#[test]
fn filtered_left_as_in_std() {
    for (m, n) in LENGTHS {
        let x = [0.3, -0.7, 0.4, 0.9, 0.2];
        check!(filtered_left(&x[..m].to_vec(), &x[..n].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn filtered_right(x: &[f64], y: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let mut s = 0.0;
    for (a, b) in y.iter().zip(x.iter().filter(|v| {
        acc = acc * **v + 1.0;
        **v > 0.0
    })) {
        s += a * b;
    }
    s * acc
}

#[test]
fn filtered_right_as_in_std() {
    for (m, n) in LENGTHS {
        let x = [0.3, -0.7, 0.4, 0.9, 0.2];
        check!(filtered_right(&x[..m].to_vec(), &x[..n].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn filtered_both(x: &[f64], y: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let mut s = 0.0;
    for (a, b) in y.iter().filter(|v| **v > 0.25).zip(x.iter().filter(|v| {
        acc = acc * **v + 1.0;
        **v > 0.0
    })) {
        s += a * b;
    }
    s * acc
}

#[test]
fn filtered_both_as_in_std() {
    for (m, n) in LENGTHS {
        let x = [0.3, -0.7, 0.4, 0.9, 0.2];
        check!(filtered_both(&x[..m].to_vec(), &x[..n].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn seen_left(x: &[f64], y: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let mut s = 0.0;
    for (a, b) in x
        .iter()
        .inspect(|v| {
            acc = acc * **v + 1.0;
        })
        .zip(y.iter().filter(|v| **v > 0.25))
    {
        s -= a * b;
    }
    s * acc
}

#[test]
fn seen_left_as_in_std() {
    for (m, n) in LENGTHS {
        let x = [0.3, -0.7, 0.4, 0.9, 0.2];
        check!(seen_left(&x[..m].to_vec(), &x[..n].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn numbered(x: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let s: f64 = x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc
        })
        .zip(0..)
        .map(|(a, i)| a * i as f64)
        .sum();
    s * acc
}

#[test]
fn numbered_as_in_std() {
    for m in 0..4 {
        let x = [0.3, 0.7, -0.4];
        check!(numbered(&x[..m].to_vec(), 1.3) -> f64);
    }
}

/// What is skipped is made.
#[adjoint]
fn skipped(x: &[f64], k: f64, n: usize) -> f64 {
    let mut acc = k;
    let s: f64 = x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc * v
        })
        .skip(n)
        .sum();
    s * acc
}

#[test]
fn skipped_as_in_std() {
    for m in 0..4 {
        for n in 0..5 {
            let x = [0.3, 0.7, -0.4];
            check!(skipped(&x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

#[adjoint]
fn stepped(x: &[f64], k: f64, n: usize) -> f64 {
    let mut acc = k;
    let s: f64 = x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc * v
        })
        .step_by(n)
        .sum();
    s * acc
}

#[test]
fn stepped_as_in_std() {
    for m in 0..6 {
        for n in 1..5 {
            let x = [0.3, 0.7, -0.4, 0.9, 0.2];
            check!(stepped(&x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

/// What is behind the last one that is asked for is not made.
#[adjoint]
fn stepped_until(x: &[f64], k: f64, n: usize) -> f64 {
    let mut acc = k;
    let mut s = 0.0;
    for v in x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc * v
        })
        .step_by(n)
    {
        s += v * k;
        if s > 2.0 {
            break;
        }
    }
    s * acc
}

#[test]
fn stepped_until_as_in_std() {
    for m in 0..6 {
        for n in 1..5 {
            let x = [0.3, 0.7, 0.4, 0.9, 0.2];
            check!(stepped_until(&x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

#[adjoint]
fn all_of_them(x: &[f64], k: f64, n: usize) -> f64 {
    let mut acc = k;
    let s: Vec<f64> = x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc * v
        })
        .skip(1)
        .step_by(n)
        .take(2)
        .collect();
    let mut t = acc;
    for v in &s {
        t += v * v;
    }
    t
}

#[test]
fn all_of_them_as_in_std() {
    for m in 0..6 {
        for n in 1..5 {
            let x = [0.3, 0.7, 0.4, 0.9, 0.2];
            check!(all_of_them(&x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

#[adjoint]
fn scaled_in_place(x: &mut [f64], k: f64, n: usize) -> f64 {
    let s: f64 = x
        .iter_mut()
        .map(|v| {
            *v *= k;
            *v
        })
        .skip(n)
        .map(|v| v * v)
        .sum();
    s
}

#[test]
fn scaled_in_place_as_in_std() {
    for m in 0..4 {
        for n in 0..5 {
            let x = [0.3, 0.7, -0.4];
            check!(scaled_in_place(&mut x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

#[adjoint]
fn other_consumers(x: &[f64], k: f64, n: usize) -> f64 {
    let mut acc = k;
    let s = x
        .iter()
        .enumerate()
        .map(|(i, v)| {
            acc = acc * v + i as f64;
            acc * v
        })
        .skip(n)
        .fold(0.1, |s, v| s * v + k);
    let mut c = 0.0;
    let t = x
        .iter()
        .map(|v| {
            c += v * v;
            c
        })
        .skip(n)
        .next();
    let mut d = 1.0;
    let u = x
        .iter()
        .map(|v| {
            d *= v;
            d
        })
        .skip(1)
        .nth(n);
    let mut e = 1.0;
    let w = x
        .iter()
        .map(|v| {
            e *= v;
            e
        })
        .skip(n)
        .last();
    s * acc + t.unwrap_or(k) * c + u.unwrap_or(k * k) * d + w.unwrap_or(0.3) * e
}

#[test]
fn other_consumers_as_in_std() {
    for m in 0..5 {
        for n in 0..5 {
            let x = [0.3, 0.7, -0.4, 0.9];
            check!(other_consumers(&x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

/// What is behind the last one is not made.
#[adjoint]
fn taken(x: &[f64], k: f64, n: usize) -> f64 {
    let mut acc = k;
    let s: f64 = x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc * v
        })
        .take(n)
        .sum();
    let mut b = k;
    let r: f64 = x
        .iter()
        .filter(|v| {
            b *= 1.5 + **v;
            **v > 0.0
        })
        .take(n)
        .sum();
    s * acc + b * r
}

#[test]
fn taken_as_in_std() {
    for m in 0..5 {
        for n in 0..5 {
            let x = [0.3, 0.7, -0.4, 0.9];
            check!(taken(&x[..m].to_vec(), 1.3, const n) -> f64);
        }
    }
}

#[adjoint]
fn parted(x: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let (a, b): (Vec<f64>, Vec<f64>) = x
        .iter()
        .map(|v| {
            acc = acc * v + 1.0;
            acc * v
        })
        .partition(|v| *v > 0.4);
    let mut c = 0.0;
    let (p, q): (Vec<f64>, Vec<f64>) = x.iter().copied().partition(|v| {
        c += v * k;
        c > 0.5
    });
    let t: f64 = a.iter().map(|v| v * v).sum();
    let u: f64 = b.iter().product();
    t * u * acc + p.iter().sum::<f64>() * c - q.iter().sum::<f64>() * k
}

#[test]
fn parted_as_in_std() {
    for m in 0..5 {
        let x = [0.3, 0.7, -0.4, 0.9];
        check!(parted(&x[..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn collected(x: &[f64], k: f64) -> f64 {
    let mut acc = k;
    let a: Vec<f64> = x
        .iter()
        .filter(|v| {
            acc = acc * **v + 1.0;
            acc > 1.2
        })
        .map(|v| v * v)
        .collect();
    let mut d = 0.5;
    let b: Vec<f64> = x
        .iter()
        .filter_map(|v| {
            d += v;
            (d > 0.6).then(|| d * v)
        })
        .collect();
    let mut e = 1.0;
    let c: Box<[f64]> = x
        .iter()
        .take_while(|v| {
            e *= *v;
            e.abs() > 0.1
        })
        .copied()
        .collect();
    let mut g = 0.2;
    let h: Vec<(usize, f64)> = x
        .iter()
        .enumerate()
        .filter(|(i, v)| {
            g = g * k + **v;
            i % 2 == 0
        })
        .map(|(i, v)| (i, *v))
        .collect();
    a.iter().sum::<f64>() * acc
        + b.iter().sum::<f64>() * d
        + c.iter().sum::<f64>() * e
        + h.iter().map(|(i, v)| *i as f64 * v).sum::<f64>() * g
}

#[test]
fn collected_as_in_std() {
    for m in 0..6 {
        let x = [0.3, 0.7, -0.4, 0.9, 0.6];
        check!(collected(&x[..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn collected_rows(x: &[f64], k: f64) -> f64 {
    let mut n = 0;
    let a: Vec<Vec<f64>> = x
        .chunks(2)
        .filter(|c| {
            n += 1;
            c[0] > 0.0
        })
        .map(|c| c.to_vec())
        .collect();
    let mut last = k;
    let b: Vec<f64> = x
        .iter()
        .flat_map(|v| {
            last = last * v;
            [last, v * v]
        })
        .collect();
    a.iter().map(|r| r.iter().product::<f64>()).sum::<f64>() * n as f64
        + b.iter().sum::<f64>() * last
}

#[test]
fn collected_rows_as_in_std() {
    for m in 0..6 {
        let x = [0.3, 0.7, -0.4, 0.9, 0.6];
        check!(collected_rows(&x[..m].to_vec(), 1.3) -> f64);
    }
}

#[adjoint]
fn nested(x: &[f64], k: f64) -> f64 {
    let mut t = 0.0;
    let mut acc = k;
    for i in 0..x.len() {
        let s: f64 = x[i..]
            .iter()
            .map(|v| {
                acc = 0.5 * acc + v * k;
                acc
            })
            .skip(1)
            .step_by(2)
            .sum();
        t += s * acc;
        if t > 3.0 {
            return t * k;
        }
    }
    t * acc
}

#[test]
fn nested_as_in_std() {
    for m in 0..6 {
        let x = [0.3, 0.7, 0.4, 0.9, 0.6];
        check!(nested(&x[..m].to_vec(), 1.3) -> f64);
        check!(nested(&x[..m].to_vec(), 3.3) -> f64);
    }
}
