//! The functions of an annotated module or `impl`, as a group whose bodies are seen.

use std::collections::BTreeSet;

use syn::visit::Visit;

use super::{environment_inside, own_options, standing};
use crate::expand::function::prepared;
use crate::expand::parameters::named;
use crate::lower::items::attributes::is_conditional;
use crate::lower::{Environment, inline};
use crate::options::Options;
use crate::passes::activity::summary::Summaries;
use crate::plan::group::{Member, recursive, summaries};
use crate::roles::floats::carries_floats;

/// What the functions among the items show to each other, by their names: `f`, `Type :: f`. Of several
/// functions of one name, and of those that are refused, opaque or under a condition, nothing is known.
pub fn seen_together(items: &[syn::Item], options: &Options, env: &Environment) -> Summaries {
    let mut group = Group::default();
    for item in items {
        match item {
            syn::Item::Fn(f) => group.add(f.clone(), options, env),
            syn::Item::Impl(i) if i.trait_.is_none() && !is_conditional(&i.attrs) => {
                let env = environment_inside(i, env);
                for inner in &i.items {
                    if let syn::ImplItem::Fn(f) = inner {
                        group.add(standing(f), options, &env);
                    }
                }
            }
            _ => {}
        }
    }
    group.finish()
}

/// What is known inside an annotated `impl` that is in no annotated module.
pub fn around(item: &syn::ItemImpl, options: &Options) -> Environment {
    let mut env = Environment::default();
    let items = [syn::Item::Impl(item.clone())];
    inline::declared(&mut env, items.iter(), false);
    let summaries = seen_together(&items, options, &env);
    Environment { summaries, ..env }
}

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
fn name_in_group(item: &syn::ItemFn, env: &Environment) -> String {
    match &env.self_ty {
        Some(ty) => format!("{ty} :: {}", item.sig.ident),
        None => item.sig.ident.to_string(),
    }
}

#[derive(Default)]
struct Group {
    members: Vec<(syn::ItemFn, Environment, Member)>,
    met: BTreeSet<String>,
    ambiguous: BTreeSet<String>,
}

impl Group {
    fn add(&mut self, mut item: syn::ItemFn, options: &Options, env: &Environment) {
        let name = name_in_group(&item, env);
        if !self.met.insert(name.clone()) || is_conditional(&item.attrs) {
            self.ambiguous.insert(name.clone());
        }
        let Ok(options) = own_options(&mut item.attrs, options) else {
            return;
        };
        let no_adjoint =
            options.custom.is_some() || inline::is_written_out(&item.sig, &item.block, env);
        if no_adjoint || !carries_floats(&item.sig, env) {
            return;
        }
        let item = named(&item).into_owned();
        if let Ok((lowered, boundary)) = prepared(&item, &options, env) {
            let member = Member {
                func: lowered.func,
                boundary,
                statements: lowered.spans.len(),
                config: options.config,
                name,
                calls: Vec::new(),
            };
            self.members.push((item, env.clone(), member));
        }
    }

    fn finish(self) -> Summaries {
        let Group {
            members, ambiguous, ..
        } = self;
        let known = members.iter().map(|(.., m)| m.name.clone());
        let names: Vec<String> = known.filter(|n| !ambiguous.contains(n)).collect();
        let linked = members.into_iter().map(|(item, env, member)| Member {
            calls: calls(&item, &env, names.iter().map(String::as_str)),
            ..member
        });
        let mut found = summaries(&linked.collect::<Vec<_>>());
        found.retain(|name, _| names.contains(name));
        found
    }
}

/// The names by which a function calls members of its group, with those that these have there.
fn calls<'n>(
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
