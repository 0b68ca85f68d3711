//! Sums and products of integers as polynomials, in which an operation and its inverse cancel.
//!
//! Only wrapping operations are looked at, which the planner writes for inverses ([`crate::passes::inversion`]): a sum of
//! reals is never taken apart.

use super::term::{Node, Op, Term, Terms};
use crate::ir::{BinOp, Ty, UnOp};
use crate::passes::inversion::polynomial::Polynomial;
use crate::passes::control::loop_exits::TRIPS;
use crate::passes::control::trips::TRIPS_UP;
use crate::passes::inversion::sums::{self, PAIRS};

/// How many terms may be looked through.
const MAX_TERMS: usize = 200;

impl Terms {
    /// The first term that is equal to a wrapping operation: an atom or a part of its operands, or the same polynomial.
    pub(in crate::plan::check) fn fold_wrapping(
        &mut self,
        name: &str,
        ty: &Ty,
        args: &[Term],
    ) -> Option<Term> {
        let mut parts = Vec::new();
        let form = self.wrapping(name, args, &mut parts)?;
        if let Some(atom) = form.as_atom() {
            return Some(*atom);
        }
        if let Some(n) = form.as_constant().filter(|n| *n >= 0) {
            return Some(self.integer(n, ty));
        }
        let equal = |part: &&Term| self.form(**part) == Some(form.clone());
        if let Some(part) = parts.iter().find(equal) {
            return Some(*part);
        }
        let key = (ty.clone(), form);
        if let Some(known) = self.forms.get(&key) {
            return Some(*known);
        }
        let op = Op::Discrete(name.into(), ty.clone());
        let term = self.make(Node::Op(op, args.to_vec()));
        self.forms.insert(key, term);
        Some(term)
    }

    /// An operation between two integers of a type.
    pub(in crate::plan::check) fn wrapping_op(
        &mut self,
        name: &str,
        ty: &Ty,
        a: Term,
        b: Term,
    ) -> Term {
        self.op(Op::Discrete(name.into(), ty.clone()), vec![a, b])
    }

    /// An integer as a polynomial.
    pub(in crate::plan::check) fn form(&self, t: Term) -> Option<Polynomial<Term>> {
        self.polynomial(t, &mut Vec::new())
    }

    /// A literal.
    pub(in crate::plan::check) fn integer(&mut self, n: i128, ty: &Ty) -> Term {
        self.make(Node::Op(Op::Lit(n.to_string(), ty.clone()), Vec::new()))
    }

    /// The number of pairs among so many things: the same term for equal polynomials.
    pub(in crate::plan::check) fn fold_pairs(&mut self, count: Term) -> Option<Term> {
        let form = self.form(count)?;
        let known = self.forms_of_pairs.iter().find(|(known, _)| *known == form);
        if let Some((_, term)) = known {
            return Some(*term);
        }
        let op = Op::Discrete(PAIRS.into(), Ty::USIZE);
        let term = self.make(Node::Op(op, vec![count]));
        self.forms_of_pairs.push((form, term));
        Some(term)
    }

    fn wrapping(
        &self,
        name: &str,
        args: &[Term],
        parts: &mut Vec<Term>,
    ) -> Option<Polynomial<Term>> {
        let mut of = |t: &Term| self.polynomial(*t, parts);
        match (name, args) {
            ("wrapping_add", [a, b]) => of(a)?.plus(&of(b)?, 1),
            ("wrapping_sub", [a, b]) => of(a)?.plus(&of(b)?, -1),
            ("wrapping_mul", [a, b]) => of(a)?.times(&of(b)?),
            ("wrapping_neg", [a]) => Polynomial::constant(0).plus(&of(a)?, -1),
            _ => None,
        }
    }

    /// An integer as a polynomial, with all terms that it was taken apart into.
    fn polynomial(
        &self,
        t: Term,
        parts: &mut Vec<Term>,
    ) -> Option<Polynomial<Term>> {
        if parts.len() > MAX_TERMS {
            return None;
        }
        parts.push(t);
        let Node::Op(op, args) = self.node(t) else {
            return Some(Polynomial::atom(t));
        };
        Some(match op {
            Op::Lit(text, Ty::Int(_)) => Polynomial::constant(text.parse().ok()?),
            _ => {
                let form = self.operation(op, args, parts);
                form.unwrap_or_else(|| Polynomial::atom(t))
            }
        })
    }

    fn operation(
        &self,
        op: &Op,
        args: &[Term],
        parts: &mut Vec<Term>,
    ) -> Option<Polynomial<Term>> {
        let name = match op {
            Op::Binary(BinOp::Add) => "wrapping_add",
            Op::Binary(BinOp::Sub) => "wrapping_sub",
            Op::Binary(BinOp::Mul) => "wrapping_mul",
            Op::Unary(UnOp::Neg) => "wrapping_neg",
            Op::Discrete(name, _) => name,
            _ => return None,
        };
        match (name, args) {
            (TRIPS | TRIPS_UP, [lo, hi, inclusive, step]) if self.is_lit(*step, "1") => {
                self.length(*lo, *hi, self.is_lit(*inclusive, "true"))
            }
            _ => self.wrapping(name, args, parts),
        }
    }

    /// The number of values between two bounds, where they are never in the wrong order.
    fn length(&self, lo: Term, hi: Term, inclusive: bool) -> Option<Polynomial<Term>> {
        let bounds = |index: &Term| self.bounds.get(index).cloned();
        sums::length(&self.bound(lo)?, &self.bound(hi)?, inclusive, &bounds)?;
        let [lo, hi] = [lo, hi].map(|t| self.form(t));
        let length = hi?.plus(&lo?, -1)?;
        length.plus(&Polynomial::constant(i128::from(inclusive)), 1)
    }

    /// An integer as an atom and a number: the bound of a loop.
    pub(in crate::plan::check) fn bound(&self, t: Term) -> Option<Polynomial<Term>> {
        match self.node(t) {
            Node::Op(Op::Lit(text, Ty::Int(_)), _) => text.parse().ok().map(Polynomial::constant),
            Node::Op(Op::Binary(op @ (BinOp::Add | BinOp::Sub)), args) if self.is_any_lit(args[1]) => {
                let sign = if *op == BinOp::Add { 1 } else { -1 };
                self.bound(args[0])?.plus(&self.bound(args[1])?, sign)
            }
            _ => Some(Polynomial::atom(t)),
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
