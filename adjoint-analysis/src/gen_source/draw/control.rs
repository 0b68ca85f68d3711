//! Branches, loops, and ways out of them.

use super::types::{Held, Ty};
use super::writer::Writer;

impl Writer<'_> {
    pub(in crate::gen_source) fn branch(&mut self) {
        let condition = self.condition(1);
        self.block(&format!("if {condition} "), |w| w.some_statements(3));
        if self.rng.chance(30) {
            let condition = self.condition(0);
            self.after(&format!(" else if {condition} {{"));
            self.rest_of_block(2);
        }
        if self.rng.chance(50) {
            self.after(" else {");
            self.rest_of_block(2);
        }
    }

    /// The statements of a block whose brace stands at the end of the last line.
    fn rest_of_block(&mut self, most: usize) {
        self.level += 1;
        self.within(|w| w.some_statements(most));
        self.level -= 1;
        self.line("}");
    }

    pub(in crate::gen_source) fn match_statement(&mut self) {
        let (index, n) = (self.index(), self.rng.between(2, 3));
        if self.rng.chance(40) {
            let (a, b) = (self.real(1), self.real(0));
            let (p, q) = (self.name("p"), self.name("q"));
            self.block(&format!("match ({a}, {b}, {index} % {n}) "), |w| {
                w.block(&format!("({p}, {q}, 0) if {p} > {q} => "), |w| {
                    w.know(&p, Ty::Real, Held::Owned, false);
                    w.know(&q, Ty::Real, Held::Owned, false);
                    w.some_statements(2);
                    w.increment();
                });
                w.block(&format!("({p}, _, 1) => "), |w| {
                    w.know(&p, Ty::Real, Held::Owned, false);
                    w.some_statements(2);
                });
                w.block(&format!("(_, {q}, _) => "), |w| {
                    w.know(&q, Ty::Real, Held::Owned, false);
                    w.increment();
                });
            });
            return;
        }
        let condition = self.condition(0);
        self.block(&format!("match {index} % {n} "), |w| {
            w.block("0 => ", |w| w.some_statements(2));
            w.block(&format!("1 if {condition} => "), |w| w.some_statements(2));
            w.block("_ => ", |w| w.some_statements(1));
        });
    }

    /// A block that is run again and again.
    pub(in crate::gen_source) fn in_loop(&mut self, head: &str, draw: impl FnOnce(&mut Self)) {
        let label = match self.rng.chance(25) {
            true => Some(self.name("'l")),
            false => None,
        };
        let head = match &label {
            Some(label) => format!("{label}: {head}"),
            None => head.to_string(),
        };
        self.loops.push(label);
        self.block(&head, draw);
        self.loops.pop();
    }

    pub(in crate::gen_source) fn counted_loop(&mut self) {
        let (i, n) = (self.name("i"), self.count());
        let head = match self.rng.below(5) {
            0 => format!("for {i} in (0..{n}).rev() "),
            1 => format!("for {i} in (1..=({n}).min(3)).step_by(2) "),
            2 => format!("for {i} in 1..{n} "),
            _ => format!("for {i} in 0..{n} "),
        };
        self.in_loop(&head, |w| {
            w.know(&i, Ty::Int, Held::Owned, false);
            w.some_statements(3);
            w.increment();
        });
    }

    /// A `while` that ends, whatever happens in it.
    pub(in crate::gen_source) fn while_loop(&mut self) {
        let (i, n) = (self.name("n"), self.rng.between(1, 5));
        self.line(format!("let mut {i} = 0usize;"));
        self.know(&i, Ty::Int, Held::Owned, false);
        let head = match self.rng.chance(40) {
            true => format!("while {i} < {n} && ({}) ", self.condition(0)),
            false => format!("while {i} < {n} "),
        };
        self.in_loop(&head, |w| {
            w.line(format!("{i} += 1;"));
            w.some_statements(3);
            w.increment();
        });
    }

    /// A `loop` that gives a value.
    pub(in crate::gen_source) fn labelled_loop(&mut self) {
        let (t, i, n) = (self.name("t"), self.name("n"), self.rng.between(1, 4));
        self.line(format!("let mut {i} = 0usize;"));
        self.know(&i, Ty::Int, Held::Owned, false);
        let early = self.condition(0);
        self.block(&format!("let {t} = loop "), |w| {
            w.line(format!("{i} += 1;"));
            let loops = std::mem::take(&mut w.loops);
            w.some_statements(2);
            w.loops = loops;
            let (a, b) = (w.real(1), w.real(1));
            w.line(format!("if {early} {{ break {a}; }}"));
            w.line(format!("if {i} > {n} {{ break {b}; }}"));
        });
        self.after(";");
        self.know(&t, Ty::Real, Held::Owned, false);
    }

    pub(in crate::gen_source) fn inner_block(&mut self) {
        let t = self.name("t");
        self.block(&format!("let {t} = "), |w| {
            w.some_statements(3);
            let value = w.real(2);
            w.line(value);
        });
        self.after(";");
        self.know(&t, Ty::Real, Held::Owned, false);
    }

    /// Whether there is anything that may be left early.
    pub(in crate::gen_source) fn can_leave(&self) -> bool {
        !self.loops.is_empty() || self.result.is_some()
    }

    /// `return`, `break` or `continue`.
    pub(in crate::gen_source) fn leaving(&mut self) -> String {
        let label = match self.loops.is_empty() {
            true => None,
            false => self.rng.pick(&self.loops).clone(),
        };
        match &self.result {
            Some(ty) if self.loops.is_empty() || self.rng.chance(25) => {
                let ty = ty.clone();
                format!("return {}", self.value(&ty, 1))
            }
            _ => {
                let word = *self.rng.pick(&["break", "continue"]);
                match label {
                    Some(label) => format!("{word} {label}"),
                    None => word.to_string(),
                }
            }
        }
    }

    /// Leaves a loop or the function, perhaps.
    pub(in crate::gen_source) fn leave(&mut self) {
        if !self.can_leave() {
            return self.increment();
        }
        let condition = self.condition(1);
        self.block(&format!("if {condition} "), |w| {
            w.increment();
            let leave = w.leaving();
            w.line(format!("{leave};"));
        });
    }
}
