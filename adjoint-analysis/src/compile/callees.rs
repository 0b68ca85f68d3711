//! The functions of a group that a function calls: which summaries it sees, and which callees may lead back to it.

use std::collections::BTreeSet;

use syn::visit::Visit;

use crate::lower::Environment;
use crate::passes::activity::summary::Summaries;
use crate::plan::group::recursive;

/// What a function sees of summaries by group names, by the names that it uses: in an `impl`, those of
/// its type also as `Self :: f` and `.f`, and none of a name that means something else in its body.
pub fn seen_in(item: &syn::ItemFn, env: &Environment) -> Summaries {
    let names = env.summaries.keys();
    let used = calls(item, env, names.map(String::as_str));
    let seen = used
        .into_iter()
        .filter_map(|(used, name)| Some((used, env.summaries.get(&name)?.clone())));
    seen.collect()
}

/// The names by which a function calls what may lead back to it: itself, and members of its group.
pub fn recursive_in(item: &syn::ItemFn, env: &Environment, seen: &Summaries) -> BTreeSet<String> {
    let own = name_in_group(item, env);
    let itself = calls(item, env, [own.as_str()].into_iter());
    let mut names = recursive(&own, seen);
    names.extend(itself.into_iter().map(|(used, _)| used));
    names
}

/// What a function is called by in its group.
pub fn name_in_group(item: &syn::ItemFn, env: &Environment) -> String {
    match &env.self_ty {
        Some(ty) => format!("{ty} :: {}", item.sig.ident),
        None => item.sig.ident.to_string(),
    }
}

/// The names by which a function calls members of its group, with those that these have there.
pub fn calls<'n>(
    item: &syn::ItemFn,
    env: &Environment,
    names: impl Iterator<Item = &'n str>,
) -> Vec<(String, String)> {
    let mut bound = Bound::default();
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

/// The names that a function gives a meaning of its own.
#[derive(Default)]
struct Bound {
    names: BTreeSet<String>,
    /// Whether these may be any.
    any: bool,
}

impl<'ast> Visit<'ast> for Bound {
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
            // Imports, types, modules and what macros write.
            _ => self.any = true,
        }
    }
}
