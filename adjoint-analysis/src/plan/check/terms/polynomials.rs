//! Integers as polynomials, in which an operation and its inverse cancel.
//!
//! A sum that did not overflow equals its wrapping form, so integers are in wrapping form here, and equal polynomials
//! have one term: the first that was made of them. Sums of reals are never taken apart.

use super::term::{Node, Op, Term, Terms};
use crate::ir::{BinOp, Ty, UnOp};
use crate::passes::control::loop_exits::TRIPS;
use crate::passes::control::trips::TRIPS_UP;
use crate::passes::inversion::polynomial::Polynomial;
use crate::passes::inversion::sums::{self, PAIRS};

/// How deep a polynomial is looked for.
const MAX_DEPTH: usize = 100;

impl Terms {
    /// A wrapping sum, difference, product or negation of integers, by the name of its function in Rust.
    pub(in crate::plan::check) fn arithmetic(
        &mut self,
        name: &str,
        ty: &Ty,
        args: Vec<Term>,
    ) -> Term {
        let form = self.wrapping(name, ty, &args, MAX_DEPTH);
        let form = form.and_then(|form| form.mapped(&|n| reduced(n, ty)));
        let node = Node::Op(Op::Discrete(name.into(), ty.clone()), args);
        match form {
            Some(form) => self.canonical(form, ty, node),
            None => self.make(node),
        }
    }

    /// The term of a polynomial: this node, if it is the first of its value.
    fn canonical(&mut self, form: Polynomial<Term>, ty: &Ty, node: Node) -> Term {
        if let Some(atom) = form.as_atom() {
            return *atom;
        }
        if let Some(n) = form.as_constant() {
            return self.integer(n, ty);
        }
        let key = (ty.clone(), form);
        if let Some(first) = self.forms.get(&key) {
            return *first;
        }
        let term = self.make(node);
        self.forms.insert(key, term);
        term
    }

    /// The trip count that is a difference of bounds.
    pub(in crate::plan::check) fn fold_trips(&mut self, op: &Op, args: &[Term]) -> Option<Term> {
        let node = Node::Op(op.clone(), args.to_vec());
        let form = self.trips(op, args)?;
        Some(self.canonical(form, &Ty::USIZE, node))
    }

    fn trips(&self, op: &Op, args: &[Term]) -> Option<Polynomial<Term>> {
        match (op, args) {
            (Op::Discrete(name, _), [lo, hi, inclusive, step])
                if [TRIPS, TRIPS_UP].contains(&name.as_str()) && self.is_lit(*step, "1") =>
            {
                self.length(*lo, *hi, self.is_lit(*inclusive, "true"))
            }
            _ => None,
        }
    }

    /// A literal, or a negated one.
    pub(in crate::plan::check) fn integer(&mut self, n: i128, ty: &Ty) -> Term {
        let text = n.unsigned_abs().to_string();
        let literal = self.make(Node::Op(Op::Lit(text, ty.clone()), Vec::new()));
        match n < 0 {
            true => self.make(Node::Op(Op::Unary(UnOp::Neg), vec![literal])),
            false => literal,
        }
    }

    /// An integer as a polynomial.
    pub(in crate::plan::check) fn form(&self, t: Term) -> Option<Polynomial<Term>> {
        self.polynomial(t, MAX_DEPTH)
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
        ty: &Ty,
        args: &[Term],
        depth: usize,
    ) -> Option<Polynomial<Term>> {
        let of = |t: &Term| self.polynomial(*t, depth);
        // Products of the least factors don't overflow here.
        let factor = |t: &Term| of(t)?.mapped(&|n| nearest(n, ty));
        match (name, args) {
            ("wrapping_add", [a, b]) => of(a)?.plus(&of(b)?, 1),
            ("wrapping_sub", [a, b]) => of(a)?.plus(&of(b)?, -1),
            ("wrapping_mul", [a, b]) => factor(a)?.times(&factor(b)?),
            ("wrapping_neg", [a]) => Polynomial::constant(0).plus(&of(a)?, -1),
            _ => None,
        }
    }

    fn polynomial(&self, t: Term, depth: usize) -> Option<Polynomial<Term>> {
        let depth = depth.checked_sub(1)?;
        let Node::Op(op, args) = self.node(t) else {
            return Some(Polynomial::atom(t));
        };
        let form = match (op, &args[..]) {
            (Op::Lit(text, Ty::Int(_)), _) => return text.parse().ok().map(Polynomial::constant),
            (Op::Unary(UnOp::Neg), [a]) => {
                Polynomial::constant(0).plus(&self.polynomial(*a, depth)?, -1)
            }
            (Op::Discrete(name, _), [_, _, _, _]) if name.starts_with("__") => self.trips(op, args),
            (Op::Discrete(name, ty), args) => self.wrapping(name, ty, args, depth),
            _ => None,
        };
        Some(form.unwrap_or_else(|| Polynomial::atom(t)))
    }

    /// The number of values between two bounds, if they are of `usize` and never in the wrong order.
    fn length(&self, lo: Term, hi: Term, inclusive: bool) -> Option<Polynomial<Term>> {
        if ![lo, hi].iter().any(|t| self.is_usize(*t)) {
            return None;
        }
        let bounds = |index: &Term| self.bounds.get(index).cloned();
        let lo_bound = self.bound(lo)?;
        let in_order = |hi: &Polynomial<Term>| sums::length(&lo_bound, hi, inclusive, &bounds);
        // A difference that did not overflow is not negative.
        in_order(&self.bound(hi)?).or_else(|| in_order(&Polynomial::atom(hi)))?;
        let length = self.form(hi)?.plus(&self.form(lo)?, -1)?;
        length.plus(&Polynomial::constant(i128::from(inclusive)), 1)
    }

    fn is_usize(&self, t: Term) -> bool {
        match self.node(t) {
            Node::Op(Op::Lit(_, ty) | Op::Discrete(_, ty), _) => *ty == Ty::USIZE,
            Node::Op(Op::Len | Op::LenOf(_), _) => true,
            _ => self.bounds.contains_key(&t),
        }
    }

    /// An integer as an atom and a number: the bound of a loop.
    pub(in crate::plan::check) fn bound(&self, t: Term) -> Option<Polynomial<Term>> {
        let Node::Op(op, args) = self.node(t) else {
            return Some(Polynomial::atom(t));
        };
        match (op, &args[..]) {
            (Op::Lit(text, Ty::Int(_)), _) => text.parse().ok().map(Polynomial::constant),
            (Op::Discrete(name, _), [a, b]) if self.is_any_lit(*b) => match name.as_str() {
                "wrapping_add" => self.bound(*a)?.plus(&self.bound(*b)?, 1),
                "wrapping_sub" => self.bound(*a)?.plus(&self.bound(*b)?, -1),
                _ => Some(Polynomial::atom(t)),
            },
            _ => Some(Polynomial::atom(t)),
        }
    }

    /// `(a ^ b) ^ b = a`
    pub(in crate::plan::check) fn fold_xor(&mut self, a: Term, b: Term) -> Option<Term> {
        if let (Node::Op(Op::Lit(x, ty @ Ty::Int(_)), _), Node::Op(Op::Lit(y, _), _)) =
            (self.node(a), self.node(b))
            && let (Ok(x), Ok(y)) = (x.parse::<i128>(), y.parse::<i128>())
        {
            let ty = ty.clone();
            return Some(self.integer(x ^ y, &ty));
        }
        [(a, b), (b, a)]
            .into_iter()
            .find_map(|(both, one)| match self.node(both) {
                Node::Op(Op::Binary(BinOp::BitXor), args) if args[1] == one => Some(args[0]),
                Node::Op(Op::Binary(BinOp::BitXor), args) if args[0] == one => Some(args[1]),
                _ => None,
            })
    }
}

/// The number modulo the type's size: that of a signed type which is the nearest to 0, or else one that is not negative.
/// What holds modulo 2^64 holds for pointers of 32 bits as well.
pub(super) fn reduced(n: i128, ty: &Ty) -> i128 {
    match (ty, size(ty)) {
        (Ty::Int(int), Some(size)) if !int.is_signed() => n.rem_euclid(size),
        _ => nearest(n, ty),
    }
}

/// The number modulo the type's size that is the nearest to 0.
fn nearest(n: i128, ty: &Ty) -> i128 {
    let Some(size) = size(ty) else { return n };
    let n = n.rem_euclid(size);
    match n >= size / 2 {
        true => n - size,
        false => n,
    }
}

/// How many values an integer type has.
fn size(ty: &Ty) -> Option<i128> {
    let Ty::Int(ty) = ty else { return None };
    let bits = ty.bit_range().map(|(_, bits)| bits);
    bits.filter(|bits| *bits < 127).map(|bits| 1 << bits)
}
