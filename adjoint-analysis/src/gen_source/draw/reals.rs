//! Expressions of reals, integers and conditions.

use super::types::{Held, Ty};
use super::writer::{Var, Writer};
use crate::gen_source::Family;

/// Draws an expression of so many levels.
type Draw<'w> = fn(&mut Writer<'w>, usize) -> String;

impl Writer<'_> {
    /// A real literal; never one at which functions have kinks.
    pub(in crate::gen_source) fn literal(&mut self) -> String {
        let all = [
            "0.1", "0.25", "0.3", "0.45", "0.6", "0.75", "0.9", "1.1", "1.3",
        ];
        self.rng.pick(&all).to_string()
    }

    /// A real whose size does not matter.
    pub(in crate::gen_source) fn real(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.real_leaf();
        }
        let chains = if self.family == Family::Chains { 5 } else { 2 };
        let structures = if self.family == Family::Structures {
            5
        } else {
            2
        };
        let kinds: &[(usize, Draw<'_>)] = &[
            (4, |w, _| w.real_leaf()),
            (6, Self::arithmetic),
            (4, Self::function),
            (2, Self::conditional),
            (1, Self::matched),
            (1, Self::block_value),
            (structures, Self::real_call),
            (chains, Self::consumed),
            (2, Self::closure_call),
            (2, Self::of_option),
        ];
        let draw = self.rng.weighted(kinds);
        draw(self, depth - 1)
    }

    /// One of less than about 1.
    pub(in crate::gen_source) fn bounded(&mut self, depth: usize) -> String {
        let real = self.real(depth);
        match self.rng.below(4) {
            0 => format!("({real}).sin()"),
            1 => format!("({real}).tanh()"),
            2 => format!("({real}).cos()"),
            _ => format!("0.5 * ({real}).tanh()"),
        }
    }

    pub(in crate::gen_source) fn real_leaf(&mut self) -> String {
        for _ in 0..3 {
            if let Some(var) = self.some(|_| true)
                && let Some(text) = self.read(&var)
            {
                return text;
            }
        }
        match self.some(|v| v.ty == Ty::Real) {
            Some(var) if self.rng.chance(80) => var.value(),
            _ => self.literal(),
        }
    }

    /// A real that is in what the name holds.
    pub(in crate::gen_source) fn read(&mut self, var: &Var) -> Option<String> {
        let name = &var.name;
        Some(match &var.ty {
            Ty::Real => var.value(),
            Ty::Int => match self.rng.below(3) {
                0 => format!("({} as f64 * 0.1)", var.value()),
                1 => format!("0.2 * (({} % 5) as f64)", var.value()),
                _ => format!("(0.3 * {} as f64).sin()", var.value()),
            },
            Ty::Tup(all) => {
                let reals: Vec<usize> = (0..all.len()).filter(|i| all[*i] == Ty::Real).collect();
                if reals.is_empty() {
                    return None;
                }
                format!("{name}.{}", self.rng.pick(&reals))
            }
            Ty::Opt(of) if **of == Ty::Real => {
                format!("{}.unwrap_or({})", var.value(), self.literal())
            }
            Ty::Named(_) => self.read_field(var)?,
            ty if ty.is_reals() => self.read_element(var),
            _ => return None,
        })
    }

    fn read_field(&mut self, var: &Var) -> Option<String> {
        let record = self.world.record(&var.ty)?;
        let (field, ty) = self.rng.pick(&record.fields);
        match ty {
            Ty::Real => Some(format!("{}.{field}", var.name)),
            Ty::Array(of, n) if **of == Ty::Real => {
                Some(format!("{}.{field}[{}]", var.name, self.rng.below(*n)))
            }
            _ => None,
        }
    }

    fn read_element(&mut self, var: &Var) -> String {
        let name = &var.name;
        if var.least > 0 && self.rng.chance(80) {
            return format!("{name}[{}]", self.rng.below(var.least));
        }
        let (k, c) = (self.rng.below(4), self.literal());
        match self.rng.below(8) {
            0 => format!("{name}.get({k}).copied().unwrap_or({c})"),
            1 => format!("{name}.first().map_or({c}, |a| a * {c})"),
            2 => format!("*{name}.last().unwrap_or(&{c})"),
            3 => {
                let index = self.index();
                format!(
                    "(if {name}.is_empty() {{ {c} }} else {{ {name}[{index} % {name}.len()] }})"
                )
            }
            4 => format!("{name}.iter().sum::<f64>()"),
            5 => format!("(if let Some(a) = {name}.get({k}) {{ a * {c} }} else {{ {c} }})"),
            6 => format!("(match {name}.first() {{ Some(&a) => a, None => {c} }})"),
            _ => {
                let index = self.index();
                format!("{name}.get({index}).map_or({c}, |&a| a)")
            }
        }
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        let (a, b) = (self.real(depth), self.real(depth));
        match self.rng.below(7) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 | 4 => format!("({a}) * ({b})"),
            5 => format!("({a}) / (1.5 + ({b}).powi(2))"),
            _ => format!("-({a} - {b})"),
        }
    }

    fn function(&mut self, depth: usize) -> String {
        let a = self.real(depth);
        let c = self.literal();
        match self.rng.below(16) {
            0..3 => format!("({a}).sin()"),
            3 => format!("({a}).cos()"),
            4 | 5 => format!("({a}).tanh()"),
            6 => format!("(0.3 * ({a}).sin()).exp()"),
            7 => format!("(1.0 + ({a}).powi(2)).sqrt()"),
            8 => format!("(1.3 + ({a}).powi(2)).ln()"),
            9 => format!("({a}).atan()"),
            10 => format!("({a}).abs()"),
            11 => format!("({a}).max({c})"),
            12 => format!("({a}).min({c})"),
            13 => format!("({a}).sin().mul_add({c}, 0.2)"),
            14 => format!("f64::sin({a})"),
            _ => format!("({a}).clamp(-1.7, {c})"),
        }
    }

    fn conditional(&mut self, depth: usize) -> String {
        let condition = self.condition(depth.min(1));
        let (a, b) = (self.real(depth), self.real(depth));
        format!("(if {condition} {{ {a} }} else {{ {b} }})")
    }

    fn matched(&mut self, depth: usize) -> String {
        let (index, n) = (self.index(), self.rng.between(2, 3));
        let [a, b, c] = [depth; 3].map(|d| self.real(d));
        match self.rng.below(3) {
            0 => format!("(match {index} % {n} {{ 0 => {a}, 1 => {b}, _ => {c} }})"),
            1 => {
                let condition = self.condition(0);
                format!(
                    "(match {index} % {n} {{ 0 if {condition} => {a}, 0 | 1 => {b}, _ => {c} }})"
                )
            }
            _ => {
                let (on, bound) = (self.real(depth), self.literal());
                format!(
                    "(match {on} {{ m if m > {bound} => {a} * m, m if m < -0.2 => m * {b}, _ => {c} }})"
                )
            }
        }
    }

    /// `{ let t = ..; .. }`
    fn block_value(&mut self, depth: usize) -> String {
        let value = self.real(depth);
        let name = self.name("t");
        let body = self.within(|w| {
            w.know(&name, Ty::Real, Held::Owned, false);
            w.real(depth)
        });
        format!("({{ let {name} = {value}; {body} * {name} }})")
    }

    /// An integer that may be taken for an index, modulo a length.
    pub(in crate::gen_source) fn index(&mut self) -> String {
        match self.some(|v| v.ty == Ty::Int) {
            Some(var) => match self.rng.below(4) {
                0 => format!("({} + {})", var.value(), self.rng.below(3)),
                1 => format!("(2 * {})", var.value()),
                _ => var.value(),
            },
            None => match self.some(|v| v.ty.element().is_some()) {
                Some(var) => format!("{}.len()", var.name),
                None => self.rng.below(4).to_string(),
            },
        }
    }

    /// A number of iterations or elements.
    pub(in crate::gen_source) fn count(&mut self) -> String {
        match self.some(|v| v.ty.element().is_some()) {
            Some(var) if self.rng.chance(50) => match self.rng.below(3) {
                0 => format!("{}.len()", var.name),
                1 => format!("{}.len() / 2", var.name),
                _ => format!("{}.len().min(3)", var.name),
            },
            _ => self.rng.below(5).to_string(),
        }
    }

    pub(in crate::gen_source) fn condition(&mut self, depth: usize) -> String {
        let a = self.real(depth);
        let c = self.literal();
        match self.rng.below(9) {
            0..3 => format!("{a} > {c}"),
            3 => format!("{a} < {}", self.real_leaf()),
            4 => format!("{} % 2 == {}", self.index(), self.rng.below(2)),
            5 => match self.some(|v| v.ty.element().is_some()) {
                Some(var) => format!("!{}.is_empty()", var.name),
                None => format!("{a} <= {c}"),
            },
            6 => format!("{a} > 0.05 && {} < {c}", self.real_leaf()),
            7 => format!("{} % 3 != 1 || {a} > {c}", self.index()),
            _ => match self.some(|v| v.ty.is_reals()) {
                Some(var) => {
                    let word = *self.rng.pick(&["any", "all"]);
                    format!("{}.iter().{word}(|&a| a > {c})", var.name)
                }
                None => format!("!({a} < {c})"),
            },
        }
    }

    /// A call of a function, operator or method that returns a real.
    fn real_call(&mut self, depth: usize) -> String {
        match self.call(&|ret| *ret == Ty::Real, depth, false) {
            Some(call) => call,
            None => self.arithmetic(depth),
        }
    }

    /// A call of a closure with a name.
    fn closure_call(&mut self, depth: usize) -> String {
        let Some(var) = self.some(|v| matches!(v.ty, Ty::Fun(_))) else {
            return self.function(depth);
        };
        let Ty::Fun(arity) = var.ty else {
            return self.literal();
        };
        let args: Vec<String> = (0..arity).map(|_| self.real(depth)).collect();
        format!("{}({})", var.name, args.join(", "))
    }
}
