//! The derivatives that `wrt` and `of` exclude from a function's adjoint.
//!
//! A call that needs one of them is refused, because without it the caller's derivative would be wrong. An excluded
//! `&mut` parameter is work space: no caller needs the derivative with respect to its entry value, and only callers
//! that read its exit value need that of the latter.

use super::{Boundary, activity, boundary_masks};
use crate::ir::demand::{RESULT_BIT, output_bit, param_bit};
use crate::ir::{Func, Mode, VarId};

/// The excluded parameters (by [`param_bit`]), each with the outputs (by [`RESULT_BIT`] and [`output_bit`]) that depend
/// on it and for which the adjoint has no derivative.
pub fn excluded_derivatives(
    func: &Func,
    boundary: &Boundary,
    statements: usize,
) -> Vec<(u64, u64)> {
    if boundary.is_whole(func) {
        return Vec::new();
    }
    let whole = full_boundary(func, boundary);
    let depends = activity(func, &whole, statements, true).depends;
    let (told, outputs) = boundary_masks(func, boundary);
    let (all, _) = boundary_masks(func, &whole);
    let untold = all & !told & !work_space(func);
    let result = (RESULT_BIT, func.ret);
    let lent = func.params.iter().enumerate();
    let lent = lent.map(|(k, p)| (output_bit(k), Some(*p).filter(|p| is_lent(func, *p))));
    let outputs_of = std::iter::once(result).chain(lent).zip(&depends);
    let missing = outputs_of.filter_map(|((output, var), depends)| {
        let missing = match outputs & output != 0 {
            true => untold,
            false => told | untold,
        };
        var.map(|_| (depends & missing, output))
    });
    missing.filter(|(wrt, _)| *wrt != 0).collect()
}

/// `Dep` of a function with options, for its callers: each output depends on everything except the entry values of work
/// space that neither `wrt` nor `of` names.
pub fn depends_except_work_space(func: &Func, boundary: &Boundary) -> Vec<u64> {
    let named = |p: &VarId| boundary.independents.contains(*p) || boundary.dependents.contains(*p);
    let params = func.params.iter().enumerate();
    let counts = params.filter(|(_, p)| named(p) || !is_lent(func, **p));
    let all = counts.fold(0, |mask, (k, _)| mask | param_bit(k));
    vec![all; func.params.len() + 1]
}

/// The boundary with all independents and dependents.
fn full_boundary(func: &Func, boundary: &Boundary) -> Boundary {
    let real = |v: &&VarId| func.var(**v).ty.carries_floats();
    let params = || func.params.iter().filter(real);
    let written = params().filter(|v| is_lent(func, **v));
    Boundary {
        independents: params().copied().collect(),
        dependents: written
            .chain(func.ret.iter().filter(real))
            .copied()
            .collect(),
        ..boundary.clone()
    }
}

/// The `&mut` parameters.
fn work_space(func: &Func) -> u64 {
    let params = func.params.iter().enumerate();
    let lent = params.filter(|(_, p)| is_lent(func, **p));
    lent.fold(0, |mask, (k, _)| mask | param_bit(k))
}

fn is_lent(func: &Func, param: VarId) -> bool {
    func.var(param).mode == Mode::Mut
}
