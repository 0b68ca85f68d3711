//! `#[adjoint] mod` and `#[adjoint] impl`: differentiates every function in it that carries floats.
//!
//! The items are analysed together, so the results of calls and the fields of structs have known types.

pub mod group;
pub(super) mod operator;
pub(super) mod self_paths;
pub(super) mod trait_impl;

use crate::lower::items::constants::declare_associated;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use self::group::{group_summaries, standalone_environment};
use super::cfg::conditions::{items_under, members_under};
use super::macro_rules::{self, MacroScope};
use crate::compile::companion_items::{
    companion_items, companion_items_if_possible, companion_items_of_inlined,
    companion_items_unannotated,
};
use crate::roles::floats::{carries_floats, constructs_floats};

use crate::emit::interface::SweepLocation;
use crate::emit::public::nondifferentiable;
use crate::ir::{Ty, base_name};
use crate::lower::aggregate::reference_struct;
use crate::lower::expr::field;
use crate::lower::expr::operator::{operator_impl, visible_operator};
use crate::lower::infer::expectation::param_types;
use crate::lower::inline::{self, is_inline_fn, substitute_self, substitute_type};
use crate::lower::items::attributes::{is_adjoint, is_conditional};
use crate::lower::items::overloads::{
    ambiguous_methods, duplicate_items, overloads, shadowed_std_methods,
};
use crate::lower::items::signatures::{FnSignature, MethodSignature};
use crate::lower::items::{associated_types, generics, imports};
use crate::lower::iter::iterator_types;
use crate::lower::tokens::identifiers;
use crate::lower::types::{lower_type, text, ungrouped};
use crate::lower::{Environment, signature};
use crate::options::Options;
use crate::refuse::{Reason, Refusal};
use crate::roles;

/// Expands an inline module.
pub fn expand_module(item: syn::ItemMod, options: &Options) -> TokenStream {
    if item.content.is_none() {
        let error = refusal(item.mod_token.span(), Reason::FileModule);
        return quote!(#item #error);
    }
    expand_content(
        item,
        options,
        Environment::default(),
        &MacroScope::default(),
    )
}

/// Expands a module: its items, each followed by its companions.
fn expand_content(
    mut item: syn::ItemMod,
    options: &Options,
    mut env: Environment,
    macros: &MacroScope,
) -> TokenStream {
    if let Some((_, items)) = &mut item.content {
        resolve_self_aliases(items, &env);
        let modules = macro_rules::module_scopes(items, macros);
        let closed = macro_rules::module_view(std::mem::take(items), macros);
        env.object_enums = Rc::new(closed.object_enums);
        (env.twins, env.deques) = (closed.twins, closed.deques);
        env.unbounded_macros = closed.unbounded_macros;
        let (seen, shown): (Vec<_>, Vec<_>) = closed
            .entries
            .into_iter()
            .map(|e| (e.analysed, e.emitted))
            .unzip();
        declare_module(&seen, options, &mut env);
        env.module_names = Some(Rc::new(declared_names(&seen)));
        let all = seen.into_iter().zip(shown);
        let all = all.map(|(item, shown)| expand_module_item(item, shown, options, &env, &modules));
        items.push(syn::Item::Verbatim(all.collect()));
    }
    quote!(#item)
}

/// The names of the functions and values that a module declares or imports.
fn declared_names(items: &[syn::Item]) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_item(&mut self, item: &'ast syn::Item) {
            let name = match item {
                syn::Item::Fn(f) => &f.sig.ident,
                syn::Item::Const(c) => &c.ident,
                syn::Item::Static(s) => &s.ident,
                syn::Item::Use(u) => return self.visit_item_use(u),
                _ => return,
            };
            self.0.insert(name.to_string());
        }
        fn visit_use_name(&mut self, name: &'ast syn::UseName) {
            self.0.insert(name.ident.to_string());
        }
        fn visit_use_rename(&mut self, name: &'ast syn::UseRename) {
            self.0.insert(name.rename.to_string());
        }
    }
    let mut names = Names(HashSet::new());
    items.iter().for_each(|item| names.visit_item(item));
    names.0
}

/// Replaces a type alias as the `Self` type by its target: `impl C64`, where `type C64 = Complex<f64>`.
fn resolve_self_aliases(items: &mut [syn::Item], env: &Environment) {
    let mut env = env.clone();
    crate::lower::items::constants::declare_constants(&mut env, items.iter());
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        let syn::Type::Path(own) = ungrouped(&i.self_ty) else {
            continue;
        };
        let name = own.path.get_ident().map(ToString::to_string);
        let alias = name.and_then(|name| env.aliases.get(&name));
        if let Some(alias) = alias.filter(|a| a.generics.params.is_empty()) {
            i.self_ty = alias.ty.clone();
        }
    }
}

/// An item of an annotated module, or what is emitted for it (`shown`), and its companion items.
fn expand_module_item(
    item: syn::Item,
    shown: Option<syn::Item>,
    options: &Options,
    env: &Environment,
    modules: &BTreeMap<String, MacroScope>,
) -> TokenStream {
    match item {
        syn::Item::Fn(mut f) => {
            let is_asked = f.attrs.iter().any(is_adjoint);
            let companions = match is_inline_fn(&f.attrs, &f.sig, &f.block, env) {
                true => companion_items_of_inlined,
                false => companion_items,
            };
            let beside = match own_options(&mut f.attrs, options) {
                Ok(options) if is_asked || carries_floats(&f.sig, env) => {
                    companions(&f, &options, env)
                }
                Ok(options) => companion_items_unannotated(&f, &options, env),
                Err(error) => error.write_errors(),
            };
            let beside = items_under(&f.attrs, beside);
            let f = shown.unwrap_or(syn::Item::Fn(f));
            quote!(#f #beside)
        }
        syn::Item::Impl(i) if i.trait_.is_none() || operator_impl(&i).is_some() => match shown {
            Some(shown) => {
                let beside = match operator_impl(&i) {
                    Some(_) => operator::companion_items(&i, options, env),
                    None => impl_with_companions(i, options, env, &MethodOutput::COMPANIONS_ONLY),
                };
                quote!(#shown #beside)
            }
            None => expand_impl(i, options, env),
        },
        // Marker items that generated code queries where the type is indexed or summed.
        syn::Item::Impl(i) => {
            let mark = crate::lower::items::access_impls::marker_impl(&i).and_then(Result::ok);
            let mark = items_under(&i.attrs, mark.unwrap_or_default());
            let refused = crate::lower::items::access_impls::refuse_deref(&i, env);
            let refused = refused.map(|refusal| refusal.to_error().to_compile_error());
            let beside = (!self::trait_impl::is_excluded(&i, env))
                .then(|| trait_impl_companions(&i, options, env));
            let i = strip_adjoint_attrs(shown.unwrap_or(syn::Item::Impl(i)));
            quote!(#i #mark #refused #beside)
        }
        syn::Item::Mod(m) => {
            let macros = modules.get(&m.ident.to_string()).cloned();
            expand_content(m, options, env.clone(), &macros.unwrap_or_default())
        }
        other => shown.unwrap_or(other).into_token_stream(),
    }
}

/// An annotated `impl` outside of annotated modules.
pub fn expand_impl_alone(item: syn::ItemImpl, options: &Options) -> TokenStream {
    let Some(seen) = macro_rules::expand_in_impl(&item) else {
        let env = standalone_environment(&item, options);
        return expand_impl(item, options, &env);
    };
    let mut env = standalone_environment(&seen.item, options);
    env.unbounded_macros = seen.unbounded_macros;
    let shown = strip_adjoint_attrs(syn::Item::Impl(item));
    let seen = syn::Item::Impl(seen.item);
    expand_module_item(seen, Some(shown), options, &env, &BTreeMap::new())
}

/// Expands an `impl`; the adjoints of an inherent one are placed beside its methods.
pub fn expand_impl(item: syn::ItemImpl, options: &Options, env: &Environment) -> TokenStream {
    if operator_impl(&item).is_some() {
        let beside = operator::companion_items(&item, options, env);
        let item = strip_adjoint_attrs(syn::Item::Impl(item));
        return quote!(#item #beside);
    }
    if let Some(mark) = crate::lower::items::access_impls::marker_impl(&item) {
        let mark = mark.unwrap_or_else(|refusal| refusal.to_error().to_compile_error());
        let mark = items_under(&item.attrs, mark);
        return quote!(#item #mark);
    }
    if let Some((path, _)) = &item.trait_ {
        let beside = match self::trait_impl::as_inherent(&item, env) {
            Some(inherent) => {
                let env = self::trait_impl::trait_impl_environment(&item, env);
                impl_with_companions(inherent, options, &env, &MethodOutput::COMPANIONS_ONLY)
            }
            None => refusal(path.span(), Reason::TraitImpl),
        };
        let item = strip_adjoint_attrs(syn::Item::Impl(item));
        return quote!(#item #beside);
    }
    impl_with_companions(item, options, env, &MethodOutput::WITH_METHODS)
}

/// The companion items of a trait `impl` in an annotated module: adjoints of the methods that can have one.
fn trait_impl_companions(
    item: &syn::ItemImpl,
    options: &Options,
    env: &Environment,
) -> TokenStream {
    let Some(mut inherent) = self::trait_impl::as_inherent(item, env) else {
        return TokenStream::new();
    };
    let overloaded = self::trait_impl::split_overloads(item, &mut inherent, env);
    let around = self::trait_impl::trait_impl_environment(item, env);
    let beside = impl_with_companions(inherent, options, &around, &MethodOutput::IF_POSSIBLE);
    match overloaded.items.is_empty() {
        true => beside,
        false => {
            let lints = crate::emit::allowed_lints();
            let methods = impl_with_companions(overloaded, options, env, &MethodOutput::OVERLOADED);
            quote!(#beside #[doc(hidden)] #lints #methods)
        }
    }
}

/// The output for the methods of an `impl`.
struct MethodOutput {
    /// Whether the methods themselves are emitted.
    with_methods: bool,
    /// Whether refused methods are reported.
    reports: bool,
}

impl MethodOutput {
    const WITH_METHODS: MethodOutput = MethodOutput {
        with_methods: true,
        reports: true,
    };
    const COMPANIONS_ONLY: MethodOutput = MethodOutput {
        with_methods: false,
        reports: true,
    };
    const OVERLOADED: MethodOutput = MethodOutput {
        with_methods: true,
        reports: false,
    };
    const IF_POSSIBLE: MethodOutput = MethodOutput {
        with_methods: false,
        reports: false,
    };
}

/// The `impl` with the adjoints of its methods.
fn impl_with_companions(
    mut item: syn::ItemImpl,
    options: &Options,
    env: &Environment,
    how: &MethodOutput,
) -> TokenStream {
    let env = impl_environment(&item, env);
    let differentiable = needs_self_adjoint(&item, options, &env);
    let may_lend = has_lifetime(&item.self_ty);
    let mut content = TokenStream::new();
    for inner in std::mem::take(&mut item.items) {
        let syn::ImplItem::Fn(mut f) = inner else {
            if how.with_methods {
                content.extend(quote!(#inner));
            }
            continue;
        };
        let is_asked = f.attrs.iter().any(is_adjoint);
        let may_be_lent = may_lend && mentions(&f.sig.output, &["Self".to_string()]);
        let companions = match is_inline_fn(&f.attrs, &f.sig, &f.block, &env) {
            true => companion_items_of_inlined,
            // The returned `Self` may hold references.
            false if !is_asked && (may_be_lent || !how.reports) => companion_items_if_possible,
            false => companion_items,
        };
        let options = own_options(&mut f.attrs, options);
        if how.with_methods {
            content.extend(quote!(#f));
        }
        let beside = match options {
            Ok(options) if is_asked || carries_floats(&f.sig, &env) => {
                companions(&free_fn(&f), &options, &env)
            }
            Ok(options) if differentiable && constructs_floats(&f.sig, &env) => {
                nondifferentiable::items(&free_fn(&f), &options, &env, SweepLocation::Impl)
            }
            Ok(options) => companion_items_unannotated(&free_fn(&f), &options, &env),
            Err(error) => error.write_errors(),
        };
        content.extend(members_under(&f.attrs, beside));
    }
    item.items = vec![syn::ImplItem::Verbatim(content)];
    quote!(#item)
}

/// Whether the type has a lifetime, as `Fit<'a>` has.
fn has_lifetime(ty: &syn::Type) -> bool {
    struct Find(bool);
    impl<'ast> Visit<'ast> for Find {
        fn visit_lifetime(&mut self, _: &'ast syn::Lifetime) {
            self.0 = true;
        }
    }
    let mut find = Find(false);
    find.visit_type(ty);
    find.0
}

fn refusal(span: proc_macro2::Span, reason: Reason) -> TokenStream {
    Refusal { span, reason }.to_error().to_compile_error()
}

/// Whether a method of the `impl` needs an adjoint of `Self`, or none has an adjoint at all.
fn needs_self_adjoint(item: &syn::ItemImpl, options: &Options, env: &Environment) -> bool {
    let mut methods = item.items.iter().filter_map(|inner| match inner {
        syn::ImplItem::Fn(f) if carries_floats(&f.sig, env) => Some(&f.sig),
        _ => None,
    });
    let takes_part = roles::has_role(Some(&quote::format_ident!("self")), false, options);
    methods.clone().next().is_none() || methods.any(|sig| sig.receiver().is_some() && takes_part)
}

/// The environment inside an `impl`.
pub(super) fn impl_environment(item: &syn::ItemImpl, env: &Environment) -> Environment {
    let mut env = generics::in_impl(&item.generics, env);
    let own = text(&item.self_ty);
    env.self_ty = Some(own);
    declare_associated(&mut env, item);
    env.dispatched_methods = inline::param_methods(&item.generics, &env);
    for inner in &item.items {
        if let syn::ImplItem::Fn(f) = inner {
            let known = method_signature(&f.sig, item, &[], &env);
            env.signatures
                .add_method(f.sig.ident.to_string(), known, true);
        }
    }
    env
}

/// The method as a function item.
pub(super) fn free_fn(method: &syn::ImplItemFn) -> syn::ItemFn {
    syn::ItemFn {
        attrs: method.attrs.clone(),
        vis: method.vis.clone(),
        modifiers: syn::FnModifiers::default(),
        sig: method.sig.clone(),
        block: Box::new(method.block.clone()),
    }
}

/// The item without `#[adjoint]` attributes on it or its members.
pub(super) fn strip_adjoint_attrs(mut item: syn::Item) -> syn::Item {
    struct Without;
    impl VisitMut for Without {
        fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
            attributes.retain(|a| !is_adjoint(a));
        }

        fn visit_block_mut(&mut self, _: &mut syn::Block) {}
    }
    Without.visit_item_mut(&mut item);
    item
}

/// The options of a function: its own attribute's if it has one, else the inherited ones.
pub(super) fn own_options(
    attrs: &mut Vec<syn::Attribute>,
    outer: &Options,
) -> Result<Options, darling::Error> {
    let Some(at) = attrs.iter().position(is_adjoint) else {
        return Ok(Options {
            config: outer.config,
            inactive: outer.inactive.clone(),
            ..Options::default()
        });
    };
    let attr = attrs.remove(at);
    let tokens = match attr.meta {
        syn::Meta::List(list) => list.tokens,
        _ => TokenStream::new(),
    };
    Options::parse(tokens)
}

/// Declares the items of a module in the environment, and analyses its functions as a group.
pub(super) fn declare_module(items: &[syn::Item], options: &Options, env: &mut Environment) {
    declare_items(items, env);
    env.summaries = group_summaries(items, options, env);
}

fn declare_items(items: &[syn::Item], env: &mut Environment) {
    // Those of an outer module are not in scope.
    env.templates.clear();
    env.imports.clear();
    env.declare_types(items.iter());
    let traits = items.iter().filter_map(|item| match item {
        syn::Item::Trait(t) => Some((t.ident.to_string(), Rc::new(t.clone()))),
        _ => None,
    });
    env.traits.extend(traits);
    imports::declare_imports(env, items.iter());
    associated_types::declare_associated_types(env, items.iter());
    reference_struct::collect_ref_structs(env, items.iter());
    env.duplicate_items = duplicate_items(items, env);
    inline::declare_inline_fns(env, items.iter(), false);
    crate::lower::items::constants::declare_constants(env, items.iter());
    field::declare_field_types(env, items.iter());
    env.overloads = overloads(items, env);
    env.ambiguous_methods = ambiguous_methods(items, &env.duplicate_items);
    env.iterator_types.extend(iterator_types(items));
    env.shadowed_std_methods
        .extend(shadowed_std_methods(items, env));
    env.non_forwarding_traits = inline::non_forwarding_traits(items, env);
    for item in items {
        match item {
            // A conditional item may have a different signature when its condition is false.
            syn::Item::Fn(f) if is_conditional(&f.attrs) => {}
            syn::Item::Impl(i) if is_conditional(&i.attrs) => {}
            syn::Item::Fn(f) => {
                let function = function_signature(&f.sig, env);
                env.signatures
                    .add_function(f.sig.ident.to_string(), function);
            }
            syn::Item::Impl(i) if operator_impl(i).is_some() => {
                env.operators.extend(visible_operator(i))
            }
            syn::Item::Impl(i) => match self::trait_impl::as_inherent(i, env) {
                Some(mut inherent) => {
                    declare_methods(&inherent, env);
                    declare_methods(
                        &self::trait_impl::split_overloads(i, &mut inherent, env),
                        env,
                    );
                }
                None => declare_methods(i, env),
            },
            _ => {}
        }
    }
}

/// The names of the type and const parameters.
fn param_names(generics: &syn::Generics) -> Vec<String> {
    let types = generics.type_params().map(|t| &t.ident);
    let consts = generics.const_params().map(|c| &c.ident);
    types.chain(consts).map(ToString::to_string).collect()
}

/// Declares the methods of an `impl`. Callers don't know the arguments of its type parameters.
fn declare_methods(item: &syn::ItemImpl, env: &mut Environment) {
    let outer = impl_param_names(item);
    let around = env.self_ty.replace(text(&item.self_ty));
    for inner in &item.items {
        if let syn::ImplItem::Fn(f) = inner
            && !is_conditional(&f.attrs)
        {
            let known = method_signature(&f.sig, item, &outer, env);
            env.signatures
                .add_method(f.sig.ident.to_string(), known, false);
        }
    }
    env.self_ty = around;
}

/// The generic parameters of an `impl`, and `Self` if there are any.
fn impl_param_names(item: &syn::ItemImpl) -> Vec<String> {
    let mut own = param_names(&item.generics);
    if !own.is_empty() {
        own.push("Self".to_string());
    }
    own
}

fn function_signature(sig: &syn::Signature, env: &Environment) -> FnSignature {
    FnSignature {
        result: result_type(sig, &[], env),
        generic_sig: (!param_names(&sig.generics).is_empty()).then(|| sig.clone()),
        params: param_types(sig, env),
    }
}

/// The signature of a method of the `impl` for its callers; `outer` are parameters that the caller doesn't know.
fn method_signature(
    sig: &syn::Signature,
    item: &syn::ItemImpl,
    outer: &[String],
    env: &Environment,
) -> MethodSignature {
    MethodSignature {
        owner: base_name(&text(&item.self_ty)).to_string(),
        result: result_type(sig, outer, env),
        generic_result: generic_result_alias(item, sig),
        generic_sig: associated_fn_signature(item, sig),
        receiver: sig.receiver().map(signature::receiver_mode),
        params: match outer {
            [] => param_types(sig, env).split_off(usize::from(sig.receiver().is_some())),
            _ => Vec::new(),
        },
    }
}

/// The signature of an associated function, with the parameters of the `impl` added to its own.
fn associated_fn_signature(item: &syn::ItemImpl, sig: &syn::Signature) -> Option<syn::Signature> {
    if sig.receiver().is_some() || param_names(&item.generics).is_empty() {
        return None;
    }
    let mut sig = sig.clone();
    substitute_self(&item.self_ty, &mut sig);
    let own = std::mem::replace(&mut sig.generics, item.generics.clone());
    sig.generics.params.extend(own.params);
    Some(sig)
}

/// The result type of a method as a generic alias over the parameters of the `impl`, if it depends on them.
fn generic_result_alias(item: &syn::ItemImpl, sig: &syn::Signature) -> Option<syn::ItemType> {
    let (syn::Type::Path(own), syn::ReturnType::Type(_, ty)) = (&*item.self_ty, &sig.output) else {
        return None;
    };
    let syn::PathArguments::AngleBracketed(arguments) = &own.path.segments.last()?.arguments else {
        return None;
    };
    let given: Vec<String> = arguments.args.iter().map(text).collect();
    if !param_names(&sig.generics).is_empty()
        || given != param_names(&item.generics)
        || !mentions(&sig.output, &impl_param_names(item))
    {
        return None;
    }
    let mut ty = (**ty).clone();
    let own = HashMap::from([("Self".to_string(), own.to_token_stream())]);
    substitute_type(own, &mut ty);
    let generics = &item.generics;
    Some(syn::parse_quote!(type Result #generics = #ty;))
}

/// The result type of the function, if it has a meaning for callers.
fn result_type(sig: &syn::Signature, outer: &[String], env: &Environment) -> Ty {
    // A type with parameters of the callee has no meaning at the caller.
    let plain = param_names(&sig.generics).is_empty() && !mentions(&sig.output, outer);
    match &sig.output {
        syn::ReturnType::Type(_, ty) if plain => lower_type(ty, env).0,
        _ => Ty::Unknown,
    }
}

fn mentions(output: &syn::ReturnType, parameters: &[String]) -> bool {
    let mut mentioned = Vec::new();
    identifiers(&output.to_token_stream(), &mut mentioned);
    mentioned.iter().any(|word| parameters.contains(word))
}
