//! Methods whose signatures mention boxed trait objects (`fn boxed(&self) -> Box<dyn Shape>`): the twin has another
//! name, since a trait has one signature per method. Twins of methods are in a trait of their own, or beside the type's
//! methods.

use std::collections::BTreeSet;

use quote::{ToTokens, format_ident};
use syn::{ImplItem, Item, TraitItem};

use super::impl_header;
use super::twins::{Twins, function_twin};
use crate::lower::types::ungrouped;

/// The names of such methods of traits and of types without a twin, unless another method has the same name.
pub fn renamed_methods(items: &[Item], renamed: &Twins) -> BTreeSet<String> {
    let (mut changed, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut add = |sig: &syn::Signature| {
        let name = sig.ident.to_string();
        match renamed.mentions_renamed(sig.to_token_stream()) {
            true => changed.insert(name),
            false => others.insert(name),
        };
    };
    for item in items {
        match item {
            Item::Trait(t) => trait_methods(t).for_each(|f| add(&f.sig)),
            Item::Impl(i) if i.trait_.is_none() && !renamed.mentions_renamed(impl_header(i)) => {
                impl_methods(i).for_each(|f| add(&f.sig));
            }
            _ => {}
        }
    }
    &changed - &others
}

fn trait_methods(of: &syn::ItemTrait) -> impl Iterator<Item = &syn::TraitItemFn> {
    of.items.iter().filter_map(|item| match item {
        TraitItem::Fn(f) => Some(f),
        _ => None,
    })
}

fn impl_methods(of: &syn::ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    of.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) => Some(f),
        _ => None,
    })
}

/// Whether the type is a `Box<..>`.
pub fn is_box(ty: &syn::Type) -> bool {
    matches!(ungrouped(ty), syn::Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Box"))
}

impl Twins {
    /// Moves the renamed methods out of a trait or an `impl` to a twin of it.
    pub fn split_renamed(&self, seen: &mut Item) -> Option<Item> {
        match seen {
            Item::Trait(of) => self.split_trait(of).map(Item::Trait),
            Item::Impl(of) => self.split_impl(of).map(Item::Impl),
            _ => None,
        }
    }

    fn is_renamed(&self, sig: &syn::Signature) -> bool {
        let mut names = self.methods.iter();
        names.any(|name| sig.ident == twin_name(name))
    }

    fn split_trait(&self, of: &mut syn::ItemTrait) -> Option<syn::ItemTrait> {
        let is_apart =
            |item: &TraitItem| matches!(item, TraitItem::Fn(f) if self.is_renamed(&f.sig));
        let (apart, items) = std::mem::take(&mut of.items)
            .into_iter()
            .partition(is_apart);
        of.items = items;
        let (name, apart): (_, Vec<TraitItem>) = (&of.ident, apart);
        let twin = syn::ItemTrait {
            ident: trait_twin(name),
            supertraits: syn::parse_quote!(#name),
            attrs: Vec::new(),
            items: apart,
            ..of.clone()
        };
        (!twin.items.is_empty()).then_some(twin)
    }

    fn split_impl(&self, of: &mut syn::ItemImpl) -> Option<syn::ItemImpl> {
        let is_apart = |item: &ImplItem| matches!(item, ImplItem::Fn(f) if self.is_renamed(&f.sig));
        let (apart, items) = std::mem::take(&mut of.items)
            .into_iter()
            .partition(is_apart);
        of.items = items;
        let mut twin = syn::ItemImpl {
            attrs: Vec::new(),
            items: apart,
            ..of.clone()
        };
        if let Some((path, _)) = &mut twin.trait_ {
            let last = path.segments.last_mut()?;
            let own = trait_twin(&last.ident);
            let name = std::mem::replace(&mut last.ident, own);
            // The dispatch of an enum calls the twin of the trait.
            for item in &mut twin.items {
                redirect_to_twin(item, &name);
            }
        }
        (!twin.items.is_empty()).then_some(twin)
    }

    /// Adds stubs for the trait's original methods, which are never called on a twin.
    pub fn add_stubs(&self, of: &Item, seen: &mut Item) {
        let (Item::Impl(of), Item::Impl(seen)) = (of, seen) else {
            return;
        };
        if of.trait_.is_some() {
            let renamed =
                impl_methods(of).filter(|f| self.methods.contains(&f.sig.ident.to_string()));
            let stubs = renamed.map(|f| {
                let sig = &f.sig;
                syn::parse_quote!(#sig { ::core::unreachable!() })
            });
            seen.items.extend(stubs);
        }
    }
}

fn twin_name(name: &str) -> syn::Ident {
    function_twin(&format_ident!("{name}"))
}

fn trait_twin(name: &syn::Ident) -> syn::Ident {
    format_ident!("Swept__{name}")
}

/// Makes `<Type as Trait>::method(..)` call the twin of the trait.
fn redirect_to_twin(item: &mut ImplItem, of: &syn::Ident) {
    struct RedirectToTwin<'a>(&'a syn::Ident);
    impl syn::visit_mut::VisitMut for RedirectToTwin<'_> {
        fn visit_expr_path_mut(&mut self, p: &mut syn::ExprPath) {
            let is_of = p.qself.is_some() && p.path.segments[0].ident == *self.0;
            if is_of {
                p.path.segments[0].ident = trait_twin(self.0);
            }
        }
    }
    syn::visit_mut::VisitMut::visit_impl_item_mut(&mut RedirectToTwin(of), item);
}
