//! `Box<dyn Trait>` in an annotated module: a value of any type of the module that implements the trait.
//!
//! A trait object has only the methods of its trait, and a trait can't contain their sweeps. But all types that the
//! object may have are visible (a closed world). So the sweeps use an enum of them, whose methods dispatch to those of
//! the current variant (`object_enum`). Every item that holds such boxes has a twin that holds the enum (`twins`):
//! types, their `impl`s, and functions with such signatures. The user's own items are emitted unchanged, and the sweeps
//! are generated from the twins; rustc sees the twins with the conversions of `object_conversions`. `VecDeque`s in
//! fields and signatures become `Vec`s in the same way (`deques`).

mod clone_impls;
mod deques;
mod methods;
mod object_conversions;
mod object_enum;
mod twins;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

use self::object_conversions::{conversion_items, convert_twin};
use self::object_enum::{ObjectEnum, object_enums};
use self::twins::Twins;
use super::module::strip_adjoint_attrs;
use crate::emit;
use crate::lower::aggregate::trait_object::ObjectEnums;
use crate::lower::items::attributes::{derives, is_adjoint};
use crate::lower::types::text;

/// An item in two forms.
pub struct ItemView {
    /// The form that the sweeps are generated from.
    pub analysed: Item,
    /// The form that is emitted, if it differs.
    pub emitted: Option<Item>,
}

impl ItemView {
    /// An item that is emitted as it is analysed.
    pub fn unchanged(seen: Item) -> ItemView {
        ItemView {
            analysed: seen,
            emitted: None,
        }
    }
}

/// The items of a module in the form that the sweeps are generated from.
#[derive(Default)]
pub struct ModuleView {
    /// The items, with their twins.
    pub entries: Vec<ItemView>,
    /// The enums of trait objects: their types and variants.
    pub object_enums: ObjectEnums,
    /// The types that are twins.
    pub twins: BTreeSet<String>,
    /// Whether `VecDeque`s are replaced by `Vec`s.
    pub deques: bool,
    /// The macros whose expansion exceeds the limits.
    pub unbounded_macros: BTreeSet<String>,
}

impl ModuleView {
    /// Whether any item differs from the emitted one.
    pub fn is_changed(&self) -> bool {
        self.deques || !self.object_enums.is_empty()
    }
}

/// Replaces the boxed trait objects of the items by enums.
pub fn close_objects(items: Vec<Item>) -> ModuleView {
    let deques = deques::has_deques(&items);
    let (all, renamed) = enums_and_twins(&items, deques);
    if all.is_empty() && !deques {
        return ModuleView {
            entries: items.into_iter().map(ItemView::unchanged).collect(),
            ..ModuleView::default()
        };
    }
    let mut objects = ObjectEnums::new();
    let mut entries = Vec::new();
    for of in all {
        let held = of.types.iter();
        let held = held.map(|ty| (renamed.type_twin(ty), ty.clone()));
        objects.insert(of.name, held.collect());
        for item in &of.items {
            renamed.add_twin(item, &mut entries);
        }
    }
    for item in items {
        renamed.add_item(item, &mut entries);
    }
    let uses = deques.then(deques::deque_trait_import);
    let conversions = conversion_items(&objects).into_iter().chain(uses);
    entries.extend(conversions.map(|item| ItemView::unchanged(verbatim(&hide(item)))));
    let twins = renamed.types.iter().map(|name| renamed.type_twin(name));
    ModuleView {
        entries,
        object_enums: objects,
        twins: twins.collect(),
        deques,
        unbounded_macros: BTreeSet::new(),
    }
}

/// The enums of the traits whose types can all be cloned and differentiated, and the twins that they require.
fn enums_and_twins(items: &[Item], deques: bool) -> (Vec<ObjectEnum>, Twins) {
    let mut all = object_enums(items);
    loop {
        let renamed = Twins::of(items, &all, deques);
        let is_held = |ty: &String| renamed.types.contains(ty) || is_differentiable(ty, items);
        let traits = all.len();
        all.retain(|of| of.types.iter().all(is_held));
        if all.len() == traits {
            return (all, renamed);
        }
    }
}

/// Whether the user's type is `Differentiable`.
fn is_differentiable(name: &str, items: &[Item]) -> bool {
    items.iter().any(|item| match item {
        Item::Struct(syn::ItemStruct { ident, attrs, .. })
        | Item::Enum(syn::ItemEnum { ident, attrs, .. }) => {
            ident == name && derives(attrs, "Differentiable")
        }
        Item::Impl(i) => {
            self::clone_impls::is_impl_of(i, "Differentiable") && text(&i.self_ty) == name
        }
        _ => false,
    })
}

impl Twins {
    fn of(items: &[Item], objects: &[ObjectEnum], deques: bool) -> Twins {
        let objects = objects
            .iter()
            .map(|of| (of.trait_name.clone(), of.name.clone()));
        let mut renamed = Twins {
            objects: objects.collect(),
            deques,
            ..Twins::default()
        };
        while items.iter().any(|item| renamed.add_name(item)) {}
        renamed.custom_clones = self::clone_impls::custom_clones(items);
        renamed.methods = methods::renamed_methods(items, &renamed);
        renamed
    }

    /// Adds the name of an item whose interface mentions boxed trait objects. Returns whether it is new.
    fn add_name(&mut self, item: &Item) -> bool {
        match item {
            Item::Struct(syn::ItemStruct { ident, .. })
            | Item::Enum(syn::ItemEnum { ident, .. })
            | Item::Type(syn::ItemType { ident, .. }) => {
                self.mentions_renamed(item.to_token_stream())
                    && self.types.insert(ident.to_string())
            }
            // A function with its own attribute needs an adjoint for outside callers.
            Item::Fn(f) => {
                !f.attrs.iter().any(is_adjoint)
                    && self.mentions_renamed(f.sig.to_token_stream())
                    && self.functions.insert(f.sig.ident.to_string())
            }
            _ => false,
        }
    }

    /// Whether the item has a twin.
    fn has_twin(&self, item: &Item) -> bool {
        match item {
            Item::Struct(syn::ItemStruct { ident, .. })
            | Item::Enum(syn::ItemEnum { ident, .. })
            | Item::Type(syn::ItemType { ident, .. }) => self.types.contains(&ident.to_string()),
            Item::Fn(f) => self.functions.contains(&f.sig.ident.to_string()),
            Item::Impl(i) => self.mentions_renamed(impl_header(i)),
            _ => false,
        }
    }

    /// Adds the item to the view, and its twin.
    fn add_item(&self, item: Item, entries: &mut Vec<ItemView>) {
        if !self.has_twin(&item) {
            let changes = matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Trait(_))
                && self.mentions_renamed(item.to_token_stream());
            match changes {
                true => self.add_changed(item, entries),
                false => entries.push(ItemView::unchanged(item)),
            }
            return;
        }
        if !self.has_std_impl(&item) {
            self.add_twin(&item, entries);
        }
        entries.push(ItemView::unchanged(verbatim(&undifferentiated(item))));
    }

    /// Adds an item that is analysed in another form than it is emitted.
    fn add_changed(&self, item: Item, entries: &mut Vec<ItemView>) {
        let mut seen = self.rename_in_item(&item);
        let apart = self.split_renamed(&mut seen);
        entries.push(ItemView {
            analysed: seen,
            emitted: Some(strip_adjoint_attrs(item)),
        });
        entries.extend(apart.map(|apart| self.generated(apart)));
    }

    /// Adds the twin of an item.
    fn add_twin(&self, item: &Item, entries: &mut Vec<ItemView>) {
        let mut seen = self.item_twin(item);
        let apart = match item {
            Item::Impl(i) if i.trait_.is_none() => None,
            _ => self.split_renamed(&mut seen),
        };
        let mut entry = self.generated(seen);
        if let (Some(shown), true) = (&mut entry.emitted, apart.is_some()) {
            self.add_stubs(item, shown);
        }
        entries.push(entry);
        entries.extend(apart.map(|apart| self.generated(apart)));
    }

    /// An entry for a generated item.
    fn generated(&self, item: Item) -> ItemView {
        let seen = hide(item);
        let shown = convert_twin(&seen, self).map(strip_adjoint_attrs);
        ItemView {
            analysed: seen,
            emitted: shown,
        }
    }

    /// Whether the enum gets the trait of this `impl` for boxes from std's `impl` for `Box`.
    fn has_std_impl(&self, item: &Item) -> bool {
        let Item::Impl(syn::ItemImpl {
            trait_: Some((path, _)),
            self_ty,
            ..
        }) = item
        else {
            return false;
        };
        let of_std = ["Clone", "Debug"];
        let is_box = methods::is_box(self_ty);
        is_box
            && path
                .segments
                .last()
                .is_some_and(|s| of_std.iter().any(|t| s.ident == t))
    }
}

/// The generics, trait and type of an `impl`.
fn impl_header(item: &syn::ItemImpl) -> TokenStream {
    let path = item.trait_.as_ref().map(|(path, _)| path);
    let (generics, own) = (&item.generics, &item.self_ty);
    quote!(#generics #path for #own)
}

/// The user's item without `#[adjoint]` and `Differentiable`, since its twin is differentiated.
fn undifferentiated(item: Item) -> Item {
    let mut item = strip_adjoint_attrs(item);
    if let Item::Struct(syn::ItemStruct { attrs, .. }) | Item::Enum(syn::ItemEnum { attrs, .. }) =
        &mut item
    {
        attrs.iter_mut().for_each(remove_derive);
    }
    item
}

/// Removes `Differentiable` from a `derive`.
fn remove_derive(attribute: &mut syn::Attribute) {
    use syn::punctuated::Punctuated;
    let parse = Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
    if let (true, Ok(traits)) = (
        attribute.path().is_ident("derive"),
        attribute.parse_args_with(parse),
    ) {
        let is_other = |path: &&syn::Path| {
            path.segments
                .last()
                .is_some_and(|s| s.ident != "Differentiable")
        };
        let others = traits.iter().filter(is_other);
        *attribute = syn::parse_quote!(#[derive(#(#others),*)]);
    }
}

fn verbatim(item: &Item) -> Item {
    Item::Verbatim(quote!(#item))
}

/// The item, hidden from documentation and lints.
fn hide(mut item: Item) -> Item {
    let attributes = match &mut item {
        Item::Struct(syn::ItemStruct { attrs, .. })
        | Item::Enum(syn::ItemEnum { attrs, .. })
        | Item::Type(syn::ItemType { attrs, .. })
        | Item::Fn(syn::ItemFn { attrs, .. })
        | Item::Trait(syn::ItemTrait { attrs, .. })
        | Item::Impl(syn::ItemImpl { attrs, .. }) => attrs,
        _ => return item,
    };
    attributes.retain(|a| !a.path().is_ident("doc"));
    attributes.extend(lints());
    item
}

fn lints() -> Vec<syn::Attribute> {
    let allowed = emit::allowed_lints();
    syn::parse_quote! {
        #[doc(hidden)]
        #allowed
        #[allow(private_interfaces, private_bounds, non_camel_case_types, missing_debug_implementations)]
    }
}
