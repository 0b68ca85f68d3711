//! Slices that are converted to arrays in an argument: `f(x[..3].try_into().unwrap())`.

use adjoint::{Differentiable, adjoint};

use crate::common::check;

#[adjoint]
fn turn(a: &[f64; 3], x: &[f64; 3]) -> f64 {
    a[0] * x[1] + a[2] * x[2]
}

#[adjoint]
fn scale(a: &mut [f64; 3], k: f64) {
    a[0] *= k;
    a[2] += a[1] * k;
}

#[adjoint]
fn project(camera: &[f64], x: &[f64; 3]) -> f64 {
    turn(camera[0..][..3].try_into().unwrap(), x)
        + turn(
            camera[3..6].try_into().unwrap(),
            camera[..3].try_into().unwrap(),
        )
}

#[adjoint]
fn sliding(camera: &[f64], x: &[f64], i: usize) -> f64 {
    turn(
        camera[i..i + 3].try_into().expect("three"),
        &x[i..][..3].try_into().unwrap(),
    )
}

#[adjoint]
fn in_place(x: &mut [f64], k: f64) {
    for i in 0..2 {
        scale((&mut x[i..i + 3]).try_into().unwrap(), k);
    }
}

#[derive(Clone, Debug, Differentiable)]
struct Camera {
    focus: f64,
}

#[adjoint]
impl Camera {
    fn see(&self, a: &[f64; 3]) -> f64 {
        self.focus * a[0] + a[1] * a[2]
    }
}

#[adjoint]
fn by_method(x: &[f64], k: f64) -> f64 {
    let camera = Camera { focus: k };
    camera.see(x[..=2].try_into().unwrap()) + camera.see(x[1..][..3].try_into().unwrap())
}

#[adjoint]
mod seen {
    const N: usize = 3;

    fn owned(a: [f64; 3], k: f64) -> f64 {
        a[0] * a[1] * k + a[2]
    }

    fn changed(a: &mut [f64; 3], k: f64) {
        a[0] *= k;
        a[2] += a[1] * k;
    }

    pub fn by_value(x: &[f64], k: f64) -> f64 {
        owned(x[..N].try_into().unwrap(), k) + owned(x[1..=3].try_into().unwrap(), k)
    }

    pub fn whole(x: &[f64], k: f64) -> f64 {
        owned(x.try_into().expect("three"), k)
    }

    pub fn in_place(x: &mut [f64], k: f64) {
        changed((&mut x[..N]).try_into().unwrap(), k);
        for i in 0..2 {
            changed((&mut x[i..i + N]).try_into().unwrap(), k);
        }
    }
}

const X: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];

#[test]
fn extents_by_bounds() {
    check!(project(&X, &[0.5, 0.7, 1.1]) -> f64);
    check!(sliding(&X, &[0.5, 0.7, 1.1, 0.3], const 1) -> f64);
    check!(in_place(&mut [1.0, 2.0, 3.0, 4.0], 2.0));
    check!(by_method(&[1.0, 2.0, 3.0, 4.0], 2.0) -> f64);
}

#[test]
fn extents_by_the_callee() {
    check!(seen::by_value(&[1.0, 2.0, 3.0, 4.0], 2.0) -> f64);
    check!(seen::whole(&vec![1.0, 2.0, 3.0], 2.0) -> f64);
    check!(seen::in_place(&mut [1.0, 2.0, 3.0, 4.0], 2.0));
}
