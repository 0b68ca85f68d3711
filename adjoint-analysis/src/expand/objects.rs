//! `Box<dyn Trait>` in an annotated module: a value of any type of the module that implements the trait.
//!
//! A trait object has only the methods of its trait, and a trait can't contain their sweeps. But all types that the
//! object may have are visible (a closed world). So the sweeps use an enum of them, whose methods dispatch to those of
//! the current variant (`object_enum`). Every item that holds such boxes has a twin that holds the enum (`twins`):
//! types, their `impl`s, and functions with such signatures. The user's own items are emitted unchanged, and the sweeps
//! are generated from the twins; rustc sees the twins with the conversions of `object_conversions`. `VecDeque`s in
//! fields and signatures become `Vec`s in the same way (`deques`).

mod converted;
mod copies;
mod deques;
mod methods;
mod one_of;
mod renamed;

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Item;

use self::converted::{conversions, converted};
use self::one_of::{OneOf, one_of};
use self::renamed::Renamed;
use super::module::without_options;
use crate::emit;
use crate::lower::aggregate::trait_object::ObjectEnums;
use crate::lower::items::attributes::{derives, is_adjoint};
use crate::lower::types::text;

/// An item in two forms.
pub struct Entry {
    /// The form that the sweeps are generated from.
    pub seen: Item,
    /// The form that is emitted, if it differs.
    pub shown: Option<Item>,
}

impl Entry {
    /// An item that is emitted as it is analysed.
    pub fn plain(seen: Item) -> Entry {
        Entry { seen, shown: None }
    }
}

/// The items of a module in the form that the sweeps are generated from.
#[derive(Default)]
pub struct Closed {
    /// The items, with their twins.
    pub entries: Vec<Entry>,
    /// The enums of trait objects: their types and variants.
    pub objects: ObjectEnums,
    /// The types that are twins.
    pub twins: BTreeSet<String>,
    /// Whether `VecDeque`s are replaced by `Vec`s.
    pub deques: bool,
    /// The macros whose expansion exceeds the limits.
    pub unbounded: BTreeSet<String>,
}

impl Closed {
    /// Whether any item differs from the emitted one.
    pub fn changes(&self) -> bool {
        self.deques || !self.objects.is_empty()
    }
}

/// Replaces the boxed trait objects of the items by enums.
pub fn closed(items: Vec<Item>) -> Closed {
    let deques = deques::has_deques(&items);
    let (all, renamed) = renamed(&items, deques);
    if all.is_empty() && !deques {
        return Closed {
            entries: items.into_iter().map(Entry::plain).collect(),
            ..Closed::default()
        };
    }
    let mut objects = ObjectEnums::new();
    let mut entries = Vec::new();
    for of in all {
        let held = of.held.iter();
        let held = held.map(|ty| (renamed.twin_of_type(ty), ty.clone()));
        objects.insert(of.name, held.collect());
        for item in &of.items {
            renamed.twin(item, &mut entries);
        }
    }
    for item in items {
        renamed.place(item, &mut entries);
    }
    let uses = deques.then(deques::methods_of_lists);
    let conversions = conversions(&objects).into_iter().chain(uses);
    entries.extend(conversions.map(|item| Entry::plain(verbatim(&hidden(item)))));
    let twins = renamed.types.iter().map(|name| renamed.twin_of_type(name));
    Closed {
        entries,
        objects,
        twins: twins.collect(),
        deques,
        unbounded: BTreeSet::new(),
    }
}

/// The enums of the traits whose types can all be cloned and differentiated, and the twins that they require.
fn renamed(items: &[Item], deques: bool) -> (Vec<OneOf>, Renamed) {
    let mut all = one_of(items);
    loop {
        let renamed = Renamed::of(items, &all, deques);
        let is_held = |ty: &String| renamed.types.contains(ty) || is_differentiable(ty, items);
        let traits = all.len();
        all.retain(|of| of.held.iter().all(is_held));
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
        Item::Impl(i) => copies::is_trait(i, "Differentiable") && text(&i.self_ty) == name,
        _ => false,
    })
}

impl Renamed {
    fn of(items: &[Item], objects: &[OneOf], deques: bool) -> Renamed {
        let objects = objects.iter().map(|of| (of.of.clone(), of.name.clone()));
        let mut renamed = Renamed {
            objects: objects.collect(),
            deques,
            ..Renamed::default()
        };
        while items.iter().any(|item| renamed.add_name(item)) {}
        renamed.cloned = copies::cloned(items);
        renamed.methods = methods::changed(items, &renamed);
        renamed
    }

    /// Adds the name of an item whose interface mentions boxed trait objects. Returns whether it is new.
    fn add_name(&mut self, item: &Item) -> bool {
        match item {
            Item::Struct(syn::ItemStruct { ident, .. })
            | Item::Enum(syn::ItemEnum { ident, .. })
            | Item::Type(syn::ItemType { ident, .. }) => {
                self.changes(item.to_token_stream()) && self.types.insert(ident.to_string())
            }
            // A function with its own attribute needs an adjoint for outside callers.
            Item::Fn(f) => {
                !f.attrs.iter().any(is_adjoint)
                    && self.changes(f.sig.to_token_stream())
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
            Item::Impl(i) => self.changes(header(i)),
            _ => false,
        }
    }

    /// Adds the item to the view, and its twin.
    fn place(&self, item: Item, entries: &mut Vec<Entry>) {
        if !self.has_twin(&item) {
            let changes = matches!(item, Item::Fn(_) | Item::Impl(_) | Item::Trait(_))
                && self.changes(item.to_token_stream());
            match changes {
                true => self.see(item, entries),
                false => entries.push(Entry::plain(item)),
            }
            return;
        }
        if !self.has_std(&item) {
            self.twin(&item, entries);
        }
        entries.push(Entry::plain(verbatim(&without_adjoints(item))));
    }

    /// Adds an item that is analysed in another form than it is emitted.
    fn see(&self, item: Item, entries: &mut Vec<Entry>) {
        let mut seen = self.item(&item);
        let apart = self.methods_apart(&mut seen);
        entries.push(Entry {
            seen,
            shown: Some(without_options(item)),
        });
        entries.extend(apart.map(|apart| self.generated_entry(apart)));
    }

    /// Adds the twin of an item.
    fn twin(&self, item: &Item, entries: &mut Vec<Entry>) {
        let mut seen = self.twin_of(item);
        let apart = match item {
            Item::Impl(i) if i.trait_.is_none() => None,
            _ => self.methods_apart(&mut seen),
        };
        let mut entry = self.generated_entry(seen);
        if let (Some(shown), true) = (&mut entry.shown, apart.is_some()) {
            self.never_called(item, shown);
        }
        entries.push(entry);
        entries.extend(apart.map(|apart| self.generated_entry(apart)));
    }

    /// An entry for a generated item.
    fn generated_entry(&self, item: Item) -> Entry {
        let seen = hidden(item);
        let shown = converted(&seen, self).map(without_options);
        Entry { seen, shown }
    }

    /// Whether the enum gets the trait of this `impl` for boxes from std's `impl` for `Box`.
    fn has_std(&self, item: &Item) -> bool {
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
fn header(item: &syn::ItemImpl) -> TokenStream {
    let path = item.trait_.as_ref().map(|(path, _)| path);
    let (generics, own) = (&item.generics, &item.self_ty);
    quote!(#generics #path for #own)
}

/// The user's item without `#[adjoint]` and `Differentiable`, since its twin is differentiated.
fn without_adjoints(item: Item) -> Item {
    let mut item = without_options(item);
    if let Item::Struct(syn::ItemStruct { attrs, .. }) | Item::Enum(syn::ItemEnum { attrs, .. }) =
        &mut item
    {
        attrs.iter_mut().for_each(underive);
    }
    item
}

/// Removes `Differentiable` from a `derive`.
fn underive(attribute: &mut syn::Attribute) {
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
fn hidden(mut item: Item) -> Item {
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
