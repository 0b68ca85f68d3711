//! Cursors: references that advance into their own referent, category C5 of `[PTR]` §2.1.
//!
//! A cursor in a list or tree has no finite list of candidate places, so it is rewritten to need none. Each node that
//! the cursor enters is taken out of the structure and pushed on a *spine*: a `Vec` of the nodes between the start and
//! the cursor, each with a hole where the next one was. The cursor becomes an index into the spine. A step is a push;
//! when the structure is used again, the nodes are popped and put back into their holes. Swaps, pushes and pops are all
//! there is, and the reverse sweep inverts each: nothing of the structure is copied or recorded, and the adjoint is
//! taken apart and put together along with it.
//!
//! ```text
//! cur = &mut head;                  let child = None; swap child, head;
//!                                   push spine, None; swap spine[0], child; at = 0;
//! cur = &mut cur@Some.0.*.next;     let child = None; swap child, spine[at]@Some.0.*.next;
//!                                   push spine, None; swap spine[at + 1], child; at = at + 1;
//! ```
//!
//! A shared cursor walks over a copy of its start, because it does not own the original.
//!
//! DIVERGENCE `[PTR]` §4: the address of a node is its depth, so no map has to translate addresses.

mod flow;
mod spine;
mod steps;

use std::collections::{BTreeMap, BTreeSet};

use super::references::Reference;
use super::references::dereference::{drop_let, replace_roots};
use super::references::points_to::ReferenceLinks;
use crate::ir::Origin;
use crate::ir::place::are_disjoint;
use crate::ir::{Block, Expr, Place, Proj, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::mir::draft::{Draft, FieldTypes};
use crate::refuse::Reason;
use steps::{Steps, has_unknown, hole_of};

/// A cursor, and the variables that replace it.
struct Cursor<'a> {
    draft: &'a mut Draft,
    /// The cursor and the copies of it, by their targets.
    by_target: BTreeMap<VarId, VarId>,
    /// The reference that moves.
    moving: VarId,
    /// Other references that are derived from these, and their targets.
    derived: BTreeSet<VarId>,
    mutable: bool,
    steps: Steps,
    /// The places where the walk starts, including all alternatives of a chosen one.
    starts: Vec<Place>,
    /// Whether the start nodes are on the spine, too.
    hoisted: bool,
    vars: SpineVars,
    /// The position of each reference: its index in the spine if all nodes are on it, else the number of nodes up to
    /// it.
    positions: BTreeMap<VarId, Place>,
    refused: bool,
}

/// The variables of a spine.
struct SpineVars {
    spine: Place,
    /// The way by which each node was reached, if there are several.
    ways: Option<Place>,
    /// The indices on the ways to the holes.
    before_holes: Vec<Place>,
    /// The indices behind the holes.
    behind_holes: Vec<Place>,
    /// A reference to the start of the walk.
    trunk: Option<Reference>,
}

impl Draft {
    /// Replaces each supported cursor by a spine; adds the references that this needs.
    pub(super) fn replace_cursors(
        &mut self,
        references: &mut Vec<Reference>,
        mut body: Block,
        fields: &FieldTypes<'_>,
    ) -> Block {
        let mut seen = BTreeSet::new();
        while let Some(class) = next_class(references, &body, &mut seen) {
            let links = ReferenceLinks::of(references, &body);
            let Some(mut cursor) = self.cursor_of(references, &links, &class, fields) else {
                continue;
            };
            body = cursor.rewrite_walk(&body);
            let nodes = cursor.nodes();
            references.extend(cursor.vars.trunk.take());
            if let Some(nodes) = nodes {
                for itself in &class {
                    drop_let(&mut body, *itself);
                }
                references.retain(|r| !nodes.contains_key(&r.target));
                replace_roots(&mut body, &nodes);
            }
        }
        body
    }

    /// The cursor of a class of references; `None` if its form is not supported.
    fn cursor_of<'a>(
        &'a mut self,
        references: &[Reference],
        links: &ReferenceLinks,
        class: &BTreeSet<VarId>,
        fields: &FieldTypes<'_>,
    ) -> Option<Cursor<'a>> {
        let own: Vec<&Reference> = references
            .iter()
            .filter(|r| class.contains(&r.itself))
            .collect();
        let mut moving = own.iter().filter(|r| r.rebindable);
        let (first, None) = (moving.next()?, moving.next()) else {
            return None;
        };
        let ty = self.func.var(first.target).ty.clone();
        let inside = |m: &&super::references::points_to::Move| {
            let from = links.source(m);
            from.is_some_and(|from| class.contains(&from))
        };
        let made = links.moves().iter().filter(|m| class.contains(&m.itself));
        let (within, outside): (Vec<_>, Vec<_>) = made.partition(inside);
        let steps = within.iter().filter(|m| links.is_step(m)).map(|m| &m.to);
        let steps = Steps::of(steps, &ty, fields)?;
        let derived = links.derived(class);
        let understood = within.iter().all(|m| m.to.is_whole() || links.is_step(m))
            && own.iter().all(|r| r.mutable == first.mutable)
            && !class.iter().any(|v| links.is_swapped(*v))
            && !(first.mutable && has_unknown(&steps.element))
            && (derived.is_empty() || (!steps.has_alternatives() && first.mutable));
        let starts: Vec<Place> = outside.iter().map(|m| m.to.clone()).collect();
        let starts = links.with_targets(starts);
        if !understood || starts.is_empty() {
            return None;
        }
        let mut from = outside.iter().map(|m| &m.to);
        let hoisted = !first.mutable || from.all(|p| hole_of(p, &steps).is_some());
        let itself_of = own.iter().map(|r| (r.target, r.itself)).collect();
        let (moving, mutable) = (first.itself, first.mutable);
        let made = references.iter().filter(|r| derived.contains(&r.itself));
        let derived = made.flat_map(|r| [r.itself, r.target]).collect();
        let names = self.spine_vars(first, &steps, hoisted);
        let at = own
            .iter()
            .map(|r| (r.itself, self.position_var(r)))
            .collect();
        Some(Cursor {
            draft: self,
            by_target: itself_of,
            moving,
            derived,
            mutable,
            steps,
            starts,
            hoisted,
            vars: names,
            positions: at,
            refused: false,
        })
    }

    fn spine_vars(&mut self, cursor: &Reference, steps: &Steps, hoisted: bool) -> SpineVars {
        let name = self.func.var(cursor.target).name.clone();
        let mut place = |what: &str, ty: Ty| {
            let v = self.new_var(&format!("{name}_{what}"), ty, Origin::Local);
            self.func.place(v)
        };
        let spine = place("spine", Ty::Vec(Box::new(steps.element.clone())));
        let mut integers = |what: &str| place(what, Ty::Vec(Box::new(Ty::USIZE)));
        let ways = (steps.ways.len() > 1).then(|| integers("ways"));
        let before = (0..steps.indices_before()).map(|_| integers("by"));
        let before = before.collect();
        let behind = (0..steps.indices_behind()).map(|_| integers("index"));
        let behind = behind.collect();
        let ty = match hoisted {
            true => steps.element.clone(),
            false => self.func.var(cursor.target).ty.clone(),
        };
        let trunk = cursor.mutable.then(|| Reference {
            itself: self.new_var(&format!("{name}_trunk_to"), ty.clone(), Origin::Local),
            target: self.new_var(&format!("{name}_trunk"), ty, Origin::Local),
            mutable: true,
            rebindable: true,
            span: cursor.span,
        });
        SpineVars {
            spine,
            ways,
            before_holes: before,
            behind_holes: behind,
            trunk,
        }
    }

    fn position_var(&mut self, reference: &Reference) -> Place {
        let name = self.func.var(reference.target).name.clone();
        let v = self.new_var(&format!("{name}_at"), Ty::USIZE, Origin::Local);
        self.func.place(v)
    }
}

/// The next class of references with a cursor that is not in `seen`. A class from which no other starts comes first: a
/// cursor that starts from another reads or borrows that one's referent.
fn next_class(
    references: &[Reference],
    body: &Block,
    seen: &mut BTreeSet<VarId>,
) -> Option<BTreeSet<VarId>> {
    let links = ReferenceLinks::of(references, body);
    let classes = links.cursors(references).into_iter();
    let classes = classes.map(|class| links.derived_within(class));
    let mut open: Vec<BTreeSet<VarId>> = classes
        .filter(|class| !class.is_empty() && class.is_disjoint(seen))
        .collect();
    let last = open
        .iter()
        .position(|class| links.derived(class).is_empty());
    let class = match open.is_empty() {
        true => return None,
        false => open.swap_remove(last.unwrap_or(0)),
    };
    seen.extend(&class);
    Some(class)
}

impl Cursor<'_> {
    /// The places of the references' nodes, if all nodes are on the spine: then the index alone is the reference.
    fn nodes(&self) -> Option<BTreeMap<VarId, Place>> {
        let node = |(target, itself): (&VarId, &VarId)| {
            let ty = self.draft.func.var(*target).ty.clone();
            let at = Expr::Read(self.positions[itself].clone());
            (*target, self.referent(at, ty))
        };
        self.hoisted
            .then(|| self.by_target.iter().map(node).collect())
    }

    fn is_own(&self, v: VarId) -> bool {
        self.positions.contains_key(&v)
    }

    /// The reference whose target is the root of a place.
    fn reference_to(&self, place: &Place) -> Option<VarId> {
        self.by_target.get(&place.root).copied()
    }

    /// Whether the place may overlap a start of the walk.
    fn may_be_start(&self, place: &Place) -> bool {
        let overlaps =
            |start: &Place| start.root == place.root && !parts_are_disjoint(start, place);
        self.mutable && self.starts.iter().any(overlaps)
    }

    /// Whether the statement names the cursor or a reference derived from it.
    fn mentions(&self, stmt: &Stmt) -> bool {
        let mut found = false;
        let own = |v: VarId| {
            self.is_own(v) || self.by_target.contains_key(&v) || self.derived.contains(&v)
        };
        let mut here = |s: &Stmt| {
            found |= s.declared().is_some_and(own);
            found |= places(s).iter().any(|p| own(p.root));
        };
        here(stmt);
        for inner in stmt.blocks() {
            inner.walk(&mut here);
        }
        found
    }

    /// Rewrites the block that declares the cursor.
    fn rewrite_walk(&mut self, block: &Block) -> Block {
        let at = block
            .stmts
            .iter()
            .position(|s| s.declared() == Some(self.moving));
        let Some(at) = at else {
            let mut block = block.clone();
            for stmt in &mut block.stmts {
                for inner in stmt.blocks_mut() {
                    *inner = self.rewrite_walk(inner);
                }
            }
            return block;
        };
        let (before, rest) = block.stmts.split_at(at);
        let uses = rest.iter().rposition(|s| self.mentions(s)).unwrap_or(0) + 1;
        let (walk, after) = rest.split_at(uses);
        let mut out = before.to_vec();
        let id = walk[0].id;
        self.declare_spine(id, &mut out);
        let mut state = Some(flow::Positions::default());
        let walk = self.rewrite(&Block::new(walk.to_vec()), &mut state);
        out.extend(walk.stmts);
        if self.mutable {
            let id = out.last().map_or(id, |s| s.id);
            self.restore_at_exits(&mut out, id);
        }
        out.extend(after.iter().cloned());
        Block::new(out)
    }

    /// Puts the structure back together at the end of the block, and before each `break` there.
    fn restore_at_exits(&mut self, block: &mut Vec<Stmt>, id: StmtId) {
        match block.last_mut().map(|s| &mut s.kind) {
            Some(StmtKind::Break) => {
                let leave = block.pop();
                self.restore_all(id, block);
                block.extend(leave);
            }
            Some(StmtKind::If(_, then, els)) if flow::may_break(then) || flow::may_break(els) => {
                self.restore_at_exits(&mut then.stmts, id);
                self.restore_at_exits(&mut els.stmts, id);
            }
            _ => self.restore_all(id, block),
        }
    }

    fn push(&mut self, of: StmtId, kind: StmtKind, out: &mut Vec<Stmt>) {
        let span = self.draft.spans[of.index()];
        let id = self.draft.stmt_id(span);
        out.push(Stmt { id, kind });
    }

    /// Refuses the walk, once.
    fn refuse(&mut self, stmt: StmtId) {
        if !std::mem::replace(&mut self.refused, true) {
            let span = self.draft.spans[stmt.index()];
            self.draft.refusals.push(span, Reason::Cursor);
        }
    }
}

/// All places that a statement itself names, in its expressions too.
fn places(stmt: &Stmt) -> Vec<&Place> {
    let mut all = stmt.own_places();
    stmt.walk_exprs(&mut |e| all.extend(e.own_places()));
    all
}

/// The places that a statement reads only for their variant.
fn tag_reads(stmt: &Stmt) -> Vec<&Place> {
    let mut all = Vec::new();
    stmt.walk_exprs(&mut |e| {
        if let Expr::Is(place, _) = e {
            all.push(place);
        }
    });
    all
}

/// Whether two places of one variable are disjoint, also by the fields of a variant.
fn parts_are_disjoint(a: &Place, b: &Place) -> bool {
    let parts = a.proj.iter().zip(&b.proj).find(|(x, y)| x != y);
    let fields = matches!(parts, Some((Proj::Variant(a, _), Proj::Variant(b, _))) if a == b);
    fields || are_disjoint(a, b)
}
