//! The functions of an annotated module or `impl`, as a group of functions with visible bodies.

use std::collections::BTreeSet;

use super::{free_fn, impl_environment, own_options};
use crate::compile::callees::{callee_names, name_in_group};
use crate::compile::name_params;
use crate::compile::prepare;
use crate::lower::items::attributes::is_conditional;
use crate::lower::{Environment, inline};
use crate::options::Options;
use crate::passes::activity::summary::Summaries;
use crate::plan::group::{Member, summaries};
use crate::roles::floats::carries_floats;

/// The summaries of the functions among the items, by name: `f`, `Type :: f`. Functions of a duplicate name, and those
/// that are refused, opaque or conditional, have none.
pub fn group_summaries(items: &[syn::Item], options: &Options, env: &Environment) -> Summaries {
    let mut group = Group::default();
    for item in items {
        match item {
            syn::Item::Fn(f) => group.add(f.clone(), options, env),
            syn::Item::Impl(i) if i.trait_.is_none() && !is_conditional(&i.attrs) => {
                let env = impl_environment(i, env);
                for inner in &i.items {
                    if let syn::ImplItem::Fn(f) = inner {
                        group.add(free_fn(f), options, &env);
                    }
                }
            }
            _ => {}
        }
    }
    group.finish()
}

/// The environment of an annotated `impl` outside of annotated modules.
pub fn standalone_environment(item: &syn::ItemImpl, options: &Options) -> Environment {
    let mut env = Environment::default();
    let items = [syn::Item::Impl(item.clone())];
    inline::declare_inline_fns(&mut env, items.iter(), false);
    let summaries = group_summaries(&items, options, &env);
    Environment { summaries, ..env }
}

#[derive(Default)]
struct Group {
    members: Vec<(syn::ItemFn, Environment, Member)>,
    names: BTreeSet<String>,
    ambiguous: BTreeSet<String>,
}

impl Group {
    fn add(&mut self, mut item: syn::ItemFn, options: &Options, env: &Environment) {
        let name = name_in_group(&item, env);
        if !self.names.insert(name.clone()) || is_conditional(&item.attrs) {
            self.ambiguous.insert(name.clone());
        }
        let Ok(options) = own_options(&mut item.attrs, options) else {
            return;
        };
        let no_adjoint =
            options.custom.is_some() || inline::must_inline(&item.sig, &item.block, env);
        if no_adjoint || !carries_floats(&item.sig, env) {
            return;
        }
        let item = name_params(&item).into_owned();
        if let Ok((lowered, boundary)) = prepare(&item, &options, env) {
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
            calls: callee_names(&item, &env, names.iter().map(String::as_str)),
            ..member
        });
        let mut found = summaries(&linked.collect::<Vec<_>>());
        found.retain(|name, _| names.contains(name));
        found
    }
}
