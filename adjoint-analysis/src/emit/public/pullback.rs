//! `f_pullback` and `f_pullback_with`: one forward sweep, and a closure that runs a reverse sweep for each seed.
//!
//! What the forward sweep has left is put aside and copied back for each call, as for the rows of a Jacobian. `&mut` parameters are
//! copied behind the forward sweep, so that the caller may read them while the closure lives; those without a copy stay
//! borrowed. All that the closure borrows gets one lifetime.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::visit_mut::{self, VisitMut};

use super::jacobian::local;
use super::repeats::{Repeats, copy_name, is_copied};
use super::tape_calls::TapeCalls;
use super::{
    accumulate_increments, check_seed, documentation, failing_seed, mention_function, parameters,
    seed_argument, shape_checks, sweep_calls,
};
use crate::emit::interface::{Interface, Param, SweepLocation, adjoint_name, tape_parameter};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{allowed_lints, private, tape};
use crate::plan::Plan;

/// The two functions, if they are wanted; `body` is made of a borrow of the tape.
pub fn functions(
    interface: &Interface<'_>,
    body: impl Fn(TokenBuf) -> TokenBuf,
) -> Option<TokenBuf> {
    if !interface.pullback || matches!(interface.location, SweepLocation::Operator(_)) {
        return None;
    }
    let sig = &interface.item.sig;
    let name = format_ident!("{}_pullback", sig.ident, span = sig.ident.span());
    let with = format_ident!("{}_pullback_with", sig.ident, span = sig.ident.span());
    let (vis, lifetime) = (&interface.item.vis, &lifetime());
    let life = &TokenBuf::from(quote!(#lifetime));
    let (generics, clause) = (&sig.generics.params, &outliving(interface));
    let borrowed = borrowed_for_closure(interface);
    let (receiver, params) = &parameters(&borrowed, false);
    let (tape, p, lints) = (&tape(), private(), &allowed_lints());
    let tape_parameter = declared_for(lifetime, tape_parameter());
    let output = match &sig.output {
        syn::ReturnType::Type(_, ty) => code!(#ty),
        syn::ReturnType::Default => code!(()),
    };
    let arguments = closure_types(interface);
    let result = &code!((#output, ::std::boxed::Box<dyn FnMut(#arguments) + #life>));
    let (owned, lent) = (body(code!(&mut #tape)), body(code!(&mut *#tape)));
    let (text, text_with) = (
        documentation::pullback(interface),
        documentation::on_tape(interface, &name),
    );
    let (text, text_with) = (&text[..], &text_with[..]);
    Some(code! {
        #[doc = #text]
        #lints
        #[inline]
        #[track_caller]
        #vis fn #name<#life, #generics>(#receiver #params) -> #result #clause {
            let mut #tape = #p::Tape::new();
            #owned
        }

        #[doc = #text_with]
        #lints
        #[inline]
        #[track_caller]
        #vis fn #with<#life, #generics>(#receiver #tape_parameter, #params) -> #result #clause {
            #lent
        }
    })
}

/// The statements: the forward sweep, and the closure.
pub fn body(interface: &Interface<'_>, plan: &Plan, borrow: TokenBuf) -> TokenBuf {
    let receiver = name_receiver(interface);
    let interface = &with_named_receiver(interface);
    let [ret, like, succeeds, running, back] =
        &["ret", "like", "succeeds", "running", "back"].map(local);
    let (tape, borrow, p) = (&tape(), &borrow, private());
    let used = mention_function(interface);
    let TapeCalls {
        begin, turn, end, ..
    } = TapeCalls::of(plan, &[]);
    let forward = sweep_calls::forward(interface);
    let copied = || interface.params.iter().filter(|param| is_copied(param));
    let values: TokenBuf = copied().map(copy).collect();
    let repeats = Repeats::of(interface, plan);
    let load = repeats.load(interface, code!(false));
    let Repeats { entries, exits, .. } = &repeats;
    let shadows: TokenBuf = copied().map(shadow).collect();
    let checks = shape_checks(interface, plan);
    let seed_check = check_seed(interface, like);
    let reverse = sweep_calls::reverse(
        interface,
        &|adjoint| code!(&mut *#adjoint),
        seed_argument(interface, like),
    );
    let add = accumulate_increments(interface);
    let like_result = interface.seed.as_ref().map(|ty| {
        let marker = marker(ty);
        code!(let #like = #p::Shape::<#marker>::zero_like(&#ret);)
    });
    let (fails, failure) = failure(interface, ret, succeeds);
    let arguments = closure_arguments(interface);
    code! {
        #used
        #receiver
        #entries
        let #running = #borrow;
        let #ret = {
            let #tape = &mut *#running;
            #begin
            let #ret = #forward;
            #turn
            #tape.hold();
            #ret
        };
        #like_result
        #fails
        #values
        #exits
        let #back = ::std::boxed::Box::new(move |#arguments| {
            #failure
            #shadows
            let #tape = #borrow;
            #load
            #checks
            #seed_check
            #reverse
            #end
            #add
        });
        (#ret, #back)
    }
}

/// The closure's copy of the exit value.
fn copy(param: &Param) -> TokenBuf {
    let (p, name, copy) = (private(), &param.name, copy_name(param, "value"));
    code!(let mut #copy = #p::owned(&*#name);)
}

/// The copy by the parameter's name.
fn shadow(param: &Param) -> TokenBuf {
    let (name, referent, copy) = (&param.name, &param.referent, copy_name(param, "value"));
    code!(let #name: &mut #referent = &mut #copy;)
}

/// Whether the forward sweep has succeeded, and the closure's way out where it has not: the adjoints stay unchanged.
fn failure(
    interface: &Interface<'_>,
    ret: &Ident,
    succeeds: &Ident,
) -> (Option<TokenBuf>, Option<TokenBuf>) {
    if !interface.can_fail() {
        return (None, None);
    }
    let (p, seed) = (private(), failing_seed(interface));
    (
        Some(code!(let #succeeds = #p::Outcome::is_success(&#ret);)),
        Some(code!(if !#succeeds #seed { return; })),
    )
}

/// The adjoints and the seed, as the closure declares them.
fn closure_arguments(interface: &Interface<'_>) -> TokenBuf {
    let adjoint = |param: &Param| {
        let (name, referent) = (adjoint_name(&param.name), &param.referent);
        code!(#name: &mut #referent,)
    };
    let mut list: TokenBuf = adjoints(interface).map(adjoint).collect();
    list.add(interface.public_seed().map(|ty| code!(ret_adj: #ty,)));
    list
}

/// Their types.
fn closure_types(interface: &Interface<'_>) -> TokenBuf {
    let adjoint = |param: &Param| {
        let referent = &param.referent;
        code!(&mut #referent,)
    };
    let mut list: TokenBuf = adjoints(interface).map(adjoint).collect();
    list.add(interface.public_seed().map(|ty| code!(#ty,)));
    list
}

fn adjoints<'a>(interface: &'a Interface<'_>) -> impl Iterator<Item = &'a Param> {
    interface.params.iter().filter(|param| param.adjoint)
}

/// A `&mut self` of which the closure has a copy by another name, since `self` can't be declared anew.
fn renamed_receiver<'a>(interface: &'a Interface<'_>) -> Option<&'a Param> {
    let mut params = interface.params.iter();
    params.find(|param| param.is_self && is_copied(param))
}

fn name_receiver(interface: &Interface<'_>) -> Option<TokenBuf> {
    let this = receiver_name();
    renamed_receiver(interface).map(|_| code!(let #this = &mut *self;))
}

fn with_named_receiver<'a>(interface: &Interface<'a>) -> Interface<'a> {
    let mut named = interface.clone();
    if renamed_receiver(interface).is_some() {
        let params = named.params.iter_mut().filter(|param| param.is_self);
        params.for_each(|param| param.name = receiver_name());
    }
    named
}

fn receiver_name() -> Ident {
    local("this")
}

/// The lifetime of what the closure borrows.
fn lifetime() -> syn::Lifetime {
    syn::Lifetime::new("'pullback", Span::mixed_site())
}

/// The where clause, by which the function's generics outlive the closure.
fn outliving(interface: &Interface<'_>) -> TokenStream {
    let lifetime = lifetime();
    let clause = syn::parse2::<syn::WhereClause>(interface.where_clause()).ok();
    let predicates = clause.into_iter().flat_map(|clause| clause.predicates);
    let predicates = predicates.map(|predicate| quote!(#predicate));
    let generics = interface.item.sig.generics.params.iter();
    let outlive = generics.filter_map(|param| match param {
        syn::GenericParam::Lifetime(param) => {
            let of = &param.lifetime;
            Some(quote!(#of: #lifetime))
        }
        syn::GenericParam::Type(param) => {
            let of = &param.ident;
            Some(quote!(#of: #lifetime))
        }
        syn::GenericParam::Const(_) => None,
    });
    let predicates: Vec<TokenStream> = predicates.chain(outlive).collect();
    quote!(where #(#predicates),*)
}

/// The interface, whose parameters have the closure's lifetime where it holds these themselves.
fn borrowed_for_closure<'a>(interface: &Interface<'a>) -> Interface<'a> {
    let mut borrowed = interface.clone();
    for param in borrowed.params.iter_mut().filter(|param| !is_copied(param)) {
        param.declared = declared_for(&lifetime(), param.declared.clone());
    }
    borrowed
}

/// The declaration of a parameter, where elided lifetimes have this name.
fn declared_for(lifetime: &syn::Lifetime, declared: TokenBuf) -> TokenBuf {
    match syn::parse2::<syn::FnArg>(declared.clone().into()) {
        Ok(mut arg) => {
            NameElided(lifetime).visit_fn_arg_mut(&mut arg);
            quote!(#arg).into()
        }
        Err(_) => declared,
    }
}

/// Names the elided lifetimes, except those of functions' own parameters.
struct NameElided<'a>(&'a syn::Lifetime);

impl VisitMut for NameElided<'_> {
    fn visit_receiver_mut(&mut self, receiver: &mut syn::Receiver) {
        if let syn::ReceiverKind::Reference(_, lifetime, _) = &mut receiver.kind {
            lifetime.get_or_insert_with(|| self.0.clone());
        }
        visit_mut::visit_receiver_mut(self, receiver);
    }

    fn visit_type_reference_mut(&mut self, reference: &mut syn::TypeReference) {
        reference.lifetime.get_or_insert_with(|| self.0.clone());
        match &mut *reference.elem {
            // What is behind the reference outlives it.
            syn::Type::ImplTrait(ty) => visit_mut::visit_type_impl_trait_mut(self, ty),
            ty => self.visit_type_mut(ty),
        }
    }

    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        if lifetime.ident == "_" {
            *lifetime = self.0.clone();
        }
    }

    fn visit_type_impl_trait_mut(&mut self, ty: &mut syn::TypeImplTrait) {
        let lifetime = self.0;
        ty.bounds.push(syn::parse_quote!(#lifetime));
        visit_mut::visit_type_impl_trait_mut(self, ty);
    }

    fn visit_parenthesized_generic_arguments_mut(
        &mut self,
        _: &mut syn::ParenthesizedGenericArguments,
    ) {
    }

    fn visit_type_fn_ptr_mut(&mut self, _: &mut syn::TypeFnPtr) {}
}
