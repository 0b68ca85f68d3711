//! Functions that call themselves on the halves of a sequence, or with one step less to go.

use super::{function, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws one.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let draw = *rng.pick(&[read_halves, written_halves, steps, mutual, exchanging]);
    draw(rng, world);
}

fn read_halves(rng: &mut Random, world: &mut World) {
    let f = world.name("tree_sum");
    let step = over(rng, world, &["x[0]", "k"], 2);
    let joined = over(rng, world, &["a", "b", "k"], 2);
    let split = match rng.below(3) {
        0 => "let (lo, hi) = x.split_at(x.len() / 2);",
        1 => "let mid = x.len() / 2;\n    let (lo, hi) = (&x[..mid], &x[mid..]);",
        _ => "let (lo, hi) = x.split_at(1);",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(x: &[f64], k: f64) -> f64 {{
    if x.is_empty() {{
        return 0.1 * k;
    }}
    if x.len() == 1 {{
        return {step};
    }}
    {split}
    let (a, b) = ({f}(lo, 0.7 * k), {f}(hi, k + 0.1));
    {joined}
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Shared), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(Ty::Real));
}

fn written_halves(rng: &mut Random, world: &mut World) {
    let f = world.name("butterfly");
    let leaf = over(rng, world, &["x[0]", "k"], 2);
    let twist = over(rng, world, &["*a", "*b", "k"], 2);
    let (before, after) = match rng.chance(50) {
        true => (
            String::new(),
            format!("    {f}(lo, k);\n    {f}(hi, 0.5 * k);\n"),
        ),
        false => (
            format!("    {f}(lo, k);\n    {f}(hi, 0.5 * k);\n"),
            String::new(),
        ),
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(x: &mut [f64], k: f64) {{
    if x.len() < 2 {{
        if !x.is_empty() {{
            x[0] = {leaf};
        }}
        return;
    }}
    let (lo, hi) = x.split_at_mut(x.len() / 2);
{before}    for (a, b) in lo.iter_mut().zip(hi.iter_mut()) {{
        let t = {twist};
        *b = 0.5 * *a - t;
        *a = 0.5 * *a + t;
    }}
{after}}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Mut), (Ty::Real, Held::Owned)];
    function(world, f, params, None);
}

fn steps(rng: &mut Random, world: &mut World) {
    let f = world.name("steps");
    let step = over(rng, world, &["*s", "k"], 2);
    let result = over(rng, world, &["*s", "k", "below"], 2);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(n: usize, s: &mut f64, k: f64) -> f64 {{
    if n == 0 {{
        return *s * k;
    }}
    *s = 0.4 * *s + {step};
    let below = {f}(n - 1, s, 0.8 * k);
    {result}
}}"
    ));
    let params = vec![
        (Ty::Int, Held::Owned),
        (Ty::Real, Held::Mut),
        (Ty::Real, Held::Owned),
    ];
    function(world, f, params, Some(Ty::Real));
}

fn mutual(rng: &mut Random, world: &mut World) {
    let (f, g) = (world.name("even"), world.name("odd"));
    let (a, b) = (
        over(rng, world, &["k"], 2),
        over(rng, world, &["k", "first"], 2),
    );
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(x: &[f64], k: f64) -> f64 {{
    match x {{
        [] => k,
        [first, rest @ ..] => 0.3 * *first + {g}(rest, {a}),
    }}
}}
#[adjoint]
pub fn {g}(x: &[f64], k: f64) -> f64 {{
    let Some((&first, rest)) = x.split_first() else {{
        return 0.5 * k;
    }};
    first * {b} - 0.4 * {f}(rest, k)
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Shared), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(Ty::Real));
}

/// Two functions that call each other with their `&mut` arguments exchanged.
fn exchanging(rng: &mut Random, world: &mut World) {
    let (f, g) = (world.name("ping"), world.name("pong"));
    let leaf = over(rng, world, &["k", "a[0]"], 2);
    let step = over(rng, world, &["a[0]", "k"], 2);
    let mixed = over(rng, world, &["*u", "*v", "k"], 2);
    let (first, second) = match rng.chance(50) {
        true => ("b, a", "q, p"),
        false => ("b, a", "p, q"),
    };
    let early = match rng.chance(50) {
        true => "    if k > 0.9 {\n        return k;\n    }\n",
        false => "",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(a: &mut [f64], b: &mut [f64], n: usize, k: f64) -> f64 {{
    if a.is_empty() {{
        return 0.3 * k;
    }}
    a[0] = {step};
    if n == 0 {{
        return {leaf};
    }}
    let below = {g}({first}, n - 1, 0.7 * k);
    a[0] += 0.2 * below;
    below * k
}}
#[adjoint]
pub fn {g}(p: &mut [f64], q: &mut [f64], n: usize, k: f64) -> f64 {{
{early}    for (u, v) in p.iter_mut().zip(q.iter()) {{
        *u = {mixed};
    }}
    if n == 0 {{
        return k;
    }}
    let r = {f}({second}, n - 1, k + 0.1);
    0.5 * r
}}"
    ));
    let slice = (Ty::slice(Ty::Real), Held::Mut);
    let params = vec![
        slice.clone(),
        slice,
        (Ty::Int, Held::Owned),
        (Ty::Real, Held::Owned),
    ];
    function(world, f, params, Some(Ty::Real));
}
