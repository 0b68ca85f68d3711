//! Factors of products that are the same in all iterations of a part.
//!
//! Where all of these are finite, a product with one of them needs no test of its seed: zero times a finite number is zero.
//! So the part has two loops, and which one is run is decided in front of it. They differ at most in the sign of a zero.

use super::subscripts::Subscripts;
use crate::ir::{BinOp, Block, Expr, Func, VarId};
use crate::plan::simplify::is_machine_float;
use crate::rules::is_choice;

/// A factor.
pub struct Factor {
    /// The expression in the part.
    pub in_part: Expr,
    /// The same in terms of what is defined in front of it.
    pub value: Expr,
}

/// The factors in a part of a loop with this index, of the products that each iteration makes.
pub fn factors(part: &Block, index: VarId, func: &Func) -> Vec<Factor> {
    let subscripts = Subscripts::of(part, index);
    let mut found: Vec<Factor> = Vec::new();
    for stmt in &part.stmts {
        stmt.each_operand(&mut |e| {
            each_product(e, &mut |seed, factor| {
                let is_known = found.iter().any(|f| f.in_part == *factor);
                let is_product = is_machine_float(&seed.ty(func)) && !is_choice(factor);
                let value = subscripts.resolved(factor);
                if is_product && !is_known && subscripts.is_invariant(&value) {
                    let in_part = factor.clone();
                    found.push(Factor { in_part, value });
                }
            });
        });
    }
    found
}

/// Calls `f` on the seed and the factor of each product that is made whenever the expression is evaluated.
fn each_product(e: &Expr, f: &mut dyn FnMut(&Expr, &Expr)) {
    if let Expr::Scale(seed, factor) = e {
        f(seed, factor);
    }
    if !matches!(
        e,
        Expr::Select(..) | Expr::Binary(BinOp::And | BinOp::Or, ..)
    ) {
        e.each_child(&mut |child| each_product(child, f));
    }
}
