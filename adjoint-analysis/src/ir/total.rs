//! Total expressions: those whose evaluation can't panic, for any inputs.

use std::collections::BTreeMap;

use super::{
    BinOp, Expr, Func, Intrinsic, LoopHead, Mode, Place, Proj, Stmt, StmtKind, Ty, UnOp, VarId,
};

/// The facts about a function's indices that the check needs.
pub struct Totality<'f> {
    func: &'f Func,
    /// The exclusive upper bounds of the indices of counted loops.
    index_bounds: BTreeMap<VarId, &'f Expr>,
    /// The definitions of variables that are assigned only once.
    definitions: BTreeMap<VarId, &'f Expr>,
}

impl<'f> Totality<'f> {
    /// Collects the facts of a function.
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
        Totality {
            func,
            index_bounds: below,
            definitions: once,
        }
    }

    /// Whether the expression can't panic. Integers may overflow; opaque code may do anything.
    pub fn is_total(&self, e: &Expr) -> bool {
        let own = match e {
            Expr::Lit(..) | Expr::Cast(..) | Expr::Variant(..) | Expr::Aggregate(..) => true,
            Expr::Scale(..) | Expr::Partial(..) | Expr::Preaccumulated(..) => true,
            Expr::Unary(UnOp::Not, _) => true,
            Expr::Unary(UnOp::Neg, a) => a.ty(self.func).is_float(),
            Expr::Binary(op, a, _) => self.operator(*op, a),
            // The bounds may be in the wrong order.
            Expr::Intrinsic(op, _) => *op != Intrinsic::Clamp && e.ty(self.func).is_float(),
            // A `Vec` may be too long.
            Expr::Repeat(_, _, ty) => matches!(ty, Ty::Array(..)),
            Expr::Discrete(name, _, ty) => {
                name.starts_with("is_")
                    || matches!(&**name, "min" | "max") && matches!(ty, Ty::Int(_))
            }
            Expr::Select(..) => true,
            Expr::Read(p) | Expr::Len(p) | Expr::Is(p, _) | Expr::ZeroLike(p) => {
                self.is_total_place(p)
            }
            Expr::Code(..) => false,
        };
        own && e.children().into_iter().all(|e| self.is_total(e))
    }

    fn operator(&self, op: BinOp, operand: &Expr) -> bool {
        let ty = operand.ty(self.func);
        op.is_lazy() || ty.is_float() || (op.is_comparison() && ty.is_scalar())
    }

    /// Whether the statement itself can't panic, inner blocks aside.
    pub fn is_total_statement(&self, stmt: &Stmt) -> bool {
        let (places, operands) = (stmt.own_places(), stmt.operands());
        places.into_iter().all(|p| self.is_total_place(p))
            && operands.into_iter().all(|e| self.is_total(e))
    }

    /// Whether accessing the place can't panic, given that its indices don't.
    pub fn is_total_place(&self, p: &Place) -> bool {
        let mut ty = Some(&self.func.var(p.root).ty);
        p.proj.iter().enumerate().all(|(at, step)| {
            let of = ty;
            ty = of.and_then(|ty| component(ty, step));
            match step {
                Proj::Field(_) | Proj::Deref | Proj::Single => true,
                Proj::Index(i) => is_within(i, of) || at == 0 && self.is_in_bounds(i, p.root),
                Proj::Range(..)
                | Proj::Head(_)
                | Proj::Tail(_)
                | Proj::Chunk(..)
                | Proj::Items
                | Proj::Variant(..) => false,
            }
        })
    }

    /// Whether the index is within the array that the variable holds.
    fn is_in_bounds(&self, index: &Expr, array: VarId) -> bool {
        let Expr::Read(i) = index else { return false };
        let bound = self.index_bounds.get(&i.root).filter(|_| i.is_whole());
        bound.is_some_and(|e| self.is_at_most_length(e, array))
    }

    fn is_at_most_length(&self, bound: &Expr, array: VarId) -> bool {
        let var = self.func.var(array);
        let fixed = matches!(var.ty, Ty::Slice(_) | Ty::Array(..)) || var.mode == Mode::Shared;
        match bound {
            Expr::Len(p) => fixed && p.is_whole() && p.root == array,
            Expr::Lit(n, _) => matches!(&var.ty, Ty::Array(_, extent) if extent == n),
            Expr::Read(n) if n.is_whole() => {
                let definition = self.definitions.get(&n.root);
                definition.is_some_and(|e| self.is_at_most_length(e, array))
            }
            Expr::Discrete(name, args, Ty::Int(_)) if name == "min" => {
                args.iter().any(|e| self.is_at_most_length(e, array))
            }
            _ => false,
        }
    }
}

/// The type behind a step from a value of the type, if that is known.
fn component<'t>(ty: &'t Ty, step: &Proj) -> Option<&'t Ty> {
    match (ty, step) {
        (Ty::Array(element, _) | Ty::Slice(element) | Ty::Vec(element), Proj::Index(_)) => {
            Some(element)
        }
        (Ty::Tuple(parts), Proj::Field(name)) => parts.get(name.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Whether the index is a literal within the array.
fn is_within(index: &Expr, ty: Option<&Ty>) -> bool {
    match (index, ty) {
        (Expr::Lit(index, _), Some(Ty::Array(_, extent))) => {
            let numbers = [index, extent].map(|text| text.parse::<usize>().ok());
            matches!(numbers, [Some(index), Some(extent)] if index < extent)
        }
        _ => false,
    }
}
