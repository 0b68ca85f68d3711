//! `#[cfg]` on functions and `impl`s: generated items get the same conditions.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, Item};

use crate::lower::items::attributes::{is_cfg, is_conditional};

/// The generated companion items under the conditions of the user's item.
pub fn items_under(attrs: &[Attribute], generated: TokenStream) -> TokenStream {
    if !is_conditional(attrs) {
        return generated;
    }
    let Ok(mut file) = syn::parse2::<syn::File>(generated.clone()) else {
        return generated;
    };
    let own = file.items.iter_mut().filter_map(item_attrs);
    own.for_each(|of| of.extend(conditions(attrs)));
    file.into_token_stream()
}

/// The generated companion members under the conditions of the user's method.
pub fn members_under(attrs: &[Attribute], generated: TokenStream) -> TokenStream {
    if !is_conditional(attrs) {
        return generated;
    }
    let Ok(mut block) = syn::parse2::<syn::ItemImpl>(quote!(impl Any { #generated })) else {
        return generated;
    };
    let own = block.items.iter_mut().filter_map(member_attrs);
    own.for_each(|of| of.extend(conditions(attrs)));
    let members = block.items;
    quote!(#(#members)*)
}

fn conditions(attrs: &[Attribute]) -> impl Iterator<Item = Attribute> {
    attrs.iter().filter(|a| is_cfg(a)).cloned()
}

/// The attributes of an item, for the kinds that are generated.
fn item_attrs(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    match item {
        Item::Const(i) => Some(&mut i.attrs),
        Item::Enum(i) => Some(&mut i.attrs),
        Item::Fn(i) => Some(&mut i.attrs),
        Item::Impl(i) => Some(&mut i.attrs),
        Item::Macro(i) => Some(&mut i.attrs),
        _ => None,
    }
}

/// The attributes of a member, for the kinds that are generated.
fn member_attrs(item: &mut ImplItem) -> Option<&mut Vec<Attribute>> {
    match item {
        ImplItem::Const(i) => Some(&mut i.attrs),
        ImplItem::Fn(i) => Some(&mut i.attrs),
        ImplItem::Macro(i) => Some(&mut i.attrs),
        _ => None,
    }
}
