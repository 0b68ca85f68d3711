//! The elements of a part that follow one another in memory.
//!
//! For these, generated code takes a slice of exactly as many elements as the loop has iterations, before the loop: then
//! no access needs a check of its bounds, and the loop can be vectorised. An access that is not made in each iteration
//! has no view, since its place may not exist.

use super::body::Body;
use super::subscripts::{Element, Subscripts};
use crate::ir::{Block, Expr, Func, Place, Proj, Stmt, StmtKind, Ty, VarId};

/// A run of elements.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The element of the current iteration.
    pub element: Place,
    /// Its index, in terms of the loop's index and of what is defined outside of the loop.
    pub index: Expr,
    /// Whether the part writes it.
    pub is_written: bool,
}

impl View {
    /// What holds the elements.
    pub fn sequence(&self, func: &Func) -> Place {
        let mut place = self.element.clone();
        place.proj.pop();
        Place {
            ty: place.known_ty(func),
            ..place
        }
    }
}

/// Whether all elements that change with the iterations follow one another in memory.
pub fn are_consecutive(body: &Body<'_>) -> bool {
    let mut any = false;
    let mut all = true;
    for n in 0..body.units.len() {
        let places = body.reads(n).into_iter().chain(body.target(n));
        for place in places.filter(|p| !body.subscripts.is_fixed(p)) {
            let element = body.subscripts.element(place);
            let consecutive = element.is_some_and(|e| e.change == 1);
            any |= consecutive;
            all &= consecutive || !place.proj.iter().any(|s| matches!(s, Proj::Index(_)));
        }
    }
    any && all
}

/// The views of a part of a loop with this index.
pub fn views(part: &Block, index: VarId, func: &Func) -> Vec<View> {
    let subscripts = Subscripts::of(part, index);
    let mut found: Vec<View> = Vec::new();
    let mut others: Vec<Place> = Vec::new();
    part.walk(&mut |s| {
        for place in s.written() {
            add(place, true, &subscripts, func, &mut found, &mut others);
        }
    });
    for stmt in &part.stmts {
        unconditional(stmt, &mut |p| {
            add(p, false, &subscripts, func, &mut found, &mut others);
        });
    }
    part.walk(&mut |s| {
        s.walk_exprs(&mut |e| {
            others.extend(e.own_places().iter().cloned());
        });
    });
    let clashes = |view: &View| {
        let mut same_root = found.iter().filter(|w| w.element.root == view.element.root);
        let written = same_root.clone().any(|w| w.is_written);
        let outside = |p: &&Place| {
            p.root == view.element.root && !found.iter().any(|w| p.is_within(&w.element))
        };
        written && (same_root.any(|w| w != view) || others.iter().any(|p| outside(&p)))
    };
    let clashing: Vec<bool> = found.iter().map(clashes).collect();
    let mut clashing = clashing.into_iter();
    found.retain(|_| clashing.next() == Some(false));
    found
}

fn add(
    place: &Place,
    is_written: bool,
    subscripts: &Subscripts<'_>,
    func: &Func,
    found: &mut Vec<View>,
    others: &mut Vec<Place>,
) {
    others.push(place.clone());
    let Some(Element { at, change: 1 }) = subscripts.element(place) else {
        return;
    };
    let element = Place {
        root: place.root,
        proj: place.proj[..=at].to_vec(),
        ty: Ty::Unknown,
    };
    let Proj::Index(at) = &element.proj[at] else {
        return;
    };
    let view = View {
        index: subscripts.resolved(at),
        element,
        is_written,
    };
    let is_slice = matches!(
        view.sequence(func).ty,
        Ty::Vec(_) | Ty::Slice(_) | Ty::Array(..)
    );
    if is_slice && !found.iter().any(|v| v.element == view.element) {
        found.push(view);
    }
}

/// Calls `f` on the places that the statement reads whenever its block is run.
fn unconditional(stmt: &Stmt, f: &mut dyn FnMut(&Place)) {
    if let StmtKind::When(_, inner) = &stmt.kind {
        return inner.stmts.iter().for_each(|s| unconditional(s, f));
    }
    stmt.each_operand(&mut |e| e.walk(&mut |e| e.own_places().iter().for_each(&mut *f)));
}
