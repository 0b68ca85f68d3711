//! Loops that set the elements of an array one after another: all of them, or those before a bound.

use std::collections::BTreeMap;

use crate::ir::{Block, Expr, Func, LoopHead, Place, Proj, Rev, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::fixed_lengths::FixedLengths;
use crate::passes::sets::set::VarSet;

/// An array whose elements before a bound a loop sets, each before it reads it. So nothing in or after the loop reads
/// their values from before it.
#[derive(Clone, Debug)]
pub struct SetElements {
    /// The array.
    pub array: VarId,
    /// The statement of the loop's body that sets an element.
    pub setter: StmtId,
    /// The bound.
    pub bound: Expr,
    /// Whether these are all elements.
    pub all: bool,
}

/// The arrays whose every element the loop sets.
pub fn overwritten(
    head: &LoopHead,
    body: &Block,
    func: &Func,
    definitions: &Definitions,
) -> Vec<SetElements> {
    let mut found = set_elements(head, body, func, definitions);
    found.retain(|set| set.all);
    found
}

/// The arrays of which the loop sets elements.
pub fn set_elements(
    head: &LoopHead,
    body: &Block,
    func: &Func,
    definitions: &Definitions,
) -> Vec<SetElements> {
    let LoopHead::Counted(index, range) = head else {
        return Vec::new();
    };
    let full = is_zero(&range.lo) && range.step.is_none() && !range.inclusive;
    if !full || !matches!(range.rev, Rev::No | Rev::BeforeStep) || leaves(body) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, stmt) in body.stmts.iter().enumerate() {
        let StmtKind::Assign(place, e) = &stmt.kind else {
            continue;
        };
        // An array that grows may have more elements after the loop than the loop visited.
        let all = definitions.is_length(&range.hi, place, func);
        if !is_element(place, *index)
            || !(all || definitions.is_constant(&range.hi))
            || func.body.may_resize(place.root)
        {
            continue;
        }
        let records = |s: &Stmt| matches!(&s.kind, StmtKind::Record(_, p) if p == place);
        let mut before = body.stmts[..at].iter().filter(|s| !records(s));
        let untouched = before.all(|s| !mentions(s, place.root));
        let own = |s: &Stmt| touches_only(s, place);
        if untouched && !reads(e, place.root) && body.stmts[at + 1..].iter().all(own) {
            found.push(SetElements {
                array: place.root,
                setter: stmt.id,
                bound: range.hi.clone(),
                all,
            });
        }
    }
    found
}

/// Whether the statement writes no element of the array but those before the bound.
pub fn writes_only_before(stmt: &Stmt, set: &SetElements, definitions: &Definitions) -> bool {
    let mut indices = VarSet::default();
    let mut only = true;
    Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
        if let StmtKind::Loop(LoopHead::Counted(v, range), _) = &s.kind
            && !range.inclusive
            && definitions.are_equal(&range.hi, &set.bound)
        {
            indices.insert(*v);
        }
        let written = s.written().into_iter();
        let declared = s.declared() == Some(set.array);
        let mut outside = written.filter(|p| p.root == set.array && !is_at_one(p, &indices));
        only &= !declared && outside.next().is_none();
    });
    only
}

/// `a[i]..`, for one of these indices.
fn is_at_one(place: &Place, indices: &VarSet) -> bool {
    matches!(place.proj.first(), Some(Proj::Index(i))
        if matches!(&**i, Expr::Read(p) if p.is_whole() && indices.contains(p.root)))
}

fn is_zero(e: &Expr) -> bool {
    matches!(e, Expr::Lit(text, _) if text == "0")
}

fn leaves(block: &Block) -> bool {
    let mut found = false;
    block.walk(&mut |s| found |= matches!(s.kind, StmtKind::Break));
    found
}

/// `a[i]`, of a variable that can't change its length.
fn is_element(place: &Place, index: VarId) -> bool {
    matches!(&place.proj[..], [Proj::Index(i)]
        if matches!(&**i, Expr::Read(p) if p.is_whole() && p.root == index))
}

/// The values of variables that are set once.
pub struct Definitions {
    values: BTreeMap<VarId, Expr>,
    written: VarSet,
    fixed: FixedLengths,
    slices: VarSet,
}

impl Definitions {
    /// The definitions that may be lengths.
    pub fn of(func: &Func) -> Definitions {
        let (mut found, mut written) = (BTreeMap::new(), VarSet::default());
        func.body.walk(&mut |s| {
            written.extend(s.written().iter().map(|p| p.root));
            if let StmtKind::Let(v, Some(e @ (Expr::Len(_) | Expr::Lit(..) | Expr::Read(_)))) =
                &s.kind
            {
                found.insert(*v, e.clone());
            }
        });
        found.retain(|v, _| !written.contains(*v));
        Definitions {
            values: found,
            written,
            fixed: FixedLengths::of(func),
            slices: func
                .params
                .iter()
                .copied()
                .filter(|v| matches!(func.var(*v).ty, Ty::Slice(_)))
                .collect(),
        }
    }

    /// Whether the bound is the length of the array.
    fn is_length(&self, bound: &Expr, element: &Place, func: &Func) -> bool {
        let var = func.var(element.root);
        match bound {
            Expr::Len(p) => p.is_whole() && p.root == element.root,
            Expr::Lit(n, _) => matches!(&var.ty, Ty::Array(_, extent) if extent == n),
            Expr::Read(n) if n.is_whole() => {
                let fixed = matches!(var.ty, Ty::Slice(_) | Ty::Array(..));
                let definition = self.values.get(&n.root).filter(|_| fixed);
                definition.is_some_and(|e| self.is_length(e, element, func))
                    || self.is_defined_length(bound, element.root)
            }
            _ => false,
        }
    }

    /// Whether the array was made with this many elements.
    pub fn is_defined_length(&self, bound: &Expr, array: VarId) -> bool {
        let length = self.fixed.length(array);
        length.is_some_and(|length| self.are_equal(length, bound))
    }

    /// Whether the two have the same value, wherever they are evaluated.
    fn are_equal(&self, a: &Expr, b: &Expr) -> bool {
        self.is_constant(a) && *self.resolved(a) == *self.resolved(b)
    }

    /// Whether the expression is a literal, a length or a variable that never changes.
    fn is_constant(&self, e: &Expr) -> bool {
        match self.resolved(e) {
            Expr::Lit(..) => true,
            Expr::Read(p) => p.is_whole() && !self.written.contains(p.root),
            Expr::Len(p) => self.has_one_length(p),
            _ => false,
        }
    }

    /// Whether the array at a place never changes its length.
    pub fn has_one_length(&self, place: &Place) -> bool {
        let known = self.fixed.contains(place.root) || self.slices.contains(place.root);
        place.is_whole() && known
    }

    /// The definition that the expression leads to, unless that reads what has changed since, perhaps.
    pub fn same_value<'e>(&'e self, e: &'e Expr) -> &'e Expr {
        match self.resolved(e) {
            Expr::Read(p) if self.written.contains(p.root) => e,
            definition => definition,
        }
    }

    /// The definition that the expression, if it is a variable, leads to.
    fn resolved<'e>(&'e self, e: &'e Expr) -> &'e Expr {
        match e {
            Expr::Read(p) if p.is_whole() => match self.values.get(&p.root) {
                Some(definition @ (Expr::Read(_) | Expr::Lit(..))) => self.resolved(definition),
                Some(length @ Expr::Len(p)) if self.has_one_length(p) => length,
                _ => e,
            },
            e => e,
        }
    }
}

fn reads(e: &Expr, v: VarId) -> bool {
    e.reads().contains(&v)
}

/// Whether the statement does nothing with the array but assign to its elements, or add to them.
pub fn only_assigns(stmt: &Stmt, array: VarId) -> bool {
    let mut only = true;
    Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
        let target = match &s.kind {
            StmtKind::Assign(p, _) | StmtKind::Incr(p, _) => usize::from(p.root == array),
            _ => 0,
        };
        let mut named = 0;
        s.each_named_var(&mut |v| named += usize::from(v == array));
        only &= named == target;
    });
    only
}

/// Whether the statement, inner blocks included, names the variable, other than for its length.
pub fn mentions(stmt: &Stmt, v: VarId) -> bool {
    let mut found = false;
    each_place(stmt, &mut |p| found |= p.root == v);
    found
}

/// Whether the statement names no other part of the variable than the element.
fn touches_only(stmt: &Stmt, element: &Place) -> bool {
    let mut only = true;
    each_place(stmt, &mut |p| {
        only &= p.root != element.root || p.proj.starts_with(&element.proj);
    });
    only
}

/// Calls `f` on each place that the statement, inner blocks included, reads or writes.
fn each_place(stmt: &Stmt, f: &mut dyn FnMut(&Place)) {
    let mut here = |s: &Stmt| {
        s.own_places().into_iter().for_each(&mut *f);
        s.walk_exprs(&mut |e| match e {
            Expr::Len(_) => {}
            e => e.own_places().iter().for_each(&mut *f),
        });
    };
    here(stmt);
    for block in stmt.blocks() {
        block.walk(&mut |s| here(s));
    }
}
