//! What a real number must be able to do; `f64` is one.

use std::fmt::Debug;

use super::{Trap, TrapKind, Value, partial};
use crate::ir::{BinOp, Intrinsic};

/// A number type that the interpreter computes with.
pub trait Number: Copy + PartialEq + Debug + 'static {
    /// A constant.
    fn constant(value: f64) -> Self;

    /// The primal value, which decides comparisons and casts.
    fn value(self) -> f64;

    /// The largest absolute value among the components, to judge rounding by.
    fn magnitude(self) -> f64;

    /// `-x`
    fn negate(self) -> Self;

    /// An arithmetic operator; `None` for any other.
    fn binary(op: BinOp, x: Self, y: Self) -> Option<Self>;

    /// An intrinsic other than `powi`, on as many operands as it has.
    fn intrinsic(op: Intrinsic, x: &[Self]) -> Self;

    /// `x.powi(n)`
    fn powi(self, n: i32) -> Self;

    /// The partial of this name, as the runtime computes it.
    fn partial(name: &str, args: &[Value<Self>]) -> Result<Self, Trap>;
}

impl Number for f64 {
    fn constant(value: f64) -> f64 {
        value
    }

    fn value(self) -> f64 {
        self
    }

    fn magnitude(self) -> f64 {
        self.abs()
    }

    fn negate(self) -> f64 {
        -self
    }

    fn binary(op: BinOp, x: f64, y: f64) -> Option<f64> {
        match op {
            BinOp::Add => Some(x + y),
            BinOp::Sub => Some(x - y),
            BinOp::Mul => Some(x * y),
            BinOp::Div => Some(x / y),
            BinOp::Rem => Some(x % y),
            _ => None,
        }
    }

    fn intrinsic(op: Intrinsic, x: &[f64]) -> f64 {
        match op.arity() {
            1 => unary(op, x[0]),
            2 => binary(op, x[0], x[1]),
            _ => ternary(op, x[0], x[1], x[2]),
        }
    }

    fn powi(self, n: i32) -> f64 {
        f64::powi(self, n)
    }

    fn partial(name: &str, args: &[Value<f64>]) -> Result<f64, Trap> {
        match partial::evaluate(name, args)? {
            Some(value) => Ok(value),
            None => TrapKind::Unsupported(format!("partial `{name}`")).err(),
        }
    }
}

fn unary(op: Intrinsic, x: f64) -> f64 {
    match op {
        Intrinsic::Sqrt => x.sqrt(),
        Intrinsic::Cbrt => x.cbrt(),
        Intrinsic::Recip => x.recip(),
        Intrinsic::Exp => x.exp(),
        Intrinsic::Exp2 => x.exp2(),
        Intrinsic::ExpM1 => x.exp_m1(),
        Intrinsic::Ln => x.ln(),
        Intrinsic::Ln1p => x.ln_1p(),
        Intrinsic::Log10 => x.log10(),
        Intrinsic::Log2 => x.log2(),
        Intrinsic::Sin => x.sin(),
        Intrinsic::Cos => x.cos(),
        Intrinsic::Tan => x.tan(),
        Intrinsic::Asin => x.asin(),
        Intrinsic::Acos => x.acos(),
        Intrinsic::Atan => x.atan(),
        Intrinsic::Sinh => x.sinh(),
        Intrinsic::Cosh => x.cosh(),
        Intrinsic::Tanh => x.tanh(),
        Intrinsic::Asinh => x.asinh(),
        Intrinsic::Acosh => x.acosh(),
        Intrinsic::Atanh => x.atanh(),
        Intrinsic::Abs => x.abs(),
        Intrinsic::ToDegrees => x.to_degrees(),
        Intrinsic::ToRadians => x.to_radians(),
        Intrinsic::Floor => x.floor(),
        Intrinsic::Ceil => x.ceil(),
        Intrinsic::Round => x.round(),
        Intrinsic::RoundTiesEven => x.round_ties_even(),
        Intrinsic::Trunc => x.trunc(),
        Intrinsic::Fract => x.fract(),
        Intrinsic::Signum => x.signum(),
        _ => unreachable!("`{}` is not unary", op.name()),
    }
}

fn binary(op: Intrinsic, x: f64, y: f64) -> f64 {
    match op {
        Intrinsic::Log => x.log(y),
        Intrinsic::Powf => x.powf(y),
        Intrinsic::Hypot => x.hypot(y),
        Intrinsic::Atan2 => x.atan2(y),
        Intrinsic::Max => x.max(y),
        Intrinsic::Min => x.min(y),
        Intrinsic::Copysign => x.copysign(y),
        // As std documents it; the method itself is deprecated.
        Intrinsic::AbsSub => {
            if x <= y {
                0.0
            } else {
                x - y
            }
        }
        Intrinsic::RemEuclid => x.rem_euclid(y),
        Intrinsic::DivEuclid => x.div_euclid(y),
        Intrinsic::Midpoint => x.midpoint(y),
        _ => unreachable!("`{}` is not a function of two reals", op.name()),
    }
}

fn ternary(op: Intrinsic, x: f64, y: f64, z: f64) -> f64 {
    match op {
        // As `f64::clamp`, but for its panic where the bounds are in the wrong order.
        Intrinsic::Clamp if x < y => y,
        Intrinsic::Clamp if x > z => z,
        Intrinsic::Clamp => x,
        Intrinsic::MulAdd => x.mul_add(y, z),
        _ => unreachable!("`{}` is not ternary", op.name()),
    }
}
