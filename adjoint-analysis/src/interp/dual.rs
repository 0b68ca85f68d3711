//! Dual numbers: a value and its derivative in one direction.
//!
//! The oracle for plans. The slopes are written down here in closed form, apart from
//! [`crate::rules`] and from the runtime, so that an error in either shows. At kinks and poles they
//! follow the same contract: `abs` has slope 0 at 0, `max` and `min` favour the first of two equal
//! operands, `clamp` has slope 1 at a bound, and a zero derivative stays zero through an infinite
//! slope.

use std::f64::consts::{LN_2, LN_10, PI};

use super::{Number, Trap, TrapKind, Value};
use crate::ir::{BinOp, Intrinsic};

/// A value and its derivative.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Dual {
    /// The value.
    pub value: f64,
    /// The derivative in the direction that the inputs were given.
    pub slope: f64,
}

impl Dual {
    /// A value that moves with this slope.
    pub fn new(value: f64, slope: f64) -> Dual {
        Dual { value, slope }
    }
}

impl Number for Dual {
    fn constant(value: f64) -> Dual {
        Dual { value, slope: 0.0 }
    }

    fn value(self) -> f64 {
        self.value
    }

    fn magnitude(self) -> f64 {
        self.value.abs().max(self.slope.abs())
    }

    fn negate(self) -> Dual {
        Dual {
            value: -self.value,
            slope: -self.slope,
        }
    }

    fn binary(op: BinOp, x: Dual, y: Dual) -> Option<Dual> {
        let (a, b) = (x.value, y.value);
        let value = f64::binary(op, a, b)?;
        let slope = match op {
            BinOp::Add => x.slope + y.slope,
            BinOp::Sub => x.slope - y.slope,
            BinOp::Mul => times(b, x.slope) + times(a, y.slope),
            BinOp::Div => times(1.0 / b, x.slope) - times(a / b / b, y.slope),
            BinOp::Rem => x.slope - times(quotient(a, b, a % b), y.slope),
            _ => return None,
        };
        Some(Dual { value, slope })
    }

    fn intrinsic(op: Intrinsic, x: &[Dual]) -> Dual {
        let at: Vec<f64> = x.iter().map(|x| x.value).collect();
        let slopes = match op.arity() {
            1 => vec![unary(op, at[0])],
            2 => binary(op, at[0], at[1]).to_vec(),
            _ => ternary(op, at[0], at[1], at[2]).to_vec(),
        };
        let slope = slopes.iter().zip(x).map(|(p, x)| times(*p, x.slope)).sum();
        Dual {
            value: f64::intrinsic(op, &at),
            slope,
        }
    }

    fn powi(self, n: i32) -> Dual {
        let slope = match n {
            0 => 0.0,
            _ => f64::from(n) * self.value.powi(n.saturating_sub(1)),
        };
        Dual {
            value: self.value.powi(n),
            slope: times(slope, self.slope),
        }
    }

    fn partial(name: &str, _: &[Value<Dual>]) -> Result<Dual, Trap> {
        TrapKind::Unsupported(format!("partial `{name}` of dual numbers")).err()
    }
}

/// `slope · seed`, which is 0 where the seed is.
fn times(slope: f64, seed: f64) -> f64 {
    if seed == 0.0 { 0.0 } else { slope * seed }
}

/// The integer that was subtracted `b` times; `a / b` itself may round up to the next one.
fn quotient(a: f64, b: f64, remainder: f64) -> f64 {
    ((a - remainder) / b).round()
}

fn unary(op: Intrinsic, x: f64) -> f64 {
    match op {
        Intrinsic::Sqrt => 0.5 / x.sqrt(),
        Intrinsic::Cbrt => 1.0 / (3.0 * x.cbrt() * x.cbrt()),
        Intrinsic::Recip => -1.0 / x / x,
        Intrinsic::Exp | Intrinsic::ExpM1 => x.exp(),
        Intrinsic::Exp2 => LN_2 * x.exp2(),
        Intrinsic::Ln => 1.0 / x,
        Intrinsic::Ln1p => 1.0 / (1.0 + x),
        Intrinsic::Log10 => 1.0 / x / LN_10,
        Intrinsic::Log2 => 1.0 / x / LN_2,
        Intrinsic::Sin => x.cos(),
        Intrinsic::Cos => -x.sin(),
        Intrinsic::Tan => 1.0 / x.cos() / x.cos(),
        Intrinsic::Asin => 1.0 / ((1.0 - x) * (1.0 + x)).sqrt(),
        Intrinsic::Acos => -1.0 / ((1.0 - x) * (1.0 + x)).sqrt(),
        Intrinsic::Atan => 1.0 / (1.0 + x * x),
        Intrinsic::Sinh => x.cosh(),
        Intrinsic::Cosh => x.sinh(),
        Intrinsic::Tanh => 1.0 / x.cosh() / x.cosh(),
        Intrinsic::Asinh => 1.0 / x.hypot(1.0),
        Intrinsic::Acosh => 1.0 / ((x - 1.0) * (x + 1.0)).sqrt(),
        Intrinsic::Atanh => 1.0 / ((1.0 - x) * (1.0 + x)),
        Intrinsic::Abs => sign(x),
        Intrinsic::ToDegrees => 180.0 / PI,
        Intrinsic::ToRadians => PI / 180.0,
        Intrinsic::Fract => 1.0,
        Intrinsic::Floor
        | Intrinsic::Ceil
        | Intrinsic::Round
        | Intrinsic::RoundTiesEven
        | Intrinsic::Trunc
        | Intrinsic::Signum => 0.0,
        _ => unreachable!("`{}` is not unary", op.name()),
    }
}

fn binary(op: Intrinsic, x: f64, y: f64) -> [f64; 2] {
    match op {
        Intrinsic::Log => [1.0 / x / y.ln(), -x.ln() / y / (y.ln() * y.ln())],
        Intrinsic::Powf => [power_slope(x, y), exponent_slope(x, y)],
        Intrinsic::Hypot | Intrinsic::Atan2 if x == 0.0 && y == 0.0 => [0.0, 0.0],
        Intrinsic::Hypot => [x / x.hypot(y), y / x.hypot(y)],
        Intrinsic::Atan2 => {
            let r = x.hypot(y);
            [y / r / r, -x / r / r]
        }
        Intrinsic::Max => first_or_second(x >= y || y.is_nan()),
        Intrinsic::Min => first_or_second(x <= y || y.is_nan()),
        Intrinsic::Copysign => [sign(x) * 1f64.copysign(y), 0.0],
        Intrinsic::AbsSub if x <= y => [0.0, 0.0],
        Intrinsic::AbsSub => [1.0, -1.0],
        Intrinsic::RemEuclid => [1.0, -quotient(x, y, x.rem_euclid(y))],
        Intrinsic::DivEuclid => [0.0, 0.0],
        Intrinsic::Midpoint => [0.5, 0.5],
        _ => unreachable!("`{}` is not a function of two reals", op.name()),
    }
}

fn ternary(op: Intrinsic, x: f64, y: f64, z: f64) -> [f64; 3] {
    match op {
        Intrinsic::Clamp if x < y => [0.0, 1.0, 0.0],
        Intrinsic::Clamp if x > z => [0.0, 0.0, 1.0],
        Intrinsic::Clamp => [1.0, 0.0, 0.0],
        Intrinsic::MulAdd => [y, x, 1.0],
        _ => unreachable!("`{}` is not ternary", op.name()),
    }
}

fn first_or_second(first: bool) -> [f64; 2] {
    if first { [1.0, 0.0] } else { [0.0, 1.0] }
}

/// −1, 0 or 1: the slope of `abs`.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

fn power_slope(x: f64, p: f64) -> f64 {
    if p == 0.0 { 0.0 } else { p * x.powf(p - 1.0) }
}

fn exponent_slope(x: f64, p: f64) -> f64 {
    if x == 0.0 && p > 0.0 {
        0.0
    } else {
        x.powf(p) * x.ln()
    }
}
