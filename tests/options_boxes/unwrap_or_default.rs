//! `unwrap_or_default` and other uses of `Default::default()`, for types with a `Default` of their own.

use std::mem;

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[derive(Clone, Debug, Differentiable)]
struct Filter {
    gain: f64,
    taps: Vec<f64>,
}

impl Default for Filter {
    fn default() -> Self {
        Filter {
            gain: 3.0,
            taps: vec![1.0],
        }
    }
}

#[adjoint]
fn designed(x: f64) -> Option<Filter> {
    (x > 0.3).then(|| Filter {
        gain: x,
        taps: vec![x; 2],
    })
}

#[adjoint]
fn squared(x: f64) -> Option<f64> {
    if x > 0.3 { Some(x * x) } else { None }
}

#[adjoint]
fn or_default(x: f64) -> f64 {
    let f: Filter = designed(x).unwrap_or_default();
    let own = if x > 0.3 { Some(f.clone()) } else { None };
    let g = own.unwrap_or_default();
    let list: Option<Vec<f64>> = (x > 0.3).then(|| vec![x; 2]);
    let list = list.unwrap_or_default();
    let parts: Option<(f64, [f64; 2])> = if x > 0.3 { Some((x, [x; 2])) } else { None };
    let (a, b) = parts.unwrap_or_default();
    x * f.gain * f.taps[0] * g.gain + list.iter().sum::<f64>() + a * b[0]
}

/// What an empty slot is filled with.
#[adjoint]
fn filled(x: f64) -> f64 {
    let mut slot = if x > 0.3 { designed(x * x) } else { None };
    let f: &mut Filter = slot.get_or_insert_default();
    f.gain *= x;
    let mut sum: Option<f64> = None;
    *sum.get_or_insert_default() += x * x;
    slot.map_or(0.0, |f| f.gain * f.taps[0]) + sum.unwrap_or(x)
}

/// Nobody uses the value, so only rustc sees its type.
#[adjoint]
fn of_no_use(x: f64) -> f64 {
    let _filter = designed(x).unwrap_or_default();
    let pair = (x, squared(x).unwrap_or_default());
    x * pair.0
}

#[adjoint]
fn taken_and_updated(x: f64) -> f64 {
    let mut f = Filter {
        gain: x,
        taps: vec![x * x],
    };
    let old = mem::take(&mut f);
    let g = Filter::default();
    let h: Filter = Default::default();
    let i = Filter {
        gain: x,
        ..Default::default()
    };
    x * g.gain * g.taps[0] * old.gain + f.gain * h.gain * old.taps[0] * i.taps[0] + i.gain
}

#[test]
fn defaults_of_options() {
    for x in [0.2, 0.4, 0.7] {
        check!(or_default(x) -> f64);
        check!(filled(x) -> f64);
        check!(of_no_use(x) -> f64);
    }
}

#[test]
fn defaults_of_what_is_taken() {
    check!(taken_and_updated(0.7) -> f64);
}
