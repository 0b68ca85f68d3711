//! A generic struct with operators and methods, used by its alias over `f64`.

use super::{function, method, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::world::{Record, World};

/// Draws one.
pub(super) fn draw(rng: &mut Random, world: &mut World, _: Family) {
    let generic = world.name("Point");
    let name = format!("{generic}F");
    let ty = Ty::Named(name.clone());
    let (by_value, by_t) = (
        *rng.pick(&["self.x + o.x", "o.x + self.x"]),
        *rng.pick(&["self.y * k", "k * self.y"]),
    );
    let bent = *rng.pick(&[
        "(self.x * k).sin() + self.y",
        "self.x.tanh() * self.y.cos() - k",
        "(T::one() + self.x * self.x).sqrt() * (self.y - k).tanh()",
    ]);
    let test = *rng.pick(&["self.x > k", "self.x * self.y < T::zero()"]);
    world.items.push(format!(
        "#[derive(Clone, Copy, Debug, Default, Differentiable)]
pub struct {generic}<T> {{
    pub x: T,
    pub y: T,
}}
pub type {name} = {generic}<f64>;

#[adjoint]
impl<T: Float> std::ops::Add for {generic}<T> {{
    type Output = {generic}<T>;
    fn add(self, o: {generic}<T>) -> {generic}<T> {{
        {generic} {{ x: {by_value}, y: self.y + o.y }}
    }}
}}

#[adjoint]
impl<T: Float> std::ops::Mul<T> for {generic}<T> {{
    type Output = {generic}<T>;
    fn mul(self, k: T) -> {generic}<T> {{
        {generic} {{ x: self.x * k, y: {by_t} }}
    }}
}}

#[adjoint]
impl<T: Float> {generic}<T> {{
    pub fn dot(&self, o: &{generic}<T>) -> T {{
        self.x * o.x + self.y * o.y
    }}
    pub fn bent(self, k: T) -> {generic}<T> {{
        if {test} {{
            return self + {generic} {{ x: k, y: self.x }};
        }}
        {generic} {{ x: {bent}, y: self.y }}
    }}
    pub fn shift(&mut self, o: {generic}<T>, k: T) {{
        *self = *self * k + o.bent(self.x);
        self.y = self.y - k * o.x;
    }}
}}"
    ));
    world.shapes.push(format!("flat!({name} {{ x, y }});"));
    let fields = [("x", Ty::Real), ("y", Ty::Real)];
    world.records.push(Record {
        name: name.clone(),
        fields: fields.map(|(field, ty)| (field.to_string(), ty)).to_vec(),
        operators: vec!["+", "*"],
    });
    let (real, own) = ((Ty::Real, Held::Owned), (ty.clone(), Held::Owned));
    let shared = (ty.clone(), Held::Shared);
    let mutable = (ty.clone(), Held::Mut);
    let lent = [shared.clone()];
    method(world, &name, "dot", shared, &lent, Some(Ty::Real));
    let by = std::slice::from_ref(&real);
    method(world, &name, "bent", own.clone(), by, Some(ty.clone()));
    method(world, &name, "shift", mutable, &[own, real], None);
    path(rng, world, &generic, &name, &ty);
    world.types.push(ty);
}

/// Functions over sequences of them, generic or not.
fn path(rng: &mut Random, world: &mut World, generic: &str, name: &str, ty: &Ty) {
    let f = world.name("path");
    let step = over(rng, world, &["p.x", "p.y", "k"], 2);
    let text = match rng.chance(50) {
        true => format!(
            "pub fn {f}<T: Float>(ps: &[{generic}<T>], k: T) -> T {{
    let mut at = {generic} {{ x: k, y: T::one() }};
    let mut s = T::zero();
    for p in ps {{
        at = at + *p * k;
        s = s + at.dot(p);
        at.shift(*p, s.tanh());
    }}
    s
}}"
        ),
        false => format!(
            "pub fn {f}(ps: &[{name}], k: f64) -> f64 {{
    let sum = ps.iter().fold({generic} {{ x: k, y: 0.3 }}, |at, p| at * 0.5 + p.bent({step}));
    sum.dot(&{generic} {{ x: 0.4, y: k }})
}}"
        ),
    };
    world.items.push(format!("#[adjoint]\n{text}"));
    let slice = (Ty::slice(ty.clone()), Held::Shared);
    function(
        world,
        f,
        vec![slice, (Ty::Real, Held::Owned)],
        Some(Ty::Real),
    );
}
