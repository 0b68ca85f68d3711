//! Loops that overwrite a whole array.

use std::collections::BTreeMap;

use crate::ir::{Block, Expr, Func, LoopHead, Place, Proj, Rev, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::sets::set::VarSet;

/// An array that a loop overwrites.
#[derive(Clone, Copy, Debug)]
pub struct OverwrittenArray {
    /// The array.
    pub array: VarId,
    /// The statement of the loop's body that sets an element.
    pub setter: StmtId,
}

/// The arrays whose every element the loop sets before reading it, so that nothing in or after the loop reads their
/// values from before it.
pub fn overwritten(
    head: &LoopHead,
    body: &Block,
    func: &Func,
    definitions: &Definitions,
) -> Vec<OverwrittenArray> {
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
        if !is_element(place, *index)
            || !definitions.is_length(&range.hi, place, func)
            || func.body.may_resize(place.root)
        {
            continue;
        }
        let records = |s: &Stmt| matches!(&s.kind, StmtKind::Record(_, p) if p == place);
        let mut before = body.stmts[..at].iter().filter(|s| !records(s));
        let untouched = before.all(|s| !mentions(s, place.root));
        let own = |s: &Stmt| touches_only(s, place);
        if untouched && !reads(e, place.root) && body.stmts[at + 1..].iter().all(own) {
            found.push(OverwrittenArray {
                array: place.root,
                setter: stmt.id,
            });
        }
    }
    found
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
pub struct Definitions(BTreeMap<VarId, Expr>);

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
        Definitions(found)
    }

    /// Whether the bound is the length of the array.
    fn is_length(&self, bound: &Expr, element: &Place, func: &Func) -> bool {
        let var = func.var(element.root);
        match bound {
            Expr::Len(p) => p.is_whole() && p.root == element.root,
            Expr::Lit(n, _) => matches!(&var.ty, Ty::Array(_, extent) if extent == n),
            Expr::Read(n) if n.is_whole() => {
                let fixed = matches!(var.ty, Ty::Slice(_) | Ty::Array(..));
                let definition = self.0.get(&n.root).filter(|_| fixed);
                definition.is_some_and(|e| self.is_length(e, element, func))
            }
            _ => false,
        }
    }
}

fn reads(e: &Expr, v: VarId) -> bool {
    e.reads().contains(&v)
}

/// Whether the statement, inner blocks included, names the variable.
fn mentions(stmt: &Stmt, v: VarId) -> bool {
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
