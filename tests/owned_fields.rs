//! `Vec`s that grow and shrink in structs and behind references.

#![allow(
    clippy::all,
    reason = "kernels are written as numerical programmers write them"
)]
#![allow(
    clippy::needless_range_loop,
    clippy::ptr_arg,
    clippy::explicit_counter_loop,
    reason = "the spelled-out forms are what the kernels exercise"
)]

mod common;
use adjoint::adjoint;
use common::{check, flat};

#[adjoint]
mod world {
    use adjoint::Differentiable;

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct Body {
        pub q: f64,
        pub p: f64,
        pub id: usize,
    }

    #[derive(Clone, Debug, PartialEq, Differentiable)]
    pub struct World {
        pub bodies: Vec<Body>,
        pub lost: Vec<f64>,
        pub k: f64,
    }

    pub fn step(w: &mut World, dt: f64) -> f64 {
        let n = w.bodies.len();
        for i in 0..n {
            w.bodies[i].q += dt * w.bodies[i].p;
            w.bodies[i].p -= dt * w.k * w.bodies[i].q;
        }
        let mut i = 0;
        while i < w.bodies.len() {
            if w.bodies[i].q > 1.0 {
                let gone = w.bodies.swap_remove(i);
                w.lost.push(gone.q * gone.p);
            } else {
                i += 1;
            }
        }
        let (q, p) = (w.k * dt, w.lost.len() as f64 * dt);
        w.bodies.push(Body { q, p, id: n });
        w.lost.iter().sum::<f64>() * w.k
    }

    pub fn run(w: &mut World, steps: usize, dt: f64) -> f64 {
        let mut s = 0.0;
        for _ in 0..steps {
            s += step(w, dt) * s + w.bodies[0].q;
        }
        s
    }
}

use world::{Body, World};
flat!(Body { q, p });
flat!(World { bodies, lost, k });

#[test]
fn fields_and_structs() {
    let body = |q, p, id| Body { q, p, id };
    let bodies = vec![body(0.5, 1.2, 1), body(0.9, 0.8, 2), body(-0.3, 0.4, 3)];
    let world = World {
        bodies,
        lost: vec![],
        k: 0.7,
    };
    for steps in 0..4 {
        check!(world::run(&mut world, const steps, 0.3) -> f64);
    }
}

#[adjoint]
fn by_reference(rows: &mut [Vec<f64>], x: f64) -> f64 {
    for row in rows.iter_mut() {
        row.push(x * row[0]);
        let n = row.len();
        if n > 2 {
            row.remove(n / 2);
        }
    }
    let (a, b) = rows.split_at_mut(1);
    while let Some(v) = b[0].pop() {
        a[0].push(v * v);
    }
    let first = &mut a[0];
    first.insert(0, x);
    first[1] * first[first.len() - 1]
}

#[test]
fn vecs_behind_references() {
    check!(by_reference(&mut [vec![0.5, 1.2], vec![0.3, 0.4, 0.9]], 0.8) -> f64);
}
