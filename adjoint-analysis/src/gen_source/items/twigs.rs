//! Trees whose nodes hold their children in a `Vec`: built, walked, popped, and changed on the way.

use super::{function, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws a tree with some functions on it.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let name = world.name("Twig");
    let ty = Ty::Named(name.clone());
    world.items.push(format!(
        "#[derive(Clone, Debug, Default, Differentiable)]
pub struct {name} {{
    pub value: f64,
    pub children: Vec<{name}>,
}}"
    ));
    world
        .shapes
        .push(format!("flat!({name} {{ value, children }});"));
    grown(rng, world, &name, &ty);
    for _ in 0..rng.between(1, 4) {
        let draw = *rng.pick(&[total, each, walk, climb, picked, stacked]);
        draw(rng, world, &name, &ty);
    }
    world.types.push(ty);
}

fn grown(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("twigs");
    let value = over(rng, world, &["x[0]", "k"], 2);
    let children = match rng.below(3) {
        0 => format!("x[1..].chunks(2).map(|c| {f}(c, 0.8 * k)).collect()"),
        1 => format!("vec![{f}(&x[1..x.len() / 2 + 1], k), {f}(&x[x.len() / 2 + 1..], 0.5 * k)]"),
        _ => format!(
            "{{\n        let mut all = Vec::new();\n        for i in 1..x.len() {{\n            \
             all.push({f}(&x[i..i + 1], k * x[0]));\n        }}\n        all\n    }}"
        ),
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(x: &[f64], k: f64) -> {name} {{
    if x.is_empty() {{
        return {name} {{ value: k, children: Vec::new() }};
    }}
    let value = {value};
    if x.len() == 1 {{
        return {name} {{ value, children: vec![] }};
    }}
    let children: Vec<{name}> = {children};
    {name} {{ value, children }}
}}"
    ));
    let params = vec![(Ty::slice(Ty::Real), Held::Shared), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(ty.clone()));
}

fn known(world: &mut World, f: String, this: (&Ty, Held), ret: Option<Ty>) {
    let params = vec![(this.0.clone(), this.1), (Ty::Real, Held::Owned)];
    function(world, f, params, ret);
}

fn total(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("sum");
    let step = over(rng, world, &["t.value", "k"], 2);
    let below = over(rng, world, &["k", "t.value"], 1);
    let sum = match rng.below(3) {
        0 => format!("t.children.iter().map(|c| {f}(c, {below})).sum::<f64>()"),
        1 => format!("t.children.iter().fold(0.1, |s, c| 0.6 * s + {f}(c, {below}))"),
        _ => format!("t.children.first().map_or(k, |c| {f}(c, {below}))"),
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(t: &{name}, k: f64) -> f64 {{
    {step} + 0.4 * {sum}
}}"
    ));
    known(world, f, (ty, Held::Shared), Some(Ty::Real));
}

fn each(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("each");
    let step = over(rng, world, &["t.value", "k"], 2);
    let children = *rng.pick(&[
        "&mut t.children",
        "t.children.iter_mut()",
        "t.children.iter_mut().rev()",
    ]);
    let early = match rng.chance(40) {
        true => "        if sum > 1.3 {\n            return sum;\n        }\n",
        false => "",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(t: &mut {name}, k: f64) -> f64 {{
    t.value = {step};
    let mut sum = t.value;
    for c in {children} {{
{early}        sum = 0.7 * sum + {f}(c, 0.5 * k + c.value);
    }}
    sum
}}"
    ));
    known(world, f, (ty, Held::Mut), Some(Ty::Real));
}

fn walk(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("walk");
    let step = over(rng, world, &["cur.value", "k"], 2);
    let way = match rng.below(4) {
        0 => "        if cur.value > 0.9 {\n            break;\n        }\n",
        1 => {
            "        if cur.value > 1.1 {\n            cur.value *= k;\n            return;\n        }\n"
        }
        2 => "        if i == 1 {\n            cur.children.push(Default::default());\n        }\n",
        _ => "",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(t: &mut {name}, k: f64) {{
    let mut cur: &mut {name} = t;
    let mut i = 0usize;
    while !cur.children.is_empty() {{
        cur.value = {step};
{way}        let n = cur.children.len();
        cur = &mut cur.children[i % n];
        i += 1;
    }}
    cur.value += 0.3 * k;
}}"
    ));
    known(world, f, (ty, Held::Mut), None);
}

fn climb(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("climb");
    let step = over(rng, world, &["cur.value", "s", "k"], 2);
    let end = *rng.pick(&["last", "first"]);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(t: &{name}, k: f64) -> f64 {{
    let mut cur: &{name} = t;
    let mut s = {step_at_root};
    while let Some(child) = cur.children.{end}() {{
        cur = child;
        s = 0.5 * s + {step};
    }}
    s
}}",
        step_at_root = over(rng, world, &["t.value", "k"], 1),
    ));
    known(world, f, (ty, Held::Shared), Some(Ty::Real));
}

/// Children that are popped, and one put back perhaps.
fn picked(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("picked");
    let step = over(rng, world, &["last.value", "s", "k"], 2);
    let back = match rng.below(3) {
        0 => {
            "        if s > 0.4 {\n            last.value = s;\n            t.children.push(last);\n            break;\n        }\n"
        }
        1 => {
            "        if s > 0.6 {\n            t.value += last.value;\n            continue;\n        }\n"
        }
        _ => "",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(t: &mut {name}, k: f64) -> f64 {{
    let mut s = t.value;
    while let Some(mut last) = t.children.pop() {{
        s = 0.5 * s + {step};
{back}        last.value *= k;
        s += 0.2 * last.value;
    }}
    s
}}"
    ));
    known(world, f, (ty, Held::Mut), Some(Ty::Real));
}

/// A walk over all nodes with a stack of them.
fn stacked(rng: &mut Random, world: &mut World, name: &str, ty: &Ty) {
    let f = world.name("stacked");
    let step = over(rng, world, &["n.value", "s", "k"], 2);
    let more = *rng.pick(&[
        "stack.append(&mut n.children);",
        "stack.extend(n.children.drain(..));",
        "for c in n.children {\n            stack.push(c);\n        }",
    ]);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(t: {name}, k: f64) -> f64 {{
    let mut s = k;
    let mut stack: Vec<{name}> = vec![t];
    while let Some(mut n) = stack.pop() {{
        s = 0.5 * s + {step};
        {more}
    }}
    s
}}"
    ));
    known(world, f, (ty, Held::Owned), Some(Ty::Real));
}
