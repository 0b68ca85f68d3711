//! Structs with methods and operators, and a matrix that is stored flat.

use super::{function, method, over};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::draw::types::{Held, Ty};
use crate::gen_source::draw::writer::Writer;
use crate::gen_source::world::{Record, World};

/// Draws a struct.
pub(super) fn draw(rng: &mut Random, world: &mut World, family: Family) {
    let name = world.name("Body");
    let fields = fields(rng, world);
    let operators = operators(rng, &fields);
    let names: Vec<&str> = fields.iter().map(|(field, _)| field.as_str()).collect();
    let copy = match fields.iter().all(|(_, ty)| ty.is_copy()) {
        true => "Copy, ",
        false => "",
    };
    let declared: Vec<String> = fields
        .iter()
        .map(|(field, ty)| format!("    pub {field}: {},", ty.text()))
        .collect();
    world.items.push(format!(
        "#[derive(Clone, {copy}Debug, Differentiable)]\npub struct {name} {{\n{}\n}}",
        declared.join("\n")
    ));
    world
        .shapes
        .push(format!("flat!({name} {{ {} }});", names.join(", ")));
    let ty = Ty::Named(name.clone());
    let record = Record {
        name: name.clone(),
        fields: fields.clone(),
        operators: operators.iter().map(|(op, _)| *op).collect(),
    };
    world.records.push(record);
    methods(rng, world, family, &name, &ty);
    for (op, word) in &operators {
        let text = operator(rng, world, &name, &fields, op, word);
        world.items.push(text);
    }
    world.types.push(ty);
}

fn fields(rng: &mut Random, world: &World) -> Vec<(String, Ty)> {
    let mut fields = vec![("a".to_string(), Ty::Real)];
    for field in ["b", "c", "d"] {
        let ty = match rng.below(9) {
            0..3 => Ty::Real,
            3 => Ty::Array(Box::new(Ty::Real), 2),
            4 => Ty::seq(Ty::Real),
            5 => Ty::opt(Ty::Real),
            6 => match world.some_type(rng) {
                Some(ty) => ty,
                None => continue,
            },
            7 => Ty::pair(),
            _ => continue,
        };
        fields.push((field.to_string(), ty));
    }
    fields
}

/// The operators that the fields allow.
fn operators(rng: &mut Random, fields: &[(String, Ty)]) -> Vec<(&'static str, &'static str)> {
    let simple = |ty: &Ty| matches!(ty, Ty::Real | Ty::Array(..));
    if !fields.iter().all(|(_, ty)| simple(ty)) {
        return Vec::new();
    }
    let all = [("+", "Add"), ("-", "Sub"), ("*", "Mul"), ("neg", "Neg")];
    all.into_iter().filter(|_| rng.chance(50)).collect()
}

fn operator(
    rng: &mut Random,
    world: &World,
    name: &str,
    fields: &[(String, Ty)],
    op: &str,
    word: &str,
) -> String {
    let combine = |x: &str, rng: &mut Random| match op {
        "neg" => format!("-self.{x}"),
        "*" => format!("self.{x} * other"),
        _ => match rng.chance(70) {
            true => format!("self.{x} {op} other.{x}"),
            false => format!(
                "{} {op} self.{x}",
                over(rng, world, &[&format!("other.{x}")], 1)
            ),
        },
    };
    let mut values = Vec::new();
    for (field, ty) in fields {
        values.push(match ty {
            Ty::Array(..) => {
                let each: Vec<String> = (0..2)
                    .map(|k| combine(&format!("{field}[{k}]"), rng))
                    .collect();
                format!("{field}: [{}]", each.join(", "))
            }
            _ => format!("{field}: {}", combine(field, rng)),
        });
    }
    let other = if op == "*" { "f64" } else { name };
    let (generic, param) = match op {
        "neg" => (String::new(), String::new()),
        _ => (format!("<{other}>"), format!(", other: {other}")),
    };
    let function = word.to_lowercase();
    format!(
        "#[adjoint]\nimpl std::ops::{word}{generic} for {name} {{\n    type Output = {name};\n    \
         fn {function}(self{param}) -> {name} {{\n        {name} {{ {} }}\n    }}\n}}",
        values.join(", ")
    )
}

/// Methods by `&self`, `&mut self` and `self`, with drawn bodies, that may call those before them.
fn methods(rng: &mut Random, world: &mut World, family: Family, name: &str, ty: &Ty) {
    let mut bodies = Vec::new();
    let all = [
        ("total", Held::Shared, Some(Ty::Real)),
        ("change", Held::Mut, None),
        ("step", Held::Mut, Some(Ty::Real)),
        ("moved", Held::Owned, Some(ty.clone())),
        ("spent", Held::Owned, Some(Ty::Real)),
    ];
    for (word, held, ret) in all {
        if !rng.chance(50) {
            continue;
        }
        let body = method_body(rng, world, family, ty, held, ret.as_ref());
        let this = match held {
            Held::Owned => "mut self".to_string(),
            Held::Shared => "&self".to_string(),
            Held::Mut => "&mut self".to_string(),
        };
        let arrow = ret
            .as_ref()
            .map_or(String::new(), |t| format!(" -> {}", t.text()));
        bodies.push(format!(
            "    pub fn {word}({this}, k: f64){arrow} {{\n{body}\n    }}"
        ));
        let params = [(Ty::Real, Held::Owned)];
        method(world, name, word, (ty.clone(), held), &params, ret);
    }
    if !bodies.is_empty() {
        world.items.push(format!(
            "#[adjoint]\nimpl {name} {{\n{}\n}}",
            bodies.join("\n\n")
        ));
    }
}

fn method_body(
    rng: &mut Random,
    world: &World,
    family: Family,
    ty: &Ty,
    held: Held,
    ret: Option<&Ty>,
) -> String {
    let mut w = Writer::new(rng, world, family);
    w.level = 1;
    w.budget = 4;
    w.know("self", ty.clone(), held, held != Held::Shared);
    w.know("k", Ty::Real, Held::Owned, false);
    w.result = ret.cloned();
    w.some_statements(3);
    if held == Held::Mut {
        w.write_to("self");
    }
    match ret {
        Some(ret) if ret == ty => w.line("self"),
        Some(ret) => {
            let value = w.value(ret, 2);
            w.line(value);
        }
        None => {}
    }
    w.text()
}

/// A matrix that is stored row by row.
pub(super) fn draw_matrix(rng: &mut Random, world: &mut World, _: Family) {
    let name = world.name("Matrix");
    let scaled = over(rng, world, &["k", "*v"], 2);
    let entry = over(rng, world, &["k", "p"], 1);
    let (rows, cols) = (rng.between(1, 2), rng.between(1, 3));
    world.items.push(format!(
        "#[derive(Clone, Debug, Differentiable)]
pub struct {name} {{
    pub data: Vec<f64>,
    pub cols: usize,
}}
#[adjoint]
impl {name} {{
    pub fn filled(k: f64) -> {name} {{
        let data = (0..{rows} * {cols}).map(|i| {{ let p = k * i as f64; {entry} }}).collect();
        {name} {{ data, cols: {cols} }}
    }}
    pub fn at(&self, i: usize, j: usize) -> f64 {{
        self.data[(i * self.cols + j) % self.data.len()]
    }}
    pub fn applied(&self, x: &[f64]) -> Vec<f64> {{
        self.data.chunks(self.cols).map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum()).collect()
    }}
    pub fn scale(&mut self, k: f64) {{
        for row in self.data.chunks_mut(self.cols) {{
            for v in row.iter_mut() {{
                *v = {scaled};
            }}
        }}
    }}
    pub fn trace(&self) -> f64 {{
        let mut sum = 0.0;
        for i in 0..self.cols {{
            sum += self.at(i, i);
        }}
        sum
    }}
}}"
    ));
    world.shapes.push(format!("flat!({name} {{ data }});"));
    let ty = Ty::Named(name.clone());
    let this = |held| (ty.clone(), held);
    let real = (Ty::Real, Held::Owned);
    let int = (Ty::Int, Held::Owned);
    let slice = (Ty::slice(Ty::Real), Held::Shared);
    method(
        world,
        &name,
        "at",
        this(Held::Shared),
        &[int.clone(), int],
        Some(Ty::Real),
    );
    method(
        world,
        &name,
        "applied",
        this(Held::Shared),
        &[slice],
        Some(Ty::seq(Ty::Real)),
    );
    method(
        world,
        &name,
        "scale",
        this(Held::Mut),
        std::slice::from_ref(&real),
        None,
    );
    method(
        world,
        &name,
        "trace",
        this(Held::Shared),
        &[],
        Some(Ty::Real),
    );
    function(
        world,
        format!("{name}::filled"),
        vec![real],
        Some(ty.clone()),
    );
    world.types.push(ty);
}
