//! Statics: they are places, which are not copied, and may change behind shared references.

use std::cell::Cell;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use adjoint::adjoint;

use crate::common::check;

static COUNT: AtomicUsize = AtomicUsize::new(0);
static TABLE: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
static LAZY: LazyLock<Vec<f64>> = LazyLock::new(|| vec![1.0, 2.0, 3.0]);
thread_local! { static CELL: Cell<f64> = Cell::new(2.0); }
#[adjoint]
fn own_counter(x: f64) -> f64 {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    CALLS.fetch_add(1, Relaxed);
    x * x
}
#[adjoint]
fn counter(x: f64) -> f64 {
    COUNT.fetch_add(1, Relaxed);
    x * x
}
#[adjoint]
fn counted(x: f64) -> f64 {
    let n = COUNT.load(Relaxed);
    x * n as f64
}
#[adjoint]
fn indexed(x: &[f64]) -> f64 {
    let mut s = 0.0;
    for i in 0..x.len() {
        s += TABLE[i] * x[i] * x[i];
    }
    s
}
#[adjoint]
fn own_table(x: f64) -> f64 {
    static T: [f64; 3] = [1.0, 2.0, 3.0];
    T.iter().rev().fold(0.0, |a, c| a * x + c)
}
#[adjoint]
fn lazy(x: f64) -> f64 {
    LAZY[0] * x + LAZY.iter().map(|c| c * x.sin()).sum::<f64>()
}
#[adjoint]
fn lazily_run_over(x: f64) -> f64 {
    let mut s = 0.0;
    for c in LAZY.iter() {
        s = s * x + c;
    }
    s + LAZY.len() as f64 * x
}
fn held() -> f64 {
    CELL.with(|c| c.get())
}
#[adjoint(inactive(held))]
fn cell_in_a_function(x: f64) -> f64 {
    held() * x
}
#[adjoint]
fn cell(x: f64) -> f64 {
    let k = CELL.with(|c| c.get());
    k * x
}
#[adjoint]
fn lent(x: f64) -> f64 {
    let t = &TABLE;
    t[1] * x + t.len() as f64 * x * TABLE.iter().sum::<f64>()
}
#[adjoint]
fn own_lazy(x: f64) -> f64 {
    static W: LazyLock<Vec<f64>> = LazyLock::new(|| vec![1.0, 2.0, 3.0]);
    let mut s = 0.0;
    for (i, w) in W.iter().enumerate() {
        s += w * x.powi(i as i32);
    }
    s
}
#[adjoint]
fn by_value(x: f64) -> f64 {
    let mut s = 0.0;
    for t in TABLE {
        s += t * x;
    }
    for t in &TABLE {
        s += t * x;
    }
    s
}

#[test]
fn tables_are_constants() {
    check!(indexed(&[0.3, -0.7, 0.2]) -> f64);
    check!(own_table(0.4) -> f64);
    check!(lent(0.4) -> f64);
    check!(by_value(0.4) -> f64);
}

#[test]
fn lazy_values_are_looked_into() {
    check!(lazy(0.4) -> f64);
    check!(lazily_run_over(0.4) -> f64);
    check!(own_lazy(0.4) -> f64);
}

#[test]
fn cells_of_threads_are_constants() {
    check!(cell(0.4) -> f64);
    check!(cell_in_a_function(0.4) -> f64);
}

/// Each call counts once, that of the adjoint as well.
#[test]
fn counters_count_once() {
    check!(own_counter(0.4) -> f64);
    let before = COUNT.load(Relaxed);
    let mut x_adj = 0.0;
    counter_adjoint(0.4, &mut x_adj, 1.0);
    assert_eq!((x_adj, COUNT.load(Relaxed)), (0.8, before + 1));
    let mut x_adj = 0.0;
    counted_adjoint(0.4, &mut x_adj, 1.0);
    assert_eq!(x_adj, (before + 1) as f64);
}
