//! `Vec`s that grow and shrink: never below the length that is relied on, and not while an index runs
//! over them.

use super::writer::{Below, Known, Writer, is_grid};
use crate::gen_program::build::{self, add, binary, mul, real, rem, stmt, usize};
use crate::ir::{BinOp, Block, Expr, Stmt, StmtKind, Ty, VarId};

impl Writer<'_> {
    /// Whether an index in scope relies on the length that the list has now.
    pub(in crate::gen_program) fn is_spanned(&self, list: VarId) -> bool {
        let on = |below: Below| matches!(below, Below::Length(of, _) if of == list);
        self.scope
            .iter()
            .any(|k| k.span.is_some_and(|s| on(s.below)))
    }

    /// A `Vec` of small integers.
    pub(in crate::gen_program) fn let_stack(&mut self) -> Vec<Stmt> {
        let n = self.rng.below(3);
        let ty = Ty::Vec(Box::new(Ty::USIZE));
        let value = Box::new(self.natural_below(7));
        let value = Expr::Repeat(value, Box::new(usize(n)), ty.clone());
        let (var, declared) = self.declare("w", ty, Some(value));
        self.know(var, true);
        vec![declared]
    }

    /// A statement that lengthens or shortens a `Vec`.
    pub(in crate::gen_program) fn resize(&mut self) -> Option<Vec<Stmt>> {
        let spanned: Vec<VarId> = self
            .all(|k| self.is_spanned(k.var))
            .iter()
            .map(|k| k.var)
            .collect();
        let known =
            self.some_written(|k| matches!(k.ty, Ty::Vec(_)) && !spanned.contains(&k.var))?;
        if is_grid(&known.ty) && known.min_len > 0 && self.rng.chance(50) {
            return Some(self.resize_row(&known));
        }
        Some(match self.rng.below(12) {
            0..5 => self.put_in(&known, false),
            5 => self.put_in(&known, true),
            6..9 => self.taken_out(&known, false),
            9 => self.taken_out(&known, true),
            10 => self.taken_out_in_a_loop(&known),
            _ => self.made_anew(&known),
        })
    }

    /// A row that gets an element, or loses one if it has several.
    fn resize_row(&mut self, known: &Known) -> Vec<Stmt> {
        let row = self.row_of(known).0;
        if self.rng.chance(60) {
            let value = self.value();
            return vec![stmt(StmtKind::Insert(row, None, value))];
        }
        let spare = binary(BinOp::Gt, Expr::Len(row.clone()), usize(1));
        let taken = build::local(&mut self.func, "taken", Ty::F64);
        let removal = stmt(StmtKind::Remove(Some(taken), row, None));
        let outer = self.scope.len();
        self.know(taken, false);
        let mut body = self.block(1, |_| Vec::new());
        self.scope.truncate(outer);
        body.stmts.insert(0, removal);
        vec![stmt(StmtKind::If(spare, body, Block::default()))]
    }

    fn element(&mut self, known: &Known) -> Expr {
        match known.ty.element() {
            Some(Ty::Int(_)) => self.natural_below(7),
            Some(row @ Ty::Vec(_)) => {
                let n = self.rng.between(1, 2);
                self.new_value(row, n)
            }
            _ => self.value(),
        }
    }

    fn put_in(&mut self, known: &Known, indexed: bool) -> Vec<Stmt> {
        let place = self.whole(known.var);
        let at = indexed.then(|| {
            let places = add(Expr::Len(place.clone()), usize(1));
            rem(self.natural(1), places)
        });
        let value = self.element(known);
        vec![stmt(StmtKind::Insert(place, at, value))]
    }

    /// `len(v) > n`
    fn can_spare(&self, known: &Known) -> Expr {
        let len = Expr::Len(self.whole(known.var));
        binary(BinOp::Gt, len, usize(known.min_len))
    }

    /// The removal, and the variable that takes the element.
    fn removal(&mut self, known: &Known, indexed: bool) -> (VarId, Stmt) {
        let place = self.whole(known.var);
        let at = indexed.then(|| rem(self.natural(1), Expr::Len(place.clone())));
        let ty = known.ty.element().cloned().unwrap_or(Ty::F64);
        let var = build::local(&mut self.func, "taken", ty);
        (var, stmt(StmtKind::Remove(Some(var), place, at)))
    }

    fn taken_out(&mut self, known: &Known, indexed: bool) -> Vec<Stmt> {
        let spare = self.can_spare(known);
        let outer = self.scope.len();
        let (var, removal) = self.removal(known, indexed);
        let writable = self.rng.chance(50);
        let is_row = matches!(self.func.var(var).ty, Ty::Vec(_));
        self.know(var, writable).min_len = match is_row {
            true => 1,
            false => 0,
        };
        let mut body = self.block(2, |_| Vec::new());
        self.scope.truncate(outer);
        body.stmts.insert(0, removal);
        vec![stmt(StmtKind::If(spare, body, Block::default()))]
    }

    fn taken_out_in_a_loop(&mut self, known: &Known) -> Vec<Stmt> {
        let spare = self.can_spare(known);
        let (var, removal) = self.removal(known, false);
        let mut body = vec![removal];
        if known.ty.element() == Some(&Ty::F64)
            && let Some(place) = self.real_place(true).filter(|p| p.root != known.var)
        {
            let taken = self.read(var);
            let by = mul(real(0.5), mul(taken.clone(), taken));
            body.push(stmt(StmtKind::Incr(place, by)));
        }
        let head = crate::ir::LoopHead::While(spare);
        vec![stmt(StmtKind::Loop(head, Block::new(body)))]
    }

    fn made_anew(&mut self, known: &Known) -> Vec<Stmt> {
        let n = known.min_len + self.rng.below(3);
        let value = Box::new(self.element(known));
        let value = Expr::Repeat(value, Box::new(usize(n)), known.ty.clone());
        vec![stmt(StmtKind::Assign(self.whole(known.var), value))]
    }
}
