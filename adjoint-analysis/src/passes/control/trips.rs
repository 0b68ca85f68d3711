//! Trip counts of `while` loops with a counter, and of `loop`s that a comparison of a counter ends.
//!
//! `[CFR]` Algorithm 4 counts the iterations of each loop. If an integer starts at an available value, changes by the
//! same number in each iteration, and is compared with a bound that the loop doesn't write, their number can be
//! computed, as for a counted loop; so it can if a step of 1 continues until the counter equals the bound, which it
//! reaches in the end, even if it wraps. A `loop` with one `break` on such a comparison is a `while` loop with the
//! opposite condition and one more iteration: the one that leaves.

use std::collections::BTreeMap;

use crate::ir::integers;
use crate::ir::{BinOp, Block, Expr, Func, LoopHead, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::tbr::cost::is_cheap;

/// The trip count of each such loop, in terms of variables that the loop doesn't write.
pub fn trips(func: &Func) -> BTreeMap<StmtId, Expr> {
    let mut pass = Trips {
        func,
        found: BTreeMap::new(),
    };
    pass.block(&func.body);
    pass.found
}

/// The runtime function that counts `start, start + step, ..` below the bound, given the start, the bound, whether it
/// is inclusive, and the step.
pub const TRIPS_UP: &str = "__trips_up";
/// The same for `start, start - step, ..` above the bound.
pub const TRIPS_DOWN: &str = "__trips_down";
/// The function that counts the steps of 1 from the start to the bound, given whether they go up.
pub const TRIPS_TO: &str = "__trips_to";

struct Trips<'a> {
    func: &'a Func,
    found: BTreeMap<StmtId, Expr>,
}

impl Trips<'_> {
    fn block(&mut self, block: &Block) {
        for (at, stmt) in block.stmts.iter().enumerate() {
            let before = &block.stmts[..at];
            let count = match &stmt.kind {
                StmtKind::Loop(LoopHead::While(test), body) => self.count(before, test, body),
                StmtKind::Loop(LoopHead::Forever, body) => self.count_until(before, body),
                _ => None,
            };
            self.found.extend(count.map(|count| (stmt.id, count)));
            stmt.blocks().into_iter().for_each(|b| self.block(b));
        }
    }

    fn count(&self, before: &[Stmt], test: &Expr, body: &Block) -> Option<Expr> {
        let (counter, op, bound) = self.comparison(test, body)?;
        let step = Step::of(&body.stmts, counter).filter(|_| !leaves(body))?;
        let start = start(self.func, before, counter, body)?;
        step.run(start, op, bound)
    }

    fn count_until(&self, before: &[Stmt], body: &Block) -> Option<Expr> {
        let (last, rest) = body.stmts.split_last()?;
        let StmtKind::If(test, then, els) = &last.kind else {
            return None;
        };
        let ends = |b: &Block| matches!(b.stmts.last().map(|s| &s.kind), Some(StmtKind::Break));
        let (out, stays) = match (ends(then), ends(els)) {
            (true, false) => (then, els),
            (false, true) => (els, then),
            _ => return None,
        };
        let (counter, op, bound) = self.comparison(test, body)?;
        if leaves(stays) || writes(&out.stmts, counter) {
            return None;
        }
        let op = if ends(then) { opposite(op)? } else { op };
        let mut start = start(self.func, before, counter, body)?;
        let step = match Step::of(rest, counter) {
            // The first value that is compared is the second one.
            Some(step) if !writes(&stays.stmts, counter) => {
                let sign = if step.up { BinOp::Add } else { BinOp::Sub };
                start = Expr::Binary(sign, Box::new(start), Box::new(step.by.clone()));
                step
            }
            Some(_) => return None,
            None if writes(rest, counter) => return None,
            None => Step::of(&stays.stmts, counter)?,
        };
        let goes_on = step.run(start, op, bound)?;
        let one = Expr::Lit("1".into(), Ty::USIZE);
        Some(Expr::Binary(BinOp::Add, Box::new(goes_on), Box::new(one)))
    }

    /// The counter, the comparison operator and the bound.
    fn comparison(&self, test: &Expr, body: &Block) -> Option<(VarId, BinOp, Expr)> {
        let Expr::Binary(op, a, b) = test else {
            return None;
        };
        let turned = match op {
            BinOp::Lt => BinOp::Gt,
            BinOp::Le => BinOp::Ge,
            BinOp::Gt => BinOp::Lt,
            BinOp::Ge => BinOp::Le,
            BinOp::Eq | BinOp::Ne => *op,
            _ => return None,
        };
        let counter = |e: &Expr| match e {
            Expr::Read(p) if p.is_whole() && is_counter(&p.ty) => Some(p.root),
            _ => None,
        };
        let left = counter(a).filter(|v| writes(&body.stmts, *v));
        let (v, op, bound) = match left {
            Some(v) => (v, *op, b),
            None => (counter(b)?, turned, a),
        };
        let fixed = |v: &VarId| !writes(&body.stmts, *v);
        let known = is_cheap(bound, self.func) && bound.needs(self.func).iter().all(fixed);
        known.then(|| (v, op, (**bound).clone()))
    }
}

/// The counter's start value: the last assignment before the loop, if it can be evaluated again behind the loop.
pub fn start(func: &Func, before: &[Stmt], counter: VarId, body: &Block) -> Option<Expr> {
    let (at, value) = last_value(before, counter)?;
    let rest = &before[at..];
    let fixed = |v: &VarId| !writes(rest, *v) && !writes(&body.stmts, *v);
    let known = is_cheap(value, func) && value.needs(func).iter().all(fixed);
    known.then(|| value.clone())
}

fn is_counter(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(t) if *t != crate::ir::IntTy::Infer)
}

/// How a counter changes in each iteration.
pub struct Step {
    /// Whether it grows.
    pub up: bool,
    /// A literal of the counter's type, greater than 0.
    pub by: Expr,
}

/// A variable at the start of an iteration and a number: what another one holds.
type Offset = (VarId, i128);

impl Step {
    /// The sum of literals that these statements add to the counter, perhaps by way of other variables.
    pub fn of(stmts: &[Stmt], counter: VarId) -> Option<Step> {
        let (from, change) = offsets(stmts).remove(&counter)??;
        let ty = stmts.iter().find_map(|s| match &s.kind {
            StmtKind::Assign(p, _) if p.root == counter => Some(&p.ty),
            _ => None,
        })?;
        let by = change.unsigned_abs();
        let fits = from == counter && by != 0 && is_value(by, ty);
        fits.then(|| Step {
            up: change > 0,
            by: Expr::Lit(by.to_string(), ty.clone()),
        })
    }

    /// The number of values from `start` on for which the comparison holds.
    fn run(&self, start: Expr, op: BinOp, bound: Expr) -> Option<Expr> {
        let inclusive = matches!(op, BinOp::Le | BinOp::Ge);
        let bool = |value: bool| Expr::Lit(value.to_string(), Ty::Bool);
        let Expr::Lit(by, _) = &self.by else {
            return None;
        };
        let by = Expr::Lit(by.clone(), Ty::USIZE);
        let (name, args) = match op {
            BinOp::Lt | BinOp::Le if self.up => (TRIPS_UP, vec![start, bound, bool(inclusive), by]),
            BinOp::Gt | BinOp::Ge if !self.up => {
                (TRIPS_DOWN, vec![start, bound, bool(inclusive), by])
            }
            BinOp::Ne if matches!(&by, Expr::Lit(by, _) if by == "1") => {
                (TRIPS_TO, vec![start, bound, bool(self.up)])
            }
            _ => return None,
        };
        Some(Expr::Discrete(name.into(), args, Ty::USIZE))
    }
}

/// Whether the number is a value of the integer type on each target.
fn is_value(n: u128, ty: &Ty) -> bool {
    let Ty::Int(ty) = ty else { return false };
    let bits = ty.bit_range().map(|(least, _)| least);
    let bits = bits.map(|bits| bits - u32::from(ty.is_signed()));
    bits.is_some_and(|bits| bits >= 127 || n >> bits == 0)
}

/// What the integers that the statements write hold behind them; `None`: nothing is known.
fn offsets(stmts: &[Stmt]) -> BTreeMap<VarId, Option<Offset>> {
    let mut found = BTreeMap::new();
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Let(v, Some(e)) => {
                let value = offset(e, &found);
                found.insert(*v, value);
            }
            StmtKind::Assign(p, e) if p.is_whole() => {
                let value = offset(e, &found);
                found.insert(p.root, value);
            }
            _ => Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
                let written = s.written().into_iter().map(|p| p.root);
                found.extend(written.chain(s.declared()).map(|v| (v, None)));
            }),
        }
    }
    found
}

/// The expression as a variable and a number, by sums that don't wrap.
fn offset(e: &Expr, values: &BTreeMap<VarId, Option<Offset>>) -> Option<Offset> {
    let literal = |e: &Expr| match e {
        Expr::Lit(text, Ty::Int(_)) => integers::literal(text),
        _ => None,
    };
    let of = |e: &Expr| offset(e, values);
    let plus = |(v, n): Offset, m: i128| Some((v, n.checked_add(m)?));
    match e {
        Expr::Read(p) if p.is_whole() && is_counter(&p.ty) => {
            let before = Some((p.root, 0));
            values.get(&p.root).copied().unwrap_or(before)
        }
        Expr::Binary(BinOp::Add, a, b) => match literal(a) {
            Some(n) => plus(of(b)?, n),
            None => plus(of(a)?, literal(b)?),
        },
        Expr::Binary(BinOp::Sub, a, b) => plus(of(a)?, literal(b)?.checked_neg()?),
        _ => None,
    }
}

fn opposite(op: BinOp) -> Option<BinOp> {
    match op {
        BinOp::Lt => Some(BinOp::Ge),
        BinOp::Le => Some(BinOp::Gt),
        BinOp::Gt => Some(BinOp::Le),
        BinOp::Ge => Some(BinOp::Lt),
        BinOp::Eq => Some(BinOp::Ne),
        BinOp::Ne => Some(BinOp::Eq),
        _ => None,
    }
}

/// Whether a `break` leaves the loop with this body.
pub fn leaves(body: &Block) -> bool {
    body.stmts.iter().any(|s| match &s.kind {
        StmtKind::Break => true,
        StmtKind::If(_, a, b) => leaves(a) || leaves(b),
        _ => false,
    })
}

/// Whether any of the statements, inner blocks included, may write the variable.
fn writes(stmts: &[Stmt], v: VarId) -> bool {
    stmts.iter().any(|s| {
        s.written().iter().any(|p| p.root == v) || s.blocks().iter().any(|b| writes(&b.stmts, v))
    })
}

/// The value that the last of these statements to write a variable gives it, and which one that is; `None` if it gives
/// only a part, or on some ways only.
fn last_value(stmts: &[Stmt], v: VarId) -> Option<(usize, &Expr)> {
    let writes_it = |s: &Stmt| s.declared() == Some(v) || writes(std::slice::from_ref(s), v);
    let at = stmts.iter().rposition(writes_it)?;
    match &stmts[at].kind {
        StmtKind::Let(_, Some(e)) => Some((at, e)),
        StmtKind::Assign(p, e) if p.is_whole() => Some((at, e)),
        _ => None,
    }
}
