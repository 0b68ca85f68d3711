//! What tells a type that is not known here: other code of the same function.
//!
//! A variable of such a type can be taken from the tape only where rustc is told the type by something
//! else than its uses, which may be methods.

use std::collections::BTreeMap;

use super::{Call, Expr, FloatTy, Func, Origin, Place, Proj, StmtKind, Ty, UnOp, VarId};

/// What has the type.
#[derive(Debug)]
pub enum Told<'f> {
    /// It is this one.
    Ty(Ty),
    /// That of an expression, which any code may name: a literal, a place in a parameter.
    Value(Expr),
    /// That of the result of a call, which the callee knows.
    Result(VarId),
    /// That of the result of an operator on operands of these types.
    Operator(&'f Call, Vec<Told<'f>>),
}

/// How long a way may be.
const MAX_DEPTH: usize = 40;

struct Search<'f> {
    func: &'f Func,
    results: BTreeMap<VarId, &'f Call>,
    made: BTreeMap<VarId, &'f Expr>,
}

impl Func {
    /// What tells the type of a variable.
    pub fn told(&self, v: VarId) -> Option<Told<'_>> {
        let mut made = BTreeMap::new();
        self.body.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Let(v, Some(e)) => {
                made.entry(*v).or_insert(e);
            }
            StmtKind::Assign(to, e) if to.is_whole() => {
                made.entry(to.root).or_insert(e);
            }
            _ => {}
        });
        let search = Search {
            func: self,
            results: self.results(),
            made,
        };
        search.variable(v, 0)
    }
}

impl<'f> Search<'f> {
    fn variable(&self, v: VarId, depth: usize) -> Option<Told<'f>> {
        let ty = &self.func.var(v).ty;
        if is_written(ty) {
            return Some(Told::Ty(ty.clone()));
        }
        let Some(call) = self.results.get(&v) else {
            return self.expr(self.made.get(&v)?, depth + 1);
        };
        if call.callee.operator().is_none() {
            return Some(Told::Result(v));
        }
        let operands = call.args.iter().map(|arg| match arg {
            super::Arg::Value(e) => self.expr(e, depth + 1),
            super::Arg::Shared(p) | super::Arg::Mut(p) => self.place(p, depth + 1),
        });
        Some(Told::Operator(call, operands.collect::<Option<_>>()?))
    }

    /// An operator or a function of numbers has the type of its first operand.
    fn expr(&self, e: &Expr, depth: usize) -> Option<Told<'f>> {
        match e {
            _ if depth > MAX_DEPTH => None,
            Expr::Read(p) => self.place(p, depth),
            Expr::Lit(..) => Some(Told::Value(e.clone())),
            Expr::Binary(op, a, b) if !op.is_comparison() && !op.is_lazy() && !op.is_shift() => {
                // A literal takes the type of the other operand.
                match &**a {
                    Expr::Lit(..) => self.expr(b, depth + 1),
                    a => self.expr(a, depth + 1).or_else(|| self.expr(b, depth + 1)),
                }
            }
            Expr::Unary(UnOp::Neg, a) => self.expr(a, depth + 1),
            Expr::Intrinsic(_, args) => self.expr(args.first()?, depth + 1),
            e => {
                let ty = e.ty(self.func);
                is_written(&ty).then_some(Told::Ty(ty))
            }
        }
    }

    fn place(&self, place: &Place, depth: usize) -> Option<Told<'f>> {
        if is_written(&place.ty) {
            return Some(Told::Ty(place.ty.clone()));
        }
        match self.func.var(place.root).origin {
            Origin::Param => fixed(place).map(|place| Told::Value(Expr::Read(place))),
            _ if place.is_whole() => self.variable(place.root, depth + 1),
            _ => None,
        }
    }
}

/// Whether the type can be written, with all that it is made of.
fn is_written(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Infer(_) | Ty::Slice(_) | Ty::Discrete(_) => false,
        Ty::Float(float) => *float != FloatTy::Infer,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => is_written(t),
        Ty::Result(t, e) => is_written(t) && is_written(e),
        Ty::Tuple(ts) => ts.iter().all(is_written),
        _ => true,
    }
}

/// The place with indices 0: its type is the same.
fn fixed(place: &Place) -> Option<Place> {
    let mut place = place.clone();
    for step in &mut place.proj {
        match step {
            Proj::Field(_) | Proj::Deref => {}
            Proj::Index(i) => **i = Expr::Lit("0".into(), Ty::USIZE),
            _ => return None,
        }
    }
    Some(place)
}
