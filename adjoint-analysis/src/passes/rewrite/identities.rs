//! Identities of integers: what lowering writes for all ranges, in the form that it has for most of them.
//!
//! `(0..n).map(..)` has `trips(0, n, false, 1)` items, the item `0 + k` at position `k`. As `n` and `k`, loops over it are
//! recognised as those over the elements of an array, and their bounds as its length.

use crate::ir::{BinOp, Block, Expr, Func, IntTy, Intrinsic, Place, Ty};
use crate::passes::control::loop_exits::TRIPS;

/// The function without operations that give an operand back, and without lengths of arrays, which are constants.
pub fn simplify(mut func: Func) -> Func {
    let mut body = std::mem::take(&mut func.body);
    in_block(&mut body, &func);
    func.body = body;
    func
}

fn in_block(block: &mut Block, func: &Func) {
    for stmt in &mut block.stmts {
        for e in stmt.operands_mut() {
            in_expr(e, func);
        }
        for inner in stmt.blocks_mut() {
            in_block(inner, func);
        }
    }
}

fn in_expr(e: &mut Expr, func: &Func) {
    for child in e.children_mut() {
        in_expr(child, func);
    }
    if let Some(simple) = simpler(e, func) {
        *e = simple;
    }
}

fn simpler(e: &mut Expr, func: &Func) -> Option<Expr> {
    match e {
        Expr::Len(Place {
            ty: Ty::Array(_, extent),
            ..
        }) if extent.parse::<usize>().is_ok() => Some(Expr::Lit(extent.clone(), Ty::USIZE)),
        Expr::Cast(inner, ty) if is_known_integer(ty) && inner.ty(func) == *ty => {
            Some((**inner).clone())
        }
        Expr::Binary(op, a, b) if is_known_integer(&a.ty(func)) && a.ty(func) == b.ty(func) => {
            match op {
                BinOp::Add if is_lit(a, "0") => Some((**b).clone()),
                BinOp::Add | BinOp::Sub if is_lit(b, "0") => Some((**a).clone()),
                BinOp::Mul if is_lit(a, "1") => Some((**b).clone()),
                BinOp::Mul if is_lit(b, "1") => Some((**a).clone()),
                _ => None,
            }
        }
        Expr::Discrete(name, args, _) if name == TRIPS => match &args[..] {
            [lo, hi, inclusive, step] => {
                let counts = is_lit(lo, "0") && is_lit(inclusive, "false") && is_lit(step, "1");
                (counts && hi.ty(func) == Ty::USIZE).then(|| hi.clone())
            }
            _ => None,
        },
        Expr::Intrinsic(Intrinsic::Min, args) if args[0] == args[1] => match &args[0] {
            same @ Expr::Lit(_, Ty::Int(_)) => Some(same.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Whether it is an integer type that no operand has to tell rustc.
fn is_known_integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(of) if *of != IntTy::Infer)
}

fn is_lit(e: &Expr, value: &str) -> bool {
    matches!(e, Expr::Lit(text, _) if text == value)
}
