//! Overloads: methods that a type has by several `impl`s of traits, as by `From<V>` and `From<[f64; 2]>`.
//!
//! An inherent `impl` can have only one method of a name, so the sweeps of overloads get names of their own there. The
//! types of the arguments determine which one a call means, if they fit no other; rustc checks that they fit this one.

use std::collections::{HashMap, HashSet};

use quote::{ToTokens, format_ident};

use super::generics::in_impl;
use crate::ir::base_name;
use crate::lower::expr::strip_parens;
use crate::lower::inline::{item_names, unoverridden_methods};
use crate::lower::signature::receiver_mode;
use crate::lower::std_lib::method::is_std_method;
use crate::lower::tokens::identifiers;
use crate::lower::types::{lower_type, text};
use crate::lower::value::Value;
use crate::lower::{Environment, Lower, Mode, Ty};

/// One of several methods of one name.
#[derive(Clone, Debug)]
pub struct Overload {
    /// The trait with its arguments, and the type.
    impl_of: String,
    /// The type that has it, if the `impl` has no parameters.
    owner: Option<String>,
    /// The types and modes of the parameters besides `self`.
    params: Vec<(Ty, Mode)>,
}

/// The name of a type and the name of an item of it.
type ItemKey = (String, String);

/// The overloads by type and name; none if an inherent method has the name.
pub type Overloads = HashMap<ItemKey, Vec<Overload>>;

/// The functions and constants that a type has both inherently and by a trait, even if the trait provides them. The
/// name means one on the type and the other on a type parameter.
pub fn duplicate_items(items: &[syn::Item], env: &Environment) -> HashSet<ItemKey> {
    let (mut own, mut by_trait) = (HashSet::new(), HashSet::new());
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        let names = match &i.trait_ {
            Some((path, _)) => {
                let declared = trait_item_names(path, env);
                by_trait.extend(declared.map(|name| item_key(i, name)));
                &mut by_trait
            }
            None => &mut own,
        };
        names.extend(i.items.iter().filter_map(|inner| match inner {
            syn::ImplItem::Fn(f) => Some(item_key(i, &f.sig.ident)),
            syn::ImplItem::Const(c) => Some(item_key(i, &c.ident)),
            _ => None,
        }));
    }
    own.retain(|key| by_trait.contains(key));
    own
}

/// The functions and constants of the trait at this path, if it is visible.
fn trait_item_names<'e>(
    path: &syn::Path,
    env: &'e Environment,
) -> impl Iterator<Item = &'e syn::Ident> {
    let items = env.trait_at(path).into_iter().flat_map(|of| &of.items);
    items.filter_map(|inner| match inner {
        syn::TraitItem::Fn(f) => Some(&f.sig.ident),
        syn::TraitItem::Const(c) => Some(&c.ident),
        _ => None,
    })
}

/// The duplicate methods whose trait is used as a bound or behind `dyn`: values known by the trait alone can't be
/// distinguished from others there. Includes the methods that depend on whether the receiver is a reference.
pub fn ambiguous_methods(items: &[syn::Item], doubles: &HashSet<ItemKey>) -> HashSet<ItemKey> {
    let mut used = Vec::new();
    for item in items {
        match item {
            syn::Item::Impl(i) => {
                identifiers(&i.generics.to_token_stream(), &mut used);
                identifiers(&i.generics.where_clause.to_token_stream(), &mut used);
                i.items
                    .iter()
                    .for_each(|inner| identifiers(&inner.to_token_stream(), &mut used));
            }
            syn::Item::Trait(t) => {
                identifiers(&t.supertraits.to_token_stream(), &mut used);
                t.items
                    .iter()
                    .for_each(|inner| identifiers(&inner.to_token_stream(), &mut used));
            }
            syn::Item::Use(_) => {}
            item => identifiers(&item.to_token_stream(), &mut used),
        }
    }
    let mut found = HashSet::new();
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        let of = i.trait_.as_ref().and_then(|(path, _)| path.segments.last());
        if of.is_some_and(|of| used.iter().any(|word| of.ident == word)) {
            found.extend(methods(i).map(|f| item_key(i, &f.sig.ident)));
        }
    }
    found.retain(|key| doubles.contains(key));
    found.extend(probe_dependent(items));
    found.extend(differing_ref_methods(items));
    found
}

/// The methods that a trait in scope provides with another mode of `self` than the inherent ones: whether the receiver
/// is a reference decides which of them rustc finds first.
fn probe_dependent(items: &[syn::Item]) -> HashSet<ItemKey> {
    let uses = items
        .iter()
        .filter(|item| matches!(item, syn::Item::Use(_)));
    let imported = item_names(uses);
    let in_scope = |path: &syn::Path| {
        let last = path.segments.last();
        path.segments.len() == 1 || last.is_some_and(|s| imported.contains(&s.ident.to_string()))
    };
    let mut own = HashMap::new();
    let mut by_trait = Vec::new();
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        let turns =
            methods(i).filter_map(|f| Some((item_key(i, &f.sig.ident), probe_step(&f.sig)?, f)));
        match &i.trait_ {
            Some((path, _)) if in_scope(path) => by_trait.extend(turns),
            Some(_) => {}
            None => own.extend(turns.map(|(key, turn, _)| (key, turn))),
        }
    }
    // A trait's method that forwards to the inherent one is equivalent, if that is found on a value.
    let comes_first = |(key, turn, f): &(ItemKey, u8, &syn::ImplItemFn)| {
        let own = own.get(key);
        own.is_some_and(|own| turn < own || (turn > own && !is_forwarding(f)))
    };
    by_trait.retain(comes_first);
    by_trait.into_iter().map(|(key, ..)| key).collect()
}

/// The methods that a visible trait adds to std types, which have one of that name, and that rustc may find first: on a
/// reference to a number or an `Option`, and on a `Vec` or an array before it is a slice.
pub fn shadowed_std_methods(items: &[syn::Item], env: &Environment) -> HashSet<String> {
    let mut found = HashSet::new();
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        let of_std = match lower_type(&i.self_ty, env).0 {
            Ty::Float(_) | Ty::Int(_) | Ty::Option(_) | Ty::Result(..) => Some(1),
            Ty::Vec(_) | Ty::Array(..) => Some(0),
            _ => None,
        };
        let (Some(first), Some(_)) = (of_std, &i.trait_) else {
            continue;
        };
        let other = |f: &&syn::ImplItemFn| probe_step(&f.sig) >= Some(first) && !is_forwarding(f);
        let names = methods(i).filter(other).map(|f| f.sig.ident.to_string());
        found.extend(names.filter(|name| is_std_method(name)));
    }
    found
}

/// The step of rustc's method probing that finds a method with this mode of `self`.
fn probe_step(sig: &syn::Signature) -> Option<u8> {
    Some(match receiver_mode(sig.receiver()?) {
        Mode::Owned => 0,
        Mode::Shared => 1,
        Mode::Mut => 2,
    })
}

/// Methods of references that differ from those of the referents.
fn differing_ref_methods(items: &[syn::Item]) -> HashSet<ItemKey> {
    let mut of_values = HashSet::new();
    let mut of_references = Vec::new();
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        match &*i.self_ty {
            syn::Type::Reference(r) => {
                let owner = base_name(&text(&r.elem)).to_string();
                let other = methods(i).filter(|f| f.sig.receiver().is_some() && !is_forwarding(f));
                of_references.extend(other.map(|f| (owner.clone(), f.sig.ident.to_string())));
            }
            _ => of_values.extend(methods(i).map(|f| item_key(i, &f.sig.ident))),
        }
    }
    let other = of_references.into_iter();
    other.filter(|key| of_values.contains(key)).collect()
}

/// Whether the method only calls one of the same name with its own parameters.
fn is_forwarding(f: &syn::ImplItemFn) -> bool {
    let is_own =
        |e: &syn::Expr| matches!(strip_refs(e), syn::Expr::Path(p) if p.path.get_ident().is_some());
    let [syn::Stmt::Expr(e, None)] = &f.block.stmts[..] else {
        return false;
    };
    match strip_parens(e) {
        syn::Expr::MethodCall(m) => {
            m.method == f.sig.ident && is_own(&m.receiver) && m.args.iter().all(is_own)
        }
        syn::Expr::Call(c) => {
            let last = match &*c.func {
                syn::Expr::Path(p) => p.path.segments.last(),
                _ => None,
            };
            last.is_some_and(|s| s.ident == f.sig.ident) && c.args.iter().all(is_own)
        }
        _ => false,
    }
}

/// The expression without its references and dereferences.
fn strip_refs(e: &syn::Expr) -> &syn::Expr {
    match strip_parens(e) {
        syn::Expr::Reference(r) => strip_refs(&r.expr),
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => strip_refs(&u.expr),
        e => e,
    }
}

fn methods(item: &syn::ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    item.items.iter().filter_map(|inner| match inner {
        syn::ImplItem::Fn(f) => Some(f),
        _ => None,
    })
}

/// The first of these names that is a duplicate of the type.
pub fn first_duplicate<'n>(
    owner: &str,
    names: &'n [String],
    env: &Environment,
) -> Option<&'n String> {
    let owner = base_name(owner).to_string();
    let is_double = |name: &&String| {
        env.duplicate_items
            .contains(&(owner.clone(), (*name).clone()))
    };
    names.iter().find(is_double)
}

/// The overloads among the items.
pub fn overloads(items: &[syn::Item], env: &Environment) -> Overloads {
    let mut found: Overloads = HashMap::new();
    let (mut inherent, mut met) = (Vec::new(), HashMap::new());
    for item in items {
        let syn::Item::Impl(i) = item else { continue };
        let written = i.items.iter().filter_map(|inner| match inner {
            syn::ImplItem::Fn(f) => Some(&f.sig),
            _ => None,
        });
        let provided = unoverridden_methods(i, env);
        for sig in written.chain(provided.iter().map(|f| &f.sig)) {
            let key = item_key(i, &sig.ident);
            *met.entry(key.clone()).or_insert(0) += 1;
            match overload(i, sig, env) {
                Some(one) => found.entry(key).or_default().push(one),
                None => inherent.push(key),
            }
        }
    }
    for key in inherent {
        found.insert(key, Vec::new());
    }
    found.retain(|key, _| met.get(key).is_some_and(|n| *n > 1));
    found
}

fn item_key(item: &syn::ItemImpl, name: &syn::Ident) -> ItemKey {
    let owner = base_name(&text(&item.self_ty)).to_string();
    (owner, name.to_string())
}

fn overload(item: &syn::ItemImpl, sig: &syn::Signature, env: &Environment) -> Option<Overload> {
    let (path, _) = item.trait_.as_ref()?;
    let mut env = in_impl(&item.generics, env);
    env.self_ty = Some(text(&item.self_ty));
    let typed = sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(t) => Some(lower_type(&t.ty, &env)),
        syn::FnArg::Receiver(_) => None,
    });
    let plain = item.generics.params.is_empty();
    Some(Overload {
        impl_of: format!("{} for {}", text(path), text(&item.self_ty)),
        owner: plain.then(|| text(&item.self_ty)),
        params: typed.collect(),
    })
}

/// The name under which a call finds the sweeps of a trait's method.
pub enum SweepName {
    /// The method's own name.
    Own,
    /// Another name, as the type has several methods of this name.
    Other(syn::Ident),
    /// None, as the type has an inherent method of this name.
    Missing,
}

/// The name of the sweeps of a method of a trait's `impl`.
pub fn sweep_name(item: &syn::ItemImpl, name: &syn::Ident, env: &Environment) -> SweepName {
    let Some(all) = env.overloads.get(&item_key(item, name)) else {
        return SweepName::Own;
    };
    let own = text(&item.self_ty);
    let of = item
        .trait_
        .as_ref()
        .map(|(path, _)| format!("{} for {own}", text(path)));
    let position = all.iter().position(|one| Some(&one.impl_of) == of.as_ref());
    position.map_or(SweepName::Missing, |k| {
        SweepName::Other(overload_name(name, k))
    })
}

fn overload_name(name: &syn::Ident, k: usize) -> syn::Ident {
    format_ident!("__{name}_{k}", span = name.span())
}

impl Lower {
    /// The name of the overload that takes such arguments, if the type has several and exactly one fits.
    pub fn resolve_overload(
        &mut self,
        owner: &str,
        name: &syn::Ident,
        args: &[Value],
    ) -> Option<syn::Ident> {
        let key = (base_name(owner).to_string(), name.to_string());
        let all = self.env.overloads.get(&key)?.clone();
        let given: Vec<(Ty, Mode)> = args.iter().map(|arg| self.arg_type(arg)).collect();
        let is_instance = |of: &String| !owner.contains('<') || of == owner;
        let fits = |one: &Overload| {
            let pairs = one.params.iter().zip(&given);
            one.owner.as_ref().is_none_or(is_instance)
                && one.params.len() == given.len()
                && pairs
                    .clone()
                    .all(|((want, by), (ty, mode))| by == mode && self.may_have_type(want, ty))
        };
        let mut fitting = (0..all.len()).filter(|k| fits(&all[*k]));
        match (fitting.next(), fitting.next()) {
            (Some(k), None) => Some(overload_name(name, k)),
            _ => None,
        }
    }

    fn arg_type(&mut self, arg: &Value) -> (Ty, Mode) {
        let mode = match arg {
            Value::PlaceRef(_, true) => Mode::Mut,
            Value::PlaceRef(_, false) => Mode::Shared,
            _ => Mode::Owned,
        };
        (self.value_ty(arg), mode)
    }

    /// Whether a value of the second type may be of the first one, as far as both are known.
    fn may_have_type(&self, want: &Ty, ty: &Ty) -> bool {
        match (want, &self.shallow(ty)) {
            (Ty::Unknown | Ty::Infer(_), _) => true,
            (want, Ty::Infer(_)) if self.infer.is_int(ty) => matches!(want, Ty::Int(_)),
            (want, Ty::Infer(_)) if self.infer.is_number(ty) => want.is_float(),
            (_, Ty::Infer(_) | Ty::Unknown) => true,
            (Ty::Named(want), Ty::Named(name)) => base_name(want) == base_name(name),
            (Ty::Array(t, n), Ty::Array(u, m)) => {
                let known = |n: &str| n.parse::<usize>().ok();
                let apart = known(n).zip(known(m)).is_some_and(|(n, m)| n != m);
                !apart && self.may_have_type(t, u)
            }
            (Ty::Slice(t), Ty::Slice(u))
            | (Ty::Vec(t), Ty::Vec(u))
            | (Ty::Boxed(t), Ty::Boxed(u))
            | (Ty::Option(t), Ty::Option(u)) => self.may_have_type(t, u),
            (Ty::Tuple(ts), Ty::Tuple(us)) => {
                ts.len() == us.len() && ts.iter().zip(us).all(|(t, u)| self.may_have_type(t, u))
            }
            (want, ty) => {
                want == ty || (want.is_float() && ty.is_float() && !both_primitive(want, ty))
            }
        }
    }
}

/// Whether both are primitive floats.
fn both_primitive(a: &Ty, b: &Ty) -> bool {
    use crate::ir::FloatTy::{F32, F64};
    let known = |ty: &Ty| matches!(ty, Ty::Float(F32 | F64));
    known(a) && known(b)
}
