//! References that are chosen at run time, and values that trade places.

use super::types::{Held, Ty};
use super::writer::{Var, Writer};

impl Writer<'_> {
    /// Two different variables of one type that may be written, reals or sequences or the source's own.
    fn two_written(&mut self) -> Option<(Var, Var)> {
        // Two elements of one sequence are not lent at once.
        let fits = |v: &Var| !matches!(v.ty, Ty::Fun(_) | Ty::Int) && !v.name.contains('[');
        let first = self.some_written(fits)?;
        let second = self.some_written(|v| fits(v) && v.ty == first.ty && v.name != first.name)?;
        Some((first, second))
    }

    /// `let p = if c { &mut a } else { &mut b };`
    pub(in crate::gen_source) fn chosen(&mut self) {
        let Some((a, b)) = self.two_written() else {
            let value = self.bounded(1);
            self.declare("t", Ty::Real, &value);
            return;
        };
        let condition = self.condition(1);
        let (p, q) = (self.name("p"), self.name("q"));
        let (to_a, to_b) = (reborrowed(&a), reborrowed(&b));
        self.block("", |w| {
            match w.rng.below(4) {
                0 => {
                    w.line(format!("let ({p}, {q}) = if {condition} {{ ({to_a}, {to_b}) }} else {{ ({to_b}, {to_a}) }};"));
                    w.hide(&b.name);
                    w.know(&q, b.ty.clone(), Held::Mut, true);
                }
                1 => {
                    let (index, n) = (w.index(), w.rng.between(2, 3));
                    w.line(format!("let {p} = match {index} % {n} {{ 0 => {to_a}, _ => {to_b} }};"));
                    w.hide(&b.name);
                }
                2 => {
                    w.line(format!("let mut {p} = {to_a};"));
                    w.line(format!("if {condition} {{ {p} = {to_b}; }}"));
                    w.hide(&b.name);
                }
                _ => {
                    w.line(format!("let {p} = if {condition} {{ {to_a} }} else {{ {to_b} }};"));
                    w.hide(&b.name);
                }
            }
            w.hide(&a.name);
            w.know(&p, a.ty.clone(), Held::Mut, true);
            w.some_statements(3);
            w.write_to(&p);
        });
    }

    /// Values that trade places, or are replaced.
    pub(in crate::gen_source) fn exchanged(&mut self) {
        let Some((a, b)) = self.two_written() else {
            return self.taken();
        };
        if matches!(a.ty, Ty::Slice(_)) {
            return self.assign();
        }
        if self.rng.chance(30) && a.ty == Ty::seq(Ty::Real) {
            return self.ping_pong(&a, &b);
        }
        match self.rng.below(3) {
            0 | 1 => {
                let (a, b) = (a.lent(Held::Mut), b.lent(Held::Mut));
                self.line(format!("std::mem::swap({a}, {b});"));
            }
            _ => self.taken(),
        }
    }

    fn taken(&mut self) {
        let Some(var) = self
            .some_written(|v| matches!(v.ty, Ty::Seq(_) | Ty::Opt(_) | Ty::Named(_) | Ty::Real))
        else {
            return self.assign();
        };
        let old = self.name("old");
        let lent = var.lent(Held::Mut);
        match (&var.ty, self.rng.chance(40)) {
            (Ty::Seq(_) | Ty::Opt(_), true) => {
                self.line(format!("let mut {old} = std::mem::take({lent});"));
            }
            (ty, _) => {
                let value = self.within(|w| {
                    w.hide(&var.name);
                    w.value(&ty.clone(), 1)
                });
                self.line(format!(
                    "let mut {old} = std::mem::replace({lent}, {value});"
                ));
            }
        }
        self.know(&old, var.ty.clone(), Held::Owned, true);
    }

    /// Two buffers, one read and one written, that are swapped in each step.
    fn ping_pong(&mut self, a: &Var, b: &Var) {
        let (i, n) = (self.name("k"), self.rng.between(1, 4));
        let swap_references = self.rng.chance(50);
        let (from, to) = (self.name("from"), self.name("to"));
        self.block("", |w| {
            let (from, to, lent) = match swap_references {
                true => {
                    w.line(format!(
                        "let (mut {from}, mut {to}) = ({}, {});",
                        reborrowed(a),
                        reborrowed(b)
                    ));
                    w.hide(&a.name);
                    w.hide(&b.name);
                    w.know(&from, a.ty.clone(), Held::Mut, false);
                    w.know(&to, b.ty.clone(), Held::Mut, false);
                    (from.clone(), to.clone(), format!("&mut {from}, &mut {to}"))
                }
                false => {
                    let lent = format!("{}, {}", a.lent(Held::Mut), b.lent(Held::Mut));
                    (a.name.clone(), b.name.clone(), lent)
                }
            };
            w.in_loop(&format!("for {i} in 0..{n} "), |w| {
                w.freeze(&format!("{from} {to}"));
                w.know(&i, Ty::Int, Held::Owned, false);
                let e = w.name("e");
                let j = w.name("j");
                w.block(
                    &format!("for ({j}, {e}) in {to}.iter_mut().enumerate() "),
                    |w| {
                        w.hide(&to);
                        w.know(&j, Ty::Int, Held::Owned, false);
                        w.know(&e, Ty::Real, Held::Mut, true);
                        let (value, c) = (w.bounded(1), w.literal());
                        w.line(format!(
                            "*{e} = {c} * {from}.get({j}).copied().unwrap_or({c}) + 0.3 * {value};"
                        ));
                    },
                );
                w.line(format!("std::mem::swap({lent});"));
            });
        });
    }

    /// The halves of a sequence, both written.
    pub(in crate::gen_source) fn halves(&mut self) {
        let Some(var) = self.some_written(|v| v.ty.is_reals()) else {
            return self.assign();
        };
        let (name, lo, hi) = (&var.name, self.name("lo"), self.name("hi"));
        self.block("", |w| {
            let at = *w
                .rng
                .pick(&["len() / 2", "len().min(1)", "len() - {}.len() / 3"]);
            let at = format!("{name}.{}", at.replace("{}", name));
            w.line(format!("let ({lo}, {hi}) = {name}.split_at_mut({at});"));
            w.hide(name);
            w.know(&lo, Ty::slice(Ty::Real), Held::Mut, true);
            w.know(&hi, Ty::slice(Ty::Real), Held::Mut, true);
            w.some_statements(3);
            w.write_to(&lo);
        });
    }

    /// A walk over something of the source's own that sequences or options hold.
    pub(in crate::gen_source) fn walked(&mut self) {
        let own = |ty: &Ty| matches!(ty, Ty::Named(_));
        let Some(var) = self.some(|v| match &v.ty {
            Ty::Opt(of) => own(of),
            ty => ty.element().is_some_and(own),
        }) else {
            return self.changing_call();
        };
        let of = match &var.ty {
            Ty::Opt(of) => (**of).clone(),
            ty => match ty.element() {
                Some(of) => of.clone(),
                None => return,
            },
        };
        let written = var.writable && var.held != Held::Shared && self.rng.chance(70);
        let (e, name) = (self.name("e"), var.name.clone());
        let (held, how) = match written {
            true => (Held::Mut, "_mut"),
            false => (Held::Shared, ""),
        };
        let head = match (&var.ty, written) {
            (Ty::Opt(_), true) => format!("if let Some({e}) = {name}.as_mut() "),
            (Ty::Opt(_), false) => format!("if let Some({e}) = &{name} "),
            _ => format!("for {e} in {name}.iter{how}() "),
        };
        let draw = |w: &mut Self| {
            match written {
                true => w.hide(&name),
                false => w.freeze(&name),
            }
            w.know(&e, of.clone(), held, written);
            w.some_statements(3);
            if written {
                w.write_to(&e);
            }
            w.increment();
        };
        match head.starts_with("if") {
            true => self.block(&head, draw),
            false => self.in_loop(&head, draw),
        }
    }
}

impl Writer<'_> {
    /// A walk over something of the source's own that sequences in a sequence hold.
    pub(in crate::gen_source) fn walked_rows(&mut self) {
        let own = |ty: &Ty| matches!(ty.element(), Some(Ty::Named(_)));
        let Some(var) = self.some_written(|v| v.ty.element().is_some_and(own)) else {
            return self.walked();
        };
        let Some(of) = var.ty.element().and_then(Ty::element).cloned() else {
            return;
        };
        let (row, e, name) = (self.name("row"), self.name("e"), var.name);
        let inner = *self.rng.pick(&[
            "{}.iter_mut()",
            "&mut {}[..]",
            "{}.iter_mut().skip(1)",
            "{}.iter_mut().rev()",
        ]);
        let indexed = self.rng.chance(40);
        let (head, place) = match indexed {
            true => (
                format!("for {row} in 0..{name}.len() "),
                format!("{name}[{row}]"),
            ),
            false => (format!("for {row} in {name}.iter_mut() "), row.clone()),
        };
        self.in_loop(&head, |w| {
            w.hide(&name);
            match indexed {
                true => w.know(&row, Ty::Int, Held::Owned, false),
                false => w.know(&row, Ty::seq(of.clone()), Held::Mut, true),
            };
            let inner = inner.replace("{}", &place);
            w.in_loop(&format!("for {e} in {inner} "), |w| {
                w.freeze(&row);
                if !indexed {
                    w.hide(&row);
                }
                w.know(&e, of.clone(), Held::Mut, true);
                w.some_statements(2);
                w.write_to(&e);
                w.increment();
            });
        });
    }

    /// Values of the source's own that are popped off a stack of them.
    pub(in crate::gen_source) fn popped(&mut self, from: &Var, of: &Ty) {
        let (stack, top) = (self.name("stack"), self.name("top"));
        self.line(format!("let mut {stack} = {}.to_vec();", from.name));
        let again = self.condition(0);
        self.in_loop(
            &format!("while let Some(mut {top}) = {stack}.pop() "),
            |w| {
                w.know(&top, of.clone(), Held::Owned, true);
                w.some_statements(2);
                w.increment();
                if w.rng.chance(30) {
                    let value = w.value(of, 1);
                    w.block(&format!("if {again} && {stack}.len() == 1 "), |w| {
                        w.line(format!("{stack}[0] = {value};"));
                        w.line("break;");
                    });
                }
            },
        );
    }
}

/// A reference to the variable that may be given up again.
fn reborrowed(var: &Var) -> String {
    match var.held {
        Held::Mut => format!("&mut *{}", var.name),
        _ => format!("&mut {}", var.name),
    }
}
