//! The adjoint of an expression.

use adjoint_analysis::gen_program::build::{neg, read, stmt, usize};
use adjoint_analysis::ir::{
    BinOp, Expr, LoopHead, Mode, Origin, Place, Proj, Range, Rev, Stmt, StmtKind, Ty, UnOp,
};
use adjoint_analysis::rules::{self, Partial, Use};

use super::Planner;

impl Planner {
    /// Adds `seed` times the derivative of an expression to the adjoints of what it reads.
    pub(super) fn backward(&mut self, e: &Expr, seed: Expr) -> Vec<Stmt> {
        match e {
            Expr::Read(place) if place.ty.carries_floats() => {
                let adjoint = place.with_root(self.adjoint[&place.root]);
                vec![stmt(StmtKind::Incr(adjoint, seed))]
            }
            Expr::Unary(UnOp::Neg, x) if is_real(x) => self.backward(x, neg(seed)),
            Expr::Binary(op, x, y) if is_real(x) && !op.is_comparison() => {
                let partials = rules::binary(*op).expect("an operator of reals");
                self.operands(e, &[x, y], partials, seed)
            }
            Expr::Intrinsic(op, args) => self.operands(
                e,
                &args.iter().collect::<Vec<_>>(),
                rules::intrinsic(*op),
                seed,
            ),
            Expr::Cast(x, Ty::Float(_)) if is_real(x) => self.backward(x, seed),
            Expr::Aggregate(parts, ty) => self.parts(parts, ty, seed),
            Expr::Variant(path, fields, Ty::Option(t)) => {
                let Some((name, value)) = fields.first() else {
                    return Vec::new();
                };
                let (mut all, seed) = self.named(Ty::Option(t.clone()), seed);
                let contents = Proj::Variant(path.clone(), name.clone());
                let seed = read(seed.project(contents, (**t).clone()));
                all.extend(self.backward(value, seed));
                all
            }
            // No element has an adjoint.
            Expr::Repeat(_, count, _) if matches!(&**count, Expr::Lit(n, _) if n == "0") => {
                Vec::new()
            }
            Expr::Repeat(value, count, ty) => self.repeat(value, count, ty, seed),
            _ => Vec::new(),
        }
    }

    fn operands(
        &mut self,
        e: &Expr,
        operands: &[&Expr],
        partials: &[Partial],
        seed: Expr,
    ) -> Vec<Stmt> {
        let (mut all, seed) = self.named(Ty::F64, seed);
        for (operand, partial) in operands.iter().zip(partials) {
            if *partial != Partial::Zero {
                let seed = scaled(read(seed.clone()), partial, e, operands);
                all.extend(self.backward(operand, seed));
            }
        }
        all
    }

    /// A seed that is used more than once gets a name.
    fn named(&mut self, ty: Ty, seed: Expr) -> (Vec<Stmt>, Place) {
        let var = self.temp("seed", ty);
        (
            vec![stmt(StmtKind::Let(var, Some(seed)))],
            self.func.place(var),
        )
    }

    fn parts(&mut self, parts: &[Expr], ty: &Ty, seed: Expr) -> Vec<Stmt> {
        let (mut all, seed) = self.named(ty.clone(), seed);
        for (i, part) in parts.iter().enumerate() {
            let seed = match ty {
                Ty::Tuple(ts) => seed.project(Proj::Field(i.to_string()), ts[i].clone()),
                ty => seed.index(usize(i), ty.element().cloned().unwrap_or(Ty::Unknown)),
            };
            all.extend(self.backward(part, read(seed)));
        }
        all
    }

    fn repeat(&mut self, value: &Expr, count: &Expr, ty: &Ty, seed: Expr) -> Vec<Stmt> {
        let element = ty.element().cloned().unwrap_or(Ty::Unknown);
        let (mut all, seed) = self.named(ty.clone(), seed);
        let (mut sum, total) =
            self.named(element.clone(), read(seed.index(usize(0), element.clone())));
        let index = self
            .func
            .add_var("j", Ty::USIZE, Mode::Owned, Origin::Index);
        let at = read(self.func.place(index));
        let next = StmtKind::Incr(total.clone(), read(seed.index(at, element)));
        let (lo, hi) = (usize(1), count.clone());
        let range = Range {
            lo,
            hi,
            inclusive: false,
            step: None,
            rev: Rev::No,
            ty: Ty::USIZE,
        };
        let body = adjoint_analysis::gen_program::build::block([next]);
        sum.push(stmt(StmtKind::Loop(LoopHead::Counted(index, range), body)));
        all.extend(sum);
        all.extend(self.backward(value, read(total)));
        all
    }
}

/// Whether an expression without calls of the user's is a real.
fn is_real(e: &Expr) -> bool {
    match e {
        Expr::Lit(_, ty) | Expr::Cast(_, ty) | Expr::Discrete(_, _, ty) => ty.is_float(),
        Expr::Read(place) => place.ty.is_float(),
        Expr::Unary(_, a) => is_real(a),
        Expr::Binary(op, a, _) => {
            !op.is_comparison() && !matches!(op, BinOp::And | BinOp::Or) && is_real(a)
        }
        Expr::Intrinsic(..) => true,
        _ => false,
    }
}

/// The seed, multiplied by a partial of `e`, which is not 0.
fn scaled(seed: Expr, partial: &Partial, e: &Expr, operands: &[&Expr]) -> Expr {
    let used = |u: &Use| match u {
        Use::Operand(i) => operands[*i].clone(),
        Use::Result => e.clone(),
    };
    let by = match partial {
        Partial::Zero | Partial::One => return seed,
        Partial::MinusOne => return neg(seed),
        Partial::Operand(i) => operands[*i].clone(),
        Partial::Result => e.clone(),
        Partial::Function(name, uses) => Expr::Partial(name, uses.iter().map(used).collect()),
        Partial::Product(factors) => {
            let times = |seed, factor: &Partial| scaled(seed, factor, e, operands);
            return factors.iter().fold(seed, times);
        }
    };
    Expr::Scale(Box::new(seed), Box::new(by))
}
