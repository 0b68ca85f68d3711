//! Functions that return a `Result`, and those that hand its error on.

use super::{function, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
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
    if rng.chance(60) {
        dropped(rng, world, &error, &inner);
    }
}

/// A function that writes until something is wrong, and one that looks at its result on some ways only.
fn dropped(rng: &mut Random, world: &mut World, error: &str, inner: &str) {
    let (into, user) = (world.name("written"), world.name("dropped"));
    let step = over(rng, world, &["*v", "k"], 2);
    let early = over(rng, world, &["k", "s"], 1);
    let (test, last) = (
        *rng.pick(&["k > 0.4", "s > 0.3", "y.len() > 2"]),
        match rng.below(4) {
            0 => format!("let _ = {into}(y, s);"),
            1 => format!("if {into}(y, s).is_err() {{\n        s *= 0.5;\n    }}"),
            2 => format!("{into}(y, s).ok();"),
            _ => format!("if let Ok(v) = {into}(y, s) {{\n        s += v;\n    }}"),
        },
    );
    let value = match rng.below(3) {
        0 => "tried.unwrap_or(s)".to_string(),
        1 => format!(
            "match tried {{\n        Err({error}::Large(n)) => n as f64 * s,\n        Err(_) => s,\n        Ok(v) => v + s,\n    }}"
        ),
        _ => "tried.map_or_else(|_| k, |v| v * s)".to_string(),
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {into}(y: &mut [f64], k: f64) -> Result<f64, {error}> {{
    let mut s = k;
    for v in y.iter_mut() {{
        *v = {step};
        s += {inner}(&[*v], s)?;
    }}
    Ok(s)
}}

#[adjoint]
pub fn {user}(y: &mut [f64], k: f64) -> f64 {{
    let mut s = k;
    let tried = {into}(y, k);
    if {test} {{
        return {early};
    }}
    {last}
    {value}
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Mut), (Ty::Real, Held::Owned)];
    function(world, user, params, Some(Ty::Real));
}
