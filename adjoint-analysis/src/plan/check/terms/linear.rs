//! Sums of integers as linear forms, in which an operation and its inverse cancel.
//!
//! A sum that did not overflow equals its wrapping form, so forms that are equal over ℤ stand for equal values. Only
//! wrapping operations are looked at, which the planner writes for inverses ([`crate::passes::inversion`]): a sum of
//! reals is never taken apart.

use std::collections::BTreeMap;

use super::term::{Counted, Node, Op, Term, Terms};
use crate::ir::{BinOp, Ty, UnOp};

/// How many terms may be looked through.
const MAX_TERMS: usize = 200;

/// Coefficients of terms, and a constant.
#[derive(Clone, PartialEq, Default)]
struct Linear {
    terms: BTreeMap<Term, i128>,
    constant: i128,
}

impl Linear {
    /// Adds a multiple of the other form; `None` where a coefficient grows too large.
    fn add(mut self, other: &Linear, times: i128) -> Option<Linear> {
        self.constant = other
            .constant
            .checked_mul(times)?
            .checked_add(self.constant)?;
        for (t, n) in &other.terms {
            let sum = self.terms.entry(*t).or_default();
            *sum = n.checked_mul(times)?.checked_add(*sum)?;
        }
        self.terms.retain(|_, n| *n != 0);
        Some(self)
    }
}

impl Terms {
    /// The term that a wrapping operation is equal to, if that is a part of one of its operands.
    pub(in crate::plan::check) fn fold_wrapping(
        &mut self,
        name: &str,
        args: &[Term],
    ) -> Option<Term> {
        let mut parts = Vec::new();
        let form = match (name, args) {
            ("wrapping_add", [a, b]) => self
                .linear(*a, &mut parts)?
                .add(&self.linear(*b, &mut parts)?, 1)?,
            ("wrapping_sub", [a, b]) => self
                .linear(*a, &mut parts)?
                .add(&self.linear(*b, &mut parts)?, -1)?,
            ("wrapping_neg", [a]) => Linear::default().add(&self.linear(*a, &mut parts)?, -1)?,
            _ => return None,
        };
        let equal = |part: &&Term| self.linear(**part, &mut Vec::new()) == Some(form.clone());
        // What a loop left goes first, as that is what a location held there.
        let of_loop = |exit: &&Term| parts.contains(&self.counted[exit].before);
        let mut exits: Vec<&Term> = self.counted.keys().filter(of_loop).collect();
        exits.sort();
        exits.into_iter().chain(&parts).find(equal).copied()
    }

    /// Notes what a loop leaves in a location that counts; gives the term of the first location that is known to hold
    /// the same.
    pub(in crate::plan::check) fn left_by_counting(
        &mut self,
        exit: Term,
        counted: Counted,
    ) -> Term {
        self.counted.insert(exit, counted);
        let Some(form) = self.linear(exit, &mut Vec::new()) else {
            return exit;
        };
        let is_same = |t: &&Term| self.linear(**t, &mut Vec::new()) == Some(form.clone());
        let first = self.counted.keys().filter(is_same).min().copied();
        first.unwrap_or(exit)
    }

    /// The linear form of an integer, with all terms that it was taken apart into.
    fn linear(&self, t: Term, parts: &mut Vec<Term>) -> Option<Linear> {
        if parts.len() > MAX_TERMS {
            return None;
        }
        parts.push(t);
        let mut of = |t: &Term| self.linear(*t, parts);
        match self.node(t) {
            Node::Op(Op::Lit(text, Ty::Int(_)), _) => Some(Linear {
                constant: text.parse().ok()?,
                ..Linear::default()
            }),
            Node::Op(Op::Binary(BinOp::Add), args) => of(&args[0])?.add(&of(&args[1])?, 1),
            Node::Op(Op::Binary(BinOp::Sub), args) => of(&args[0])?.add(&of(&args[1])?, -1),
            Node::Op(Op::Unary(UnOp::Neg), args) => Linear::default().add(&of(&args[0])?, -1),
            Node::Op(Op::Discrete(name, _), args) => match (name.as_str(), &args[..]) {
                ("wrapping_add", [a, b]) => of(a)?.add(&of(b)?, 1),
                ("wrapping_sub", [a, b]) => of(a)?.add(&of(b)?, -1),
                ("wrapping_neg", [a]) => Linear::default().add(&of(a)?, -1),
                ("wrapping_mul", [a, b]) => match self.node(*b) {
                    Node::Op(Op::Lit(times, Ty::Int(_)), _) => {
                        let times = times.parse().ok()?;
                        Linear::default().add(&of(a)?, times)
                    }
                    _ => Some(atom(t)),
                },
                _ => Some(atom(t)),
            },
            Node::Exit(..) => match self.counted.get(&t) {
                Some(counted) => {
                    let trips = of(&counted.trips)?;
                    of(&counted.before)?.add(&trips, counted.step)
                }
                None => Some(atom(t)),
            },
            _ => Some(atom(t)),
        }
    }

    /// `(a ^ b) ^ b = a`
    pub(in crate::plan::check) fn fold_xor(&self, a: Term, b: Term) -> Option<Term> {
        [(a, b), (b, a)]
            .into_iter()
            .find_map(|(both, one)| match self.node(both) {
                Node::Op(Op::Binary(BinOp::BitXor), args) if args[1] == one => Some(args[0]),
                Node::Op(Op::Binary(BinOp::BitXor), args) if args[0] == one => Some(args[1]),
                _ => None,
            })
    }
}

fn atom(t: Term) -> Linear {
    Linear {
        terms: BTreeMap::from([(t, 1)]),
        constant: 0,
    }
}
