//! Statements: which there are, declarations and assignments.

use super::types::{Held, Ty};
use super::writer::Writer;
use crate::gen_source::Family;

/// Writes a statement of a kind.
type Draw<'w> = fn(&mut Writer<'w>);

impl Writer<'_> {
    /// Writes a statement.
    pub(in crate::gen_source) fn statement(&mut self) {
        let deep = self.level > 3;
        let (chains, structures) = match self.family {
            Family::Chains => (3, 1),
            Family::Structures => (1, 3),
        };
        let nested = |n: usize| if deep { 0 } else { n };
        let kinds: &[(usize, Draw<'_>)] = &[
            (6, Self::let_real),
            (4, Self::let_other),
            (6, Self::assign),
            (4, Self::increment),
            (nested(4), Self::branch),
            (nested(2), Self::match_statement),
            (nested(2), Self::counted_loop),
            (nested(2 * chains), Self::for_each),
            (nested(2), Self::while_loop),
            (nested(1), Self::labelled_loop),
            (nested(1), Self::inner_block),
            (1, Self::leave),
            (chains, Self::named_closure),
            (nested(chains), Self::writing_closure),
            (nested(2 * chains), Self::look_into),
            (chains, Self::change_option),
            (3, Self::change_sequence),
            (nested(4), Self::indexed_loop),
            (nested(4), Self::induction_loop),
            (nested(chains), Self::named_iterator),
            (structures, Self::taken_apart),
            (nested(1), Self::sliced),
            (usize::from(self.level == 0), Self::handed_in),
            (chains, Self::parted),
            (nested(chains), Self::drained),
            (nested(2 * structures), Self::chosen),
            (structures, Self::exchanged),
            (nested(structures), Self::halves),
            (nested(structures), Self::grid),
            (nested(2 * structures), Self::walked),
            (nested(structures), Self::walked_rows),
            (3 * structures, Self::changing_call),
        ];
        let draw = self.rng.weighted(kinds);
        draw(self);
    }

    fn let_real(&mut self) {
        let value = match self.rng.chance(50) {
            true => self.bounded(3),
            false => self.real(2),
        };
        self.declare("t", Ty::Real, &value);
    }

    fn let_other(&mut self) {
        let ty = self.some_type();
        let value = self.value(&ty, 2);
        if let (Ty::Tup(all), true) = (&ty, self.rng.chance(40)) {
            let names: Vec<String> = all.iter().map(|_| self.name("p")).collect();
            self.line(format!("let ({}) = {value};", names.join(", ")));
            for (name, ty) in names.iter().zip(all) {
                self.know(name, ty.clone(), Held::Owned, false);
            }
            return;
        }
        self.declare("v", ty, &value);
    }

    /// A type of a variable other than a real.
    pub(in crate::gen_source) fn some_type(&mut self) -> Ty {
        if self.family == Family::Structures || self.rng.chance(15) {
            let own = self.world.some_type(self.rng);
            if let (Some(ty), true) = (own, self.rng.chance(60)) {
                return match self.rng.below(6) {
                    0 => Ty::seq(ty),
                    1 => Ty::opt(ty),
                    2 => Ty::seq(Ty::seq(ty)),
                    _ => ty,
                };
            }
        }
        match self.rng.below(10) {
            0..4 => Ty::seq(Ty::Real),
            4 => Ty::Array(Box::new(Ty::Real), self.rng.between(2, 3)),
            5 => Ty::pair(),
            6 => Ty::opt(Ty::Real),
            7 => Ty::seq(Ty::seq(Ty::Real)),
            8 => Ty::seq(Ty::pair()),
            _ => Ty::Int,
        }
    }

    /// Writes to one of the variables.
    pub(in crate::gen_source) fn assign(&mut self) {
        match self.some_written(|v| !matches!(v.ty, Ty::Fun(_) | Ty::Int)) {
            Some(var) => self.write_to(&var.name),
            None => self.let_real(),
        }
    }

    /// Adds to a real that outlives the block.
    pub(in crate::gen_source) fn increment(&mut self) {
        match self.some_written(|v| v.ty == Ty::Real) {
            Some(var) => self.write_real(&var.value()),
            None => self.assign(),
        }
    }

    /// Writes to a place of a real.
    fn write_real(&mut self, place: &str) {
        let (value, c) = (self.bounded(2), self.literal());
        let line = match self.rng.below(7) {
            0 | 1 => format!("{place} += {c} * {value};"),
            2 => format!("{place} -= {c} * {value};"),
            3 => format!("{place} *= 0.7 + 0.3 * {value};"),
            4 => format!("{place} = {c} * {place} + {value};"),
            5 => format!("{place} = ({place} * {value}).sin();"),
            _ => format!("{place} = {value};"),
        };
        self.line(line);
    }

    /// Writes to what the name holds.
    pub(in crate::gen_source) fn write_to(&mut self, name: &str) {
        let Some(var) = self.scope.iter().find(|v| v.name == name).cloned() else {
            return;
        };
        match &var.ty {
            Ty::Real => self.write_real(&var.value()),
            Ty::Opt(_) => self.change_option(),
            Ty::Tup(all) => {
                let at = self.rng.below(all.len());
                match all[at] {
                    Ty::Real => self.write_real(&format!("{name}.{at}")),
                    _ => self.replace(&var.value(), &var.ty),
                }
            }
            Ty::Array(of, n) if **of == Ty::Real => {
                let at = match self.rng.chance(50) {
                    true => self.rng.below(*n).to_string(),
                    false => format!("{} % {n}", self.index()),
                };
                self.write_real(&format!("{name}[{at}]"));
            }
            ty if ty.is_reals() => self.write_element(name, var.least),
            Ty::Slice(_) => {}
            ty => {
                let field = self.world.record(ty).and_then(|record| {
                    let reals = record.fields.iter().filter(|(_, ty)| *ty == Ty::Real);
                    reals.map(|(field, _)| field.clone()).next_back()
                });
                match field {
                    Some(field) if self.rng.chance(70) => {
                        self.write_real(&format!("{name}.{field}"));
                    }
                    _ => self.replace(&var.value(), ty),
                }
            }
        }
    }

    fn replace(&mut self, place: &str, ty: &Ty) {
        let value = self.value(&ty.clone(), 2);
        self.line(format!("{place} = {value};"));
    }

    /// Writes to an element, where there is one.
    fn write_element(&mut self, name: &str, least: usize) {
        if least > 0 {
            let at = self.rng.below(least);
            return self.write_real(&format!("{name}[{at}]"));
        }
        let (k, element) = (self.rng.below(4), self.name("e"));
        let slice = self
            .scope
            .iter()
            .any(|v| v.name == name && matches!(v.ty, Ty::Slice(_)));
        let head = match self.rng.below(4) {
            0 => format!("if let Some({element}) = {name}.get_mut({k}) "),
            1 => format!("if let Some({element}) = {name}.last_mut() "),
            2 => format!("if let Some({element}) = {name}.iter_mut().nth({k}) "),
            _ => {
                let index = self.index();
                self.block(&format!("if {name}.len() > {k} "), |w| {
                    // In front of a `Vec`'s index, it is borrowed already.
                    let at = match slice {
                        false => k.to_string(),
                        true => format!("{index} % {name}.len()"),
                    };
                    w.write_real(&format!("{name}[{at}]"));
                });
                return;
            }
        };
        self.block(&head, |w| {
            w.hide(name);
            w.know(&element, Ty::Real, Held::Mut, true);
            w.write_real(&format!("*{element}"));
        });
    }

    /// A call that writes to its arguments.
    pub(in crate::gen_source) fn changing_call(&mut self) {
        let all: Vec<_> = self
            .world
            .functions
            .iter()
            .filter(|f| f.params.iter().any(|(_, held)| *held == Held::Mut))
            .cloned()
            .collect();
        if all.is_empty() {
            return self.assign();
        }
        let function = self.rng.pick(&all).clone();
        let Some(call) = self.call_of(&function, 1) else {
            return self.assign();
        };
        match &function.ret {
            Some(ty) if *ty != Ty::Real || self.rng.chance(50) => {
                self.declare("r", ty.clone(), &call);
            }
            Some(_) => {
                let name = self.name("r");
                self.line(format!("let {name} = {call};"));
                self.know(&name, Ty::Real, Held::Owned, false);
                self.increment();
            }
            None => self.line(format!("{call};")),
        }
    }
}
