//! The steps of a cursor.

use crate::ir::{Expr, Place, Proj, Ty};
use crate::mir::draft::FieldTypes;
use crate::mir::references::points_to::blank;

/// The possible steps of a cursor. Each leads through a *hole*, an `Option` or `Vec` that can be emptied, and continues
/// from there in the same way.
pub(super) struct Steps {
    /// The paths from the cursor's referent to the hole, without indices.
    pub ways: Vec<Vec<Proj>>,
    /// The path from the hole to the next referent, without indices.
    pub rest: Vec<Proj>,
    /// The length of that path as lowering emits it, which may leave out a box.
    lowered_rest: usize,
    /// The type of the hole.
    pub element: Ty,
    /// Whether that type is visible.
    pub is_visible: bool,
}

/// A single step: its way, and the indices before and behind the hole.
pub(super) struct Step {
    pub way: usize,
    pub before: Vec<Expr>,
    pub behind: Vec<Expr>,
}

fn is_some(step: &Proj) -> bool {
    matches!(step, Proj::Variant(name, _) if name == "Some")
}

impl Steps {
    /// The steps to these places, for a cursor over values of a type.
    pub fn of<'a>(
        to: impl Iterator<Item = &'a Place>,
        ty: &Ty,
        fields: &FieldTypes<'_>,
    ) -> Option<Steps> {
        let to: Vec<&Place> = to.collect();
        if !to.iter().all(|p| p.proj.iter().all(is_invertible)) {
            return None;
        }
        let blank = |p: &&Place| p.proj.iter().map(without_operands).collect();
        let to: Vec<Vec<Proj>> = to.iter().map(blank).collect();
        let first = to.first()?;
        let written = first[hole_in(first, ty)?..].to_vec();
        let mut ways: Vec<Vec<Proj>> = Vec::new();
        for proj in &to {
            let (way, rest) = proj.split_at(hole_in(proj, ty)?);
            if rest != written || way.is_empty() {
                return None;
            }
            if !ways.iter().any(|w| w == way) {
                ways.push(way.to_vec());
            }
        }
        let hole = type_at(ty, ways.first()?, fields);
        let (rest, element) = hole_type(&written, ty, &hole)?;
        Some(Steps {
            ways,
            rest,
            lowered_rest: written.len(),
            element,
            is_visible: hole != Ty::Unknown,
        })
    }

    /// Whether there is more than one way: by several fields, or by indices.
    pub fn has_alternatives(&self) -> bool {
        self.ways.len() > 1 || self.indices_before() > 0 || self.indices_behind() > 0
    }

    /// The maximum number of indices on a way to the hole.
    pub fn indices_before(&self) -> usize {
        self.ways.iter().map(|w| indices(w)).max().unwrap_or(0)
    }

    /// The number of indices behind the hole.
    pub fn indices_behind(&self) -> usize {
        indices(&self.rest)
    }

    /// The step that leads to a place.
    pub fn step_to(&self, place: &Place) -> Option<Step> {
        let hole = place.proj.len().checked_sub(self.lowered_rest)?;
        let (before, behind) = place.proj.split_at(hole);
        let operands = |steps: &[Proj]| {
            let all = steps.iter().flat_map(Proj::operands);
            all.cloned().collect()
        };
        let goes = |way: &Vec<Proj>| way.len() == hole && is_prefix(way, before);
        Some(Step {
            way: self.ways.iter().position(goes)?,
            before: operands(before),
            behind: operands(behind),
        })
    }
}

/// Whether a step can be inverted given its index, which has to be immutable.
fn is_invertible(step: &Proj) -> bool {
    match step {
        Proj::Index(e) => match &**e {
            Expr::Lit(..) => true,
            Expr::Read(p) => p.is_whole(),
            _ => false,
        },
        step => step.operands().is_empty(),
    }
}

/// The number of steps to the hole. A cursor to an `Option` empties its next referent; any other empties the last
/// `Option` on the path, or the `Vec` that it indexes.
fn hole_in(proj: &[Proj], ty: &Ty) -> Option<usize> {
    match ty {
        Ty::Option(_) => Some(proj.len()),
        _ => proj
            .iter()
            .rposition(|step| is_some(step) || matches!(step, Proj::Index(_))),
    }
}

/// The step without its index.
fn without_operands(step: &Proj) -> Proj {
    let mut step = step.clone();
    step.operands_mut().into_iter().for_each(|e| *e = blank());
    step
}

fn indices(proj: &[Proj]) -> usize {
    proj.iter().map(|step| step.operands().len()).sum()
}

/// Whether a path without its indices is a prefix of another.
pub(super) fn is_prefix(way: &[Proj], to: &[Proj]) -> bool {
    let same = |(a, b): (&Proj, &Proj)| *a == without_operands(b);
    way.len() <= to.len() && way.iter().zip(to).all(same)
}

/// The path with these indices.
pub(super) fn with_indices(way: &[Proj], mut indices: impl Iterator<Item = Expr>) -> Vec<Proj> {
    let mut way = way.to_vec();
    for operand in way.iter_mut().flat_map(Proj::operands_mut) {
        if let Some(index) = indices.next() {
            *operand = index;
        }
    }
    way
}

/// The type of a part, if the fields on the path are visible.
fn type_at(ty: &Ty, way: &[Proj], fields: &FieldTypes<'_>) -> Ty {
    way.iter().fold(ty.clone(), |ty, step| match (&ty, step) {
        (Ty::Named(of), Proj::Field(name)) => fields(of, name).unwrap_or(Ty::Unknown),
        _ => ty.project(step),
    })
}

/// The path from a hole to the next referent, and the type of the hole. A recursive value is in a box or a `Vec` there,
/// even if the field's type is not visible.
fn hole_type(written: &[Proj], ty: &Ty, hole: &Ty) -> Option<(Vec<Proj>, Ty)> {
    let option = |ty: Ty| Ty::Option(Box::new(ty));
    let boxed = || Ty::Boxed(Box::new(ty.clone()));
    match (written, ty) {
        ([Proj::Index(_), boxes @ ..], _) => match (hole, boxes) {
            (Ty::Unknown, []) => Some((written.to_vec(), Ty::Vec(Box::new(ty.clone())))),
            (Ty::Vec(inner), []) if matches!((&**inner, ty), (Ty::Boxed(_), Ty::Named(_))) => {
                Some((vec![written[0].clone(), Proj::Deref], hole.clone()))
            }
            (Ty::Vec(_), [] | [Proj::Deref]) => Some((written.to_vec(), hole.clone())),
            _ => None,
        },
        _ if has_unknown(ty) => None,
        ([], Ty::Option(_)) => Some((Vec::new(), ty.clone())),
        ([some], Ty::Named(_)) => Some((vec![some.clone(), Proj::Deref], option(boxed()))),
        ([_, Proj::Deref], Ty::Named(_)) => Some((written.to_vec(), option(boxed()))),
        ([_], Ty::Boxed(_)) => Some((written.to_vec(), option(ty.clone()))),
        _ => None,
    }
}

/// Whether a part of the type is unknown.
pub(super) fn has_unknown(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Infer(_) => true,
        Ty::Option(t) | Ty::Boxed(t) | Ty::Vec(t) => has_unknown(t),
        _ => false,
    }
}

/// The hole through which a place is reached, if any.
pub(super) fn hole_of(place: &Place, steps: &Steps) -> Option<Place> {
    let at = place.proj.len().checked_sub(steps.rest.len())?;
    if steps.indices_behind() > 0 || place.proj[at..] != steps.rest[..] {
        return None;
    }
    Some(Place {
        root: place.root,
        proj: place.proj[..at].to_vec(),
        ty: steps.element.clone(),
    })
}
