//! `Vec`s of which nothing changes the length: no statement resizes them, assigns to the whole of them, or lends them by
//! `&mut` as a `Vec`.
//!
//! The reverse sweep needs such a variable for two purposes, which the analyses distinguish: for its elements, and for
//! its length alone, where its adjoint is created, or a call gets it whose callee reads no element. For the second one
//! zeros do, as many as there were.

use std::collections::BTreeMap;

use super::sets::set::VarSet;
use crate::ir::{Expr, Func, Mode, Origin, Place, Proj, StmtKind, Ty, VarId};

/// The local `Vec`s of reals with one length, and that as an expression over what their definitions read, if these say
/// it.
#[derive(Clone, Default, Debug)]
pub struct FixedLengths(BTreeMap<VarId, Option<Expr>>);

impl FixedLengths {
    /// Those of the function.
    pub fn of(func: &Func) -> FixedLengths {
        let mut found = BTreeMap::new();
        let mut resized = VarSet::default();
        func.body.walk(&mut |s| {
            match &s.kind {
                StmtKind::Let(v, Some(e)) if is_list_of_reals(func, *v) => {
                    found.insert(*v, length_of(e, func));
                }
                StmtKind::Call(call) => {
                    let result = call.result.filter(|v| is_list_of_reals(func, *v));
                    found.extend(result.map(|v| (v, None)));
                }
                _ => {}
            }
            let resizes = |p: &&&Place| !p.ty.keeps_shape();
            resized.extend(s.written().iter().filter(resizes).map(|p| p.root));
        });
        found.retain(|v, _| !resized.contains(*v));
        FixedLengths(found)
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
            let is_list = p.is_whole() && is_list_of_reals(func, p.root);
            (is_bounded || is_list).then(|| Expr::Len(p.clone()))
        }
        _ => None,
    }
}
