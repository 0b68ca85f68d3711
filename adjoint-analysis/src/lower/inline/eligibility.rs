//! Inlining eligibility: decides by signatures and bodies which functions are inlined.

use std::collections::HashSet;
use std::rc::Rc;

use quote::quote;
use syn::visit::Visit;

use super::access_methods::{access_inline_fns, is_access_impl};
use super::converted_parameters::Conversion;
use super::extension_traits::is_std_or_blanket;
use super::monomorphise::substitute_method;
use super::trait_dispatch::{dispatches, dispatching_fns, param_methods};
use super::{InlineFn, Owner};
use crate::lower::expr::strip_parens;
use crate::lower::items::attributes::{is_adjoint, is_conditional};
use crate::lower::items::generic_arguments::GenericArgs;
use crate::lower::items::generics;
use crate::lower::items::overloads::first_duplicate;
use crate::lower::types::{
    fn_bound_inputs, holds_float_ref, lower_type, range_type, text, ungrouped,
};
use crate::lower::{Environment, Mode};

/// Whether a function is inlined where its body is visible.
pub fn is_inline_fn(
    attrs: &[syn::Attribute],
    sig: &syn::Signature,
    body: &syn::Block,
    env: &Environment,
) -> bool {
    let dispatches = dispatches(sig, body, env);
    let only_so = must_inline(sig, body, env);
    let own =
        |a: &syn::Attribute| is_adjoint(a) && (only_so || matches!(a.meta, syn::Meta::List(_)));
    let fits = only_so || takes_functions(sig) || has_open_type_param(sig, env);
    fits && !attrs.iter().any(own) && (dispatches || !calls_itself(&sig.ident, body))
}

/// The inline functions among the items, except those that `cfg` may compile out.
fn inline_fns<'a>(
    items: impl Iterator<Item = &'a syn::Item>,
    env: &Environment,
    is_inner: bool,
) -> Vec<Rc<InlineFn>> {
    let mut found = Vec::new();
    for item in items {
        match item {
            syn::Item::Fn(f)
                if !is_conditional(&f.attrs) && is_inline_fn(&f.attrs, &f.sig, &f.block, env) =>
            {
                found.push(Rc::new(InlineFn {
                    sig: f.sig.clone(),
                    body: (*f.block).clone(),
                    owner: None,
                    is_nested: is_inner,
                    only_in_generic: only_in_generic(&f.sig, &f.block, env),
                }));
            }
            syn::Item::Impl(i) if !is_conditional(&i.attrs) => {
                let env = &environment_in_impl(i, env);
                if is_inherent_or_visible(i, env)
                    || !env.dispatched_methods.is_empty()
                    || is_of_reference_struct(i, env)
                {
                    found.extend(impl_inline_fns(i, env, is_inner));
                }
            }
            _ => {}
        }
    }
    found
}

/// Adds the inline functions that the items declare to the environment; the items may be those of a body.
pub fn declare_inline_fns<'a>(
    env: &mut Environment,
    items: impl Iterator<Item = &'a syn::Item>,
    is_inner: bool,
) {
    let items: Vec<&syn::Item> = items.collect();
    env.dispatching_fns = dispatching_fns(items.iter().copied(), env);
    let mut found = access_inline_fns(&items, env);
    found.extend(inline_fns(items.into_iter(), env, is_inner));
    let hides = |t: &InlineFn, of: &InlineFn| {
        t.owner.is_none() && of.owner.is_none() && t.sig.ident == of.sig.ident
    };
    env.templates
        .retain(|of| !found.iter().any(|t| hides(t, of)));
    env.templates.extend(found);
}

/// The names that the items of a body declare.
pub fn item_names<'a>(items: impl Iterator<Item = &'a syn::Item>) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl Names {
        fn add(&mut self, name: &syn::Ident) {
            self.0.insert(name.to_string());
        }
    }
    impl<'ast> Visit<'ast> for Names {
        fn visit_use_name(&mut self, u: &'ast syn::UseName) {
            self.add(&u.ident);
        }
        fn visit_use_rename(&mut self, u: &'ast syn::UseRename) {
            self.add(&u.rename);
        }
        fn visit_item(&mut self, item: &'ast syn::Item) {
            match item {
                syn::Item::Fn(f) => self.add(&f.sig.ident),
                syn::Item::Const(c) => self.add(&c.ident),
                syn::Item::Static(s) => self.add(&s.ident),
                syn::Item::Struct(s) => self.add(&s.ident),
                syn::Item::Enum(e) => self.add(&e.ident),
                syn::Item::Type(t) => self.add(&t.ident),
                syn::Item::Use(u) => self.visit_item_use(u),
                _ => {}
            }
        }
    }
    let mut names = Names(HashSet::new());
    items.for_each(|item| names.visit_item(item));
    names.0
}

/// Whether the `impl` is inherent or of a visible trait.
fn is_inherent_or_visible(item: &syn::ItemImpl, env: &Environment) -> bool {
    let seen = |(path, _): &(syn::Path, _)| env.trait_at(path).is_some();
    item.trait_.as_ref().is_none_or(seen)
}

/// Whether the `impl` is of a reference struct, by whatever trait.
fn is_of_reference_struct(item: &syn::ItemImpl, env: &Environment) -> bool {
    env.mentions_ref_struct(&item.self_ty) && !is_access_impl(item)
}

fn impl_inline_fns<'a>(
    item: &'a syn::ItemImpl,
    env: &'a Environment,
    is_inner: bool,
) -> impl Iterator<Item = Rc<InlineFn>> + 'a {
    let owner = Owner {
        ty: (*item.self_ty).clone(),
        generics: item.generics.clone(),
    };
    let own = item.items.iter().filter_map(|inner| match inner {
        syn::ImplItem::Fn(f) => Some(f.clone()),
        _ => None,
    });
    let all = own.chain(unoverridden_methods(item, env));
    let name = text(&item.self_ty);
    // An inherent method takes precedence over a trait's.
    let is_hidden = move |f: &syn::ImplItemFn| {
        let names = [f.sig.ident.to_string()];
        item.trait_.is_some() && first_duplicate(&name, &names, env).is_some()
    };
    let of_std = item.trait_.is_some() && is_std_or_blanket(&item.self_ty, &item.generics);
    all.filter(move |f| {
        !is_conditional(&f.attrs)
            && !is_hidden(f)
            && (of_std || is_inline_fn(&f.attrs, &f.sig, &f.block, env))
            && (is_inherent_or_visible(item, env)
                || is_of_reference_struct(item, env)
                || dispatches(&f.sig, &f.block, env))
    })
    .map(move |f| {
        Rc::new(InlineFn {
            only_in_generic: !of_std && only_in_generic(&f.sig, &f.block, env),
            sig: f.sig,
            body: f.block,
            owner: Some(owner.clone()),
            is_nested: is_inner,
        })
    })
}

/// The provided methods that the `impl` does not override.
pub fn unoverridden_methods(item: &syn::ItemImpl, env: &Environment) -> Vec<syn::ImplItemFn> {
    let written = |f: &syn::ImplItemFn| {
        let same = |inner: &syn::ImplItem| matches!(inner, syn::ImplItem::Fn(own) if own.sig.ident == f.sig.ident);
        item.items.iter().any(same)
    };
    let path = item.trait_.as_ref().map(|(path, _)| path);
    let provided = path
        .into_iter()
        .flat_map(|path| provided_methods(path, env));
    provided.filter(|f| !written(f)).collect()
}

/// The provided methods of the trait at this path, if it is visible, with its parameters substituted.
pub fn provided_methods(path: &syn::Path, env: &Environment) -> Vec<syn::ImplItemFn> {
    let Some((of, last)) = env.trait_at(path).zip(path.segments.last()) else {
        return Vec::new();
    };
    let Some(found) = trait_substitution(&of.generics, &last.arguments) else {
        return Vec::new();
    };
    let methods = of.items.iter().filter_map(|inner| {
        let syn::TraitItem::Fn(f) = inner else {
            return None;
        };
        let (sig, body) = (&f.sig, f.default.as_ref()?);
        let mut method = syn::parse_quote!(#sig #body);
        substitute_method(found.clone(), &mut method);
        Some(method)
    });
    methods.collect()
}

/// The substitution of the parameters by arguments or defaults, if these cover all of them.
fn trait_substitution(
    generics: &syn::Generics,
    arguments: &syn::PathArguments,
) -> Option<GenericArgs> {
    let given = match arguments {
        syn::PathArguments::AngleBracketed(given) => Vec::from_iter(&given.args),
        _ => Vec::new(),
    };
    let mut given = given.into_iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(_) | syn::GenericArgument::Const(_) => Some(quote!(#argument)),
        _ => None,
    });
    let mut found = GenericArgs::new();
    for param in &generics.params {
        let (name, default) = match param {
            syn::GenericParam::Type(t) => (&t.ident, t.default.as_ref().map(|(_, d)| quote!(#d))),
            syn::GenericParam::Const(c) => (&c.ident, c.default.as_ref().map(|(_, d)| quote!(#d))),
            syn::GenericParam::Lifetime(_) => continue,
        };
        found.insert(name.to_string(), given.next().or(default)?);
    }
    Some(found)
}

/// Whether the function has to be inlined: it has no adjoint of its own, whatever its arguments are.
pub fn must_inline(sig: &syn::Signature, body: &syn::Block, env: &Environment) -> bool {
    let is_taken = |arg: &syn::FnArg| match arg {
        syn::FnArg::Typed(t) => {
            let of_floats = |(of, _): (&syn::Type, bool)| lower_type(of, env).0.carries_floats();
            Conversion::of_type(&t.ty, &sig.generics).is_some()
                || holds_float_refs(&t.ty, env)
                || is_iterator(&t.ty, &sig.generics)
                || range_type(&t.ty, env).is_some_and(of_floats)
        }
        syn::FnArg::Receiver(_) => false,
    };
    returns_reference_like(sig)
        || env.handles_ref_structs(sig)
        || sig.inputs.iter().any(is_taken)
        || takes_visible_trait(sig, env)
        || dispatches(sig, body, env)
}

/// Whether the type contains references to floats: `(&f64, &f64)`, `Option<&mut State>`, `&mut &[f64]`.
fn holds_float_refs(ty: &syn::Type, env: &Environment) -> bool {
    match ungrouped(ty) {
        syn::Type::Reference(r) => {
            let is_reference = matches!(ungrouped(&r.elem), syn::Type::Reference(_));
            is_reference && r.mutability.is_some() && holds_float_ref(&r.elem, env)
        }
        ty => holds_float_ref(ty, env),
    }
}

/// Whether a parameter is generic over a visible trait with methods on floats.
pub(super) fn takes_visible_trait(sig: &syn::Signature, env: &Environment) -> bool {
    sig.inputs.iter().any(|arg| match arg {
        syn::FnArg::Typed(t) => has_visible_trait(&t.ty, &sig.generics, env),
        syn::FnArg::Receiver(_) => false,
    })
}

/// The environment inside of an `impl`, with the trait methods of its type parameters.
fn environment_in_impl(item: &syn::ItemImpl, env: &Environment) -> Environment {
    Environment {
        dispatched_methods: param_methods(&item.generics, env),
        self_ty: Some(text(&item.self_ty)),
        ..env.clone()
    }
}

/// Whether a parameter type is generic over a visible trait with methods on floats. Only the argument types have
/// adjoints of such methods.
fn has_visible_trait(ty: &syn::Type, of: &syn::Generics, env: &Environment) -> bool {
    let seen = |b: &syn::TypeParamBound| match b {
        syn::TypeParamBound::Trait(t) => {
            let name = t.path.segments.last().map(|s| s.ident.to_string());
            let of_trait = name.and_then(|name| env.traits.get(&name));
            of_trait.is_some_and(|of| {
                let all = generics::with_supertraits(of, env);
                generics::is_non_number_trait(of, env)
                    && all.iter().any(|of| has_float_methods(of, env))
            })
        }
        _ => false,
    };
    match ungrouped(ty) {
        syn::Type::Reference(r) => has_visible_trait(&r.elem, of, env),
        syn::Type::ImplTrait(t) => t.bounds.iter().any(seen),
        syn::Type::TraitObject(t) => t.bounds.iter().any(seen),
        syn::Type::Path(p) => of
            .type_params()
            .find(|t| p.path.is_ident(&t.ident))
            .is_some_and(|t| generics::bounds(of, t).any(seen)),
        _ => false,
    }
}

/// Whether the trait has a method that returns or changes floats.
pub(super) fn has_float_methods(of: &syn::ItemTrait, env: &Environment) -> bool {
    of.items.iter().any(|inner| match inner {
        syn::TraitItem::Fn(f) => {
            let real = |ty: &syn::Type| lower_type(ty, env).0.carries_floats();
            let gives = matches!(&f.sig.output, syn::ReturnType::Type(_, ty) if real(ty));
            let changes = |arg: &syn::FnArg| {
                matches!(arg, syn::FnArg::Typed(t) if lower_type(&t.ty, env).1 == Mode::Mut && real(&t.ty))
            };
            gives || f.sig.inputs.iter().any(changes)
        }
        _ => false,
    })
}

/// Whether a parameter is an iterator: `impl Iterator<Item = f64>`, `I: IntoIterator`.
pub fn is_iterator(ty: &syn::Type, generics: &syn::Generics) -> bool {
    match ungrouped(ty) {
        syn::Type::ImplTrait(t) => t.bounds.iter().any(is_iterator_bound),
        syn::Type::Path(p) => generics
            .type_params()
            .find(|t| p.path.is_ident(&t.ident))
            .is_some_and(|t| generics::bounds(generics, t).any(is_iterator_bound)),
        _ => false,
    }
}

/// Whether the type is known by a trait alone: `impl Trait`, `&dyn Trait`.
pub fn is_trait_type(ty: &syn::Type) -> bool {
    match ungrouped(ty) {
        syn::Type::Reference(r) => is_trait_type(&r.elem),
        syn::Type::ImplTrait(t) => !t.bounds.iter().any(is_iterator_bound),
        ty => matches!(ty, syn::Type::TraitObject(_)),
    }
}

fn is_iterator_bound(bound: &syn::TypeParamBound) -> bool {
    matches!(bound, syn::TypeParamBound::Trait(t) if t.path.segments.last()
        .is_some_and(|s| s.ident.to_string().ends_with("Iterator")))
}

/// Whether the function returns references to floats, an iterator, a closure, or a type known by a trait alone.
pub fn returns_reference_like(sig: &syn::Signature) -> bool {
    const ITERATORS: &[&str] = &[
        "Iter",
        "IterMut",
        "Chunks",
        "ChunksMut",
        "ChunksExact",
        "ChunksExactMut",
        "Windows",
    ];
    struct Views(bool);
    impl<'ast> Visit<'ast> for Views {
        fn visit_type_reference(&mut self, r: &'ast syn::TypeReference) {
            self.0 |= lower_type(&r.elem, &Environment::default())
                .0
                .carries_floats();
        }
        fn visit_type_impl_trait(&mut self, _: &'ast syn::TypeImplTrait) {
            self.0 = true;
        }
        fn visit_type_path(&mut self, p: &'ast syn::TypePath) {
            let last = p.path.segments.last();
            self.0 |= last.is_some_and(|s| {
                ITERATORS.iter().any(|name| s.ident == name) && !s.arguments.is_none()
            });
            syn::visit::visit_type_path(self, p);
        }
    }
    let mut views = Views(false);
    views.visit_return_type(&sig.output);
    views.0 && !sig.inputs.is_empty()
}

/// Whether only functions that are generic over floats need to inline it.
fn only_in_generic(sig: &syn::Signature, body: &syn::Block, env: &Environment) -> bool {
    !must_inline(sig, body, env) && !takes_functions(sig)
}

/// Whether a type parameter may be any user type: it is `Differentiable` in the function itself, but not in a caller
/// that is generic over floats (`T: Mul<Output = T>`).
fn has_open_type_param(sig: &syn::Signature, env: &Environment) -> bool {
    let is_new = |name: &String| sig.generics.type_params().any(|t| t.ident == name);
    let may_be_any = || {
        let inside = generics::in_function(sig, env);
        inside.user_type_params.iter().any(is_new)
    };
    sig.receiver().is_none() && sig.generics.type_params().next().is_some() && may_be_any()
}

fn takes_functions(sig: &syn::Signature) -> bool {
    let called = |arg: &syn::FnArg| matches!(arg, syn::FnArg::Typed(t) if fn_arity(&t.ty, &sig.generics).is_some());
    sig.inputs.iter().any(called)
}

/// The number of arguments of a function-typed parameter.
pub fn fn_arity(ty: &syn::Type, generics: &syn::Generics) -> Option<usize> {
    fn_inputs(ty, generics).map(|inputs| inputs.len())
}

/// The argument types of a function-typed parameter.
pub fn fn_inputs<'t>(ty: &'t syn::Type, generics: &'t syn::Generics) -> Option<Vec<&'t syn::Type>> {
    match ungrouped(ty) {
        syn::Type::Reference(r) => fn_inputs(&r.elem, generics),
        syn::Type::FnPtr(f) => Some(f.inputs.iter().map(|arg| &arg.ty).collect()),
        syn::Type::ImplTrait(t) => t.bounds.iter().find_map(fn_bound_inputs),
        syn::Type::TraitObject(t) => t.bounds.iter().find_map(fn_bound_inputs),
        syn::Type::Path(p) => {
            let param = generics.type_params().find(|t| p.path.is_ident(&t.ident))?;
            generics::bounds(generics, param).find_map(fn_bound_inputs)
        }
        _ => None,
    }
}

/// Whether the path names another type's method: `<Type as Trait>::f`.
fn is_other_type_path(p: &syn::ExprPath) -> bool {
    p.qself.as_ref().is_some_and(|of| text(&of.ty) != "Self")
}

/// Whether the function calls itself, by its name or as a method of `self`.
fn calls_itself(name: &syn::Ident, body: &syn::Block) -> bool {
    struct Calls<'a>(&'a syn::Ident, bool);
    impl<'ast> Visit<'ast> for Calls<'_> {
        fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
            self.1 |= matches!(strip_parens(&c.func), syn::Expr::Path(p)
                if p.path.segments.last().is_some_and(|s| s.ident == *self.0) && !is_other_type_path(p));
            syn::visit::visit_expr_call(self, c);
        }
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            let of_self =
                matches!(strip_parens(&m.receiver), syn::Expr::Path(p) if p.path.is_ident("self"));
            self.1 |= of_self && m.method == *self.0;
            syn::visit::visit_expr_method_call(self, m);
        }
    }
    let mut calls = Calls(name, false);
    calls.visit_block(body);
    calls.1
}
