//! Enums whose variants hold something.

use super::{method, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws an enum with methods that match on it.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let name = world.name("Shape");
    let ty = Ty::Named(name.clone());
    let one = over(rng, world, &["*r", "k"], 2);
    let two = over(rng, world, &["*p", "*q", "k"], 2);
    let changed = over(rng, world, &["*p", "k"], 2);
    let (guard, other) = (over(rng, world, &["k"], 1), over(rng, world, &["k"], 2));
    let next = match rng.below(3) {
        0 => format!(
            "if *r > 0.3 {{ *self = {name}::Box {{ p: k, q: {one} }}; }} else {{ *r = {one}; }}"
        ),
        1 => format!("*r *= 0.5 + {one};"),
        _ => format!("*r += 0.3 * {one};"),
    };
    let by_value = match rng.chance(50) {
        true => format!("{name}::Many(mut v) => {{ v.push(k); {name}::Many(v) }}"),
        false => format!("{name}::Many(v) => {name}::Round(v.iter().sum::<f64>() * 0.3),"),
    };
    world.items.push(format!(
        "#[derive(Clone, Debug, Differentiable)]
pub enum {name} {{
    Round(f64),
    Box {{ p: f64, q: f64 }},
    Many(Vec<f64>),
    Empty,
}}
#[adjoint]
impl {name} {{
    pub fn size(&self, k: f64) -> f64 {{
        match self {{
            {name}::Round(r) if *r > 0.9 => *r * k,
            {name}::Round(r) => {one},
            {name}::Box {{ p, q }} => {two},
            {name}::Many(v) => v.iter().fold(0.1, |s, p| 0.6 * s + {changed}),
            {name}::Empty => {guard},
        }}
    }}
    pub fn grow(&mut self, k: f64) {{
        match self {{
            {name}::Round(r) => {{
                {next}
            }}
            {name}::Box {{ p, .. }} => *p = {changed},
            {name}::Many(v) => v.push(0.5 * k),
            {name}::Empty => *self = {name}::Round({other}),
        }}
    }}
    pub fn turned(self, k: f64) -> {name} {{
        match self {{
            {name}::Box {{ p, q }} if p > 0.2 => {name}::Box {{ p: q * k, q: p }},
            {name}::Box {{ p, .. }} => {name}::Many(vec![p, k]),
            {by_value}
            other => other,
        }}
    }}
}}"
    ));
    world.shapes.push(shape(&name));
    let real = [(Ty::Real, Held::Owned)];
    let this = |held| (ty.clone(), held);
    method(
        world,
        &name,
        "size",
        this(Held::Shared),
        &real,
        Some(Ty::Real),
    );
    method(world, &name, "grow", this(Held::Mut), &real, None);
    method(
        world,
        &name,
        "turned",
        this(Held::Owned),
        &real,
        Some(ty.clone()),
    );
    makers(world, &name, &ty);
    world.types.push(ty);
}

/// A function that makes each of the variants.
fn makers(world: &mut World, name: &str, ty: &Ty) {
    let maker = world.name("shaped");
    world.items.push(format!(
        "#[adjoint]
pub fn {maker}(i: usize, a: f64, b: f64) -> {name} {{
    match i {{
        0 => {name}::Round(a),
        1 => {name}::Box {{ p: a, q: b }},
        _ if a > 0.8 => {name}::Empty,
        _ => {name}::Many(vec![a, b]),
    }}
}}"
    ));
    let params = vec![
        (Ty::Int, Held::Owned),
        (Ty::Real, Held::Owned),
        (Ty::Real, Held::Owned),
    ];
    super::function(world, maker, params, Some(ty.clone()));
}

fn shape(name: &str) -> String {
    format!(
        "impl crate::common::Flat for {name} {{
    const SINGLE: bool = false;
    fn write(&self, to: &mut Vec<f64>) {{
        match self {{
            {name}::Round(r) => r.write(to),
            {name}::Box {{ p, q }} => (*p, *q).write(to),
            {name}::Many(v) => v.write(to),
            {name}::Empty => {{}}
        }}
    }}
    fn read(&self, from: &mut dyn Iterator<Item = f64>) -> Self {{
        match self {{
            {name}::Round(r) => {name}::Round(r.read(from)),
            {name}::Box {{ p, q }} => {{
                let (p, q) = (p.read(from), q.read(from));
                {name}::Box {{ p, q }}
            }}
            {name}::Many(v) => {name}::Many(v.read(from)),
            {name}::Empty => {name}::Empty,
        }}
    }}
}}"
    )
}
