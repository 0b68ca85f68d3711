//! The types of expressions and of places.

use super::{BinOp, Expr, Func, Intrinsic, Place, Proj, Ty, UnOp};

impl Expr {
    /// The type of the value.
    ///
    /// Operators and real functions have the type of their operands: of the first one whose type
    /// is known. A comparison is a `bool`, a length a `usize`.
    pub fn ty(&self, func: &Func) -> Ty {
        // A loop along the first operands, as a sum of thousands of terms is as deep as it is long.
        let mut others: Vec<&Expr> = Vec::new();
        let mut expr = self;
        let first = loop {
            expr = match expr {
                Expr::Binary(op, ..) if op.is_comparison() || op.is_lazy() => break Ty::Bool,
                Expr::Binary(op, a, b) => {
                    if !op.is_shift() {
                        others.push(b);
                    }
                    a
                }
                Expr::Scale(a, b) => {
                    others.push(b);
                    a
                }
                Expr::Unary(UnOp::Neg | UnOp::Not, a) | Expr::Preaccumulated(a, _) => a,
                Expr::Intrinsic(Intrinsic::Powi, args) if !args.is_empty() => &args[0],
                Expr::Intrinsic(_, args) | Expr::Partial(_, args) => match args.split_first() {
                    Some((a, rest)) => {
                        others.extend(rest);
                        a
                    }
                    None => break Ty::Unknown,
                },
                Expr::Read(place) => break place.known_ty(func),
                Expr::Len(_) => break Ty::USIZE,
                Expr::Is(..) => break Ty::Bool,
                Expr::ZeroLike(place) => break place.known_ty(func),
                Expr::Lit(_, ty)
                | Expr::Cast(_, ty)
                | Expr::Discrete(_, _, ty)
                | Expr::Select(_, ty)
                | Expr::Aggregate(_, ty)
                | Expr::Repeat(_, _, ty)
                | Expr::Variant(_, _, ty)
                | Expr::Code(_, _, ty) => break ty.clone(),
            };
        };
        match first {
            Ty::Unknown => first_known(
                &others,
                func,
                matches!(self, Expr::Binary(..) | Expr::Unary(..)),
            ),
            ty => ty,
        }
    }
}

/// The first known type among the operands; for a real function, the first real one.
fn first_known(others: &[&Expr], func: &Func, any: bool) -> Ty {
    let mut types = others.iter().rev().map(|e| e.ty(func));
    types
        .find(|ty| ty.is_float() || (any && *ty != Ty::Unknown))
        .unwrap_or(Ty::Unknown)
}

impl BinOp {
    /// Whether it is `&&` or `||`.
    pub fn is_lazy(self) -> bool {
        matches!(self, BinOp::And | BinOp::Or)
    }

    /// Whether it is `<<` or `>>`, whose operands may differ in type.
    pub fn is_shift(self) -> bool {
        matches!(self, BinOp::Shl | BinOp::Shr)
    }
}

impl Place {
    /// The type of the place by its root's declaration; [`Ty::Unknown`] if the declaration doesn't determine it.
    pub fn declared_ty(&self, func: &Func) -> Ty {
        let root = func
            .vars
            .get(self.root.index())
            .map_or(Ty::Unknown, |v| v.ty.clone());
        self.proj.iter().fold(root, |ty, step| ty.project(step))
    }

    /// The type that the place carries, or else the declared one.
    pub fn known_ty(&self, func: &Func) -> Ty {
        match &self.ty {
            Ty::Unknown => self.declared_ty(func),
            ty => ty.clone(),
        }
    }
}

impl Ty {
    /// The type of a projection of this type; [`Ty::Unknown`] if it is not determined, as for the fields of structs and
    /// enums.
    pub fn project(&self, step: &Proj) -> Ty {
        let part = match (step, self) {
            (Proj::Index(_), _) => self.element().cloned(),
            (Proj::Range(..) | Proj::Head(_) | Proj::Tail(_) | Proj::Items, _) => {
                self.element().map(|t| Ty::Slice(Box::new(t.clone())))
            }
            (Proj::Chunk(_, extent), _) => self
                .element()
                .map(|t| Ty::Array(Box::new(t.clone()), extent.clone())),
            (Proj::Single, Ty::Unknown) => None,
            (Proj::Single, t) => Some(Ty::Array(Box::new(t.clone()), "1".into())),
            (Proj::Deref, Ty::Boxed(t)) => Some((**t).clone()),
            (Proj::Field(name), Ty::Tuple(ts)) => {
                name.parse().ok().and_then(|i: usize| ts.get(i)).cloned()
            }
            (Proj::Variant(path, field), Ty::Option(t)) => {
                (path == "Some" && field == "0").then(|| (**t).clone())
            }
            (Proj::Variant(path, field), Ty::Result(t, e)) if field == "0" => match path.as_str() {
                "Ok" => Some((**t).clone()),
                "Err" => Some((**e).clone()),
                _ => None,
            },
            _ => None,
        };
        part.unwrap_or(Ty::Unknown)
    }
}
