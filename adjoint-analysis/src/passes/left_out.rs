//! The derivatives that a function has, and that `wrt` and `of` leave out of its adjoint.
//!
//! A call that asks for one of them is refused: the others alone would be a wrong derivative of the caller. A
//! `&mut` parameter that is left out is work space: what it held, or holds afterwards, nobody asks for.

use super::activity::{Boundary, activity, boundary_masks};
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
    let result = std::iter::once(RESULT_BIT);
    let outputs_of = result.chain((0..func.params.len()).map(output_bit));
    let missing = outputs_of.zip(&depends).map(|(output, depends)| {
        let is_told = outputs & output != 0;
        let missing = match is_told {
            true => untold,
            false if output == RESULT_BIT => told | untold,
            false => 0,
        };
        (depends & missing, output)
    });
    missing.filter(|(wrt, _)| *wrt != 0).collect()
}

/// All that there is to differentiate.
fn whole(func: &Func, boundary: &Boundary) -> Boundary {
    let real = |v: &&VarId| func.var(**v).ty.carries_floats();
    let params = || func.params.iter().filter(real);
    let written = params().filter(|v| func.var(**v).mode == Mode::Mut);
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
    let lent = params.filter(|(_, p)| func.var(**p).mode == Mode::Mut);
    lent.fold(0, |mask, (k, _)| mask | param_bit(k))
}
