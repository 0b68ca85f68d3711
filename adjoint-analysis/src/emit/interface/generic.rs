//! Bounds of type parameters. A float parameter that is an argument of a generic struct needs more than `Real`, for the
//! struct's derived `Differentiable`. A parameter for user types has adjoints if its values are active.

use super::Param;
use crate::ir::{Callee, Func, Mode, Origin, Place, StmtKind, Ty};
use crate::lower::Environment;

/// The parameters that the types of a signature mention.
pub fn mentioned_in_signature<'t>(
    types: impl Iterator<Item = &'t Ty>,
    env: &Environment,
    params: &[String],
) -> Vec<String> {
    let mut structs: Vec<&str> = types.flat_map(Ty::user_types).collect();
    structs.extend(env.self_ty.as_deref());
    mentioned(&structs, params)
}

/// The parameters for user types that have adjoints.
pub fn carrier_params(params: &[Param], seed: Option<&Ty>, env: &Environment) -> Vec<String> {
    let mut names = names_in(params, env, |p| p.adjoint);
    names.extend(seed.into_iter().flat_map(Ty::user_types));
    mentioned(&names, &env.user_type_params)
}

/// The parameters for user types that are passed by value, so that each sweep needs a copy.
pub fn clone_params(params: &[Param], env: &Environment) -> Vec<String> {
    let names = names_in(params, env, |p| p.mode == Mode::Owned);
    mentioned(&names, &env.user_type_params)
}

/// The names in the types of the parameters selected by `of`.
fn names_in<'t>(
    params: &'t [Param],
    env: &'t Environment,
    of: impl Fn(&Param) -> bool,
) -> Vec<&'t str> {
    let such = || params.iter().filter(|p| of(p));
    let own = env.self_ty.as_deref().filter(|_| such().any(|p| p.is_self));
    such().flat_map(|p| p.ty.user_types()).chain(own).collect()
}

/// The parameters that the types mention.
fn mentioned(types: &[&str], params: &[String]) -> Vec<String> {
    let mentions = |of: &str, param: &String| {
        of.split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|word| word == param)
    };
    let named = params
        .iter()
        .filter(|param| types.iter().any(|of| mentions(of, param)));
    named.cloned().collect()
}

/// The float parameters that are arguments of structs in a function: all of them if a local may have a generic struct
/// type.
pub fn struct_params(func: &Func, env: &Environment, params: &[String]) -> Vec<String> {
    match !params.is_empty() && may_hold_structs(func) {
        true => params.to_vec(),
        false => {
            let signature = func.params.iter().chain(&func.ret);
            mentioned_in_signature(signature.map(|v| &func.var(*v).ty), env, params)
        }
    }
}

/// Whether it is an associated function of a type that may be a generic struct, e.g. `Pair::sum`.
fn is_of_another_type(callee: &Callee) -> bool {
    let is_another = |(owner, _): (String, String)| owner != "Self";
    callee.operator().is_none() && callee.associated_fn().is_some_and(is_another)
}

fn may_hold_structs(func: &Func) -> bool {
    let open = |p: &Place| {
        let var = func.var(p.root);
        let is_open = [&var.ty, &p.ty].into_iter().any(|ty| match ty {
            Ty::Unknown => true,
            Ty::Named(name) => !name.contains('<'),
            _ => false,
        });
        is_open && !matches!(var.origin, Origin::Param | Origin::Ret)
    };
    let is_generic = |name: &&str| name.contains('<');
    let mut found = func
        .vars
        .iter()
        .any(|var| var.ty.user_types().iter().any(is_generic));
    func.body.walk(&mut |stmt| {
        stmt.each_own_place(&mut |p| found |= !p.is_whole() && open(p));
        stmt.walk_exprs(&mut |e| {
            found |= e.own_places().iter().any(|p| !p.is_whole() && open(p));
        });
        if let StmtKind::Call(call) = &stmt.kind {
            found |= call.receiver().is_some_and(open) || is_of_another_type(&call.callee);
        }
    });
    found
}
