//! Borrows of missing elements panic, also if nothing reads the reference, or not on each path.

use std::panic::catch_unwind;

use adjoint::adjoint;

#[adjoint]
fn part(x: &[f64], k: usize) -> f64 {
    let _s = &x[k..];
    x[0] * 2.0
}

#[adjoint]
fn halves(x: &[f64], k: usize) -> f64 {
    let (_l, _r) = x.split_at(k);
    x[0] * 2.0
}

#[adjoint]
fn on_one_way(x: &[f64], k: usize) -> f64 {
    let r = &x[k];
    if x[0] > 5.0 { x[0] * r } else { x[0] }
}

#[adjoint]
fn changed_on_one_way(y: &mut [f64], k: usize) {
    let r = &mut y[k];
    if k == 77 {
        *r += 1.0;
    }
    y[0] *= 2.0;
}

#[adjoint]
fn by_position(x: &[f64], k: usize) -> f64 {
    let _pair = x.chunks(2).nth(k).unwrap();
    x[0]
}

#[adjoint]
fn lent_by_position(y: &mut [f64], k: usize) {
    let r = y.iter_mut().nth(k).unwrap();
    if k == 77 {
        *r += 1.0;
    }
    y[0] *= 2.0;
}

#[adjoint]
mod seen {
    fn at(x: &[f64], k: usize) -> &f64 {
        &x[k]
    }

    pub fn by_a_function(x: &[f64], k: usize) -> f64 {
        let r = at(x, k);
        if k == 77 { x[0] * r } else { x[0] }
    }

    pub fn row(x: &[Vec<f64>], k: usize) -> f64 {
        let r = &x[k];
        if k == 77 { r[0] } else { x[0][0] }
    }
}

use seen::*;

/// Whether the call fails for the third index, and only for that.
macro_rules! fails {
    ($f:ident($x:expr, $adj:expr $(, $seed:expr)?)) => {
        for k in [0, 3] {
            let call = move || {
                $f(&mut $x, &mut $adj, k $(, $seed)?);
            };
            assert_eq!(catch_unwind(call).is_err(), k == 3, "{} at {k}", stringify!($f));
        }
    };
}

#[test]
fn what_is_not_there_panics() {
    let x = [1.0, 2.0];
    let zero = [0.0; 2];
    fails!(part_adjoint({ x }, { zero }, 1.0));
    fails!(halves_adjoint({ x }, { zero }, 1.0));
    fails!(on_one_way_adjoint({ x }, { zero }, 1.0));
    fails!(changed_on_one_way_adjoint({ x }, { zero }));
    fails!(by_position_adjoint({ x }, { zero }, 1.0));
    fails!(lent_by_position_adjoint({ x }, { zero }));
    fails!(by_a_function_adjoint({ x }, { zero }, 1.0));
    fails!(row_adjoint([vec![1.0]], [vec![0.0]], 1.0));
}
