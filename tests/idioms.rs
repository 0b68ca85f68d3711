//! Small idioms of numerical Rust: integers beside floats, literals, closures, items in bodies.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

mod common;
use adjoint::adjoint;
use common::{assert_close, check};

const TABLE: [f64; 4] = [1.0, 0.5, 0.25, 2.0];
static COLUMNS: [[f64; 2]; 2] = [[1.0, -1.0], [0.5, 3.0]];
const SLICE: &[f64] = &[0.1, 0.2, 0.3];

#[adjoint]
fn tables(x: f64, n: usize) -> f64 {
    const LOCAL: [f64; 3] = [3.0, 2.0, 1.0];
    static FACTORS: [f64; 2] = [0.5, 0.125];
    let mut s = TABLE[0] + x * TABLE[1];
    for i in 0..n {
        s += TABLE[i] * x.powi(i as i32) * LOCAL[i % LOCAL.len()];
    }
    for (c, f) in SLICE.iter().zip(FACTORS.iter().rev()) {
        s = s * x + c * f;
    }
    for row in COLUMNS.iter() {
        s += row.iter().map(|r| r * x).sum::<f64>();
    }
    s + COLUMNS[n % 2][1] * x * SLICE.len() as f64 + LOCAL.iter().sum::<f64>() * x
}

#[test]
fn constants_and_statics_as_tables() {
    check!(tables(0.7, const 3) -> f64);
}

#[adjoint]
fn integers(x: &[f64], n: u32, shift: i64) -> f64 {
    let len = x.len();
    let a = (n as usize).wrapping_mul(7).wrapping_add(3) % len;
    let b = len.saturating_sub(n as usize + 1);
    let c = (shift.rem_euclid(len as i64)) as usize;
    let d = (n.pow(2) >> 1 ^ 1) as usize % len;
    let e = usize::abs_diff(a, b);
    let f = n.checked_sub(2).map_or(0, |v| v as usize) % len;
    let g = 1usize.max(a).min(len - 1);
    let h = usize::from(n as u8) % len;
    x[a] * x[b] + x[c] * x[d] + (e as f64) * x[f] * x[g] + x[h] * shift.signum() as f64
}

#[test]
fn integers_in_indices() {
    check!(integers(&vec![0.4, 1.2, -0.3, 0.9, 2.0], const 3, const -7) -> f64);
}

#[adjoint]
fn literals(x: f64) -> f64 {
    let a = 1_000.5e-3 * x + 2f64 + 1e2 + 5e-1_f64 * x.powi(2);
    let b: f64 = 3. * x + 0x10 as f64 + 0b101 as f64 * x + 1_0 as f64;
    a * b - f64::from(3u8) * x + f64::from(2.5f32)
}

#[test]
fn literals_in_all_spellings() {
    check!(literals(0.7) -> f64);
}

#[adjoint]
fn closures_that_write(x: &[f64]) -> f64 {
    let mut total = 0.0;
    let mut count = 0;
    let mut add = |v: f64| {
        total += v * v;
        count += 1;
    };
    for &v in x {
        if v > 0.0 {
            add(v);
        }
    }
    add(x[0]);
    total / count as f64
}

#[test]
fn a_closure_that_accumulates() {
    check!(closures_that_write(&vec![0.4, -1.2, 2.0]) -> f64);
}

#[adjoint]
fn early_values(x: f64, y: f64) -> f64 {
    let safe_ln = |v: f64| {
        if v <= 0.0 {
            return -1.0;
        }
        let l = v.ln();
        l * l
    };
    let pick = |a: f64, b: f64| -> f64 { if a > b { a } else { b * b } };
    safe_ln(x) + safe_ln(-y) + pick(x, y)
}

#[test]
fn closures_return_early() {
    check!(early_values(0.7, 1.2) -> f64);
}

#[adjoint]
fn blocks(x: f64, n: usize) -> f64 {
    let y = 'search: {
        for i in 0..n {
            let v = x * i as f64;
            if v > 1.0 {
                break 'search v * v;
            }
        }
        -x
    };
    let mut i = 0;
    let z = loop {
        i += 1;
        if i as f64 * x > 2.0 {
            break i as f64 * x * x;
        }
    };
    y * z
}

#[test]
fn blocks_with_values() {
    check!(blocks(0.7, const 5) -> f64);
    check!(blocks(0.7, const 1) -> f64);
}

#[adjoint]
fn nested_items(x: &[f64]) -> f64 {
    const WEIGHT: f64 = 0.25;
    #[derive(Clone, Copy)]
    enum Kind {
        Even,
        Odd,
    }
    #[adjoint]
    fn square(v: f64) -> f64 {
        v * v
    }
    let mut s = 0.0;
    for (i, &v) in x.iter().enumerate() {
        let kind = if i % 2 == 0 { Kind::Even } else { Kind::Odd };
        s += match kind {
            Kind::Even => WEIGHT * square(v),
            Kind::Odd => v,
        };
    }
    s
}

#[test]
fn items_in_bodies() {
    check!(nested_items(&vec![0.4, -1.2, 2.0]) -> f64);
}

#[adjoint]
fn chains_of_lets(x: Option<f64>, y: Option<f64>) -> f64 {
    if let Some(a) = x
        && a > 0.0
        && let Some(b) = y
    {
        a * b
    } else if let Some(a) = x {
        a * a
    } else if let (None, Some(b)) = (x, y) {
        b.sin()
    } else {
        0.0
    }
}

#[adjoint]
fn optional(x: f64, y: f64, kind: u8) -> f64 {
    match kind {
        0 => chains_of_lets(Some(x), Some(y)),
        1 => chains_of_lets(Some(-x), Some(y)),
        2 => chains_of_lets(None, Some(y)),
        _ => chains_of_lets(Some(x), None),
    }
}

#[test]
fn options_as_parameters() {
    for kind in 0..4u8 {
        check!(optional(0.7, 1.2, const kind) -> f64);
    }
}

#[adjoint]
fn arrays_of_arrays(m: [[f64; 2]; 2], v: [f64; 2]) -> ([f64; 2], f64) {
    let [[a, b], [c, d]] = m;
    let t: [[f64; 2]; 2] = [[a, c], [b, d]];
    let mut out = [0.0; 2];
    for (o, row) in out.iter_mut().zip(t) {
        *o = row[0] * v[0] + row[1] * v[1];
    }
    (out, a * d - b * c)
}

#[test]
fn nested_arrays_by_value() {
    check!(arrays_of_arrays([[1.0, 0.3], [-0.2, 0.8]], [0.5, 1.5]) -> ([f64; 2], f64));
}

#[adjoint]
fn reborrowed(x: &mut [f64], k: f64) -> f64 {
    scale(x, k);
    scale(&mut x[1..], k);
    {
        let y = &mut *x;
        y[0] += k;
        scale(y, 2.0);
    }
    let r = &&x[0];
    **r * k
}

#[adjoint]
fn scale(x: &mut [f64], k: f64) {
    x.iter_mut().for_each(|v| *v *= k);
}

#[test]
fn references_again() {
    check!(reborrowed(&mut vec![0.4, -1.2, 2.0], 0.7) -> f64);
}

#[adjoint]
fn methods_of_std(x: f64, y: f64) -> f64 {
    let (s, c) = f64::sin_cos(x);
    let h = f64::hypot(x, y).max(f64::EPSILON).clamp(1e-3, 1e3);
    let m = x.mul_add(y, 1.0) + y.rem_euclid(x) + y.div_euclid(x);
    let bits = x.to_bits() >> 63;
    let tested = if x.is_nan() || y.is_infinite() || !x.is_finite() {
        0.0
    } else {
        1.0
    };
    s * h + c * m * tested + (bits as f64).signum().abs().min(0.0) + x.copysign(-y)
}

#[test]
fn standard_methods() {
    check!(methods_of_std(0.7, 1.2) -> f64);
}

#[adjoint]
fn two_results(x: f64) -> Result<(f64, f64), String> {
    if x < 0.0 {
        return Err(format!("negative: {x}"));
    } else if x > 1e6 {
        return Err("too large".to_string());
    }
    Ok((x.sqrt(), x * x))
}

#[adjoint]
fn sum_of_results(x: f64) -> f64 {
    let pair: Result<(f64, f64), String> = two_results(x);
    match pair {
        Ok((a, b)) => a * b,
        Err(_) => 0.0,
    }
}

#[test]
fn errors_with_text() {
    assert_close(&check!(sum_of_results(4.0) -> f64)[0], &[2.5 * 8.0]);
    assert_eq!(check!(sum_of_results(-4.0) -> f64), [[0.0]]);
}

#[adjoint]
fn told_to_the_user(x: f64, y: f64) -> f64 {
    let ratio = |v: f64| v / y;
    assert!(ratio(x) < 10.0, "ratio {} too large", ratio(x));
    debug_assert!(ratio(x).is_finite());
    if cfg!(target_os = "none") {
        println!("{x} {}", ratio(x));
    }
    if y == 0.0 {
        unreachable!("y is {y}");
    }
    ratio(x) * x
}

#[test]
fn macros_with_closures() {
    check!(told_to_the_user(0.7, 1.2) -> f64);
}

#[test]
#[should_panic(expected = "ratio 70 too large")]
fn a_failed_assertion_is_the_same() {
    told_to_the_user_adjoint(0.7, &mut 0.0, 0.01, &mut 0.0, 1.0);
}

#[adjoint]
fn shadowed(x: f64) -> f64 {
    let x = x * 2.0;
    let y = {
        let x = x.sin();
        x * x
    };
    let x = if y > 0.5 {
        x + y
    } else {
        let x = y * x;
        x - 1.0
    };
    let shadowed = x * y;
    shadowed
}

#[test]
fn names_again() {
    check!(shadowed(0.7) -> f64);
}

#[adjoint]
fn within(x: f64, i: i32) -> f64 {
    let inside = (0.0..1.0).contains(&x);
    let near = (-2..=2).contains(&i);
    match (inside, near) {
        (true, true) => x * x,
        (true, _) => x,
        _ => 3.0 * x,
    }
}

#[test]
fn ranges_contain() {
    check!(within(0.7, const 1) -> f64);
    check!(within(0.7, const 5) -> f64);
    check!(within(1.7, const 1) -> f64);
}

#[adjoint]
fn split_ends(x: &[f64]) -> f64 {
    let mut total = 0.0;
    if let Some((first, rest)) = x.split_first() {
        total += first * rest.iter().sum::<f64>();
    }
    let (last, before) = x.split_last().unwrap();
    if let [a, b, ..] = before {
        total += a * b * last;
    }
    match x {
        [] => 0.0,
        [a] => *a,
        [a, .., z] => total + a * z,
    }
}

#[test]
fn slices_taken_apart() {
    check!(split_ends(&vec![0.4, -1.2, 2.0, 0.3]) -> f64);
}
