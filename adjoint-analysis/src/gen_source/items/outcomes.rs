//! Functions that return a `Result`, and those that hand its error on.

use super::{function, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws a pair of them.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let (error, inner, outer) = (
        world.name("Fault"),
        world.name("tried"),
        world.name("settled"),
    );
    let value = over(rng, world, &["x[0]", "k"], 2);
    let joined = over(rng, world, &["a", "b", "k"], 2);
    let otherwise = over(rng, world, &["k"], 1);
    let all = match rng.below(3) {
        0 => format!("x.iter().map(|v| {inner}(&[*v], k)).sum()"),
        1 => format!(
            "x.iter().map(|v| {inner}(&[*v], *v)).collect::<Result<Vec<f64>, {error}>>().map(|all| all.iter().sum::<f64>())"
        ),
        _ => format!("x.iter().try_fold(0.1, |s, v| Ok(s + {inner}(&[*v], s)?))"),
    };
    world.items.push(format!(
        "#[derive(Clone, Debug, PartialEq, Differentiable)]
pub enum {error} {{
    Empty,
    Large(usize),
}}

#[adjoint]
pub fn {inner}(x: &[f64], k: f64) -> Result<f64, {error}> {{
    if x.is_empty() {{
        return Err({error}::Empty);
    }}
    if x[0] > 1.4 {{
        return Err({error}::Large(x.len()));
    }}
    Ok({value})
}}

#[adjoint]
pub fn {inner}_all(x: &[f64], k: f64) -> Result<f64, {error}> {{
    let a = {inner}(x, k)?;
    let sum: Result<f64, {error}> = {all};
    let b = sum?;
    Ok({joined})
}}

#[adjoint]
pub fn {outer}(x: &[f64], k: f64) -> f64 {{
    match {inner}_all(x, k) {{
        Ok(v) => v * k,
        Err({error}::Empty) => {otherwise},
        Err({error}::Large(n)) => 0.1 * n as f64 * k,
    }}
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Shared), (Ty::Real, Held::Owned)];
    function(world, outer, params, Some(Ty::Real));
}
