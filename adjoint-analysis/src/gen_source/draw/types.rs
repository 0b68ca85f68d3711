//! The types of drawn values.

use Ty::{Array, Int, Named, Opt, Real, Seq, Slice, Tup};

/// A type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::gen_source) enum Ty {
    /// `f64`
    Real,
    /// `usize`
    Int,
    /// `Vec<T>`
    Seq(Box<Ty>),
    /// `[T]`, behind a reference
    Slice(Box<Ty>),
    /// `[T; N]`
    Array(Box<Ty>, usize),
    /// `Option<T>`
    Opt(Box<Ty>),
    Tup(Vec<Ty>),
    /// One of the source's own, as it is written: `Option<Box<Node>>`.
    Named(String),
    /// A closure with a name, of that many reals.
    Fun(usize),
}

/// How a value is held by its name, or taken by a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::gen_source) enum Held {
    Owned,
    Shared,
    Mut,
}

impl Ty {
    pub(in crate::gen_source) fn seq(of: Ty) -> Ty {
        Seq(Box::new(of))
    }

    pub(in crate::gen_source) fn slice(of: Ty) -> Ty {
        Slice(Box::new(of))
    }

    pub(in crate::gen_source) fn opt(of: Ty) -> Ty {
        Opt(Box::new(of))
    }

    pub(in crate::gen_source) fn pair() -> Ty {
        Tup(vec![Real, Real])
    }

    /// As it is written.
    pub(in crate::gen_source) fn text(&self) -> String {
        match self {
            Real => "f64".to_string(),
            Int => "usize".to_string(),
            Seq(of) => format!("Vec<{}>", of.text()),
            Slice(of) => format!("[{}]", of.text()),
            Array(of, n) => format!("[{}; {n}]", of.text()),
            Opt(of) => format!("Option<{}>", of.text()),
            Tup(all) => {
                let all: Vec<String> = all.iter().map(Ty::text).collect();
                format!("({})", all.join(", "))
            }
            Named(name) => name.clone(),
            Ty::Fun(_) => unreachable!("the types of closures have no names"),
        }
    }

    /// The type of a parameter or variable that holds it so.
    pub(in crate::gen_source) fn held(&self, held: Held) -> String {
        match held {
            Held::Owned => self.text(),
            Held::Shared => format!("&{}", self.text()),
            Held::Mut => format!("&mut {}", self.text()),
        }
    }

    /// What its elements are, if it is a sequence.
    pub(in crate::gen_source) fn element(&self) -> Option<&Ty> {
        match self {
            Seq(of) | Slice(of) | Array(of, _) => Some(of),
            _ => None,
        }
    }

    /// Whether it is a sequence of reals.
    pub(in crate::gen_source) fn is_reals(&self) -> bool {
        self.element() == Some(&Real)
    }

    /// Whether using a value leaves it where it is.
    pub(in crate::gen_source) fn is_copy(&self) -> bool {
        match self {
            Real | Int => true,
            Array(of, _) | Opt(of) => of.is_copy(),
            Tup(all) => all.iter().all(Ty::is_copy),
            _ => false,
        }
    }
}
