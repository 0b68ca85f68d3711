//! Sequences that grow, shrink and are rearranged; sequences of sequences.

use super::types::{Held, Ty};
use super::writer::{Var, Writer};

impl Writer<'_> {
    /// Changes a sequence as a whole.
    pub(in crate::gen_source) fn change_sequence(&mut self) {
        let Some(var) = self.some_written(|v| matches!(v.ty, Ty::Seq(_) | Ty::Slice(_))) else {
            let value = self.value(&Ty::seq(Ty::Real), 2);
            self.declare("v", Ty::seq(Ty::Real), &value);
            return;
        };
        match &var.ty {
            Ty::Slice(of) if **of == Ty::Real => self.rearrange(&var),
            Ty::Seq(_) if self.rng.chance(30) => self.rearrange(&var),
            Ty::Seq(of) => {
                let of = (**of).clone();
                self.grow_or_shrink(&var, &of);
            }
            _ => {}
        }
    }

    /// Keeps the length.
    fn rearrange(&mut self, var: &Var) {
        let name = &var.name;
        let reals = var.ty.is_reals();
        let (k, c) = (self.rng.below(3), self.literal());
        let line = match self.rng.below(if reals { 10 } else { 3 }) {
            0 => format!("{name}.reverse();"),
            1 => format!(
                "if {name}.len() > {} {{ {name}.swap({k}, {}); }}",
                k + 1,
                k + 1
            ),
            2 => format!("if {name}.len() > 2 {{ {name}.rotate_left({k}); }}"),
            3 => format!("{name}.sort_by(|a, b| a.total_cmp(b));"),
            4 => format!("{name}.sort_by(|a, b| b.partial_cmp(a).unwrap());"),
            5 => format!("{name}.fill({});", self.bounded(1)),
            6 => format!("{name}.iter_mut().for_each(|a| *a *= {c});"),
            7 => format!("if {name}.len() > 2 {{ {name}.copy_within(0..2, 1); }}"),
            8 => {
                let Some(other) = self.some(|v| v.ty.is_reals() && v.name != *name) else {
                    return;
                };
                let other = other.name;
                format!(
                    "if {name}.len() == {other}.len() {{ {name}.copy_from_slice(&{other}[..]); }}"
                )
            }
            _ => {
                let body = self.within(|w| {
                    w.hide(name);
                    w.in_closure(|w| {
                        w.know("a", Ty::Real, Held::Mut, true);
                        w.know("j", Ty::Int, Held::Owned, false);
                        w.bounded(2)
                    })
                });
                format!("{name}.iter_mut().enumerate().for_each(|(j, a)| *a = {body});")
            }
        };
        self.line(line);
    }

    fn grow_or_shrink(&mut self, var: &Var, of: &Ty) {
        let name = &var.name;
        let (k, c) = (self.rng.below(3), self.literal());
        let value = self.within(|w| {
            w.hide(name);
            w.value(of, 1)
        });
        let reals = *of == Ty::Real;
        let line = match self.rng.below(if reals { 14 } else { 6 }) {
            0..3 => format!("{name}.push({value});"),
            3 => format!("{name}.truncate({});", k + 1),
            4 => format!("if {name}.len() > {k} {{ {name}.remove({k}); }}"),
            5 => format!("{name}.insert({name}.len().min({k}), {value});"),
            6 => format!("{name}.resize({}, {value});", k + 2),
            7 => format!("{name}.retain(|a| *a < {c});"),
            8 => format!("{name}.extend_from_slice(&[{value}, {c}]);"),
            9 => {
                let more = self.within(|w| {
                    w.hide(name);
                    w.collected(1)
                });
                format!("{name}.extend({more}.iter().take(4));")
            }
            10 => {
                let taken = self.name("d");
                self.line(format!(
                    "let {taken}: Vec<f64> = {name}.drain(..{name}.len() / 2).collect();"
                ));
                self.know(&taken, Ty::seq(Ty::Real), Held::Owned, false);
                return;
            }
            11 => {
                let split = self.name("d");
                self.line(format!(
                    "let mut {split} = {name}.split_off({name}.len() / 2);"
                ));
                self.know(&split, Ty::seq(Ty::Real), Held::Owned, true);
                return;
            }
            12 => format!("if let Some(last) = {name}.pop() {{ {name}.push(last * {value}); }}"),
            _ => format!("if !{name}.is_empty() {{ {name}.swap_remove(0); }}"),
        };
        self.line(line);
    }

    /// `while let Some(..) = stack.pop()`
    pub(in crate::gen_source) fn drained(&mut self) {
        let own = |v: &Var| matches!(v.ty.element(), Some(Ty::Named(_)));
        if let (true, Some(from)) = (self.rng.chance(50), self.some(own))
            && let Some(of) = from.ty.element()
        {
            return self.popped(&from, of);
        }
        let Some(from) = self.some(|v| v.ty.is_reals()) else {
            return self.increment();
        };
        let (stack, top) = (self.name("stack"), self.name("top"));
        self.line(format!("let mut {stack} = {}.to_vec();", from.name));
        let refilled = self.rng.chance(40);
        let fuel = self.name("fuel");
        if refilled {
            self.line(format!("let mut {fuel} = 3usize;"));
        }
        self.in_loop(&format!("while let Some({top}) = {stack}.pop() "), |w| {
            w.know(&top, Ty::Real, Held::Owned, false);
            w.some_statements(2);
            w.increment();
            if refilled {
                let value = w.bounded(1);
                w.block(&format!("if {top} > 0.1 && {fuel} > 0 "), |w| {
                    w.line(format!("{fuel} -= 1;"));
                    w.line(format!("{stack}.push({value});"));
                });
            }
        });
    }

    /// A matrix as a `Vec` of rows, or flat with chunks.
    pub(in crate::gen_source) fn grid(&mut self) {
        let rows = |v: &Var| v.ty.element().is_some_and(|e| *e == Ty::seq(Ty::Real));
        let Some(var) = self.some_written(rows) else {
            let value = self.value(&Ty::seq(Ty::seq(Ty::Real)), 2);
            self.declare("m", Ty::seq(Ty::seq(Ty::Real)), &value);
            return;
        };
        let name = var.name.clone();
        match self.rng.below(4) {
            0 => {
                let (i, j) = (self.name("i"), self.name("j"));
                let i_to = format!("for {i} in 0..{name}.len() ");
                self.in_loop(&i_to, |w| {
                    w.know(&i, Ty::Int, Held::Owned, false);
                    w.in_loop(&format!("for {j} in 0..{name}[{i}].len() "), |w| {
                        w.know(&j, Ty::Int, Held::Owned, false);
                        let value = w.bounded(1);
                        let place = format!("{name}[{i}][{j}]");
                        w.line(format!("{place} = 0.6 * {place} + {value};"));
                        w.some_statements(1);
                    });
                });
            }
            1 => {
                let (row, e) = (self.name("row"), self.name("e"));
                self.in_loop(&format!("for {row} in {name}.iter_mut() "), |w| {
                    w.hide(&name);
                    w.know(&row, Ty::seq(Ty::Real), Held::Mut, true);
                    w.some_statements(2);
                    w.in_loop(&format!("for {e} in {row}.iter_mut() "), |w| {
                        w.hide(&row);
                        w.know(&e, Ty::Real, Held::Mut, true);
                        w.write_to(&e);
                    });
                });
            }
            2 => {
                let t = self.name("t");
                let body = self.in_closure(|w| {
                    w.know("row", Ty::seq(Ty::Real), Held::Shared, false);
                    w.real(2)
                });
                self.line(format!(
                    "let {t}: Vec<f64> = {name}.iter().map(|row| {body}).collect();"
                ));
                self.know(&t, Ty::seq(Ty::Real), Held::Owned, false);
            }
            _ => {
                self.line(format!("if {name}.len() > 1 {{"));
                self.level += 1;
                self.within(|w| {
                    let (a, b) = (w.name("above"), w.name("below"));
                    w.line(format!("let ({a}, {b}) = {name}.split_at_mut(1);"));
                    w.hide(&name);
                    w.block(
                        &format!("for (a, b) in {a}[0].iter_mut().zip({b}[0].iter()) "),
                        |w| {
                            w.know("a", Ty::Real, Held::Mut, true);
                            w.know("b", Ty::Real, Held::Shared, false);
                            w.write_to("a");
                        },
                    );
                });
                self.level -= 1;
                self.line("}");
            }
        }
    }
}
