//! Names that `use` items give to functions and constants of the standard library.
//!
//! If the `use` is visible, in the function's body or in the annotated module, the imported path replaces the name:
//! `swap(&mut a, &mut b)` becomes `::std::mem::swap(..)`. If the first name of a path is not visible, as in `mem::swap`
//! below a `use std::mem;`, rustc is made to confirm what it is.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned;

use super::attributes::is_conditional;
use crate::lower::inline::item_names;
use crate::lower::{Environment, Lower};

/// Paths of the standard library, by the names that they are imported under.
pub type Imports = HashMap<String, Vec<Ident>>;

/// Adds the items' imports to the environment, and removes those that the items shadow.
pub fn declare_imports<'a>(
    env: &mut Environment,
    items: impl Iterator<Item = &'a syn::Item> + Clone,
) {
    for name in item_names(items.clone()) {
        env.imports.remove(&name);
    }
    for item in items {
        if let syn::Item::Use(u) = item
            && !is_conditional(&u.attrs)
        {
            collect_imports(&u.tree, &mut Vec::new(), &mut env.imports);
        }
    }
}

fn collect_imports(tree: &syn::UseTree, path: &mut Vec<Ident>, imports: &mut Imports) {
    let mut name = |as_name: &Ident, path: &[Ident]| {
        if path.first().is_some_and(is_std) {
            imports.insert(as_name.to_string(), path.to_vec());
        }
    };
    let of = path.len();
    match tree {
        syn::UseTree::Path(p) => {
            path.push(p.ident.clone());
            collect_imports(&p.tree, path, imports);
        }
        syn::UseTree::Name(u) if u.ident == "self" => {
            if let Some(last) = path.last() {
                name(last, path);
            }
        }
        syn::UseTree::Name(u) => {
            path.push(u.ident.clone());
            name(&u.ident, path);
        }
        syn::UseTree::Rename(u) => {
            if u.ident != "self" {
                path.push(u.ident.clone());
            }
            name(&u.rename, path);
        }
        syn::UseTree::Group(g) => g
            .items
            .iter()
            .for_each(|tree| collect_imports(tree, path, imports)),
        syn::UseTree::Glob(_) => {}
    }
    path.truncate(of);
}

/// The names that the items import, except those imported from the parent module.
pub fn names_not_from_parent(items: &[&syn::Item]) -> HashSet<String> {
    let is_outside = |tree: &syn::UseTree| matches!(tree, syn::UseTree::Path(p) if p.ident == "super" && is_plain_list(&p.tree));
    let elsewhere = items
        .iter()
        .filter(|item| matches!(item, syn::Item::Use(u) if !is_outside(&u.tree)));
    item_names(elsewhere.copied())
}

fn is_plain_list(tree: &syn::UseTree) -> bool {
    match tree {
        syn::UseTree::Group(g) => g.items.iter().all(is_plain_list),
        tree => matches!(tree, syn::UseTree::Name(_)),
    }
}

/// Replaces the first segment of a path by an imported path.
pub fn replace_first_segment(path: &mut syn::Path, names: &[Ident]) {
    let span = path.span();
    let mut segments = std::mem::take(&mut path.segments).into_iter();
    let arguments = segments.next().map(|first| first.arguments);
    path.leading_colon = Some(syn::Token![::](span));
    for name in names {
        let ident = Ident::new(&name.to_string(), span);
        path.segments.push(ident.into());
    }
    if let (Some(last), Some(arguments)) = (path.segments.last_mut(), arguments) {
        last.arguments = arguments;
    }
    path.segments.extend(segments);
}

/// Whether all imports are from the standard library, each by its name.
pub fn is_std_import(tree: &syn::UseTree) -> bool {
    fn by_name(tree: &syn::UseTree) -> bool {
        match tree {
            syn::UseTree::Path(p) => by_name(&p.tree),
            syn::UseTree::Group(g) => g.items.iter().all(by_name),
            syn::UseTree::Name(_) | syn::UseTree::Rename(_) => true,
            syn::UseTree::Glob(_) => false,
        }
    }
    matches!(tree, syn::UseTree::Path(p) if is_std(&p.ident) && by_name(&p.tree))
}

fn is_std(root: &Ident) -> bool {
    root == "std" || root == "core"
}

impl Lower {
    /// The path with its first name replaced by what that was imported from; the name of a variable stays.
    pub fn resolve_import<'p>(&self, p: &'p syn::ExprPath) -> Cow<'p, syn::ExprPath> {
        let known = (p.qself.is_none() && p.path.leading_colon.is_none())
            .then(|| p.path.segments.first())
            .flatten()
            .filter(|first| {
                let name = first.ident.to_string();
                p.path.segments.len() > 1 || self.lookup(&name).is_none()
            })
            .and_then(|first| self.env.imports.get(&first.ident.to_string()));
        let Some(names) = known else {
            return Cow::Borrowed(p);
        };
        let mut path = p.clone();
        replace_first_segment(&mut path.path, names);
        Cow::Owned(path)
    }

    /// Adds a check that the path names this function of a module of `core`.
    pub fn check_std_function(&mut self, p: &syn::ExprPath, module: &str, name: &str, span: Span) {
        let segments = &p.path.segments;
        if segments.len() > 2 && segments.first().is_some_and(|s| is_std(&s.ident)) {
            return;
        }
        let mut path = p.clone();
        if let Some(last) = path.path.segments.last_mut() {
            last.arguments = syn::PathArguments::None;
        }
        let key = ("std".to_string(), crate::lower::types::text(&path));
        if self.emitted_checks.contains(&key) {
            return;
        }
        let (module, name) = (Ident::new(module, span), Ident::new(name, span));
        let tokens = quote_spanned! {span=>
            ::adjoint::__private::demand::one_function(#path, ::core::#module::#name::<u8>)
        };
        self.hoist_check(tokens, key, span);
    }
}
