//! Classification of type parameters: floats, functions or user types.
//!
//! The bounds decide. If these are user traits, which a float may implement as well, the signature decides: a parameter
//! that is returned, part of another type or passed by value is a number; one that is passed by reference, or not at
//! all, is there for its methods and constants.

use proc_macro2::Span;
use syn::visit::Visit;

use crate::lower::Environment;
use crate::lower::types::{fn_bound_arity, is_bound, lower_type, text, ungrouped};

/// Traits that types of every kind may implement, so that nothing can be calculated with a type that has these alone.
const UNIVERSAL_TRAITS: &[&str] = &[
    "Any",
    "AsMut",
    "AsRef",
    "Borrow",
    "Carrier",
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Differentiable",
    "Display",
    "DoubleEndedIterator",
    "Eq",
    "ExactSizeIterator",
    "Hash",
    "Into",
    "IntoIterator",
    "Iterator",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Send",
    "Sized",
    "Sync",
    "ToOwned",
    "ToString",
    "TryInto",
    "Unpin",
];

/// Traits that imply that a type is a float.
const FLOAT_TRAITS: &[&str] = &["Float", "FloatCore", "Real"];

/// Whether the path names a function of a num-traits or std trait, as in `<f64 as Float>::sqrt`, or of no trait.
pub fn is_number_trait_path(path: &syn::ExprPath) -> bool {
    let at = path.qself.as_ref().and_then(|q| q.position.checked_sub(1));
    let of = at.and_then(|at| path.path.segments.iter().nth(at));
    let is_known = |name: String| {
        let name = name.as_str();
        FLOAT_TRAITS.contains(&name) || NUMBER_TRAITS.contains(&name) || name == "PartialOrd"
    };
    of.is_none_or(|of| is_known(of.ident.to_string()))
}

/// Traits of numbers, and of other operands of arithmetic.
const NUMBER_TRAITS: &[&str] = &[
    "Add",
    "AddAssign",
    "Bounded",
    "Div",
    "DivAssign",
    "FloatConst",
    "From",
    "FromPrimitive",
    "Inv",
    "Mul",
    "MulAdd",
    "MulAddAssign",
    "MulAssign",
    "Neg",
    "Num",
    "NumAssign",
    "NumAssignOps",
    "NumAssignRef",
    "NumCast",
    "NumOps",
    "NumRef",
    "One",
    "Pow",
    "Product",
    "RealField",
    "RefNum",
    "Rem",
    "RemAssign",
    "Signed",
    "Sub",
    "SubAssign",
    "Sum",
    "ToPrimitive",
    "Zero",
];

/// The environment inside an `impl`, or another item that has no value parameters.
pub fn in_impl(generics: &syn::Generics, outer: &Environment) -> Environment {
    environment(generics, outer, &|_| true)
}

/// The environment inside a function.
pub fn in_function(sig: &syn::Signature, outer: &Environment) -> Environment {
    environment(&sig.generics, outer, &|name| is_passed_by_value(name, sig))
}

fn environment(
    generics: &syn::Generics,
    outer: &Environment,
    is_handed: &dyn Fn(&syn::Ident) -> bool,
) -> Environment {
    let mut env = outer.clone();
    env.number_bounds
        .retain_mut(|(_, alone)| add_own_bounds(alone, generics));
    for param in &generics.params {
        match param {
            syn::GenericParam::Type(t) => classify_param(t, generics, outer, is_handed, &mut env),
            syn::GenericParam::Const(c) => {
                let ty = lower_type(&c.ty, &env).0;
                env.const_params.push((c.ident.to_string(), ty));
            }
            syn::GenericParam::Lifetime(_) => {}
        }
    }
    for name in rebounded_params(generics, outer) {
        env.user_type_params.retain(|open| *open != name);
        env.user_type_bounds.retain(|(open, _)| *open != name);
        let name = quote::format_ident!("{name}");
        let mut alone: syn::Generics = syn::parse_quote!(<#name>);
        alone.where_clause = generics.where_clause.clone();
        for t in alone.type_params() {
            classify_param(t, &alone, outer, is_handed, &mut env);
        }
    }
    env
}

/// Classifies a type parameter.
fn classify_param(
    param: &syn::TypeParam,
    generics: &syn::Generics,
    outer: &Environment,
    is_handed: &dyn Fn(&syn::Ident) -> bool,
    env: &mut Environment,
) {
    let name = param.ident.to_string();
    let has = |bound: &str| bounds(generics, param).any(|b| is_bound(b, bound));
    if bounds(generics, param).any(|b| fn_bound_arity(b).is_some()) {
        env.fn_params.push(name.clone());
    } else if is_number_param(generics, param, outer, is_handed) {
        env.float_params.push(name.clone());
        env.number_bounds.extend(own_bounds(generics, param));
    } else {
        env.user_type_params.push(name.clone());
        let traits = bounds(generics, param).filter_map(trait_name);
        let traits = traits.map(|bound| (name.clone(), bound));
        env.user_type_bounds.extend(traits);
    }
    if has("FnMut") || has("FnOnce") {
        env.fn_mut_params.push(name.clone());
    }
    if has("From") {
        env.from_params.push(name.clone());
    }
    if FLOAT_TRAITS.iter().any(|bound| has(bound)) {
        env.certain_floats.push(name);
    }
}

/// Outer parameters, not classified there, to which a `where` clause here adds bounds.
fn rebounded_params(generics: &syn::Generics, outer: &Environment) -> Vec<String> {
    let clause = generics.where_clause.iter();
    let told = clause.flat_map(|c| &c.predicates).filter_map(|p| match p {
        syn::WherePredicate::Type(of) => match ungrouped(&of.bounded_ty) {
            syn::Type::Path(p) => p.path.get_ident().map(ToString::to_string),
            _ => None,
        },
        _ => None,
    });
    let mut told: Vec<String> = told
        .filter(|name| outer.user_type_params.contains(name))
        .collect();
    told.dedup();
    told
}

/// Whether the type parameter is a number.
fn is_number_param(
    generics: &syn::Generics,
    param: &syn::TypeParam,
    env: &Environment,
    is_handed: &dyn Fn(&syn::Ident) -> bool,
) -> bool {
    let is_any = |b: &syn::TypeParamBound, names: &[&str]| names.iter().any(|n| is_bound(b, n));
    let traits = || bounds(generics, param).filter(|b| matches!(b, syn::TypeParamBound::Trait(_)));
    if traits().any(|b| is_any(b, FLOAT_TRAITS) || is_any(b, NUMBER_TRAITS) || converts_to_float(b))
        || is_operand(generics, &param.ident)
    {
        return true;
    }
    let of_anything =
        |b: &syn::TypeParamBound| is_any(b, UNIVERSAL_TRAITS) || is_non_number_bound(b, env);
    !traits().all(of_anything) && is_handed(&param.ident)
}

/// Whether the bound is a visible trait that does not imply a number.
fn is_non_number_bound(bound: &syn::TypeParamBound, env: &Environment) -> bool {
    let of = trait_name(bound).and_then(|name| env.traits.get(&name));
    of.is_some_and(|of| is_non_number_trait(of, env))
}

/// The name of the trait in the bound.
pub fn trait_name(bound: &syn::TypeParamBound) -> Option<String> {
    match bound {
        syn::TypeParamBound::Trait(t) => t.path.segments.last().map(|s| s.ident.to_string()),
        _ => None,
    }
}

/// Whether neither the trait nor its supertraits imply that a type is a number.
pub fn is_non_number_trait(of: &syn::ItemTrait, env: &Environment) -> bool {
    with_supertraits(of, env)
        .iter()
        .all(|of| has_no_number_bound(of, env))
}

fn has_no_number_bound(of: &syn::ItemTrait, env: &Environment) -> bool {
    let is_any = |b: &syn::TypeParamBound| UNIVERSAL_TRAITS.iter().any(|n| is_bound(b, n));
    let lives = |b: &syn::TypeParamBound| matches!(b, syn::TypeParamBound::Lifetime(_));
    let seen =
        |b: &syn::TypeParamBound| trait_name(b).is_some_and(|name| env.traits.contains_key(&name));
    of.supertraits
        .iter()
        .all(|b| is_any(b) || lives(b) || seen(b))
}

/// The trait with its visible supertraits, transitively.
pub fn with_supertraits<'e>(
    of: &'e syn::ItemTrait,
    env: &'e Environment,
) -> Vec<&'e syn::ItemTrait> {
    let mut all = vec![of];
    let mut next = 0;
    while let Some(of) = all.get(next).copied() {
        let above = of.supertraits.iter().filter_map(trait_name);
        let above = above.filter_map(|name| env.traits.get(&name).map(|of| &**of));
        for of in above.collect::<Vec<_>>() {
            if !all.iter().any(|known| known.ident == of.ident) {
                all.push(of);
            }
        }
        next += 1;
    }
    all
}

/// Whether the bound is `Into<f64>` or `Into<f32>`.
fn converts_to_float(bound: &syn::TypeParamBound) -> bool {
    let floats = ["Into < f64 >", "Into < f32 >"];
    floats.iter().any(|float| text(bound).ends_with(float))
}

/// Whether a `where` clause bounds other types that mention the parameter: `for<'a> &'a T: Add<&'a T>`, `f64: Mul<T>`.
fn is_operand(generics: &syn::Generics, param: &syn::Ident) -> bool {
    let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates);
    predicates.into_iter().any(|p| match p {
        syn::WherePredicate::Type(t) if *param != text(&t.bounded_ty) => {
            mentions_param(param, |found| found.visit_predicate_type(t))
        }
        _ => false,
    })
}

/// Whether the function returns values of the type, takes them by value, or within another type.
fn is_passed_by_value(param: &syn::Ident, sig: &syn::Signature) -> bool {
    let lent = |ty: &syn::Type| matches!(ungrouped(ty), syn::Type::Reference(r) if *param == text(&r.elem));
    mentions_param(param, |found| found.visit_return_type(&sig.output))
        || sig.inputs.iter().any(|arg| match arg {
            syn::FnArg::Typed(t) => {
                !lent(&t.ty) && mentions_param(param, |found| found.visit_type(&t.ty))
            }
            syn::FnArg::Receiver(_) => false,
        })
}

/// Whether the visited code mentions the parameter.
fn mentions_param(param: &syn::Ident, visit: impl FnOnce(&mut MentionVisitor<'_>)) -> bool {
    let mut found = MentionVisitor(param, false);
    visit(&mut found);
    found.1
}

struct MentionVisitor<'a>(&'a syn::Ident, bool);

impl<'ast> Visit<'ast> for MentionVisitor<'_> {
    fn visit_ident(&mut self, ident: &'ast syn::Ident) {
        self.1 |= ident == self.0;
    }
}

/// The bounds of a type parameter.
pub fn bounds<'a>(
    generics: &'a syn::Generics,
    param: &'a syn::TypeParam,
) -> impl Iterator<Item = &'a syn::TypeParamBound> {
    let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates);
    let in_clause = predicates.filter_map(|p| match p {
        syn::WherePredicate::Type(t) if param.ident == text(&t.bounded_ty) => Some(&t.bounds),
        _ => None,
    });
    param.bounds.iter().chain(in_clause.flatten())
}

/// The bounds that a `where` clause adds to outer parameters.
pub fn outer_param_bounds(generics: &syn::Generics) -> impl Iterator<Item = &syn::TypeParamBound> {
    let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates);
    let of_others = predicates.filter_map(|p| match p {
        syn::WherePredicate::Type(t) => match ungrouped(&t.bounded_ty) {
            syn::Type::Path(p) => {
                let name = p.path.get_ident()?;
                let is_own = generics.type_params().any(|t| t.ident == *name);
                (!is_own && name != "Self").then_some(&t.bounds)
            }
            _ => None,
        },
        _ => None,
    });
    of_others.flatten()
}

/// The type parameter with its bounds, if none of these mentions another parameter or `Self`.
fn own_bounds(generics: &syn::Generics, param: &syn::TypeParam) -> Option<(String, syn::Generics)> {
    let mut alone = param.clone();
    alone.default = None;
    let mut alone = syn::parse_quote!(<#alone>);
    add_own_bounds(&mut alone, generics).then(|| (param.ident.to_string(), alone))
}

/// Adds the predicates of a `where` clause about the only parameter of `alone`; returns whether none of the bounds
/// mentions another parameter or `Self`.
fn add_own_bounds(alone: &mut syn::Generics, generics: &syn::Generics) -> bool {
    let Some(param) = alone.type_params().next().map(|t| t.ident.clone()) else {
        return false;
    };
    let predicates = generics.where_clause.iter().flat_map(|w| &w.predicates);
    let own = predicates.filter(|p| mentions_param(&param, |found| found.visit_where_predicate(p)));
    alone.make_where_clause().predicates.extend(own.cloned());
    let others = generics.params.iter().map(|p| match p {
        syn::GenericParam::Type(t) => &t.ident,
        syn::GenericParam::Const(c) => &c.ident,
        syn::GenericParam::Lifetime(l) => &l.lifetime.ident,
    });
    let of_self = syn::Ident::new("Self", Span::call_site());
    let mut others = others.chain([&of_self]).filter(|other| **other != param);
    !others.any(|other| mentions_param(other, |found| found.visit_generics(alone)))
}

/// Whether values of the type parameter can be called repeatedly.
pub fn is_fn_param(generics: &syn::Generics, param: &syn::TypeParam) -> bool {
    bounds(generics, param).any(|b| is_bound(b, "Fn"))
}
