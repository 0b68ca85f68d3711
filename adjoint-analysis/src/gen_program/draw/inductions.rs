//! Induction variables: integers of any type in recurrences, as index code has them, also at the limits of their types.
//!
//! Their sums may overflow: a program that does is drawn anew. Adjoints read them reduced into the range of a list.

mod tallies;

use super::writer::{Induction, Known, Writer, is_list};
use crate::gen_program::build::{add, binary, div, int, mul, neg, real, rem, stmt, sub, usize};
use crate::ir::{BinOp, Expr, IntTy, LoopHead, Range, Rev, Stmt, StmtKind, Ty, UnOp, VarId};

/// The types that are drawn, those of indices more often.
const TYPES: [IntTy; 11] = [
    IntTy::Usize,
    IntTy::Usize,
    IntTy::I32,
    IntTy::I32,
    IntTy::U8,
    IntTy::I64,
    IntTy::U32,
    IntTy::I8,
    IntTy::U16,
    IntTy::U64,
    IntTy::Isize,
];

impl Writer<'_> {
    /// Up to four variables of one type, with values near 0 or near a limit of the type.
    pub(in crate::gen_program) fn let_inductions(&mut self) -> Vec<Stmt> {
        let ty = *self.rng.pick(&TYPES);
        let count = self.rng.between(1, 4);
        let mut all: Vec<Stmt> = (0..count)
            .map(|_| {
                let value = self.start(ty);
                self.let_induction(ty, value).1
            })
            .collect();
        if self.rng.chance(40) {
            all.push(self.let_tally(ty));
        }
        all
    }

    fn let_induction(&mut self, ty: IntTy, value: Expr) -> (VarId, Stmt) {
        let (var, declared) = self.declare("v", Ty::Int(ty), Some(value));
        self.inductions.push(Induction {
            var,
            ty,
            writable: true,
        });
        (var, declared)
    }

    fn start(&mut self, ty: IntTy) -> Expr {
        let few = self.natural_below(5);
        let few = Expr::Cast(Box::new(few), Ty::Int(ty));
        match self.rng.below(5) {
            0 => sub(limit(ty, true), few),
            1 => add(limit(ty, false), few),
            2 if ty.is_signed() => sub(few, int(2, ty)),
            _ => few,
        }
    }

    /// An induction variable of a type, or of any.
    fn induction(&mut self, ty: Option<IntTy>, written: bool) -> Option<Induction> {
        let fits = |v: &&Induction| ty.is_none_or(|ty| ty == v.ty) && (!written || v.writable);
        let all: Vec<Induction> = self.inductions.iter().filter(fits).cloned().collect();
        (!all.is_empty()).then(|| self.rng.pick(&all).clone())
    }

    /// `v = e(v, w)`, by itself or in the arms of a branch.
    pub(in crate::gen_program) fn step_induction(&mut self) -> Option<Vec<Stmt>> {
        let v = self.induction(None, true)?;
        let next = self.next(&v);
        let step = |w: &Self, e| stmt(StmtKind::Assign(w.whole(v.var), e));
        let first = step(self, next);
        let mut all = match self.rng.below(4) {
            0 => {
                let condition = self.condition(1);
                let arm = self.arm(|_| vec![first]);
                let other = match self.rng.chance(50) {
                    true => {
                        let next = self.next(&v);
                        self.arm(|w| vec![step(w, next)])
                    }
                    false => Default::default(),
                };
                vec![stmt(StmtKind::If(condition, arm, other))]
            }
            _ => vec![first],
        };
        all.extend(self.use_of(&v));
        Some(all)
    }

    /// `let k = i - j; let m = k + 3 + l; i = k + 2 * l;`
    pub(in crate::gen_program) fn induction_chain(&mut self) -> Option<Vec<Stmt>> {
        let v = self.induction(None, true)?;
        let mut all = Vec::new();
        for _ in 0..self.rng.between(0, 2) {
            let value = self.linear(v.ty);
            let (_, declared) = self.let_induction(v.ty, value);
            all.push(declared);
        }
        for _ in 0..self.rng.between(1, 3) {
            let Some(to) = self.induction(Some(v.ty), true) else {
                break;
            };
            let value = self.linear(v.ty);
            all.push(stmt(StmtKind::Assign(self.whole(to.var), value)));
            all.extend(self.use_of(&to));
        }
        Some(all)
    }

    /// A sum of variables, multiples and literals of the type.
    fn linear(&mut self, ty: IntTy) -> Expr {
        let mut total = self.leaf(ty);
        for _ in 0..self.rng.between(1, 2) {
            let operand = match self.rng.below(4) {
                0 => self.few(ty),
                1 => {
                    let (factor, leaf) = (int(2, ty), self.leaf(ty));
                    self.integer_product(factor, leaf, ty)
                }
                _ => self.leaf(ty),
            };
            total = match self.rng.chance(60) {
                true => self.integer_sum(BinOp::Add, total, operand, ty),
                false => self.integer_sum(BinOp::Sub, total, operand, ty),
            };
        }
        total
    }

    /// A new value of an induction variable.
    fn next(&mut self, v: &Induction) -> Expr {
        let (now, ty) = (self.read(v.var), v.ty);
        let few = self.few(ty);
        match self.rng.below(14) {
            0 | 1 => self.integer_sum(BinOp::Add, now, few, ty),
            2 | 3 => self.integer_sum(BinOp::Sub, now, few, ty),
            4 => self.integer_sum(BinOp::Sub, few, now, ty),
            5 | 6 => {
                let (op, w) = (*self.rng.pick(&[BinOp::Add, BinOp::Sub]), self.leaf(ty));
                match self.rng.chance(70) {
                    true => self.integer_sum(op, now, w, ty),
                    false => self.integer_sum(op, w, now, ty),
                }
            }
            7 => self.linear(ty),
            8 => {
                let by = if self.rng.chance(50) {
                    few
                } else {
                    self.leaf(ty)
                };
                binary(BinOp::BitXor, now, by)
            }
            9 | 10 => self.bijection(now, ty),
            11 => self.lossy(now, ty),
            12 => self.through_cast(now, ty),
            _ => {
                let inner = self.bijection(now, ty);
                let leaf = self.leaf(ty);
                self.integer_sum(BinOp::Add, inner, leaf, ty)
            }
        }
    }

    /// An operation that loses no bits.
    fn bijection(&mut self, a: Expr, ty: IntTy) -> Expr {
        let method = |name: &str, args| Expr::Discrete(name.into(), args, Ty::Int(ty));
        match self.rng.below(8) {
            0 => Expr::Unary(UnOp::Not, Box::new(a)),
            1 if ty.is_signed() => neg(a),
            1 | 2 => method("wrapping_neg", vec![a]),
            3 => method("swap_bytes", vec![a]),
            4 => method("reverse_bits", vec![a]),
            5 | 6 => {
                let name = *self.rng.pick(&["rotate_left", "rotate_right"]);
                let by = match self.rng.chance(70) {
                    true => int(self.rng.between(1, 9) as i64, IntTy::U32),
                    false => Expr::Cast(Box::new(self.leaf(ty)), Ty::Int(IntTy::U32)),
                };
                method(name, vec![a, by])
            }
            _ => {
                let odd = int(2 * self.rng.between(0, 4) as i64 + 1, ty);
                self.integer_product(a, odd, ty)
            }
        }
    }

    /// An operation that loses bits.
    fn lossy(&mut self, a: Expr, ty: IntTy) -> Expr {
        let few = self.few(ty);
        match self.rng.below(7) {
            0 => div(a, int(2, ty)),
            1 => rem(a, int(self.rng.between(2, 9) as i64, ty)),
            2 => binary(BinOp::Shr, a, int(1, IntTy::U32)),
            3 => binary(
                BinOp::Shl,
                a,
                int(self.rng.between(1, 2) as i64, IntTy::U32),
            ),
            4 => self.integer_product(a, int(2, ty), ty),
            n => {
                let name = if n == 5 { "min" } else { "max" };
                Expr::Discrete(name.into(), vec![a, few], Ty::Int(ty))
            }
        }
    }

    /// `(v as u64 * 3) as u8`
    fn through_cast(&mut self, a: Expr, ty: IntTy) -> Expr {
        let through = *self.rng.pick(&TYPES);
        let there = Expr::Cast(Box::new(a), Ty::Int(through));
        let few = self.few(through);
        let changed = match self.rng.below(4) {
            0 => self.integer_product(there, few, through),
            1 => self.integer_sum(BinOp::Add, there, few, through),
            2 => binary(BinOp::Shl, there, int(1, IntTy::U32)),
            _ => there,
        };
        Expr::Cast(Box::new(changed), Ty::Int(ty))
    }

    /// A value of the type, mostly a variable.
    fn leaf(&mut self, ty: IntTy) -> Expr {
        let cast = |e| Expr::Cast(Box::new(e), Ty::Int(ty));
        match (self.rng.below(10), self.induction(Some(ty), false)) {
            (0..7, Some(v)) => self.read(v.var),
            (7, _) => self.few(ty),
            (8, _) => cast(self.natural_below(4)),
            _ => match self.induction(None, false) {
                Some(v) => cast(self.read(v.var)),
                None => self.few(ty),
            },
        }
    }

    fn few(&mut self, ty: IntTy) -> Expr {
        int(self.rng.between(1, 5) as i64, ty)
    }

    /// `a + b` or `a - b`, in wrapping form or not.
    fn integer_sum(&mut self, op: BinOp, a: Expr, b: Expr, ty: IntTy) -> Expr {
        // `v - v` is a constant.
        let op = if a == b { BinOp::Add } else { op };
        let name = match op {
            BinOp::Add => "wrapping_add",
            _ => "wrapping_sub",
        };
        self.wrapped_or_not(name, op, a, b, ty)
    }

    fn integer_product(&mut self, a: Expr, b: Expr, ty: IntTy) -> Expr {
        self.wrapped_or_not("wrapping_mul", BinOp::Mul, a, b, ty)
    }

    fn wrapped_or_not(&mut self, name: &str, op: BinOp, a: Expr, b: Expr, ty: IntTy) -> Expr {
        match self.rng.chance(45) {
            true => Expr::Discrete(name.into(), vec![a, b], Ty::Int(ty)),
            false => binary(op, a, b),
        }
    }

    /// A `usize` less than `n`, which is not 0, from an induction variable.
    pub(in crate::gen_program) fn reduced(&mut self, n: usize) -> Option<Expr> {
        let v = self.induction(None, false)?;
        Some(self.reduced_below(&v, usize(n), n))
    }

    /// The variable modulo a length, which is at least `least`.
    fn reduced_below(&mut self, v: &Induction, len: Expr, least: usize) -> Expr {
        let now = self.read(v.var);
        let index = |e| match v.ty {
            IntTy::Usize => e,
            _ => Expr::Cast(Box::new(e), Ty::USIZE),
        };
        match self.rng.chance(50) {
            true => rem(index(now), len),
            false => {
                let args = vec![now, int(least as i64, v.ty)];
                index(Expr::Discrete("rem_euclid".into(), args, Ty::Int(v.ty)))
            }
        }
    }

    /// A comparison of induction variables.
    pub(in crate::gen_program) fn induction_condition(&mut self) -> Option<Expr> {
        let v = self.induction(None, false)?;
        let op = *self.rng.pick(&[BinOp::Lt, BinOp::Ge, BinOp::Eq, BinOp::Ne]);
        let (now, other) = (self.read(v.var), self.leaf(v.ty));
        Some(match self.rng.chance(60) {
            true => binary(op, now, other),
            false => {
                let args = vec![now, int(2, v.ty)];
                let odd = Expr::Discrete("rem_euclid".into(), args, Ty::Int(v.ty));
                binary(BinOp::Eq, odd, int(1, v.ty))
            }
        })
    }

    /// `x += 0.25 * a[v % n] * y`
    fn use_of(&mut self, v: &Induction) -> Option<Stmt> {
        if self.rng.chance(40) {
            return None;
        }
        let list: Known = self.some(|k| is_list(&k.ty) && k.min_len > 0)?;
        let to = self.real_place(true)?;
        let whole = self.whole(list.var);
        let index = self.reduced_below(v, Expr::Len(whole.clone()), list.min_len);
        let element = Expr::Read(whole.index(index, Ty::F64));
        let factor = self.real_place(false).map_or(real(0.5), Expr::Read);
        let by = mul(real(0.125), mul(element, factor));
        Some(stmt(StmtKind::Incr(to, by)))
    }

    /// A `while` with a counter of any type, in either direction, also up to a limit of the type; how often it ran is
    /// perhaps the trip count of another loop.
    pub(in crate::gen_program) fn induction_loop(&mut self) -> Vec<Stmt> {
        let (ty, up) = (*self.rng.pick(&TYPES), self.rng.chance(60));
        let (by, most) = (self.rng.between(1, 3) as i64, self.bounds.trips as i64);
        let far = by * most;
        let span = {
            let trips = self.natural_below(self.bounds.trips + 1);
            mul(Expr::Cast(Box::new(trips), Ty::Int(ty)), int(by, ty))
        };
        let at_limit = self.rng.chance(40);
        let (start, bound) = match up {
            true => {
                let start = match at_limit {
                    true => sub(limit(ty, true), int(far, ty)),
                    false => int(self.rng.below(3) as i64, ty),
                };
                (start.clone(), add(start, span))
            }
            false => {
                let bound = match at_limit {
                    true => limit(ty, false),
                    false => int(self.rng.below(3) as i64, ty),
                };
                (add(bound.clone(), span), bound)
            }
        };
        let (k, declared) = self.let_induction(ty, start);
        let op = match (self.rng.chance(30), up) {
            (true, _) => BinOp::Ne,
            (false, true) => BinOp::Lt,
            (false, false) => BinOp::Gt,
        };
        // The bound is as it was before the loop.
        let (n, bounded) = self.let_induction(ty, bound);
        let compared = binary(op, self.read(k), self.read(n));
        let condition = match self.rng.chance(30) {
            true => binary(BinOp::And, compared, self.condition(1)),
            false => compared,
        };
        self.set_induction_writable(&[k, n], false);
        let op = if up { BinOp::Add } else { BinOp::Sub };
        let step = self.steps_of(k, ty, op, by);
        let (c, counts, is_trips) = self.trip_counter();
        let count = self.steps_of(c.var, c.ty, BinOp::Add, counts.1);
        let v = Induction {
            var: k,
            ty,
            writable: false,
        };
        let mut body = self.block(self.bounds.statements, |w| {
            let of = if w.rng.chance(50) { &v } else { &c };
            w.use_of(of).into_iter().collect()
        });
        let at = match self.rng.chance(50) {
            true => body.stmts.len(),
            false => self.rng.below(body.stmts.len() + 1),
        };
        body.stmts.splice(at..at, step.into_iter().chain(count));
        let mut all = vec![declared, bounded, counts.0];
        all.push(stmt(StmtKind::Loop(LoopHead::While(condition), body)));
        if is_trips && self.rng.chance(40) {
            all.push(self.repeated(c.var));
        }
        self.set_induction_writable(&[k, n, c.var], true);
        all
    }

    /// A variable that may count the iterations of a loop, its declaration and its step, and whether it is their number.
    fn trip_counter(&mut self) -> (Induction, (Stmt, i64), bool) {
        let plain = self.rng.chance(50);
        let (ty, start, by) = match plain {
            true => (IntTy::Usize, usize(0), 1),
            false => {
                let ty = *self.rng.pick(&TYPES);
                let by = self.rng.between(1, 5) as i64;
                let start = match self.rng.chance(30) {
                    true => sub(limit(ty, true), int(by * self.bounds.trips as i64, ty)),
                    false => Expr::Cast(Box::new(self.natural_below(5)), Ty::Int(ty)),
                };
                (ty, start, by)
            }
        };
        let (var, declared) = self.let_induction(ty, start);
        self.set_induction_writable(&[var], false);
        let c = Induction {
            var,
            ty,
            writable: false,
        };
        (c, (declared, by), plain)
    }

    /// `k = k + 3`, perhaps as `let t = k + 1; k = t + 2;` or in two steps.
    fn steps_of(&mut self, k: VarId, ty: IntTy, op: BinOp, by: i64) -> Vec<Stmt> {
        let first = self.rng.below(by as usize + 1) as i64;
        let rest = by - first;
        match self.rng.below(4) {
            0 => {
                let between = binary(op, self.read(k), int(first, ty));
                let (t, declared) = self.declare("t", Ty::Int(ty), Some(between));
                let next = binary(op, self.read(t), int(rest, ty));
                vec![declared, self.step(k, |_| next)]
            }
            1 => [first, rest]
                .map(|by| self.step(k, |k| binary(op, k, int(by, ty))))
                .into(),
            _ => vec![self.step(k, |k| binary(op, k, int(by, ty)))],
        }
    }

    /// `for _ in 0..c { .. }`
    fn repeated(&mut self, c: VarId) -> Stmt {
        let index = self.index_var(Ty::USIZE);
        let range = from_0(self.read(c), false);
        let body = self.block(2, |w| w.step_induction().unwrap_or_default());
        stmt(StmtKind::Loop(LoopHead::Counted(index, range), body))
    }

    /// A triangle, through which an offset is carried, and another one by rows: `at += 1` inside, `row += i` outside,
    /// and perhaps an offset that each row sets anew.
    pub(in crate::gen_program) fn triangle(&mut self) -> Vec<Stmt> {
        let [ty, row_ty] = [0, 1].map(|_| *self.rng.pick(&TYPES));
        let (start, row_start) = (self.start(ty), self.start(row_ty));
        let (at, declared) = self.let_induction(ty, start);
        let (row, row_declared) = self.let_induction(row_ty, row_start);
        let (i, j) = (self.index_var(Ty::USIZE), self.index_var(Ty::USIZE));
        let outer = self.rng.between(1, self.bounds.trips.min(4));
        let inner = from_0(self.read(i), self.rng.chance(40));
        let induction = |w: &Self, var| w.inductions.iter().find(|v| v.var == var).cloned();
        let body = self.block(2, |w| {
            let resets = w.rng.chance(30);
            let reset = resets.then(|| w.start(ty));
            let mut all: Vec<Stmt> = Vec::new();
            all.extend(reset.map(|e| stmt(StmtKind::Assign(w.whole(at), e))));
            let inside = w.block(2, |w| {
                let mut all: Vec<Stmt> = Vec::new();
                all.extend(induction(w, at).and_then(|v| w.use_of(&v)));
                all.extend(induction(w, row).and_then(|v| w.use_of(&v)));
                let (few, now) = (w.few(ty), w.read(at));
                let op = *w.rng.pick(&[BinOp::Add, BinOp::Add, BinOp::Sub]);
                let next = w.integer_sum(op, now, few, ty);
                all.push(stmt(StmtKind::Assign(w.whole(at), next)));
                all
            });
            all.push(stmt(StmtKind::Loop(LoopHead::Counted(j, inner), inside)));
            let by = Expr::Cast(Box::new(w.read(i)), Ty::Int(row_ty));
            let now = w.read(row);
            let next = w.integer_sum(BinOp::Add, now, by, row_ty);
            all.push(stmt(StmtKind::Assign(w.whole(row), next)));
            all
        });
        let range = from_0(usize(outer), false);
        let triangle = stmt(StmtKind::Loop(LoopHead::Counted(i, range), body));
        vec![declared, row_declared, triangle]
    }

    fn set_induction_writable(&mut self, vars: &[VarId], writable: bool) {
        for v in &mut self.inductions {
            if vars.contains(&v.var) {
                v.writable = writable;
            }
        }
    }
}

fn from_0(hi: Expr, inclusive: bool) -> Range {
    Range {
        lo: usize(0),
        hi,
        inclusive,
        step: None,
        rev: Rev::No,
        ty: Ty::USIZE,
    }
}

/// The largest or the least value of the type; pointers have 64 bits, as in the interpreter.
fn limit(ty: IntTy, largest: bool) -> Expr {
    let bits = ty.bits();
    let magnitude = match (ty.is_signed(), largest) {
        (true, true) => (1u128 << (bits - 1)) - 1,
        (true, false) => 1u128 << (bits - 1),
        (false, true) => (1u128 << bits) - 1,
        (false, false) => 0,
    };
    let literal = Expr::Lit(magnitude.to_string(), Ty::Int(ty));
    match ty.is_signed() && !largest {
        true => neg(literal),
        false => literal,
    }
}
