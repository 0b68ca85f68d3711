//! The printer of the text form, whose grammar the module [`crate::ir`] states.
//!
//! Printing loses nothing: [`super::parse`] reads the same function or plan back.

mod expr;
mod plan;
mod stmt;

pub use self::plan::plan;

use std::collections::BTreeSet;
use std::fmt;

use super::syntax::{self, quoted};
use crate::ir::{Expr, FloatTy, Func, Mode, Origin, Place, Stmt, Ty, Var, VarId};

/// The text of a function.
pub fn func(func: &Func) -> String {
    printed(func, |p| p.func())
}

/// The text of a statement of this function, with the blocks inside it.
pub fn stmt(func: &Func, stmt: &Stmt) -> String {
    let mut printer = Printer::new(func, BTreeSet::new());
    printer.stmt(stmt);
    printer.out.trim_end().to_string()
}

/// The text of an expression of this function.
pub fn expr(func: &Func, expr: &Expr) -> String {
    let mut printer = Printer::new(func, BTreeSet::new());
    printer.expr(expr, 0);
    printer.out
}

/// The text of a place of this function.
pub fn place(func: &Func, place: &Place) -> String {
    let mut printer = Printer::new(func, BTreeSet::new());
    printer.place(place);
    printer.out
}

/// The text of a type.
pub fn ty(ty: &Ty) -> String {
    let none = Func::default();
    let mut printer = Printer::new(&none, BTreeSet::new());
    printer.ty(ty);
    printer.out
}

impl fmt::Display for Func {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&func(self))
    }
}

/// Prints twice: the first pass collects the type parameters for the header.
fn printed(func: &Func, print: impl Fn(&mut Printer<'_>)) -> String {
    let mut first = Printer::new(func, BTreeSet::new());
    print(&mut first);
    let mut second = Printer::new(func, first.floats_seen);
    print(&mut second);
    second.out
}

struct Printer<'a> {
    func: &'a Func,
    out: String,
    depth: usize,
    /// The type parameters, for the header.
    floats: BTreeSet<String>,
    floats_seen: BTreeSet<String>,
}

impl<'a> Printer<'a> {
    fn new(func: &'a Func, floats: BTreeSet<String>) -> Self {
        Printer {
            func,
            out: String::new(),
            depth: 0,
            floats,
            floats_seen: BTreeSet::new(),
        }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.push("  ");
        }
    }

    fn line(&mut self, text: &str) {
        self.indent();
        self.push(text);
        self.push("\n");
    }

    /// Prints the items with commas between them.
    fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        for (i, it) in items.iter().enumerate() {
            if i > 0 {
                self.push(", ");
            }
            item(self, it);
        }
    }

    fn name(&mut self, name: &str, plain: bool) {
        match plain {
            true => self.push(name),
            false => self.push(&quoted(name, '`')),
        }
    }

    fn path(&mut self, path: &str) {
        self.name(path, syntax::is_plain_path(path));
    }

    fn var(&mut self, id: VarId) {
        match self.func.vars.get(id.index()) {
            Some(Var { name, .. }) => self.name(name, syntax::is_plain_var(name)),
            None => self.push(&format!("`?{}`", id.0)),
        }
    }

    fn extent(&mut self, extent: &str) {
        match syntax::is_plain_extent(extent) {
            true => self.push(extent),
            false => self.push(&quoted(extent, '"')),
        }
    }

    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Float(FloatTy::Param(name)) => self.float_param(name),
            Ty::Float(_) | Ty::Int(_) | Ty::Bool | Ty::Unit | Ty::Unknown | Ty::Infer(_) => {
                self.push(&ty.to_string());
            }
            Ty::Array(t, extent) => {
                self.push("[");
                self.ty(t);
                self.push("; ");
                self.extent(extent);
                self.push("]");
            }
            Ty::Slice(t) => self.ty_around("[", t, "]"),
            Ty::Vec(t) => self.ty_around("Vec<", t, ">"),
            Ty::Boxed(t) => self.ty_around("Box<", t, ">"),
            Ty::Option(t) => self.ty_around("Option<", t, ">"),
            Ty::Result(t, e) => {
                self.ty_around("Result<", t, ", ");
                self.ty(e);
                self.push(">");
            }
            Ty::Tuple(ts) => {
                self.push("(");
                self.list(ts, |p, t| p.ty(t));
                self.push(if ts.len() < 2 { ",)" } else { ")" });
            }
            Ty::Named(name) => match syntax::is_plain_type(name) && !self.floats.contains(name) {
                true => self.push(name),
                false => self.push(&format!("named {}", quoted(name, '"'))),
            },
            Ty::Discrete(name) => self.push(&format!("discrete {}", quoted(name, '"'))),
        }
    }

    fn ty_around(&mut self, before: &str, ty: &Ty, after: &str) {
        self.push(before);
        self.ty(ty);
        self.push(after);
    }

    fn float_param(&mut self, name: &str) {
        if syntax::is_plain_type(name) {
            self.floats_seen.insert(name.to_string());
            self.push(name);
        } else {
            self.push(&format!("real {}", quoted(name, '"')));
        }
    }

    /// `:{type}`
    fn annotation(&mut self, ty: &Ty) {
        self.ty_around(":{", ty, "}");
    }

    fn func(&mut self) {
        let func = self.func;
        self.push("fn ");
        self.path(&func.name);
        self.push("(");
        self.list(&func.params, |p, v| p.var(*v));
        self.push(")");
        if let Some(ret) = func.ret {
            self.push(" -> ");
            self.var(ret);
        }
        self.push(" {\n");
        self.depth += 1;
        self.declarations();
        self.depth -= 1;
        self.push("}\n");
        self.block(&func.body);
        self.push("\n");
    }

    fn declarations(&mut self) {
        if !self.floats.is_empty() {
            let names: Vec<_> = self.floats.iter().map(String::as_str).collect();
            self.line(&format!("types {};", names.join(", ")));
        }
        let usual = syntax::default_origins(self.func);
        for (id, usual) in self.func.var_ids().zip(usual) {
            self.declaration(id, usual);
        }
    }

    fn declaration(&mut self, id: VarId, usual: Origin) {
        let var = self.func.var(id);
        self.indent();
        self.push("var ");
        self.var(id);
        self.push(match var.mode {
            Mode::Owned => ": ",
            Mode::Shared => ": &",
            Mode::Mut => ": &mut ",
        });
        self.ty(&var.ty);
        match var.origin {
            Origin::Adjoint(of) => {
                self.push(" adjoint of ");
                self.var(of);
            }
            origin if origin == usual => {}
            Origin::Param => self.push(" param"),
            Origin::Ret => self.push(" ret"),
            Origin::Local => self.push(" local"),
            Origin::Index => self.push(" index"),
            Origin::Temp => self.push(" temp"),
            Origin::Label => self.push(" label"),
        }
        self.push(";\n");
    }
}
