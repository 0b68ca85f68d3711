//! A seed on its way down, and what multiplies it.

use crate::ir::{BinOp, Expr, UnOp};

/// A seed on its way down a tree: `±base · factor`.
#[derive(Clone)]
pub(super) struct Seed {
    pub(super) base: Expr,
    pub(super) factor: Option<Expr>,
    pub(super) negative: bool,
}

/// What a partial multiplies a seed by.
pub(super) enum Factor {
    Zero,
    /// ±1; whether negative.
    Sign(bool),
    Value(Expr),
}

impl Seed {
    pub(super) fn of(base: Expr) -> Seed {
        Seed {
            base,
            factor: None,
            negative: false,
        }
    }

    pub(super) fn times(self, value: Expr) -> Seed {
        let factor = match self.factor {
            None => value,
            Some(f) => Expr::Binary(BinOp::Mul, Box::new(f), Box::new(value)),
        };
        Seed {
            factor: Some(factor),
            ..self
        }
    }

    /// The product; exactly 0 where the base is 0.
    pub(super) fn value(self) -> Expr {
        let product = match self.factor {
            None => self.base,
            Some(f) => Expr::Scale(Box::new(self.base), Box::new(f)),
        };
        match self.negative {
            true => Expr::Unary(UnOp::Neg, Box::new(product)),
            false => product,
        }
    }
}
