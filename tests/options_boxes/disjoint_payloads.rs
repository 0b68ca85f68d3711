//! Two and more parts of the payload of an `Option` or a variant, borrowed at once.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Node {
    v: f64,
    l: Option<Box<Node>>,
    r: Option<Box<Node>>,
}

#[adjoint]
mod trees {
    use super::Node;

    pub fn mirror(root: &mut Option<Box<Node>>) {
        if let Some(n) = root {
            std::mem::swap(&mut n.l, &mut n.r);
            mirror(&mut n.l);
            mirror(&mut n.r);
        }
    }

    fn value(root: &Option<Box<Node>>, w: f64) -> f64 {
        match root {
            Some(n) => n.v * w + value(&n.l, w * 1.5) - value(&n.r, w * 0.7).sin(),
            None => 0.0,
        }
    }

    fn build(x: &[f64]) -> Option<Box<Node>> {
        if x.is_empty() {
            return None;
        }
        let m = x.len() / 2;
        Some(Box::new(Node {
            v: x[m],
            l: build(&x[..m]),
            r: build(&x[m + 1..]),
        }))
    }

    pub fn mirrored(x: &[f64], w: f64) -> f64 {
        let mut t = build(x);
        let a = value(&t, w);
        mirror(&mut t);
        a * value(&t, w)
    }
}

#[adjoint]
fn turned(v: &mut Option<(f64, f64)>) {
    if let Some((a, b)) = v {
        std::mem::swap(a, b);
    }
}

#[adjoint]
fn pair(x: f64, y: f64) -> f64 {
    let mut v = Some((x, y));
    turned(&mut v);
    match v {
        Some((a, b)) => a * b * b,
        None => 0.0,
    }
}

#[derive(Clone, Debug, Differentiable)]
enum Form {
    Idle,
    Two(f64, f64),
    Three { a: Vec<f64>, b: Vec<f64>, c: f64 },
}

#[derive(Clone, Debug, Differentiable)]
struct Whole {
    l: Vec<f64>,
    r: Vec<f64>,
    form: Form,
}

#[adjoint]
fn two(a: &mut f64, b: &mut f64) {
    *a *= *b;
    *b += a.sin();
}

#[adjoint]
fn three(a: &mut Vec<f64>, b: &mut Vec<f64>, c: &mut f64) {
    a[0] *= b[1] * *c;
    b.push(a[1] * *c);
    *c += a[0];
    std::mem::swap(a, b);
}

#[adjoint]
fn in_option(v: &mut Option<Whole>) -> f64 {
    if let Some(n) = v {
        n.l.swap_with_slice(&mut n.r);
        std::mem::swap(&mut n.l[0], &mut n.r[1]);
        two(&mut n.l[0], &mut n.r[0]);
        n.l[0] * n.r[1]
    } else {
        1.0
    }
}

#[adjoint]
fn in_variants(v: &mut Whole) -> f64 {
    match &mut v.form {
        Form::Idle => 0.0,
        Form::Two(a, b) => {
            two(a, b);
            std::mem::swap(a, b);
            *a * 2.0 + *b
        }
        Form::Three { a, b, c } => {
            three(a, b, c);
            three(b, a, c);
            a[0] * b[1] * *c + b[2]
        }
    }
}

#[adjoint]
fn appended(v: &mut Whole) -> f64 {
    if let Form::Three { a, b, c } = &mut v.form {
        a.append(b);
        *c *= a[3];
    }
    match &v.form {
        Form::Two(a, b) => a * b,
        Form::Three { a, b, c } => c * a[0] + b.len() as f64,
        Form::Idle => 1.0,
    }
}

#[adjoint]
fn formed(x: &[f64], which: usize, form: usize) -> f64 {
    let form = match form {
        0 => Form::Idle,
        1 => Form::Two(x[0], x[1]),
        _ => Form::Three {
            a: vec![x[0], x[1]],
            b: vec![x[1], x[2]],
            c: x[0],
        },
    };
    let mut v = Whole {
        l: vec![x[0], x[1]],
        r: vec![x[2], x[1]],
        form,
    };
    match which {
        0 => {
            let mut held = Some(v);
            in_option(&mut held)
        }
        1 => in_variants(&mut v),
        _ => appended(&mut v),
    }
}

#[derive(Clone, Debug, Differentiable)]
enum Boxed {
    Idle,
    Done(f64, Box<f64>),
}

/// The reference to the box is one to what is in it.
#[adjoint]
fn coerced(e: &mut Boxed) {
    if let Boxed::Done(a, b) = e {
        std::mem::swap(a, b);
    }
}

#[adjoint]
fn boxed(x: f64, y: f64) -> f64 {
    let mut e = match x > 0.0 {
        true => Boxed::Done(x, Box::new(y)),
        false => Boxed::Idle,
    };
    coerced(&mut e);
    match &e {
        Boxed::Done(a, b) => a * a * **b,
        Boxed::Idle => y,
    }
}

#[test]
fn a_tree_is_mirrored() {
    check!(trees::mirrored(&[0.4, 0.8, 1.2, 0.1, 0.3], 0.3) -> f64);
}

#[test]
fn parts_that_are_lent_at_once() {
    check!(pair(0.3, 0.7) -> f64);
    for which in 0..3 {
        for form in 0..3 {
            check!(formed(&vec![0.4, 0.8, 1.2], const which, const form) -> f64);
        }
    }
    check!(boxed(0.3, 0.7) -> f64);
}
