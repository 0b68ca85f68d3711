//! The ways in which a cursor moves on.

use crate::ir::{Place, Proj, Ty};

/// The steps of a cursor. Each leads through a *hole*, an `Option` that can be emptied, and from there
/// on in the same way.
pub(super) struct Steps {
    /// The ways from what the cursor points to, to the hole.
    pub ways: Vec<Vec<Proj>>,
    /// The way from the hole to what the cursor points to next.
    pub rest: Vec<Proj>,
    /// How lowering writes this way: a box may be left out.
    written_rest: usize,
    /// The type of the hole.
    pub element: Ty,
}

fn is_some(step: &Proj) -> bool {
    matches!(step, Proj::Variant(name, _) if name == "Some")
}

impl Steps {
    /// Those that lead to these places, for a cursor to values of a type.
    pub fn of<'a>(to: impl Iterator<Item = &'a Place>, ty: &Ty) -> Option<Steps> {
        let to: Vec<&Place> = to.collect();
        let named = |p: &&Place| p.proj.iter().all(|step| step.operands().is_empty());
        if !to.iter().all(named) || has_unknown(ty) {
            return None;
        }
        // A cursor to an `Option` empties what it moves to; any other, the last `Option` on the way.
        let split = |p: &Place| match ty {
            Ty::Option(_) => Some(p.proj.len()),
            _ => p.proj.iter().rposition(is_some),
        };
        let first = to.first()?;
        let written = first.proj[split(first)?..].to_vec();
        let mut ways: Vec<Vec<Proj>> = Vec::new();
        for place in to {
            let (way, rest) = place.proj.split_at(split(place)?);
            if rest != written || way.is_empty() {
                return None;
            }
            if !ways.iter().any(|w| w == way) {
                ways.push(way.to_vec());
            }
        }
        let (rest, element) = completed(&written, ty)?;
        Some(Steps {
            ways,
            rest,
            written_rest: written.len(),
            element,
        })
    }

    /// Whether there is more than one way.
    pub fn several(&self) -> bool {
        self.ways.len() > 1
    }

    /// The way that leads to a place.
    pub fn way_to(&self, place: &Place) -> Option<usize> {
        let hole = place.proj.len().checked_sub(self.written_rest)?;
        self.ways.iter().position(|way| *way == place.proj[..hole])
    }
}

/// The way from a hole on, and the type of the hole. A value that contains itself is in a box there,
/// also where the field's type is not visible.
fn completed(written: &[Proj], ty: &Ty) -> Option<(Vec<Proj>, Ty)> {
    let option = |ty: Ty| Ty::Option(Box::new(ty));
    match (written, ty) {
        ([], Ty::Option(_)) => Some((Vec::new(), ty.clone())),
        ([some], Ty::Named(_)) => {
            let boxed = Ty::Boxed(Box::new(ty.clone()));
            Some((vec![some.clone(), Proj::Deref], option(boxed)))
        }
        ([_, Proj::Deref], Ty::Named(_)) => {
            let boxed = Ty::Boxed(Box::new(ty.clone()));
            Some((written.to_vec(), option(boxed)))
        }
        ([_], Ty::Boxed(_)) => Some((written.to_vec(), option(ty.clone()))),
        _ => None,
    }
}

/// Whether a part of the type is not known.
fn has_unknown(ty: &Ty) -> bool {
    match ty {
        Ty::Unknown | Ty::Infer(_) => true,
        Ty::Option(t) | Ty::Boxed(t) => has_unknown(t),
        _ => false,
    }
}

/// The hole through which a place is reached that has one.
pub(super) fn hole_of(place: &Place, steps: &Steps) -> Option<Place> {
    let at = place.proj.len().checked_sub(steps.rest.len())?;
    if place.proj[at..] != steps.rest[..] {
        return None;
    }
    Some(Place {
        root: place.root,
        proj: place.proj[..at].to_vec(),
        ty: steps.element.clone(),
    })
}
