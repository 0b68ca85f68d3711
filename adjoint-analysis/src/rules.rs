//! The derivative rules of operators and intrinsics: one line each.
//!
//! A rule gives the partial with respect to each operand, and with it what the partial *uses*:
//! operands or the result. `[TBR]` §5.1 needs exactly that (`Req` of a linear operation is empty,
//! that of `sin` is its operand, that of `exp` its result). Partials with edge values (contract:
//! kinks, poles, limits) are functions of `adjoint_runtime::partial`, named here.
//!
//! `tests/rules.rs` has one line for each line of the table, in the same order.

use crate::ir::{BinOp, Expr, Intrinsic};

/// The partial of an operation with respect to one operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Partial {
    /// Identically 0: no derivative passes.
    Zero,
    /// Identically 1.
    One,
    /// Identically −1.
    MinusOne,
    /// The value of an operand.
    Operand(usize),
    /// The result.
    Result,
    /// `adjoint_runtime::partial::NAME` of these.
    Function(&'static str, &'static [Use]),
    /// The product of these, by which a seed is multiplied one after another: the seed may be as large as their
    /// product is small, and the other way round (`1/(1 + exp(-x))` far left of 0).
    Product(&'static [Partial]),
}

/// A value that a partial uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// The operand of this position.
    Operand(usize),
    /// The result of the operation.
    Result,
}

impl Partial {
    /// The values that it is computed from.
    pub fn uses(self) -> Vec<Use> {
        match self {
            Partial::Zero | Partial::One | Partial::MinusOne => Vec::new(),
            Partial::Operand(i) => vec![Use::Operand(i)],
            Partial::Result => vec![Use::Result],
            Partial::Function(_, uses) => uses.to_vec(),
            Partial::Product(factors) => {
                let mut uses = Vec::new();
                factors.iter().for_each(|p| uses.extend(p.uses()));
                uses
            }
        }
    }

    /// Those that it is a product of, or itself.
    pub fn factors(&self) -> &[Partial] {
        match self {
            Partial::Product(factors) => factors,
            partial => std::slice::from_ref(partial),
        }
    }
}

use Partial::{Function, MinusOne, One, Operand, Product, Result as Res, Zero};
const X: Use = Use::Operand(0);
const Y: Use = Use::Operand(1);
const Z: Use = Use::Operand(2);
const R: Use = Use::Result;

/// The partials of an intrinsic, one per operand.
pub fn intrinsic(op: Intrinsic) -> &'static [Partial] {
    match op {
        Intrinsic::Sqrt => &[Function("sqrt", &[R])],
        Intrinsic::Cbrt => &[Function("cbrt", &[R])],
        Intrinsic::Recip => &[Product(&[
            Function("recip", &[R]),
            Function("recip", &[R]),
            MinusOne,
        ])],
        Intrinsic::Exp => &[Res],
        Intrinsic::Exp2 => &[Function("exp2", &[R])],
        Intrinsic::ExpM1 => &[Function("exp_m1", &[R])],
        Intrinsic::Ln => &[Function("ln", &[X])],
        Intrinsic::Ln1p => &[Function("ln_1p", &[X])],
        Intrinsic::Log10 => &[Function("log10", &[X])],
        Intrinsic::Log2 => &[Function("log2", &[X])],
        Intrinsic::Log => &[Function("log_x", &[X, Y]), Function("log_base", &[Y, R])],
        Intrinsic::Sin => &[Function("sin", &[X])],
        Intrinsic::Cos => &[Function("cos", &[X])],
        Intrinsic::Tan => &[Function("tan", &[R])],
        Intrinsic::Asin => &[Function("asin", &[X])],
        Intrinsic::Acos => &[Function("acos", &[X])],
        Intrinsic::Atan => &[Function("atan", &[X])],
        Intrinsic::Sinh => &[Function("sinh", &[X])],
        Intrinsic::Cosh => &[Function("cosh", &[X])],
        Intrinsic::Tanh => &[Function("tanh", &[R])],
        Intrinsic::Asinh => &[Function("asinh", &[X])],
        Intrinsic::Acosh => &[Function("acosh", &[X])],
        Intrinsic::Atanh => &[Function("atanh", &[X])],
        Intrinsic::Powi => &[
            Product(&[Function("powi", &[X, Y]), Function("powi_rest", &[X, Y])]),
            Zero,
        ],
        Intrinsic::Powf => &[
            Product(&[Function("powf_x", &[X, Y]), Function("powf_rest", &[X, Y])]),
            Function("powf_p", &[X, Y, R]),
        ],
        Intrinsic::Hypot => &[Function("hypot", &[X, R]), Function("hypot", &[Y, R])],
        Intrinsic::Atan2 => &[Function("atan2_y", &[X, Y]), Function("atan2_x", &[X, Y])],
        Intrinsic::Abs => &[Function("abs", &[X])],
        Intrinsic::Max => &[Function("max_x", &[X, Y]), Function("max_y", &[X, Y])],
        Intrinsic::Min => &[Function("min_x", &[X, Y]), Function("min_y", &[X, Y])],
        Intrinsic::Clamp => &[
            Function("clamp_x", &[X, Y, Z]),
            Function("clamp_lo", &[X, Y]),
            Function("clamp_hi", &[X, Z]),
        ],
        Intrinsic::Copysign => &[Function("copysign", &[X, Y]), Zero],
        Intrinsic::AbsSub => &[
            Function("abs_sub_x", &[X, Y]),
            Function("abs_sub_y", &[X, Y]),
        ],
        Intrinsic::MulAdd => &[Operand(1), Operand(0), One],
        Intrinsic::ToDegrees => &[Function("to_degrees", &[X])],
        Intrinsic::ToRadians => &[Function("to_radians", &[X])],
        Intrinsic::Floor => &[Zero],
        Intrinsic::Ceil => &[Zero],
        Intrinsic::Round => &[Zero],
        Intrinsic::RoundTiesEven => &[Zero],
        Intrinsic::Trunc => &[Zero],
        Intrinsic::Fract => &[One],
        Intrinsic::Signum => &[Zero],
        Intrinsic::RemEuclid => &[One, Function("rem_euclid", &[X, Y])],
        Intrinsic::DivEuclid => &[Zero, Zero],
        Intrinsic::Midpoint => &[Function("midpoint", &[X]), Function("midpoint", &[Y])],
    }
}

/// Whether a partial may be infinite where the operation's value is finite.
pub fn is_pole(partial: &Expr) -> bool {
    const POLES: [&str; 6] = ["sqrt", "cbrt", "asin", "acos", "acosh", "powf_x"];
    matches!(partial, Expr::Partial(name, _) if POLES.contains(name))
}

/// Whether the partial of this name may be 0 because the operand is infinite, with a finite value, as `exp`'s, which is
/// its result.
pub fn saturates(partial: &str) -> bool {
    const SATURATING: [&str; 12] = [
        "atan",
        "atan2_x",
        "atan2_y",
        "div_y",
        "exp2",
        "exp_m1",
        "powf_rest",
        "powf_x",
        "powi",
        "powi_rest",
        "recip",
        "tanh",
    ];
    SATURATING.contains(&partial)
}

/// Whether the partial of this name says which operand was chosen, or that none was.
pub fn is_choice_name(partial: &str) -> bool {
    const CHOICES: [&str; 10] = [
        "abs",
        "max_x",
        "max_y",
        "min_x",
        "min_y",
        "clamp_x",
        "clamp_lo",
        "clamp_hi",
        "abs_sub_x",
        "abs_sub_y",
    ];
    CHOICES.contains(&partial)
}

/// Whether all factors of the partial are such.
pub fn is_choice(partial: &Expr) -> bool {
    match partial {
        Expr::Partial(name, _) => is_choice_name(name),
        Expr::Binary(BinOp::Mul, a, b) => is_choice(a) && is_choice(b),
        _ => false,
    }
}

/// The partials of an operator between two reals; `None` for one that has no real result.
pub fn binary(op: BinOp) -> Option<&'static [Partial; 2]> {
    match op {
        BinOp::Add => Some(&[One, One]),
        BinOp::Sub => Some(&[One, MinusOne]),
        BinOp::Mul => Some(&[Operand(1), Operand(0)]),
        BinOp::Div => Some(&[
            Function("div_x", &[Y]),
            Product(&[Function("div_x", &[Y]), Function("div_y", &[R])]),
        ]),
        BinOp::Rem => Some(&[One, Function("rem", &[X, Y])]),
        _ => None,
    }
}
