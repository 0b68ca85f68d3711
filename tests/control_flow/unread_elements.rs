//! Elements that nothing reads, but that have to be there, and the order in which `op=` evaluates its sides.

use std::cell::Cell;
use std::panic::catch_unwind;

use adjoint::adjoint;

use crate::common::check;

#[adjoint]
fn bound_to_nothing(x: &[f64], i: usize) -> f64 {
    let _ = x[i];
    x[0]
}

#[adjoint]
fn alone(x: &[f64], i: usize) -> f64 {
    x[i];
    x[0]
}

#[adjoint]
fn assigned_to_nothing(x: &[f64], i: usize) -> f64 {
    _ = x[i];
    x[0] * 2.0
}

#[adjoint]
fn in_a_tuple(x: &[f64], i: usize) -> f64 {
    let (_, b) = (x[i], x[0]);
    b
}

#[adjoint]
fn in_a_loop(x: &[f64], i: usize) -> f64 {
    for k in 0..=i {
        x[k];
    }
    x[0]
}

#[adjoint]
fn a_part(x: &[f64], i: usize) -> f64 {
    let _ = &x[..i + 1];
    x[0]
}

#[adjoint]
fn of_rows(x: &[f64], i: usize) -> f64 {
    let a = [[1.0, 2.0], [x[0], 3.0]];
    let _ = a[1][i];
    x[0]
}

#[adjoint]
fn selected(x: &[f64], i: usize) -> f64 {
    let mut v = x.to_vec();
    v.select_nth_unstable_by(i, |a, b| a.total_cmp(b));
    v[0]
}

macro_rules! panics {
    ($($f:ident),*) => { pastey::paste! { $(
        check!($f(&[0.3, 0.9], const 1) -> f64);
        assert!(catch_unwind(|| $f(&[0.3, 0.9], 2)).is_err());
        let adjoint = || [<$f _adjoint>](&[0.3, 0.9], &mut [0.0; 2], 2, 1.0);
        assert!(catch_unwind(adjoint).is_err(), stringify!($f));
    )* } };
}

#[test]
fn what_is_not_there_is_a_panic() {
    panics!(
        bound_to_nothing,
        alone,
        assigned_to_nothing,
        in_a_tuple,
        in_a_loop,
        a_part,
        of_rows,
        selected
    );
}

/// By reference, it is a call: the left side is found first.
#[adjoint]
fn by_reference(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y, 0.5];
    let b = [y, x, 2.0, 3.0];
    let mut i = 0;
    a[{
        i += 1;
        i
    }] += &b[i + 1];
    a[0] + a[1] * x
}

#[adjoint]
fn by_name_of_a_reference(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y];
    let b = [y, x];
    let mut i = 0;
    let r = &b[1];
    a[{
        i += 1;
        i
    }] *= r;
    a[0] + a[1] * x + a[i]
}

#[adjoint]
fn by_value(x: f64, y: f64) -> f64 {
    let mut a = [x, y, x * y];
    let mut i = 0;
    a[i] += {
        i += 1;
        y
    };
    a[{
        i += 1;
        i
    }] += y * i as f64;
    a[0] + a[1] * x + a[2]
}

thread_local! {
    static NEXT: Cell<usize> = const { Cell::new(0) };
}

/// Indices that a function with a state of its own gives.
#[adjoint]
mod drawn {
    use std::ops::AddAssign;

    use adjoint::Differentiable;

    #[derive(Clone, Copy, Differentiable)]
    struct Cell {
        v: f64,
    }

    impl AddAssign for Cell {
        fn add_assign(&mut self, other: Cell) {
            self.v += other.v;
        }
    }

    fn next() -> usize {
        super::NEXT.with(|at| at.replace((at.get() + 1) % 3))
    }

    fn restart() {
        super::NEXT.with(|at| at.set(0));
    }

    pub fn by_calls(x: f64, y: f64) -> f64 {
        restart();
        let mut p = [Cell { v: x }, Cell { v: y }, Cell { v: x * y }];
        let q = [Cell { v: 2.0 * x }, Cell { v: y * y }, Cell { v: 0.3 }];
        p[next()] += q[next()];
        p[0].v + p[1].v * x + p[2].v * y
    }
}

use drawn::*;

#[test]
fn sides_of_an_assignment_are_found_in_order() {
    check!(by_reference(0.7, 1.3) -> f64);
    check!(by_name_of_a_reference(0.7, 1.3) -> f64);
    check!(by_value(0.7, 1.3) -> f64);
    check!(by_calls(0.7, 1.3) -> f64);
}
