//! Functions over `T: Float`, and over lengths.

use super::{function, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws one.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let draw = *rng.pick(&[float, float_slice, length]);
    draw(rng, world);
}

fn float(rng: &mut Random, world: &mut World) {
    let f = world.name("generic");
    let op = *rng.pick(&[
        "(a * b).sin() + b",
        "a.tanh() - a * b.cos()",
        "(T::one() + a * a).sqrt() * b",
    ]);
    let test = *rng.pick(&["a > b", "a * b < T::zero()", "a.abs() > b.abs()"]);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}<T: Float>(a: T, b: T) -> T {{
    let half = T::from(0.5).unwrap();
    if {test} {{ half * ({op}) }} else {{ (a - b).tanh() }}
}}"
    ));
    let params = vec![(Ty::Real, Held::Owned), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(Ty::Real));
}

fn float_slice(rng: &mut Random, world: &mut World) {
    let f = world.name("mean");
    let step = *rng.pick(&["*v * k", "(*v + k).sin()", "v.tanh() * *v", "v.max(k)"]);
    let sum = match rng.chance(50) {
        true => format!("x.iter().fold(T::zero(), |s, v| s + {step})"),
        false => format!("(x.iter().map(|v| {step}).fold(T::zero(), |a, b| a + b))"),
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}<T: Float>(x: &[T], k: T) -> T {{
    let n = T::from(x.len() + 1).unwrap();
    {sum} / n
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Shared), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(Ty::Real));
}

fn length(rng: &mut Random, world: &mut World) {
    let f = world.name("fixed");
    let n = rng.between(2, 3);
    let step = over(rng, world, &["a[i]", "k"], 2);
    let body = match rng.chance(50) {
        true => format!(
            "let mut out = a;\n    for i in 0..N {{\n        out[N - 1 - i] = {step};\n    }}\n    out"
        ),
        false => format!("std::array::from_fn(|i| {step})"),
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}<const N: usize>(a: [f64; N], k: f64) -> [f64; N] {{
    {body}
}}"
    ));
    let array = Ty::Array(Box::new(Ty::Real), n);
    let params = vec![(array.clone(), Held::Owned), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(array));
}
