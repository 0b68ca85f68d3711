//! One function: from item to tokens.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::module::group::{recursive_in, seen_in};
use super::parameters::named;
use crate::emit::calls::handle::is_own;
use crate::emit::interface::generic::{carried, copied, in_structs};
use crate::emit::interface::nested_items::inner_items;
use crate::emit::interface::{Home, Interface, params};
use crate::emit::items;
use crate::emit::piece::Piece;
use crate::emit::public::{custom, nondifferentiable, stub};
use crate::ir::{Arg, Call, Expr, Mode, Origin, Place, StmtId, StmtKind, Ty, VarId};
use crate::lower::inline::is_written_out;
use crate::lower::items::generics;
use crate::lower::types::{lower_type, names_function};
use crate::lower::{Environment, Lowered, lower, signature};
use crate::options::Options;
use crate::passes::activity::inactive::Inactive;
use crate::passes::activity::left_out::left_out;
use crate::passes::activity::{Activity, Boundary, outputs};
use crate::passes::rewrite::{labels, temporaries};
use crate::plan::Plan;
use crate::plan::build::plan_with_facts;
use crate::plan::facts::Facts;
use crate::refuse::{Reason, Refusal, Refusals};
use crate::report::{self, Source};
use crate::roles;
use crate::roles::floats::{gives_no_floats, takes_floats};

/// A function on its way.
pub struct Analysed {
    /// The IR with the user's code and positions.
    pub lowered: Lowered,
    /// Its reversal.
    pub plan: Plan,
    /// Independents and dependents.
    pub boundary: Boundary,
    /// What the analyses found.
    pub facts: Facts,
    /// The text of the body, where there is one.
    pub source: Option<Source>,
}

/// What is emitted beside the function: its adjoint, or the errors and a stub.
pub fn beside(item: &syn::ItemFn, options: &Options, env: &Environment) -> TokenStream {
    beside_at(home(item, options, env), item, options, env)
}

/// The same where it is known where the sweeps live.
pub fn beside_at(
    home: Home,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let item = &*named(item);
    let made = made_at(home.clone(), item, options, env);
    made.unwrap_or_else(|refusals| refused_at(home, item, options, env, &refusals))
}

/// What is emitted beside a function that is written out where it is called: its adjoint, if it can have
/// one by itself.
pub fn beside_template(item: &syn::ItemFn, options: &Options, env: &Environment) -> TokenStream {
    let home = home(item, options, env);
    if is_written_out(&item.sig, &item.block, env) {
        return written_out(item, env, &home);
    }
    let item = &*named(item);
    match made_at(home.clone(), item, options, env) {
        Ok(made) => made,
        Err(refusals) if refusals.iter().any(|r| r.reason.is_of_template()) => {
            written_out(item, env, &home)
        }
        Err(refusals) => refused_at(home, item, options, env, &refusals),
    }
}

/// What is emitted beside a function that nobody asked to differentiate: its adjoint, or why it can't have one, for who
/// calls it.
pub fn beside_if_possible(item: &syn::ItemFn, options: &Options, env: &Environment) -> TokenStream {
    let item = &*named(item);
    let home = home(item, options, env);
    let made = made_at(home.clone(), item, options, env);
    made.unwrap_or_else(|refusals| match refusals.first() {
        Some(refusal) => {
            let (why, help) = (refusal.reason.message(), refusal.reason.help());
            let missing = stub::missing(item, env, &home, &why, &help);
            let refused = stub::unasked(item, options, env, home, refusal);
            quote!(#refused #missing)
        }
        None => TokenStream::new(),
    })
}

/// What stands beside a function that is written out where it is called.
fn written_out(item: &syn::ItemFn, env: &Environment, home: &Home) -> TokenStream {
    let help = "call it from a function of its module that has an adjoint, and whose parameters hold the floats";
    let missing = stub::missing(
        item,
        env,
        home,
        "it is written out where it is called",
        help,
    );
    let handle = stub::written_out(item, env, home);
    quote!(#handle #missing)
}

/// What is emitted beside a function of an annotated module or `impl` that nobody asked to differentiate, and in which
/// no floats are seen to go in and come out: its sweeps for who calls it without seeing it, or why it can't have any.
pub fn beside_unasked(item: &syn::ItemFn, options: &Options, env: &Environment) -> TokenStream {
    if is_written_out(&item.sig, &item.block, env) {
        return written_out(item, env, &home(item, options, env));
    }
    let is_taken = env.has_type(&item.sig.ident.to_string());
    match !is_taken && takes_floats(&item.sig, env) && can_be_asked(&item.sig, env) {
        true => beside_if_possible(item, options, env),
        false => {
            let home = home(item, options, env);
            stub::missing(item, env, &home, "it takes no floats", "call it as it is")
        }
    }
}

/// Whether both sweeps can take the parameters, though nothing is known of their types: none is kept by value that may
/// lack a copy or zeros.
fn can_be_asked(sig: &syn::Signature, env: &Environment) -> bool {
    let env = generics::in_function(sig, env);
    sig.inputs.iter().all(|arg| match arg {
        syn::FnArg::Receiver(r) => signature::receiver_mode(r) != Mode::Owned,
        syn::FnArg::Typed(t) => {
            let (ty, mode) = lower_type(&t.ty, &env);
            mode != Mode::Owned || is_own(&ty) || matches!(ty, Ty::Named(_) | Ty::Discrete(_))
        }
    })
}

fn made_at(
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

fn refused_at(
    home: Home,
    item: &syn::ItemFn,
    options: &Options,
    env: &Environment,
    refusals: &[Refusal],
) -> TokenStream {
    let options = &*roles::completed(item, options, env);
    let errors = refusals.iter().map(|r| r.to_error().to_compile_error());
    let stub = stub::stub(item, options, env, home);
    quote!(#(#errors)* #stub)
}

/// Where the sweeps of a function or method live.
pub fn home(item: &syn::ItemFn, options: &Options, env: &Environment) -> Home {
    let of_impl = env.self_ty.is_some() || signature::self_type(&item.sig).is_some();
    match (of_impl, &options.handle) {
        (true, _) => Home::Impl,
        (false, Some(handle)) => Home::Handle(handle.clone()),
        (false, None) => Home::Handle(item.sig.ident.clone()),
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
    let mut refused = calls_of_unknown(item, env, &lowered, &plan);
    refused.extend(varied_captures(&lowered, &facts.activity));
    refused.extend(varied_constants(&lowered, &facts.activity));
    refused.extend(reals_of_bits(&lowered, &facts.activity));
    refused.extend(lent_by_name(&lowered, &facts.activity));
    let env = generics::in_function(&item.sig, env);
    refused.extend(lent_functions(&lowered, &plan, &env));
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

/// How the message about a plan begins that is wrong.
#[cfg(feature = "checked")]
pub const UNPROVED: &str = "the checker does not take the plan";

/// Stops at a plan that is wrong.
#[cfg(all(feature = "checked", debug_assertions))]
fn prove(plan: &Plan) {
    for caller in plan.extremes() {
        let faults = crate::plan::check::check(&plan.seen_by(caller));
        let name = &plan.func.name;
        assert!(faults.is_empty(), "{UNPROVED} of `{name}`: {faults:?}");
    }
}

/// The function with its temporaries, ready for the analyses.
pub(super) fn prepared(
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

/// The lowered function, or all that is refused in signature and body.
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

/// Calls that carry a derivative into what is not known: a function that a variable holds, and one of a type that a
/// type parameter stands for.
fn calls_of_unknown(
    item: &syn::ItemFn,
    env: &Environment,
    lowered: &Lowered,
    plan: &Plan,
) -> Vec<Refusal> {
    let is_variable = |callee: &crate::ir::Callee| {
        let path = callee.path.as_ref();
        path.is_some_and(|path| lowered.held.contains(path))
    };
    let is_param = |ty: &str| {
        let mut own = item.sig.generics.type_params();
        own.any(|param| param.ident == ty) || env.open_params.iter().any(|param| param == ty)
    };
    let param_of = |call: &Call| {
        let owner = match call.receiver().map(|p| &p.ty) {
            Some(Ty::Named(ty)) => ty.clone(),
            _ => call.callee.of_type()?.0,
        };
        let own = owner.trim_start_matches('<').split(" as ").next()?.trim();
        is_param(own).then(|| own.to_string())
    };
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        if !plan.calls.contains_key(&stmt.id) {
            return;
        }
        let reason = match is_variable(&call.callee) {
            true => Some(Reason::FunctionValue(call.callee.name.clone())),
            false => param_of(call).map(Reason::AnyType),
        };
        let span = lowered.spans[stmt.id.index()];
        found.extend(reason.map(|reason| Refusal { span, reason }));
    });
    found
}

/// Closures handed to functions that return or write floats, which would take for constants what the
/// closure makes of values that are varied.
fn varied_captures(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        if outputs(call, &lowered.func).is_empty() || activity.inactive.holds(call, &lowered.func) {
            return;
        }
        for arg in &call.args {
            let Arg::Value(Expr::Code(code, captured, _)) = arg else {
                continue;
            };
            let closure = lowered.handed.iter().find(|(handed, _)| handed == code);
            let varied =
                |p: &&Place| p.ty.carries_floats() && activity.varied_before(stmt.id, p) != 0;
            if let (Some((_, span)), Some(place)) = (closure, captured.iter().find(varied)) {
                let name = &lowered.func.var(place.root).name;
                let what =
                    format!("a closure that reads `{name}`, which depends on an independent,");
                found.push(Refusal {
                    span: *span,
                    reason: Reason::HandedIn(what),
                });
            }
        }
    });
    found
}

/// Code that is evaluated as written, because what it reads was taken for constants, and that reads what is varied.
fn varied_constants(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Let(_, Some(Expr::Code(code, reads, _))) = &stmt.kind else {
            return;
        };
        let varied = |p: &&Place| p.ty.carries_floats() && activity.varied_before(stmt.id, p) != 0;
        if let (true, Some(place)) = (lowered.opaque.contains(code), reads.iter().find(varied)) {
            let name = &lowered.func.var(place.root).name;
            let what = format!("an expression of a type that is not seen and of `{name}`, which depends on an independent,");
            found.push(Refusal {
                span: lowered.spans[stmt.id.index()],
                reason: Reason::Expression(what),
            });
        }
    });
    found
}

/// Reals that are made of the bits of varied ones.
fn reals_of_bits(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let found = crate::passes::activity::bits::made_of_bits(&lowered.func, activity);
    let refusal = |id: StmtId| Refusal {
        span: lowered.spans[id.index()],
        reason: Reason::Bits,
    };
    found.into_iter().map(refusal).collect()
}

/// `&mut` references that calls of inactive functions take by their names, where a derivative goes through what they
/// refer to: one that only reads leaves it, one that writes ends it, and which of the two it is can't be seen.
fn lent_by_name(lowered: &Lowered, activity: &Activity) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        if !activity.inactive.holds(call, &lowered.func) {
            return;
        }
        let unsaid = |k: usize| {
            call.callee
                .path
                .is_some_and(|p| lowered.unsaid.contains(&(p, k)))
        };
        let passes = |p: &Place| {
            let is_real = p.ty.carries_floats();
            is_real
                && activity.varied_before(stmt.id, p) != 0
                && activity.useful_after(stmt.id, p) != 0
        };
        let mut args = call.args.iter().enumerate();
        if args.any(|(k, arg)| matches!(arg, Arg::Mut(p) if unsaid(k) && passes(p))) {
            found.push(Refusal {
                span: lowered.spans[stmt.id.index()],
                reason: Reason::LentByName(call.callee.name.clone()),
            });
        }
    });
    found
}

/// Functions with a state that are lent to functions with an adjoint: both sweeps of these take them, and
/// the state can't be put back for the second one.
fn lent_functions(lowered: &Lowered, plan: &Plan, env: &Environment) -> Vec<Refusal> {
    let mut found = Vec::new();
    lowered.func.body.walk(&mut |stmt| {
        let StmtKind::Call(call) = &stmt.kind else {
            return;
        };
        let lent = |arg: &Arg| matches!(arg, Arg::Mut(p) if names_function(&p.ty, env));
        if plan.calls.contains_key(&stmt.id) && call.args.iter().any(lent) {
            found.push(Refusal {
                span: lowered.spans[stmt.id.index()],
                reason: Reason::HandedIn("a function that changes what it holds".into()),
            });
        }
    });
    found
}

fn refuse_nothing(item: &syn::ItemFn, boundary: &Boundary) -> Result<(), Vec<Refusal>> {
    if boundary.independents.is_empty() || boundary.dependents.is_empty() {
        let span = item.sig.ident.span();
        return Err(vec![Refusal {
            span,
            reason: Reason::NothingActive,
        }]);
    }
    Ok(())
}

/// The interface of a function whose adjoint is the user's: its body is not looked at.
fn opaque<'a>(
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

/// Independents and dependents: those named, or all that there are (contract: arguments).
fn boundary(lowered: &Lowered, options: &Options) -> Boundary {
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
    let inactive = Inactive::new(inactive(options), lowered.bounds.clone());
    Boundary {
        independents,
        dependents,
        inactive,
        ..Boundary::default()
    }
}

/// The paths of the functions that the options name as inactive, as text.
fn inactive(options: &Options) -> Vec<String> {
    let paths = options.inactive.iter();
    paths.map(crate::lower::types::text).collect()
}

fn interface<'a>(
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

/// The words in the paths of the functions whose adjoints are called.
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
    let ret = func
        .ret
        .map_or(crate::ir::Ty::Unit, |r| func.var(r).ty.clone());
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
