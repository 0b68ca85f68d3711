//! The items beside a kernel: functions, structs, enums, lists, trees.

mod enums;
mod functions;
mod generic;
mod lists;
mod outcomes;
mod recursion;
mod structs;
mod trees;
mod twigs;
mod vectors;

use super::Family;
use super::draw::types::{Held, Ty};
use super::draw::writer::Writer;
use super::world::{Function, World};
use crate::gen_program::random::Random;
pub(super) use functions::written;

/// Draws the items of a source.
pub(super) fn world(rng: &mut Random, family: Family) -> World {
    let mut world = World::default();
    let structures = family == Family::Structures;
    let kinds: &[(usize, Draw)] = match structures {
        true => &[
            (4, structs::draw),
            (2, structs::draw_matrix),
            (3, enums::draw),
            (3, lists::draw),
            (3, trees::draw),
            (3, twigs::draw),
            (2, vectors::draw),
            (3, recursion::draw),
            (2, generic::draw),
            (1, outcomes::draw),
            (4, functions::draw),
        ],
        false => &[
            (1, structs::draw),
            (1, enums::draw),
            (1, recursion::draw),
            (1, generic::draw),
            (1, outcomes::draw),
            (5, functions::draw),
        ],
    };
    for _ in 0..rng.between(1, if structures { 4 } else { 3 }) {
        let draw = rng.weighted(kinds);
        draw(rng, &mut world, family);
    }
    world
}

type Draw = fn(&mut Random, &mut World, Family);

/// A real over these names, which hold reals.
fn over(rng: &mut Random, world: &World, names: &[&str], depth: usize) -> String {
    let mut w = Writer::new(rng, world, Family::Structures);
    for name in names {
        w.know(name, Ty::Real, Held::Owned, false);
    }
    w.bounded(depth)
}

/// Makes a method known.
fn method(
    world: &mut World,
    of: &str,
    name: &str,
    this: (Ty, Held),
    params: &[(Ty, Held)],
    ret: Option<Ty>,
) {
    let mut all = vec![this];
    all.extend_from_slice(params);
    world.functions.push(Function {
        path: format!("{of}::{name}"),
        method: Some(name.to_string()),
        params: all,
        ret,
    });
}

/// Makes a function known.
fn function(world: &mut World, path: String, params: Vec<(Ty, Held)>, ret: Option<Ty>) {
    world.functions.push(Function {
        path,
        method: None,
        params,
        ret,
    });
}
