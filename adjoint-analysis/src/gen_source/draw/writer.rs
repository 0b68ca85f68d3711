//! The state of drawing one function: its text, and what is in scope.

use super::types::{Held, Ty};
use crate::gen_program::random::Random;
use crate::gen_source::Family;
use crate::gen_source::world::World;

/// A name in scope.
#[derive(Clone, Debug)]
pub(in crate::gen_source) struct Var {
    pub(in crate::gen_source) name: String,
    pub(in crate::gen_source) ty: Ty,
    pub(in crate::gen_source) held: Held,
    /// Whether it may be written now.
    pub(in crate::gen_source) writable: bool,
    /// Of how many scopes it is the innermost.
    nesting: usize,
    /// How many elements there are at least.
    pub(in crate::gen_source) least: usize,
}

impl Var {
    /// The value itself, where references are not followed by themselves.
    pub(in crate::gen_source) fn value(&self) -> String {
        match self.held {
            Held::Owned => self.name.clone(),
            Held::Shared | Held::Mut => format!("(*{})", self.name),
        }
    }

    /// As an argument that is taken so.
    pub(in crate::gen_source) fn lent(&self, how: Held) -> String {
        match (how, self.held) {
            (Held::Owned, _) => self.value(),
            (Held::Shared, Held::Owned) => format!("&{}", self.name),
            (Held::Mut, Held::Owned) => format!("&mut {}", self.name),
            _ => self.name.clone(),
        }
    }
}

/// Draws the body of a function.
pub(in crate::gen_source) struct Writer<'a> {
    pub(in crate::gen_source) rng: &'a mut Random,
    pub(in crate::gen_source) world: &'a World,
    pub(in crate::gen_source) family: Family,
    lines: Vec<String>,
    pub(in crate::gen_source) scope: Vec<Var>,
    names: usize,
    /// Statements that may still be drawn.
    pub(in crate::gen_source) budget: usize,
    /// How many blocks enclose what is drawn.
    pub(in crate::gen_source) level: usize,
    /// How many scopes do.
    nesting: usize,
    /// What the function returns; nothing in closures and where none may be left.
    pub(in crate::gen_source) result: Option<Ty>,
    /// The labels of the loops around, and none for those without.
    pub(in crate::gen_source) loops: Vec<Option<String>>,
    /// How many closures enclose what is drawn.
    pub(in crate::gen_source) closures: usize,
}

impl<'a> Writer<'a> {
    pub(in crate::gen_source) fn new(
        rng: &'a mut Random,
        world: &'a World,
        family: Family,
    ) -> Self {
        Writer {
            rng,
            world,
            family,
            lines: Vec::new(),
            scope: Vec::new(),
            names: 0,
            budget: 0,
            level: 0,
            nesting: 0,
            result: None,
            loops: Vec::new(),
            closures: 0,
        }
    }

    /// What was written.
    pub(in crate::gen_source) fn text(self) -> String {
        self.lines.join("\n")
    }

    /// Writes a line.
    pub(in crate::gen_source) fn line(&mut self, text: impl AsRef<str>) {
        let indent = "    ".repeat(self.level + 1);
        self.lines.push(format!("{indent}{}", text.as_ref()));
    }

    /// A new name.
    pub(in crate::gen_source) fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    /// Brings a name into scope; one that it shadows goes.
    pub(in crate::gen_source) fn know(
        &mut self,
        name: &str,
        ty: Ty,
        held: Held,
        writable: bool,
    ) -> &mut Var {
        self.scope.retain(|v| v.name != name);
        let least = match &ty {
            Ty::Array(_, n) => *n,
            _ => 0,
        };
        self.scope.push(Var {
            name: name.to_string(),
            ty,
            held,
            writable,
            nesting: self.nesting,
            least,
        });
        let last = self.scope.len() - 1;
        &mut self.scope[last]
    }

    /// Declares a variable with a value.
    pub(in crate::gen_source) fn declare(&mut self, stem: &str, ty: Ty, value: &str) -> String {
        let writable = self.rng.chance(70);
        let name = self.name(stem);
        let annotated = match self.rng.chance(if ty == Ty::Real { 20 } else { 70 }) {
            true => format!(": {}", ty.text()),
            false => String::new(),
        };
        let mutable = if writable { "mut " } else { "" };
        self.line(format!("let {mutable}{name}{annotated} = {value};"));
        self.know(&name, ty, Held::Owned, writable);
        name
    }

    /// One of the names in scope for which the condition holds; the younger the more likely.
    pub(in crate::gen_source) fn some(&mut self, holds: impl Fn(&Var) -> bool) -> Option<Var> {
        let all: Vec<&Var> = self.scope.iter().filter(|v| holds(v)).collect();
        if all.is_empty() {
            return None;
        }
        let (a, b) = (self.rng.below(all.len()), self.rng.below(all.len()));
        Some(all[if self.rng.chance(60) { a.max(b) } else { a }].clone())
    }

    /// The same for a name to write; the older the more likely, since what is written to them is read.
    pub(in crate::gen_source) fn some_written(
        &mut self,
        holds: impl Fn(&Var) -> bool,
    ) -> Option<Var> {
        let all: Vec<&Var> = self
            .scope
            .iter()
            .filter(|v| v.writable && v.held != Held::Shared && holds(v))
            .collect();
        if all.is_empty() {
            return None;
        }
        let (a, b) = (self.rng.below(all.len()), self.rng.below(all.len()));
        Some(all[if self.rng.chance(50) { a.min(b) } else { a }].clone())
    }

    /// Whether the value may be moved out of the name here: the scope that declares it is the innermost.
    pub(in crate::gen_source) fn movable(&self, var: &Var) -> bool {
        var.held == Held::Owned && var.nesting == self.nesting && var.writable
    }

    /// Takes a name out of scope until the end of the block.
    pub(in crate::gen_source) fn hide(&mut self, name: &str) {
        self.scope.retain(|v| v.name != name);
    }

    /// Forbids writes to what is mentioned in a text, until the end of the block.
    pub(in crate::gen_source) fn freeze(&mut self, text: &str) {
        let words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        for var in &mut self.scope {
            if words.contains(&var.name.as_str()) {
                var.writable = false;
            }
        }
    }

    /// Draws something for which names are known that are gone afterwards.
    pub(in crate::gen_source) fn within<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        let scope = self.scope.clone();
        self.nesting += 1;
        let drawn = draw(self);
        self.nesting -= 1;
        self.scope = scope;
        drawn
    }

    /// The same inside of a closure.
    pub(in crate::gen_source) fn in_closure<T>(&mut self, draw: impl FnOnce(&mut Self) -> T) -> T {
        let (result, loops) = (self.result.take(), std::mem::take(&mut self.loops));
        self.closures += 1;
        let drawn = self.within(draw);
        self.closures -= 1;
        (self.result, self.loops) = (result, loops);
        drawn
    }

    /// Writes a block: what stands in front of its brace, and what stands in it.
    pub(in crate::gen_source) fn block(&mut self, head: &str, draw: impl FnOnce(&mut Self)) {
        self.line(format!("{head}{{").trim_start());
        self.level += 1;
        self.within(draw);
        self.level -= 1;
        self.line("}");
    }

    /// Writes more on the line that ends the last block: `else`, `;`.
    pub(in crate::gen_source) fn after(&mut self, text: &str) {
        if let Some(last) = self.lines.last_mut() {
            last.push_str(text);
        }
    }

    /// Writes up to that many statements.
    pub(in crate::gen_source) fn some_statements(&mut self, most: usize) {
        for _ in 0..self.rng.between(1, most) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement();
        }
    }
}
