//! The elements of a part that follow one another in memory.
//!
//! For these, generated code takes a slice of exactly as many elements as the loop has iterations, before the loop: then
//! no access needs a check of its bounds, and the loop can be vectorised. An access that is not made in each iteration
//! has no view, since its place may not exist.

use super::body::Body;
use super::separations::separation;
use super::subscripts::{Element, Subscripts};
use crate::ir::place::are_disjoint;
use crate::ir::{BinOp, Block, Demand, Expr, Func, Place, Proj, Separation, StmtKind, Ty, VarId};
use crate::plan::Plan;

/// A run of elements.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    /// The element of the current iteration.
    pub element: Place,
    /// Its index, in terms of the loop's index and of what is defined outside of the loop.
    pub index: Expr,
    /// Whether the part writes it.
    pub is_written: bool,
    /// The guards in the part under which it is accessed: for other callers it may not exist.
    pub guards: Vec<Demand>,
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

/// Whether elements that change with the iterations follow one another in memory, and others lie at equal distances. One index
/// of a place changes.
pub fn are_regular(body: &Body<'_>) -> bool {
    let mut are_consecutive = false;
    for n in 0..body.units.len() {
        let places = body.reads(n).into_iter().chain(body.target(n));
        for place in places.filter(|p| !body.subscripts.is_fixed(p)) {
            let element = body.subscripts.element(place);
            are_consecutive |= element.is_some_and(|e| e.change == 1);
            let operands = place.operands().into_iter();
            let changing: Vec<&Expr> = operands
                .filter(|e| !body.subscripts.is_invariant(e))
                .collect();
            let is_linear = matches!(changing[..], [e] if body.subscripts.is_linear(e));
            if !is_linear && place.proj.iter().any(|s| matches!(s, Proj::Index(_))) {
                return false;
            }
        }
    }
    are_consecutive
}

/// The views of a part of a loop with this index from `lo` on. Some demands are implied by the guards around the loop.
pub fn views(
    (part, takes): (&Block, &[VarId]),
    (index, lo): (VarId, &Expr),
    separations: &[Separation],
    plan: &Plan,
    is_implied: &dyn Fn(Demand) -> bool,
) -> Vec<View> {
    let mut search = Search {
        subscripts: Subscripts::of_part(part, takes, index),
        lo,
        separations,
        plan,
        is_implied,
        found: Vec::new(),
        conditional: Vec::new(),
        others: Vec::new(),
        dropped: Vec::new(),
    };
    search.block(part, &[], true);
    search.place_conditional();
    let kept: Vec<bool> = search.found.iter().map(|v| !search.clashes(v)).collect();
    let views = search.found.into_iter().zip(kept);
    views
        .filter(|(_, is_kept)| *is_kept)
        .map(|(v, _)| v)
        .collect()
}

struct Search<'p> {
    subscripts: Subscripts<'p>,
    lo: &'p Expr,
    separations: &'p [Separation],
    plan: &'p Plan,
    is_implied: &'p dyn Fn(Demand) -> bool,
    found: Vec<View>,
    /// The elements of accesses that a branch may leave out.
    conditional: Vec<View>,
    /// The places that are accessed otherwise, or not in each iteration, and whether they are written.
    others: Vec<(Place, bool)>,
    /// The elements that are accessed under different guards.
    dropped: Vec<Place>,
}

impl<'p> Search<'p> {
    /// The accesses of a block under these guards; a branch may not run it.
    fn block(&mut self, block: &'p Block, guards: &[Demand], is_run: bool) {
        for stmt in &block.stmts {
            let mut guards = guards.to_vec();
            let is_open = |d: &&Demand| !(self.is_implied)(**d);
            if let StmtKind::Let(v, Some(_)) = &stmt.kind {
                guards.extend(self.plan.var_demands.get(v).filter(is_open));
            }
            stmt.each_operand(&mut |e| {
                each_read(e, is_run, &mut |p, is_run| {
                    self.access(p, false, &guards, is_run)
                });
            });
            for place in stmt.written() {
                self.access(place, true, &guards, is_run);
            }
            match &stmt.kind {
                StmtKind::When(demand, inner) => {
                    guards.extend(Some(demand).filter(is_open));
                    self.block(inner, &guards, is_run);
                }
                _ => stmt.each_block(&mut |inner| self.block(inner, &guards, false)),
            }
        }
    }

    fn access(&mut self, place: &'p Place, is_written: bool, guards: &[Demand], is_run: bool) {
        match self.view(place, is_written, guards) {
            None => self.others.push((place.clone(), is_written)),
            Some(view) if is_run => self.add(view),
            Some(view) => self.conditional.push(view),
        }
    }

    /// Takes in an access that is made in each iteration.
    fn add(&mut self, view: View) {
        let Some(known) = self.found.iter_mut().find(|v| v.element == view.element) else {
            return self.found.push(view);
        };
        known.is_written |= view.is_written;
        match () {
            () if known.guards.starts_with(&view.guards) => known.guards = view.guards,
            () if view.guards.starts_with(&known.guards) => {}
            () => self.dropped.push(view.element),
        }
    }

    /// An access in a branch goes through the view of its element, if there is one, and makes none.
    fn place_conditional(&mut self) {
        for view in std::mem::take(&mut self.conditional) {
            match self.found.iter_mut().find(|v| v.element == view.element) {
                Some(known) if view.guards.starts_with(&known.guards) => {
                    known.is_written |= view.is_written;
                }
                Some(_) => self.dropped.push(view.element),
                None => self.others.push((view.element, view.is_written)),
            }
        }
    }

    fn view(&self, place: &Place, is_written: bool, guards: &[Demand]) -> Option<View> {
        let Element { at, change: 1 } = self.subscripts.element(place)? else {
            return None;
        };
        let element = Place {
            root: place.root,
            proj: place.proj[..=at].to_vec(),
            ty: Ty::Unknown,
        };
        let Proj::Index(index) = &element.proj[at] else {
            return None;
        };
        let view = View {
            index: self.subscripts.resolved(index),
            element,
            is_written,
            guards: guards.to_vec(),
        };
        let sequence = view.sequence(&self.plan.func);
        let is_slice = matches!(sequence.ty, Ty::Vec(_) | Ty::Slice(_) | Ty::Array(..));
        (is_slice && sequence.proj.iter().all(is_plain)).then_some(view)
    }

    /// Whether the elements are disjoint in all iterations, given what is tested in front of the loop.
    fn are_disjoint(&self, a: &Place, b: &Place) -> bool {
        let separation = || separation(a, b, &self.subscripts, self.lo);
        are_disjoint(a, b)
            || separation().is_some_and(|of| self.separations.iter().any(|s| s.is_same(&of)))
    }

    /// Whether the view can't be held beside the other accesses of its variable.
    fn clashes(&self, view: &View) -> bool {
        let root = view.element.root;
        let of_root = || self.found.iter().filter(|w| w.element.root == root);
        let apart = |w: &View| {
            let mut others = of_root().filter(|v| v.element != w.element);
            others.all(|v| self.are_disjoint(&v.element, &w.element))
        };
        let is_viewed = |p: &Place| of_root().any(|w| p.is_within(&w.element));
        let is_shared = || of_root().any(|w| !w.guards.is_empty()) && of_root().count() > 1;
        let others = || self.others.iter().filter(|(p, _)| p.root == root);
        let is_written = of_root().any(|w| w.is_written) || others().any(|(_, written)| *written);
        let all_viewed = || others().all(|(p, _)| is_viewed(p));
        self.dropped.contains(&view.element)
            || is_written && (!of_root().all(apart) || is_shared() || !all_viewed())
    }
}

/// Whether the step leads to a part that can be borrowed as a slice: what iterators of unknown types yield can't.
fn is_plain(step: &Proj) -> bool {
    match step {
        Proj::Field(_) | Proj::Index(_) | Proj::Range(..) | Proj::Head(_) | Proj::Tail(_) => true,
        Proj::Deref => true,
        Proj::Chunk(..) | Proj::Single | Proj::Items | Proj::Variant(..) => false,
    }
}

/// Calls `f` on the places that the expression reads, and on whether they are read whenever it is evaluated.
fn each_read<'e>(e: &'e Expr, is_run: bool, f: &mut dyn FnMut(&'e Place, bool)) {
    e.own_places().iter().for_each(|p| f(p, is_run));
    let mut is_first = true;
    let is_lazy = matches!(
        e,
        Expr::Select(..) | Expr::Binary(BinOp::And | BinOp::Or, ..)
    );
    e.each_child(&mut |child| {
        each_read(child, is_run && (is_first || !is_lazy), f);
        is_first = false;
    });
}
