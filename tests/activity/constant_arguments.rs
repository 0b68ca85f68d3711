//! Functions without an adjoint, with arguments that are constants for each caller of the function around the call.

use std::cell::Cell;

use adjoint::{Differentiable, adjoint};
use num_traits::Float;

use crate::common::{check, flat};

fn lgamma(a: f64) -> f64 {
    (3.0 * a).sin() + 2.0
}

fn norm(a: &[f64]) -> f64 {
    a.iter().map(|v| v * v).sum::<f64>().sqrt()
}

fn fill(a: f64, out: &mut [f64]) {
    out.iter_mut().for_each(|v| *v = 2.0 * a);
}

fn table(a: f64) -> Vec<f64> {
    vec![a, 2.0 * a]
}

fn square<T: Float>(a: T) -> T {
    a * a
}

thread_local! {
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

fn counted(a: f64) -> f64 {
    CALLS.set(CALLS.get() + 1);
    a + 1.0
}

#[adjoint]
pub fn scaled(x: f64, a: f64) -> f64 {
    x * x * lgamma(0.5 * a)
}

#[adjoint]
fn of_one(x: f64) -> f64 {
    scaled(x, 3.0) + scaled(x * x, 0.5)
}

#[adjoint]
fn in_a_loop(x: f64, a: f64, n: usize) -> f64 {
    let mut sum = 0.0;
    for i in 0..n {
        let w = lgamma(a * i as f64) * counted(a);
        sum += w.sin() * x.powi(2) + sum * x;
    }
    sum
}

#[adjoint]
fn of_a_loop(x: f64) -> f64 {
    in_a_loop(x, 0.7, 3)
}

#[adjoint]
fn lent(x: &[f64], a: &[f64], b: f64) -> f64 {
    let w = norm(a);
    let mut filled = [0.0; 2];
    fill(b, &mut filled);
    let t: Vec<f64> = table(b);
    x[0] / w + x[1] * filled[1] + t[1] * x[0] * x[1]
}

#[adjoint]
fn of_what_is_lent(x: f64) -> f64 {
    lent(&[x, x * x], &[1.0, 2.0], 4.0)
}

#[adjoint]
fn generic<T: Float>(x: T, a: T) -> T {
    x * x * square(a)
}

#[adjoint]
fn of_generic(x: f64) -> f64 {
    generic(x, 2.0)
}

#[adjoint]
fn of_single(x: f32) -> f32 {
    generic(x, 3.0)
}

/// The derivative of what it writes is not there, and not asked for.
#[adjoint]
fn two_results(x: f64, a: f64, out: &mut f64) -> f64 {
    *out = lgamma(x);
    x * a
}

#[adjoint]
fn of_one_result(x: f64) -> f64 {
    let mut unused = 0.0;
    x * two_results(x, 2.0, &mut unused)
}

/// The arguments come back, but they need no callee for that.
#[adjoint]
fn in_place(x: &mut f64, a: f64) {
    *x = *x * *x * lgamma(a);
}

#[adjoint]
fn of_in_place(x: f64) -> f64 {
    let mut y = x;
    in_place(&mut y, 0.3);
    let before = y.sin();
    in_place(&mut y, 0.4);
    before * y
}

#[adjoint]
mod together {
    pub fn scaled(x: f64, a: f64) -> f64 {
        x * x * super::lgamma(0.5 * a)
    }

    pub fn through(x: f64, a: f64, b: f64) -> f64 {
        scaled(x * b, a)
    }

    pub fn of_one(x: f64) -> f64 {
        through(x, 3.0, x)
    }

    #[derive(Clone, adjoint::Differentiable)]
    pub struct Spring {
        pub k: f64,
    }

    impl Spring {
        pub fn energy(&self, x: f64, a: f64) -> f64 {
            self.k * x * x * super::lgamma(a)
        }
    }
}

use together::Spring;

flat!(Spring { k });
flat!(Annotated { k });

#[adjoint]
fn of_spring(spring: &Spring, x: f64) -> f64 {
    spring.energy(x, 0.25)
}

#[derive(Clone, Differentiable)]
struct Model {
    a: f64,
}

#[adjoint]
fn with_model(x: f64, model: &Model) -> f64 {
    x * lgamma(model.a) + x * x
}

#[adjoint(wrt(x))]
fn of_model(x: f64, model: &Model) -> f64 {
    with_model(x, model) * 2.0
}

/// Nothing of it has an adjoint, and it is left out.
struct Table {
    values: Vec<f64>,
}

impl Table {
    fn lookup(&self, a: f64) -> f64 {
        self.values.iter().map(|v| (v * a).cos()).sum()
    }

    fn row(&self, a: f64) -> Vec<f64> {
        self.values.iter().map(|v| v * a).collect()
    }

    fn scaled_by<T: Into<f64>>(&self, a: f64, by: T) -> f64 {
        a * by.into() * self.values[0]
    }

    fn weight(a: f64) -> f64 {
        1.0 / (1.0 + a * a)
    }
}

#[adjoint(wrt(x, a))]
fn looked_up(x: f64, a: f64, table: &Table) -> f64 {
    let w = table.lookup(0.5 * a);
    x * x * w + table.scaled_by::<f32>(a, 2.0) * x
}

#[adjoint(wrt(x))]
fn of_looked_up(x: f64, table: &Table) -> f64 {
    looked_up(x, 0.3, table) * x
}

#[adjoint(wrt(x, a))]
fn by_rows(x: f64, a: f64, table: &Table) -> f64 {
    let row = table.row(a);
    let mut sum = 0.0;
    for i in 0..row.len() {
        sum += (row[i] * x).sin() * x;
    }
    sum
}

#[adjoint(wrt(x))]
fn of_rows(x: f64, table: &Table) -> f64 {
    by_rows(x * x, 0.3, table)
}

#[adjoint]
fn of_a_type(x: f64, a: f64) -> f64 {
    x * x * Table::weight(a) + Table::weight(2.0 * a) * x
}

#[adjoint]
fn of_of_a_type(x: f64) -> f64 {
    of_a_type(x, 1.5)
}

#[adjoint]
fn with_types(x: f64, a: f64) -> f64 {
    x * x * square::<f64>(a)
}

#[adjoint]
fn of_with_types(x: f64) -> f64 {
    with_types(x, 1.5)
}

#[adjoint]
fn untold(x: f64, a: f64, b: f64) -> f64 {
    let t = table(a);
    let mut s = x;
    for v in &t {
        s = s * *v + x;
    }
    s * t[1] * b
}

#[adjoint]
fn of_untold(x: f64) -> f64 {
    untold(x, 0.7, x)
}

#[derive(Clone, Differentiable)]
struct Law {
    k: f64,
}

impl Law {
    fn damping(&self, a: f64) -> f64 {
        (self.k * a).exp()
    }
}

#[adjoint]
fn damped(x: f64, law: &Law) -> f64 {
    x * x * law.damping(0.5) + x
}

#[adjoint(wrt(x))]
fn of_damped(x: f64, law: &Law) -> f64 {
    damped(x * x, law)
}

/// What an adjoint is there for is differentiated where it is asked for.
#[derive(Clone, Differentiable)]
struct Annotated {
    k: f64,
}

#[adjoint]
impl Annotated {
    fn rate(&self, a: f64) -> f64 {
        self.k * a * a
    }

    fn power(a: f64) -> Vec<f64> {
        vec![a, a * a]
    }
}

#[adjoint]
fn asked(x: f64, a: f64, law: &Annotated) -> f64 {
    let t = Annotated::power(a);
    let w = law.rate(a);
    x * t[1] * w
}

#[adjoint]
fn of_asked(x: f64, law: &Annotated) -> f64 {
    asked(x, 0.5, law) + asked(2.0, x, law)
}

#[test]
fn methods_and_untold_results_need_none() {
    let table = Table {
        values: vec![0.5, 1.5, -0.7],
    };
    check!(of_looked_up(0.41, const &table) -> f64);
    check!(of_rows(0.41, const &table) -> f64);
    check!(of_of_a_type(0.41) -> f64);
    check!(of_with_types(0.41) -> f64);
    check!(of_untold(0.41) -> f64);
    check!(of_damped(0.41, const &Law { k: 1.5 }) -> f64);
    check!(of_asked(0.41, &Annotated { k: 1.5 }) -> f64);
}

#[test]
fn constants_need_no_adjoint() {
    check!(of_one(0.41) -> f64);
    check!(of_a_loop(0.41) -> f64);
    check!(of_what_is_lent(0.41) -> f64);
    check!(of_generic(0.5) -> f64);
    check!(of_single(0.5) -> f32);
    check!(of_one_result(0.41) -> f64);
    check!(of_in_place(0.41) -> f64);
    check!(together::of_one(0.41) -> f64);
    check!(of_spring(&Spring { k: 1.5 }, 0.41) -> f64);
    let (mut x_adj, a) = (0.0, 0.2);
    of_model_adjoint(0.5, &mut x_adj, &Model { a }, 1.0);
    assert_eq!(x_adj, 2.0 * (lgamma(a) + 1.0));
}

#[test]
fn effects_happen_once() {
    CALLS.set(0);
    of_a_loop_adjoint(0.41, &mut 0.0, 1.0);
    assert_eq!(CALLS.get(), 3);
}
