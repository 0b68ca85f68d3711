//! The interface of the generated functions, from the signature and the analysis.

use std::collections::BTreeSet;

use super::boundary::{boundary, refuse_nothing};
use super::lowered;
use crate::analysed::Analysed;
use crate::emit::interface::generic::{carried, copied, in_structs};
use crate::emit::interface::nested_items::inner_items;
use crate::emit::interface::{Home, Interface, params};
use crate::emit::piece::Piece;
use crate::ir::{StmtKind, Ty, VarId};
use crate::lower::items::generics;
use crate::lower::{Environment, Lowered};
use crate::options::Options;
use crate::passes::activity::left_out::left_out;
use crate::plan::Plan;
use crate::refuse::Refusal;
use crate::{report, roles};

/// The interface of an analysed function.
pub fn interface<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    analysed: &Analysed,
    home: Home,
) -> Interface<'a> {
    let (lowered, plan) = (&analysed.lowered, &analysed.plan);
    let outside = described(item, options, env, lowered, &plan.interface, home);
    Interface {
        inner_items: inner_items(&item.block, called(plan)),
        left_out: left_out(&lowered.func, &analysed.boundary, lowered.spans.len()),
        summary: report::summary(analysed),
        report: report::for_readers(analysed),
        ..outside
    }
}

/// The interface of a function with the user's own adjoint; the body is not analysed.
pub fn opaque<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    home: Home,
) -> Result<Interface<'a>, Vec<Refusal>> {
    let empty = syn::parse_quote!({ ::core::unreachable!() });
    let lowered = lowered(&item.sig, &empty, options, env)?;
    let boundary = boundary(&lowered, options);
    refuse_nothing(item, &boundary)?;
    let func = &lowered.func;
    let named = |v: &VarId| boundary.independents.contains(*v) || boundary.dependents.contains(*v);
    let adjoints: Vec<VarId> = func.params.iter().copied().filter(named).collect();
    let summary = "The adjoint is the function that `custom` names.".to_string();
    Ok(Interface {
        summary,
        ..described(item, options, env, &lowered, &adjoints, home)
    })
}

/// The identifiers in the paths of the functions whose adjoints are called.
fn called(plan: &Plan) -> BTreeSet<String> {
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

fn described<'a>(
    item: &'a syn::ItemFn,
    options: &Options,
    env: &Environment,
    lowered: &Lowered,
    adjoints: &[VarId],
    home: Home,
) -> Interface<'a> {
    let func = &lowered.func;
    let ret = func.ret.map_or(Ty::Unit, |r| func.var(r).ty.clone());
    let env = &generics::in_function(&item.sig, env);
    let float_params = env.float_params.clone();
    let params = params(item, func, adjoints);
    let seed = Some(ret.clone()).filter(|t| t.carries_floats());
    Interface {
        item,
        of_trait: env.of_trait.clone(),
        carried_params: carried(&params, seed.as_ref(), env),
        copied_params: copied(&params, env),
        params,
        wrt: options.wrt.clone().unwrap_or_default(),
        seed,
        ret,
        ret_is_dependent: roles::returns_dependent(options),
        in_structs: in_structs(func, env, &float_params),
        float_params: match home {
            // They are parameters of the `impl`.
            Home::Operator(_) => Vec::new(),
            _ => float_params,
        },
        home,
        inner_items: Piece::empty(),
        unseen: Piece::empty(),
        left_out: Vec::new(),
        summary: String::new(),
        report: String::new(),
    }
}
