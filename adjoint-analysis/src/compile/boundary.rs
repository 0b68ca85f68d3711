//! Independents and dependents: the boundary of the differentiated computation.

use crate::ir::{Mode, Origin, VarId};
use crate::lower::Lowered;
use crate::options::Options;
use crate::passes::activity::Boundary;
use crate::passes::activity::inactive::Inactive;
use crate::refuse::{Reason, Refusal};

/// The independents and dependents: those named, or all candidates (contract: arguments).
pub fn boundary(lowered: &Lowered, options: &Options) -> Boundary {
    let func = &lowered.func;
    let named = |list: &[syn::Ident], v: &VarId| list.iter().any(|n| *n == func.var(*v).name);
    let real = |v: &VarId| func.var(*v).ty.carries_floats();
    let params = || func.params.iter().copied().filter(real);
    let independents = params()
        .filter(|v| options.wrt.as_ref().is_none_or(|list| named(list, v)))
        .collect();
    let written = params().filter(|v| func.var(*v).mode == Mode::Mut);
    let outputs = written.chain(func.ret.filter(real));
    let dependents = outputs
        .filter(|v| match &options.of {
            None => true,
            Some(list) if func.var(*v).origin == Origin::Ret => list.iter().any(|n| n == "ret"),
            Some(list) => named(list, v),
        })
        .collect();
    let inactive = Inactive::new(inactive_paths(options), lowered.param_bounds.clone());
    Boundary {
        independents,
        dependents,
        inactive,
        ..Boundary::default()
    }
}

/// The paths of the functions that the options name as inactive, as text.
pub fn inactive_paths(options: &Options) -> Vec<String> {
    let paths = options.inactive.iter();
    paths.map(crate::lower::types::text).collect()
}

/// Refuses a function without independents or without dependents.
pub fn check_nonempty(item: &syn::ItemFn, boundary: &Boundary) -> Result<(), Vec<Refusal>> {
    if boundary.independents.is_empty() || boundary.dependents.is_empty() {
        let span = item.sig.ident.span();
        return Err(vec![Refusal {
            span,
            reason: Reason::NothingActive,
        }]);
    }
    Ok(())
}
