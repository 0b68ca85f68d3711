//! Twins as they are emitted: where the user's program makes a trait object of a value, the twin converts it to the
//! enum. rustc infers the conversion from the expected type of the box, as it infers the coercion in the user's
//! program.

use std::collections::BTreeSet;

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::Item;
use syn::visit_mut::VisitMut;

use super::twins::Twins;
use crate::lower::aggregate::trait_object::ObjectEnums;
use crate::lower::items::generics::trait_name;

/// The emitted form of a function's, trait's or `impl`'s twin; `None` for a type, whose twin needs no conversion.
pub fn convert_twin(twin: &Item, renamed: &Twins) -> Option<Item> {
    let mut twin = match twin {
        Item::Fn(_) | Item::Impl(_) | Item::Trait(_) => twin.clone(),
        _ => return None,
    };
    TwinConversion(renamed).visit_item_mut(&mut twin);
    Some(twin)
}

struct TwinConversion<'a>(&'a Twins);

impl TwinConversion<'_> {
    fn convert_body(&self, sig: &mut syn::Signature, body: &mut syn::Block) {
        let mut bounds = IntoBounds(self.0, false);
        bounds.visit_signature_mut(sig);
        let make = match bounds.1 {
            true => |value: Group| quote!(__object #value),
            false => |value: Group| quote!(__Boxing #value.boxed()),
        };
        if let Ok(converted) = syn::parse2(replace_box_new(body.to_token_stream(), &make)) {
            *body = converted;
        }
    }
}

impl VisitMut for TwinConversion<'_> {
    fn visit_item_fn_mut(&mut self, f: &mut syn::ItemFn) {
        self.convert_body(&mut f.sig, &mut f.block);
    }

    fn visit_trait_item_fn_mut(&mut self, f: &mut syn::TraitItemFn) {
        if let Some(body) = &mut f.default {
            self.convert_body(&mut f.sig, body);
        }
    }

    fn visit_impl_item_fn_mut(&mut self, f: &mut syn::ImplItemFn) {
        self.convert_body(&mut f.sig, &mut f.block);
    }
}

/// Adds the bound `Into<Enum>` to type parameters with a trait that has an enum; the flag says whether there is one.
struct IntoBounds<'a>(&'a Twins, bool);

impl IntoBounds<'_> {
    fn add_into(
        &mut self,
        bounds: &mut syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>,
    ) {
        let names = bounds.iter().filter_map(trait_name);
        let objects = names.filter_map(|name| self.0.objects.get(&name));
        let objects: Vec<_> = objects.map(|name| format_ident!("{name}")).collect();
        self.1 |= !objects.is_empty();
        bounds.extend(
            objects
                .iter()
                .map(|of| -> syn::TypeParamBound { syn::parse_quote!(Into<#of>) }),
        );
    }
}

impl VisitMut for IntoBounds<'_> {
    fn visit_type_param_mut(&mut self, param: &mut syn::TypeParam) {
        self.add_into(&mut param.bounds);
    }

    fn visit_predicate_type_mut(&mut self, predicate: &mut syn::PredicateType) {
        self.add_into(&mut predicate.bounds);
    }

    fn visit_type_impl_trait_mut(&mut self, ty: &mut syn::TypeImplTrait) {
        self.add_into(&mut ty.bounds);
    }

    fn visit_return_type_mut(&mut self, _: &mut syn::ReturnType) {}
}

/// The tokens with each `Box::new(value)` replaced.
fn replace_box_new(tokens: TokenStream, make: &dyn Fn(Group) -> TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(g) => {
                let mut group = Group::new(g.delimiter(), replace_box_new(g.stream(), make));
                group.set_span(g.span());
                match ends_in_box_new(&out) {
                    true => {
                        out.truncate(out.len() - 4);
                        out.extend(make(group));
                    }
                    false => out.push(TokenTree::Group(group)),
                }
            }
            token => out.push(token),
        }
    }
    out.into_iter().collect()
}

/// Whether the tokens end in `Box::new`.
fn ends_in_box_new(before: &[TokenTree]) -> bool {
    match before {
        [
            ..,
            TokenTree::Ident(of),
            TokenTree::Punct(a),
            TokenTree::Punct(b),
            TokenTree::Ident(new),
        ] => of == "Box" && a.as_char() == ':' && b.as_char() == ':' && new == "new",
        _ => false,
    }
}

/// The items that convert boxed values to enums where needed, and leave other values unchanged.
pub fn conversion_items(objects: &ObjectEnums) -> Vec<Item> {
    let mut items: Vec<Item> = vec![
        syn::parse_quote!(
            fn __object<__T: Into<__U>, __U>(value: __T) -> Box<__U> {
                Box::new(value.into())
            }
        ),
        syn::parse_quote!(
            struct __Boxing<__T>(__T);
        ),
        syn::parse_quote!(
            trait __Boxed<__T> {
                fn boxed(self) -> Box<__T>;
            }
        ),
        syn::parse_quote!(
            impl<__T> __Boxed<__T> for __Boxing<__T> {
                fn boxed(self) -> Box<__T> {
                    Box::new(self.0)
                }
            }
        ),
    ];
    let mut held = BTreeSet::new();
    for (name, variants) in objects {
        let name = format_ident!("{name}");
        for (ty, variant) in variants {
            let (own, variant) = (format_ident!("{ty}"), format_ident!("{variant}"));
            items.push(syn::parse_quote!(impl From<#own> for #name {
                fn from(value: #own) -> Self { #name::#variant(value) }
            }));
            if held.insert(ty) {
                items.push(syn::parse_quote!(impl __Boxing<#own> {
                    fn boxed<__T: From<#own>>(self) -> Box<__T> { Box::new(__T::from(self.0)) }
                }));
            }
        }
    }
    items
}
