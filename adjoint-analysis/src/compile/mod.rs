//! The compilation of a function, in the order of its steps:
//!
//! ```text
//! name parameters → complete options → lower → boundary → temporaries → invariants → labels
//!   → as it is, and flattened: activity, TBR, plan → the better one → check → refuse → interface → emit
//! ```
//!
//! The preparation ends before the first analysis, [`analyse_in`] before emission.

pub mod boundary;
pub mod callees;
pub mod companion_items;
mod interface;
mod parameters;
mod unsupported;

use proc_macro2::TokenStream;
use quote::quote;

use self::boundary::{boundary, check_nonempty, inactive_paths};
use self::callees::{recursive_names, visible_summaries};
use self::interface::{custom_interface, interface};
pub use self::parameters::name_params;
use self::unsupported::unsupported;
use crate::analysed::Analysed;
use crate::analysed::source::Source;
use crate::emit::interface::SweepLocation;
use crate::emit::items;
use crate::emit::public::{custom, nondifferentiable, stub};
use crate::lower::items::generics;
use crate::lower::{Environment, Lowered, lower};
use crate::options::Options;
use crate::passes::activity::Boundary;
use crate::passes::activity::summary::states_effects;
use crate::passes::rewrite::rewrite;
#[cfg(all(feature = "checked", debug_assertions))]
use crate::plan::Plan;
use crate::plan::build::plan_with_facts;
use crate::plan::preaccumulation::Preaccumulation;
use crate::refuse::{Refusal, Refusals};
use crate::roles;
use crate::roles::floats::returns_no_floats;

/// The adjoint of a function and its companion items, or the refusals.
fn compile_function(
    home: SweepLocation,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> Result<TokenStream, Vec<Refusal>> {
    let options = &*roles::complete_options(item, options, env);
    match &options.custom {
        Some(path) => custom_interface(item, options, env, home).map(|i| custom::items(&i, path)),
        None if returns_no_floats(&item.sig, env) => {
            let refusals = roles::check_passive_signature(&item.sig, options, env);
            let missing =
                stub::missing_adjoint(item, env, &home, "it gives no floats", "call it as it is");
            let sweeps = nondifferentiable::items(item, options, env, home);
            refusals.finish(quote!(#sweeps #missing))
        }
        None => analyse_in(item, options, env).map(|analysed| {
            let interface = interface(item, options, env, &analysed, home);
            let env = &generics::in_function(&item.sig, env);
            let plan = &analysed.plan;
            let wanted = options.jacobian && options.config.preaccumulation != Preaccumulation::Off;
            let direct = wanted.then(|| analysed.direct_jacobian()).flatten();
            items(
                interface,
                env,
                &analysed.lowered,
                plan,
                plan.fused.as_deref(),
                direct.as_ref(),
            )
        }),
    }
}

/// Lowers, analyses and plans a function that stands alone.
pub fn analyse(item: &syn::ItemFn, options: &Options) -> Result<Analysed, Vec<Refusal>> {
    analyse_in(&name_params(item), options, &Environment::default())
}

/// Lowers, analyses and plans.
pub fn analyse_in(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> Result<Analysed, Vec<Refusal>> {
    let (mut lowered, boundary) = prepare(item, options, env)?;
    let summaries = visible_summaries(item, env);
    let boundary = Boundary {
        recursive: recursive_names(item, env, &summaries),
        states_effect: states_effects(&env.summaries),
        summaries,
        ..boundary
    };
    let (plan, facts) = plan_with_facts(
        &lowered.func,
        &boundary,
        lowered.spans.len(),
        options.config,
    );
    #[cfg(all(feature = "checked", debug_assertions))]
    prove(&plan);
    lowered.func.clone_from(&facts.func);
    let spans = facts.origins.iter().map(|o| lowered.spans[o.index()]);
    lowered.spans = spans.collect();
    let refused = unsupported(item, env, &lowered, &plan, &facts.activity);
    if !refused.is_empty() {
        return Err(refused);
    }
    let source = Source::of(item.block.brace_token.span.join());
    Ok(Analysed {
        lowered,
        plan,
        boundary,
        facts,
        source,
    })
}

/// The function with its temporaries, ready for the analyses.
pub(crate) fn prepare(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> Result<(Lowered, Boundary), Vec<Refusal>> {
    let options = &*roles::complete_options(item, options, env);
    let mut lowered = lower_function(&item.sig, &item.block, options, env)?;
    let boundary = boundary(&lowered, options);
    check_nonempty(item, &boundary)?;
    let (func, origins) = rewrite(
        &lowered.func,
        lowered.spans.len(),
        options.config.rewriting(),
    );
    lowered.spans = origins.iter().map(|o| lowered.spans[o.index()]).collect();
    lowered.func = func;
    Ok((lowered, boundary))
}

/// The lowered function, or the refusals of its signature and body.
fn lower_function(
    sig: &syn::Signature,
    body: &syn::Block,
    options: &Options,
    env: &Environment,
) -> Result<Lowered, Vec<Refusal>> {
    let mut refusals = Refusals::default();
    roles::check(sig, options, env, &mut refusals);
    let env = Environment {
        excluded_params: roles::excluded_params(sig, options),
        state_params: roles::states(sig, body, options, env),
        inactive: inactive_paths(options),
        ..env.clone()
    };
    match lower(sig, body, &env) {
        Ok(lowered) => refusals.finish(lowered),
        Err(more) => {
            refusals.extend(more);
            Err(refusals.into_vec())
        }
    }
}

/// The beginning of the message about an incorrect plan.
#[cfg(feature = "checked")]
pub const UNPROVED: &str = "the checker does not take the plan";

/// Panics if the plan is incorrect.
#[cfg(all(feature = "checked", debug_assertions))]
fn prove(plan: &Plan) {
    let faults = crate::plan::check::check_for_all(plan);
    let name = &plan.func.name;
    assert!(faults.is_empty(), "{UNPROVED} of `{name}`: {faults:?}");
}
