//! Statements without blocks inside them.

use super::options::{is_option, some};
use super::reals::holds_reals;
use super::writer::{I64, Known, Writer, is_grid, is_list, is_table};
use crate::gen_program::build::{self, array, binary, mul, real, stmt, usize};
use crate::ir::{BinOp, Expr, Place, Proj, Stmt, StmtKind, Ty, UnOp};

/// The kinds of statements that are drawn.
#[derive(Clone, Copy)]
enum Choice {
    LetReal,
    LetInt,
    LetFlag,
    LetList,
    LetTable,
    LetOption,
    LetLater,
    Assign,
    AssignOnItself,
    Incr,
    AssignInt,
    AssignFlag,
    AssignWhole,
    Move,
    Swap,
    LetStack,
    Resize,
    If,
    Chain,
    Loop,
    Exits,
    Option,
    Call,
    LetInductions,
    StepInduction,
    InductionChain,
    InductionLoop,
    Triangle,
    Sweep,
}

impl Writer<'_> {
    /// One statement, with what has to stand before it.
    pub(in crate::gen_program) fn statement(&mut self) -> Vec<Stmt> {
        let nest = usize::from(self.nesting < self.bounds.nesting);
        let option = usize::from(self.scope.iter().any(|k| is_option(&k.ty)));
        let step = usize::from(self.inductions.iter().any(|v| v.writable));
        let often = self.bounds.inductions;
        let call = usize::from(!self.callees.is_empty());
        let choice = self.rng.weighted(&[
            (10, Choice::LetReal),
            (5, Choice::LetInt),
            (2, Choice::LetFlag),
            (6, Choice::LetList),
            (2, Choice::LetTable),
            (2, Choice::LetOption),
            (3 * nest, Choice::LetLater),
            (22, Choice::Assign),
            (8, Choice::AssignOnItself),
            (12, Choice::Incr),
            (8, Choice::AssignInt),
            (2, Choice::AssignFlag),
            (6, Choice::AssignWhole),
            (4, Choice::Move),
            (4, Choice::Swap),
            (2, Choice::LetStack),
            (10, Choice::Resize),
            (12 * nest, Choice::If),
            (16 * nest, Choice::Loop),
            (3 * nest, Choice::Chain),
            (4 * nest, Choice::Exits),
            (6 * option * nest, Choice::Option),
            (12 * call, Choice::Call),
            (4 * often, Choice::LetInductions),
            (16 * step * often, Choice::StepInduction),
            (6 * step * often, Choice::InductionChain),
            (4 * nest * often, Choice::InductionLoop),
            (3 * nest * often, Choice::Triangle),
            (nest * self.bounds.sweeps, Choice::Sweep),
        ]);
        let drawn = match choice {
            Choice::LetReal => None,
            Choice::LetInt => Some(self.let_int()),
            Choice::LetFlag => Some(self.let_flag()),
            Choice::LetList => Some(self.let_list()),
            Choice::LetTable => Some(self.let_table()),
            Choice::LetOption => Some(self.let_option()),
            Choice::LetLater => Some(self.let_later()),
            Choice::Assign => self.assign_real(),
            Choice::AssignOnItself => self.assign_on_itself(),
            Choice::Incr => self.incr(),
            Choice::AssignInt => self.assign_int(),
            Choice::AssignFlag => self.assign_flag(),
            Choice::AssignWhole => self.assign_whole(),
            Choice::Move => self.move_list(),
            Choice::Swap => self.swap(),
            Choice::LetStack => Some(self.let_stack()),
            Choice::Resize => self.resize(),
            Choice::If => Some(self.branch()),
            Choice::Chain => Some(self.chain()),
            Choice::Exits => Some(self.loop_with_exits()),
            Choice::Loop => Some(self.counted_or_not()),
            Choice::Option => self.option(),
            Choice::Call => self.call(),
            Choice::LetInductions => Some(self.let_inductions()),
            Choice::StepInduction if self.rng.chance(25) => self.step_tally(),
            Choice::StepInduction => self.step_induction(),
            Choice::InductionChain => self.induction_chain(),
            Choice::InductionLoop => Some(self.induction_loop()),
            Choice::Triangle => Some(self.triangle()),
            Choice::Sweep => self.sweep(),
        };
        drawn.unwrap_or_else(|| self.let_real())
    }

    fn let_real(&mut self) -> Vec<Stmt> {
        let value = self.value();
        let (var, declared) = self.declare("t", Ty::F64, Some(value));
        self.know(var, true);
        vec![declared]
    }

    fn let_int(&mut self) -> Vec<Stmt> {
        let (ty, value) = match self.rng.chance(25) {
            true => (I64, self.signed()),
            false => (Ty::USIZE, self.natural(1)),
        };
        let (var, declared) = self.declare("k", ty, Some(value));
        let frozen = self.rng.chance(25);
        self.know(var, !frozen);
        vec![declared]
    }

    fn let_flag(&mut self) -> Vec<Stmt> {
        let value = self.condition(1);
        let (var, declared) = self.declare("flag", Ty::Bool, Some(value));
        self.know(var, true);
        vec![declared]
    }

    fn let_list(&mut self) -> Vec<Stmt> {
        let n = self.rng.between(1, self.bounds.length);
        let vec = |t| Ty::Vec(Box::new(t));
        let (name, ty) = match self.rng.below(9) {
            0 => ("g", array(array(Ty::F64, n), self.rng.between(1, 3))),
            1 => ("p", Ty::Tuple(vec![Ty::F64, Ty::F64])),
            2 => ("v", vec(Ty::F64)),
            3 => ("m", vec(vec(Ty::F64))),
            _ => ("a", array(Ty::F64, n)),
        };
        let value = self.new_value(&ty, n);
        let (var, declared) = self.declare(name, ty, Some(value));
        self.know(var, true).min_len = match self.func.var(var).ty {
            Ty::Vec(_) => n,
            ref ty => super::writer::fixed_len(ty).unwrap_or(0),
        };
        vec![declared]
    }

    /// Small integers.
    fn let_table(&mut self) -> Vec<Stmt> {
        let ty = array(Ty::USIZE, self.rng.between(1, self.bounds.length));
        let value = self.new_value(&ty, 0);
        let (var, declared) = self.declare("w", ty, Some(value));
        self.know(var, true);
        vec![declared]
    }

    /// A new aggregate of a type; `n` is the length of a `Vec`, in which each other one has an element.
    pub(in crate::gen_program) fn new_value(&mut self, ty: &Ty, n: usize) -> Expr {
        match ty {
            Ty::Vec(t) => Expr::Repeat(
                Box::new(self.new_value(t, 1)),
                Box::new(usize(n)),
                ty.clone(),
            ),
            Ty::Array(t, len) => {
                let len: usize = len.parse().unwrap_or(1);
                let same = self.some(|k| k.ty == *ty);
                match (same, self.rng.below(3)) {
                    (Some(k), 0) => self.read(k.var),
                    (_, 1) => {
                        let parts = (0..len).map(|_| self.new_value(t, n)).collect();
                        Expr::Aggregate(parts, ty.clone())
                    }
                    _ => {
                        let value = Box::new(self.new_value(t, n));
                        Expr::Repeat(value, Box::new(usize(len)), ty.clone())
                    }
                }
            }
            Ty::Tuple(ts) => {
                let parts = ts.iter().map(|t| self.new_value(t, n)).collect();
                Expr::Aggregate(parts, ty.clone())
            }
            Ty::Option(t) => some(self.new_value(t, 1), ty.clone()),
            Ty::Int(_) => self.natural_below(7),
            _ => self.value(),
        }
    }

    /// `let t;` and a value in both arms of what follows.
    fn let_later(&mut self) -> Vec<Stmt> {
        let (var, declared) = self.declare("u", Ty::F64, None);
        let condition = self.condition(1);
        let arm = |w: &mut Self| {
            w.block(2, |w| {
                let place = w.whole(var);
                vec![stmt(StmtKind::Assign(place, w.value()))]
            })
        };
        let (yes, no) = (arm(self), arm(self));
        self.know(var, true);
        vec![declared, stmt(StmtKind::If(condition, yes, no))]
    }

    fn assign_real(&mut self) -> Option<Vec<Stmt>> {
        let place = self.real_place(true)?;
        let value = self.value();
        Some(vec![stmt(StmtKind::Assign(place, value))])
    }

    /// `x = x*x`, `a[i] = a[j]*a[i]`: the destination among the operands.
    fn assign_on_itself(&mut self) -> Option<Vec<Stmt>> {
        let known = self.some_written(holds_reals)?;
        let destination = self.real_in(&known);
        let same = Expr::Read(destination.clone());
        let near = Expr::Read(self.real_in(&known));
        let other = self.value();
        let value = match self.rng.below(7) {
            0 => binary(BinOp::Rem, mul(near.clone(), near), real(2.5)),
            1 => mul(real(0.5), mul(near, same)),
            2 => build::intrinsic(crate::ir::Intrinsic::Sin, [mul(same, other)]),
            3 => build::sub(mul(real(0.5), other), mul(real(0.5), same)),
            4 => build::div(same, build::add(real(1.0), mul(near.clone(), near))),
            5 => build::neg(same),
            _ => build::add(mul(real(0.25), same), mul(real(0.5), near)),
        };
        Some(vec![stmt(StmtKind::Assign(destination, value))])
    }

    fn incr(&mut self) -> Option<Vec<Stmt>> {
        let place = self.real_place(true)?;
        let by = self.increment();
        Some(vec![stmt(StmtKind::Incr(place, by))])
    }

    fn assign_int(&mut self) -> Option<Vec<Stmt>> {
        if let Some(table) = self.some_written(|k| is_table(&k.ty) && k.min_len > 0)
            && self.rng.chance(40)
        {
            let whole = self.whole(table.var);
            let index = self.index_of(&whole, table.min_len);
            let value = self.natural_below(7);
            let place = whole.index(index, Ty::USIZE);
            return Some(vec![stmt(StmtKind::Assign(place, value))]);
        }
        let known = self.some_written(|k| matches!(k.ty, Ty::Int(_)))?;
        let value = if known.ty == I64 {
            self.signed()
        } else {
            self.next_natural(&known)
        };
        Some(vec![stmt(StmtKind::Assign(self.whole(known.var), value))])
    }

    fn assign_flag(&mut self) -> Option<Vec<Stmt>> {
        let known = self.some_written(|k| k.ty == Ty::Bool)?;
        let value = match self.rng.chance(30) {
            true => Expr::Unary(UnOp::Not, Box::new(self.read(known.var))),
            false => self.condition(1),
        };
        Some(vec![stmt(StmtKind::Assign(self.whole(known.var), value))])
    }

    /// A whole array, a tuple, a row, or a part of a slice.
    fn assign_whole(&mut self) -> Option<Vec<Stmt>> {
        let aggregate = |k: &Known| {
            holds_reals(k) && !k.ty.is_float() && (!matches!(k.ty, Ty::Vec(_)) || is_grid(&k.ty))
        };
        let known = self.some_written(aggregate)?;
        if is_list(&known.ty) && (self.rng.chance(40) || matches!(known.ty, Ty::Slice(_))) {
            return self.copy_part(&known);
        }
        let rows = matches!(known.ty, Ty::Vec(_)) || self.rng.chance(60);
        let place = match is_grid(&known.ty) && rows {
            true => self.row_of(&known).0,
            false => self.whole(known.var),
        };
        let value = self.new_value(&place.ty.clone(), 1);
        Some(vec![stmt(StmtKind::Assign(place, value))])
    }

    /// `y[a..a + n] = x[b..b + n]`, where `x` may be `y`.
    fn copy_part(&mut self, to: &Known) -> Option<Vec<Stmt>> {
        let from = self.some(|k| is_list(&k.ty) && k.min_len > 0)?;
        let n = self.rng.between(1, to.min_len.min(from.min_len));
        let part = |w: &mut Self, k: &Known| -> Place {
            let lo = w.rng.below(k.min_len - n + 1);
            let bound = |i| Some(Box::new(usize(i)));
            let range = Proj::Range(bound(lo), bound(lo + n));
            w.whole(k.var).project(range, build::slice())
        };
        let (destination, source) = (part(self, to), part(self, &from));
        Some(vec![stmt(StmtKind::Assign(
            destination,
            Expr::Read(source),
        ))])
    }

    /// An exchange, and a use of one of the two, without which it seldom matters.
    fn swap(&mut self) -> Option<Vec<Stmt>> {
        let integers = |ty: &Ty| *ty == Ty::USIZE || is_table(ty);
        let swappable = |k: &Known| k.writable && (holds_reals(k) || integers(&k.ty));
        let a = self.some(swappable)?;
        let mut all = vec![stmt(self.exchange(&a)?)];
        if holds_reals(&a)
            && let Some(to) = self.real_place(true)
        {
            let by = mul(real(0.5), Expr::Read(self.real_in(&a)));
            all.push(stmt(StmtKind::Incr(to, by)));
        }
        Some(all)
    }

    /// Two scalars, two arrays of one type, two elements of one list, or two reals anywhere.
    fn exchange(&mut self, a: &Known) -> Option<StmtKind> {
        if holds_reals(a) && self.rng.chance(25) {
            let b = self.some(|k| k.writable && holds_reals(k))?;
            let (i, j) = (self.real_in(a), self.real_in(&b));
            return Some(StmtKind::Swap(i, j));
        }
        if is_grid(&a.ty) && self.rng.chance(40) {
            let (i, j) = (self.row_of(a).0, self.row_of(a).0);
            return Some(StmtKind::Swap(i, j));
        }
        if is_list(&a.ty) && self.rng.chance(40) {
            let (i, j) = (self.real_in(a), self.real_in(a));
            return Some(StmtKind::Swap(i, j));
        }
        if matches!(a.ty, Ty::Slice(_)) {
            return None;
        }
        let b =
            self.some(|k| k.writable && k.ty == a.ty && k.var != a.var && k.min_len == a.min_len)?;
        if matches!(a.ty, Ty::Vec(_)) && (self.is_spanned(a.var) || self.is_spanned(b.var)) {
            return None;
        }
        Some(StmtKind::Swap(self.whole(a.var), self.whole(b.var)))
    }
}
