//! Sums of products of seeds with factors, in which each seed occurs once.

use crate::ir::construct::{binary, unit_lit, zero_lit};
use crate::ir::{BinOp, Expr, Ty, UnOp};
use crate::rules::is_choice;

/// A sum of terms with different seeds.
pub struct Factored {
    ty: Ty,
    terms: Vec<Term>,
}

/// A term: `±seed · factor`.
struct Term {
    seed: Expr,
    factor: Option<Expr>,
    negative: bool,
}

impl Factored {
    /// The empty sum, of values of this type.
    pub fn new(ty: Ty) -> Factored {
        Factored {
            ty,
            terms: Vec::new(),
        }
    }

    /// Adds the terms of an expression, or subtracts them.
    pub fn add(&mut self, e: Expr, negative: bool) {
        match e {
            Expr::Binary(BinOp::Add, a, b) => {
                self.add(*a, negative);
                self.add(*b, negative);
            }
            Expr::Binary(BinOp::Sub, a, b) => {
                self.add(*a, negative);
                self.add(*b, !negative);
            }
            Expr::Unary(UnOp::Neg, a) => self.add(*a, !negative),
            e => self.add_term(Term::of(e, negative)),
        }
    }

    fn add_term(&mut self, new: Term) {
        match self.terms.iter_mut().find(|term| term.seed == new.seed) {
            Some(term) => term.add(new, &self.ty),
            None => self.terms.push(new),
        }
    }

    /// The sum.
    pub fn value(self) -> Expr {
        let terms = self.terms.into_iter().map(Term::value);
        terms.reduce(sum).unwrap_or_else(|| zero_lit(&self.ty))
    }
}

impl Term {
    fn of(e: Expr, negative: bool) -> Term {
        let (seed, factor) = match e {
            Expr::Scale(seed, factor) if !is_choice(&factor) => (*seed, Some(*factor)),
            seed => (seed, None),
        };
        Term {
            seed,
            factor,
            negative,
        }
    }

    /// The factor with the term's sign.
    fn signed_factor(&mut self, ty: &Ty) -> Expr {
        let factor = self.factor.take();
        with_sign(self.negative, factor.unwrap_or_else(|| unit_lit(false, ty)))
    }

    /// Adds a term with the same seed.
    fn add(&mut self, mut other: Term, ty: &Ty) {
        if let (Some(factor), Some(same)) = (&self.factor, &mut other.factor)
            && is_same_product(factor, same)
        {
            *same = factor.clone();
        }
        let factor = sum(self.signed_factor(ty), other.signed_factor(ty));
        (self.negative, self.factor) = match factor {
            Expr::Unary(UnOp::Neg, factor) => (true, Some(*factor)),
            factor => (false, Some(factor)),
        };
    }

    fn value(self) -> Expr {
        let product = match self.factor {
            None => self.seed,
            Some(factor) => Expr::Scale(Box::new(self.seed), Box::new(factor)),
        };
        with_sign(self.negative, product)
    }
}

/// Whether the values are the same to the last bit, since products of two factors commute: written alike, a compiler computes
/// them once. `b * 100.0 * b` has two.
fn is_same_product(a: &Expr, b: &Expr) -> bool {
    let same = is_same_product;
    match (a, b) {
        (Expr::Binary(BinOp::Mul, a, b), Expr::Binary(BinOp::Mul, c, d)) => {
            same(a, c) && same(b, d) || same(a, d) && same(b, c)
        }
        (Expr::Unary(op, a), Expr::Unary(other, b)) => op == other && same(a, b),
        (a, b) => a == b,
    }
}

fn with_sign(negative: bool, e: Expr) -> Expr {
    match negative {
        true => Expr::Unary(UnOp::Neg, Box::new(e)),
        false => e,
    }
}

/// `a + b`, with the signs of the two taken out.
fn sum(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Unary(UnOp::Neg, a), Expr::Unary(UnOp::Neg, b)) => {
            with_sign(true, binary(BinOp::Add, *a, *b))
        }
        (Expr::Unary(UnOp::Neg, a), b) => binary(BinOp::Sub, b, *a),
        (a, Expr::Unary(UnOp::Neg, b)) => binary(BinOp::Sub, a, *b),
        (a, b) => binary(BinOp::Add, a, b),
    }
}
