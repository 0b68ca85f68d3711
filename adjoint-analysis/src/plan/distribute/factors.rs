//! Factors of products that are the same in all iterations of a part.
//!
//! Where all of these are finite, a product with one of them needs no test of its seed: zero times a finite number is zero.
//! So the part has two loops, and which one is run is decided in front of it. They differ at most in the sign of a zero.

use super::subscripts::Subscripts;
use crate::ir::{BinOp, Block, Expr, Func, VarId};
use crate::rules::is_choice;

/// A factor.
pub struct Factor {
    /// The expression in the part.
    pub in_part: Expr,
    /// The same in terms of what is defined in front of it.
    pub value: Expr,
}

/// The factors in a part of a loop with this index, of the products that each iteration makes.
pub fn factors(part: &Block, takes: &[VarId], index: VarId, func: &Func) -> Vec<Factor> {
    let mut all: Vec<&Expr> = Vec::new();
    for stmt in &part.stmts {
        stmt.each_operand(&mut |e| {
            each_product(e, &mut |seed, factor| {
                let is_product = seed.ty(func).is_machine_float() && !is_choice(factor);
                if is_product && !all.contains(&factor) {
                    all.push(factor);
                }
            });
        });
    }
    if all.is_empty() {
        return Vec::new();
    }
    let subscripts = Subscripts::of_part(part, takes, index);
    let factor = |in_part: &Expr| Factor {
        value: subscripts.resolved(in_part),
        in_part: in_part.clone(),
    };
    let all = all.into_iter().map(factor);
    all.filter(|factor| subscripts.is_invariant(&factor.value))
        .collect()
}

/// Calls `f` on the seed and the factor of each product that is made whenever the expression is evaluated.
fn each_product<'e>(e: &'e Expr, f: &mut dyn FnMut(&'e Expr, &'e Expr)) {
    if let Expr::Scale(seed, factor) = e {
        f(seed, factor);
    }
    let is_lazy = matches!(
        e,
        Expr::Select(..) | Expr::Binary(BinOp::And | BinOp::Or, ..)
    );
    if !is_lazy {
        e.each_child(&mut |child| each_product(child, f));
    }
}
