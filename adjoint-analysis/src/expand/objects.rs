//! `Box<dyn Trait>` in an annotated module: a value of any type of the module that has the trait.
//!
//! What is behind such a box only its methods know, and those have no sweeps: a trait can't have them. All types that it
//! may be are seen, though. So the sweeps have an enum of them for it, whose methods are those of the type at hand
//! (`one_of.rs`). What holds such boxes has a twin that holds the enum (`renamed.rs`): the types, with their `impl`s, and
//! the functions whose signatures speak of them. The user's own items stay as they are, and the twins are what the sweeps
//! are made for; where these call them as they are, rustc sees them as in `converted.rs`. `VecDeque`s in fields and
//! signatures are lists in the same way (`deques.rs`).

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

/// An item as the sweeps see it.
pub struct Entry {
    /// The item.
    pub seen: Item,
    /// What stands for it in the program, where that is something else.
    pub shown: Option<Item>,
}

impl Entry {
    /// An item that is shown as it is.
    pub fn plain(seen: Item) -> Entry {
        Entry { seen, shown: None }
    }
}

/// The items of a module as the sweeps see them.
#[derive(Default)]
pub struct Closed {
    /// The items, with their twins.
    pub entries: Vec<Entry>,
    /// What the enums of trait objects hold.
    pub objects: ObjectEnums,
    /// The types that are twins.
    pub twins: BTreeSet<String>,
    /// Whether `VecDeque`s are lists.
    pub deques: bool,
    /// The macros of which a call goes on beyond the limits.
    pub unbounded: BTreeSet<String>,
}

impl Closed {
    /// Whether the sweeps see other items than the program.
    pub fn changes(&self) -> bool {
        self.deques || !self.objects.is_empty()
    }
}

/// The items with enums in the place of the trait objects in boxes.
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

/// The enums for the traits whose types can all be copied and added up, and what has another name then.
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

/// Whether the type is `Differentiable` in the user's program.
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

    /// Notes the name of an item that speaks of trait objects in boxes where others see it. Whether it is a new one.
    fn add_name(&mut self, item: &Item) -> bool {
        match item {
            Item::Struct(syn::ItemStruct { ident, .. })
            | Item::Enum(syn::ItemEnum { ident, .. })
            | Item::Type(syn::ItemType { ident, .. }) => {
                self.changes(item.to_token_stream()) && self.types.insert(ident.to_string())
            }
            // One with options of its own is to have an adjoint for callers from elsewhere.
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

    /// Adds the item as the sweeps see it, and its twin.
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

    /// Adds the item, which the sweeps see otherwise.
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

    /// What stands beside the user's items.
    fn generated_entry(&self, item: Item) -> Entry {
        let seen = hidden(item);
        let shown = converted(&seen, self).map(without_options);
        Entry { seen, shown }
    }

    /// Whether the enum in a box has the trait of this `impl` anyway, as boxes have traits of std's.
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

/// What an `impl` says of the types that it is for.
fn header(item: &syn::ItemImpl) -> TokenStream {
    let path = item.trait_.as_ref().map(|(path, _)| path);
    let (generics, own) = (&item.generics, &item.self_ty);
    quote!(#generics #path for #own)
}

/// The user's item that has a twin, which is what is differentiated.
fn without_adjoints(item: Item) -> Item {
    let mut item = without_options(item);
    if let Item::Struct(syn::ItemStruct { attrs, .. }) | Item::Enum(syn::ItemEnum { attrs, .. }) =
        &mut item
    {
        attrs.iter_mut().for_each(underive);
    }
    item
}

/// Leaves `Differentiable` out of a `derive`.
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

/// The item, of which neither the documentation nor rustc's lints speak.
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
