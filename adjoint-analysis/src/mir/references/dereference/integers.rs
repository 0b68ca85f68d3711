//! The integers of a reference, and the statements that assign it.

use super::candidates::JointUses;
use super::{Dereference, candidate_lit, sum};
use crate::ir::default_value::default_value;
use crate::ir::{Expr, IntTy, Origin, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::mir::code::CaptureMode;
use crate::mir::references::points_to::{is_slicing, slots, strip_slices};

/// The integers of a reference.
#[derive(Clone, Debug)]
pub(super) struct Integers {
    /// The number of its candidate.
    pub candidate: Option<Place>,
    /// The indices and bounds of the candidate.
    pub operands: Vec<Place>,
    pub window: Option<(Place, Place)>,
}

impl Integers {
    /// All of them; the bounds of the window last.
    fn all(&self) -> Vec<Place> {
        let window = self.window.iter().flat_map(|(lo, hi)| [lo, hi]);
        self.candidate
            .iter()
            .chain(&self.operands)
            .chain(window)
            .cloned()
            .collect()
    }

    /// The position of the window's bounds among them.
    fn window_start(&self) -> usize {
        usize::from(self.candidate.is_some()) + self.operands.len()
    }
}

impl Dereference<'_> {
    /// Declares the integers of a reference.
    pub(super) fn declare(
        &mut self,
        itself: VarId,
        to: Option<&Place>,
        id: StmtId,
        out: &mut Vec<Stmt>,
    ) {
        for v in self.promoted.get(&itself).cloned().unwrap_or_default() {
            let ty = self.draft.func.var(v).ty.clone();
            let value = default_value(&ty);
            if value.is_none() {
                self.refuse(itself);
            }
            self.scope.push(v);
            let name = self.new_name(v);
            self.push(id, StmtKind::Let(name, value), out);
        }
        if let Some(to) = to {
            self.check(itself, to, id, out);
        }
        let values = to.and_then(|to| self.target_values(itself, to));
        let integers = self.new_integers(itself);
        let value = |k: usize, blank: Expr| match &values {
            Some(values) => values.get(k).cloned().flatten().unwrap_or(blank),
            None => blank,
        };
        let all = integers.all();
        for (k, place) in all.iter().enumerate() {
            let blank = Expr::Lit("0".into(), place.ty.clone());
            let kind = StmtKind::Let(place.root, Some(value(k, blank)));
            self.push(id, kind, out);
        }
        self.integers.insert(itself, integers);
        self.decided.remove(&itself);
        if let Some(at) = to.and_then(|to| self.known_copy(itself, to)) {
            self.decided.insert(itself, at);
        }
        if let (Some(to), true) = (to, values.is_none()) {
            self.assign(itself, to, id, out);
        }
    }

    /// The candidate of a reference that copies one whose candidate is decided.
    fn known_copy(&self, itself: VarId, to: &Place) -> Option<usize> {
        let from = self.reference(to.root)?.itself;
        let stays = self.itself(itself).is_some_and(|r| !r.rebindable);
        let copy = stays && self.points_to.same_class(itself, from);
        self.decided.get(&from).copied().filter(|_| copy)
    }

    fn new_integers(&mut self, itself: VarId) -> Integers {
        let class = self.points_to.class(itself).clone();
        let name = self.itself(itself).map(|r| r.target);
        let name = name.map_or(String::new(), |v| self.draft.func.var(v).name.clone());
        let mut new = |what: &str, ty: Ty| {
            let var = self
                .draft
                .new_var(&format!("{name}_{what}"), ty, Origin::Local);
            self.draft.func.place(var)
        };
        let several = class.candidates.len() > 1;
        let which = several.then(|| new("is", Ty::Int(IntTy::U8)));
        let at = (0..slots(&class.candidates)).map(|_| new("at", Ty::USIZE));
        let at = at.collect();
        let window = class.windowed.then(|| {
            let lo = new("lo", Ty::USIZE);
            (lo, new("hi", Ty::USIZE))
        });
        Integers {
            candidate: which,
            operands: at,
            window,
        }
    }

    pub(super) fn retarget(&mut self, itself: VarId, to: &Place, id: StmtId, out: &mut Vec<Stmt>) {
        self.check(itself, to, id, out);
        self.assign(itself, to, id, out);
    }

    /// Emits the user's panic for a slice out of range, where the reference is created.
    fn check(&mut self, itself: VarId, to: &Place, id: StmtId, out: &mut Vec<Stmt>) {
        if !self.points_to.class(itself).windowed || !to.proj.last().is_some_and(is_slicing) {
            return;
        }
        let tokens = quote::quote!(let _ = __place_0);
        let code = self.draft.add_code(tokens, vec![CaptureMode::Borrow]);
        let kind = StmtKind::Passive(code, vec![to.clone()]);
        let span = self.span(id);
        let id = self.draft.stmt_id(span);
        self.simple(&Stmt { id, kind }, out);
    }

    /// Assigns the integers for a target.
    fn assign(&mut self, itself: VarId, to: &Place, id: StmtId, out: &mut Vec<Stmt>) {
        let Some(integers) = self.integers.get(&itself).cloned() else {
            return;
        };
        let Some(values) = self.target_values(itself, to) else {
            let named = self.reference(to.root).map(|r| r.itself);
            let together = JointUses {
                named: named.into_iter().collect(),
                ..JointUses::default()
            };
            if self.undecided(&together).is_empty() {
                return self.refuse(itself);
            }
            return self.for_each_candidate(id, &together, out, &mut |pass, out| {
                pass.assign(itself, to, id, out);
            });
        };
        // The upper bound of a window is computed from the lower one, which is therefore assigned last.
        for (place, value) in integers.all().into_iter().zip(values).rev() {
            match value {
                Some(value) if value != Expr::Read(place.clone()) => {
                    self.push(id, StmtKind::Assign(place, value), out);
                }
                _ => {}
            }
        }
    }

    /// The values of the integers for a target, in the order of [`Integers::all`]; `None` if its candidate is not
    /// decided.
    fn target_values(&self, itself: VarId, to: &Place) -> Option<Vec<Option<Expr>>> {
        let class = self.points_to.class(itself);
        let from = self.reference(to.root).map(|r| r.itself);
        let like = from.filter(|f| self.points_to.same_class(itself, *f));
        if let Some(from) = like.filter(|_| to.is_whole() || class.windowed) {
            let integers = self.integers.get(&from)?;
            let mut values = integers.all().into_iter().map(Expr::Read).map(Some);
            let mut values: Vec<_> = values.by_ref().collect();
            if let (Some((lo, hi)), false) = (integers.window.clone(), to.is_whole()) {
                let steps = self.renamed_steps(&to.proj);
                let window = Some((Expr::Read(lo), Expr::Read(hi)));
                let (lo, hi) = narrow_window(window, &steps, to);
                let at = integers.window_start();
                values.splice(at.., [Some(lo), Some(hi)]);
            }
            return Some(values);
        }
        if from.is_some_and(|f| {
            !self.decided.contains_key(&f) && self.points_to.candidates(f).len() > 1
        }) {
            return None;
        }
        let in_copy = Place {
            proj: self.renamed_steps(&to.proj),
            ..to.clone()
        };
        let (plain, named) = (self.place(to, false), self.place(&in_copy, true));
        let func = &self.draft.func;
        let ((plain, _), (base, steps)) = match class.windowed {
            true => (strip_slices(&plain, func), strip_slices(&named, func)),
            false => ((plain, Vec::new()), (named, Vec::new())),
        };
        let at = self
            .points_to
            .find(itself, &self.points_to.skeleton(&plain).0)?;
        let mut values = Vec::new();
        if class.candidates.len() > 1 {
            values.push(Some(candidate_lit(at)));
        }
        let mut operands = self.points_to.skeleton(&base).1.into_iter();
        values.extend((0..slots(&class.candidates)).map(|_| operands.next()));
        if class.windowed {
            let (lo, hi) = narrow_window(None, &steps, &base);
            values.extend([Some(lo), Some(hi)]);
        }
        Some(values)
    }

    /// The steps with their operands renamed for the current copy.
    fn renamed_steps(&self, steps: &[Proj]) -> Vec<Proj> {
        let mut carrier = Place {
            root: VarId(0),
            proj: steps.to_vec(),
            ty: Ty::Unknown,
        };
        fn visit(e: &mut Expr, f: &dyn Fn(&Place) -> Place) {
            for child in e.children_mut() {
                visit(child, f);
            }
            for place in e.own_places_mut() {
                *place = f(place);
            }
        }
        for e in carrier.operands_mut() {
            visit(e, &|p| self.place(p, true));
        }
        carrier.proj
    }

    /// Swaps the integers of two references.
    pub(super) fn swap(&mut self, a: VarId, b: VarId, id: StmtId, out: &mut Vec<Stmt>) {
        let (Some(first), Some(second)) = (self.integers.get(&a), self.integers.get(&b)) else {
            return;
        };
        let pairs: Vec<(Place, Place)> = first.all().into_iter().zip(second.all()).collect();
        for (a, b) in pairs {
            self.push(id, StmtKind::Swap(a, b), out);
        }
    }
}

fn zero() -> Expr {
    Expr::Lit("0".into(), Ty::USIZE)
}

/// The bounds of a window after slice steps, relative to the base.
fn narrow_window(window: Option<(Expr, Expr)>, steps: &[Proj], base: &Place) -> (Expr, Expr) {
    let (mut lo, mut hi) = match window {
        Some((lo, hi)) => (lo, Some(hi)),
        None => (zero(), None),
    };
    for step in steps {
        match step {
            Proj::Range(from, to) => {
                hi = match to {
                    Some(to) => Some(sum(lo.clone(), (**to).clone())),
                    None => hi,
                };
                if let Some(from) = from {
                    lo = sum(lo, (**from).clone());
                }
            }
            Proj::Head(mid) => hi = Some(sum(lo.clone(), (**mid).clone())),
            Proj::Tail(mid) => lo = sum(lo, (**mid).clone()),
            _ => {}
        }
    }
    (lo, hi.unwrap_or_else(|| Expr::Len(base.clone())))
}
