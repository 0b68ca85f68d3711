//! Expansion of the user's `macro_rules!` in an annotated function, `impl` or module, for the sweeps.
//!
//! The emitted item keeps its macro calls. A call that can't be expanded (its pattern is beyond `matcher`, or a name in
//! its expansion can't be renamed hygienically) stays a call, which lowering refuses.
//!
//! `expander` expands the calls, with marks on the names that the macros wrote; `hygiene` resolves each name to its
//! variable and removes the marks.

pub mod contexts;
mod expander;
mod fragment;
mod hygiene;
mod mark;
mod matcher;
mod transcriber;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::Visit;

use self::expander::Expander;
use self::matcher::{PatternPart, parse_pattern};
use super::module::strip_adjoint_attrs;
use super::objects::{ItemView, ModuleView, close_objects};
use crate::lower::expr::macros::is_std_macro;
use crate::lower::items::attributes::is_adjoint;
use crate::lower::tokens::identifiers;

/// A user's macro.
#[derive(Debug)]
struct MacroDef {
    name: String,
    arms: Vec<(Vec<PatternPart>, TokenStream)>,
    /// The number of the definition, if it is in the calling function: free names of its body are then resolved at the
    /// definition.
    definition: Option<usize>,
    /// Whether the macro is reachable by a path.
    is_exported: bool,
}

/// The macros in textual scope; the last definition of a name wins.
#[derive(Clone, Debug, Default)]
pub struct MacroScope(Vec<Rc<MacroDef>>);

impl MacroScope {
    /// Declares a macro. One that can't be expanded still shadows others of its name.
    fn declare(&mut self, item: &syn::ItemMacro, definition: Option<usize>) {
        let Some(name) = &item.ident else {
            return;
        };
        let is_exported = item.attrs.iter().any(|a| a.path().is_ident("macro_export"));
        // A conditional macro may not exist, so it has no arms here.
        let arms = is_unconditional(&item.attrs).then(|| parse_arms(item.mac.tokens.clone()));
        self.0.push(Rc::new(MacroDef {
            name: name.to_string(),
            arms: arms.flatten().unwrap_or_default(),
            definition,
            is_exported,
        }));
    }

    /// Makes the macros of these names unknown from here on.
    fn hide(&mut self, names: &[String]) {
        let known = |name: &&String| self.0.iter().any(|rules| rules.name == **name);
        let hidden: BTreeSet<_> = names.iter().filter(known).cloned().collect();
        self.0.extend(hidden.into_iter().map(|name| {
            Rc::new(MacroDef {
                name,
                arms: Vec::new(),
                definition: None,
                is_exported: true,
            })
        }));
    }

    /// An unexpanded call may define macros, which shadow others: hides the names that it mentions.
    fn hide_definitions_of(&mut self, call: &syn::Macro) {
        let (mut names, rules) = (Vec::new(), self.find(&call.path));
        if rules.is_none() && is_std_macro(call) {
            return;
        }
        collect_names(call.tokens.clone(), &mut names);
        if let Some(rules) = rules {
            let bodies = rules.arms.iter().map(|(_, body)| body.clone());
            bodies.for_each(|body| collect_names(body, &mut names));
        }
        self.hide(&names);
    }

    fn find(&self, path: &syn::Path) -> Option<Rc<MacroDef>> {
        let name = path
            .segments
            .last()
            .map(|s| mark::unmarked(&s.ident).to_string())?;
        let mut named = self.0.iter().rev().filter(|rules| rules.name == name);
        match path.segments.len() {
            1 if path.leading_colon.is_none() => named.next().cloned(),
            2 if path.segments[0].ident == "crate" => {
                let mut exported = named.filter(|rules| rules.is_exported);
                let only = exported.next().cloned();
                only.filter(|_| exported.next().is_none())
            }
            _ => None,
        }
    }
}

/// The patterns of a macro and their bodies.
fn parse_arms(tokens: TokenStream) -> Option<Vec<(Vec<PatternPart>, TokenStream)>> {
    let (mut arms, mut tokens) = (Vec::new(), tokens.into_iter());
    while let Some(pattern) = tokens.next() {
        let TokenTree::Group(pattern) = pattern else {
            return None;
        };
        // The arrow `=>`.
        let _ = (tokens.next()?, tokens.next()?);
        let TokenTree::Group(body) = tokens.next()? else {
            return None;
        };
        let _semicolon = tokens.next();
        arms.push((parse_pattern(pattern.stream())?, body.stream()));
    }
    Some(arms)
}

/// Collects the identifiers in the tokens, except for names of called macros.
fn collect_names(tokens: TokenStream, names: &mut Vec<String>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_call = matches!(tokens.peek(), Some(TokenTree::Punct(p)) if p.as_char() == '!');
        match token {
            TokenTree::Group(of) => collect_names(of.stream(), names),
            TokenTree::Ident(name) if !is_call => names.push(mark::unmarked(&name).to_string()),
            _ => {}
        }
    }
}

/// Whether no condition is among the attributes.
fn is_unconditional(attributes: &[syn::Attribute]) -> bool {
    let is_condition =
        |a: &syn::Attribute| a.path().is_ident("cfg") || a.path().is_ident("cfg_attr");
    !attributes.iter().any(is_condition)
}

/// An item with its macro calls expanded.
pub struct Expanded<T> {
    /// The expanded item.
    pub item: T,
    /// The macros whose expansion exceeds the limits; their calls stay.
    pub unbounded_macros: BTreeSet<String>,
}

/// Expands the calls of a function's own macros, if it has any.
pub fn expand_in_function(item: &syn::ItemFn) -> Option<Expanded<syn::ItemFn>> {
    let mut own = HasMacros(false);
    own.visit_item_fn(item);
    if !own.0 {
        return None;
    }
    let seen = expand_in_item(&syn::Item::Fn(item.clone()), &MacroScope::default())?;
    match seen.item {
        syn::Item::Fn(item) => Some(Expanded {
            item,
            unbounded_macros: seen.unbounded_macros,
        }),
        _ => None,
    }
}

/// Expands the calls in the item of these macros and of its own, if there are any.
pub fn expand_in_item(item: &syn::Item, macros: &MacroScope) -> Option<Expanded<syn::Item>> {
    let mut own = HasMacros(!macros.0.is_empty());
    own.visit_item(item);
    if !own.0 {
        return None;
    }
    // The root calls that stay unexpanded, by their order.
    let (mut refused, mut unbounded) = (BTreeSet::new(), BTreeSet::new());
    loop {
        let (mut made, mut calls) = (item.clone(), Expander::of(macros, &refused));
        calls.expand_in_item(&mut made);
        if !calls.has_calls {
            return None;
        }
        unbounded.extend(calls.over_limit_macros().cloned());
        let clashing = calls.resolve_names(std::slice::from_mut(&mut made));
        if clashing.is_empty() {
            return Some(Expanded {
                item: made,
                unbounded_macros: unbounded,
            });
        }
        let before = refused.len();
        refused.extend(clashing.into_iter().flatten());
        if refused.len() == before {
            return None;
        }
    }
}

/// Expands the calls of an annotated `impl`'s macros, if there are any.
pub fn expand_in_impl(item: &syn::ItemImpl) -> Option<Expanded<syn::ItemImpl>> {
    let seen = expand_in_item(&syn::Item::Impl(item.clone()), &MacroScope::default())?;
    match seen.item {
        syn::Item::Impl(item) => Some(Expanded {
            item,
            unbounded_macros: seen.unbounded_macros,
        }),
        _ => None,
    }
}

/// The macros in scope at each module among the items, by module name: those that the outer module defines before.
pub fn module_scopes(items: &[syn::Item], macros: &MacroScope) -> BTreeMap<String, MacroScope> {
    let (mut macros, mut modules) = (macros.clone(), BTreeMap::new());
    for item in items {
        match item {
            syn::Item::Macro(of) if of.ident.is_none() => macros.hide_definitions_of(&of.mac),
            syn::Item::Macro(of) => macros.declare(of, None),
            syn::Item::Mod(m) => {
                modules.entry(m.ident.to_string()).or_insert(macros.clone());
                macros.hide(&macro_use_names(m));
            }
            _ => {}
        }
    }
    modules
}

/// The names that a module under `#[macro_use]` may define as macros for the items after it.
fn macro_use_names(item: &syn::ItemMod) -> Vec<String> {
    let mut names = Vec::new();
    let is_use = |name: &String| name == "macro_use";
    let attributes = item.attrs.iter().map(ToTokens::to_token_stream);
    identifiers(&attributes.collect(), &mut names);
    if !names.iter().any(is_use) {
        return Vec::new();
    }
    names.clear();
    identifiers(&item.to_token_stream(), &mut names);
    names
}

/// The view of a module's items: with macros expanded, or with trait objects and deques replaced.
pub fn module_view(items: Vec<syn::Item>, macros: &MacroScope) -> ModuleView {
    let made = expand_in_module(&items, macros.clone());
    let all =
        |entries: &Vec<ItemView>| entries.iter().map(|entry| entry.analysed.clone()).collect();
    match made {
        // Both changes to one item would need two views of it.
        Some(Expanded {
            item: entries,
            unbounded_macros: unbounded,
        }) if !close_objects(all(&entries)).is_changed() => ModuleView {
            entries,
            unbounded_macros: unbounded,
            ..ModuleView::default()
        },
        _ => close_objects(items),
    }
}

/// Expands the macro calls of a module's items, if any call can be expanded.
fn expand_in_module(
    items: &[syn::Item],
    mut macros: MacroScope,
) -> Option<Expanded<Vec<ItemView>>> {
    let (mut entries, mut found, mut unbounded) = (Vec::new(), false, BTreeSet::new());
    for item in items {
        let made = match item {
            syn::Item::Macro(of) if of.ident.is_some() => {
                macros.declare(of, None);
                None
            }
            syn::Item::Macro(of) => {
                let made = expand_item_macro(of, &macros);
                if made.is_none() {
                    macros.hide_definitions_of(&of.mac);
                }
                made
            }
            item => expand_in_item(item, &macros).map(|made| {
                unbounded.extend(made.unbounded_macros);
                vec![made.item]
            }),
        };
        if let syn::Item::Mod(m) = item {
            macros.hide(&macro_use_names(m));
        }
        found |= made.is_some();
        match made {
            Some(made) => entries.extend(replace_item(item, made)),
            None => entries.push(ItemView::unchanged(item.clone())),
        }
    }
    found.then_some(Expanded {
        item: entries,
        unbounded_macros: unbounded,
    })
}

/// Replaces an item by its expansion in the view; the original is emitted.
fn replace_item(item: &syn::Item, made: Vec<syn::Item>) -> impl Iterator<Item = ItemView> {
    let shown = match item {
        syn::Item::Macro(_) => item.clone(),
        item => strip_adjoint_attrs(item.clone()),
    };
    let nothing = std::iter::repeat_with(|| syn::Item::Verbatim(TokenStream::new()));
    let shown = std::iter::once(shown).chain(nothing);
    made.into_iter().zip(shown).map(|(seen, shown)| ItemView {
        analysed: seen,
        emitted: Some(shown),
    })
}

/// The items that an item macro call expands to.
fn expand_item_macro(of: &syn::ItemMacro, macros: &MacroScope) -> Option<Vec<syn::Item>> {
    if !is_unconditional(&of.attrs) {
        return None;
    }
    let none = BTreeSet::new();
    let mut calls = Expander::of(macros, &none);
    let mut items = calls.expand_items(&of.mac)?;
    let is_clear = calls.resolve_names(&mut items).is_empty();
    (is_clear && !items.is_empty()).then_some(items)
}

/// Whether `#[adjoint]` is on the item or inside it.
fn is_annotated(item: &syn::Item) -> bool {
    struct Annotated(bool);
    impl<'ast> Visit<'ast> for Annotated {
        fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
            self.0 |= is_adjoint(attribute);
        }
    }
    let mut annotated = Annotated(false);
    annotated.visit_item(item);
    annotated.0
}

/// Whether a function declares macros.
struct HasMacros(bool);

impl<'ast> Visit<'ast> for HasMacros {
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {
        self.0 = true;
    }
}
