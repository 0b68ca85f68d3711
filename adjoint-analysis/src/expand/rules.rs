//! `macro_rules!` of an annotated function, `impl` or module: what its calls stand for is what the sweeps see.
//!
//! The user's code keeps its macros. A call that can't be seen through (its pattern is beyond
//! `matcher`, or the names in it could mean something else in the place of the call) stays a call, which
//! lowering refuses.

mod calls;
mod hygiene;
mod matcher;
mod transcriber;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::Parser;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use self::calls::Calls;
use self::hygiene::{Mark, Names};
use self::matcher::{Part, found, parts};
use super::module::without_options;
use super::objects::{Closed, Entry, closed};
use crate::lower::attributes::is_adjoint;

/// How deep calls may lie within what calls stand for.
const DEPTH: usize = 64;

/// A macro of the user's.
#[derive(Debug)]
struct Rules {
    name: String,
    arms: Vec<(Vec<Part>, TokenStream)>,
    /// Whether it stands within the function that calls it, and may take its variables.
    is_local: bool,
}

/// The macros in sight, the last one first to be found.
#[derive(Clone, Debug, Default)]
pub struct Macros(Vec<Rc<Rules>>);

impl Macros {
    /// Notes the macro; whether it can be seen through. One that can't hides others of its name.
    fn declare(&mut self, item: &syn::ItemMacro, is_local: bool) -> bool {
        let Some(name) = &item.ident else {
            return false;
        };
        let arms = arms(item.mac.tokens.clone());
        let is_seen = arms.is_some();
        self.0.push(Rc::new(Rules {
            name: name.to_string(),
            arms: arms.unwrap_or_default(),
            is_local,
        }));
        is_seen
    }

    fn find(&self, path: &syn::Path) -> Option<Rc<Rules>> {
        let name = path.segments.last().map(|s| s.ident.to_string())?;
        let in_crate = path.segments.len() == 2 && path.segments[0].ident == "crate";
        let found = self.0.iter().rev().find(|rules| rules.name == name);
        found
            .filter(|_| in_crate || path.get_ident().is_some())
            .cloned()
    }
}

/// The patterns of a macro, and what stands for them.
fn arms(tokens: TokenStream) -> Option<Vec<(Vec<Part>, TokenStream)>> {
    let (mut arms, mut tokens) = (Vec::new(), tokens.into_iter());
    while let Some(pattern) = tokens.next() {
        let TokenTree::Group(pattern) = pattern else {
            return None;
        };
        // `=>`.
        let _ = (tokens.next()?, tokens.next()?);
        let TokenTree::Group(body) = tokens.next()? else {
            return None;
        };
        let _semicolon = tokens.next();
        arms.push((parts(pattern.stream())?, body.stream()));
    }
    Some(arms)
}

/// The function with what its own macros' calls stand for, if there are any.
pub fn in_function(item: &syn::ItemFn) -> Option<syn::ItemFn> {
    let mut own = HasMacros(false);
    own.visit_item_fn(item);
    if !own.0 {
        return None;
    }
    let mut made = item.clone();
    let mut calls = Calls::of(&Macros::default());
    calls.in_item(
        |calls| calls.visit_item_fn_mut(&mut made),
        |v| v.visit_item_fn(item),
    );
    calls.found.then_some(made)
}

/// The item with what calls of the macros and of its own stand for, if there are any.
pub fn in_item(item: &syn::Item, macros: &Macros) -> Option<syn::Item> {
    let mut own = HasMacros(!macros.0.is_empty());
    own.visit_item(item);
    if !own.0 {
        return None;
    }
    let (mut made, mut calls) = (item.clone(), Calls::of(macros));
    match &mut made {
        syn::Item::Fn(f) => calls.in_item(|c| c.visit_item_fn_mut(f), |v| v.visit_item(item)),
        syn::Item::Impl(i) => {
            for member in &mut i.items {
                let before = member.clone();
                calls.in_item(
                    |c| c.visit_impl_item_mut(member),
                    |v| v.visit_impl_item(&before),
                );
            }
        }
        syn::Item::Trait(t) => {
            for member in &mut t.items {
                let before = member.clone();
                calls.in_item(
                    |c| c.visit_trait_item_mut(member),
                    |v| v.visit_trait_item(&before),
                );
            }
        }
        _ => {}
    }
    calls.found.then_some(made)
}

/// The same of an annotated `impl`.
pub fn in_implementation(item: &syn::ItemImpl) -> Option<syn::ItemImpl> {
    match in_item(&syn::Item::Impl(item.clone()), &Macros::default()) {
        Some(syn::Item::Impl(made)) => Some(made),
        _ => None,
    }
}

/// The items as the sweeps see them: what macros of the module stand for, or trait objects and deques.
pub fn seen(items: Vec<syn::Item>, macros: &mut Macros) -> Closed {
    let made = in_module(&items, macros);
    let all = |entries: &Vec<Entry>| entries.iter().map(|entry| entry.seen.clone()).collect();
    match made {
        // What both change would have to be shown twice.
        Some(entries) if !closed(all(&entries)).changes() => Closed {
            entries,
            ..Closed::default()
        },
        _ => closed(items),
    }
}

/// The items of a module as the sweeps see them, if macros of the module stand for some; the module's macros
/// are added to those in sight.
fn in_module(items: &[syn::Item], macros: &mut Macros) -> Option<Vec<Entry>> {
    let (mut entries, mut found) = (Vec::new(), false);
    for item in items {
        let syn::Item::Macro(of) = item else {
            let made = in_item(item, macros);
            found |= made.is_some();
            let shown = made.is_some().then(|| without_options(item.clone()));
            let seen = made.unwrap_or_else(|| item.clone());
            entries.push(Entry { seen, shown });
            continue;
        };
        macros.declare(of, false);
        match items_of(&of.mac, macros, DEPTH) {
            Some(made) => {
                found = true;
                let nothing = syn::Item::Verbatim(TokenStream::new());
                let rest = std::iter::repeat(nothing);
                let shown = std::iter::once(item.clone()).chain(rest);
                entries.extend(made.into_iter().zip(shown).map(|(seen, shown)| Entry {
                    seen,
                    shown: Some(shown),
                }));
            }
            None => entries.push(Entry {
                seen: item.clone(),
                shown: None,
            }),
        }
    }
    found.then_some(entries)
}

/// The items that a call stands for.
fn items_of(mac: &syn::Macro, macros: &Macros, depth: usize) -> Option<Vec<syn::Item>> {
    if depth == 0 {
        return None;
    }
    let made = made(macros, mac, Position::Items, &BTreeMap::new(), 0)?;
    let mut items = Vec::new();
    for stmt in made.block.stmts {
        match stmt {
            // Another module's macros and names are out of sight, and what is annotated has its adjoints.
            syn::Stmt::Item(syn::Item::Mod(_)) => return None,
            syn::Stmt::Item(item) if is_annotated(&item) => return None,
            syn::Stmt::Item(syn::Item::Macro(of)) if of.ident.is_some() => return None,
            syn::Stmt::Item(syn::Item::Macro(of)) => {
                items.extend(items_of(&of.mac, macros, depth - 1)?);
            }
            syn::Stmt::Item(item) => {
                let made = in_item(&item, macros);
                items.push(made.unwrap_or(item));
            }
            _ => return None,
        }
    }
    (!items.is_empty()).then_some(items)
}

/// Whether there is an `#[adjoint]` on the item or in it.
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

/// Where a call stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Expression,
    Statements,
    Items,
}

/// What a call stands for.
struct Made {
    block: syn::Block,
    /// The names that it was given, and declares.
    given: Vec<String>,
    /// Its own names that it hands on to other macros, which must not declare them.
    handed_on: BTreeSet<String>,
}

/// What the call of this number stands for; nothing, if it can't be seen. The counts say how often the function at hand
/// declares a name.
fn made(
    macros: &Macros,
    mac: &syn::Macro,
    position: Position,
    declared: &BTreeMap<String, usize>,
    number: usize,
) -> Option<Made> {
    let rules = macros.find(&mac.path)?;
    let mark = Mark::of(&rules.name, number);
    let arm = |(parts, body): &(Vec<Part>, TokenStream)| {
        Some((found(parts, mac.tokens.clone())?, body.clone()))
    };
    let (bindings, body) = rules.arms.iter().find_map(arm)?;
    let tokens = transcriber::transcribed(body, &bindings, &mark)?;
    let mut made = syn::Block {
        brace_token: syn::token::Brace::default(),
        stmts: parsed(tokens, position)?,
    };
    let mut names = Names::of(&mark, &made, macros);
    if names.labels_clash_with(&mac.tokens) {
        return None;
    }
    if position == Position::Items {
        if names.clash_with(&mac.tokens) {
            return None;
        }
        names.without_own();
    }
    names.visit_block_mut(&mut made);
    // Of a macro beside the function, such a name is not the function's; of one within it, it may be another
    // variable of the name.
    let may_differ = |name: &String| match (declared.get(name), rules.is_local) {
        (Some(count), true) => *count > 1,
        (count, _) => count.is_some(),
    };
    if position != Position::Items && names.free.iter().any(may_differ) {
        return None;
    }
    Some(Made {
        given: names.given,
        handed_on: names.handed_on,
        block: made,
    })
}

fn parsed(tokens: TokenStream, position: Position) -> Option<Vec<syn::Stmt>> {
    if position == Position::Items {
        let file: syn::File = syn::parse2(tokens).ok()?;
        return Some(file.items.into_iter().map(syn::Stmt::Item).collect());
    }
    if position == Position::Expression
        && let Ok(e) = syn::parse2::<syn::Expr>(tokens.clone())
    {
        return Some(vec![syn::Stmt::Expr(e, None)]);
    }
    syn::Block::parse_within.parse2(tokens).ok()
}

/// Whether a function declares macros.
struct HasMacros(bool);

impl<'ast> Visit<'ast> for HasMacros {
    fn visit_item_macro(&mut self, _: &'ast syn::ItemMacro) {
        self.0 = true;
    }
}
