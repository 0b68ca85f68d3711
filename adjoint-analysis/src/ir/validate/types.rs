//! The rules about types.

use super::Validator;
use crate::ir::{BinOp, Expr, Intrinsic, Place, Proj, Range, Ty, VarId};

impl Validator<'_> {
    /// Checks that two types agree.
    pub(super) fn agree(&mut self, a: &Ty, b: &Ty, of_a: &str, of_b: &str) {
        self.require(agree(a, b), || {
            format!("{of_a} is of type {a}, {of_b} of type {b}")
        });
    }

    pub(super) fn condition(&mut self, e: &Expr) {
        let ty = self.expr(e);
        self.require(agree(&ty, &Ty::Bool), || {
            format!("the condition is of type {ty}, not bool")
        });
    }

    /// Checks a control value that is recorded.
    pub(super) fn control(&mut self, e: &Expr) {
        let ty = self.expr(e);
        self.require(agree(&ty, &Ty::Bool) || is_integer(&ty), || {
            format!("a control value is of type {ty}, neither bool nor an integer")
        });
    }

    pub(super) fn integer(&mut self, e: &Expr, what: &str) {
        let ty = self.expr(e);
        self.require(is_integer(&ty), || {
            format!("{what} is of type {ty}, not an integer")
        });
    }

    pub(super) fn integer_var(&mut self, id: VarId, what: &str) {
        if let Some(var) = self.func.vars.get(id.index()) {
            self.require(is_integer(&var.ty), || {
                format!("{what} is of type {}, not an integer", var.ty)
            });
        }
    }

    /// Checks the head of a counted loop.
    pub(super) fn range(&mut self, index: VarId, range: &Range) {
        self.integer_var(index, "the loop index");
        if let Some(var) = self.func.vars.get(index.index()) {
            self.agree(&var.ty, &range.ty, "the loop index", "its range");
        }
        for bound in [&range.lo, &range.hi] {
            let ty = self.expr(bound);
            self.agree(&range.ty, &ty, "the range", "a bound");
        }
        if let Some(step) = &range.step {
            self.integer(step, "the step");
        }
    }

    /// Checks the projections of a place, and the type that it carries.
    pub(super) fn projections(&mut self, place: &Place) {
        for step in &place.proj {
            let what = match step {
                Proj::Index(_) | Proj::Chunk(..) => "an index",
                _ => "a bound",
            };
            for operand in step.operands() {
                self.integer(operand, what);
            }
        }
        let declared = place.declared_ty(self.func);
        self.agree(
            &declared,
            &place.ty,
            "by its declaration the place",
            "the place itself",
        );
    }

    /// Checks an expression, and returns its type. Operators are checked from left to right in a loop, so that a long
    /// sum doesn't need a deep stack.
    pub(super) fn expr(&mut self, expr: &Expr) -> Ty {
        let mut rest = Vec::new();
        let mut left = expr;
        while let Expr::Binary(op, a, b) = left {
            rest.push((*op, b));
            left = a;
        }
        let mut ty = self.operand(left);
        while let Some((op, right)) = rest.pop() {
            let right = self.expr(right);
            ty = self.binary(op, ty, right);
        }
        ty
    }

    fn binary(&mut self, op: BinOp, left: Ty, right: Ty) -> Ty {
        let symbol = op.symbol();
        if op.is_lazy() {
            for ty in [&left, &right] {
                self.require(agree(ty, &Ty::Bool), || {
                    format!("an operand of `{symbol}` is of type {ty}, not bool")
                });
            }
        } else if !op.is_shift() {
            self.require(agree(&left, &right), || {
                format!("the operands of `{symbol}` are of types {left} and {right}")
            });
        }
        match left {
            _ if op.is_lazy() || op.is_comparison() => Ty::Bool,
            Ty::Unknown if !op.is_shift() => right,
            left => left,
        }
    }

    /// Checks an expression that is not a binary operator.
    fn operand(&mut self, expr: &Expr) -> Ty {
        match expr {
            Expr::Read(place) | Expr::Len(place) | Expr::Is(place, _) => self.read(place),
            Expr::ZeroLike(place) => {
                self.only_in_plans("`zeros`");
                self.read(place);
            }
            Expr::Variant(_, fields, _) => {
                for (_, e) in fields {
                    self.expr(e);
                }
            }
            Expr::Code(_, reads, _) => reads.iter().for_each(|place| self.read(place)),
            Expr::Intrinsic(op, args) => return self.intrinsic(*op, args),
            Expr::Partial(name, args) => {
                self.only_in_plans("a partial derivative");
                return self.reals(args, &format!("partial::{name}"), *name == "powi");
            }
            Expr::Scale(a, b) => {
                self.only_in_plans("`scale`");
                let (a, b) = (self.expr(a), self.expr(b));
                return self.all_real(&[a, b], "scale");
            }
            Expr::Preaccumulated(value, gradient) => {
                for [input, partial] in gradient {
                    let is_place = matches!(input, Expr::Read(_));
                    self.require(is_place, || "an input of a gradient is no place".into());
                    let [input, partial] = [self.expr(input), self.expr(partial)];
                    self.all_real(&[input, partial], "a gradient");
                }
                return self.expr(value);
            }
            Expr::Unary(_, a) => return self.expr(a),
            Expr::Cast(a, _) => {
                self.expr(a);
            }
            Expr::Discrete(_, args, _) => {
                for arg in args {
                    self.expr(arg);
                }
            }
            Expr::Select(parts, ty) => {
                self.only_in_plans("`select`");
                let [condition, a, b] = [0, 1, 2].map(|n| self.expr(&parts[n]));
                self.require(agree(&condition, &Ty::Bool), || {
                    format!("the condition of `select` is of type {condition}, not bool")
                });
                self.require(agree(&a, ty) && agree(&b, ty), || {
                    format!("`select` gives {ty}, not {a} or {b}")
                });
            }
            Expr::Aggregate(items, ty) => self.aggregate(items, ty),
            Expr::Repeat(value, count, ty) => {
                let value = self.expr(value);
                self.integer(count, "the count");
                if let Some(element) = ty.element() {
                    self.agree(element, &value, "the element", "its value");
                }
            }
            Expr::Lit(..) | Expr::Binary(..) => {}
        }
        match expr {
            Expr::Read(place) | Expr::ZeroLike(place) => place.known_ty(self.func),
            Expr::Is(..) => Ty::Bool,
            Expr::Len(_) => Ty::USIZE,
            Expr::Lit(_, ty)
            | Expr::Cast(_, ty)
            | Expr::Discrete(_, _, ty)
            | Expr::Select(_, ty)
            | Expr::Aggregate(_, ty)
            | Expr::Repeat(_, _, ty)
            | Expr::Variant(_, _, ty)
            | Expr::Code(_, _, ty) => ty.clone(),
            _ => Ty::Unknown,
        }
    }

    fn intrinsic(&mut self, op: Intrinsic, args: &[Expr]) -> Ty {
        let (name, arity, count) = (op.name(), op.arity(), args.len());
        self.require(arity == count, || {
            format!("`{name}` takes {arity} operands, not {count}")
        });
        self.reals(args, name, op == Intrinsic::Powi)
    }

    /// Checks that the operands of a real function are real, except for the exponent of `powi`.
    fn reals(&mut self, args: &[Expr], name: &str, exponent: bool) -> Ty {
        let mut types: Vec<Ty> = args.iter().map(|e| self.expr(e)).collect();
        if exponent && types.len() == 2 {
            let ty = types.remove(1);
            self.require(is_integer(&ty), || {
                format!("the exponent of `{name}` is of type {ty}, not an integer")
            });
        }
        self.all_real(&types, name)
    }

    fn all_real(&mut self, types: &[Ty], name: &str) -> Ty {
        let known = types.iter().find(|ty| ty.is_float()).cloned();
        for ty in types {
            let fits = match &known {
                Some(known) => agree(known, ty),
                None => may_be_anything(ty),
            };
            self.require(fits, || match &known {
                Some(known) if ty.is_float() => {
                    format!("the operands of `{name}` are of types {known} and {ty}")
                }
                _ => format!("an operand of `{name}` is of type {ty}, not a real"),
            });
        }
        known
            .or_else(|| types.first().cloned())
            .unwrap_or(Ty::Unknown)
    }

    fn aggregate(&mut self, items: &[Expr], ty: &Ty) {
        let types: Vec<Ty> = items.iter().map(|e| self.expr(e)).collect();
        let wanted = match ty {
            Ty::Tuple(parts) => parts.clone(),
            ty => ty
                .element()
                .map_or_else(Vec::new, |t| vec![t.clone(); types.len()]),
        };
        if matches!(ty, Ty::Tuple(_)) {
            self.require(wanted.len() == types.len(), || {
                format!("a tuple of type {ty} has {} components", types.len())
            });
        }
        for (wanted, ty) in wanted.iter().zip(&types) {
            self.agree(wanted, ty, "the component", "its value");
        }
    }
}

/// Whether the type agrees with any other.
fn may_be_anything(ty: &Ty) -> bool {
    matches!(ty, Ty::Unknown | Ty::Named(_))
}

fn is_integer(ty: &Ty) -> bool {
    matches!(ty, Ty::Int(_)) || may_be_anything(ty)
}

/// Whether two types may be equal. Array extents are the user's constants, which may be spelled in several ways; so are
/// opaque types.
fn agree(a: &Ty, b: &Ty) -> bool {
    if may_be_anything(a) || may_be_anything(b) {
        return true;
    }
    match (a, b) {
        (Ty::Array(a, _), Ty::Array(b, _))
        | (Ty::Slice(a), Ty::Slice(b))
        | (Ty::Vec(a), Ty::Vec(b))
        | (Ty::Boxed(a), Ty::Boxed(b))
        | (Ty::Option(a), Ty::Option(b)) => agree(a, b),
        (Ty::Result(a, e), Ty::Result(b, f)) => agree(a, b) && agree(e, f),
        (Ty::Tuple(a), Ty::Tuple(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        (Ty::Discrete(_), Ty::Discrete(_)) => true,
        (a, b) => a == b,
    }
}
