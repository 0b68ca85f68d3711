//! Which expressions have a value whatever the inputs: their evaluation can't panic.

use std::collections::BTreeMap;

use super::{BinOp, Expr, Func, Intrinsic, LoopHead, Mode, Place, Proj, StmtKind, Ty, UnOp, VarId};

/// What is known of a function's indices.
pub struct Total<'f> {
    func: &'f Func,
    /// The upper bounds of the indices of counted loops, themselves excluded.
    below: BTreeMap<VarId, &'f Expr>,
    /// What the variables are that are set once.
    once: BTreeMap<VarId, &'f Expr>,
}

impl<'f> Total<'f> {
    /// Of this function.
    pub fn of(func: &'f Func) -> Self {
        let (mut below, mut once) = (BTreeMap::new(), BTreeMap::new());
        let mut written = Vec::new();
        func.body.walk(&mut |s| {
            match &s.kind {
                StmtKind::Loop(LoopHead::Counted(i, range), _) if !range.inclusive => {
                    below.insert(*i, &range.hi);
                }
                StmtKind::Let(v, Some(e)) => {
                    once.insert(*v, e);
                }
                _ => {}
            }
            written.extend(s.written().iter().map(|p| p.root));
        });
        for v in written {
            once.remove(&v);
        }
        Total { func, below, once }
    }

    /// Whether the expression can't panic. Integers may overflow; the user's code may do anything.
    pub fn holds(&self, e: &Expr) -> bool {
        let own = match e {
            Expr::Lit(..) | Expr::Cast(..) | Expr::Variant(..) | Expr::Aggregate(..) => true,
            Expr::Scale(..) | Expr::Partial(..) => true,
            Expr::Unary(UnOp::Not, _) => true,
            Expr::Unary(UnOp::Neg, a) => a.ty(self.func).is_float(),
            Expr::Binary(op, a, _) => self.operator(*op, a),
            // Its bounds may be the wrong way round.
            Expr::Intrinsic(op, _) => *op != Intrinsic::Clamp && e.ty(self.func).is_float(),
            // A `Vec` may be too long.
            Expr::Repeat(_, _, ty) => matches!(ty, Ty::Array(..)),
            Expr::Discrete(name, ..) => name.starts_with("is_"),
            Expr::Read(p) | Expr::Len(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => self.place(p),
            Expr::Code(..) => false,
        };
        own && e.children().into_iter().all(|e| self.holds(e))
    }

    fn operator(&self, op: BinOp, operand: &Expr) -> bool {
        let ty = operand.ty(self.func);
        op.is_lazy() || ty.is_float() || (op.is_comparison() && ty.is_scalar())
    }

    /// Whether the place is there, given that its indices have values.
    pub fn place(&self, p: &Place) -> bool {
        let there = |(at, step): (usize, &Proj)| match step {
            Proj::Field(_) | Proj::Deref | Proj::Single => true,
            Proj::Index(i) => at == 0 && self.inside(i, p.root),
            Proj::Range(..)
            | Proj::Head(_)
            | Proj::Tail(_)
            | Proj::Chunk(..)
            | Proj::Items
            | Proj::Variant(..) => false,
        };
        p.proj.iter().enumerate().all(there)
    }

    /// Whether an index lies in the array that a variable holds.
    fn inside(&self, index: &Expr, array: VarId) -> bool {
        let Expr::Read(i) = index else { return false };
        let bound = self.below.get(&i.root).filter(|_| i.is_whole());
        bound.is_some_and(|e| self.is_length(e, array))
    }

    fn is_length(&self, bound: &Expr, array: VarId) -> bool {
        let var = self.func.var(array);
        let fixed = matches!(var.ty, Ty::Slice(_) | Ty::Array(..)) || var.mode == Mode::Shared;
        match bound {
            Expr::Len(p) => fixed && p.is_whole() && p.root == array,
            Expr::Lit(n, _) => matches!(&var.ty, Ty::Array(_, extent) if extent == n),
            Expr::Read(n) if n.is_whole() => {
                let definition = self.once.get(&n.root);
                definition.is_some_and(|e| self.is_length(e, array))
            }
            _ => false,
        }
    }
}
