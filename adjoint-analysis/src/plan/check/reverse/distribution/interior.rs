//! What expressions are in the interior of a loop whose ends are peeled.
//!
//! In the interior of `lo..hi`, the index `i` is `lo + first + x` and `hi - 1 - last - y`, where `x` and `y` are not negative, if `first`
//! and `last` iterations are peeled. A difference of two integers is written in terms of `x`, or of `y`, and of what
//! is around the loop; it is at least its constant if all of that is unsigned and added. Then what a comparison, a
//! remainder or a choice is follows from its definition, if no unsigned difference that it is made of is less than zero:
//! that would wrap around where overflow is not checked.

use std::collections::HashMap;

use crate::ir::peeled::truth;
use crate::ir::{BinOp, Block, Expr, Func, Peeled, Place, Range, Rev, StmtKind, Ty, VarId};
use crate::passes::sets::set::VarSet;
use crate::plan::Plan;

/// A loop with peeled ends.
pub struct Interior<'a> {
    func: &'a Func,
    index: VarId,
    range: &'a Range,
    peeled: &'a Peeled,
    /// The values of variables that have one in all of the sweep, or in all of an iteration.
    values: HashMap<VarId, &'a Expr>,
    /// What the body writes or declares.
    varying: VarSet,
    /// What a sweep writes as a whole.
    replaced: VarSet,
}

/// Terms with how often they are added, and a constant.
#[derive(Default)]
struct Linear<'e> {
    terms: Vec<(&'e Expr, i64)>,
    constant: i64,
}

impl<'a> Interior<'a> {
    /// Of a loop in the reverse sweep of the plan. What has one value in both sweeps has it wherever it is restored.
    pub fn of(
        plan: &'a Plan,
        (index, range): (VarId, &'a Range),
        peeled: &'a Peeled,
        body: &Block,
    ) -> Interior<'a> {
        let (mut local, mut varying) = (VarSet::default(), VarSet::default());
        body.walk(&mut |s| {
            local.extend(s.declared());
            varying.extend(s.written().iter().map(|p| p.root));
        });
        varying.union(&local);
        let both = [&plan.forward, &plan.reverse];
        let replaced = replaced_in(&both);
        let of = (&local, &replaced);
        let mut values = values_in(&both, of, &plan.func);
        values.extend(values_in(&both[1..], of, &plan.func));
        Interior {
            func: &plan.func,
            index,
            range,
            peeled,
            values,
            varying,
            replaced,
        }
    }

    /// Whether the facts hold.
    pub fn holds(&self) -> Result<(), &'static str> {
        let is_plain = self.range.step.is_none() && self.range.rev == Rev::No;
        if !self.peeled.is_none() && !is_plain {
            return Err("a loop that doesn't count up by one is peeled");
        }
        let mut facts = self.peeled.inside.iter();
        match facts.all(|[e, value]| self.is_exact(e) && self.is(e, value)) {
            true => Ok(()),
            false => Err("an expression may have another value inside of a peeled loop"),
        }
    }

    /// Whether no unsigned difference in the expression wraps around.
    fn is_exact(&self, e: &Expr) -> bool {
        let mut is_exact = true;
        e.walk(&mut |e| match e {
            Expr::Read(p) if p.is_whole() => {
                is_exact &= self.values.get(&p.root).is_none_or(|e| self.is_exact(e));
            }
            Expr::Binary(BinOp::Sub, a, b) if self.is_unsigned(e) => {
                is_exact &= self.is_at_least(&[(a, 1), (b, -1)], 0);
            }
            _ => {}
        });
        is_exact
    }

    fn is_unsigned(&self, e: &Expr) -> bool {
        matches!(e.ty(self.func), Ty::Int(ty) if !ty.is_signed())
    }

    fn is(&self, e: &Expr, value: &Expr) -> bool {
        let not_less = |a: &Expr, b: &Expr, by| self.is_at_least(&[(a, 1), (b, -1)], by);
        let same =
            |a: &Expr, b: &Expr| self.linear(&[(a, 1), (b, -1)]).is_some_and(|d| d.is_zero());
        let is_remainder = |a: &Expr, m: &Expr| {
            let is_natural = self.is_unsigned(a) || self.is_at_least(&[(a, 1)], 0);
            let is_over_once = || not_less(a, m, 0) && self.is_at_least(&[(m, 2), (a, -1)], 1);
            let less = self.linear(&[(a, 1), (m, -1), (value, -1)]);
            is_natural
                && (same(a, value) && not_less(m, a, 1)
                    || less.is_some_and(|d| d.is_zero()) && is_over_once())
        };
        match (e, truth(value)) {
            (Expr::Binary(op, a, b), Some(holds)) if matches!(a.ty(self.func), Ty::Int(_)) => {
                match (op, holds) {
                    (BinOp::Lt, true) | (BinOp::Ge, false) => not_less(b, a, 1),
                    (BinOp::Le, true) | (BinOp::Gt, false) => not_less(b, a, 0),
                    (BinOp::Gt, true) | (BinOp::Le, false) => not_less(a, b, 1),
                    (BinOp::Ge, true) | (BinOp::Lt, false) => not_less(a, b, 0),
                    (BinOp::Ne, true) | (BinOp::Eq, false) => {
                        not_less(a, b, 1) || not_less(b, a, 1)
                    }
                    _ => false,
                }
            }
            (Expr::Binary(BinOp::Rem, a, m), None) => is_remainder(a, m),
            (Expr::Discrete(name, args, Ty::Int(_)), None) => match (name.as_str(), &args[..]) {
                ("rem_euclid", [a, m]) => is_remainder(a, m),
                ("min", [a, b]) => {
                    same(a, value) && not_less(b, a, 0) || same(b, value) && not_less(a, b, 0)
                }
                ("max", [a, b]) => {
                    same(a, value) && not_less(a, b, 0) || same(b, value) && not_less(b, a, 0)
                }
                ("saturating_sub", [a, b]) => {
                    let less = self.linear(&[(a, 1), (b, -1), (value, -1)]);
                    self.is_unsigned(a) && not_less(a, b, 0) && less.is_some_and(|d| d.is_zero())
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_at_least(&self, sum: &[(&Expr, i64)], least: i64) -> bool {
        let (lo, hi) = (&self.range.lo, &self.range.hi);
        let index = Expr::Read(self.func.place(self.index));
        let [first, last] = [self.peeled.first, self.peeled.last].map(|n| n.min(1 << 16) as i64);
        let below_hi = 1 - i64::from(self.range.inclusive) + last;
        let bound = |times: i64, end: &Expr, by: i64| {
            // The index, so many times, is the end, and what it is away from it.
            let mut all = sum.to_vec();
            all.extend([(&index, -times), (end, times)]);
            let rest = self.linear(&all)?;
            let mut terms = rest.terms.iter();
            let is_positive = terms.all(|(e, n)| *n > 0 && self.is_unsigned(e));
            is_positive.then_some(rest.constant + by)
        };
        let mut his = vec![hi];
        let mut n = 0;
        while n < his.len() {
            match his[n] {
                Expr::Read(p) if p.is_whole() => his.extend(self.values.get(&p.root).copied()),
                Expr::Discrete(name, args, _) if name == "min" => his.extend(args),
                _ => {}
            }
            n += 1;
        }
        let alone = bound(0, lo, 0);
        let by_lo = bound(1, lo, first);
        let by_hi = his.into_iter().map(|hi| bound(-1, hi, below_hi));
        let mut bounds = [alone, by_lo].into_iter().chain(by_hi);
        bounds.any(|bound| bound.is_some_and(|bound| bound >= least))
    }

    /// Whether the expression may have another value in each iteration, or in each statement of one.
    fn varies(&self, e: &Expr) -> bool {
        let mut varies = false;
        e.walk(&mut |e| {
            let varying = |p: &Place| p.root == self.index || self.varying.contains(p.root);
            let may_vary = !keeps_length(e, &self.replaced, self.func);
            varies |= may_vary && e.own_places().iter().any(varying);
        });
        varies
    }

    fn linear<'e>(&'e self, sum: &[(&'e Expr, i64)]) -> Option<Linear<'e>> {
        let mut linear = Linear::default();
        for (e, times) in sum {
            self.add(e, *times, &mut linear)?;
        }
        linear.terms.retain(|(_, times)| *times != 0);
        Some(linear)
    }

    fn add<'e>(&'e self, e: &'e Expr, times: i64, to: &mut Linear<'e>) -> Option<()> {
        match e {
            Expr::Read(p) if p.is_whole() && self.values.contains_key(&p.root) => {
                self.add(self.values[&p.root], times, to)
            }
            Expr::Lit(text, _) => {
                let n = text.parse::<i64>().ok()?.checked_mul(times)?;
                to.constant = to.constant.checked_add(n)?;
                Some(())
            }
            Expr::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                self.add(a, times, to)?;
                let sign = if *op == BinOp::Add { 1 } else { -1 };
                self.add(b, times.checked_mul(sign)?, to)
            }
            e => {
                let is_index = matches!(e, Expr::Read(p) if p.is_whole() && p.root == self.index);
                if !is_index && self.varies(e) {
                    return None;
                }
                let known = to.terms.iter_mut().find(|(term, _)| *term == e);
                match known {
                    Some((_, all)) => *all = all.checked_add(times)?,
                    None => to.terms.push((e, times)),
                }
                Some(())
            }
        }
    }
}

/// The variables that the blocks write as a whole. A callee that a slice is lent to writes only elements.
fn replaced_in(blocks: &[&Block]) -> VarSet {
    let mut replaced = VarSet::default();
    for block in blocks {
        block.walk(&mut |s| {
            let is_call = matches!(
                s.kind,
                StmtKind::Call(_) | StmtKind::Forward(_) | StmtKind::Reverse { .. }
            );
            let whole = s.written().into_iter().filter(|p| p.is_whole() && !is_call);
            replaced.extend(whole.map(|p| p.root));
        });
    }
    replaced
}

/// Whether it is the length of a slice that stays the same one, whatever is written to its elements.
fn keeps_length(e: &Expr, replaced: &VarSet, func: &Func) -> bool {
    let is_slice = |p: &Place| p.is_whole() && matches!(func.var(p.root).ty, Ty::Slice(_));
    matches!(e, Expr::Len(p) if is_slice(p) && !replaced.contains(p.root))
}

/// The variables of the blocks that are defined by one `let`, and are not written again, other than restored to what they were;
/// what the definitions read is not written at all, save for elements of slices, which keep their lengths. Parts repeat the
/// definitions of locals.
fn values_in<'a>(
    blocks: &[&'a Block],
    (local, replaced): (&VarSet, &VarSet),
    func: &Func,
) -> HashMap<VarId, &'a Expr> {
    let mut definitions: HashMap<VarId, Vec<&Expr>> = HashMap::new();
    let mut written: Vec<VarId> = Vec::new();
    for block in blocks {
        block.walk(&mut |s| match &s.kind {
            StmtKind::Let(v, Some(e)) => definitions.entry(*v).or_default().push(e),
            StmtKind::Let(_, None) if blocks.len() > 1 => {}
            StmtKind::Restore(_, p) if blocks.len() > 1 && p.is_whole() => {}
            _ => {
                written.extend(s.written().iter().map(|p| p.root));
                written.extend(s.declared());
            }
        });
    }
    let is_constant = |e: &Expr| {
        let mut constant = true;
        e.walk(&mut |e| {
            let is_unwritten = || e.own_places().iter().all(|p| !written.contains(&p.root));
            constant &= keeps_length(e, replaced, func) || is_unwritten();
        });
        constant
    };
    let once = definitions.into_iter().filter(|(v, all)| {
        let is_one = all.iter().all(|e| *e == all[0]) && !written.contains(v);
        is_one && (local.contains(*v) || is_constant(all[0]))
    });
    once.map(|(v, all)| (v, all[0])).collect()
}

impl Linear<'_> {
    fn is_zero(&self) -> bool {
        self.terms.is_empty() && self.constant == 0
    }
}
