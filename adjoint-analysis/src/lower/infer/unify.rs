//! Local type inference: as much of rustc's as differentiation needs.
//!
//! Inference variables are free, or restricted to floats or integers by a literal, as in rustc. Those still free at the
//! end get rustc's default, or are left to rustc where it may know more. Types that do not unify are left alone: rustc
//! reports them, in the user's own function.

use proc_macro2::Span;

use crate::ir::{FloatTy, IntTy, Ty};

/// The prefix of an extent that is not known yet.
const OPEN: &str = "?";

/// The state of an inference variable.
#[derive(Clone, Debug)]
enum State {
    Free(Kind),
    /// An array, a `Vec` or a slice of this element type, as something has indexed it.
    Sequence(Ty),
    Bound(Ty),
}

/// The types that a free variable can become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Anything.
    Any,
    /// A float (from a method such as `sin`).
    Float,
    /// A primitive float, and no type parameter (from a literal such as `1.0`).
    Literal,
    /// An integer, never a float (from a literal such as `1`).
    Int,
}

/// The table of inference variables of one function.
#[derive(Default, Debug)]
pub struct Infer {
    states: Vec<State>,
    /// Whether each variable is an external type, which only rustc knows: that of a field or a result.
    elsewhere: Vec<bool>,
    /// The extents of arrays that uses of their elements determine, `None` while open, and where each was introduced.
    extents: Vec<(Option<String>, Span)>,
    /// The only float type that the function is generic over, which open external floats become.
    pub generic: Option<FloatTy>,
}

impl Infer {
    /// A new variable.
    pub fn fresh(&mut self, kind: Kind) -> Ty {
        self.states.push(State::Free(kind));
        self.elsewhere.push(false);
        Ty::Infer(self.states.len() as u32 - 1)
    }

    /// A variable for the extent of an array, which types contain until the end.
    pub fn open_extent(&mut self, span: Span) -> String {
        self.extents.push((None, span));
        format!("{OPEN}{}", self.extents.len() - 1)
    }

    /// The extent as far as it is known.
    pub fn extent(&self, extent: &str) -> String {
        match self.open(extent).and_then(|k| self.extents[k].0.as_ref()) {
            Some(known) => self.extent(known),
            None => extent.to_string(),
        }
    }

    fn open(&self, extent: &str) -> Option<usize> {
        extent.strip_prefix(OPEN)?.parse().ok()
    }

    /// Unifies two extents.
    pub fn same_extent(&mut self, a: &str, b: &str) {
        let (a, b) = (self.extent(a), self.extent(b));
        match (self.open(&a), self.open(&b)) {
            _ if a == b => {}
            (Some(k), _) => self.extents[k].0 = Some(b),
            (_, Some(k)) => self.extents[k].0 = Some(a),
            _ => {}
        }
    }

    /// Where the extents were introduced that are still open.
    pub fn unknown_extents(&self) -> Vec<Span> {
        let open = self.extents.iter().filter(|(known, _)| known.is_none());
        open.map(|(_, span)| *span).collect()
    }

    /// A variable for an external type, which is declared where the macro can't see it.
    pub fn declared_elsewhere(&mut self) -> Ty {
        let ty = self.fresh(Kind::Any);
        if let Some(last) = self.elsewhere.last_mut() {
            *last = true;
        }
        ty
    }

    /// The type as far as it is known now, at the outermost level.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Infer(i) => match &self.states[*i as usize] {
                State::Bound(t) => self.shallow(t),
                State::Sequence(t) => Ty::Slice(Box::new(t.clone())),
                State::Free(_) => ty.clone(),
            },
            _ => ty.clone(),
        }
    }

    /// Whether the type is known (or restricted by a literal) to be an integer.
    pub fn is_int(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Int(_) => true,
            Ty::Infer(i) => matches!(self.states[i as usize], State::Free(Kind::Int)),
            _ => false,
        }
    }

    /// Notes that the type, if it is not known yet, can be indexed. The elements of an external type are external.
    pub fn index(&mut self, ty: &Ty, element: &Ty) {
        if let Ty::Infer(i) = self.shallow(ty)
            && let State::Free(Kind::Any) = self.states[i as usize]
            && !self.holds(element, i)
        {
            self.states[i as usize] = State::Sequence(element.clone());
            if let Ty::Infer(e) = self.shallow(element) {
                self.elsewhere[e as usize] |= self.elsewhere[i as usize];
            }
        }
    }

    /// The variable and its element type, if the type is known only to be a sequence.
    fn sequence(&self, ty: &Ty) -> Option<(usize, Ty)> {
        let Ty::Infer(i) = ty else { return None };
        match &self.states[*i as usize] {
            State::Sequence(t) => Some((*i as usize, t.clone())),
            State::Bound(t) => self.sequence(t),
            State::Free(_) => None,
        }
    }

    /// Whether the type is known only to be a sequence.
    pub fn is_some_sequence(&self, ty: &Ty) -> bool {
        self.sequence(ty).is_some()
    }

    /// Whether a literal or a method has restricted the type to numbers.
    pub fn is_number(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Infer(i) => !matches!(self.states[i as usize], State::Free(Kind::Any)),
            ty => ty.is_scalar(),
        }
    }

    /// Makes the two types equal where that is possible.
    pub fn unify(&mut self, a: &Ty, b: &Ty) {
        for (a, b) in [(a, b), (b, a)] {
            if let (Some((i, element)), None) = (self.sequence(a), self.sequence(b)) {
                let b = self.shallow(b);
                if let Some(other) = b.element() {
                    if !self.holds(&b, i as u32) {
                        self.unify(&element, other);
                        self.states[i] = State::Bound(b);
                    }
                    return;
                }
                // Both become the same type.
                if let Ty::Infer(j) = b
                    && let State::Free(Kind::Any) = self.states[j as usize]
                    && !self.holds(&element, j)
                {
                    self.elsewhere[i] |= self.elsewhere[j as usize];
                    self.states[j as usize] = State::Bound(Ty::Infer(i as u32));
                    return;
                }
            }
        }
        if let (Some((i, s)), Some((j, t))) = (self.sequence(a), self.sequence(b)) {
            if i != j && !self.holds(&s, j as u32) && !self.holds(&t, i as u32) {
                self.elsewhere[i] |= self.elsewhere[j];
                self.states[j] = State::Bound(Ty::Infer(i as u32));
                self.unify(&s, &t);
            }
            return;
        }
        let (a, b) = (self.shallow(a), self.shallow(b));
        if let (Ty::Array(_, n), Ty::Array(_, m)) = (&a, &b) {
            self.same_extent(n, m);
        }
        match (&a, &b) {
            (Ty::Infer(i), Ty::Infer(j)) if i == j => {}
            (Ty::Infer(i), Ty::Infer(j)) => {
                let kind = match (&self.states[*i as usize], &self.states[*j as usize]) {
                    (State::Free(Kind::Any), State::Free(k)) => *k,
                    (State::Free(Kind::Float), State::Free(Kind::Literal)) => Kind::Literal,
                    (State::Free(k), _) => *k,
                    _ => Kind::Any,
                };
                self.elsewhere[*j as usize] |= self.elsewhere[*i as usize];
                self.states[*j as usize] = State::Free(kind);
                self.states[*i as usize] = State::Bound(b.clone());
            }
            (Ty::Infer(i), t) | (t, Ty::Infer(i)) => self.bind(*i, t),
            (
                Ty::Array(s, _) | Ty::Slice(s) | Ty::Vec(s),
                Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t),
            )
            | (Ty::Boxed(s), Ty::Boxed(t))
            | (Ty::Option(s), Ty::Option(t)) => self.unify(s, t),
            (Ty::Result(s, e), Ty::Result(t, f)) => {
                self.unify(s, t);
                self.unify(e, f);
            }
            (Ty::Tuple(s), Ty::Tuple(t)) if s.len() == t.len() => {
                for (s, t) in s.iter().zip(t) {
                    self.unify(s, t);
                }
            }
            _ => {}
        }
    }

    fn bind(&mut self, variable: u32, ty: &Ty) {
        let fits = match &self.states[variable as usize] {
            State::Free(Kind::Any) => !matches!(ty, Ty::Unknown),
            State::Free(Kind::Float | Kind::Literal) => matches!(ty, Ty::Float(_)),
            State::Free(Kind::Int) => matches!(ty, Ty::Int(_)),
            State::Bound(_) | State::Sequence(_) => false,
        };
        // Occurs check: a `&mut Box<T>` may be passed for a `&mut T`.
        let fits = fits && !self.holds(ty, variable);
        // A literal can be of an external type.
        self.elsewhere[variable as usize] |= matches!(ty, Ty::Unknown | Ty::Named(_));
        if fits {
            self.states[variable as usize] = State::Bound(ty.clone());
            if self.elsewhere[variable as usize] {
                self.leave_to_rustc(ty);
            }
        }
    }

    fn holds(&self, ty: &Ty, variable: u32) -> bool {
        match ty {
            Ty::Infer(i) if *i == variable => true,
            Ty::Infer(i) => match &self.states[*i as usize] {
                State::Bound(t) | State::Sequence(t) => self.holds(t, variable),
                State::Free(_) => false,
            },
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
                self.holds(t, variable)
            }
            Ty::Result(t, e) => self.holds(t, variable) || self.holds(e, variable),
            Ty::Tuple(parts) => parts.iter().any(|t| self.holds(t, variable)),
            _ => false,
        }
    }

    /// Whether the type is external, whatever has been inferred of it.
    pub fn is_elsewhere(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Infer(i) if self.elsewhere[*i as usize])
    }

    /// Marks the open parts of the type as possibly external.
    pub fn leave_to_rustc(&mut self, ty: &Ty) {
        match self.shallow(ty) {
            Ty::Infer(i) => self.elsewhere[i as usize] = true,
            Ty::Tuple(parts) => parts.iter().for_each(|t| self.leave_to_rustc(t)),
            Ty::Option(t) | Ty::Boxed(t) => self.leave_to_rustc(&t),
            Ty::Result(t, e) => {
                self.leave_to_rustc(&t);
                self.leave_to_rustc(&e);
            }
            ty => {
                if let Some(element) = ty.element() {
                    self.leave_to_rustc(element);
                }
            }
        }
    }

    /// The type with every variable substituted, and rustc's defaults where nothing is known.
    pub fn resolve(&self, ty: &Ty) -> Ty {
        self.replaced(ty, &|kind, elsewhere| match kind {
            Kind::Float if elsewhere => Ty::Float(self.generic.clone().unwrap_or(FloatTy::Infer)),
            Kind::Literal if elsewhere => Ty::Float(FloatTy::Infer),
            Kind::Int if elsewhere => Ty::Int(IntTy::Infer),
            Kind::Float | Kind::Literal => Ty::F64,
            Kind::Int => Ty::Int(IntTy::I32),
            Kind::Any => Ty::Unknown,
        })
    }

    /// The type as far as it is known now, with `Unknown` for open variables.
    pub fn known(&self, ty: &Ty) -> Ty {
        self.replaced(ty, &|_, _| Ty::Unknown)
    }

    /// The type with every variable substituted; `open` gives the type of a free one from its kind and whether it is
    /// external.
    fn replaced(&self, ty: &Ty, open: &dyn Fn(Kind, bool) -> Ty) -> Ty {
        let inner = |t: &Ty| Box::new(self.replaced(t, open));
        match ty {
            Ty::Infer(i) => match &self.states[*i as usize] {
                State::Bound(t) => self.replaced(t, open),
                State::Sequence(t) => Ty::Slice(inner(t)),
                State::Free(kind) => open(*kind, self.elsewhere[*i as usize]),
            },
            Ty::Array(t, n) => Ty::Array(inner(t), self.extent(n)),
            Ty::Slice(t) => Ty::Slice(inner(t)),
            Ty::Vec(t) => Ty::Vec(inner(t)),
            Ty::Boxed(t) => Ty::Boxed(inner(t)),
            Ty::Option(t) => Ty::Option(inner(t)),
            Ty::Result(t, e) => Ty::Result(inner(t), inner(e)),
            Ty::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| *inner(t)).collect()),
            _ => ty.clone(),
        }
    }
}
