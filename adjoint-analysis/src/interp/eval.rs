//! Expressions.

use super::activation::Activation;
use super::{Number, Trap, TrapKind, Value, integer};
use crate::ir::{BinOp, Expr, IntTy, Intrinsic, Ty, UnOp, integers};
use crate::passes::control::loop_exits::{RAN, TRIPS};
use crate::passes::control::trips::{TRIPS_DOWN, TRIPS_TO, TRIPS_UP};
use crate::passes::inversion::sums::PAIRS;
use crate::rules;

impl<N: Number> Activation<'_, N> {
    /// The value of an expression.
    pub(super) fn eval(&self, expr: &Expr) -> Result<Value<N>, Trap> {
        match expr {
            Expr::Lit(text, ty) => literal(text, ty),
            Expr::Read(place) if place.is_whole() => self.value(place.root).cloned(),
            Expr::Read(place) => self.get(&self.resolve(place)?),
            Expr::Len(place) => Ok(Value::usize(self.len(&self.resolve(place)?)?)),
            Expr::Unary(op, x) => unary(*op, self.eval(x)?),
            Expr::Binary(BinOp::And, x, y) => Ok(Value::Bool(
                self.eval(x)?.as_bool()? && self.eval(y)?.as_bool()?,
            )),
            Expr::Binary(BinOp::Or, x, y) => Ok(Value::Bool(
                self.eval(x)?.as_bool()? || self.eval(y)?.as_bool()?,
            )),
            Expr::Binary(op, x, y) => self.binary(*op, self.eval(x)?, self.eval(y)?),
            Expr::Intrinsic(op, args) => self.intrinsic(*op, &self.eval_all(args)?),
            Expr::Partial(name, args) => N::partial(name, &self.eval_all(args)?).map(Value::Real),
            Expr::Scale(seed, partial) => {
                // The partial is evaluated in any case, as an argument of a function is.
                let seed = self.eval(seed)?;
                let by = match rules::is_choice(partial) {
                    true => "choose",
                    false => "scale",
                };
                N::partial(by, &[seed, self.eval(partial)?]).map(|n| Value::Real(self.note(n)))
            }
            Expr::Preaccumulated(value, _) => self.eval(value),
            Expr::Cast(x, ty) => cast(self.eval(x)?, ty),
            Expr::Discrete(name, args, ty) => discrete(name, &self.eval_all(args)?, ty),
            Expr::Select(parts, _) => {
                let [condition, a, b] = &**parts;
                match self.eval(condition)? {
                    Value::Bool(true) => self.eval(a),
                    Value::Bool(false) => self.eval(b),
                    other => Trap::ty(format!("{other:?} as a condition")),
                }
            }
            Expr::Aggregate(parts, ty) => match ty {
                // A box is its contents.
                Ty::Boxed(_) if parts.len() == 1 => self.eval(&parts[0]),
                Ty::Tuple(_) => Ok(Value::Tuple(self.eval_all(parts)?)),
                _ => Ok(Value::List(self.eval_all(parts)?)),
            },
            Expr::Repeat(value, count, _) => {
                let count = self.eval(count)?.as_int()?;
                let count = usize::try_from(count).ok().filter(|n| *n < 1 << 20);
                let count = count.ok_or(TrapKind::Unsupported("a huge list".into()))?;
                Ok(Value::List(vec![self.eval(value)?; count]))
            }
            Expr::Variant(path, fields, _) => match (path.as_str(), fields.as_slice()) {
                ("None", []) => Ok(Value::Option(None)),
                ("Some", [(_, e)]) => Ok(Value::Option(Some(Box::new(self.eval(e)?)))),
                _ => TrapKind::Unsupported(format!("the variant {path}")).err(),
            },
            Expr::Is(place, path) => match (self.get(&self.resolve(place)?)?, path.as_str()) {
                (Value::Option(v), "Some") => Ok(Value::Bool(v.is_some())),
                (Value::Option(v), "None") => Ok(Value::Bool(v.is_none())),
                (v, path) => Trap::ty(format!("whether {v:?} is {path}")),
            },
            Expr::ZeroLike(place) => Ok(self.get(&self.resolve(place)?)?.zeroed()),
            Expr::Code(id, ..) => TrapKind::Unsupported(format!("code {}", id.0)).err(),
        }
    }

    fn eval_all(&self, exprs: &[Expr]) -> Result<Vec<Value<N>>, Trap> {
        exprs.iter().map(|e| self.eval(e)).collect()
    }

    fn binary(&self, op: BinOp, x: Value<N>, y: Value<N>) -> Result<Value<N>, Trap> {
        if op.is_comparison() {
            return compare(op, &x, &y).map(Value::Bool);
        }
        match (x, y) {
            (Value::Real(x), Value::Real(y)) => match N::binary(op, x, y) {
                Some(n) => Ok(Value::Real(self.note(n))),
                None => Trap::ty(format!("`{}` of reals", op.symbol())),
            },
            (Value::Int(t, x), Value::Int(u, y))
                if t == u || matches!(op, BinOp::Shl | BinOp::Shr) =>
            {
                Ok(Value::Int(t, integer::binary(op, t, x, y)?))
            }
            (Value::Bool(x), Value::Bool(y)) => match op {
                BinOp::BitAnd => Ok(Value::Bool(x & y)),
                BinOp::BitOr => Ok(Value::Bool(x | y)),
                BinOp::BitXor => Ok(Value::Bool(x ^ y)),
                _ => Trap::ty(format!("`{}` of bools", op.symbol())),
            },
            (x, y) => Trap::ty(format!("{x:?} {} {y:?}", op.symbol())),
        }
    }

    fn intrinsic(&self, op: Intrinsic, args: &[Value<N>]) -> Result<Value<N>, Trap> {
        if args.len() != op.arity() {
            return Trap::ty(format!("`{}` of {} operands", op.name(), args.len()));
        }
        let n = match (op, args) {
            (Intrinsic::Powi, [x, n]) => {
                let n = i32::try_from(n.as_int()?).map_err(|_| TrapKind::Overflow)?;
                x.as_real()?.powi(n)
            }
            _ => {
                let reals = args
                    .iter()
                    .map(Value::as_real)
                    .collect::<Result<Vec<_>, _>>()?;
                N::intrinsic(op, &reals)
            }
        };
        Ok(Value::Real(self.note(n)))
    }
}

fn literal<N: Number>(text: &str, ty: &Ty) -> Result<Value<N>, Trap> {
    let value = match ty {
        Ty::Float(_) => text.replace('_', "").parse().ok().map(Value::real),
        Ty::Int(t) => integers::literal(text).map(|i| Value::Int(*t, i)),
        Ty::Bool => text.parse().ok().map(Value::Bool),
        Ty::Unit => Some(Value::Unit),
        _ => None,
    };
    value.ok_or_else(|| TrapKind::Unsupported(format!("literal `{text}: {ty}`")).into())
}

fn unary<N: Number>(op: UnOp, x: Value<N>) -> Result<Value<N>, Trap> {
    match (op, x) {
        (UnOp::Neg, Value::Real(n)) => Ok(Value::Real(n.negate())),
        (UnOp::Neg, Value::Int(t, i)) => Ok(Value::Int(t, integer::checked(i.checked_neg(), t)?)),
        (UnOp::Not, Value::Bool(b)) => Ok(Value::Bool(!b)),
        (UnOp::Not, Value::Int(t, i)) => Ok(Value::Int(t, integer::wrap(!i, t))),
        (op, x) => Trap::ty(format!("{op:?} of {x:?}")),
    }
}

fn compare<N: Number>(op: BinOp, x: &Value<N>, y: &Value<N>) -> Result<bool, Trap> {
    let order = match (x, y) {
        (Value::Real(x), Value::Real(y)) => x.value().partial_cmp(&y.value()),
        (Value::Int(t, x), Value::Int(u, y)) if t == u => Some(x.cmp(y)),
        (Value::Bool(x), Value::Bool(y)) => Some(x.cmp(y)),
        (x, y) => return Trap::ty(format!("{x:?} {} {y:?}", op.symbol())),
    };
    Ok(match op {
        BinOp::Eq => order.is_some_and(|o| o.is_eq()),
        BinOp::Ne => !order.is_some_and(|o| o.is_eq()),
        BinOp::Lt => order.is_some_and(|o| o.is_lt()),
        BinOp::Le => order.is_some_and(|o| o.is_le()),
        BinOp::Gt => order.is_some_and(|o| o.is_gt()),
        _ => order.is_some_and(|o| o.is_ge()),
    })
}

fn cast<N: Number>(x: Value<N>, ty: &Ty) -> Result<Value<N>, Trap> {
    match (x, ty) {
        (Value::Real(n), Ty::Float(_)) => Ok(Value::Real(n)),
        (Value::Real(n), Ty::Int(t)) => Ok(Value::Int(*t, integer::from_real(n.value(), *t))),
        (Value::Int(_, i), Ty::Float(_)) => Ok(Value::real(i as f64)),
        (Value::Int(_, i), Ty::Int(t)) => Ok(Value::Int(*t, integer::wrap(i, *t))),
        (Value::Bool(b), Ty::Int(t)) => Ok(Value::Int(*t, i128::from(b))),
        (x, ty) => Trap::ty(format!("{x:?} as {ty}")),
    }
}

fn discrete<N: Number>(name: &str, args: &[Value<N>], ty: &Ty) -> Result<Value<N>, Trap> {
    let known = match (args, ty) {
        (
            &[
                Value::Int(_, a),
                Value::Int(_, b),
                Value::Bool(inclusive),
                Value::Int(_, step),
            ],
            _,
        ) => Some(Value::Int(
            IntTy::Usize,
            trips(name, a, b, inclusive, step)?,
        )),
        (&[Value::Int(t, start), Value::Int(_, bound), Value::Bool(up)], _) if name == TRIPS_TO => {
            let distance = if up { bound - start } else { start - bound };
            Some(Value::Int(IntTy::Usize, integer::modulo(distance, t)))
        }
        (&[Value::Int(t, count)], _) if name == PAIRS => {
            let (even, odd) = match count % 2 {
                0 => (count / 2, count - 1),
                _ => (count, (count - 1) / 2),
            };
            Some(Value::Int(t, integer::modulo(even * odd, t)))
        }
        (&[Value::Int(t, left), Value::Int(_, all)], _) if name == RAN => {
            Some(Value::Int(t, if left == 0 { all } else { left }))
        }
        ([Value::Real(n)], Ty::Bool) => real_predicate(name, n.value()).map(Value::Bool),
        ([Value::Option(v)], Ty::Bool) => match name {
            "is_some" => Some(Value::Bool(v.is_some())),
            "is_none" => Some(Value::Bool(v.is_none())),
            _ => None,
        },
        ([Value::Int(_, i)], Ty::Bool) => match name {
            "is_positive" => Some(Value::Bool(*i > 0)),
            "is_negative" => Some(Value::Bool(*i < 0)),
            "is_power_of_two" => Some(Value::Bool(*i > 0 && i & (i - 1) == 0)),
            _ => None,
        },
        ([Value::Int(_, a), Value::Int(_, b)], Ty::Bool) if name == "is_multiple_of" => {
            Some(Value::Bool(a.checked_rem(*b).unwrap_or(*a) == 0))
        }
        ([Value::Int(t, _), ..], Ty::Int(result)) => integer_method(name, *t, args, *result)?,
        _ => None,
    };
    known.ok_or_else(|| TrapKind::Unsupported(format!("method `{name}`")).into())
}

/// The number of iterations of a loop that counts from `start`.
fn trips(name: &str, start: i128, bound: i128, inclusive: bool, step: i128) -> Result<i128, Trap> {
    let distance = match name {
        TRIPS_UP | TRIPS => bound - start,
        TRIPS_DOWN => start - bound,
        _ => return TrapKind::Unsupported(format!("method `{name}`")).err(),
    };
    if step < 1 {
        return TrapKind::DivisionByZero.err();
    }
    let values = (distance + i128::from(inclusive)).max(0);
    Ok((values + step - 1) / step)
}

fn real_predicate(name: &str, x: f64) -> Option<bool> {
    Some(match name {
        "is_nan" => x.is_nan(),
        "is_finite" => x.is_finite(),
        "is_infinite" => x.is_infinite(),
        "is_normal" => x.is_normal(),
        "is_sign_positive" => x.is_sign_positive(),
        "is_sign_negative" => x.is_sign_negative(),
        _ => return None,
    })
}

fn integer_method<N: Number>(
    name: &str,
    ty: IntTy,
    args: &[Value<N>],
    result: IntTy,
) -> Result<Option<Value<N>>, Trap> {
    let ints = args
        .iter()
        .map(Value::as_int)
        .collect::<Result<Vec<_>, _>>()?;
    match integer::method(name, ty, &ints, result) {
        Some(value) => Ok(Some(Value::Int(result, value?))),
        None => Ok(None),
    }
}
