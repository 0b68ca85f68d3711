//! Trees with methods that call themselves on subtrees.

use super::{function, method, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws a binary tree.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let name = world.name("Tree");
    let mut methods = vec![inserted(&name)];
    let mut known: Vec<(&str, Held, Option<Ty>)> = vec![("insert", Held::Mut, None)];
    let ty = Ty::Named(name.clone());
    if rng.chance(70) {
        methods.push(total(rng, world));
        known.push(("total", Held::Shared, Some(Ty::Real)));
    }
    if rng.chance(60) {
        methods.push(scaled(rng, world));
        known.push(("scale", Held::Mut, Some(Ty::Real)));
    }
    if rng.chance(50) {
        methods.push(mirrored(rng, world, &name));
        known.push(("mirrored", Held::Owned, Some(ty.clone())));
    }
    if rng.chance(50) {
        methods.push(greatest(rng, world));
        known.push(("greatest", Held::Shared, Some(Ty::Real)));
    }
    world.items.push(format!(
        "#[derive(Clone, Debug, Default, Differentiable)]
pub struct {name} {{
    pub value: f64,
    pub left: Option<Box<{name}>>,
    pub right: Option<Box<{name}>>,
}}
#[adjoint]
impl {name} {{
{}
}}",
        methods.join("\n")
    ));
    world
        .shapes
        .push(format!("flat!({name} {{ value, left, right }});"));
    for (word, held, ret) in known {
        let params = [(Ty::Real, Held::Owned)];
        method(world, &name, word, (ty.clone(), held), &params, ret);
    }
    let grown = world.name("grown");
    let value = over(rng, world, &["*v", "k"], 1);
    world.items.push(format!(
        "#[adjoint]
pub fn {grown}(x: &[f64], k: f64) -> {name} {{
    let mut tree: {name} = {name} {{ value: k, left: None, right: None }};
    for v in x {{
        tree.insert({value});
    }}
    tree
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Shared), (Ty::Real, Held::Owned)];
    function(world, grown, params, Some(ty.clone()));
    world.types.push(ty);
}

fn inserted(name: &str) -> String {
    format!(
        "    pub fn insert(&mut self, v: f64) {{
        let side = if v < self.value {{ &mut self.left }} else {{ &mut self.right }};
        match side {{
            Some(child) => child.insert(v),
            None => *side = Some(Box::new({name} {{ value: v, left: None, right: None }})),
        }}
    }}"
    )
}

fn total(rng: &mut Random, world: &World) -> String {
    let step = over(rng, world, &["self.value", "k", "left"], 2);
    let below = over(rng, world, &["k", "self.value"], 1);
    format!(
        "    pub fn total(&self, k: f64) -> f64 {{
        let left = match &self.left {{
            Some(t) => t.total({below}),
            None => 0.2 * k,
        }};
        let right = self.right.as_ref().map_or(k, |t| t.total(k * 0.5));
        {step} + 0.3 * left - 0.4 * right * self.value
    }}"
    )
}

fn scaled(rng: &mut Random, world: &World) -> String {
    let step = over(rng, world, &["self.value", "k"], 2);
    let drop = match rng.below(3) {
        0 => "            if t.value > 0.8 {\n                self.right = None;\n            }\n",
        _ => "",
    };
    format!(
        "    pub fn scale(&mut self, k: f64) -> f64 {{
        let old = self.value;
        self.value = {step};
        let mut sum = old * k;
        if let Some(t) = self.left.as_mut() {{
            sum += t.scale(0.5 * k);
        }}
        if let Some(t) = &mut self.right {{
            sum -= 0.3 * t.scale(old);
{drop}        }}
        sum
    }}"
    )
}

fn mirrored(rng: &mut Random, world: &World, name: &str) -> String {
    let step = over(rng, world, &["self.value", "k"], 1);
    format!(
        "    pub fn mirrored(self, k: f64) -> {name} {{
        let value = {step};
        let left: Option<Box<{name}>> = match self.right {{
            Some(t) => Some(Box::new(t.mirrored(k))),
            None => None,
        }};
        let right = match self.left {{
            Some(t) => Some(Box::new(t.mirrored(value))),
            None => None,
        }};
        {name} {{ value, left, right }}
    }}"
    )
}

fn greatest(rng: &mut Random, world: &World) -> String {
    let step = over(rng, world, &["cur.value", "k"], 1);
    format!(
        "    pub fn greatest(&self, k: f64) -> f64 {{
        let mut best = k;
        for child in [&self.left, &self.right] {{
            if let Some(cur) = child {{
                best = best.max(cur.greatest(k) + 0.1 * {step});
            }}
        }}
        best + 0.2 * self.value
    }}"
    )
}
