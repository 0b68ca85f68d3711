//! A seed that is propagated down an expression tree, with its factors.

use crate::ir::{BinOp, Expr, UnOp};
use crate::rules;

/// A seed on its way down a tree: `±base · factor · choice`.
#[derive(Clone)]
pub(super) struct Seed {
    pub(super) base: Expr,
    pub(super) factor: Option<Expr>,
    /// The partials of choices. They come last, so that their zeros don't meet an infinite factor.
    pub(super) choice: Option<Expr>,
    pub(super) negative: bool,
    /// Whether the last of the factors may be 0 because of an infinite operand.
    pub(super) saturates: bool,
}

impl Seed {
    pub(super) fn of(base: Expr) -> Seed {
        Seed {
            base,
            factor: None,
            choice: None,
            negative: false,
            saturates: false,
        }
    }

    /// The seed, multiplied by one more partial. If a zero among the factors might meet an infinite one, the seed is
    /// multiplied first: the intermediate adjoint is then exactly 0, as if it were a variable.
    pub(super) fn times(mut self, value: Expr) -> Seed {
        let is_choice = rules::is_choice(&value);
        let vanishes = self.factor.as_ref().is_some_and(|f| !is_literal(f));
        let meets_pole = vanishes && rules::is_pole(&value);
        if meets_pole || (self.saturates && !is_choice && !is_literal(&value)) {
            self = self.apply_factors();
        }
        let product = match is_choice {
            true => &mut self.choice,
            false => &mut self.factor,
        };
        *product = Some(match product.take() {
            None => value,
            Some(f) => Expr::Binary(BinOp::Mul, Box::new(f), Box::new(value)),
        });
        self
    }

    /// The seed, multiplied by its factors so far before any that follow.
    pub(super) fn apply_factors(mut self) -> Seed {
        if let Some(factor) = self.factor.take() {
            self.base = Expr::Scale(Box::new(self.base), Box::new(factor));
        }
        self.saturates = false;
        self
    }

    /// The product; exactly 0 where the base or the choice is 0.
    pub(super) fn value(self) -> Expr {
        let factors = [self.factor, self.choice].into_iter().flatten();
        let product = factors.fold(self.base, |base, f| {
            Expr::Scale(Box::new(base), Box::new(f))
        });
        match self.negative {
            true => Expr::Unary(UnOp::Neg, Box::new(product)),
            false => product,
        }
    }
}

/// Whether it is a nonzero literal.
fn is_literal(e: &Expr) -> bool {
    match e {
        Expr::Unary(UnOp::Neg, a) => is_literal(a),
        Expr::Lit(text, _) => text
            .trim_start_matches(['0', '.', '_', '-'])
            .starts_with(|c: char| c.is_ascii_digit()),
        _ => false,
    }
}
