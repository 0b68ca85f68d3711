//! Single values, borrowed as slices and arrays.

use adjoint::{Differentiable, adjoint};

use crate::common::{assert_close, check, flat};

#[adjoint]
fn scaled(k: f64, y: &mut [f64]) {
    for v in y.iter_mut() {
        *v *= k * *v;
    }
}

#[adjoint]
fn squared(y: &mut [f64; 1]) {
    y[0] *= y[0];
}

#[adjoint]
fn product_of(y: &[f64], z: &[f64; 1]) -> f64 {
    y.iter().sum::<f64>() * z[0]
}

#[adjoint]
fn lone_local(x: f64, k: f64) -> f64 {
    let mut y = x * k;
    scaled(k, std::slice::from_mut(&mut y));
    squared(std::array::from_mut(&mut y));
    product_of(std::slice::from_ref(&y), core::array::from_ref(&x))
        + product_of(std::slice::from_ref(&y), std::array::from_ref(&y))
        + product_of(std::slice::from_ref(&(x * k)), std::array::from_ref(&2.0))
}

#[adjoint]
fn lone_behind_a_reference(x: &mut f64, k: &f64) -> f64 {
    use std::slice;
    scaled(*k, slice::from_mut(x));
    squared(std::array::from_mut(x));
    product_of(slice::from_ref(k), std::array::from_ref(x))
}

#[adjoint]
fn multiply_into(x: &[f64], y: &mut [f64], k: f64) {
    for i in 0..y.len() {
        y[i] += k * x[i] * x[i];
    }
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Particle {
    at: f64,
    speed: f64,
}
flat!(Particle { at, speed });

#[adjoint]
fn moved(all: &mut [Particle], dt: f64) {
    for p in all {
        p.at += p.speed * dt;
        p.speed *= p.at;
    }
}

#[adjoint]
fn lone_parts(all: &mut Vec<Particle>, one: &mut Particle, dt: f64) -> f64 {
    moved(std::slice::from_mut(one), dt);
    for k in 0..all.len() {
        moved(std::slice::from_mut(&mut all[k]), dt);
        scaled(dt, std::slice::from_mut(&mut all[k].speed));
        multiply_into(
            std::slice::from_ref(&all[k].at),
            std::slice::from_mut(&mut one.speed),
            dt,
        );
    }
    let last = all.len() - 1;
    let Particle { at, speed } = &mut all[last];
    multiply_into(std::slice::from_mut(at), std::slice::from_mut(speed), dt);
    one.at * all[0].speed
}

#[adjoint]
fn lone_with_a_name(mut x: f64, k: f64) -> f64 {
    let all = std::slice::from_mut(&mut x);
    for v in all.iter_mut() {
        *v *= k;
    }
    all[0] *= all[all.len() - 1];
    scaled(k, all);
    scaled(k, &mut all[..1]);
    let [only] = std::array::from_ref(&x);
    let mut s = 0.0;
    for v in std::slice::from_ref(&k) {
        s += v * only;
    }
    s * x
}

#[adjoint]
fn counted(n: &mut [usize], x: f64) -> f64 {
    n[0] += 2;
    x * n[0] as f64
}

#[adjoint]
fn lone_counter(x: f64) -> f64 {
    let mut n = 1;
    let mut s = 0.0f64;
    while n < 8 {
        s += counted(std::slice::from_mut(&mut n), x) * s.cos();
    }
    s
}

#[adjoint]
fn lone_generic<T: adjoint::Real>(x: T, k: T) -> T {
    let mut y = x;
    doubled_each(std::slice::from_mut(&mut y), k);
    y * x
}

#[adjoint]
fn doubled_each<T: adjoint::Real>(y: &mut [T], k: T) {
    for v in y {
        *v = *v * *v * k;
    }
}

#[test]
fn slices_of_one_value() {
    let (x, k) = (0.7f64, 1.3f64);
    let y = (x * k * x * k * k).powi(2);
    let (of_x, of_k) = (4.0 * y / x, 6.0 * y / k);
    assert_close(
        &check!(lone_local(x, k) -> f64)[0],
        &[
            of_x * x + y + 2.0 * y * of_x + 2.0 * k,
            of_k * x + 2.0 * y * of_k + 2.0 * x,
        ],
    );
    check!(lone_behind_a_reference(&mut 0.7, &1.3) -> f64);
    let particle = |k: f64| Particle {
        at: 0.3 + k,
        speed: 0.8 - k,
    };
    let all = vec![particle(0.1), particle(0.5)];
    check!(lone_parts(&mut all.clone(), &mut particle(0.2), 0.9) -> f64);
    check!(lone_with_a_name(0.7, 1.3) -> f64);
    check!(lone_counter(0.7) -> f64);
    check!(lone_generic(0.7, 1.3) -> f64);
}

#[adjoint]
fn beyond_the_only_one(x: f64, k: usize) -> f64 {
    std::slice::from_ref(&x)[k] * x
}

#[test]
#[should_panic(expected = "index out of bounds: the len is 1 but the index is 1")]
fn a_slice_of_one_value_has_one() {
    beyond_the_only_one_adjoint(0.7, &mut 0.0, 1, 1.0);
}
