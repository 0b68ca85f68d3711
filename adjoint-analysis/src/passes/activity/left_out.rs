//! The derivatives that a function has, and that `wrt` and `of` leave out of its adjoint.
//!
//! A call that asks for one of them is refused: the others alone would be a wrong derivative of the caller. A
//! `&mut` parameter that is left out is work space: what it held nobody asks for, and what it holds afterwards only
//! callers that read it.

use super::{Boundary, activity, boundary_masks};
use crate::ir::demand::{RESULT_BIT, output_bit, param_bit};
use crate::ir::{Func, Mode, VarId};

/// The parameters (by [`param_bit`]) and the outputs (by [`RESULT_BIT`] and [`output_bit`]) that depend on them
/// without that the adjoint says how.
pub fn left_out(func: &Func, boundary: &Boundary, statements: usize) -> Vec<(u64, u64)> {
    if boundary.is_whole(func) {
        return Vec::new();
    }
    let whole = whole(func, boundary);
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

/// `Dep` of a function with options, as callers take it: each output depends on all but what work space held that
/// neither `wrt` nor `of` names.
pub fn on_all_but_work_space(func: &Func, boundary: &Boundary) -> Vec<u64> {
    let named = |p: &VarId| boundary.independents.contains(*p) || boundary.dependents.contains(*p);
    let params = func.params.iter().enumerate();
    let counts = params.filter(|(_, p)| named(p) || !is_lent(func, **p));
    let all = counts.fold(0, |mask, (k, _)| mask | param_bit(k));
    vec![all; func.params.len() + 1]
}

/// All that there is to differentiate.
fn whole(func: &Func, boundary: &Boundary) -> Boundary {
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
