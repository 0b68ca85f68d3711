//! The callees of a function in its group: their summaries, and recursion.

use std::collections::BTreeSet;

use syn::visit::Visit;

use crate::lower::Environment;
use crate::passes::activity::summary::Summaries;
use crate::plan::group::recursive;

/// The summaries that apply in a function, by the names that it uses: in an `impl`, functions of its type also as
/// `Self :: f` and `.f`. A name that the body binds otherwise has none.
pub fn visible_summaries(item: &syn::ItemFn, env: &Environment) -> Summaries {
    let names = env.summaries.keys();
    let used = callee_names(item, env, names.map(String::as_str));
    let seen = used
        .into_iter()
        .filter_map(|(used, name)| Some((used, env.summaries.get(&name)?.clone())));
    seen.collect()
}

/// The names of callees that may call the function again: itself, and members of its group.
pub fn recursive_names(
    item: &syn::ItemFn,
    env: &Environment,
    seen: &Summaries,
) -> BTreeSet<String> {
    let own = name_in_group(item, env);
    let itself = callee_names(item, env, [own.as_str()].into_iter());
    let mut names = recursive(&own, seen);
    names.extend(itself.into_iter().map(|(used, _)| used));
    names
}

/// The name of a function in its group.
pub fn name_in_group(item: &syn::ItemFn, env: &Environment) -> String {
    match &env.self_ty {
        Some(ty) => format!("{ty} :: {}", item.sig.ident),
        None => item.sig.ident.to_string(),
    }
}

/// The names by which a function can call members of its group, each with the member's name.
pub fn callee_names<'n>(
    item: &syn::ItemFn,
    env: &Environment,
    names: impl Iterator<Item = &'n str>,
) -> Vec<(String, String)> {
    let mut bound = OwnNames::default();
    bound.visit_item_fn(item);
    let own = env.self_ty.as_ref().map(|ty| format!("{ty} :: "));
    let mut calls = Vec::new();
    for name in names {
        let first = name.split(' ').next().unwrap_or_default();
        if bound.any || bound.names.contains(first) {
            continue;
        }
        calls.push((name.to_string(), name.to_string()));
        if let Some(method) = own.as_ref().and_then(|own| name.strip_prefix(own.as_str())) {
            calls.push((format!("Self :: {method}"), name.to_string()));
            calls.push((format!(".{method}"), name.to_string()));
        }
    }
    calls
}

/// The names that the function binds or declares itself.
#[derive(Default)]
struct OwnNames {
    names: BTreeSet<String>,
    /// Whether it may declare any name.
    any: bool,
}

impl<'ast> Visit<'ast> for OwnNames {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        item.sig.inputs.iter().for_each(|i| self.visit_fn_arg(i));
        self.visit_block(&item.block);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.names.insert(pattern.ident.to_string());
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        match item {
            syn::Item::Fn(f) => {
                self.names.insert(f.sig.ident.to_string());
            }
            syn::Item::Const(_) | syn::Item::Static(_) => {}
            // Imports, types, modules and macros may declare any name.
            _ => self.any = true,
        }
    }
}
