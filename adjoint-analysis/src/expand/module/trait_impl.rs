//! `#[adjoint] impl Trait for Type`: a trait can't contain the adjoints of its methods, so they are placed in an
//! inherent `impl` of the type, where calls on values of the type find them.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::Visit;

use super::self_paths::{Replacement, replace_self};
use crate::ir::base_name;
use crate::lower::Environment;
use crate::lower::inline::provided_methods;
use crate::lower::items::attributes::is_cfg;
use crate::lower::items::overloads::{SweepName, first_duplicate, sweep_name};
use crate::lower::tokens::identifiers;
use crate::lower::types::{text, ungrouped};

/// Traits of std and of numeric crates whose methods are not called by name or have rules of their own.
const EXCLUDED_TRAITS: &[&str] = &[
    "AsMut",
    "AsRef",
    "Borrow",
    "BorrowMut",
    "Carrier",
    "Clone",
    "Debug",
    "Default",
    "Deref",
    "DerefMut",
    "Differentiable",
    "Display",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "Error",
    "ExactSizeIterator",
    "Extend",
    "Float",
    "FromIterator",
    "FromStr",
    "Hash",
    "Into",
    "IntoIterator",
    "Num",
    "One",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Product",
    "Sum",
    "ToPrimitive",
    "TryFrom",
    "TryInto",
    "Zero",
];

/// Types that are never the user's.
const FOREIGN_TYPES: &[&str] = &[
    "Arc", "Box", "Option", "Rc", "Result", "String", "Vec", "bool", "char", "f32", "f64", "i8",
    "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "str",
];

/// Types that are foreign unless the user declares one of the name.
const FOREIGN_UNLESS_DECLARED: &[&str] = &[
    "BTreeMap",
    "BTreeSet",
    "BinaryHeap",
    "Cell",
    "Cow",
    "Duration",
    "HashMap",
    "HashSet",
    "Instant",
    "Ordering",
    "PhantomData",
    "Range",
    "RangeFrom",
    "RangeInclusive",
    "RangeTo",
    "RefCell",
    "VecDeque",
    "Wrapping",
];

/// Whether the methods of the trait get no adjoints in an annotated module. `Iterator` is among them for a type that
/// isn't `Differentiable`.
pub fn is_excluded(item: &syn::ItemImpl, env: &Environment) -> bool {
    let last = item
        .trait_
        .as_ref()
        .and_then(|(path, _)| path.segments.last());
    last.is_some_and(|s| {
        let derives = env
            .differentiable_types
            .contains(base_name(&text(ungrouped(&item.self_ty))));
        EXCLUDED_TRAITS.iter().any(|name| s.ident == name) || (s.ident == "Iterator" && !derives)
    })
}

/// The methods of the `impl`, and the provided ones of a visible trait, as an inherent `impl`; `None` if the type can't
/// have one.
pub fn as_inherent(item: &syn::ItemImpl, env: &Environment) -> Option<syn::ItemImpl> {
    let (path, _) = item.trait_.as_ref()?;
    let syn::Type::Path(own) = ungrouped(&item.self_ty) else {
        return None;
    };
    let name = own.path.segments.last()?.ident.to_string();
    let params: Vec<String> = item
        .generics
        .type_params()
        .map(|t| t.ident.to_string())
        .collect();
    let consts = item.generics.const_params().map(|c| c.ident.to_string());
    let mut named = Idents::default();
    named.visit_type(&item.self_ty);
    let hidden = params
        .iter()
        .cloned()
        .chain(consts)
        .any(|p| !named.0.contains(&p));
    let is_foreign = FOREIGN_TYPES.contains(&name.as_str())
        || (FOREIGN_UNLESS_DECLARED.contains(&name.as_str()) && !env.has_type(&name));
    if is_foreign || params.contains(&name) || hidden {
        return None;
    }
    let stands_for = AssociatedItems::of(item, path, env);
    let own = item.items.iter().filter_map(|inner| match inner {
        syn::ImplItem::Fn(f) => Some(f.clone()),
        _ => None,
    });
    let mut methods: Vec<syn::ImplItemFn> = own.collect();
    let written: HashSet<String> = methods.iter().map(|f| f.sig.ident.to_string()).collect();
    let provided = provided_methods(path, env).into_iter();
    let provided = provided.filter(|f| !written.contains(&f.sig.ident.to_string()));
    // In a provided method, `Self` has only the items of the trait, so one that mentions an overloaded item is omitted.
    methods.extend(provided.filter(|f| {
        let mut names = Vec::new();
        identifiers(&f.block.to_token_stream(), &mut names);
        first_duplicate(&name, &names, env).is_none()
    }));
    let items = methods
        .into_iter()
        .filter_map(|f| stands_for.substitute_in(f));
    Some(syn::ItemImpl {
        attrs: item.attrs.iter().filter(|a| is_cfg(a)).cloned().collect(),
        trait_: None,
        items: items.map(syn::ImplItem::Fn).collect(),
        ..item.clone()
    })
}

/// Moves the overloaded methods of the type to an `impl` of their own, under unique names where possible.
pub fn split_overloads(
    item: &syn::ItemImpl,
    inherent: &mut syn::ItemImpl,
    env: &Environment,
) -> syn::ItemImpl {
    let mut apart = syn::ItemImpl {
        items: Vec::new(),
        ..inherent.clone()
    };
    inherent.items.retain_mut(|inner| {
        let syn::ImplItem::Fn(f) = inner else {
            return false;
        };
        match sweep_name(item, &f.sig.ident, env) {
            SweepName::Own => return true,
            SweepName::Other(name) => {
                f.sig.ident = name;
                apart.items.push(inner.clone());
            }
            SweepName::Missing => {}
        }
        false
    });
    apart
}

/// The environment of those methods.
pub fn trait_impl_environment(item: &syn::ItemImpl, env: &Environment) -> Environment {
    Environment {
        implemented_trait: item.trait_.as_ref().map(|(path, _)| text(path)),
        ..env.clone()
    }
}

/// The meaning of `Self::Name` in the `impl`: its associated types, and constants of the trait.
struct AssociatedItems {
    types: HashMap<String, TokenStream>,
    consts: HashSet<String>,
    trait_path: TokenStream,
    /// Associated types that other `impl`s define for the type.
    other_types: HashMap<String, TokenStream>,
}

impl AssociatedItems {
    fn of(item: &syn::ItemImpl, path: &syn::Path, env: &Environment) -> AssociatedItems {
        let own = text(&item.self_ty);
        let mut found = AssociatedItems {
            types: HashMap::new(),
            consts: HashSet::new(),
            trait_path: quote!(#path),
            other_types: env.associated_types(&own),
        };
        for inner in &item.items {
            match inner {
                syn::ImplItem::Type(t) => {
                    found
                        .types
                        .insert(t.ident.to_string(), t.ty.to_token_stream());
                }
                // An inherent constant takes precedence over the trait's.
                syn::ImplItem::Const(c)
                    if first_duplicate(&own, &[c.ident.to_string()], env).is_none() =>
                {
                    found.consts.insert(c.ident.to_string());
                }
                _ => {}
            }
        }
        // Associated types may refer to each other.
        for _ in 0..found.types.len() {
            let put = |own: &Ident, name: Option<&TokenTree>| found.substitute(own, name?);
            let types = found.types.iter();
            let types = types.map(|(name, ty)| (name.clone(), replace_self(ty.clone(), &put)));
            found.types = types.collect();
        }
        found
    }

    /// The method with `Self::Name` replaced.
    fn substitute_in(&self, method: syn::ImplItemFn) -> Option<syn::ImplItemFn> {
        let method = syn::ImplItemFn {
            vis: syn::parse_quote!(pub),
            ..method
        };
        let put = |own: &Ident, name: Option<&TokenTree>| self.substitute(own, name?);
        syn::parse2(replace_self(method.to_token_stream(), &put)).ok()
    }

    fn substitute(&self, own: &Ident, name: &TokenTree) -> Replacement {
        let (text, of) = (name.to_string(), &self.trait_path);
        match self.types.get(&text) {
            Some(ty) => Some((ty.clone(), true)),
            None if self.consts.contains(&text) => Some((quote!(<#own as #of>::#name), true)),
            None => self.other_types.get(&text).map(|ty| (ty.clone(), true)),
        }
    }
}

#[derive(Default)]
struct Idents(HashSet<String>);

impl<'ast> Visit<'ast> for Idents {
    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.0.insert(ident.to_string());
    }
}
