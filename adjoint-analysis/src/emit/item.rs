//! The functions around the sweeps: `f_adjoint`, `f_adjoint_with`, and the handle.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::types::marker;
use super::{Emit, private, tape};
use crate::ir::{Func, Mode, Ty, VarId};
use crate::lower::Lowered;
use crate::plan::Plan;

/// A parameter as the generated functions need it.
pub struct Param {
    /// Its name.
    pub name: Ident,
    /// The type as the user wrote it.
    pub written: syn::Type,
    /// What it refers to, where it is a reference.
    pub referent: syn::Type,
    /// How it is passed.
    pub mode: Mode,
    /// Its type in the IR.
    pub ty: Ty,
    /// Whether the generated functions take its adjoint.
    pub adjoint: bool,
}

/// The signature, taken apart.
pub struct Interface<'a> {
    /// The user's function.
    pub item: &'a syn::ItemFn,
    /// Its parameters.
    pub params: Vec<Param>,
    /// The type it returns.
    pub ret: Ty,
    /// The type it returns, where that carries floats.
    pub seed: Option<Ty>,
    /// Whether the return value is a dependent.
    pub ret_is_dependent: bool,
    /// The type parameters that get the bound `Real`.
    pub float_params: Vec<String>,
    /// The handle's name.
    pub handle: Ident,
    /// The items in the function's body, which both sweeps need.
    pub inner_items: Vec<TokenStream>,
    /// The report, as the documentation of `f_adjoint`.
    pub report: String,
}

/// The lints that generated functions may trip, which are about code that people write.
fn allowed_lints() -> TokenStream {
    quote! {
        #[allow(
            // Parameters are doubled.
            clippy::too_many_arguments,
            clippy::type_complexity,
            // The sweeps are printed statement by statement, in one shape.
            clippy::all,
            // Items in the body stand in both sweeps.
            dead_code,
            unused_imports,
            deprecated,
            non_snake_case,
            unreachable_code,
            unreachable_patterns,
            unused_assignments,
            unused_labels,
            unused_mut,
            unused_parens,
            unused_variables
        )]
    }
}

/// Everything that is emitted beside the user's function.
pub fn items(interface: &Interface<'_>, lowered: &Lowered, plan: &Plan) -> TokenStream {
    let mut emit = Emit::new(plan, &lowered.code);
    let public = public_functions(interface, plan);
    let handle = handle(interface, plan, &mut emit);
    quote!(#public #handle)
}

/// The generics of the generated functions, with the bounds on top of the user's.
fn where_clause(interface: &Interface<'_>) -> TokenStream {
    let mut generics = interface.item.sig.generics.clone();
    let clause = generics.make_where_clause();
    for name in &interface.float_params {
        let name = Ident::new(name, Span::call_site());
        clause.predicates.push(syn::parse_quote!(#name: ::adjoint::Real));
    }
    match clause.predicates.is_empty() {
        true => TokenStream::new(),
        false => quote!(#clause),
    }
}

/// The adjoint parameter of a parameter.
pub fn adjoint_name(name: &Ident) -> Ident {
    format_ident!("{}_adj", name, span = name.span())
}

/// `x: &[f64], x_adj: &mut [f64], ..` and the seed.
pub fn public_parameters(interface: &Interface<'_>) -> TokenStream {
    let mut list = TokenStream::new();
    for p in &interface.params {
        let (name, written, referent) = (&p.name, &p.written, &p.referent);
        list.extend(quote!(#name: #written,));
        if p.adjoint {
            let adjoint = adjoint_name(name);
            list.extend(quote!(#adjoint: &mut #referent,));
        }
    }
    if let (Some(ty), true) = (&interface.seed, interface.ret_is_dependent) {
        let ty = match (ty, &interface.item.sig.output) {
            (Ty::Vec(_), syn::ReturnType::Type(_, t)) => {
                let element = vec_element(t);
                quote!(&[#element])
            }
            (_, syn::ReturnType::Type(_, t)) => quote!(#t),
            _ => quote!(()),
        };
        list.extend(quote!(ret_adj: #ty,));
    }
    list
}

/// `T` of `Vec<T>`.
fn vec_element(ty: &syn::Type) -> TokenStream {
    if let syn::Type::Path(p) = ty {
        if let Some(syn::PathArguments::AngleBracketed(args)) =
            p.path.segments.last().map(|s| &s.arguments)
        {
            let args = &args.args;
            return quote!(#args);
        }
    }
    quote!(#ty)
}

fn arguments(interface: &Interface<'_>) -> TokenStream {
    let mut list = TokenStream::new();
    for p in &interface.params {
        let name = &p.name;
        list.extend(quote!(#name,));
        if p.adjoint {
            let adjoint = adjoint_name(name);
            list.extend(quote!(#adjoint,));
        }
    }
    if interface.seed.is_some() && interface.ret_is_dependent {
        list.extend(quote!(ret_adj,));
    }
    list
}

fn public_functions(interface: &Interface<'_>, plan: &Plan) -> TokenStream {
    let sig = &interface.item.sig;
    let vis = &interface.item.vis;
    let name = adjoint_function_name(sig);
    let with = format_ident!("{}_adjoint_with", sig.ident, span = sig.ident.span());
    let (generics, output, clause) = (&sig.generics.params, &sig.output, where_clause(interface));
    let (params, args) = (public_parameters(interface), arguments(interface));
    let (tape, p, lints) = (tape(), private(), allowed_lints());
    let report = &interface.report;
    let body = joint(interface, plan);
    let turbofish = turbofish(sig);
    quote! {
        #[doc = #report]
        #lints
        #vis fn #name<#generics>(#params) #output #clause {
            let mut #tape = #p::Tape::new();
            #with #turbofish(&mut #tape, #args)
        }

        #[doc = "The same on a tape that the caller keeps, so that repeated sweeps allocate once."]
        #lints
        #vis fn #with<#generics>(#tape: &mut #p::Tape, #params) #output #clause {
            #body
        }
    }
}

/// `f_adjoint`
pub fn adjoint_function_name(sig: &syn::Signature) -> Ident {
    format_ident!("{}_adjoint", sig.ident, span = sig.ident.span())
}

/// `::<T, N>` for a call of a sibling with the same generics.
fn turbofish(sig: &syn::Signature) -> TokenStream {
    let names = generic_names(sig);
    match names.is_empty() {
        true => TokenStream::new(),
        false => quote!(::<#(#names),*>),
    }
}

fn generic_names(sig: &syn::Signature) -> Vec<TokenStream> {
    sig.generics
        .params
        .iter()
        .filter_map(|g| match g {
            syn::GenericParam::Type(t) => {
                let name = &t.ident;
                Some(quote!(#name))
            }
            syn::GenericParam::Const(c) => {
                let name = &c.ident;
                Some(quote!(#name))
            }
            syn::GenericParam::Lifetime(_) => None,
        })
        .collect()
}

/// The same for a sweep, which has its context as one type parameter more.
fn sweep_turbofish(sig: &syn::Signature) -> TokenStream {
    let names = generic_names(sig);
    match names.is_empty() {
        true => TokenStream::new(),
        false => quote!(::<#(#names,)* _>),
    }
}

/// Checks, the two sweeps, and what the caller gets.
fn joint(interface: &Interface<'_>, plan: &Plan) -> TokenStream {
    let (tape, p) = (tape(), private());
    let handle = &interface.handle;
    let turbofish = sweep_turbofish(&interface.item.sig);
    let ret = Ident::new("ret", Span::mixed_site());
    let checks = interface.params.iter().filter(|param| param.adjoint).map(|param| check(param));
    let forward_args = interface.params.iter().map(|param| {
        let name = &param.name;
        match param.mode {
            Mode::Owned if !param.ty.is_scalar() => quote!(::core::clone::Clone::clone(&#name)),
            Mode::Mut => quote!(&mut *#name),
            _ => quote!(#name),
        }
    });
    let mut reverse_args = TokenStream::new();
    let mut increments = Vec::new();
    let mut add = TokenStream::new();
    for param in &interface.params {
        let (name, adjoint) = (&param.name, adjoint_name(&param.name));
        match param.mode {
            Mode::Owned => {
                reverse_args.extend(quote!(#name,));
                let increment = format_ident!("{}_increment", name, span = Span::mixed_site());
                if param.adjoint {
                    let marker = marker(&param.ty);
                    add.extend(quote!(#p::Shape::<#marker>::accumulate(#adjoint, &#increment);));
                    increments.push(quote!(#increment));
                } else {
                    increments.push(quote!(_));
                }
            }
            mode => {
                let borrow = if mode == Mode::Mut { quote!(&mut *#name) } else { quote!(#name) };
                reverse_args.extend(quote!(#borrow,));
                match param.adjoint {
                    true => reverse_args.extend(quote!(#adjoint,)),
                    false => reverse_args.extend(quote!((),)),
                }
            }
        }
    }
    let seed = match (&interface.seed, interface.ret_is_dependent) {
        (Some(Ty::Vec(_)), true) => quote!(ret_adj.to_vec()),
        (Some(_), true) => quote!(ret_adj),
        (Some(ty), false) => {
            let marker = marker(ty);
            quote!(#p::Shape::<#marker>::zero_like(&#ret))
        }
        (None, _) => quote!(::core::default::Default::default()),
    };
    let kept: Vec<&Param> = plan.restores.iter().filter_map(|v| param_of(interface, plan, *v)).collect();
    let keep = kept.iter().map(|param| keep(param));
    let give_back = kept.iter().rev().map(|param| give_back(param));
    let function = &interface.item.sig.ident;
    let instance = self::turbofish(&interface.item.sig);
    quote! {
        // Who uses the adjoint uses the function.
        let _ = #function #instance;
        #(#checks)*
        #tape.begin();
        let #ret = #handle::forward #turbofish(#p::Outermost, #tape, #(#forward_args),*);
        #(#keep)*
        #tape.turn();
        let (#(#increments,)*) = #handle::reverse #turbofish(#p::Outermost, #tape, #reverse_args #seed);
        #(#give_back)*
        #tape.end();
        #add
        #ret
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
    let (marker, text, adjoint_text) = (marker(&param.ty), name.to_string(), adjoint.to_string());
    let value = match param.mode {
        Mode::Owned => quote!(&#name),
        _ => quote!(&*#name),
    };
    quote!(#p::check_adjoint::<#marker, _>(#text, #value, #adjoint_text, &*#adjoint);)
}

/// The exit value of an in-out parameter, put aside while the reverse sweep goes back over it.
fn keep(param: &Param) -> TokenStream {
    let (tape, name) = (tape(), &param.name);
    match &param.ty {
        Ty::Slice(t) if t.is_float() => quote!(#tape.keep_reals(&*#name);),
        Ty::Slice(t) if matches!(**t, Ty::Int(_)) => quote!(#tape.keep_ints(&*#name);),
        Ty::Float(_) => quote!(#tape.keep_reals(::core::slice::from_ref(&*#name));),
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
        Ty::Slice(_) => {
            quote!(#name.clone_from_slice(&#tape.give_back_moved::<::std::vec::Vec<_>>());)
        }
        _ => quote!(*#name = #tape.give_back_moved();),
    }
}

/// The handle: the two sweeps, as calls from other annotated functions find them.
fn handle(interface: &Interface<'_>, plan: &Plan, emit: &mut Emit<'_>) -> TokenStream {
    let sig = &interface.item.sig;
    let vis = &interface.item.vis;
    let (handle, p, tape, lints) = (&interface.handle, private(), tape(), allowed_lints());
    let (generics, output, clause) = (&sig.generics.params, &sig.output, where_clause(interface));
    let context = Ident::new("context", Span::mixed_site());
    let comma = (!sig.generics.params.is_empty() && !sig.generics.params.trailing_punct())
        .then(|| quote!(,));
    let forward_params = interface.params.iter().map(|param| {
        let (name, ty) = (&param.name, &param.written);
        quote!(#name: #ty)
    });
    let forward = emit.forward();
    let result = plan.func.ret.map(|r| {
        let name = emit.name(r);
        name.clone()
    });
    let declare = result.as_ref().map(|name| {
        let ty = match output {
            syn::ReturnType::Type(_, ty) => quote!(: #ty),
            syn::ReturnType::Default => TokenStream::new(),
        };
        quote!(let mut #name #ty;)
    });
    let (reverse_params, increments, returned) = reverse_signature(interface, plan, emit);
    let by_value = plan.func.params.iter().filter(|v| plan.func.var(**v).mode == Mode::Owned);
    let increments_start = by_value
        .filter(|v| plan.interface.contains(v))
        .filter_map(|v| plan.adjoint.get(v))
        .map(|a| emit.let_blank(*a))
        .collect::<Vec<_>>();
    let reverse = emit.reverse();
    let inner_items = &interface.inner_items;
    let seed = seed_parameter(interface, plan, emit);
    let results = result_functions(interface, &clause);
    quote! {
        #[doc(hidden)]
        #[allow(non_camel_case_types)]
        #vis enum #handle {}

        impl #p::Annotated for #handle {}

        #[doc(hidden)]
        #lints
        impl #handle {
            #results

            #[inline]
            pub fn forward<#generics #comma C: #p::Context>(
                #context: C,
                #tape: &mut #p::Tape,
                #(#forward_params),*
            ) #output #clause {
                #(#inner_items)*
                #declare
                #forward
                #result
            }

            #[inline]
            pub fn reverse<#generics #comma C: #p::Context>(
                #context: C,
                #tape: &mut #p::Tape,
                #reverse_params
                #seed
            ) -> (#(#returned,)*) #clause {
                #(#inner_items)*
                #(#increments_start)*
                #reverse
                (#(#increments,)*)
            }
        }
    }
}

/// What a caller does with the result, whose type it may not know.
fn result_functions(interface: &Interface<'_>, clause: &TokenStream) -> TokenStream {
    let syn::ReturnType::Type(_, ty) = &interface.item.sig.output else { return TokenStream::new() };
    let (p, generics) = (private(), &interface.item.sig.generics.params);
    let marker = marker(&interface.ret);
    quote! {
        #[inline]
        pub fn result_zero<#generics>(value: &#ty) -> #ty #clause {
            #p::Shape::<#marker>::zero_like(value)
        }

        #[inline]
        pub fn result_save<#generics>(value: &#ty, tape: &mut #p::Tape) #clause {
            #p::Shape::<#marker>::save(value, tape);
        }

        #[inline]
        pub fn result_load<#generics>(tape: &mut #p::Tape) -> #ty #clause {
            #p::Shape::<#marker>::load(tape)
        }
    }
}

/// The parameters of the reverse sweep; the increments that it returns, and their types.
fn reverse_signature(
    interface: &Interface<'_>,
    plan: &Plan,
    emit: &Emit<'_>,
) -> (TokenStream, Vec<TokenStream>, Vec<TokenStream>) {
    let mut list = TokenStream::new();
    let (mut increments, mut returned) = (Vec::new(), Vec::new());
    let p = private();
    for (param, v) in interface.params.iter().zip(&plan.func.params) {
        let (name, written, referent) = (&param.name, &param.written, &param.referent);
        list.extend(quote!(#name: #written,));
        let adjoint = plan.adjoint.get(v).map(|a| emit.name(*a).clone());
        match (param.mode, param.adjoint, adjoint) {
            (Mode::Owned, true, Some(adjoint)) => {
                increments.push(quote!(#adjoint));
                returned.push(quote!(#referent));
            }
            (Mode::Owned, true, None) => {
                let marker = marker(&param.ty);
                increments.push(quote!(#p::Shape::<#marker>::zero_like(&#name)));
                returned.push(quote!(#referent));
            }
            (Mode::Owned, false, _) if param.ty.carries_floats() && !is_user_type(&param.ty) => {
                let marker = marker(&param.ty);
                increments.push(quote!(#p::Shape::<#marker>::zero_like(&#name)));
                returned.push(quote!(#referent));
            }
            (Mode::Owned, false, _) => {
                increments.push(quote!(()));
                returned.push(quote!(()));
            }
            (_, true, Some(adjoint)) => list.extend(quote!(#adjoint: &mut #referent,)),
            (_, true, None) => {
                let unused = format_ident!("_{}_adj", name, span = Span::mixed_site());
                list.extend(quote!(#unused: &mut #referent,));
            }
            (_, false, _) => {
                let unused = format_ident!("_{}_adj", name, span = Span::mixed_site());
                list.extend(quote!(#unused: impl Sized,));
            }
        }
    }
    (list, increments, returned)
}

/// Whether only rustc knows whether the type carries floats: left out, it need not be differentiable.
fn is_user_type(ty: &Ty) -> bool {
    matches!(ty, Ty::Named(_) | Ty::Unknown)
}

/// The last parameter of the reverse sweep.
fn seed_parameter(interface: &Interface<'_>, plan: &Plan, emit: &Emit<'_>) -> TokenStream {
    let ty = match &interface.item.sig.output {
        syn::ReturnType::Type(_, ty) => quote!(#ty),
        syn::ReturnType::Default => quote!(()),
    };
    match plan.func.ret.and_then(|r| plan.adjoint.get(&r)) {
        Some(a) => {
            let name = emit.name(*a);
            quote!(mut #name: #ty)
        }
        None => {
            let unused = Ident::new("_seed", Span::mixed_site());
            quote!(#unused: #ty)
        }
    }
}

/// The parameters of the user's function.
pub fn params(item: &syn::ItemFn, func: &Func, with_adjoint: &[VarId]) -> Vec<Param> {
    let typed = item.sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(t) => match &*t.pat {
            syn::Pat::Ident(p) => Some((p.ident.clone(), (*t.ty).clone())),
            _ => None,
        },
        syn::FnArg::Receiver(_) => None,
    });
    typed
        .zip(&func.params)
        .map(|((name, written), v)| {
            let var = func.var(*v);
            let referent = match &written {
                syn::Type::Reference(r) => (*r.elem).clone(),
                ty => ty.clone(),
            };
            Param {
                name,
                written,
                referent,
                mode: var.mode,
                ty: var.ty.clone(),
                adjoint: with_adjoint.contains(v) && var.ty.carries_floats(),
            }
        })
        .collect()
}
