//! Peeling: the first and the last iterations of a loop run on their own, so that conditions on the index are settled in the others.
//!
//! **Problem.** Grids have ends. `if i == 0 { n - 1 } else { i - 1 }` and `(i + 1) % n` wrap around, `(i + 1).min(n - 1)` stays at the
//! end, `if i + 1 < n { .. }` leaves something out there. In all iterations but one, the indices
//! are linear and the branches are the same.
//!
//! **Rule.** In the *interior*, all iterations but a few at the ends, such a comparison is `true` or `false`, and such an
//! index is one of its operands, or their difference ([`Peeled::inside`]). The interior is distributed; an iteration that is
//! peeled runs as it is, where it would.
//!
//! **Facts.** In the interior of `lo..hi`, the index `i` has `i - lo >= first` and `hi - i >= 1 + last`, for so many iterations that
//! are peeled. What is unsigned is not negative. Where `hi` is the least of some numbers, it is at most
//! each. A sum `s` is at least `m` if `s`, `s - (i - lo)` or `s - (hi - i)` has no negative terms, and a constant that suffices.
//! These are sums of the integers of mathematics; so no unsigned difference in what is settled may be less than zero in the
//! interior, where it would wrap around if overflow is not checked.

use std::collections::HashMap;

use super::subscripts::Subscripts;
use super::sums::Sum;
use crate::ir::peeled::boolean;
use crate::ir::{BinOp, Block, Expr, Func, Peeled, Place, Range, Rev, StmtKind, Ty, VarId};
use crate::passes::sets::set::VarSet;

/// What has one value in all of a sweep.
pub struct Outside {
    /// Variables around loops, in terms of others that have one value as well.
    definitions: HashMap<VarId, Expr>,
    /// The variables that are written as a whole.
    replaced: VarSet,
}

impl Outside {
    /// Of a sweep.
    pub fn of(sweep: &Block, func: &Func) -> Outside {
        let (mut written, mut declared) = (VarSet::default(), VarSet::default());
        let mut outside = Outside {
            definitions: HashMap::new(),
            replaced: VarSet::default(),
        };
        sweep.walk(&mut |s| {
            for place in s.written() {
                written.insert(place.root);
                if place.is_whole() {
                    outside.replaced.insert(place.root);
                }
            }
            let again = s.declared().filter(|v| !declared.insert(*v));
            written.extend(again);
            if let StmtKind::Let(v, Some(e)) = &s.kind
                && matches!(func.var(*v).ty, Ty::Int(_))
            {
                outside.definitions.insert(*v, e.clone());
            }
        });
        let mut definitions = std::mem::take(&mut outside.definitions);
        definitions.retain(|v, e| {
            let mut all_fixed = !written.contains(*v);
            e.walk(&mut |e| {
                let is_unwritten = || e.own_places().iter().all(|p| !written.contains(p.root));
                all_fixed &= outside.keeps_length(e, func) || is_unwritten();
            });
            all_fixed
        });
        outside.definitions = definitions;
        outside
    }

    /// Whether it is the length of a slice that stays the same one, whatever is written to its elements.
    fn keeps_length(&self, e: &Expr, func: &Func) -> bool {
        let is_slice = |p: &Place| p.is_whole() && matches!(func.var(p.root).ty, Ty::Slice(_));
        matches!(e, Expr::Len(p) if is_slice(p) && !self.replaced.contains(p.root))
    }
}

/// What is peeled of a loop with this body, if that settles something.
pub fn peeled(
    block: &Block,
    (index, range): (VarId, &Range),
    outside: &Outside,
    func: &Func,
) -> Option<Peeled> {
    if range.step.is_some() || range.rev != Rev::No {
        return None;
    }
    let bounds = Bounds {
        subscripts: Subscripts::of(block, index),
        outside,
        func,
        index: Expr::Read(func.place(index)),
        range,
    };
    let mut peeled = Peeled::default();
    block.walk(&mut |s| {
        s.each_operand(&mut |e| bounds.settle(e, &mut peeled));
    });
    (!peeled.inside.is_empty()).then_some(peeled)
}

/// The most iterations that are peeled at an end.
const MOST: usize = 4;

/// How many iterations at either end are not in the interior.
#[derive(Clone, Copy, Default)]
struct Ends {
    first: usize,
    last: usize,
}

impl Ends {
    fn and(self, other: Ends) -> Ends {
        Ends {
            first: self.first.max(other.first),
            last: self.last.max(other.last),
        }
    }
}

/// What is known of the index of a loop.
struct Bounds<'b> {
    subscripts: Subscripts<'b>,
    outside: &'b Outside,
    func: &'b Func,
    index: Expr,
    range: &'b Range,
}

impl<'b> Bounds<'b> {
    /// Takes in what parts of the expression are in the interior.
    fn settle(&self, e: &Expr, peeled: &mut Peeled) {
        let is_known = peeled.inside.iter().any(|[from, _]| from == e);
        if is_known || self.subscripts.is_invariant(e) {
            return;
        }
        let exact = self.without_wrapping(e);
        match self.value(e).zip(exact) {
            Some(((value, ends), exact)) => {
                let ends = ends.and(exact);
                peeled.first = peeled.first.max(ends.first);
                peeled.last = peeled.last.max(ends.last);
                peeled.inside.push([e.clone(), value]);
            }
            None => e.each_child(&mut |child| self.settle(child, peeled)),
        }
    }

    /// What the expression is in the interior, and which ends that is for.
    fn value(&self, e: &Expr) -> Option<(Expr, Ends)> {
        match e {
            Expr::Binary(BinOp::Rem, a, m) => self.remainder(a, m),
            Expr::Binary(op, a, b)
                if op.is_comparison() && matches!(a.ty(self.func), Ty::Int(_)) =>
            {
                self.comparison(*op, a, b)
            }
            Expr::Discrete(name, args, Ty::Int(_)) => match (name.as_str(), &args[..]) {
                ("rem_euclid", [a, m]) => self.remainder(a, m),
                ("min", [a, b]) => self.least(a, b),
                ("max", [a, b]) => {
                    let other = |of: &Expr| if of == a { b.clone() } else { a.clone() };
                    self.least(a, b).map(|(least, ends)| (other(&least), ends))
                }
                ("saturating_sub", [a, b]) if self.is_unsigned(a) => {
                    let ends = self.at_least(&[(a, 1), (b, -1)], 0)?;
                    Some((difference(a, b), ends))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn comparison(&self, op: BinOp, a: &Expr, b: &Expr) -> Option<(Expr, Ends)> {
        let exceeds = |a, b, by| self.at_least(&[(a, 1), (b, -1)], by);
        let differ = || exceeds(a, b, 1).or_else(|| exceeds(b, a, 1));
        let decide = |yes: Option<Ends>, no: &dyn Fn() -> Option<Ends>| {
            let holds = yes.map(|ends| (boolean(true), ends));
            holds.or_else(|| no().map(|ends| (boolean(false), ends)))
        };
        match op {
            BinOp::Lt => decide(exceeds(b, a, 1), &|| exceeds(a, b, 0)),
            BinOp::Le => decide(exceeds(b, a, 0), &|| exceeds(a, b, 1)),
            BinOp::Gt => decide(exceeds(a, b, 1), &|| exceeds(b, a, 0)),
            BinOp::Ge => decide(exceeds(a, b, 0), &|| exceeds(b, a, 1)),
            BinOp::Eq => differ().map(|ends| (boolean(false), ends)),
            BinOp::Ne => differ().map(|ends| (boolean(true), ends)),
            _ => None,
        }
    }

    fn remainder(&self, a: &Expr, m: &Expr) -> Option<(Expr, Ends)> {
        let at_least_zero = match self.is_unsigned(a) {
            true => Ends::default(),
            false => self.at_least(&[(a, 1)], 0)?,
        };
        let as_it_is = || Some((a.clone(), self.at_least(&[(m, 1), (a, -1)], 1)?));
        let once_less = || {
            let is_over = self.at_least(&[(a, 1), (m, -1)], 0)?;
            let is_over_once = self.at_least(&[(m, 2), (a, -1)], 1)?;
            Some((difference(a, m), is_over.and(is_over_once)))
        };
        let (value, ends) = as_it_is().or_else(once_less)?;
        Some((value, ends.and(at_least_zero)))
    }

    fn least(&self, a: &Expr, b: &Expr) -> Option<(Expr, Ends)> {
        let exceeds = |x, y| self.at_least(&[(x, 1), (y, -1)], 0);
        let is_first = exceeds(b, a).map(|ends| (a.clone(), ends));
        is_first.or_else(|| exceeds(a, b).map(|ends| (b.clone(), ends)))
    }

    /// Where no unsigned difference in the expression wraps around.
    fn without_wrapping(&self, e: &Expr) -> Option<Ends> {
        let mut ends = Some(Ends::default());
        e.walk(&mut |e| {
            let here = match e {
                Expr::Read(p) if p.is_whole() => {
                    let value = self.definition(p.root);
                    value.map_or(Some(Ends::default()), |value| self.without_wrapping(value))
                }
                Expr::Binary(BinOp::Sub, a, b) if self.is_unsigned(e) => {
                    self.at_least(&[(a, 1), (b, -1)], 0)
                }
                _ => Some(Ends::default()),
            };
            ends = ends.zip(here).map(|(all, here)| all.and(here));
        });
        ends
    }

    fn is_unsigned(&self, e: &Expr) -> bool {
        matches!(e.ty(self.func), Ty::Int(ty) if !ty.is_signed())
    }

    /// Where the sum is at least so much.
    fn at_least(&self, sum: &[(&Expr, i64)], least: i64) -> Option<Ends> {
        let missing = |more: &[(&Expr, i64)]| {
            let missing = least.saturating_sub(self.bound(sum, more)?);
            Some(missing.max(0))
        };
        if missing(&[]) == Some(0) {
            return Some(Ends::default());
        }
        let peeled = |missing: i64| usize::try_from(missing).ok().filter(|n| *n <= MOST);
        let (lo, below) = (&self.range.lo, 1 - i64::from(self.range.inclusive));
        let first = missing(&[(&self.index, -1), (lo, 1)]).and_then(peeled);
        let mut all: Vec<Ends> = Vec::from_iter(first.map(|first| Ends { first, last: 0 }));
        for hi in self.upper_bounds(&self.range.hi) {
            let missing = missing(&[(hi, -1), (&self.index, 1)]);
            let last = missing.and_then(|n| peeled((n - below).max(0)));
            all.extend(last.map(|last| Ends { first: 0, last }));
        }
        all.into_iter().min_by_key(|ends| ends.first + ends.last)
    }

    /// The least value of the sums, as far as the signs of their terms tell.
    fn bound(&self, sum: &[(&Expr, i64)], more: &[(&Expr, i64)]) -> Option<i64> {
        let mut total = Sum::default();
        for (e, times) in sum.iter().chain(more) {
            let e: &Expr = e;
            total.add(e, *times, &|v| self.definition(v))?;
            self.is_settled(e).then_some(())?;
        }
        let is_positive = |(e, times): &(Expr, i64)| *times > 0 && self.is_unsigned(e);
        let is_bounded = total.terms.iter().all(is_positive);
        is_bounded.then_some(total.constant)
    }

    /// Whether all that the expression is made of is the index or the same in all iterations, and in all of an iteration.
    fn is_settled(&self, e: &Expr) -> bool {
        match e {
            Expr::Read(p) if p.is_whole() && self.definition(p.root).is_some() => {
                self.definition(p.root).is_some_and(|e| self.is_settled(e))
            }
            Expr::Binary(BinOp::Add | BinOp::Sub, a, b) => self.is_settled(a) && self.is_settled(b),
            e => {
                let is_index = *e == self.index;
                is_index
                    || self.outside.keeps_length(e, self.func)
                    || self.subscripts.is_invariant(e)
            }
        }
    }

    /// Numbers that the upper bound of the range is at most, itself included.
    fn upper_bounds<'e>(&'e self, hi: &'e Expr) -> Vec<&'e Expr> {
        let mut all = vec![hi];
        match hi {
            Expr::Read(p) if p.is_whole() => {
                let value = self.definition(p.root);
                all.extend(value.into_iter().flat_map(|e| self.upper_bounds(e)));
            }
            Expr::Discrete(name, args, Ty::Int(_)) if name == "min" => {
                all.extend(args.iter().flat_map(|e| self.upper_bounds(e)));
            }
            _ => {}
        }
        all
    }

    fn definition(&self, v: VarId) -> Option<&Expr> {
        let outside = || self.outside.definitions.get(&v);
        self.subscripts.definition(v).or_else(outside)
    }
}

fn difference(a: &Expr, b: &Expr) -> Expr {
    Expr::Binary(BinOp::Sub, Box::new(a.clone()), Box::new(b.clone()))
}
