//! Values that are known by construction, or in variables.

use super::Direct;
use crate::ir::construct::{binary, unit_lit};
use crate::ir::{BinOp, Expr, Mode, Origin, Stmt, StmtId, StmtKind, Ty, UnOp, VarId};

/// The value of an adjoint or of an entry that is not 0 by construction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Adjoint {
    One,
    MinusOne,
    Var(VarId),
}

/// A product of two values.
pub(super) enum Product {
    Known(Adjoint),
    Negative(VarId),
    Of(VarId, VarId),
    Sum(Expr, Box<Product>),
}

impl Direct<'_> {
    pub(super) fn product(&self, a: Adjoint, b: Adjoint) -> Product {
        match (a, b) {
            (Adjoint::One, other) | (other, Adjoint::One) => Product::Known(other),
            (Adjoint::MinusOne, Adjoint::MinusOne) => Product::Known(Adjoint::One),
            (Adjoint::MinusOne, Adjoint::Var(v)) | (Adjoint::Var(v), Adjoint::MinusOne) => {
                Product::Negative(v)
            }
            (Adjoint::Var(a), Adjoint::Var(b)) => Product::Of(a, b),
        }
    }

    pub(super) fn product_value(&self, product: Product) -> Expr {
        let read = |v: VarId| Expr::Read(self.func.place(v));
        match product {
            Product::Known(adjoint) => self.value(&adjoint),
            Product::Negative(v) => Expr::Unary(UnOp::Neg, Box::new(read(v))),
            Product::Of(a, b) => binary(BinOp::Mul, read(a), read(b)),
            Product::Sum(old, product) => binary(BinOp::Add, old, self.product_value(*product)),
        }
    }

    pub(super) fn value(&self, adjoint: &Adjoint) -> Expr {
        match adjoint {
            Adjoint::One => unit_lit(false, &Ty::F64),
            Adjoint::MinusOne => unit_lit(true, &Ty::F64),
            Adjoint::Var(v) => Expr::Read(self.func.place(*v)),
        }
    }

    /// `to = value;`
    pub(super) fn assign(&self, to: VarId, value: Expr) -> Stmt {
        let kind = StmtKind::Assign(self.func.place(to), value);
        made(kind)
    }

    pub(super) fn temp(
        &mut self,
        id: StmtId,
        name: &str,
        value: Expr,
        out: &mut Vec<Stmt>,
    ) -> VarId {
        let v = self.func.add_var(name, Ty::F64, Mode::Owned, Origin::Temp);
        let kind = StmtKind::Let(v, Some(value));
        out.push(Stmt { id, kind });
        v
    }

    /// Declares a variable in front of the body.
    pub(super) fn declare(&mut self, name: &str, value: Expr, ty: Ty) -> VarId {
        let v = self.func.add_var(name, ty, Mode::Owned, Origin::Temp);
        let kind = StmtKind::Let(v, Some(value));
        self.declared.push(made(kind));
        v
    }
}

pub(super) fn zero() -> Expr {
    Expr::Lit("0.0".into(), Ty::F64)
}

/// A statement that stands for none of the function's.
pub(super) fn made(kind: StmtKind) -> Stmt {
    let id = StmtId(0);
    Stmt { id, kind }
}
