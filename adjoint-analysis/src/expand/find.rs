//! The annotated functions of a source file, as the macro would see them.

use proc_macro2::TokenStream;
use syn::visit::Visit;

use super::module::group::standalone_environment;
use super::module::operator::{self, OperatorFn};
use super::module::trait_impl;
use super::module::{declare_module, free_fn, impl_environment, own_options};
use crate::lower::Environment;
use crate::lower::expr::operator::operator_impl;
use crate::lower::items::attributes::is_adjoint;
use crate::options::Options;
use crate::roles::floats::{carries_floats, returns_no_floats};

/// A function with the options and the environment that it is expanded with.
pub struct AnnotatedFn {
    /// The function; a method is turned into one.
    pub item: syn::ItemFn,
    /// The arguments of the attribute.
    pub options: Result<Options, darling::Error>,
    /// The items around the function.
    pub env: Environment,
}

/// The functions that `#[adjoint]` differentiates: annotated ones, and those of an annotated module or `impl`.
pub fn functions(file: &syn::File) -> Vec<AnnotatedFn> {
    let mut find = Finder {
        functions: Vec::new(),
    };
    find.visit_file(file);
    find.functions
}

/// The items annotated with `#[adjoint]`, and its arguments.
pub fn items(file: &syn::File) -> Vec<(TokenStream, syn::Item)> {
    let mut annotated = Annotated(Vec::new());
    annotated.visit_file(file);
    annotated.0
}

struct Annotated(Vec<(TokenStream, syn::Item)>);

impl<'ast> Visit<'ast> for Annotated {
    fn visit_item(&mut self, item: &'ast syn::Item) {
        let mut item = item.clone();
        let attrs = match &mut item {
            syn::Item::Fn(f) => &mut f.attrs,
            syn::Item::Impl(i) => &mut i.attrs,
            syn::Item::Mod(m) => &mut m.attrs,
            other => return syn::visit::visit_item(self, other),
        };
        let arguments = arguments(attrs);
        attrs.retain(|a| !is_adjoint(a));
        match arguments {
            Some(arguments) => self.0.push((arguments, item)),
            None => syn::visit::visit_item(self, &item),
        }
    }
}

struct Finder {
    functions: Vec<AnnotatedFn>,
}

impl<'ast> Visit<'ast> for Finder {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if let Some(arguments) = arguments(&item.attrs) {
            let (options, env) = (Options::parse(arguments), Environment::default());
            if !returns_no_floats(&item.sig, &env) {
                self.functions.push(AnnotatedFn {
                    item: item.clone(),
                    options,
                    env,
                });
            }
        }
        // Nested functions may be annotated too.
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let items = item.content.as_ref().map(|(_, items)| items.as_slice());
        match (arguments(&item.attrs), items) {
            (Some(arguments), Some(items)) => match Options::parse(arguments) {
                Ok(options) => self.module(items, &options, Environment::default()),
                Err(error) => self.report_options(items, &error),
            },
            _ => syn::visit::visit_item_mod(self, item),
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        match arguments(&item.attrs).map(Options::parse) {
            Some(Ok(options)) => {
                let env = standalone_environment(item, &options);
                self.implementation(item, &options, &env);
            }
            Some(Err(error)) => self.report_options(&[syn::Item::Impl(item.clone())], &error),
            None => syn::visit::visit_item_impl(self, item),
        }
    }
}

impl Finder {
    /// Collects the functions of an annotated module.
    fn module(&mut self, items: &[syn::Item], options: &Options, mut env: Environment) {
        declare_module(items, options, &mut env);
        for item in items {
            match item {
                syn::Item::Fn(f) => self.function(f.clone(), options, &env),
                syn::Item::Impl(i) if i.trait_.is_none() || operator_impl(i).is_some() => {
                    self.implementation(i, options, &env)
                }
                syn::Item::Impl(i) if !trait_impl::is_excluded(i, &env) => {
                    if let Some(inherent) = trait_impl::as_inherent(i, &env) {
                        self.implementation(&inherent, options, &env);
                    }
                }
                syn::Item::Mod(m) => {
                    let items = m.content.as_ref().map(|(_, items)| items.as_slice());
                    self.module(items.unwrap_or_default(), options, env.clone());
                }
                _ => {}
            }
        }
    }

    fn implementation(&mut self, item: &syn::ItemImpl, options: &Options, env: &Environment) {
        if let Some(OperatorFn {
            item, options, env, ..
        }) = operator::operator_fn(item, options, env)
        {
            return self.functions.push(AnnotatedFn { item, options, env });
        }
        let inherent = trait_impl::as_inherent(item, env);
        let item = inherent.as_ref().unwrap_or(item);
        let env = impl_environment(item, env);
        for inner in &item.items {
            if let syn::ImplItem::Fn(f) = inner {
                self.function(free_fn(f), options, &env);
            }
        }
    }

    fn function(&mut self, mut item: syn::ItemFn, options: &Options, env: &Environment) {
        let is_asked = item.attrs.iter().any(is_adjoint) && !returns_no_floats(&item.sig, env);
        if is_asked || carries_floats(&item.sig, env) {
            let options = own_options(&mut item.attrs, options);
            self.functions.push(AnnotatedFn {
                item,
                options,
                env: env.clone(),
            });
        }
    }

    /// Reports wrong options of the attribute around these items at their first function.
    fn report_options(&mut self, items: &[syn::Item], error: &darling::Error) {
        let before = self.functions.len();
        self.module(items, &Options::default(), Environment::default());
        self.functions.truncate(before + 1);
        if let Some(first) = self.functions.get_mut(before) {
            first.options = Err(error.clone());
        }
    }
}

/// The arguments of `#[adjoint]`.
fn arguments(attrs: &[syn::Attribute]) -> Option<TokenStream> {
    attrs
        .iter()
        .find(|a| is_adjoint(a))
        .map(|attr| match &attr.meta {
            syn::Meta::List(list) => list.tokens.clone(),
            _ => TokenStream::new(),
        })
}
