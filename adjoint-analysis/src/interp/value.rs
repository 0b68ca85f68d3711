//! Values: what a variable holds.

use std::collections::BTreeMap;

use super::{Number, Trap};
use crate::ir::{BinOp, IntTy, Ty};

/// A value over the number type `N`.
#[derive(Clone, PartialEq, Debug)]
pub enum Value<N = f64> {
    /// A real number.
    Real(N),
    /// An integer of a type. (A `u128` above `i128::MAX` is not represented; reaching one traps.)
    Int(IntTy, i128),
    /// `bool`
    Bool(bool),
    /// `()`
    Unit,
    /// An array, the referent of a slice, or a `Vec`.
    List(Vec<Value<N>>),
    /// A tuple.
    Tuple(Vec<Value<N>>),
    /// A struct, by field names.
    Struct(BTreeMap<String, Value<N>>),
    /// An `Option`.
    Option(Option<Box<Value<N>>>),
}

impl<N: Number> Value<N> {
    /// A list of reals.
    pub fn reals(values: &[f64]) -> Value<N> {
        Value::List(values.iter().map(|v| Value::real(*v)).collect())
    }

    /// A constant real.
    pub fn real(value: f64) -> Value<N> {
        Value::Real(N::constant(value))
    }

    /// A `usize`.
    pub fn usize(value: usize) -> Value<N> {
        Value::Int(IntTy::Usize, value as i128)
    }

    /// The value with each real replaced, in the order of fields and elements.
    pub fn map_reals<M>(&self, f: &mut dyn FnMut(N) -> M) -> Value<M> {
        match self {
            Value::Real(n) => Value::Real(f(*n)),
            Value::Int(t, i) => Value::Int(*t, *i),
            Value::Bool(b) => Value::Bool(*b),
            Value::Unit => Value::Unit,
            Value::List(vs) => Value::List(vs.iter().map(|v| v.map_reals(f)).collect()),
            Value::Tuple(vs) => Value::Tuple(vs.iter().map(|v| v.map_reals(f)).collect()),
            Value::Struct(vs) => Value::Struct(
                vs.iter()
                    .map(|(k, v)| (k.clone(), v.map_reals(f)))
                    .collect(),
            ),
            Value::Option(v) => Value::Option(v.as_ref().map(|v| Box::new(v.map_reals(f)))),
        }
    }

    /// All reals in the value, in the order of fields and elements.
    pub fn flatten(&self) -> Vec<N> {
        let mut all = Vec::new();
        self.map_reals(&mut |n| all.push(n));
        all
    }

    /// The value with all reals 0.
    pub fn zeroed(&self) -> Value<N> {
        self.map_reals(&mut |_| N::constant(0.0))
    }

    /// The number of scalars of all kinds in the value.
    pub fn scalars(&self) -> usize {
        match self {
            Value::Real(_) | Value::Int(..) | Value::Bool(_) => 1,
            Value::Unit => 0,
            Value::List(vs) | Value::Tuple(vs) => vs.iter().map(Value::scalars).sum(),
            Value::Struct(vs) => vs.values().map(Value::scalars).sum(),
            Value::Option(v) => v.as_ref().map_or(0, |v| v.scalars()),
        }
    }

    /// Adds the reals of a value of the same shape.
    pub fn incr(&mut self, by: &Value<N>) -> Result<(), Trap> {
        match (self, by) {
            (Value::Real(a), Value::Real(b)) => {
                *a = N::binary(BinOp::Add, *a, *b).unwrap_or(*a);
                Ok(())
            }
            (Value::List(a), Value::List(b)) | (Value::Tuple(a), Value::Tuple(b))
                if a.len() == b.len() =>
            {
                a.iter_mut().zip(b).try_for_each(|(a, b)| a.incr(b))
            }
            (Value::Struct(a), Value::Struct(b)) if a.keys().eq(b.keys()) => a
                .values_mut()
                .zip(b.values())
                .try_for_each(|(a, b)| a.incr(b)),
            (Value::Option(Some(a)), Value::Option(Some(b))) => a.incr(b),
            (Value::Option(None), Value::Option(None)) => Ok(()),
            (Value::Int(a, _), Value::Int(b, _)) if *a == *b => Ok(()),
            (Value::Bool(_), Value::Bool(_)) | (Value::Unit, Value::Unit) => Ok(()),
            (a, b) => Trap::ty(format!("{a:?} += {b:?}")),
        }
    }

    /// The real number that this is.
    pub fn as_real(&self) -> Result<N, Trap> {
        match self {
            Value::Real(n) => Ok(*n),
            other => Trap::ty(format!("a real expected, not {other:?}")),
        }
    }

    /// The integer that this is.
    pub fn as_int(&self) -> Result<i128, Trap> {
        match self {
            Value::Int(_, i) => Ok(*i),
            other => Trap::ty(format!("an integer expected, not {other:?}")),
        }
    }

    /// The truth value that this is.
    pub fn as_bool(&self) -> Result<bool, Trap> {
        match self {
            Value::Bool(b) => Ok(*b),
            other => Trap::ty(format!("a bool expected, not {other:?}")),
        }
    }

    /// The elements of the list that this is.
    pub fn as_list(&self) -> Result<&[Value<N>], Trap> {
        match self {
            Value::List(vs) => Ok(vs),
            other => Trap::ty(format!("a list expected, not {other:?}")),
        }
    }

    /// Whether the value is one of the type, as far as its outermost layer and an array's extent say.
    pub fn fits(&self, ty: &Ty) -> bool {
        match (self, ty) {
            (Value::Real(_), Ty::Float(_)) => true,
            (Value::Int(a, _), Ty::Int(b)) => a == b,
            (Value::Bool(_), Ty::Bool) | (Value::Unit, Ty::Unit) => true,
            (Value::List(vs), Ty::Array(t, n)) => {
                n.parse().map_or(true, |n: usize| n == vs.len()) && first_fits(vs, t)
            }
            (Value::List(vs), Ty::Slice(t) | Ty::Vec(t)) => first_fits(vs, t),
            (Value::Tuple(vs), Ty::Tuple(ts)) => {
                vs.len() == ts.len() && vs.iter().zip(ts).all(|(v, t)| v.fits(t))
            }
            (Value::Option(v), Ty::Option(t)) => v.as_ref().is_none_or(|v| v.fits(t)),
            (v, Ty::Boxed(t)) => v.fits(t),
            (_, Ty::Named(_) | Ty::Discrete(_) | Ty::Unknown) => true,
            _ => false,
        }
    }

    /// The value of a type whose reals are all 0, where the type alone gives the shape.
    pub fn zero_of(ty: &Ty) -> Option<Value<N>> {
        match ty {
            Ty::Float(_) => Some(Value::real(0.0)),
            Ty::Array(t, n) => Some(Value::List(vec![Value::zero_of(t)?; n.parse().ok()?])),
            Ty::Tuple(ts) => Some(Value::Tuple(
                ts.iter().map(Value::zero_of).collect::<Option<_>>()?,
            )),
            Ty::Boxed(t) => Value::zero_of(t),
            _ => None,
        }
    }

    /// The value that emitted code declares a variable of a type with, if that is zero or empty.
    pub fn blank_of(ty: &Ty) -> Option<Value<N>> {
        match ty {
            Ty::Float(_) => Some(Value::real(0.0)),
            Ty::Int(int) => Some(Value::Int(*int, 0)),
            Ty::Bool => Some(Value::Bool(false)),
            Ty::Vec(_) => Some(Value::List(Vec::new())),
            Ty::Option(_) => Some(Value::Option(None)),
            Ty::Boxed(t) => Value::blank_of(t),
            Ty::Array(t, n) => Some(Value::List(vec![Value::blank_of(t)?; n.parse().ok()?])),
            Ty::Tuple(ts) => {
                let parts: Option<_> = ts.iter().map(Value::blank_of).collect();
                Some(Value::Tuple(parts?))
            }
            _ => None,
        }
    }
}

impl Value<f64> {
    /// Whether both are the same value, reals bit by bit.
    pub fn same_bits(&self, other: &Value<f64>) -> bool {
        self.map_reals(&mut f64::to_bits) == other.map_reals(&mut f64::to_bits)
    }
}

/// One element stands for all: lists are homogeneous.
fn first_fits<N: Number>(values: &[Value<N>], ty: &Ty) -> bool {
    values.first().is_none_or(|v| v.fits(ty))
}
