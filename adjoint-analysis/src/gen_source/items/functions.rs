//! Functions with drawn parameters and bodies, that kernels call.

use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::draw::writer::Writer;
use crate::gen_source::world::{Function, World};

/// Draws one.
pub(super) fn draw(rng: &mut Random, world: &mut World, family: Family) {
    let name = world.name("helper");
    let mut params: Vec<(Ty, Held)> = (0..rng.between(1, 3))
        .map(|_| parameter(rng, world))
        .collect();
    params.push((Ty::Real, Held::Owned));
    let ret = result(rng, world);
    let item = written(rng, world, family, &name, &params, ret.as_ref(), 5);
    world.items.push(format!("#[adjoint]\npub {item}"));
    world.functions.push(Function {
        path: name,
        method: None,
        params,
        ret,
    });
}

/// A type and how it is taken.
pub(super) fn parameter(rng: &mut Random, world: &World) -> (Ty, Held) {
    let any = [Held::Owned, Held::Shared, Held::Mut];
    if rng.chance(35)
        && let Some(own) = world.some_type(rng)
    {
        return match rng.below(6) {
            0 => (Ty::slice(own), *rng.pick(&[Held::Shared, Held::Mut])),
            5 => (
                Ty::slice(Ty::seq(own)),
                *rng.pick(&[Held::Shared, Held::Mut]),
            ),
            1 => (Ty::opt(own), *rng.pick(&any)),
            _ => (own, *rng.pick(&any)),
        };
    }
    match rng.below(12) {
        0 | 1 => (Ty::Real, Held::Mut),
        2 | 3 => (Ty::slice(Ty::Real), Held::Shared),
        4 | 5 => (Ty::slice(Ty::Real), Held::Mut),
        6 => (Ty::seq(Ty::Real), *rng.pick(&any)),
        7 => (Ty::pair(), Held::Owned),
        8 => (Ty::Array(Box::new(Ty::Real), 2), *rng.pick(&any)),
        9 => (Ty::opt(Ty::Real), *rng.pick(&any)),
        10 => (Ty::Int, Held::Owned),
        _ => (
            Ty::seq(Ty::seq(Ty::Real)),
            *rng.pick(&[Held::Shared, Held::Mut]),
        ),
    }
}

/// What a function returns.
pub(super) fn result(rng: &mut Random, world: &World) -> Option<Ty> {
    if rng.chance(20)
        && let Some(own) = world.some_type(rng)
    {
        return Some(own);
    }
    Some(match rng.below(9) {
        0 => Ty::seq(Ty::Real),
        1 => Ty::pair(),
        2 | 3 => Ty::opt(Ty::Real),
        4 => Ty::Array(Box::new(Ty::Real), 2),
        _ => Ty::Real,
    })
}

/// The text of a function with a drawn body.
pub(in crate::gen_source) fn written(
    rng: &mut Random,
    world: &World,
    family: Family,
    name: &str,
    params: &[(Ty, Held)],
    ret: Option<&Ty>,
    statements: usize,
) -> String {
    let names = ["x", "y", "z", "u", "w"];
    let named = || params.iter().zip(names).collect::<Vec<_>>();
    let mut w = Writer::new(rng, world, family);
    let mut mutable = vec![false; params.len()];
    for (at, ((ty, held), name)) in named().into_iter().enumerate() {
        mutable[at] = *held == Held::Owned && w.rng.chance(40);
        w.know(name, ty.clone(), *held, *held == Held::Mut || mutable[at]);
    }
    w.budget = 3 * statements;
    w.result = ret.cloned();
    let value = w.rng.chance(50).then(|| w.bounded(2));
    if let Some(value) = value {
        w.line(format!("let mut s = {value};"));
        w.know("s", Ty::Real, Held::Owned, true);
    }
    tried(&mut w);
    w.some_statements(statements);
    // What closures have captured is free again when they are gone.
    w.scope.retain(|v| !matches!(v.ty, Ty::Fun(_)));
    for ((_, held), name) in named() {
        if *held == Held::Mut {
            w.write_to(name);
        }
    }
    if let Some(ret) = ret {
        let value = w.value(ret, 3);
        w.line(value);
    }
    let text = w.text();
    let params: Vec<String> = named()
        .into_iter()
        .zip(mutable)
        .map(|(((ty, held), name), mutable)| {
            let mutable = if mutable { "mut " } else { "" };
            format!("{mutable}{name}: {}", ty.held(*held))
        })
        .collect();
    let arrow = ret.map_or(String::new(), |t| format!(" -> {}", t.text()));
    format!("fn {name}({}){arrow} {{\n{text}\n}}", params.join(", "))
}

/// `?` in functions that return an option.
fn tried(w: &mut Writer<'_>) {
    if w.result != Some(Ty::opt(Ty::Real)) || w.rng.chance(30) {
        return;
    }
    let Some(var) = w.some(|v| v.ty.is_reals()) else {
        return;
    };
    let (name, t, k) = (var.name, w.name("t"), w.rng.below(3));
    let value = match w.rng.below(4) {
        0 => format!("*{name}.get({k})?"),
        1 => format!("{name}.first().copied()?"),
        2 => format!("{name}.iter().copied().reduce(|a, b| a * b + 0.2)?"),
        _ => format!("{}?", format_args!("({})", w.option(&Ty::Real, 1))),
    };
    w.line(format!("let {t} = {value};"));
    w.know(&t, Ty::Real, Held::Owned, false);
}
