//! `Vec`s of which nothing changes the length: no statement resizes them, lends them by `&mut` as a `Vec`, or assigns a value of
//! another length to the whole of them.
//!
//! The reverse sweep needs such a variable for two purposes, which the analyses distinguish: for its elements, and for
//! its length alone, where its adjoint is created, or a call gets it whose callee reads no element. For the second one
//! zeros do, as many as there were.
//!
//! **Assignments.** `u = next` keeps the length of `u` if both have one, and it is the same expression over *constants*: literals, lengths of
//! slices, integers that are declared in no loop and not written again, and the lengths of lists that are declared in no loop. What
//! the definitions of `u` and `next` say is written in terms of these. Each assignment is judged under the assumption that the others
//! keep lengths, which holds up to the first one that doesn't: there is none.

use std::collections::BTreeMap;

use super::sets::set::VarSet;
use crate::ir::{Expr, Func, Mode, Origin, Place, Proj, Stmt, StmtKind, Ty, VarId};

/// The local `Vec`s of reals with one length, and that as an expression over what their definitions read, if these say
/// it.
#[derive(Clone, Default, Debug)]
pub struct FixedLengths(BTreeMap<VarId, Option<Expr>>);

impl FixedLengths {
    /// Those of the function.
    pub fn of(func: &Func) -> FixedLengths {
        let mut found = BTreeMap::new();
        let mut resized = VarSet::default();
        let mut assigned: Vec<(VarId, &Expr)> = Vec::new();
        func.body.walk(&mut |s| {
            match &s.kind {
                StmtKind::Let(v, Some(e)) if is_list_of_reals(func, *v) => {
                    found.insert(*v, length_of(e, func));
                }
                StmtKind::Call(call) => {
                    let result = call.result.filter(|v| is_list_of_reals(func, *v));
                    found.extend(result.map(|v| (v, None)));
                }
                StmtKind::Assign(p, e) if p.is_whole() && !p.ty.keeps_shape() => {
                    return assigned.push((p.root, e));
                }
                _ => {}
            }
            let resizes = |p: &&&Place| !p.ty.keeps_shape();
            resized.extend(s.written().iter().filter(resizes).map(|p| p.root));
        });
        found.retain(|v, _| !resized.contains(*v));
        let mut lengths = FixedLengths(found);
        let constants = Constants::of(func);
        while let Some(v) = lengths.changed(&assigned, &constants) {
            lengths.0.remove(&v);
        }
        lengths
    }

    /// A variable to which a value of another length may be assigned.
    fn changed(&self, assigned: &[(VarId, &Expr)], constants: &Constants<'_>) -> Option<VarId> {
        let keeps = |(v, e): &(VarId, &Expr)| {
            let new = match e {
                Expr::Read(p) if p.is_whole() => constants.length(p.root, self),
                Expr::Repeat(_, count, _) => constants.value(count, self),
                _ => None,
            };
            new.is_some() && new == constants.length(*v, self)
        };
        let mut ours = assigned.iter().filter(|(v, _)| self.contains(*v));
        ours.find(|of| !keeps(of)).map(|(v, _)| *v)
    }

    /// Whether the variable has one length.
    pub fn contains(&self, v: VarId) -> bool {
        self.0.contains_key(&v)
    }

    /// The length, if the definition says it.
    pub fn length(&self, v: VarId) -> Option<&Expr> {
        self.0.get(&v)?.as_ref()
    }
}

/// Whether it is an own `Vec` whose elements are reals, or arrays or tuples of reals.
fn is_list_of_reals(func: &Func, v: VarId) -> bool {
    let var = func.var(v);
    let Ty::Vec(element) = &var.ty else {
        return false;
    };
    let is_local = !matches!(var.origin, Origin::Param | Origin::Ret) && var.mode == Mode::Owned;
    is_local && element.has_static_shape() && element.holds_only_reals()
}

/// The length of the value, unless it is a copy of something whose own length would have to be known.
fn length_of(e: &Expr, func: &Func) -> Option<Expr> {
    match e {
        Expr::Repeat(_, count, _) => Some((**count).clone()),
        Expr::Aggregate(parts, _) => Some(Expr::Lit(parts.len().to_string(), Ty::USIZE)),
        Expr::Read(p) => {
            let is_bounded = matches!(p.proj.last(), Some(Proj::Range(_, Some(_)) | Proj::Head(_)));
            let is_fixed = p.has_fixed_length(func) || is_list_of_reals(func, p.root);
            (is_bounded || p.is_whole() && is_fixed).then(|| Expr::Len(p.clone()))
        }
        _ => None,
    }
}

/// What has one value in all of the function.
struct Constants<'f> {
    func: &'f Func,
    written: VarSet,
    /// The variables that other values than those of elements are given to.
    replaced: VarSet,
    /// The variables that are declared in no loop and no branch.
    declared: VarSet,
    /// The definitions of integers.
    definitions: BTreeMap<VarId, &'f Expr>,
}

impl<'f> Constants<'f> {
    fn of(func: &'f Func) -> Constants<'f> {
        let mut constants = Constants {
            func,
            written: VarSet::default(),
            replaced: VarSet::default(),
            declared: func.body.stmts.iter().filter_map(Stmt::declared).collect(),
            definitions: BTreeMap::new(),
        };
        constants.declared.extend(func.params.iter().copied());
        func.body.walk(&mut |s| {
            let written = s.written();
            constants.written.extend(written.iter().map(|p| p.root));
            if !matches!(s.kind, StmtKind::Call(_)) {
                let whole = written.iter().filter(|p| p.is_whole());
                constants.replaced.extend(whole.map(|p| p.root));
            }
            if let StmtKind::Let(v, Some(e)) = &s.kind
                && matches!(func.var(*v).ty, Ty::Int(_))
                && constants.definitions.insert(*v, e).is_some()
            {
                constants.written.insert(*v);
            }
        });
        constants
    }

    /// The length of a list with one length, in terms of constants.
    fn length(&self, v: VarId, lengths: &FixedLengths) -> Option<Expr> {
        let own = || Expr::Len(self.func.place(v));
        let of_definition = lengths.0.get(&v)?.as_ref();
        let length = of_definition.and_then(|e| self.value(e, lengths));
        length.or_else(|| self.declared.contains(v).then(own))
    }

    /// The integer in terms of constants.
    fn value(&self, e: &Expr, lengths: &FixedLengths) -> Option<Expr> {
        let value = |e: &Expr| self.value(e, lengths);
        match e {
            Expr::Lit(..) => Some(e.clone()),
            Expr::Binary(op, a, b) => {
                Some(Expr::Binary(*op, Box::new(value(a)?), Box::new(value(b)?)))
            }
            Expr::Read(p) if p.is_whole() && !self.written.contains(p.root) => {
                let definition = self.definitions.get(&p.root);
                let of_definition = definition.and_then(|e| value(e));
                of_definition.or_else(|| self.declared.contains(p.root).then(|| e.clone()))
            }
            Expr::Len(p) if p.is_whole() => {
                let is_slice = matches!(self.func.var(p.root).ty, Ty::Slice(_));
                let is_one = is_slice && self.func.params.contains(&p.root);
                match is_one && !self.replaced.contains(p.root) {
                    true => Some(e.clone()),
                    false => self.length(p.root, lengths),
                }
            }
            _ => None,
        }
    }
}
