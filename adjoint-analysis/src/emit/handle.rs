//! The sweeps as functions, where calls from other annotated functions find them.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};

use super::interface::{Home, Interface, Param, adjoint_name, method_sweep, tape_parameter};
use super::types::marker;
use super::{Emit, allowed_lints, private};
use crate::ir::{Mode, Ty};
use crate::plan::Plan;

/// The bodies of what a handle offers.
pub struct Sweeps {
    /// Statements and value of the forward sweep.
    pub forward: TokenStream,
    /// Statements and increments of the reverse sweep.
    pub reverse: TokenStream,
    /// The name of the seed in the reverse sweep.
    pub seed: Ident,
    /// The names of the adjoints of reference parameters, and of the receiver.
    pub adjoints: Vec<Ident>,
    /// What the handle tells of the function.
    pub told: Told,
}

/// What a handle tells of its function, as types.
pub struct Told {
    /// The parameters whose values the reverse sweep reads.
    pub reads: TokenStream,
    /// For each output, the parameters that it depends on.
    pub depends: TokenStream,
}

/// The sweeps of a plan.
pub fn planned(interface: &Interface<'_>, plan: &Plan, emit: &mut Emit<'_>) -> Sweeps {
    let p = private();
    let (forward, reverse) = (emit.forward(), emit.reverse());
    let result = plan.func.ret.map(|r| emit.name(r).clone());
    let output = &interface.item.sig.output;
    let declare = result.as_ref().map(|name| match output {
        syn::ReturnType::Type(_, ty) => quote!(let mut #name: #ty;),
        syn::ReturnType::Default => quote!(let mut #name;),
    });
    let (mut start, mut increments, mut end) = (TokenStream::new(), Vec::new(), TokenStream::new());
    let mut adjoints = Vec::new();
    for (param, v) in interface.params.iter().zip(&plan.func.params) {
        let adjoint = plan.adjoint.get(v).filter(|_| param.adjoint);
        let name = adjoint.map(|a| emit.name(*a).clone());
        let incoming = match param.is_self && param.mode == Mode::Owned {
            true => format_ident!(
                "{}_out",
                adjoint_name(&param.name),
                span = Span::mixed_site()
            ),
            false => name.clone().unwrap_or_else(|| unused(param)),
        };
        adjoints.push(incoming.clone());
        if param.mode != Mode::Owned {
            continue;
        }
        if let Some(a) = adjoint {
            emit.let_blank(*a).to_tokens(&mut start);
        }
        let (marker, value) = (marker(&param.ty), &param.name);
        match (&name, param.is_self) {
            (Some(name), true) => {
                end.extend(quote!(#p::Shape::<#marker>::accumulate(#incoming, &#name);));
            }
            (None, true) => {}
            (Some(name), false) => increments.push(quote!(#name)),
            (None, false) if param.returns_floats() => {
                increments.push(quote!(#p::Shape::<#marker>::zero_like(&#value)));
            }
            (None, false) => increments.push(quote!(())),
        }
    }
    let seed = plan
        .func
        .ret
        .and_then(|r| plan.adjoint.get(&r))
        .map(|a| emit.name(*a).clone());
    Sweeps {
        forward: quote!(#declare #forward #result),
        reverse: quote!(#start #reverse #end (#(#increments,)*)),
        told: Told::of(emit),
        seed: seed.unwrap_or_else(|| Ident::new("_seed", Span::mixed_site())),
        adjoints,
    }
}

fn unused(param: &Param) -> Ident {
    format_ident!("_{}_adj", param.name, span = Span::mixed_site())
}

impl Told {
    fn of(emit: &Emit<'_>) -> Told {
        Told {
            reads: emit.reads().into(),
            depends: emit.depends().into(),
        }
    }

    /// What is said of sweeps that are not known.
    pub fn all() -> Told {
        let p = private();
        Told {
            reads: quote!(#p::All),
            depends: quote!(#p::All),
        }
    }
}

/// The sweeps at their home.
pub fn home(interface: &Interface<'_>, sweeps: &Sweeps) -> TokenStream {
    let lints = allowed_lints();
    let vis = &interface.item.vis;
    let p = private();
    match &interface.home {
        Home::Handle(handle) => {
            let Told { reads, depends } = &sweeps.told;
            let returns = returns(interface, handle);
            let name = |which: &str| Ident::new(which, Span::call_site());
            // The lints are allowed in the whole `impl`.
            let nothing = TokenStream::new();
            let functions = functions(interface, sweeps, &quote!(pub), &nothing, &name);
            quote! {
                #[doc(hidden)]
                #[allow(non_camel_case_types)]
                #vis enum #handle {}

                impl #p::Callee for #handle {
                    type Reads<__Caller: #p::Context> = #reads;
                    type Depends = #depends;
                }

                #returns

                #[doc(hidden)]
                #lints
                impl #handle { #functions }
            }
        }
        Home::Operator(header) => super::operator::home(interface, header, sweeps),
        Home::Impl => {
            let method = &interface.item.sig.ident;
            functions(interface, sweeps, &quote!(#vis), &lints, &|which| {
                method_sweep(method, which)
            })
        }
    }
}

fn functions(
    interface: &Interface<'_>,
    content: &Sweeps,
    vis: &TokenStream,
    lints: &TokenStream,
    name: &dyn Fn(&str) -> Ident,
) -> TokenStream {
    let results = match known_result(interface) {
        true => TokenStream::new(),
        false => result_functions(interface, vis, lints, name),
    };
    let sweeps = sweeps(interface, content, vis, lints, name);
    quote!(#results #sweeps)
}

/// The increments that the reverse sweep returns.
pub fn reverse_increments(interface: &Interface<'_>) -> impl Iterator<Item = TokenStream> {
    let by_value = interface.params.iter().filter(|p| p.by_value());
    by_value.map(|param| {
        let referent = &param.referent;
        match param.returns_floats() {
            true => quote!(#referent),
            false => quote!(()),
        }
    })
}

/// The two sweeps.
pub fn sweeps(
    interface: &Interface<'_>,
    sweeps: &Sweeps,
    vis: &TokenStream,
    lints: &TokenStream,
    name: &dyn Fn(&str) -> Ident,
) -> TokenStream {
    let sig = &interface.item.sig;
    let p = private();
    let (generics, output, clause) = (&sig.generics.params, &sig.output, interface.where_clause());
    let comma = (!generics.is_empty() && !generics.trailing_punct()).then(|| quote!(,));
    let context = Ident::new("context", Span::mixed_site());
    let forward_params =
        interface.sweep_list(quote!(#context: __Caller), tape_parameter(), |param| {
            let declared = &param.declared;
            quote!(#declared,)
        });
    let adjoint = |param: &Param| {
        let at = interface.params.iter().position(|q| q.name == param.name);
        at.map(|i| sweeps.adjoints[i].clone())
            .unwrap_or_else(|| unused(param))
    };
    let receiver = interface.params.iter().find(|p| p.is_self).map(|p| {
        let declared = &p.declared;
        quote!(#declared,)
    });
    let mut reverse_params = quote!(#receiver #context: __Caller,);
    let tape = tape_parameter();
    reverse_params.extend(quote!(#tape,));
    for param in &interface.params {
        if !param.is_self {
            let declared = &param.declared;
            reverse_params.extend(quote!(#declared,));
        }
        if !param.by_value() {
            let (name, referent) = (adjoint(param), &param.referent);
            reverse_params.extend(match param.adjoint {
                true => quote!(#name: &mut #referent,),
                false => quote!(#name: impl Sized,),
            });
        }
    }
    let returned = reverse_increments(interface);
    let seed = &sweeps.seed;
    let seed_ty = match output {
        syn::ReturnType::Type(_, ty) => quote!(#ty),
        syn::ReturnType::Default => quote!(()),
    };
    let (forward_name, reverse_name) = (name("forward"), name("reverse"));
    let (forward, reverse) = (&sweeps.forward, &sweeps.reverse);
    let inner_items = &interface.inner_items;
    quote! {
        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #forward_name<#generics #comma __Caller: #p::Context>(#forward_params) #output #clause {
            #(#inner_items)*
            #forward
        }

        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #reverse_name<#generics #comma __Caller: #p::Context>(
            #reverse_params
            mut #seed: #seed_ty,
        ) -> (#(#returned,)*) #clause {
            #(#inner_items)*
            #reverse
        }
    }
}

/// Whether the handle can name the type of the result, of which `Returns` then knows the rest.
fn known_result(interface: &Interface<'_>) -> bool {
    let generic = !interface.item.sig.generics.params.is_empty();
    matches!(interface.home, Home::Handle(_)) && !generic && is_own(&interface.ret)
}

/// Whether the type is made of Rust's own.
fn is_own(ty: &Ty) -> bool {
    match ty {
        Ty::Float(_) | Ty::Int(_) | Ty::Bool | Ty::Unit => true,
        Ty::Array(t, _) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => is_own(t),
        Ty::Tuple(ts) => ts.iter().all(is_own),
        _ => false,
    }
}

/// Says of what type the result is.
fn returns(interface: &Interface<'_>, handle: &Ident) -> TokenStream {
    let syn::ReturnType::Type(_, ty) = &interface.item.sig.output else {
        return TokenStream::new();
    };
    if !known_result(interface) {
        return TokenStream::new();
    }
    let (p, marker) = (private(), marker(&interface.ret));
    quote!(impl #p::Returns for #handle { type Kind = #marker; type Value = #ty; })
}

/// What a caller does with the result, whose type it may not know.
fn result_functions(
    interface: &Interface<'_>,
    vis: &TokenStream,
    lints: &TokenStream,
    name: &dyn Fn(&str) -> Ident,
) -> TokenStream {
    let syn::ReturnType::Type(_, ty) = &interface.item.sig.output else {
        return TokenStream::new();
    };
    let p = private();
    let (generics, clause) = interface.result_generics(ty);
    let (all, whole_clause) = (
        &interface.item.sig.generics.params,
        interface.where_clause(),
    );
    let marker = marker(&interface.ret);
    let (zero, save, add) = (
        name("result_zero"),
        name("result_save"),
        name("result_accumulate"),
    );
    let (load, load_as) = (name("result_load"), name("result_load_as"));
    quote! {
        #[doc(hidden)]
        #lints
        #[inline]
        #vis fn #add<#generics>(value: &mut #ty, increment: &#ty) #clause {
            #p::Shape::<#marker>::accumulate(value, increment);
        }

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
