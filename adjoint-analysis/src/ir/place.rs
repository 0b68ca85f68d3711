//! Places: the operands of reads and writes.

use super::{Expr, Func, Mode, Ty, VarId};

/// A root variable and a path of projections.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    /// The variable.
    pub root: VarId,
    /// The projections, outermost first.
    pub proj: Vec<Proj>,
    /// The type of the value at the place.
    pub ty: Ty,
}

/// One step from an aggregate to a part of it.
#[derive(Clone, PartialEq, Debug)]
pub enum Proj {
    /// `.name`, `.0`
    Field(String),
    /// `[i]`
    Index(Box<Expr>),
    /// `[lo..hi]`; a missing bound is the end of the aggregate.
    Range(Option<Box<Expr>>, Option<Box<Expr>>),
    /// The first `mid` elements, as `split_at_mut(mid).0` makes them: disjoint from
    /// [`Proj::Tail`] at the same `mid`.
    Head(Box<Expr>),
    /// What follows the first `mid` elements, as `split_at_mut(mid).1` makes it.
    Tail(Box<Expr>),
    /// Element `i` of the arrays of this extent that make up a slice: `as_chunks_mut::<N>().0[i]`.
    Chunk(Box<Expr>, String),
    /// The value as an array of one element, as from `array::from_mut`.
    Single,
    /// The sequence of items that `iter()` of a value of unknown type yields.
    Items,
    /// `*b` of a `Box`.
    Deref,
    /// Field `.1` (a name or a number) of the enum variant `.0` (a path), which the value must be in.
    Variant(String, String),
}

impl Place {
    /// The whole of a variable.
    pub fn var(root: VarId, ty: Ty) -> Place {
        Place {
            root,
            proj: Vec::new(),
            ty,
        }
    }

    /// Whether the two may overlap, judged by the first projection that differs.
    pub fn may_overlap(&self, other: &Place) -> bool {
        let mut steps = self.proj.iter().zip(&other.proj);
        let apart = match steps.find(|(a, b)| a != b) {
            Some((Proj::Field(_), Proj::Field(_))) => true,
            Some((Proj::Head(a), Proj::Tail(b)) | (Proj::Tail(a), Proj::Head(b))) => a == b,
            Some((Proj::Index(a), Proj::Index(b))) => {
                matches!((&**a, &**b), (Expr::Lit(a, _), Expr::Lit(b, _)) if a != b)
            }
            _ => false,
        };
        self.root == other.root && !apart
    }

    /// Whether the place is a whole variable.
    pub fn is_whole(&self) -> bool {
        self.proj.is_empty()
    }

    /// Whether the place is `whole` or a part of it.
    pub fn is_within(&self, whole: &Place) -> bool {
        self.root == whole.root && self.proj.starts_with(&whole.proj)
    }

    /// Whether a value of slice type is a slice in Rust too, and not an array or a `Vec` that lowering couldn't tell
    /// apart.
    pub fn is_unsized(&self, func: &Func) -> bool {
        match self.proj.last() {
            None => func.var(self.root).mode != Mode::Owned,
            Some(step) => !matches!(
                step,
                Proj::Index(_)
                    | Proj::Chunk(..)
                    | Proj::Single
                    | Proj::Field(_)
                    | Proj::Variant(..)
            ),
        }
    }

    /// The place with another projection.
    pub fn project(&self, step: Proj, ty: Ty) -> Place {
        let mut proj = self.proj.clone();
        proj.push(step);
        Place {
            root: self.root,
            proj,
            ty,
        }
    }

    /// `place[index]`
    pub fn index(&self, index: Expr, ty: Ty) -> Place {
        self.project(Proj::Index(Box::new(index)), ty)
    }

    /// The same path from another root (an adjoint variable, say).
    pub fn with_root(&self, root: VarId) -> Place {
        Place {
            root,
            ..self.clone()
        }
    }
}

impl Proj {
    /// The expressions that the projection evaluates.
    pub fn operands(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_operand(&mut |e| all.push(e));
        all
    }

    /// Calls `f` on the expressions that the projection evaluates.
    pub fn each_operand<'a>(&'a self, f: &mut dyn FnMut(&'a Expr)) {
        match self {
            Proj::Field(_) | Proj::Single | Proj::Items | Proj::Deref | Proj::Variant(..) => {}
            Proj::Index(e) | Proj::Head(e) | Proj::Tail(e) | Proj::Chunk(e, _) => f(e),
            Proj::Range(lo, hi) => lo.iter().chain(hi).for_each(|e| f(e)),
        }
    }

    /// Mutable access to the expressions that the projection evaluates.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Proj::Field(_) | Proj::Single | Proj::Items | Proj::Deref | Proj::Variant(..) => {
                Vec::new()
            }
            Proj::Index(e) | Proj::Head(e) | Proj::Tail(e) | Proj::Chunk(e, _) => vec![e],
            Proj::Range(lo, hi) => lo.iter_mut().chain(hi).map(|e| &mut **e).collect(),
        }
    }
}

/// Whether two places of one variable are distinct by a field, a variant's field or a split.
pub fn are_disjoint(a: &Place, b: &Place) -> bool {
    for (x, y) in a.proj.iter().zip(&b.proj) {
        match (x, y) {
            _ if x == y => {}
            (Proj::Field(_), Proj::Field(_)) => return true,
            (Proj::Variant(v, _), Proj::Variant(w, _)) => return v == w,
            (Proj::Head(m), Proj::Tail(n)) | (Proj::Tail(m), Proj::Head(n)) => return m == n,
            _ => return false,
        }
    }
    false
}
