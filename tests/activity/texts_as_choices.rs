//! Texts that choose the computation: parameters and models by name, and constants that are passed on.

use adjoint::adjoint;

use crate::common::check;

const MASS: &str = "mass";
const ORDER: &[usize] = &[1, 0];
const LOG_TERMS: &[f64] = &[0.0, 1.0, -0.5, 1.0 / 3.0];
const GRAVITY: f64 = 9.81;
const TABLE: [f64; 3] = [0.3, 1.7, -0.4];

#[adjoint]
fn lookup(names: &[String], values: &[f64], name: &str) -> f64 {
    for i in 0..names.len() {
        if names[i] == name {
            return values[i];
        }
    }
    panic!("there is no {name}")
}

#[adjoint]
fn oscillator(names: &[String], values: &[f64], t: f64) -> f64 {
    let key = "stiffness";
    let k = lookup(names, values, key);
    let mass: &str = MASS;
    let m = lookup(names, values, mass);
    (k / m).sqrt() * t + lookup(names, values, "damping") * t * t
}

#[adjoint]
fn found(names: &[&str], values: &[f64], x: f64) -> f64 {
    let mut s = 0.0;
    for (name, v) in names.iter().zip(values) {
        if *name == "mass" {
            s += v * x;
        } else if name.starts_with("k_") {
            s += v * v;
        }
    }
    let i = names.iter().position(|&n| n == "mass").unwrap();
    s * values[i]
}

#[adjoint]
fn kernel(kind: &str, r: f64, scale: f64) -> f64 {
    let q = r / scale;
    match kind {
        "gaussian" => (-q * q).exp(),
        "matern" | "matern32" => (1.0 + q) * (-q).exp(),
        k if k.ends_with("quadratic") => 1.0 / (1.0 + q * q),
        _ => 1.0 - q,
    }
}

#[adjoint]
fn covariance(kind: &String, x: &[f64], scale: f64) -> f64 {
    let kind = kind.as_str();
    let mut s = 0.0;
    for a in x {
        for b in x {
            s += kernel(kind, a - b, scale);
        }
    }
    if kind == "gaussian" && !kind.is_empty() {
        s *= scale;
    }
    s + kernel("matern", x[0], scale)
}

#[adjoint]
fn by_letter(rule: &str, letter: char, x: f64) -> f64 {
    let chosen = if letter == 's' { x.sin() } else { x * x };
    if rule != MASS { chosen * x } else { chosen }
}

#[adjoint]
fn chosen(x: f64) -> f64 {
    by_letter("a", 's', x) + by_letter("mass", 'c', x)
}

#[test]
fn parameters_are_looked_up_by_name() {
    let names = ["damping", "mass", "stiffness"].map(String::from).to_vec();
    check!(oscillator(const &names, &[0.1, 0.7, 1.9], 1.3) -> f64);
    let names = ["k_1", "mass", "k_2", "other"];
    check!(found(const &names, &[0.1, 0.7, 1.9, 0.2], 1.3) -> f64);
}

#[test]
fn models_are_chosen_by_name() {
    for kind in ["gaussian", "matern", "rational quadratic", "linear"] {
        check!(kernel(const kind, 0.4, 1.3) -> f64);
        check!(covariance(const &kind.to_string(), &[0.4, 1.1, -0.3], 1.3) -> f64);
    }
    check!(chosen(0.6) -> f64);
}

#[adjoint]
fn horner(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |s, c| s * x + c)
}

#[adjoint]
fn picked(order: &[usize], x: &[f64], g: f64) -> f64 {
    order.iter().fold(g, |s, &i| s * x[i] + g)
}

#[adjoint]
fn from_elsewhere(x: &[f64]) -> f64 {
    let terms: &[f64] = LOG_TERMS;
    let order: &[usize] = ORDER;
    horner(terms, x[0]) * horner(&TABLE, GRAVITY) + picked(order, x, GRAVITY) * horner(&TABLE, x[1])
}

#[test]
fn constants_from_elsewhere_are_handed_on() {
    check!(from_elsewhere(&[0.4, 1.2]) -> f64);
}

#[adjoint]
fn tried(x: f64) -> Result<f64, String> {
    if x < 0.0 {
        return Err("neg".to_owned());
    }
    if x > 9.0 {
        let e = "large".to_owned();
        return Err(e.clone());
    }
    Ok(x.sqrt())
}
#[adjoint]
fn or_message(x: f64) -> f64 {
    match tried(x) {
        Ok(v) => v,
        Err(e) => e.len() as f64 * x,
    }
}

#[adjoint]
mod messages {
    fn both(a: &[f64], b: &[f64]) -> Result<f64, &'static str> {
        if a[0] < 0.0 {
            return Err("neg");
        }
        Ok(a[0] * b[0])
    }
    fn owned(a: &[f64], b: &[f64]) -> Result<f64, String> {
        if a[0] < 0.0 {
            return Err("neg".into());
        }
        Ok(a[0] * b[0])
    }
    pub fn of(a: &[f64], b: &[f64]) -> f64 {
        match both(a, b) {
            Ok(v) => v,
            Err(message) => message.len() as f64 * b[0],
        }
    }
    pub fn of_owned(a: &[f64], b: &[f64]) -> f64 {
        let mut s = 0.0;
        for i in 0..a.len() {
            match owned(&a[i..], b) {
                Ok(v) => s += v,
                Err(message) => s += message.len() as f64 * b[0] * s,
            }
        }
        s
    }
}

#[test]
fn messages_are_texts() {
    for x in [-1.0, 1.0, 10.0] {
        check!(or_message(x) -> f64);
    }
    use messages::*;
    check!(of(&vec![0.3, 0.8], &vec![0.3]) -> f64);
    check!(of(&vec![-0.3, 0.8], &vec![0.3]) -> f64);
    check!(of_owned(&vec![0.7, -0.3, 0.8], &vec![0.3]) -> f64);
}

/// What the width and the precision of a text name is looked up where it stands.
#[adjoint]
fn widths(x: f64, n: usize) -> f64 {
    let n = n + 2;
    let mut s = x;
    for k in 1..3 {
        let n = n * k;
        let wide = format!("{n:>n$}|{:.k$}|{k:0>1$}", 0.125, n);
        s *= x + wide.len() as f64;
    }
    s * format!("{n:>n$}").len() as f64
}

#[test]
fn names_in_widths() {
    check!(widths(0.7, const 3) -> f64);
}
