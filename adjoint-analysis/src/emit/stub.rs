//! What is emitted where the function is refused: the signature, so that callers do not cascade.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::interface::{adjoint_function_name, adjoint_name};
use crate::ir::{Mode, Ty};
use crate::lower::Environment;
use crate::lower::signature::environment;
use crate::lower::types::lower_type;

/// `f_adjoint` and `f_adjoint_with` with bodies that are never run. The macro's own errors stand
/// beside them.
pub fn stub(item: &syn::ItemFn, handle: &Ident, env: &Environment) -> TokenStream {
    let in_impl = env.self_ty.is_some();
    let env = environment(&item.sig.generics, env);
    let (generics, clause, output) =
        (&item.sig.generics.params, &item.sig.generics.where_clause, &item.sig.output);
    let params = parameters(item, &env);
    let (vis, name) = (&item.vis, adjoint_function_name(&item.sig));
    let with = format_ident!("{}_with", name);
    let receiver = item.sig.receiver().map(|r| quote!(#r,));
    let handle = (!in_impl).then(|| {
        quote! {
            #[doc(hidden)]
            #[allow(non_camel_case_types)]
            #vis type #handle = ::adjoint::__private::fallback::__callee;
        }
    });
    quote! {
        #[allow(unused_variables, clippy::all)]
        #vis fn #name<#generics>(#receiver #params) #output #clause { ::core::unreachable!() }
        #[allow(unused_variables, clippy::all)]
        #vis fn #with<#generics>(#receiver tape: &mut ::adjoint::Tape, #params) #output #clause {
            ::core::unreachable!()
        }
        #handle
    }
}

fn parameters(item: &syn::ItemFn, env: &Environment) -> TokenStream {
    let mut list = TokenStream::new();
    for arg in &item.sig.inputs {
        let syn::FnArg::Typed(t) = arg else {
            list.extend(quote!(self_adj: &mut Self,));
            continue;
        };
        let syn::Pat::Ident(p) = &*t.pat else { continue };
        let (name, written) = (&p.ident, &t.ty);
        let (ty, mode) = lower_type(written, env);
        list.extend(quote!(#name: #written,));
        if ty.carries_floats() {
            let adjoint = adjoint_name(name);
            let referent = match (&**written, mode) {
                (syn::Type::Reference(r), Mode::Shared | Mode::Mut) => {
                    let elem = &r.elem;
                    quote!(#elem)
                }
                _ => quote!(#written),
            };
            list.extend(quote!(#adjoint: &mut #referent,));
        }
    }
    if let syn::ReturnType::Type(_, ty) = &item.sig.output {
        match lower_type(ty, env).0 {
            Ty::Vec(t) => {
                let t = super::types::tokens(&t);
                list.extend(quote!(ret_adj: &[#t],));
            }
            t if t.carries_floats() => list.extend(quote!(ret_adj: #ty,)),
            _ => {}
        }
    }
    list
}
