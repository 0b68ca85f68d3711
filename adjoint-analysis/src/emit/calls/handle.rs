//! The sweeps as functions that other annotated functions can find.

use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span};
use quote::format_ident;

use super::by_value_receiver;
use super::empty_adjoint::zeros_if_empty;
use super::names::NameDecls;
use crate::emit::interface::{Interface, Param, SweepLocation, tape_parameter};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{Emit, allowed_lints, private};
use crate::ir::demand::param_bit;
use crate::ir::{Mode, Ty};
use crate::passes::activity::resizes;
use crate::plan::Plan;

/// The name of a sweep's context parameter.
pub const CONTEXT: &str = "context";

/// The bodies of a function's sweeps and their interface.
pub struct Sweeps {
    /// The names that both sweeps use.
    pub names: NameDecls,
    /// The statements and result of the forward sweep.
    pub forward: TokenBuf,
    /// The statements and increments of the reverse sweep.
    pub reverse: TokenBuf,
    /// The statements of both in one function, with its result and increments, for a fused plan.
    pub fused: Option<TokenBuf>,
    /// Whether they call sweeps of other functions.
    pub calls_sweeps: bool,
    /// The name of the reverse sweep's seed parameter.
    pub seed: Ident,
    /// Whether the seed is optional, for callers that need no derivative of the result.
    pub seed_is_optional: bool,
    /// The names of the adjoint parameters, including the receiver's.
    pub adjoints: Vec<Ident>,
    /// The facts that the handle publishes.
    pub facts: HandleFacts,
}

/// The facts about a function that its handle publishes, as types.
pub struct HandleFacts {
    /// The parameters whose values the reverse sweep reads.
    pub reads: Reads,
    /// For each output, the parameters that it depends on.
    pub depends: TokenBuf,
}

/// The parameters whose values the reverse sweep reads, as a type.
pub enum Reads {
    /// The same for all callers.
    ForAll(TokenBuf),
    /// Dependent on the caller, because callees are queried.
    PerCaller(TokenBuf),
}

/// The sweeps of a plan.
pub fn sweeps_of_plan(
    interface: &Interface<'_>,
    plan: &Plan,
    fused: Option<&Plan>,
    emit: &mut Emit<'_>,
) -> Sweeps {
    let p = private();
    let seed = plan.func.ret.and_then(|r| plan.adjoint.get(&r)).copied();
    let seed_is_optional = interface.seed_is_optional();
    emit.optional_seed = seed.filter(|_| seed_is_optional);
    if let syn::ReturnType::Type(_, ty) = &interface.item.sig.output {
        emit.result_annotation = Rc::new(code!(: #ty));
    }
    emit.names_by_trait = has_outer_scope(interface);
    let (forward, reverse) = (emit.forward(), emit.reverse());
    let result = plan.func.ret.map(|r| emit.name(r).clone());
    let output = &*emit.result_annotation;
    let declare = &result.as_ref().map(|name| code!(let mut #name #output;));
    let kept = excluded_derivative_check(interface);
    let coarse = resizes(&plan.func);
    let (mut start, mut increments) = (TokenBuf::empty(), Vec::new());
    let mut adjoints = Vec::new();
    for (k, (param, v)) in interface.params.iter().zip(&plan.func.params).enumerate() {
        let adjoint = plan.adjoint.get(v).filter(|_| param.adjoint);
        let name = adjoint.map(|a| emit.name(*a).clone());
        let incoming = name.clone().unwrap_or_else(|| unused_adjoint_name(param));
        adjoints.push(incoming.clone());
        if coarse && adjoint.is_some() {
            start.add(TokenBuf::from(zeros_if_empty(param, &incoming, k)));
        }
        if param.mode != Mode::Owned {
            continue;
        }
        if let Some(a) = adjoint {
            start.add(emit.let_blank(*a));
        }
        let (marker, value) = (marker(&param.ty), &param.name);
        increments.push(match &name {
            Some(name) => code!(#name),
            None if param.returns_floats() => {
                let zero_like = code!(<() as #p::Carried<#marker, _>>::zero_like);
                let zero_like = zero_like.with_span(value.span());
                code!(#zero_like(&#value))
            }
            None => code!(()),
        });
    }
    let seed = seed.map(|a| emit.name(a).clone());
    let (start, returned) = (&start, &code!((#(#increments,)*)));
    let end = emit.early_return(returned);
    let fused = fused.map(|fused| {
        let fused = emit.fused(fused);
        let result = result.as_ref().map_or(code!(()), |name| code!(#name));
        code!(#declare #start #fused (#result, #returned))
    });
    Sweeps {
        fused,
        names: emit.emit_names(),
        calls_sweeps: !plan.calls.is_empty(),
        forward: code!(#kept #declare #forward #result),
        reverse: code!(#start #end #reverse #returned),
        facts: HandleFacts::of(emit),
        seed: seed.unwrap_or_else(|| Ident::new("_seed", Span::mixed_site())),
        seed_is_optional,
        adjoints,
    }
}

/// Rejects callers that need a derivative which `wrt` or `of` excludes.
fn excluded_derivative_check(interface: &Interface<'_>) -> Option<TokenBuf> {
    let left_out = &interface.excluded;
    if left_out.is_empty() {
        return None;
    }
    let (p, sig) = (private(), &interface.item.sig);
    let asked: Vec<TokenBuf> = left_out
        .iter()
        .map(|(wrt, of)| {
            let [wrt, of] = [*wrt, *of].map(Literal::u64_suffixed);
            code!((#wrt, #of))
        })
        .collect();
    let missing = left_out.iter().fold(0, |all, (wrt, _)| all | wrt);
    let params = interface.params.iter().enumerate();
    let names: Vec<String> = params
        .filter(|(k, _)| missing & param_bit(*k) != 0)
        .map(|(_, param)| format!("`{}`", param.name))
        .collect();
    let message = format!(
        "a caller of `{}` asks for a derivative that its `wrt` or `of` leaves out: that with respect to {}. \
         help: name what is missing there, or make `{0}` a constant of the caller by `inactive`",
        sig.ident,
        names.join(", "),
    );
    let message = Literal::string(&message);
    Some(code! {
        const { #p::keeps_to_options::<__Caller>(&[#(#asked),*], #message) };
    })
}

fn unused_adjoint_name(param: &Param) -> Ident {
    format_ident!("_{}_adj", param.name, span = Span::mixed_site())
}

impl HandleFacts {
    fn of(emit: &Emit<'_>) -> HandleFacts {
        HandleFacts {
            reads: emit.reads(),
            depends: emit.depends(),
        }
    }

    /// The conservative facts, for sweeps that are not analysed.
    pub fn conservative() -> HandleFacts {
        let p = private();
        HandleFacts {
            reads: Reads::ForAll(code!(#p::All)),
            depends: code!(#p::All),
        }
    }
}

/// The items that hold the sweeps, at their location.
pub fn sweep_items(interface: &Interface<'_>, sweeps: &Sweeps) -> TokenBuf {
    let lints = allowed_lints();
    let vis = &interface.item.vis;
    let p = private();
    match &interface.location {
        SweepLocation::Handle(handle) => {
            let result = result_type(interface);
            let HandleFacts { reads, depends } = &sweeps.facts;
            let (reads, asking) = match reads {
                Reads::ForAll(reads) => (TokenBuf::clone(reads), None),
                Reads::PerCaller(reads) => (
                    code!(#handle),
                    Some(code! {
                        impl #p::Readings for #handle {
                            type For<__Caller: #p::Context> = #reads;
                        }
                    }),
                ),
            };
            let name = |which: &str| Ident::new(which, Span::call_site());
            // The whole `impl` has the lint attributes.
            let nothing = TokenBuf::empty();
            let functions = handle_functions(interface, sweeps, &code!(pub), &nothing, &name);
            let all = code! {
                #[doc(hidden)]
                #lints
                impl #handle { #functions }
            };
            let all = with_shared_decls(interface, &sweeps.names, all);
            code! {
                #[doc(hidden)]
                #[allow(non_camel_case_types)]
                #vis enum #handle {}

                impl #p::Callee for #handle {
                    type Reads = #reads;
                    type Depends = #depends;
                    type Result = #result;
                }

                #asking

                #all
            }
        }
        SweepLocation::Operator(header) => {
            super::operator::operator_impl(interface, header, sweeps)
        }
        SweepLocation::Impl => {
            let vis = &code!(#vis);
            let own = handle_functions(interface, sweeps, vis, &lints, &|which| {
                interface.sibling_name(which)
            });
            let receiver = interface
                .leading_param()
                .filter(|p| p.is_self && p.by_value());
            let lent =
                receiver.map(|_| by_value_receiver::by_ref_sweeps(interface, sweeps, vis, &lints));
            own.then(lent.unwrap_or_else(TokenBuf::empty))
        }
    }
}

/// Whether shared names can be declared around the sweeps: the body has no items that they could refer to.
fn has_outer_scope(interface: &Interface<'_>) -> bool {
    matches!(interface.location, SweepLocation::Handle(_)) && interface.inner_items.is_empty()
}

/// The declarations that both sweeps use.
fn shared_decls(interface: &Interface<'_>, names: &NameDecls) -> TokenBuf {
    TokenBuf::clone(&interface.fallbacks).then(TokenBuf::clone(&names.declared))
}

/// The sweeps in a scope with their shared names.
fn with_shared_decls(interface: &Interface<'_>, names: &NameDecls, sweeps: TokenBuf) -> TokenBuf {
    let declared = &shared_decls(interface, names);
    if declared.is_empty() || !has_outer_scope(interface) {
        return sweeps;
    }
    let lints = allowed_lints();
    code! {
        #lints
        #[allow(non_local_definitions, private_bounds)]
        const _: () = { #declared #sweeps };
    }
}

fn handle_functions(
    interface: &Interface<'_>,
    content: &Sweeps,
    vis: &TokenBuf,
    lints: &TokenBuf,
    name: &dyn Fn(&str) -> Ident,
) -> TokenBuf {
    let results = match is_nameable_result(interface) {
        true => TokenBuf::empty(),
        false => result_functions(interface, vis, lints, name),
    };
    let sweeps = sweeps(interface, content, vis, lints, name);
    code!(#results #sweeps)
}

/// The increments that the reverse sweep returns.
pub fn reverse_increments(interface: &Interface<'_>) -> impl Iterator<Item = TokenBuf> {
    let by_value = interface.params.iter().filter(|p| p.by_value());
    by_value.map(|param| {
        let referent = &param.referent;
        match param.returns_floats() {
            true => code!(#referent),
            false => code!(()),
        }
    })
}

/// The two sweeps.
pub fn sweeps(
    interface: &Interface<'_>,
    content: &Sweeps,
    vis: &TokenBuf,
    lints: &TokenBuf,
    name: &dyn Fn(&str) -> Ident,
) -> TokenBuf {
    let sig = &interface.item.sig;
    let p = private();
    let (generics, output) = (&sig.generics.params, &sig.output);
    let clause = &interface.where_clause();
    let comma = &(!generics.is_empty() && !generics.trailing_punct()).then(|| code!(,));
    let context = &Ident::new(CONTEXT, Span::mixed_site());
    let forward_params =
        interface.sweep_list(code!(#context: __Caller), tape_parameter(), |param| {
            let declared = &param.declared;
            code!(#declared,)
        });
    let adjoint = |param: &Param| {
        let at = interface.params.iter().position(|q| q.name == param.name);
        at.map(|i| content.adjoints[i].clone())
            .unwrap_or_else(|| unused_adjoint_name(param))
    };
    let first = interface.leading_param().map(|p| {
        let declared = &p.declared;
        code!(#declared,)
    });
    let mut reverse_params = code!(#first #context: __Caller,);
    let tape = tape_parameter();
    reverse_params.add(code!(#tape,));
    for param in &interface.params {
        if !interface.is_leading(param) {
            let declared = &param.declared;
            reverse_params.add(code!(#declared,));
        }
        if !param.by_value() {
            let (name, referent) = (adjoint(param), &param.referent);
            reverse_params.add(match param.adjoint {
                true => code!(#name: &mut #referent,),
                false => code!(#name: impl Sized,),
            });
        }
    }
    let returned: Vec<TokenBuf> = reverse_increments(interface).collect();
    let seed = &content.seed;
    let seed_ty = match output {
        syn::ReturnType::Type(_, ty) if content.seed_is_optional => code!(#p::Seed<#ty>),
        syn::ReturnType::Type(_, ty) => code!(#ty),
        syn::ReturnType::Default => code!(()),
    };
    let mut items = TokenBuf::clone(&interface.inner_items);
    if !has_outer_scope(interface) {
        items.add(shared_decls(interface, &content.names));
    }
    let bound = &content.names.bound;
    let function = |which: &str, params: &TokenBuf, output: TokenBuf, body: &TokenBuf| {
        let (name, items) = (name(which), &items);
        let body = match content.calls_sweeps {
            true => code!(#p::run(#context, move || { #body })),
            false => TokenBuf::clone(body),
        };
        code! {
            #[doc(hidden)]
            #lints
            #[inline]
            #vis fn #name<#generics #comma __Caller: #bound>(#params) #output #clause {
                #items
                #body
            }
        }
    };
    let returned = &code!((#(#returned,)*));
    let reverse_params = reverse_params.then(code!(mut #seed: #seed_ty,));
    let (forward, reverse) = (
        function("forward", &forward_params, code!(#output), &content.forward),
        function(
            "reverse",
            &reverse_params,
            code!(-> #returned),
            &content.reverse,
        ),
    );
    let fused = content.fused.as_ref().map(|fused| {
        let result = match output {
            syn::ReturnType::Type(_, ty) => code!(#ty),
            syn::ReturnType::Default => code!(()),
        };
        function(
            "fused",
            &reverse_params,
            code!(-> (#result, #returned)),
            fused,
        )
    });
    forward.then(reverse).then(fused)
}

/// Whether the handle can name the result's type; `Returns` then implements all functions on it.
fn is_nameable_result(interface: &Interface<'_>) -> bool {
    let generic = !interface.item.sig.generics.params.is_empty();
    let by_handle = matches!(interface.location, SweepLocation::Handle(_)) && !generic;
    by_handle && is_builtin(&interface.ret) && interface.ret.carries_floats()
}

/// Whether the type is built from primitive and std types only.
pub fn is_builtin(ty: &Ty) -> bool {
    match ty {
        Ty::Float(_) | Ty::Int(_) | Ty::Bool | Ty::Unit => true,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => is_builtin(t),
        Ty::Tuple(ts) => ts.iter().all(is_builtin),
        _ => false,
    }
}

/// The handle's `Result` type, if the type of the result can be named.
fn result_type(interface: &Interface<'_>) -> TokenBuf {
    match &interface.item.sig.output {
        syn::ReturnType::Type(_, ty) if is_nameable_result(interface) => {
            let (p, marker) = (private(), marker(&interface.ret));
            code!(#p::Returned<#marker, #ty>)
        }
        _ => code!(()),
    }
}

/// The functions that a caller applies to the result, whose type it may not know.
fn result_functions(
    interface: &Interface<'_>,
    vis: &TokenBuf,
    lints: &TokenBuf,
    name: &dyn Fn(&str) -> Ident,
) -> TokenBuf {
    let syn::ReturnType::Type(_, ty) = &interface.item.sig.output else {
        return TokenBuf::empty();
    };
    let p = private();
    let (generics, clause) = &interface.result_generics(ty);
    let (all, whole_clause) = (
        &interface.item.sig.generics.params,
        interface.where_clause(),
    );
    let marker = &marker(&interface.ret);
    let (zero, save, add) = (
        name("result_zero"),
        name("result_save"),
        name("result_accumulate"),
    );
    let (load, load_as) = (name("result_load"), name("result_load_as"));
    // A value without floats has no increment: any type is accepted, and nothing is added.
    let (increment, accumulate) = match interface.ret.carries_floats() {
        true => (
            code!(#ty),
            code!(#p::Shape::<#marker>::accumulate(value, increment);),
        ),
        false => (code!(impl Sized), TokenBuf::empty()),
    };
    code! {
        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #add<#generics>(value: &mut #ty, increment: &#increment) #clause { #accumulate }

        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #zero<#generics>(value: &#ty) -> #ty #clause {
            #p::Shape::<#marker>::zero_like(value)
        }

        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #save<#generics>(value: &#ty, tape: &mut #p::Tape) #clause {
            #p::Shape::<#marker>::save(value, tape);
        }

        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #load<#generics>(tape: &mut #p::Tape) -> #ty #clause {
            #p::Shape::<#marker>::load(tape)
        }

        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #load_as<#all>(tape: &mut #p::Tape) -> #ty #whole_clause {
            #p::Shape::<#marker>::load(tape)
        }
    }
}
