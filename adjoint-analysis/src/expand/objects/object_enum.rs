//! The enum of all types of a module that implement a trait, with its `impl`s.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::Item;

use super::clone_impls;
use super::twins::{bound_traits, follows_box};
use crate::lower::items::attributes::is_conditional;
use crate::lower::types::{text, ungrouped};

/// The enum for the objects of a trait.
pub struct ObjectEnum {
    /// The name of the enum.
    pub name: String,
    /// The name of the trait.
    pub trait_name: String,
    /// The types that it holds; each variant is named like its type.
    pub types: Vec<String>,
    /// The enum and its `impl`s.
    pub items: Vec<Item>,
}

/// The enums of those traits among the items that occur in `Box<dyn Trait>`.
pub fn object_enums(items: &[Item]) -> Vec<ObjectEnum> {
    let mut boxed = BTreeSet::new();
    if !items.iter().any(|item| matches!(item, Item::Trait(_))) {
        return Vec::new();
    }
    for item in items {
        find_boxed(item.to_token_stream(), &mut boxed);
    }
    let traits = items.iter().filter_map(|item| match item {
        Item::Trait(t) if boxed.contains(&t.ident.to_string()) => Some(t),
        _ => None,
    });
    traits.filter_map(|of| object_enum(of, items)).collect()
}

/// Collects the traits of `Box<dyn Trait>`.
fn find_boxed(tokens: TokenStream, found: &mut BTreeSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(g) => find_boxed(g.stream(), found),
            TokenTree::Ident(word) if word == "dyn" && follows_box(&tokens[..at]) => {
                let ends = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == '>');
                let bounds = tokens[at + 1..].iter().take_while(|t| !ends(t));
                found.extend(bound_traits(bounds.cloned().collect()));
            }
            _ => {}
        }
    }
}

fn object_enum(of: &syn::ItemTrait, items: &[Item]) -> Option<ObjectEnum> {
    let name = &of.ident;
    let held = implementors(name, items);
    let (supertraits, is_printed) = supertraits(of, items)?;
    let implemented = [of].into_iter().chain(supertraits);
    let own = format_ident!("OneOf__{name}");
    let implemented: Option<Vec<_>> = implemented.map(|t| dispatch_impl(t, &own, &held)).collect();
    if held.is_empty() || !clone_impls::are_deep_clones(name, items) {
        return None;
    }
    let vis = &of.vis;
    let declared: Item = syn::parse_quote! {
        #vis enum #own { #(#held(#held)),* }
    };
    let printed = is_printed.then(|| debug_impl(&own, &held));
    let all = [declared].into_iter().chain(printed).chain(implemented?);
    Some(ObjectEnum {
        name: own.to_string(),
        trait_name: name.to_string(),
        types: held.iter().map(ToString::to_string).collect(),
        items: all.collect(),
    })
}

/// An `impl Debug` that prints the current variant's value, as an object does.
fn debug_impl(own: &Ident, held: &[Ident]) -> Item {
    syn::parse_quote! {
        impl ::core::fmt::Debug for #own {
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                match self {
                    #(#own::#held(of) => ::core::fmt::Debug::fmt(of, f)),*
                }
            }
        }
    }
}

/// The types among the items that implement the trait.
fn implementors(of: &Ident, items: &[Item]) -> Vec<Ident> {
    let declared = |name: &Ident| {
        items.iter().any(|item| match item {
            Item::Struct(s) => s.ident == *name && s.generics.params.is_empty(),
            Item::Enum(e) => e.ident == *name && e.generics.params.is_empty(),
            _ => false,
        })
    };
    let with = items.iter().filter_map(|item| match item {
        Item::Impl(i) if !is_conditional(&i.attrs) => {
            let (path, _) = i.trait_.as_ref()?;
            let syn::Type::Path(own) = ungrouped(&i.self_ty) else {
                return None;
            };
            let own = own.path.get_ident()?;
            let is_trait = path.segments.last().is_some_and(|s| s.ident == *of);
            (is_trait && declared(own)).then(|| own.clone())
        }
        _ => None,
    });
    with.collect()
}

/// The supertraits that the module declares, and whether `Debug` is one; `None` if there are unsupported ones.
fn supertraits<'a>(
    of: &syn::ItemTrait,
    items: &'a [Item],
) -> Option<(Vec<&'a syn::ItemTrait>, bool)> {
    let (mut traits, mut is_printed) = (Vec::new(), false);
    for bound in &of.supertraits {
        let syn::TypeParamBound::Trait(bound) = bound else {
            continue;
        };
        let name = &bound.path.segments.last()?.ident;
        let own = items.iter().find_map(|item| match item {
            Item::Trait(t) if t.ident == *name => Some(t),
            _ => None,
        });
        match own {
            Some(own) => {
                let (more, also) = supertraits(own, items)?;
                traits.push(own);
                traits.extend(more);
                is_printed |= also;
            }
            None if name == "Debug" => is_printed = true,
            None if ["Send", "Sync", "Any", "Unpin"].iter().any(|t| name == t) => {}
            None => return None,
        }
    }
    Some((traits, is_printed))
}

/// The `impl` of the trait for the enum, which dispatches to the current variant; `None` if the trait is not supported.
fn dispatch_impl(of: &syn::ItemTrait, own: &Ident, held: &[Ident]) -> Option<Item> {
    if !of.generics.params.is_empty() {
        return None;
    }
    let mut methods = Vec::new();
    for item in &of.items {
        let syn::TraitItem::Fn(f) = item else {
            return None;
        };
        match (dispatch_method(f, &of.ident, own, held), &f.default) {
            (Some(method), _) => methods.push(method),
            (None, Some(_)) if !is_dispatchable(&f.sig) => {}
            (None, _) => return None,
        }
    }
    let name = &of.ident;
    Some(syn::parse_quote!(impl #name for #own { #(#methods)* }))
}

/// Whether the method can be called on an object, so that types may override it.
fn is_dispatchable(sig: &syn::Signature) -> bool {
    let sized = |clause: &syn::WhereClause| text(clause).contains("Self : Sized");
    sig.receiver().is_some() && !sig.generics.where_clause.as_ref().is_some_and(sized)
}

/// The method that dispatches to the current variant, if objects have it.
fn dispatch_method(
    f: &syn::TraitItemFn,
    of: &Ident,
    own: &Ident,
    held: &[Ident],
) -> Option<TokenStream> {
    let receiver = f.sig.receiver()?;
    let is_boxed = match &receiver.kind {
        syn::ReceiverKind::Reference(..) => false,
        syn::ReceiverKind::Typed(_, ty) if text(ty) == "Box < Self >" => true,
        _ => return None,
    };
    let is_generic = f.sig.generics.type_params().next().is_some();
    let is_sized = f.sig.generics.where_clause.is_some();
    if is_generic || is_sized || is_conditional(&f.attrs) {
        return None;
    }
    let mut sig = f.sig.clone();
    let mut args = Vec::new();
    for (k, arg) in sig.inputs.iter_mut().skip(1).enumerate() {
        let syn::FnArg::Typed(arg) = arg else {
            return None;
        };
        let name = match &*arg.pat {
            syn::Pat::Ident(p) if p.by_ref.is_none() => p.ident.clone(),
            _ => format_ident!("__{k}"),
        };
        *arg.pat = syn::parse_quote!(#name);
        args.push(name);
    }
    let name = &sig.ident;
    let (whole, one) = match is_boxed {
        true => (quote!(*self), quote!(Box::new(__one))),
        false => (quote!(self), quote!(__one)),
    };
    let gives = matches!(sig.output, syn::ReturnType::Type(..));
    let arms = held.iter().map(|ty| {
        let call = quote!(<#ty as #of>::#name(#one, #(#args),*));
        match gives {
            true => quote!(#own::#ty(__one) => #call),
            false => quote!(#own::#ty(__one) => { #call; }),
        }
    });
    Some(quote!(#sig { match #whole { #(#arms),* } }))
}
