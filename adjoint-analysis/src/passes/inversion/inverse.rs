//! Invertible edges E_I of `[INV]` §3: operations of Rust's integers that can be undone exactly.
//!
//! Sums and differences are undone in wrapping form: where `i + 1` did not overflow, `(i + 1).wrapping_sub(1)` is `i`,
//! and where it wrapped, too. Products, quotients, remainders, shifts, `min` and `max` lose bits, and have no inverse here.

use crate::ir::{BinOp, Expr, Ty, UnOp};

/// The operand at the only leaf for which `is_operand` holds, from the value of the expression; `known` gives the
/// values of the other operands.
pub fn inverse(
    e: &Expr,
    value: Expr,
    ty: &Ty,
    is_operand: &dyn Fn(&Expr) -> bool,
    known: &dyn Fn(&Expr) -> Option<Expr>,
) -> Option<Expr> {
    if is_operand(e) {
        return Some(value);
    }
    let has_operand = |e: &Expr| {
        let mut found = false;
        e.walk(&mut |node| found |= is_operand(node));
        found
    };
    let (inner, value) = match e {
        Expr::Unary(UnOp::Neg, a) => (&**a, wrapping("wrapping_neg", vec![value], ty)),
        Expr::Unary(UnOp::Not, a) => (&**a, Expr::Unary(UnOp::Not, Box::new(value))),
        _ => {
            let (op, a, b) = operands(e)?;
            match (op, has_operand(a), has_operand(b)) {
                (Op::Add, true, false) => (a, wrapping("wrapping_sub", vec![value, known(b)?], ty)),
                (Op::Add, false, true) => (b, wrapping("wrapping_sub", vec![value, known(a)?], ty)),
                (Op::Sub, true, false) => (a, wrapping("wrapping_add", vec![value, known(b)?], ty)),
                (Op::Sub, false, true) => (b, wrapping("wrapping_sub", vec![known(a)?, value], ty)),
                (Op::Xor, true, false) => (a, xor(value, known(b)?)),
                (Op::Xor, false, true) => (b, xor(value, known(a)?)),
                _ => return None,
            }
        }
    };
    inverse(inner, value, ty, is_operand, known)
}

enum Op {
    Add,
    Sub,
    Xor,
}

/// The operands of an operation of two that can be undone.
fn operands(e: &Expr) -> Option<(Op, &Expr, &Expr)> {
    match e {
        Expr::Binary(BinOp::Add, a, b) => Some((Op::Add, a, b)),
        Expr::Binary(BinOp::Sub, a, b) => Some((Op::Sub, a, b)),
        Expr::Binary(BinOp::BitXor, a, b) => Some((Op::Xor, a, b)),
        Expr::Discrete(name, args, _) => match (name.as_str(), &args[..]) {
            ("wrapping_add", [a, b]) => Some((Op::Add, a, b)),
            ("wrapping_sub", [a, b]) => Some((Op::Sub, a, b)),
            _ => None,
        },
        _ => None,
    }
}

fn wrapping(name: &str, args: Vec<Expr>, ty: &Ty) -> Expr {
    Expr::Discrete(name.to_string(), args, ty.clone())
}

fn xor(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::BitXor, Box::new(a), Box::new(b))
}
