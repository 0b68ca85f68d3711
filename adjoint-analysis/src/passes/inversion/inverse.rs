//! Invertible edges E_I of `[INV]` §3: operations of Rust's integers that can be undone exactly.
//!
//! Sums, differences and multiples are undone in wrapping form: where `i + 1` did not overflow, `(i + 1).wrapping_sub(1)`
//! is `i`, and where it wrapped, too. Quotients, remainders, `>>`, `min` and `max` lose bits, and have no inverse.

pub mod multiples;

use crate::ir::{BinOp, Expr, Func, IntTy, Ty, UnOp};

/// The operand at the only leaf for which `is_operand` holds, from the value of the expression; `known` gives the
/// values of the other operands.
pub fn inverse(
    func: &Func,
    e: &Expr,
    value: Expr,
    is_operand: &dyn Fn(&Expr) -> bool,
    known: &dyn Fn(&Expr) -> Option<Expr>,
) -> Option<Expr> {
    let path = Path {
        func,
        is_operand,
        known,
    };
    path.undo(e, value)
}

/// What leads from an expression to the operand.
struct Path<'p> {
    func: &'p Func,
    is_operand: &'p dyn Fn(&Expr) -> bool,
    known: &'p dyn Fn(&Expr) -> Option<Expr>,
}

impl Path<'_> {
    fn undo(&self, e: &Expr, value: Expr) -> Option<Expr> {
        if (self.is_operand)(e) {
            return Some(value);
        }
        let ty = self.ty(e)?;
        let (inner, value) = match e {
            Expr::Unary(UnOp::Neg, a) => (&**a, method("wrapping_neg", vec![value], ty)),
            Expr::Unary(UnOp::Not, a) => (&**a, Expr::Unary(UnOp::Not, Box::new(value))),
            Expr::Cast(a, _) => {
                let from = self.ty(a).filter(|from| from.fits_bits_of(ty))?;
                (&**a, Expr::Cast(Box::new(value), Ty::Int(from)))
            }
            Expr::Binary(op, a, b) => self.operator(*op, [a, b], value, ty)?,
            Expr::Discrete(name, args, _) => self.method(name, args, value, ty)?,
            _ => return None,
        };
        self.undo(inner, value)
    }

    fn operator<'e>(
        &self,
        op: BinOp,
        [a, b]: [&'e Expr; 2],
        value: Expr,
        ty: IntTy,
    ) -> Option<(&'e Expr, Expr)> {
        let of_first = self.leads_through(a);
        let (inner, other) = if of_first { (a, b) } else { (b, a) };
        let other = || (self.known)(other);
        let undone = match (op, of_first) {
            (BinOp::Add, _) => method("wrapping_sub", vec![value, other()?], ty),
            (BinOp::Sub, true) => method("wrapping_add", vec![value, other()?], ty),
            (BinOp::Sub, false) => method("wrapping_sub", vec![other()?, value], ty),
            (BinOp::BitXor, _) => Expr::Binary(op, Box::new(value), Box::new(other()?)),
            (BinOp::Mul, true) => multiples::undo(self.func, a, b, value, ty)?,
            (BinOp::Mul, false) => multiples::undo(self.func, b, a, value, ty)?,
            (BinOp::Shl, true) => multiples::undo_shift(self.func, a, b, value, ty)?,
            _ => return None,
        };
        Some((inner, undone))
    }

    fn method<'e>(
        &self,
        name: &str,
        args: &'e [Expr],
        value: Expr,
        ty: IntTy,
    ) -> Option<(&'e Expr, Expr)> {
        match (name, args) {
            ("wrapping_add", [a, b]) => self.operator(BinOp::Add, [a, b], value, ty),
            ("wrapping_sub", [a, b]) => self.operator(BinOp::Sub, [a, b], value, ty),
            ("wrapping_mul", [a, b]) => self.operator(BinOp::Mul, [a, b], value, ty),
            ("wrapping_neg" | "swap_bytes" | "reverse_bits", [a]) => {
                Some((a, method(name, vec![value], ty)))
            }
            ("rotate_left" | "rotate_right", [a, by]) => {
                let back = match name {
                    "rotate_left" => "rotate_right",
                    _ => "rotate_left",
                };
                let by = Some(by).filter(|by| !self.leads_through(by))?;
                Some((a, method(back, vec![value, (self.known)(by)?], ty)))
            }
            _ => None,
        }
    }

    /// Whether the operand is in the expression.
    fn leads_through(&self, e: &Expr) -> bool {
        let mut found = false;
        e.walk(&mut |node| found |= (self.is_operand)(node));
        found
    }

    /// The type of an expression on the path: that of the next cast, or else of the operand.
    fn ty(&self, mut e: &Expr) -> Option<IntTy> {
        loop {
            let ty = match e {
                Expr::Cast(_, ty) => ty.clone(),
                _ if (self.is_operand)(e) => e.ty(self.func),
                _ => {
                    e = e.children().into_iter().find(|c| self.leads_through(c))?;
                    continue;
                }
            };
            return match ty {
                Ty::Int(ty) => Some(ty),
                _ => None,
            };
        }
    }
}

/// A call of a method of the type.
pub fn method(name: &str, args: Vec<Expr>, ty: IntTy) -> Expr {
    Expr::Discrete(name.to_string(), args, Ty::Int(ty))
}
