//! Expressions: pure trees over places.

use super::{CodeId, Place, Ty};

/// A pure expression. All its places are read when its statement starts.
#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    /// A literal, by its text without suffix (`2.0`, `7`, `true`), and its type.
    Lit(String, Ty),
    /// The value at a place. For an aggregate that is not `Copy`, a clone of it.
    Read(Place),
    /// Negation of a number; logical or bitwise not.
    Unary(UnOp, Box<Expr>),
    /// An operator between two values of one type, a comparison, or a lazy `and`/`or`.
    Binary(BinOp, Box<Expr>, Box<Expr>),
    /// A function of reals to a real, with a rule in [`crate::rules`].
    Intrinsic(Intrinsic, Vec<Expr>),
    /// A partial derivative that the runtime computes (edge values included); only in plans. The name is that of a
    /// function in `adjoint_runtime::partial`.
    Partial(&'static str, Vec<Expr>),
    /// `seed · partial`, which is exactly 0 where the seed is 0, whatever the partial; only in
    /// plans.
    Scale(Box<Expr>, Box<Expr>),
    /// A real with its gradient: the value, and each place that it is a function of, read, with the partial by it
    /// (`[CFR]` §3). Value and partials carry no derivative of their own; only in functions with preaccumulated blocks.
    Preaccumulated(Box<Expr>, Vec<[Expr; 2]>),
    /// `e as ty`, between numeric types and from `bool`.
    Cast(Box<Expr>, Ty),
    /// The number of elements of an array, slice or `Vec`.
    Len(Place),
    /// A pure method of integers, bools or reals that yields a discrete value, or an integer
    /// function: `x.is_nan()`, `i.min(j)`, `i.pow(2)`, `i.wrapping_add(j)`. Type of the result last.
    Discrete(String, Vec<Expr>, Ty),
    /// `if c { a } else { b }` between integers, which evaluates one of the two; only in plans.
    Select(Box<[Expr; 3]>, Ty),
    /// A tuple or array literal of these components.
    Aggregate(Vec<Expr>, Ty),
    /// `vec![value; count]` or `[value; COUNT]`, by the type.
    Repeat(Box<Expr>, Box<Expr>, Ty),
    /// A value of a variant of an enum, or of a struct: the path (`Some`, `Ok`, `None`, the user's), and the
    /// fields by name or number.
    Variant(String, Vec<(String, Expr)>, Ty),
    /// Whether the enum at a place is in this variant.
    Is(Place, String),
    /// A value of the shape of the one at a place, all its reals 0; only in plans.
    ZeroLike(Place),
    /// The user's code, which reads these variables and no active ones: a constant, a call with
    /// nothing varied among its arguments.
    Code(CodeId, Vec<Place>, Ty),
}

/// A unary operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    And,
    Or,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl BinOp {
    /// All operators.
    pub const ALL: [BinOp; 18] = [
        BinOp::Add,
        BinOp::Sub,
        BinOp::Mul,
        BinOp::Div,
        BinOp::Rem,
        BinOp::BitAnd,
        BinOp::BitOr,
        BinOp::BitXor,
        BinOp::Shl,
        BinOp::Shr,
        BinOp::And,
        BinOp::Or,
        BinOp::Eq,
        BinOp::Ne,
        BinOp::Lt,
        BinOp::Le,
        BinOp::Gt,
        BinOp::Ge,
    ];

    /// The token in Rust.
    pub fn symbol(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Rem => "%",
            BinOp::BitAnd => "&",
            BinOp::BitOr => "|",
            BinOp::BitXor => "^",
            BinOp::Shl => "<<",
            BinOp::Shr => ">>",
            BinOp::And => "&&",
            BinOp::Or => "||",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
        }
    }

    /// Whether the result is a `bool` for all operands.
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge
        )
    }
}

macro_rules! intrinsics {
    ($($variant:ident $name:literal $arity:literal,)*) => {
        /// A real function of reals that has a derivative rule; named as std's method.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum Intrinsic { $($variant,)* }

        impl Intrinsic {
            /// All intrinsics, in the order of the rule table.
            pub const ALL: &'static [Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// The name of std's method.
            pub fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => $name,)* }
            }

            /// The number of operands, the receiver included.
            pub fn arity(self) -> usize {
                match self { $(Intrinsic::$variant => $arity,)* }
            }

            /// The intrinsic for std's method of this name.
            pub fn from_name(name: &str) -> Option<Intrinsic> {
                match name { $($name => Some(Intrinsic::$variant),)* _ => None }
            }
        }
    };
}

intrinsics! {
    Sqrt "sqrt" 1, Cbrt "cbrt" 1, Recip "recip" 1,
    Exp "exp" 1, Exp2 "exp2" 1, ExpM1 "exp_m1" 1,
    Ln "ln" 1, Ln1p "ln_1p" 1, Log10 "log10" 1, Log2 "log2" 1, Log "log" 2,
    Sin "sin" 1, Cos "cos" 1, Tan "tan" 1, Asin "asin" 1, Acos "acos" 1, Atan "atan" 1,
    Sinh "sinh" 1, Cosh "cosh" 1, Tanh "tanh" 1, Asinh "asinh" 1, Acosh "acosh" 1, Atanh "atanh" 1,
    Powi "powi" 2, Powf "powf" 2, Hypot "hypot" 2, Atan2 "atan2" 2,
    Abs "abs" 1, Max "max" 2, Min "min" 2, Clamp "clamp" 3, Copysign "copysign" 2, AbsSub "abs_sub" 2,
    MulAdd "mul_add" 3,
    ToDegrees "to_degrees" 1, ToRadians "to_radians" 1,
    Floor "floor" 1, Ceil "ceil" 1, Round "round" 1, RoundTiesEven "round_ties_even" 1, Trunc "trunc" 1,
    Fract "fract" 1, Signum "signum" 1,
    RemEuclid "rem_euclid" 2, DivEuclid "div_euclid" 2, Midpoint "midpoint" 2,
}
