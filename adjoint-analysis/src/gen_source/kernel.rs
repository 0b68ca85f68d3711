//! A whole source: items, a kernel, and calls of it.

use super::Family;
use super::draw::types::{Held, Ty};
use super::items::{self, written};
use super::source::Source;
use super::world::{Function, World};
use crate::gen_program::random::Random;

/// The number of elements of the sequences in each call.
const LENGTHS: [usize; 5] = [3, 5, 2, 1, 0];

/// The source that a seed draws.
pub fn draw(seed: u64, family: Family) -> Source {
    let mut rng = Random::new(seed.wrapping_mul(2) + u64::from(family == Family::Structures));
    let rng = &mut rng;
    let world = items::world(rng, family);
    let params = parameters(rng, &world);
    let ret = result(rng);
    let statements = rng.between(4, 9);
    let kernel = written(
        rng,
        &world,
        family,
        "kernel",
        &params,
        ret.as_ref(),
        statements,
    );
    let calls = LENGTHS.map(|n| call(rng, &world, &params, ret.as_ref(), n));
    Source {
        seed,
        family,
        items: arranged(rng, &world, &kernel),
        shapes: world.shapes.join("\n"),
        calls: calls.to_vec(),
    }
}

/// The items in one annotated module, or each with its own attribute, the functions perhaps in another module or
/// two.
fn arranged(rng: &mut Random, world: &World, kernel: &str) -> String {
    let items = world.items.join("\n\n");
    let kernel = format!("#[adjoint]\npub {kernel}");
    match rng.below(4) {
        0 => together(&format!("{items}\n\n{kernel}"), "kernels"),
        1 if !world.functions.is_empty() => format!("{}\n\n{kernel}", apart(&items, "helpers")),
        2 if world.items.len() > 1 => {
            let (below, above) = world.items.split_at(world.items.len() / 2);
            let (below, above) = (below.join("\n\n"), above.join("\n\n"));
            let below = match rng.chance(50) {
                true => together(&below, "below"),
                false => apart(&below, "below"),
            };
            format!("{below}\n\n{}\n\n{kernel}", apart(&above, "above"))
        }
        _ => format!("{items}\n\n{kernel}"),
    }
}

/// The items in an annotated module.
fn together(items: &str, name: &str) -> String {
    let items = items.replace("#[adjoint]\n", "");
    format!("#[adjoint]\npub mod {name} {{\nuse super::*;\n{items}\n}}\npub use {name}::*;")
}

/// Annotated items in a module.
fn apart(items: &str, name: &str) -> String {
    format!("pub mod {name} {{\nuse super::*;\n{items}\n}}\npub use {name}::*;")
}

fn parameters(rng: &mut Random, world: &World) -> Vec<(Ty, Held)> {
    let any = [Held::Owned, Held::Shared, Held::Mut];
    let mut all = vec![
        (Ty::slice(Ty::Real), Held::Shared),
        (Ty::slice(Ty::Real), Held::Mut),
        (Ty::Real, Held::Owned),
    ];
    if rng.chance(60) {
        let own = world.records.last();
        all.push(match rng.below(7) {
            0 => (Ty::seq(Ty::Real), *rng.pick(&any)),
            1 => (Ty::seq(Ty::seq(Ty::Real)), *rng.pick(&any)),
            2 => (Ty::opt(Ty::Real), *rng.pick(&any)),
            3 => (Ty::Array(Box::new(Ty::Real), 2), *rng.pick(&any)),
            4 => (Ty::Real, Held::Mut),
            _ => match own {
                Some(record) => (Ty::Named(record.name.clone()), *rng.pick(&any)),
                None => (Ty::pair(), *rng.pick(&any)),
            },
        });
    }
    all
}

fn result(rng: &mut Random) -> Option<Ty> {
    match rng.below(10) {
        0 => None,
        1 => Some(Ty::seq(Ty::Real)),
        2 => Some(Ty::pair()),
        3 => Some(Ty::opt(Ty::Real)),
        _ => Some(Ty::Real),
    }
}

/// A call of the kernel with sequences of that length.
fn call(
    rng: &mut Random,
    world: &World,
    params: &[(Ty, Held)],
    ret: Option<&Ty>,
    n: usize,
) -> String {
    let mut args = Vec::new();
    for (ty, held) in params {
        let value = argument(rng, world, ty, n);
        args.push(match held {
            Held::Owned => value,
            Held::Shared => format!("&{value}"),
            Held::Mut => format!("&mut {value}"),
        });
    }
    let arrow = match ret {
        None => String::new(),
        Some(Ty::Seq(_)) => " -> &Vec<f64>".to_string(),
        Some(ty) => format!(" -> {}", ty.text()),
    };
    format!("kernel({}){arrow}", args.join(", "))
}

/// A value of the type as a literal.
fn argument(rng: &mut Random, world: &World, ty: &Ty, n: usize) -> String {
    let mut all = |of: &[&Ty]| -> String {
        let all: Vec<String> = of.iter().map(|ty| argument(rng, world, ty, n)).collect();
        all.join(", ")
    };
    match ty {
        Ty::Real => format!("{:.4}", rng.real(-0.5, 1.5)),
        Ty::Int => n.to_string(),
        Ty::Seq(of) | Ty::Slice(of) if n == 0 => format!("Vec::<{}>::new()", of.text()),
        Ty::Seq(of) | Ty::Slice(of) => format!("vec![{}]", all(&vec![&**of; n])),
        Ty::Array(of, n) => format!("[{}]", all(&vec![&**of; *n])),
        Ty::Opt(of) if n % 2 == 1 => format!("Some({})", all(&[of])),
        Ty::Opt(of) => format!("None::<{}>", of.text()),
        Ty::Tup(of) => format!("({})", all(&of.iter().collect::<Vec<_>>())),
        Ty::Fun(_) => unreachable!("no parameter is a closure"),
        Ty::Named(name) => {
            let Some(record) = world.record(ty) else {
                return made(rng, world, ty, n);
            };
            let field = |(name, ty): &(String, Ty)| {
                let value = argument(rng, world, ty, n);
                format!("{name}: {value}")
            };
            let fields: Vec<String> = record.fields.iter().map(field).collect();
            format!("{name} {{ {} }}", fields.join(", "))
        }
    }
}

/// A value of a type without visible fields, by a function that makes it of others.
fn made(rng: &mut Random, world: &World, ty: &Ty, n: usize) -> String {
    let makes = |f: &&Function| {
        let of_others = |(param, held): &(Ty, Held)| *param != *ty && *held != Held::Mut;
        f.ret.as_ref() == Some(ty) && f.params.iter().all(of_others)
    };
    let Some(function) = world.functions.iter().find(makes) else {
        return format!("<{}>::default()", ty.text());
    };
    let args = function.params.iter().map(|(ty, held)| {
        let value = argument(rng, world, ty, n);
        match held {
            Held::Shared => format!("&{value}"),
            _ => value,
        }
    });
    let args: Vec<String> = args.collect();
    format!("{}({})", function.path, args.join(", "))
}
