//! `f_value_and_gradient`: the type of the gradient for each type of parameter, its order, its values.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

use adjoint::{Differentiable, Tape, adjoint, check};

#[adjoint]
fn energy(x: &[f64], k: f64) -> f64 {
    x.iter().map(|v| 0.5 * k * v * v).sum()
}

#[test]
fn gradients_come_in_the_order_of_the_parameters() {
    let (value, (x, k)): (f64, (Vec<f64>, f64)) = energy_value_and_gradient(&[3.0, -4.0], 2.0);
    assert_eq!((value, x, k), (25.0, vec![6.0, -8.0], 12.5));
    let mut tape = Tape::new();
    for _ in 0..2 {
        let kept = energy_value_and_gradient_with(&mut tape, &[3.0, -4.0], 2.0);
        assert_eq!(kept, (25.0, (vec![6.0, -8.0], 12.5)));
    }
    check::gradient(
        |(x, k)| energy(x, *k),
        |(x, k)| energy_value_and_gradient(x, *k),
        &(vec![0.3, 0.7, -0.2], 1.5),
    )
    .assert_within(1e-9);
}

#[adjoint(wrt(p))]
fn misfit(p: &[f64], t: &[f64], y: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..t.len() {
        let r = p[0] * (-p[1] * t[i]).exp() - y[i];
        sum += r * r;
    }
    sum
}

#[test]
fn one_gradient_stands_alone() {
    let found = misfit_value_and_gradient(&[2.0, 0.0], &[0.0, 1.0], &[1.0, 1.0]);
    assert_eq!(found, (2.0, vec![4.0, -4.0]));
    let (t, y) = (&[0.0, 0.5, 1.5], &[2.0, 1.0, 0.3]);
    check::gradient(
        |p: &[f64]| misfit(p, t, y),
        |p| misfit_value_and_gradient(p, t, y),
        &[1.5, 0.7][..],
    )
    .assert_within(1e-9);
}

#[adjoint(wrt(k, x))]
fn stretched(x: &[f64], rest: f64, k: f64) -> f64 {
    0.5 * k * (x[0] - rest).powi(2)
}

#[test]
fn gradients_come_in_the_order_of_wrt() {
    let (value, (k, x)): (f64, (f64, Vec<f64>)) = stretched_value_and_gradient(&[3.0], 1.0, 2.0);
    assert_eq!((value, k, x), (4.0, 2.0, vec![4.0]));
    let kept = stretched_value_and_gradient_with(&mut Tape::new(), &[3.0], 1.0, 2.0);
    assert_eq!(kept, (4.0, (2.0, vec![4.0])));
}

#[derive(Differentiable, Clone, PartialEq, Debug)]
struct Params {
    rate: f64,
    weights: Vec<f32>,
    order: usize,
}

#[adjoint]
fn of_all_types(
    by_value: f64,
    by_reference: &f64,
    array: [f64; 2],
    array_by_reference: &[f64; 2],
    rows: &[[f64; 2]],
    list: Vec<f64>,
    list_by_reference: &Vec<f64>,
    boxed: &Box<[f64]>,
    pair: (f64, usize),
    p: &Params,
    owned: Params,
    order: usize,
) -> f64 {
    let mut sum = by_value * by_reference + array[0] * array_by_reference[1];
    for r in rows {
        sum += r[0] * r[1];
    }
    sum += list[0] * list_by_reference[0] * boxed[1];
    sum += pair.0 * p.rate * p.weights[order] as f64;
    sum * owned.rate
}

#[test]
fn each_type_has_a_gradient() {
    let params = |rate| Params {
        rate,
        weights: vec![0.5, 4.0],
        order: 3,
    };
    let (value, gradient) = of_all_types_value_and_gradient(
        2.0,
        &3.0,
        [1.0, 5.0],
        &[7.0, 0.5],
        &[[1.0, 2.0], [3.0, 4.0]],
        vec![2.0, 9.0],
        &vec![0.25],
        &vec![1.0, 4.0].into(),
        (0.5, 8),
        &params(2.0),
        params(1.0),
        1,
    );
    // 6 + 0.5 + 14 + 2 + 4
    assert_eq!(value, 26.5);
    let expected = (
        3.0,
        2.0,
        [0.5, 0.0],
        [0.0, 1.0],
        vec![[2.0, 1.0], [4.0, 3.0]],
        vec![1.0, 0.0],
        vec![8.0],
        vec![0.0, 0.5].into_boxed_slice(),
        (8.0, 8),
        Params {
            rate: 2.0,
            weights: vec![0.0, 1.0],
            order: 3,
        },
        Params {
            rate: 26.5,
            weights: vec![0.0, 0.0],
            order: 3,
        },
    );
    assert_eq!(gradient, expected);
}

#[adjoint]
fn norm<T: num_traits::Float, const N: usize>(x: &[T; N], shift: T) -> T {
    let mut sum = T::zero();
    for v in x {
        sum = sum + (*v - shift) * (*v - shift);
    }
    sum.sqrt()
}

#[test]
fn generic_functions_have_one() {
    let found = norm_value_and_gradient(&[3.0f32], 1.0);
    assert_eq!(found, (2.0, ([1.0], -1.0)));
    let found = norm_value_and_gradient_with(&mut Tape::new(), &[3.0f64], 1.0);
    assert_eq!(found, (2.0, ([1.0], -1.0)));
}

#[adjoint]
impl Params {
    fn decayed(&self, t: f64) -> f64 {
        (-self.rate * t).exp()
    }

    fn consumed(self) -> f64 {
        self.rate * self.rate
    }

    fn made(rate: f64) -> f64 {
        3.0 * rate
    }
}

#[test]
fn methods_have_one() {
    let params = Params {
        rate: 2.0,
        weights: vec![],
        order: 0,
    };
    let (value, (of_self, of_t)) = params.decayed_value_and_gradient(0.5);
    assert_eq!(value, (-1f64).exp());
    assert_eq!((of_self.rate, of_t), (-0.5 * value, -2.0 * value));
    assert_eq!(params.clone().consumed_value_and_gradient().1.rate, 4.0);
    assert_eq!(Params::made_value_and_gradient(2.0), (6.0, 3.0));
}

#[adjoint(wrt(x), of(ret))]
fn with_work_space(x: &[f64], work: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..x.len() {
        work[i] = x[i] * x[i];
        sum += work[i] * work[0];
    }
    sum
}

#[test]
fn work_space_is_no_dependent() {
    let mut work = [0.0; 2];
    let found = with_work_space_value_and_gradient(&[1.0, 2.0], &mut work);
    assert_eq!(found, (5.0, vec![12.0, 4.0]));
}

/// What the names would clash with, if there were gradients of functions of more than one result.
mod without_one {
    use super::*;

    #[adjoint]
    pub fn pair(x: f64) -> (f64, f64) {
        (x, x * x)
    }
    pub fn pair_value_and_gradient() {}

    #[adjoint]
    pub fn written(x: f64, y: &mut f64) -> f64 {
        *y *= x;
        *y
    }
    pub fn written_value_and_gradient() {}

    #[adjoint]
    pub fn list(x: &[f64]) -> Vec<f64> {
        x.to_vec()
    }
    pub fn list_value_and_gradient() {}
}

#[test]
fn other_functions_have_none() {
    without_one::pair_value_and_gradient();
    without_one::written_value_and_gradient();
    without_one::list_value_and_gradient();
    let mut x_adj = 0.0;
    assert_eq!(
        without_one::pair_adjoint(3.0, &mut x_adj, (1.0, 1.0)),
        (3.0, 9.0)
    );
    assert_eq!(x_adj, 7.0);
    let (mut y, mut y_adj) = (2.0, 1.0);
    without_one::written_adjoint(3.0, &mut x_adj, &mut y, &mut y_adj, 1.0);
    assert_eq!((x_adj, y, y_adj), (11.0, 6.0, 6.0));
    let mut x_adj = [0.0; 2];
    assert_eq!(
        without_one::list_adjoint(&[1.0, 2.0], &mut x_adj, &[3.0, 4.0]),
        [1.0, 2.0]
    );
    assert_eq!(x_adj, [3.0, 4.0]);
}

#[adjoint]
mod kernels {
    pub type Row = [f64];
    pub type Number = f64;

    pub fn aliased(x: &Row, k: Number) -> Number {
        k * x[0]
    }

    pub fn outer(x: &[f64]) -> f64 {
        x.iter().map(|v| inner(*v)).sum()
    }

    fn inner(x: f64) -> f64 {
        x.powi(3)
    }

    /// A descent that uses the gradient of its neighbour.
    pub fn descended(mut x: Vec<f64>, steps: usize) -> usize {
        let mut count = 0;
        for _ in 0..steps {
            let (_, gradient) = outer_value_and_gradient(&x);
            super::Differentiable::axpy(&mut x, -0.1, &gradient);
            count += usize::from(x[0] < 0.5);
        }
        count
    }
}

#[test]
fn functions_of_modules_have_one() {
    assert_eq!(
        kernels::aliased_value_and_gradient(&[1.0, 2.0], 5.0),
        (5.0, (vec![5.0, 0.0], 1.0))
    );
    assert_eq!(
        kernels::outer_value_and_gradient(&[1.0, 2.0]),
        (9.0, vec![3.0, 12.0])
    );
}

#[test]
fn a_struct_of_parameters_goes_down() {
    let mut params = Params {
        rate: 2.0,
        weights: vec![1.0],
        order: 7,
    };
    for _ in 0..20 {
        let (_, gradient) = params.clone().consumed_value_and_gradient();
        params.axpy(-0.25, &gradient);
    }
    // Each step halves the rate.
    assert_eq!((params.rate, params.order), (2.0 * 0.5f64.powi(20), 7));
}
