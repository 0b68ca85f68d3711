//! The compilation of a function, in the order of its steps:
//!
//! ```text
//! name parameters → complete options → lower → boundary → temporaries → labels
//!   → activity, TBR, plan → check → refuse → interface → emit
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

use self::boundary::{boundary, inactive, refuse_nothing};
use self::callees::{recursive_in, seen_in};
use self::interface::{interface, opaque};
pub use self::parameters::named;
use self::unsupported::unsupported;
use crate::analysed::Analysed;
use crate::analysed::source::Source;
use crate::emit::interface::Home;
use crate::emit::items;
use crate::emit::public::{custom, nondifferentiable, stub};
use crate::lower::items::generics;
use crate::lower::{Environment, Lowered, lower};
use crate::options::Options;
use crate::passes::activity::Boundary;
use crate::passes::rewrite::{labels, temporaries};
#[cfg(all(feature = "checked", debug_assertions))]
use crate::plan::Plan;
use crate::plan::build::plan_with_facts;
use crate::refuse::{Refusal, Refusals};
use crate::roles;
use crate::roles::floats::gives_no_floats;

/// The adjoint of a function and its companion items, or the refusals.
fn compiled(
    home: Home,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> Result<TokenStream, Vec<Refusal>> {
    let options = &*roles::completed(item, options, env);
    match &options.custom {
        Some(path) => opaque(item, options, env, home).map(|i| custom::items(&i, path)),
        None if gives_no_floats(&item.sig, env) => {
            let refusals = roles::refused_without_derivative(&item.sig, options, env);
            let missing = stub::missing(item, env, &home, "it gives no floats", "call it as it is");
            let sweeps = nondifferentiable::items(item, options, env, home);
            refusals.finish(quote!(#sweeps #missing))
        }
        None => analyse_in(item, options, env).map(|analysed| {
            let interface = interface(item, options, env, &analysed, home);
            let env = &generics::in_function(&item.sig, env);
            items(interface, env, &analysed.lowered, &analysed.plan)
        }),
    }
}

/// Lowers, analyses and plans a function that stands alone.
pub fn analyse(item: &syn::ItemFn, options: &Options) -> Result<Analysed, Vec<Refusal>> {
    analyse_in(&named(item), options, &Environment::default())
}

/// Lowers, analyses and plans.
pub fn analyse_in(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> Result<Analysed, Vec<Refusal>> {
    let (lowered, boundary) = prepared(item, options, env)?;
    let summaries = seen_in(item, env);
    let boundary = Boundary {
        recursive: recursive_in(item, env, &summaries),
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
pub(crate) fn prepared(
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> Result<(Lowered, Boundary), Vec<Refusal>> {
    let options = &*roles::completed(item, options, env);
    let mut lowered = lowered(&item.sig, &item.block, options, env)?;
    let boundary = boundary(&lowered, options);
    refuse_nothing(item, &boundary)?;
    let (func, mut origins) = temporaries::introduce(&lowered.func, lowered.spans.len());
    let func = labels::introduce(func, &mut origins);
    lowered.spans = origins.iter().map(|o| lowered.spans[o.index()]).collect();
    lowered.func = func;
    Ok((lowered, boundary))
}

/// The lowered function, or the refusals of its signature and body.
fn lowered(
    sig: &syn::Signature,
    body: &syn::Block,
    options: &Options,
    env: &Environment,
) -> Result<Lowered, Vec<Refusal>> {
    let mut refusals = Refusals::default();
    roles::check(sig, options, env, &mut refusals);
    let env = Environment {
        left_out: roles::left_out(sig, options),
        states: roles::states(sig, body, options, env),
        inactive: inactive(options),
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
    for caller in plan.extremes() {
        let faults = crate::plan::check::check(&plan.seen_by(caller));
        let name = &plan.func.name;
        assert!(faults.is_empty(), "{UNPROVED} of `{name}`: {faults:?}");
    }
}
