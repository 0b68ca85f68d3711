//! Linked lists: built, walked, changed, reversed, and with their tails dropped.

use super::{function, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::World;

/// Draws a list with some functions on it.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let name = world.name("Node");
    let list = Ty::Named(format!("Option<Box<{name}>>"));
    world.items.push(format!(
        "#[derive(Clone, Debug, Differentiable)]
pub struct {name} {{
    pub value: f64,
    pub next: Option<Box<{name}>>,
}}"
    ));
    world
        .shapes
        .push(format!("flat!({name} {{ value, next }});"));
    let made = world.name("made");
    let value = over(rng, world, &["*v"], 1);
    let rev = if rng.chance(50) { ".rev()" } else { "" };
    world.items.push(format!(
        "#[adjoint]
pub fn {made}(x: &[f64]) -> Option<Box<{name}>> {{
    let mut head: Option<Box<{name}>> = None;
    for v in x.iter(){rev} {{
        head = Some(Box::new({name} {{ value: {value}, next: head }}));
    }}
    head
}}"
    ));
    let slice = vec![(Ty::slice(Ty::Real), Held::Shared)];
    function(world, made, slice, Some(list.clone()));
    for _ in 0..rng.between(1, 4) {
        let draw = *rng.pick(&[
            sum,
            recursive_sum,
            change,
            recursive_change,
            tail,
            reversed,
            push,
            spent,
        ]);
        draw(rng, world, &name, &list);
    }
    world.types.push(list);
}

fn sum(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("sum");
    let step = over(rng, world, &["n.value", "k", "s"], 2);
    let early = match rng.below(3) {
        0 => "        if s > 1.4 {\n            break;\n        }\n",
        1 => {
            "        if n.value > 0.9 {\n            cur = &n.next;\n            continue;\n        }\n"
        }
        _ => "",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: &Option<Box<{name}>>, k: f64) -> f64 {{
    let mut s = k;
    let mut cur: &Option<Box<{name}>> = list;
    while let Some(n) = cur {{
{early}        s = 0.6 * s + {step};
        cur = &n.next;
    }}
    s
}}"
    ));
    read(world, f, list, Held::Shared);
}

fn read(world: &mut World, f: String, list: &Ty, held: Held) {
    let params = vec![(list.clone(), held), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(Ty::Real));
}

fn recursive_sum(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("deep");
    let step = over(rng, world, &["n.value", "k"], 2);
    let below = over(rng, world, &["k", "n.value"], 1);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: &Option<Box<{name}>>, k: f64) -> f64 {{
    match list {{
        Some(n) if n.value > 1.1 => n.value * k,
        Some(n) => {step} + 0.5 * {f}(&n.next, {below}),
        None => 0.3 * k,
    }}
}}"
    ));
    read(world, f, list, Held::Shared);
}

fn changing(world: &mut World, f: String, list: &Ty) {
    let params = vec![(list.clone(), Held::Mut), (Ty::Real, Held::Owned)];
    function(world, f, params, None);
}

fn change(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("change");
    let step = over(rng, world, &["n.value", "k"], 2);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: &mut Option<Box<{name}>>, k: f64) {{
    let mut cur: &mut Option<Box<{name}>> = list;
    let mut k = k;
    while let Some(n) = cur {{
        n.value = {step};
        k = 0.5 * k + n.value;
        cur = &mut n.next;
    }}
}}"
    ));
    changing(world, f, list);
}

fn recursive_change(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("alter");
    let step = over(rng, world, &["n.value", "k"], 2);
    let drop = match rng.chance(40) {
        true => "        if n.value < -0.2 {\n            n.next = None;\n        }\n",
        false => "",
    };
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: &mut Option<Box<{name}>>, k: f64) {{
    if let Some(n) = list {{
        n.value = {step};
{drop}        {f}(&mut n.next, k * n.value);
    }}
}}"
    ));
    changing(world, f, list);
}

fn tail(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("cut");
    let keep = rng.between(1, 3);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: &mut Option<Box<{name}>>, k: f64) {{
    let mut cur: &mut Option<Box<{name}>> = list;
    let mut i = 0;
    while let Some(n) = cur {{
        i += 1;
        n.value *= k;
        if i == {keep} {{
            n.next = None;
        }}
        cur = &mut n.next;
    }}
}}"
    ));
    changing(world, f, list);
}

fn reversed(_: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("reversed");
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: Option<Box<{name}>>, k: f64) -> Option<Box<{name}>> {{
    let mut rest = list;
    let mut done: Option<Box<{name}>> = None;
    while let Some(mut n) = rest {{
        rest = n.next.take();
        n.value *= k;
        n.next = done;
        done = Some(n);
    }}
    done
}}"
    ));
    let params = vec![(list.clone(), Held::Owned), (Ty::Real, Held::Owned)];
    function(world, f, params, Some(list.clone()));
}

fn push(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("push");
    let value = over(rng, world, &["k"], 1);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: &mut Option<Box<{name}>>, k: f64) {{
    let rest = list.take();
    *list = Some(Box::new({name} {{ value: {value}, next: rest }}));
}}"
    ));
    changing(world, f, list);
}

fn spent(rng: &mut Random, world: &mut World, name: &str, list: &Ty) {
    let f = world.name("spent");
    let step = over(rng, world, &["n.value", "s"], 2);
    world.items.push(format!(
        "#[adjoint]
pub fn {f}(list: Option<Box<{name}>>, k: f64) -> f64 {{
    let mut s = k;
    let mut rest = list;
    while let Some(n) = rest {{
        s = 0.5 * s + {step};
        rest = n.next;
    }}
    s
}}"
    ));
    read(world, f, list, Held::Owned);
}
