//! What users call: `f_adjoint` and `f_adjoint_with`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::interface::{
    Home, Interface, Param, adjoint_function_name, adjoint_name, tape_parameter,
};
use super::types::marker;
use super::{allowed_lints, private, tape};
use crate::ir::{FloatTy, Mode, Ty, VarId};
use crate::plan::Plan;

/// The two functions; `body` computes the adjoint on the tape at hand.
pub fn functions(interface: &Interface<'_>, body: &dyn Fn() -> TokenStream) -> TokenStream {
    if let Home::Operator(_) = interface.home {
        // Nobody calls the adjoint of an operator by a name.
        return TokenStream::new();
    }
    let body = body();
    let sig = &interface.item.sig;
    let vis = &interface.item.vis;
    let name = adjoint_function_name(sig);
    let with = format_ident!("{}_adjoint_with", sig.ident, span = sig.ident.span());
    let (generics, output, clause) = (&sig.generics.params, &sig.output, interface.where_clause());
    let (receiver, params) = parameters(interface);
    let args = arguments(interface);
    let (tape, p, lints) = (tape(), private(), allowed_lints());
    let tape_parameter = tape_parameter();
    let report = &interface.report;
    let turbofish = interface.turbofish();
    let call = match (&interface.home, &receiver) {
        (_, Some(_)) => quote!(self.#with #turbofish),
        (Home::Impl, None) => quote!(Self::#with #turbofish),
        _ => quote!(#with #turbofish),
    };
    quote! {
        #[doc = #report]
        #lints
        #vis fn #name<#generics>(#receiver #params) #output #clause {
            let mut #tape = #p::Tape::new();
            #call(&mut #tape, #args)
        }

        #[doc = "The same on a tape that the caller keeps, so that repeated sweeps allocate once."]
        #lints
        #vis fn #with<#generics>(#receiver #tape_parameter, #params) #output #clause {
            #body
        }
    }
}

/// The receiver, if there is one, and `x: &[f64], x_adj: &mut [f64], ..` with the seed.
fn parameters(interface: &Interface<'_>) -> (Option<TokenStream>, TokenStream) {
    let (mut receiver, mut list) = (None, TokenStream::new());
    for p in &interface.params {
        let (declared, referent) = (&p.declared, &p.referent);
        match p.is_self {
            true => receiver = Some(quote!(#declared,)),
            false => list.extend(quote!(#declared,)),
        }
        if p.adjoint {
            let adjoint = adjoint_name(&p.name);
            list.extend(quote!(#adjoint: &mut #referent,));
        }
    }
    if let Some(ty) = interface.public_seed() {
        list.extend(quote!(ret_adj: #ty,));
    }
    (receiver, list)
}

/// The arguments that pass these parameters on, but for the receiver.
pub fn arguments(interface: &Interface<'_>) -> TokenStream {
    let mut list = TokenStream::new();
    for p in &interface.params {
        let name = &p.name;
        if !p.is_self {
            list.extend(quote!(#name,));
        }
        if p.adjoint {
            let adjoint = adjoint_name(name);
            list.extend(quote!(#adjoint,));
        }
    }
    if interface.public_seed().is_some() {
        list.extend(quote!(ret_adj,));
    }
    list
}

/// Checks, the two sweeps, and what the caller gets.
pub fn joint(interface: &Interface<'_>, plan: &Plan) -> TokenStream {
    let (tape, p) = (tape(), private());
    let turbofish = interface.sweep_turbofish();
    let ret = Ident::new("ret", Span::mixed_site());
    let (mut checks, mut late_checks) = (TokenStream::new(), TokenStream::new());
    for (param, v) in interface.params.iter().zip(&plan.func.params) {
        if param.adjoint {
            let late = param.mode == Mode::Mut && plan.may_resize(*v);
            let checks = if late { &mut late_checks } else { &mut checks };
            checks.extend(check(param));
            checks.extend(late.then(|| reshape(param)));
        }
    }
    let (forward, reverse) = (interface.sweep("forward"), interface.sweep("reverse"));
    let context = quote!(#p::outermost());
    let forward_args = interface.sweep_list(context.clone(), quote!(#tape), |param| {
        let value = lent(param);
        quote!(#value,)
    });
    let receiver = interface.params.iter().find(|p| p.is_self).map(lent);
    let receiver = receiver.map(|value| quote!(#value,));
    let reverse_args = interface.params.iter().map(|param| {
        let value = (!param.is_self)
            .then(|| lent(param))
            .map(|value| quote!(#value,));
        let adjoint = adjoint_name(&param.name);
        match (param.by_value(), param.adjoint) {
            (true, _) => quote!(#value),
            (false, true) => quote!(#value #adjoint,),
            (false, false) => quote!(#value (),),
        }
    });
    let mut increments = Vec::new();
    let mut add = TokenStream::new();
    for param in interface.params.iter().filter(|p| p.by_value()) {
        let increment = format_ident!("{}_increment", param.name, span = Span::mixed_site());
        if param.adjoint {
            let adjoint = adjoint_name(&param.name);
            add.extend(match &param.ty {
                Ty::Float(FloatTy::F32 | FloatTy::F64) => quote!(*#adjoint += #increment;),
                ty => {
                    let marker = marker(ty);
                    quote!(#p::Shape::<#marker>::accumulate(#adjoint, &#increment);)
                }
            });
            increments.push(quote!(#increment));
        } else {
            increments.push(quote!(_));
        }
    }
    let seed = match (&interface.seed, interface.ret_is_dependent) {
        (Some(Ty::Vec(_)), true) => quote!(ret_adj.to_vec()),
        (Some(_), true) => quote!(ret_adj),
        (Some(ty), false) => {
            let marker = marker(ty);
            quote!(#p::Shape::<#marker>::zero_like(&#ret))
        }
        // It has no default.
        (None, _) if matches!(interface.ret, Ty::Result(..)) => {
            let marker = marker(&interface.ret);
            quote!(#p::Shape::<#marker>::zero_like(&#ret))
        }
        (None, _) => quote!(::core::default::Default::default()),
    };
    let kept: Vec<&Param> = plan
        .disturbs()
        .into_iter()
        .filter_map(|v| param_of(interface, plan, v))
        .collect();
    let keep = kept.iter().map(|param| keep(param));
    let give_back = kept.iter().rev().map(|param| give_back(param));
    let used = used(interface);
    quote! {
        #used
        #checks
        #tape.begin();
        let #ret = #forward #turbofish(#forward_args);
        #late_checks
        #(#keep)*
        #tape.turn();
        let (#(#increments,)*) = #reverse #turbofish(#receiver #context, #tape, #(#reverse_args)* #seed);
        #(#give_back)*
        #tape.end();
        #add
        #ret
    }
}

/// Names the user's function: who uses the adjoint uses the function.
pub fn used(interface: &Interface<'_>) -> TokenStream {
    let (function, turbofish) = (&interface.item.sig.ident, interface.turbofish());
    let anonymous = |arg: &syn::FnArg| matches!(arg, syn::FnArg::Typed(t) if matches!(*t.ty, syn::Type::ImplTrait(_)));
    if interface.item.sig.inputs.iter().any(anonymous) {
        // Such a function can't be named without a call.
        return TokenStream::new();
    }
    match interface.home {
        super::interface::Home::Handle(_) => quote!(let _ = #function #turbofish;),
        Home::Impl | Home::Operator(_) => quote!(let _ = Self::#function #turbofish;),
    }
}

impl Param {
    /// Whether its adjoint comes back as an increment. A receiver's never does: who calls a method
    /// can't tell how it takes `self`.
    pub fn by_value(&self) -> bool {
        self.mode == Mode::Owned && !self.is_self
    }

    /// Whether there are floats in the increment. Of a type that only rustc knows, and that is left
    /// out, there need not be.
    pub fn returns_floats(&self) -> bool {
        self.ty.carries_floats() && (self.adjoint || !matches!(self.ty, Ty::Named(_) | Ty::Unknown))
    }
}

/// The parameter as an argument of a sweep, which leaves it to its owner.
fn lent(param: &Param) -> TokenStream {
    let name = &param.name;
    match param.mode {
        Mode::Owned if param.is_function => quote!(&#name),
        Mode::Owned if !param.ty.is_scalar() => quote!(::core::clone::Clone::clone(&#name)),
        Mode::Mut => quote!(&mut *#name),
        _ => quote!(#name),
    }
}

fn param_of<'a>(interface: &'a Interface<'_>, plan: &Plan, v: VarId) -> Option<&'a Param> {
    let at = plan.func.params.iter().position(|p| *p == v)?;
    interface.params.get(at)
}

/// The check that a parameter's adjoint has its shape.
fn check(param: &Param) -> TokenStream {
    let (p, name, adjoint) = (private(), &param.name, adjoint_name(&param.name));
    if param.ty.is_fixed() {
        return TokenStream::new();
    }
    let (text, adjoint_text) = (name.to_string(), adjoint.to_string());
    if let Ty::Slice(t) | Ty::Vec(t) = &param.ty
        && t.is_float()
    {
        return quote!(#p::check_length(#text, #name.len(), #adjoint_text, #adjoint.len()););
    }
    let marker = marker(&param.ty);
    let value = match param.mode {
        Mode::Owned => quote!(&#name),
        _ => quote!(&*#name),
    };
    quote!(#p::check_adjoint::<#marker, _>(#text, #value, #adjoint_text, &*#adjoint);)
}

/// Gives a parameter's adjoint, which the caller may have made like the entry value, the discrete parts
/// of the exit value.
fn reshape(param: &Param) -> TokenStream {
    let (p, name, adjoint) = (private(), &param.name, adjoint_name(&param.name));
    if param.ty.holds_only_reals() {
        return TokenStream::new();
    }
    match &param.ty {
        Ty::Slice(t) => {
            let marker = marker(t);
            quote!(for (value, adjoint) in #name.iter().zip(#adjoint.iter_mut()) {
                #p::reshape_adjoint::<#marker, _>(value, adjoint);
            })
        }
        ty => {
            let marker = marker(ty);
            quote!(#p::reshape_adjoint::<#marker, _>(&*#name, #adjoint);)
        }
    }
}

/// The exit value of an in-out parameter, put aside while the reverse sweep goes back over it.
fn keep(param: &Param) -> TokenStream {
    let (tape, name) = (tape(), &param.name);
    match &param.ty {
        Ty::Slice(t) if t.is_float() => quote!(#tape.keep_reals(&*#name);),
        Ty::Slice(t) if matches!(**t, Ty::Int(_)) => quote!(#tape.keep_ints(&*#name);),
        Ty::Float(_) => quote!(#tape.keep_reals(::core::slice::from_ref(&*#name));),
        Ty::Vec(t) if t.is_float() => quote!(#tape.keep_vec(&*#name);),
        Ty::Slice(_) => quote!(#tape.keep_moved(#name.to_vec());),
        _ => quote!(#tape.keep_moved(::core::clone::Clone::clone(&*#name));),
    }
}

fn give_back(param: &Param) -> TokenStream {
    let (tape, name) = (tape(), &param.name);
    match &param.ty {
        Ty::Slice(t) if t.is_float() => quote!(#tape.give_back_reals(&mut *#name);),
        Ty::Slice(t) if matches!(**t, Ty::Int(_)) => quote!(#tape.give_back_ints(&mut *#name);),
        Ty::Float(_) => quote!(#tape.give_back_reals(::core::slice::from_mut(&mut *#name));),
        Ty::Vec(t) if t.is_float() => quote!(#tape.give_back_vec(&mut *#name);),
        Ty::Slice(_) => {
            quote!(#name.clone_from_slice(&#tape.give_back_moved::<::std::vec::Vec<_>>());)
        }
        _ => quote!(*#name = #tape.give_back_moved();),
    }
}
