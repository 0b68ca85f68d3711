//! Generators of random numbers: draws are constants, made once in each execution of their statement.

#![allow(missing_docs, reason = "kernels and their adjoints")]
#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]

#[path = "../../common/mod.rs"]
mod common;

use adjoint::adjoint;
use common::check;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, Normal, StandardNormal};

#[adjoint]
fn price(s0: f64, sigma: f64, rng: &mut StdRng) -> f64 {
    let mut sum = 0.0;
    for _ in 0..10 {
        let z: f64 = rng.sample(StandardNormal);
        sum += (s0 * (sigma * z - 0.5 * sigma * sigma).exp() - 1.0).max(0.0);
    }
    sum / 10.0
}
#[adjoint]
fn by_impl_trait(x: f64, rng: &mut impl Rng) -> f64 {
    let u = rng.random_range(-1.0..1.0);
    x * x * u
}
#[adjoint]
fn by_type_parameter<R: Rng>(x: f64, rng: &mut R) -> f64 {
    let u: f64 = rng.random();
    x.sin() * u + rng.random::<f64>() * x
}
#[adjoint]
fn unsized_generator<R: Rng + ?Sized>(x: &[f64], rng: &mut R) -> f64 {
    let n = Normal::new(0.0, 1.0).unwrap();
    let mut s = 0.0;
    for v in x {
        let e = n.sample(rng);
        s += v * v * e;
    }
    s
}
#[adjoint]
fn shuffled(x: &[f64], rng: &mut StdRng) -> f64 {
    let mut idx: Vec<usize> = (0..x.len()).collect();
    idx.shuffle(rng);
    let mut s = 0.0;
    for (k, &i) in idx.iter().enumerate() {
        s += (k as f64 + 1.0) * x[i] * x[i];
    }
    s
}
#[adjoint]
fn branch(x: f64, rng: &mut StdRng) -> f64 {
    if rng.random::<f64>() < 0.5 {
        x * x
    } else {
        x.sin()
    }
}
#[adjoint]
fn either(x: f64, rng: &mut StdRng) -> f64 {
    if rng.random_bool(0.3) {
        x * x
    } else {
        x * rng.sample(Normal::new(0.0, 1.0).unwrap())
    }
}
#[adjoint]
fn sampled(x: f64, rng: &mut StdRng) -> f64 {
    let z: f64 = StandardNormal.sample(rng);
    x * z + x * x * rng.random_range(-1.0..1.0)
}
#[adjoint]
fn path(x: f64, rng: &mut StdRng) -> f64 {
    let z: f64 = rng.sample(StandardNormal);
    (x * z).exp()
}
#[adjoint]
fn through_a_call(x: &[f64], rng: &mut StdRng) -> f64 {
    let mut s = 0.0;
    for v in x {
        s += path(*v, rng) * v;
    }
    s
}
#[adjoint]
fn stochastic(x: &[f64], rng: &mut StdRng) -> f64 {
    let mut s = 0.0;
    for _ in 0..10 {
        let i = rng.random_range(0..x.len());
        let e = rng.random_range(-0.1..0.1);
        let mut u = vec![0.0; 2];
        for v in u.iter_mut() {
            *v = rng.random_range(0.0..1.0);
        }
        s += (x[i] + e).powi(2) + u[0] * x[i].sin() * u[1];
    }
    s
}

fn seeded() -> StdRng {
    StdRng::seed_from_u64(7)
}

#[test]
fn draws_are_constants() {
    check!(price(1.1, 0.3, const &mut seeded()) -> f64);
    check!(by_impl_trait(0.4, const &mut seeded()) -> f64);
    check!(by_type_parameter(0.4, const &mut seeded()) -> f64);
    check!(unsized_generator(&[0.3, -0.7, 0.2], const &mut seeded()) -> f64);
    check!(sampled(0.4, const &mut seeded()) -> f64);
}

#[test]
fn draws_decide_branches_and_orders() {
    check!(branch(0.4, const &mut seeded()) -> f64);
    check!(branch(0.4, const &mut StdRng::seed_from_u64(8)) -> f64);
    check!(either(0.4, const &mut seeded()) -> f64);
    check!(either(0.4, const &mut StdRng::seed_from_u64(9)) -> f64);
    check!(shuffled(&[0.3, -0.7, 0.2], const &mut seeded()) -> f64);
    check!(stochastic(&[0.3, -0.7, 0.2], const &mut seeded()) -> f64);
}

#[test]
fn generators_are_handed_on() {
    check!(through_a_call(&[0.3, -0.7, 0.2], const &mut seeded()) -> f64);
}

/// The state of the generator is the one that the function leaves.
#[test]
fn generators_end_where_the_function_leaves_them() {
    let (mut one, mut other) = (seeded(), seeded());
    let mut x_adj = [0.0; 3];
    through_a_call(&[0.3, -0.7, 0.2], &mut one);
    through_a_call_adjoint(&[0.3, -0.7, 0.2], &mut x_adj, &mut other, 1.0);
    assert_eq!(one, other);
    stochastic(&[0.3, -0.7, 0.2], &mut one);
    stochastic_adjoint(&[0.3, -0.7, 0.2], &mut x_adj, &mut other, 1.0);
    assert_eq!(one, other);
}
