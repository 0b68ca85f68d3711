// A name that is imported where the attribute does not see it, and a module of the user's named `mem`.

use adjoint::adjoint;
use std::mem::swap;

#[adjoint]
fn exchanged(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y);
    swap(&mut a, &mut b);
    a * a * b
}

mod mem {
    pub fn swap(a: &mut f64, b: &mut f64) {
        *a *= *b;
    }
}

#[adjoint]
fn scaled(x: f64, y: f64) -> f64 {
    let (mut a, mut b) = (x, y);
    mem::swap(&mut a, &mut b);
    a * b
}

fn main() {}
