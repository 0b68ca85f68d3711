//! Options: made, taken apart, and looked into.

use super::types::{Held, Ty};
use super::writer::Writer;

impl Writer<'_> {
    /// An `Option` of a value of the type.
    pub(in crate::gen_source) fn option(&mut self, of: &Ty, depth: usize) -> String {
        let value = self.value(of, depth);
        let plain = match self.rng.below(4) {
            0 => {
                let condition = self.condition(depth.min(1));
                let value = self.value(of, depth);
                format!("if {condition} {{ Some({value}) }} else {{ None }}")
            }
            1 => return format!("({}).then(|| {value})", self.condition(0)),
            _ => format!("Some({value})"),
        };
        if *of != Ty::Real {
            return plain;
        }
        let Some(var) = self.some(|v| v.ty.is_reals()) else {
            return plain;
        };
        let (name, k, c) = (var.name, self.rng.below(3), self.literal());
        match self.rng.below(9) {
            0 => format!("{name}.get({k}).copied()"),
            1 => format!("{name}.first().map(|a| a * {value})"),
            2 => format!("{name}.iter().copied().reduce(|a, b| a + {c} * b)"),
            3 => format!("{name}.iter().copied().max_by(|a, b| a.total_cmp(b))"),
            4 => format!("{name}.iter().copied().find(|a| *a > {c})"),
            5 => format!("{name}.last().copied().filter(|a| *a < {c}).or(Some({value}))"),
            6 => format!(
                "{name}.get({k}).and_then(|a| {name}.get({}).map(|b| a * b))",
                k + 1
            ),
            _ => plain,
        }
    }

    /// A real of an `Option` that stands where it is used.
    pub(in crate::gen_source) fn of_option(&mut self, depth: usize) -> String {
        let below = depth.min(1);
        let (option, c) = (self.option(&Ty::Real, below), self.literal());
        let option = match self.some(|v| v.ty == Ty::opt(Ty::Real)) {
            Some(var) if self.rng.chance(60) => var.value(),
            _ => format!("({option})"),
        };
        let (name, other) = (self.name("o"), self.real(0));
        let body = self.in_closure(|w| {
            w.know(&name, Ty::Real, Held::Owned, false);
            w.real(below)
        });
        match self.rng.below(7) {
            0 => format!("{option}.map_or({other}, |{name}| {body})"),
            1 => format!("{option}.map(|{name}| {body}).unwrap_or({other})"),
            2 => format!("(if let Some({name}) = {option} {{ {body} }} else {{ {other} }})"),
            3 => format!(
                "(match {option} {{ Some({name}) if {name} > {c} => {body}, Some(_) => {c}, None => {other} }})"
            ),
            4 => format!("{option}.map_or_else(|| {other}, |{name}| {body})"),
            5 => format!(
                "{option}.and_then(|{name}| if {name} > {c} {{ Some({body}) }} else {{ None }}).unwrap_or({other})"
            ),
            _ => format!("{option}.ok_or({c}).map_or_else(|e| e * {other}, |{name}| {body})"),
        }
    }

    /// `if let`, `let else` or `match` on an option, as a statement.
    pub(in crate::gen_source) fn look_into(&mut self) {
        let option = match self.some(|v| v.ty == Ty::opt(Ty::Real)) {
            Some(var) if self.rng.chance(60) => var.value(),
            _ => format!("({})", self.option(&Ty::Real, 1)),
        };
        let name = self.name("o");
        let bound = |w: &mut Self| {
            w.know(&name, Ty::Real, Held::Owned, false);
        };
        match self.rng.below(4) {
            0 if self.can_leave() => {
                let leave = self.leaving();
                self.line(format!("let Some({name}) = {option} else {{ {leave} }};"));
                bound(self);
            }
            1 => {
                self.block(&format!("match {option} "), |w| {
                    w.block(&format!("Some({name}) if {name} > 0.2 => "), |w| {
                        bound(w);
                        w.some_statements(2);
                        w.increment();
                    });
                    w.block(&format!("Some({name}) => "), |w| {
                        bound(w);
                        w.increment();
                    });
                    w.block("None => ", |w| w.some_statements(1));
                });
            }
            _ => {
                self.block(&format!("if let Some({name}) = {option} "), |w| {
                    bound(w);
                    w.some_statements(2);
                    w.increment();
                });
                if self.rng.chance(50) {
                    self.block("else ", |w| w.some_statements(2));
                }
            }
        }
    }

    /// Changes an option in its place.
    pub(in crate::gen_source) fn change_option(&mut self) {
        let Some(var) = self.some_written(|v| v.ty == Ty::opt(Ty::Real)) else {
            return self.look_into();
        };
        let (name, target) = (var.name.clone(), var.value());
        match self.rng.below(6) {
            0 => {
                let value = self.bounded(1);
                self.line(format!("{name}.replace({value});"));
            }
            1 => {
                let taken = self.name("t");
                self.line(format!("let {taken} = {name}.take();"));
                self.know(&taken, Ty::opt(Ty::Real), Held::Owned, false);
            }
            2 => {
                let value = self.bounded(1);
                self.line(format!("*{name}.get_or_insert(0.4) += {value};"));
            }
            3 => {
                let inner = self.name("o");
                self.block(&format!("if let Some({inner}) = {name}.as_mut() "), |w| {
                    w.hide(&name);
                    w.know(&inner, Ty::Real, Held::Mut, true);
                    w.write_to(&inner);
                });
            }
            _ => {
                let value = self.option(&Ty::Real, 1);
                self.line(format!("{target} = {value};"));
            }
        }
    }
}
