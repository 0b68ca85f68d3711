//! Values that are taken apart, and functions within the function.

use super::types::{Held, Ty};
use super::writer::Writer;

impl Writer<'_> {
    /// `let Body { a, .. } = ..;`, or a struct that is made of another.
    pub(in crate::gen_source) fn taken_apart(&mut self) {
        let Some(var) = self.some(|v| matches!(v.ty, Ty::Named(_))) else {
            return self.sliced();
        };
        let Some(record) = self.world.record(&var.ty).cloned() else {
            return self.sliced();
        };
        if self.rng.chance(40) {
            let (t, value) = (self.name("v"), self.bounded(1));
            let (name, old) = (&record.name, var.name);
            self.line(format!(
                "let mut {t} = {name} {{ a: {value}, ..{old}.clone() }};"
            ));
            self.know(&t, var.ty, Held::Owned, true);
            return;
        }
        let held = if self.rng.chance(50) {
            Held::Shared
        } else {
            Held::Owned
        };
        let mut parts = Vec::new();
        let mut names = Vec::new();
        for (field, ty) in &record.fields {
            let part = self.name(field);
            parts.push(format!("{field}: {part}"));
            names.push((part, ty.clone()));
        }
        let whole = match held {
            Held::Owned => format!("{}.clone()", var.name),
            _ => var.lent(Held::Shared),
        };
        self.line(format!(
            "let {} {{ {} }} = {whole};",
            record.name,
            parts.join(", ")
        ));
        if held == Held::Shared {
            self.freeze(&var.name);
        }
        for (part, ty) in names {
            self.know(&part, ty, held, false);
        }
    }

    /// A `match` on a slice.
    pub(in crate::gen_source) fn sliced(&mut self) {
        let Some(var) = self.some(|v| v.ty.is_reals() && !matches!(v.ty, Ty::Array(..))) else {
            return self.assign();
        };
        let (a, b, rest) = (self.name("a"), self.name("b"), self.name("rest"));
        let name = &var.name;
        self.block(&format!("match &{name}[..] "), |w| {
            w.freeze(name);
            w.block("[] => ", |w| w.increment());
            w.block(&format!("[{a}] => "), |w| {
                w.know(&a, Ty::Real, Held::Shared, false);
                w.some_statements(2);
            });
            let middle = match w.rng.below(3) {
                0 => format!("[{a}, {rest} @ .., {b}] => "),
                1 => format!("[{a}, {b}, {rest} @ ..] => "),
                _ => format!("[{rest} @ .., {a}, {b}] => "),
            };
            w.block(&middle, |w| {
                w.know(&a, Ty::Real, Held::Shared, false);
                w.know(&b, Ty::Real, Held::Shared, false);
                w.know(&rest, Ty::slice(Ty::Real), Held::Shared, false);
                w.some_statements(2);
                w.increment();
            });
        });
    }

    /// A function in the function, that calls what it is handed.
    pub(in crate::gen_source) fn handed_in(&mut self) {
        let (f, n) = (self.name("apply"), self.rng.between(1, 3));
        let how = *self
            .rng
            .pick(&["impl Fn(f64) -> f64", "&dyn Fn(f64) -> f64"]);
        let body = match self.rng.below(3) {
            0 => "f(a) + 0.5 * f(0.3 * a)".to_string(),
            1 => "f(f(a).tanh())".to_string(),
            _ => format!("(0..{n}).map(|i| f(a * i as f64)).sum::<f64>()"),
        };
        self.line(format!("fn {f}(f: {how}, a: f64) -> f64 {{ {body} }}"));
        let param = self.name("a");
        let inner = self.in_closure(|w| {
            w.know(&param, Ty::Real, Held::Owned, false);
            w.bounded(2)
        });
        let (arg, t) = (self.real(1), self.name("t"));
        let lent = if how.starts_with('&') { "&" } else { "" };
        self.line(format!(
            "let {t} = {f}({lent}|{param}: f64| {inner}, {arg});"
        ));
        self.know(&t, Ty::Real, Held::Owned, false);
    }

    /// `unzip` or `partition`.
    pub(in crate::gen_source) fn parted(&mut self) {
        let Some(var) = self.some(|v| v.ty.is_reals()) else {
            return self.assign();
        };
        let (a, b, c) = (self.name("v"), self.name("v"), self.literal());
        let name = &var.name;
        let how = match self.rng.below(2) {
            0 => format!("{name}.iter().partition(|p| **p > {c})"),
            _ => {
                let body = self.in_closure(|w| {
                    w.know("p", Ty::Real, Held::Shared, false);
                    format!("({}, {})", w.real(1), w.real(1))
                });
                format!("{name}.iter().map(|p| {body}).unzip()")
            }
        };
        self.line(format!("let ({a}, mut {b}): (Vec<f64>, Vec<f64>) = {how};"));
        self.know(&a, Ty::seq(Ty::Real), Held::Owned, false);
        self.know(&b, Ty::seq(Ty::Real), Held::Owned, true);
    }
}
