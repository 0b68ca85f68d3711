//! The types of IR variables and expressions.

use std::fmt;

/// The prefix of a state type's name.
const STATE_PREFIX: &str = "state ";

/// A floating-point type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum FloatTy {
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// A type parameter that carries floats (`T: Float`), by name.
    Param(String),
    /// A float type that only rustc infers.
    Infer,
}

/// An integer type of Rust.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum IntTy {
    I8,
    I16,
    I32,
    I64,
    I128,
    Isize,
    U8,
    U16,
    U32,
    U64,
    U128,
    Usize,
    /// An integer type that only rustc infers.
    Infer,
}

/// A type, as far as differentiation needs to know it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// A real number.
    Float(FloatTy),
    /// An integer.
    Int(IntTy),
    /// `bool`
    Bool,
    /// `()`
    Unit,
    /// `[T; N]`; the extent is a constant expression of the user's code.
    Array(Box<Ty>, String),
    /// `[T]`, behind a reference.
    Slice(Box<Ty>),
    /// `Vec<T>`
    Vec(Box<Ty>),
    /// `Box<T>`
    Boxed(Box<Ty>),
    /// `Option<T>`
    Option(Box<Ty>),
    /// `Result<T, E>`
    Result(Box<Ty>, Box<Ty>),
    /// A tuple.
    Tuple(Vec<Ty>),
    /// A user's type, by the path as written; assumed to carry floats.
    Named(String),
    /// An opaque type without floats (`&str`, a range).
    Discrete(String),
    /// Unknown; rustc selects implementations by traits. Assumed to carry floats.
    Unknown,
    /// A type that lowering has not inferred yet; none is left in a finished function.
    Infer(u32),
}

impl Ty {
    /// `f64`
    pub const F64: Ty = Ty::Float(FloatTy::F64);
    /// `usize`
    pub const USIZE: Ty = Ty::Int(IntTy::Usize);

    /// The names of the user's types in the type.
    pub fn user_types(&self) -> Vec<&str> {
        match self {
            Ty::Named(name) => vec![name],
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
                t.user_types()
            }
            Ty::Result(t, e) => [t.user_types(), e.user_types()].concat(),
            Ty::Tuple(ts) => ts.iter().flat_map(Ty::user_types).collect(),
            _ => Vec::new(),
        }
    }

    /// Whether the type has no unknown part.
    pub fn is_known(&self) -> bool {
        match self {
            Ty::Unknown | Ty::Infer(_) | Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => false,
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
                t.is_known()
            }
            Ty::Result(t, e) => t.is_known() && e.is_known(),
            Ty::Tuple(ts) => ts.iter().all(Ty::is_known),
            Ty::Float(_) | Ty::Int(_) | Ty::Bool | Ty::Unit => true,
            Ty::Named(_) | Ty::Discrete(_) => true,
        }
    }

    /// The type of a mutable state without floats that is passed by reference, as a random number generator. No adjoint
    /// reads it, and the reverse sweep doesn't restore it.
    pub fn state(name: &str) -> Ty {
        Ty::Discrete(format!("{STATE_PREFIX}{name}"))
    }

    /// Whether the type is a state type.
    pub fn is_state(&self) -> bool {
        self.state_name().is_some()
    }

    /// The type of a state as the user wrote it, with the reference.
    pub fn state_name(&self) -> Option<&str> {
        match self {
            Ty::Discrete(name) => name.strip_prefix(STATE_PREFIX),
            _ => None,
        }
    }

    /// Whether values of the type are a single real number.
    pub fn is_float(&self) -> bool {
        matches!(self, Ty::Float(_))
    }

    /// Whether the type is one of the machine's floats.
    pub fn is_machine_float(&self) -> bool {
        matches!(self, Ty::Float(FloatTy::F32 | FloatTy::F64))
    }

    /// Whether values of the type may hold reals, at any depth.
    pub fn carries_floats(&self) -> bool {
        match self {
            Ty::Float(_) | Ty::Named(_) | Ty::Unknown | Ty::Infer(_) => true,
            Ty::Int(_) | Ty::Bool | Ty::Unit | Ty::Discrete(_) => false,
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
                t.carries_floats()
            }
            Ty::Result(t, e) => t.carries_floats() || e.carries_floats(),
            Ty::Tuple(ts) => ts.iter().any(Ty::carries_floats),
        }
    }

    /// Whether a value is one machine word that assignment copies: a real, an integer, a flag.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Ty::Float(_) | Ty::Int(_) | Ty::Bool)
    }

    /// Whether the type alone determines the shape of its values: a scalar, or an array or tuple of such.
    pub fn has_static_shape(&self) -> bool {
        match self {
            Ty::Float(_) | Ty::Int(_) | Ty::Bool | Ty::Unit => true,
            Ty::Array(t, _) => t.has_static_shape(),
            Ty::Tuple(ts) => ts.iter().all(Ty::has_static_shape),
            _ => false,
        }
    }

    /// Whether there is a cheap initial value, zero or empty, for a variable of the type; variables of other types
    /// start uninitialised.
    pub fn has_initial_value(&self) -> bool {
        match self {
            Ty::Vec(_) | Ty::Option(_) => true,
            Ty::Array(t, _) | Ty::Boxed(t) => t.has_initial_value(),
            Ty::Tuple(ts) => ts.iter().all(Ty::has_initial_value),
            ty => ty.has_static_shape(),
        }
    }

    /// Whether the type is known to implement `Default`.
    pub fn has_default(&self) -> bool {
        match self {
            Ty::Float(FloatTy::F32 | FloatTy::F64) | Ty::Int(_) | Ty::Bool | Ty::Unit => true,
            Ty::Vec(_) | Ty::Option(_) => true,
            Ty::Tuple(ts) => ts.iter().all(Ty::has_default),
            // Longer arrays don't implement it.
            Ty::Array(t, n) => t.has_default() && n.parse().is_ok_and(|n: u32| n <= 32),
            _ => false,
        }
    }

    /// Whether a variable of the type keeps its shape under assignment.
    pub fn keeps_shape(&self) -> bool {
        match self {
            Ty::Array(t, _) | Ty::Slice(t) => t.keeps_shape(),
            ty => ty.has_static_shape(),
        }
    }

    /// Whether adjoints read nothing but the reals of a value of the type.
    pub fn holds_only_reals(&self) -> bool {
        match self {
            Ty::Float(_) => true,
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) => t.holds_only_reals(),
            Ty::Tuple(ts) => ts.iter().all(Ty::holds_only_reals),
            _ => false,
        }
    }

    /// The type with the innermost unknown element type replaced by `leaf`.
    pub fn with_leaf(&self, leaf: &Ty) -> Ty {
        let inner = |t: &Ty| Box::new(t.with_leaf(leaf));
        match self {
            Ty::Unknown => leaf.clone(),
            Ty::Array(t, n) => Ty::Array(inner(t), n.clone()),
            Ty::Slice(t) => Ty::Slice(inner(t)),
            Ty::Vec(t) => Ty::Vec(inner(t)),
            ty => ty.clone(),
        }
    }

    /// The element type of an array, slice or `Vec`.
    pub fn element(&self) -> Option<&Ty> {
        match self {
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) => Some(t),
            _ => None,
        }
    }
}

impl IntTy {
    /// All integer types that have a name.
    pub const ALL: [IntTy; 12] = [
        IntTy::I8,
        IntTy::I16,
        IntTy::I32,
        IntTy::I64,
        IntTy::I128,
        IntTy::Isize,
        IntTy::U8,
        IntTy::U16,
        IntTy::U32,
        IntTy::U64,
        IntTy::U128,
        IntTy::Usize,
    ];

    /// Rust's name of the type.
    pub fn name(self) -> &'static str {
        match self {
            IntTy::I8 => "i8",
            IntTy::I16 => "i16",
            IntTy::I32 => "i32",
            IntTy::I64 => "i64",
            IntTy::I128 => "i128",
            IntTy::Isize => "isize",
            IntTy::U8 => "u8",
            IntTy::U16 => "u16",
            IntTy::U32 => "u32",
            IntTy::U64 => "u64",
            IntTy::U128 => "u128",
            IntTy::Usize => "usize",
            IntTy::Infer => "_",
        }
    }

    /// The unsigned type of the same width.
    pub fn unsigned(self) -> IntTy {
        match self {
            IntTy::I8 => IntTy::U8,
            IntTy::I16 => IntTy::U16,
            IntTy::I32 => IntTy::U32,
            IntTy::I64 => IntTy::U64,
            IntTy::I128 => IntTy::U128,
            IntTy::Isize => IntTy::Usize,
            other => other,
        }
    }

    /// The integer type of this name.
    pub fn from_name(name: &str) -> Option<IntTy> {
        Self::ALL.into_iter().find(|t| t.name() == name)
    }
}

impl FloatTy {
    /// Rust's name of the type.
    pub fn name(&self) -> &str {
        match self {
            FloatTy::F32 => "f32",
            FloatTy::F64 => "f64",
            FloatTy::Param(name) => name,
            FloatTy::Infer => "_",
        }
    }
}

/// Rust's spelling of the type.
impl fmt::Display for Ty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ty::Float(t) => f.write_str(t.name()),
            Ty::Int(t) => f.write_str(t.name()),
            Ty::Bool => f.write_str("bool"),
            Ty::Unit => f.write_str("()"),
            Ty::Array(t, n) => write!(f, "[{t}; {n}]"),
            Ty::Slice(t) => write!(f, "[{t}]"),
            Ty::Vec(t) => write!(f, "Vec<{t}>"),
            Ty::Boxed(t) => write!(f, "Box<{t}>"),
            Ty::Option(t) => write!(f, "Option<{t}>"),
            Ty::Result(t, e) => write!(f, "Result<{t}, {e}>"),
            Ty::Tuple(ts) => {
                f.write_str("(")?;
                for t in ts {
                    write!(f, "{t}, ")?;
                }
                f.write_str(")")
            }
            Ty::Named(name) | Ty::Discrete(name) => f.write_str(name),
            Ty::Unknown | Ty::Infer(_) => f.write_str("_"),
        }
    }
}

/// The name without path and arguments: `Matrix` for `linear::Matrix<f64>`.
pub fn base_name(ty: &str) -> &str {
    let path = ty.split('<').next().unwrap_or(ty);
    path.rsplit(':').next().unwrap_or(path).trim()
}
