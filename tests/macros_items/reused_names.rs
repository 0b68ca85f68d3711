//! Names that mean one thing here and another there, and lists that only their methods reveal.

use adjoint::{Differentiable, adjoint};

use crate::common::{check, flat};

#[derive(Clone, Debug, Differentiable)]
pub struct Duo {
    x: Vec<f64>,
    y: Vec<f64>,
    o: Option<Vec<f64>>,
    c: f64,
}
flat!(Duo { x, y, o, c });

#[adjoint]
fn in_closures(ds: &mut Vec<Duo>, w: &Duo) -> f64 {
    if let Some(u) = ds.iter_mut().find(|z| z.c > 0.4) {
        u.c *= u.c;
    }
    w.x.get(1).map_or(0.7, |z| z.cos())
}

#[adjoint]
fn drained(w: &mut Duo, n: usize) -> f64 {
    let mut s = 0.0;
    for _ in 0..n {
        let mut g = std::mem::take(&mut w.y);
        if g.len() > 3 {
            let h: Vec<f64> = g.drain(1..3).collect();
            s += h.iter().sum::<f64>() * w.c;
        }
        w.y = g;
    }
    s
}

#[adjoint]
fn taken(w: &mut Duo) -> f64 {
    let mut s = 0.5;
    if let Some(g) = w.o.take() {
        s *= g.first().map_or(1.2, |z| z * z);
    }
    w.o = Some(w.x.clone());
    if let Some(mut g) = w.o.take() {
        g.extend(w.x.iter().map(|z| z * s));
        w.x = g;
    }
    s
}

#[test]
fn names_and_lists() {
    let duo = |o: Option<Vec<f64>>| Duo {
        x: vec![0.4, 0.6],
        y: vec![0.3, 0.9, -0.2, 0.7],
        o,
        c: 0.7,
    };
    check!(in_closures(&mut vec![duo(None), duo(None)], &duo(None)) -> f64);
    check!(drained(&mut duo(None), const 2) -> f64);
    check!(taken(&mut duo(Some(vec![1.5, 0.2]))) -> f64);
    check!(taken(&mut duo(None)) -> f64);
}
