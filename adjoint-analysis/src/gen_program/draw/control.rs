//! Branches and loops, with breaks in tail position.

use super::writer::{Below, I64, Span, Writer, is_list};
use crate::gen_program::build::{add, binary, div, int, rem, stmt, sub, usize};
use crate::ir::{BinOp, Expr, IntTy, LoopHead, Range, Rev, Stmt, StmtKind, Ty, VarId};

impl Writer<'_> {
    /// `if`, with or without `else`.
    pub(in crate::gen_program) fn branch(&mut self) -> Vec<Stmt> {
        let condition = self.condition(2);
        let yes = self.plain_block();
        let no = if self.rng.chance(65) {
            self.plain_block()
        } else {
            Default::default()
        };
        vec![stmt(StmtKind::If(condition, yes, no))]
    }

    /// A loop of some form.
    pub(in crate::gen_program) fn counted_or_not(&mut self) -> Vec<Stmt> {
        match self.rng.below(13) {
            0..6 => self.counted(),
            6 | 7 => self.while_counting(),
            8 | 9 => self.while_bounded(),
            10 => self.while_real(),
            11 => self.forever(),
            _ => self.loop_until(),
        }
    }

    /// The end of a loop body: nothing, mostly, or `if`s with breaks in some arms.
    fn maybe_break(&mut self) -> Vec<Stmt> {
        if self.rng.chance(75) {
            Vec::new()
        } else {
            self.tail_break(2)
        }
    }

    /// An `if` at the end of a loop body, in which one arm at least ends with a break.
    pub(in crate::gen_program) fn tail_break(&mut self, depth: usize) -> Vec<Stmt> {
        let condition = self.condition(1);
        let broken = self.arm(|_| vec![stmt(StmtKind::Break)]);
        let other = match self.rng.below(3) {
            0 if depth > 0 => self.arm(|w| w.tail_break(depth - 1)),
            1 => self.arm(|_| Vec::new()),
            _ => Default::default(),
        };
        // Both arms may break, or go on.
        let broken = match depth > 0 && self.rng.chance(25) {
            true => self.arm(|w| w.tail_break(depth - 1)),
            false => broken,
        };
        let kind = match self.rng.chance(60) {
            true => StmtKind::If(condition, broken, other),
            false => StmtKind::If(condition, other, broken),
        };
        vec![stmt(kind)]
    }

    pub(in crate::gen_program) fn arm(
        &mut self,
        tail: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> crate::ir::Block {
        let most = self.rng.below(3);
        self.block(most, tail)
    }

    fn body(&mut self) -> crate::ir::Block {
        self.block(self.bounds.statements, |w| w.maybe_break())
    }

    /// A counted loop.
    fn counted(&mut self) -> Vec<Stmt> {
        let (mut range, span) = match self.rng.below(10) {
            0..5 => self.range_of_list(),
            5..7 => self.range_of_constants(),
            7 => self.range_of_index(),
            8 => self.range_of_naturals(),
            _ => (self.range_of_signed(), None),
        };
        if self.rng.chance(25) {
            range.step = Some(usize(self.rng.between(1, 3)));
        }
        if self.rng.chance(30) {
            range.rev = *self.rng.pick(&[Rev::BeforeStep, Rev::AfterStep]);
        }
        // Rust reverses a stepped range only where its length is a `usize` for certain.
        let exact = range.ty == Ty::USIZE && !range.inclusive;
        if range.rev == Rev::AfterStep && (range.step.is_none() || !exact) {
            range.rev = Rev::BeforeStep;
        }
        let index = self.index_var(range.ty.clone());
        let outer = self.scope.len();
        self.know(index, false).span = span;
        let body = self.body();
        self.scope.truncate(outer);
        vec![stmt(StmtKind::Loop(LoopHead::Counted(index, range), body))]
    }

    /// `lo..len - d`
    fn range_of_list(&mut self) -> (Range, Option<Span>) {
        let Some(list) = self.some(|k| is_list(&k.ty) && k.min_len > 0) else {
            return self.range_of_constants();
        };
        let above = self.rng.below(list.min_len.min(3));
        let lo = self.rng.below(2);
        let len = Expr::Len(self.whole(list.var));
        let hi = if above == 0 {
            len
        } else {
            sub(len, usize(above))
        };
        let span = Span {
            lo,
            below: Below::Length(list.var, above),
        };
        (range(usize(lo), hi, false), Some(span))
    }

    /// `2..5`, `2..=5`, `3..1`
    fn range_of_constants(&mut self) -> (Range, Option<Span>) {
        let (lo, trips) = (self.rng.below(3), self.rng.below(self.bounds.trips + 1));
        let inclusive = self.rng.chance(30);
        let hi = if trips == 0 {
            self.rng.below(lo + 1)
        } else {
            lo + trips
        };
        let last = hi + usize::from(inclusive);
        let span = Span {
            lo,
            below: Below::Const(last),
        };
        (range(usize(lo), usize(hi), inclusive), Some(span))
    }

    /// `0..i`, `i..n` for an outer index `i`
    fn range_of_index(&mut self) -> (Range, Option<Span>) {
        let Some(outer) = self.some(|k| k.span.is_some()) else {
            return self.range_of_list();
        };
        let Some(span) = outer.span else {
            return self.range_of_list();
        };
        let i = self.read(outer.var);
        match span.below {
            Below::Length(list, above) if self.rng.chance(50) => {
                let hi = sub(Expr::Len(self.whole(list)), usize(above));
                (range(i, hi, false), Some(span))
            }
            _ => {
                let inclusive = self.rng.chance(40);
                (range(usize(0), i, inclusive), Some(Span { lo: 0, ..span }))
            }
        }
    }

    /// Bounds that are computed, often with no trip at all.
    fn range_of_naturals(&mut self) -> (Range, Option<Span>) {
        let lo = rem(self.natural(1), usize(3));
        let hi = rem(self.natural(2), usize(self.bounds.trips + 2));
        (
            range(lo, hi, self.rng.chance(30)),
            Some(Span {
                lo: 0,
                below: Below::Unknown,
            }),
        )
    }

    fn range_of_signed(&mut self) -> Range {
        let lo = self.rng.below(5) as i64 - 3;
        let hi = match self.rng.chance(40) {
            true => rem(self.signed(), int(4, IntTy::I64)),
            false => int(lo + self.rng.below(self.bounds.trips) as i64, IntTy::I64),
        };
        Range {
            ty: I64,
            ..range(int(lo, IntTy::I64), hi, self.rng.chance(30))
        }
    }

    /// A new `usize` variable that only the loop's own statements write.
    pub(in crate::gen_program) fn counter(&mut self, name: &str, init: Expr) -> (VarId, Stmt) {
        let (var, declared) = self.declare(name, Ty::USIZE, Some(init));
        self.know(var, false);
        (var, declared)
    }

    /// `k = e(k)`
    pub(in crate::gen_program) fn step(&self, var: VarId, next: impl FnOnce(Expr) -> Expr) -> Stmt {
        stmt(StmtKind::Assign(self.whole(var), next(self.read(var))))
    }

    /// `while k < n { .. k = k + s .. }`, or down to zero.
    fn while_counting(&mut self) -> Vec<Stmt> {
        let up = self.rng.chance(60);
        let most = self.bounds.trips;
        let start = match up {
            true => self.rng.below(3),
            false => self.rng.below(most + 1),
        };
        let (k, declared) = self.counter("k", usize(start));
        let now = self.read(k);
        let by = self.rng.between(1, 3);
        let (condition, step) = match (up, self.rng.below(3)) {
            (true, 0) => {
                let hi = rem(self.natural(1), usize(most + 2));
                (
                    binary(BinOp::Lt, now, hi),
                    self.step(k, |k| add(k, usize(by))),
                )
            }
            (true, _) => {
                let hi = usize(start + self.rng.below(most + 1));
                (
                    binary(BinOp::Lt, now, hi),
                    self.step(k, |k| add(k, usize(by))),
                )
            }
            (false, 0) => (
                binary(BinOp::Gt, now, usize(0)),
                self.step(k, |k| div(k, usize(2))),
            ),
            (false, _) => (
                binary(BinOp::Ge, now, usize(by)),
                self.step(k, |k| sub(k, usize(by))),
            ),
        };
        let mut body = self.body();
        // With a break at its end, or another `if` there, the step must come before.
        let at = self.rng.below(body.stmts.len().max(1));
        body.stmts.insert(at, step);
        self.set_writable(k, true);
        vec![
            declared,
            stmt(StmtKind::Loop(LoopHead::While(condition), body)),
        ]
    }

    /// `while k <= n`, from a computed start to a computed bound, neither of which the loop may change; the
    /// step often at one end of the body.
    fn while_bounded(&mut self) -> Vec<Stmt> {
        let (up, inclusive) = (self.rng.chance(60), self.rng.chance(50));
        let most = self.bounds.trips;
        let low = rem(self.natural(1), usize(3));
        let high = rem(self.natural(1), usize(most + 1));
        let until_equal = self.rng.chance(20);
        let by = match until_equal {
            true => 1,
            false => self.rng.between(1, 2),
        };
        // Never below zero: the bound is at least the step, and one that has to be met is met.
        let (start, bound) = match (until_equal, up) {
            (true, true) => (low.clone(), add(low, high)),
            (true, false) => (add(low.clone(), high), low),
            (false, true) => (low, high),
            (false, false) => (high, add(low, usize(by))),
        };
        let (n, bounded) = self.counter("n", bound);
        let (k, declared) = self.counter("k", start);
        let op = match (up, inclusive) {
            _ if until_equal => BinOp::Ne,
            (true, false) => BinOp::Lt,
            (true, true) => BinOp::Le,
            (false, false) => BinOp::Gt,
            (false, true) => BinOp::Ge,
        };
        let turned = self.rng.chance(20);
        let condition = match (turned, op) {
            (true, BinOp::Lt) => binary(BinOp::Gt, self.read(n), self.read(k)),
            (true, BinOp::Ge) => binary(BinOp::Le, self.read(n), self.read(k)),
            _ => binary(op, self.read(k), self.read(n)),
        };
        let step = match up {
            true => self.step(k, |k| add(k, usize(by))),
            false => self.step(k, |k| sub(k, usize(by))),
        };
        let mut body = match self.rng.chance(75) {
            true => self.plain_block(),
            false => self.body(),
        };
        let ends_with_if = matches!(body.stmts.last().map(|s| &s.kind), Some(StmtKind::If(..)));
        let at = match self.rng.chance(60) && !ends_with_if {
            true => body.stmts.len(),
            false => 0,
        };
        body.stmts.insert(at, step);
        self.set_writable(k, true);
        vec![
            bounded,
            declared,
            stmt(StmtKind::Loop(LoopHead::While(condition), body)),
        ]
    }

    /// `loop { if k >= n { break } .. k += 1 }`, from a computed start to a computed bound; the step before
    /// the test or after it.
    fn loop_until(&mut self) -> Vec<Stmt> {
        let (up, inclusive) = (self.rng.chance(60), self.rng.chance(50));
        let low = rem(self.natural(1), usize(3));
        let high = rem(self.natural(1), usize(self.bounds.trips + 1));
        let by = self.rng.between(1, 2);
        // Never below zero, with a step before the test and one in which it fails.
        let (start, bound) = match up {
            true => (low, high),
            false => (add(high, usize(by)), add(low, usize(by))),
        };
        let (n, bounded) = self.counter("n", bound);
        let (k, declared) = self.counter("k", start);
        let op = match (up, inclusive) {
            (true, false) => BinOp::Ge,
            (true, true) => BinOp::Gt,
            (false, false) => BinOp::Le,
            (false, true) => BinOp::Lt,
        };
        let step = match up {
            true => self.step(k, |k| add(k, usize(by))),
            false => self.step(k, |k| sub(k, usize(by))),
        };
        let (first, straight) = (self.rng.chance(50), self.rng.chance(70));
        let done = binary(op, self.read(k), self.read(n));
        let goes_on = binary(opposite(op), self.read(k), self.read(n));
        let leaves = self.arm(|_| vec![stmt(StmtKind::Break)]);
        let mut other = match straight {
            true => self.plain_block(),
            false => self.arm(|_| Vec::new()),
        };
        other.stmts.extend((!first).then(|| step.clone()));
        let tail = match self.rng.chance(75) {
            true => StmtKind::If(done, leaves, other),
            false => StmtKind::If(goes_on, other, leaves),
        };
        let mut body = self.block(1, |_| vec![stmt(tail)]);
        if first {
            body.stmts.insert(0, step);
        }
        self.set_writable(k, true);
        vec![
            bounded,
            declared,
            stmt(StmtKind::Loop(LoopHead::Forever, body)),
        ]
    }

    /// A counter that a loop starts with increasing, its declaration, and a condition with it.
    fn guard(&mut self, condition: Expr) -> (Stmt, Stmt, Expr) {
        let (c, declared) = self.counter("c", usize(0));
        let most = self.rng.between(1, self.bounds.trips);
        let under = binary(BinOp::Lt, self.read(c), usize(most));
        let both = match self.rng.chance(70) {
            true => binary(BinOp::And, under, condition),
            false => binary(BinOp::And, condition, under),
        };
        (self.step(c, |c| add(c, usize(1))), declared, both)
    }

    /// `while x*x < y && c < 4`
    fn while_real(&mut self) -> Vec<Stmt> {
        let (a, b) = (self.real(1).0, self.real(1).0);
        let condition = binary(*self.rng.pick(&[BinOp::Lt, BinOp::Ge]), a, b);
        let (guard, declared, condition) = self.guard(condition);
        let mut body = self.body();
        body.stmts.insert(0, guard);
        vec![
            declared,
            stmt(StmtKind::Loop(LoopHead::While(condition), body)),
        ]
    }

    /// `loop { c = c + 1; .. if c >= 4 { break } }`
    fn forever(&mut self) -> Vec<Stmt> {
        let (c, declared) = self.counter("c", usize(0));
        let most = self.rng.between(1, self.bounds.trips);
        let done = binary(BinOp::Ge, self.read(c), usize(most));
        let mut body = self.block(self.bounds.statements, |w| w.end_of_forever(done));
        body.stmts.insert(0, self.step(c, |c| add(c, usize(1))));
        vec![declared, stmt(StmtKind::Loop(LoopHead::Forever, body))]
    }

    /// The breaks of a `loop`: when it is done, and perhaps before.
    fn end_of_forever(&mut self, done: Expr) -> Vec<Stmt> {
        let last = self.arm(|_| vec![stmt(StmtKind::Break)]);
        match self.rng.below(4) {
            0 => {
                let other = self.arm(|w| w.tail_break(1));
                vec![stmt(StmtKind::If(done, last, other))]
            }
            1 => {
                let early = self.condition(1);
                let first = self.arm(|_| vec![stmt(StmtKind::Break)]);
                let other = self.arm(|_| vec![stmt(StmtKind::If(done, last, Default::default()))]);
                vec![stmt(StmtKind::If(early, first, other))]
            }
            2 => {
                let early = binary(BinOp::Or, done, self.condition(1));
                vec![stmt(StmtKind::If(early, last, Default::default()))]
            }
            _ => vec![stmt(StmtKind::If(done, last, Default::default()))],
        }
    }
}

fn opposite(op: BinOp) -> BinOp {
    match op {
        BinOp::Ge => BinOp::Lt,
        BinOp::Gt => BinOp::Le,
        BinOp::Le => BinOp::Gt,
        _ => BinOp::Ge,
    }
}

fn range(lo: Expr, hi: Expr, inclusive: bool) -> Range {
    Range {
        lo,
        hi,
        inclusive,
        step: None,
        rev: Rev::No,
        ty: Ty::USIZE,
    }
}
