//! Values of any type, and calls.

use super::types::{Held, Ty};
use super::writer::Writer;
use crate::gen_source::world::Function;

impl Writer<'_> {
    /// An owned value of the type.
    pub(in crate::gen_source) fn value(&mut self, ty: &Ty, depth: usize) -> String {
        if self.rng.chance(25)
            && let Some(var) = self.some(|v| v.ty == *ty && !ty.is_copy())
        {
            if self.movable(&var) && self.rng.chance(60) {
                self.hide(&var.name);
                return var.name;
            }
            return format!("{}.clone()", var.name);
        }
        if depth > 0
            && self.rng.chance(30)
            && let Some(call) = self.call(&|ret| ret == ty, depth - 1, false)
        {
            return call;
        }
        let below = depth.saturating_sub(1);
        match ty {
            Ty::Real => self.bounded(depth),
            Ty::Int => self.index(),
            Ty::Seq(of) => self.sequence(of, below),
            Ty::Array(of, n) => self.array(of, *n, below),
            Ty::Tup(all) => {
                let all: Vec<String> = all.iter().map(|t| self.value(t, below)).collect();
                format!("({})", all.join(", "))
            }
            Ty::Opt(of) => self.option(of, below),
            Ty::Named(_) => self.named(ty, below),
            Ty::Slice(_) | Ty::Fun(_) => unreachable!("no owned value"),
        }
    }

    fn array(&mut self, of: &Ty, n: usize, depth: usize) -> String {
        if of.is_copy() && self.rng.chance(30) {
            return format!("[{}; {n}]", self.value(of, depth));
        }
        if *of == Ty::Real && self.rng.chance(20) {
            let body = self.in_closure(|w| {
                w.know("j", Ty::Int, Held::Owned, false);
                w.bounded(depth)
            });
            return format!("std::array::from_fn::<f64, {n}, _>(|j| {body})");
        }
        let all: Vec<String> = (0..n).map(|_| self.value(of, depth)).collect();
        format!("[{}]", all.join(", "))
    }

    fn sequence(&mut self, of: &Ty, depth: usize) -> String {
        let listed = |w: &mut Self, n: usize| {
            let all: Vec<String> = (0..n).map(|_| w.value(of, depth)).collect();
            format!("vec![{}]", all.join(", "))
        };
        if *of == Ty::Real {
            match self.rng.below(8) {
                0..4 => return self.collected(depth),
                4 => {
                    if let Some(var) = self.some(|v| v.ty.is_reals()) {
                        return format!("{}.to_vec()", var.name);
                    }
                }
                _ => {}
            }
        }
        match self.rng.below(5) {
            0 => {
                let n = self.count();
                format!("vec![{}; {n}]", self.value(of, depth))
            }
            1 => {
                let n = self.count();
                let body = self.in_closure(|w| {
                    w.know("j", Ty::Int, Held::Owned, false);
                    w.value(of, depth)
                });
                format!("(0..{n}).map(|j| {body}).collect::<Vec<{}>>()", of.text())
            }
            2 if depth == 0 => format!("Vec::<{}>::new()", of.text()),
            _ => {
                let n = self.rng.between(1, 3);
                listed(self, n)
            }
        }
    }

    fn named(&mut self, ty: &Ty, depth: usize) -> String {
        if let Some(record) = self.world.record(ty).cloned() {
            if !record.operators.is_empty() && depth > 0 && self.rng.chance(30) {
                return self.operator(ty, &record.operators, depth - 1);
            }
            let fields: Vec<String> = record
                .fields
                .iter()
                .map(|(field, ty)| format!("{field}: {}", self.value(ty, depth)))
                .collect();
            return format!("{} {{ {} }}", record.name, fields.join(", "));
        }
        if let Some(call) = self.call(&|ret| ret == ty, depth.min(1), false) {
            return call;
        }
        format!("<{}>::default()", ty.text())
    }

    fn operator(&mut self, ty: &Ty, operators: &[&'static str], depth: usize) -> String {
        let op = *self.rng.pick(operators);
        let left = self.value(ty, depth);
        let right = match op {
            "*" => self.real(depth),
            _ => self.value(ty, depth),
        };
        match op {
            "neg" => format!("(-({left}))"),
            _ => format!("(({left}) {op} ({right}))"),
        }
    }

    /// A call of a function whose result is wanted, and which writes to its arguments only where that is allowed.
    pub(in crate::gen_source) fn call(
        &mut self,
        wanted: &dyn Fn(&Ty) -> bool,
        depth: usize,
        writing: bool,
    ) -> Option<String> {
        let same = |f: &Function| f.params.iter().any(|(ty, _)| Some(ty) == f.ret.as_ref());
        let fits = |f: &&Function| {
            f.ret.as_ref().is_some_and(wanted)
                && (depth > 0 || !same(f))
                && (writing || f.params.iter().all(|(_, held)| *held != Held::Mut))
        };
        let all: Vec<Function> = self.world.functions.iter().filter(fits).cloned().collect();
        if all.is_empty() {
            return None;
        }
        let function = self.rng.pick(&all).clone();
        self.call_of(&function, depth)
    }

    /// A call of this function, if there is something for each of its parameters. What it writes to is not
    /// mentioned in the other arguments.
    pub(in crate::gen_source) fn call_of(
        &mut self,
        function: &Function,
        depth: usize,
    ) -> Option<String> {
        self.within(|w| {
            let mut args: Vec<Option<String>> = vec![None; function.params.len()];
            for (at, (ty, held)) in function.params.iter().enumerate() {
                if *held == Held::Mut {
                    let var = w.some_written(|v| lends(&v.ty, ty))?;
                    w.hide(&var.name);
                    args[at] = Some(var.lent(Held::Mut));
                }
            }
            for (at, (ty, held)) in function.params.iter().enumerate() {
                match held {
                    Held::Mut => {}
                    Held::Owned => args[at] = Some(w.argument(ty, depth)),
                    Held::Shared => args[at] = Some(w.lent_argument(ty, depth)?),
                }
            }
            let args: Vec<String> = args.into_iter().flatten().collect();
            Some(w.written_call(function, args))
        })
    }

    fn written_call(&mut self, function: &Function, args: Vec<String>) -> String {
        match &function.method {
            Some(name) if self.rng.chance(85) => {
                let on = args[0].trim_start_matches("&mut ").trim_start_matches('&');
                let on = match on
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '_' || c == '.')
                {
                    true => on.to_string(),
                    false => format!("({on})"),
                };
                format!("{on}.{name}({})", args[1..].join(", "))
            }
            _ => format!("{}({})", function.path, args.join(", ")),
        }
    }

    fn argument(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Real => self.real(depth),
            Ty::Int => format!("{} % 3", self.index()),
            _ => self.value(ty, depth),
        }
    }

    fn lent_argument(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let held = self.some(|v| lends(&v.ty, ty));
        if let Some(var) = held
            && self.rng.chance(85)
        {
            let name = &var.name;
            if ty.is_reals() && matches!(ty, Ty::Slice(_)) && self.rng.chance(25) {
                return Some(match self.rng.below(3) {
                    0 => format!("&{name}[..{name}.len() / 2]"),
                    1 => format!("&{name}[{name}.len().min(1)..]"),
                    _ => format!("&{name}[{name}.len() / 3..]"),
                });
            }
            return Some(var.lent(Held::Shared));
        }
        Some(match ty {
            Ty::Slice(of) => format!("&[{}, {}]", self.value(of, depth), self.value(of, depth)),
            _ => format!("&{}", self.value(ty, depth)),
        })
    }
}

/// Whether a value of the type can be lent where the other is taken.
fn lends(held: &Ty, taken: &Ty) -> bool {
    held == taken
        || matches!(taken, Ty::Slice(_))
            && held.element() == taken.element()
            && held.element().is_some()
}
