//! Methods whose signatures mention boxed trait objects (`fn boxed(&self) -> Box<dyn Shape>`): the twin has another
//! name, since a trait has one signature per method. Twins of methods are in a trait of their own, or beside the type's
//! methods.

use std::collections::BTreeSet;

use quote::{ToTokens, format_ident};
use syn::{ImplItem, Item, TraitItem};

use super::header;
use super::renamed::{Renamed, function_twin};
use crate::lower::types::ungrouped;

/// The names of such methods of traits and of types without a twin, unless another method has the same name.
pub fn changed(items: &[Item], renamed: &Renamed) -> BTreeSet<String> {
    let (mut changed, mut others) = (BTreeSet::new(), BTreeSet::new());
    let mut add = |sig: &syn::Signature| {
        let name = sig.ident.to_string();
        match renamed.changes(sig.to_token_stream()) {
            true => changed.insert(name),
            false => others.insert(name),
        };
    };
    for item in items {
        match item {
            Item::Trait(t) => methods_of_trait(t).for_each(|f| add(&f.sig)),
            Item::Impl(i) if i.trait_.is_none() && !renamed.changes(header(i)) => {
                methods(i).for_each(|f| add(&f.sig));
            }
            _ => {}
        }
    }
    &changed - &others
}

fn methods_of_trait(of: &syn::ItemTrait) -> impl Iterator<Item = &syn::TraitItemFn> {
    of.items.iter().filter_map(|item| match item {
        TraitItem::Fn(f) => Some(f),
        _ => None,
    })
}

fn methods(of: &syn::ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    of.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) => Some(f),
        _ => None,
    })
}

/// Whether the type is a `Box<..>`.
pub fn is_box(ty: &syn::Type) -> bool {
    matches!(ungrouped(ty), syn::Type::Path(p) if p.path.segments.last().is_some_and(|s| s.ident == "Box"))
}

impl Renamed {
    /// Moves the renamed methods out of a trait or an `impl` to a twin of it.
    pub fn methods_apart(&self, seen: &mut Item) -> Option<Item> {
        match seen {
            Item::Trait(of) => self.trait_apart(of).map(Item::Trait),
            Item::Impl(of) => self.impl_apart(of).map(Item::Impl),
            _ => None,
        }
    }

    fn is_renamed(&self, sig: &syn::Signature) -> bool {
        let mut names = self.methods.iter();
        names.any(|name| sig.ident == twin_name(name))
    }

    fn trait_apart(&self, of: &mut syn::ItemTrait) -> Option<syn::ItemTrait> {
        let is_apart =
            |item: &TraitItem| matches!(item, TraitItem::Fn(f) if self.is_renamed(&f.sig));
        let (apart, items) = std::mem::take(&mut of.items)
            .into_iter()
            .partition(is_apart);
        of.items = items;
        let (name, apart): (_, Vec<TraitItem>) = (&of.ident, apart);
        let twin = syn::ItemTrait {
            ident: twin_of_trait(name),
            supertraits: syn::parse_quote!(#name),
            attrs: Vec::new(),
            items: apart,
            ..of.clone()
        };
        (!twin.items.is_empty()).then_some(twin)
    }

    fn impl_apart(&self, of: &mut syn::ItemImpl) -> Option<syn::ItemImpl> {
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
            let own = twin_of_trait(&last.ident);
            let name = std::mem::replace(&mut last.ident, own);
            // The dispatch of an enum calls the twin of the trait.
            for item in &mut twin.items {
                of_twin(item, &name);
            }
        }
        (!twin.items.is_empty()).then_some(twin)
    }

    /// Adds stubs for the trait's original methods, which are never called on a twin.
    pub fn never_called(&self, of: &Item, seen: &mut Item) {
        let (Item::Impl(of), Item::Impl(seen)) = (of, seen) else {
            return;
        };
        if of.trait_.is_some() {
            let renamed = methods(of).filter(|f| self.methods.contains(&f.sig.ident.to_string()));
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

fn twin_of_trait(name: &syn::Ident) -> syn::Ident {
    format_ident!("Swept__{name}")
}

/// Makes `<Type as Trait>::method(..)` call the twin of the trait.
fn of_twin(item: &mut ImplItem, of: &syn::Ident) {
    struct OfTwin<'a>(&'a syn::Ident);
    impl syn::visit_mut::VisitMut for OfTwin<'_> {
        fn visit_expr_path_mut(&mut self, p: &mut syn::ExprPath) {
            let is_of = p.qself.is_some() && p.path.segments[0].ident == *self.0;
            if is_of {
                p.path.segments[0].ident = twin_of_trait(self.0);
            }
        }
    }
    syn::visit_mut::VisitMut::visit_impl_item_mut(&mut OfTwin(of), item);
}
