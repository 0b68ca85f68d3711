//! Local type inference: as much of rustc's as differentiation needs.
//!
//! Inference variables are free, or restricted to floats or integers by a literal, as in rustc. Those still free at the
//! end get rustc's default, or are left to rustc where it may know more. Types that do not unify are left alone: rustc
//! reports them, in the user's own function.

use proc_macro2::Span;

use crate::ir::{FloatTy, IntTy, Ty};

/// The prefix of an extent that is not known yet.
const OPEN_PREFIX: &str = "?";

/// The state of an inference variable.
#[derive(Clone, Debug)]
enum VarState {
    Free(VarKind),
    /// An array, a `Vec` or a slice of this element type, as something has indexed it.
    Sequence(Ty),
    Bound(Ty),
}

/// The types that a free variable can become.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// Anything.
    Any,
    /// A float (from a method such as `sin`).
    Float,
    /// A primitive float, and no type parameter (from a literal such as `1.0`).
    PrimitiveFloat,
    /// An integer, never a float (from a literal such as `1`).
    Int,
}

/// The table of inference variables of one function.
#[derive(Default, Debug)]
pub struct InferenceTable {
    states: Vec<VarState>,
    /// Whether each variable is an external type, which only rustc knows: that of a field or a result.
    external: Vec<bool>,
    /// The extents of arrays that uses of their elements determine, `None` while open, and where each was introduced.
    extents: Vec<(Option<String>, Span)>,
    /// The only float type that the function is generic over, which open external floats become.
    pub generic_float: Option<FloatTy>,
}

impl InferenceTable {
    /// A new variable.
    pub fn fresh(&mut self, kind: VarKind) -> Ty {
        self.states.push(VarState::Free(kind));
        self.external.push(false);
        Ty::Infer(self.states.len() as u32 - 1)
    }

    /// A variable for the extent of an array, which types contain until the end.
    pub fn open_extent(&mut self, span: Span) -> String {
        self.extents.push((None, span));
        format!("{OPEN_PREFIX}{}", self.extents.len() - 1)
    }

    /// The extent as far as it is known.
    pub fn extent(&self, extent: &str) -> String {
        match self
            .open_index(extent)
            .and_then(|k| self.extents[k].0.as_ref())
        {
            Some(known) => self.extent(known),
            None => extent.to_string(),
        }
    }

    fn open_index(&self, extent: &str) -> Option<usize> {
        extent.strip_prefix(OPEN_PREFIX)?.parse().ok()
    }

    /// Unifies two extents.
    pub fn unify_extents(&mut self, a: &str, b: &str) {
        let (a, b) = (self.extent(a), self.extent(b));
        match (self.open_index(&a), self.open_index(&b)) {
            _ if a == b => {}
            (Some(k), _) => self.extents[k].0 = Some(b),
            (_, Some(k)) => self.extents[k].0 = Some(a),
            _ => {}
        }
    }

    /// Where the extents were introduced that are still open.
    pub fn open_extents(&self) -> Vec<Span> {
        let open = self.extents.iter().filter(|(known, _)| known.is_none());
        open.map(|(_, span)| *span).collect()
    }

    /// A variable for an external type, which is declared where the macro can't see it.
    pub fn fresh_external(&mut self) -> Ty {
        let ty = self.fresh(VarKind::Any);
        if let Some(last) = self.external.last_mut() {
            *last = true;
        }
        ty
    }

    /// The type as far as it is known now, at the outermost level.
    pub fn shallow(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Infer(i) => match &self.states[*i as usize] {
                VarState::Bound(t) => self.shallow(t),
                VarState::Sequence(t) => Ty::Slice(Box::new(t.clone())),
                VarState::Free(_) => ty.clone(),
            },
            _ => ty.clone(),
        }
    }

    /// Whether the type is known (or restricted by a literal) to be an integer.
    pub fn is_int(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Int(_) => true,
            Ty::Infer(i) => matches!(self.states[i as usize], VarState::Free(VarKind::Int)),
            _ => false,
        }
    }

    /// Notes that the type, if it is not known yet, can be indexed. The elements of an external type are external.
    pub fn mark_sequence(&mut self, ty: &Ty, element: &Ty) {
        if let Ty::Infer(i) = self.shallow(ty)
            && let VarState::Free(VarKind::Any) = self.states[i as usize]
            && !self.occurs_in(element, i)
        {
            self.states[i as usize] = VarState::Sequence(element.clone());
            if let Ty::Infer(e) = self.shallow(element) {
                self.external[e as usize] |= self.external[i as usize];
            }
        }
    }

    /// The variable and its element type, if the type is known only to be a sequence.
    fn open_sequence(&self, ty: &Ty) -> Option<(usize, Ty)> {
        let Ty::Infer(i) = ty else { return None };
        match &self.states[*i as usize] {
            VarState::Sequence(t) => Some((*i as usize, t.clone())),
            VarState::Bound(t) => self.open_sequence(t),
            VarState::Free(_) => None,
        }
    }

    /// Whether the type is known only to be a sequence.
    pub fn is_open_sequence(&self, ty: &Ty) -> bool {
        self.open_sequence(ty).is_some()
    }

    /// Whether a literal or a method has restricted the type to numbers.
    pub fn is_number(&self, ty: &Ty) -> bool {
        match self.shallow(ty) {
            Ty::Infer(i) => !matches!(self.states[i as usize], VarState::Free(VarKind::Any)),
            ty => ty.is_scalar(),
        }
    }

    /// Makes the two types equal where that is possible.
    pub fn unify(&mut self, a: &Ty, b: &Ty) {
        for (a, b) in [(a, b), (b, a)] {
            if let (Some((i, element)), None) = (self.open_sequence(a), self.open_sequence(b)) {
                let b = self.shallow(b);
                if let Some(other) = b.element() {
                    if !self.occurs_in(&b, i as u32) {
                        self.unify(&element, other);
                        self.states[i] = VarState::Bound(b);
                    }
                    return;
                }
                // Both become the same type.
                if let Ty::Infer(j) = b
                    && let VarState::Free(VarKind::Any) = self.states[j as usize]
                    && !self.occurs_in(&element, j)
                {
                    self.external[i] |= self.external[j as usize];
                    self.states[j as usize] = VarState::Bound(Ty::Infer(i as u32));
                    return;
                }
            }
        }
        if let (Some((i, s)), Some((j, t))) = (self.open_sequence(a), self.open_sequence(b)) {
            if i != j && !self.occurs_in(&s, j as u32) && !self.occurs_in(&t, i as u32) {
                self.external[i] |= self.external[j];
                self.states[j] = VarState::Bound(Ty::Infer(i as u32));
                self.unify(&s, &t);
            }
            return;
        }
        let (a, b) = (self.shallow(a), self.shallow(b));
        if let (Ty::Array(_, n), Ty::Array(_, m)) = (&a, &b) {
            self.unify_extents(n, m);
        }
        match (&a, &b) {
            (Ty::Infer(i), Ty::Infer(j)) if i == j => {}
            (Ty::Infer(i), Ty::Infer(j)) => {
                let kind = match (&self.states[*i as usize], &self.states[*j as usize]) {
                    (VarState::Free(VarKind::Any), VarState::Free(k)) => *k,
                    (VarState::Free(VarKind::Float), VarState::Free(VarKind::PrimitiveFloat)) => {
                        VarKind::PrimitiveFloat
                    }
                    (VarState::Free(k), _) => *k,
                    _ => VarKind::Any,
                };
                self.external[*j as usize] |= self.external[*i as usize];
                self.states[*j as usize] = VarState::Free(kind);
                self.states[*i as usize] = VarState::Bound(b.clone());
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
            VarState::Free(VarKind::Any) => !matches!(ty, Ty::Unknown),
            VarState::Free(VarKind::Float | VarKind::PrimitiveFloat) => matches!(ty, Ty::Float(_)),
            VarState::Free(VarKind::Int) => matches!(ty, Ty::Int(_)),
            VarState::Bound(_) | VarState::Sequence(_) => false,
        };
        // Occurs check: a `&mut Box<T>` may be passed for a `&mut T`.
        let fits = fits && !self.occurs_in(ty, variable);
        // A literal can be of an external type.
        self.external[variable as usize] |= matches!(ty, Ty::Unknown | Ty::Named(_));
        if fits {
            self.states[variable as usize] = VarState::Bound(ty.clone());
            if self.external[variable as usize] {
                self.mark_external(ty);
            }
        }
    }

    fn occurs_in(&self, ty: &Ty, variable: u32) -> bool {
        match ty {
            Ty::Infer(i) if *i == variable => true,
            Ty::Infer(i) => match &self.states[*i as usize] {
                VarState::Bound(t) | VarState::Sequence(t) => self.occurs_in(t, variable),
                VarState::Free(_) => false,
            },
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => {
                self.occurs_in(t, variable)
            }
            Ty::Result(t, e) => self.occurs_in(t, variable) || self.occurs_in(e, variable),
            Ty::Tuple(parts) => parts.iter().any(|t| self.occurs_in(t, variable)),
            _ => false,
        }
    }

    /// Whether the type is external, whatever has been inferred of it.
    pub fn is_external(&self, ty: &Ty) -> bool {
        matches!(ty, Ty::Infer(i) if self.external[*i as usize])
    }

    /// Marks the open parts of the type as possibly external.
    pub fn mark_external(&mut self, ty: &Ty) {
        match self.shallow(ty) {
            Ty::Infer(i) => self.external[i as usize] = true,
            Ty::Tuple(parts) => parts.iter().for_each(|t| self.mark_external(t)),
            Ty::Option(t) | Ty::Boxed(t) => self.mark_external(&t),
            Ty::Result(t, e) => {
                self.mark_external(&t);
                self.mark_external(&e);
            }
            ty => {
                if let Some(element) = ty.element() {
                    self.mark_external(element);
                }
            }
        }
    }

    /// The type with every variable substituted, and rustc's defaults where nothing is known.
    pub fn resolve(&self, ty: &Ty) -> Ty {
        self.substitute(ty, &|kind, elsewhere| match kind {
            VarKind::Float if elsewhere => {
                Ty::Float(self.generic_float.clone().unwrap_or(FloatTy::Infer))
            }
            VarKind::PrimitiveFloat if elsewhere => Ty::Float(FloatTy::Infer),
            VarKind::Int if elsewhere => Ty::Int(IntTy::Infer),
            VarKind::Float | VarKind::PrimitiveFloat => Ty::F64,
            VarKind::Int => Ty::Int(IntTy::I32),
            VarKind::Any => Ty::Unknown,
        })
    }

    /// The type as far as it is known now, with `Unknown` for open variables.
    pub fn resolve_known(&self, ty: &Ty) -> Ty {
        self.substitute(ty, &|_, _| Ty::Unknown)
    }

    /// The type with every variable substituted; `open` gives the type of a free one from its kind and whether it is
    /// external.
    fn substitute(&self, ty: &Ty, open: &dyn Fn(VarKind, bool) -> Ty) -> Ty {
        let inner = |t: &Ty| Box::new(self.substitute(t, open));
        match ty {
            Ty::Infer(i) => match &self.states[*i as usize] {
                VarState::Bound(t) => self.substitute(t, open),
                VarState::Sequence(t) => Ty::Slice(inner(t)),
                VarState::Free(kind) => open(*kind, self.external[*i as usize]),
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
