//! The interface of the generated functions, from the signature and the analysis.

use std::collections::BTreeSet;

use super::boundary::{boundary, check_nonempty};
use super::lower_function;
use crate::analysed::Analysed;
use crate::emit::interface::generic::{carrier_params, clone_params, struct_params};
use crate::emit::interface::nested_items::inner_items;
use crate::emit::interface::{Interface, SweepLocation, params};
use crate::emit::token_buf::TokenBuf;
use crate::ir::{StmtKind, Ty, VarId};
use crate::lower::items::generics;
use crate::lower::{Environment, Lowered};
use crate::options::Options;
use crate::passes::activity::excluded::excluded_derivatives;
use crate::plan::Plan;
use crate::refuse::Refusal;
use crate::{report, roles};

/// The interface of an analysed function.
pub fn interface<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    analysed: &Analysed,
    home: SweepLocation,
) -> Interface<'a> {
    let (lowered, plan) = (&analysed.lowered, &analysed.plan);
    let outside = signature_interface(item, options, env, lowered, &plan.interface, home);
    Interface {
        inner_items: inner_items(&item.block, active_callees(plan)),
        excluded: excluded_derivatives(&lowered.func, &analysed.boundary, lowered.spans.len()),
        summary: report::summary(analysed),
        report: report::doc_body(analysed),
        ..outside
    }
}

/// The interface of a function with the user's own adjoint; the body is not analysed.
pub fn custom_interface<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    home: SweepLocation,
) -> Result<Interface<'a>, Vec<Refusal>> {
    let empty = syn::parse_quote!({ ::core::unreachable!() });
    let lowered = lower_function(&item.sig, &empty, options, env)?;
    let boundary = boundary(&lowered, options);
    check_nonempty(item, &boundary)?;
    let func = &lowered.func;
    let named = |v: &VarId| boundary.independents.contains(*v) || boundary.dependents.contains(*v);
    let adjoints: Vec<VarId> = func.params.iter().copied().filter(named).collect();
    let summary = "The adjoint is the function that `custom` names.".to_string();
    Ok(Interface {
        summary,
        ..signature_interface(item, options, env, &lowered, &adjoints, home)
    })
}

/// The identifiers in the paths of the functions whose adjoints are called.
fn active_callees(plan: &Plan) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    plan.func.body.walk(&mut |stmt| {
        if let StmtKind::Call(call) = &stmt.kind
            && plan.calls.contains_key(&stmt.id)
        {
            let words = call
                .callee
                .name
                .split(|c: char| !c.is_alphanumeric() && c != '_');
            names.extend(words.map(str::to_string));
        }
    });
    names
}

fn signature_interface<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    lowered: &Lowered,
    adjoints: &[VarId],
    home: SweepLocation,
) -> Interface<'a> {
    let func = &lowered.func;
    let ret = func.ret.map_or(Ty::Unit, |r| func.var(r).ty.clone());
    let env = &generics::in_function(&item.sig, env);
    let float_params = env.float_params.clone();
    let params = params(item, func, adjoints);
    let seed = Some(ret.clone()).filter(|t| t.carries_floats());
    Interface {
        item,
        impl_trait: env.implemented_trait.clone(),
        carrier_params: carrier_params(&params, seed.as_ref(), env),
        clone_params: clone_params(&params, env),
        params,
        wrt: options.wrt.clone().unwrap_or_default(),
        of: options.of.clone(),
        jacobian: options.jacobian,
        pullback: options.pullback,
        seed,
        ret,
        ret_is_dependent: roles::returns_dependent(options),
        struct_params: struct_params(func, env, &float_params),
        float_params: match home {
            // They are parameters of the `impl`.
            SweepLocation::Operator(_) => Vec::new(),
            _ => float_params,
        },
        location: home,
        inner_items: TokenBuf::empty(),
        fallbacks: TokenBuf::empty(),
        excluded: Vec::new(),
        summary: String::new(),
        report: String::new(),
    }
}
