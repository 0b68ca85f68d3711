//! Traits that boxes and references implement. The macro does not distinguish a value from a box of it, so such an
//! `impl` has to forward every item of the trait.

use std::collections::HashSet;

use crate::lower::Environment;
use crate::lower::expr::strip_parens;
use crate::lower::items::generics::with_supertraits;
use crate::lower::types::{text, ungrouped};

/// The traits that a box or a reference implements without forwarding everything.
pub fn non_forwarding_traits(items: &[syn::Item], env: &Environment) -> HashSet<String> {
    let mut found = HashSet::new();
    for item in items {
        if let syn::Item::Impl(i) = item
            && let Some((path, _)) = &i.trait_
            && let Some(last) = path.segments.last()
            && is_wrapper(&i.self_ty)
            && let Some(of) = env.trait_at(path)
            && !forwards_all(i, of)
        {
            let is_above = |t: &syn::ItemTrait| {
                let above = with_supertraits(t, env);
                above.iter().any(|above| above.ident == last.ident)
            };
            let below = env.traits.values().filter(|t| is_above(t));
            found.extend(below.map(|t| t.ident.to_string()));
        }
    }
    found
}

/// Whether such a trait has a method of this name.
pub fn is_non_forwarding_method(method: &str, env: &Environment) -> bool {
    let mut traits = env
        .non_forwarding_traits
        .iter()
        .filter_map(|name| env.traits.get(name));
    traits.any(|of| {
        let declares = |inner: &syn::TraitItem| matches!(inner, syn::TraitItem::Fn(f) if f.sig.ident == method);
        of.items.iter().any(declares)
    })
}

fn is_wrapper(ty: &syn::Type) -> bool {
    match ungrouped(ty) {
        syn::Type::Reference(_) => true,
        syn::Type::Path(p) => p.path.segments.last().is_some_and(|s| s.ident == "Box"),
        _ => false,
    }
}

/// Whether the `impl` forwards each item of the trait to the referent.
fn forwards_all(item: &syn::ItemImpl, of: &syn::ItemTrait) -> bool {
    let method = |name: &syn::Ident| {
        item.items.iter().find_map(|inner| match inner {
            syn::ImplItem::Fn(f) if f.sig.ident == *name => Some(f),
            _ => None,
        })
    };
    let constant = |name: &syn::Ident| {
        item.items.iter().any(|inner| match inner {
            syn::ImplItem::Const(c) => {
                c.ident == *name && text(&c.expr).ends_with(&format!(":: {name}"))
            }
            _ => false,
        })
    };
    of.items.iter().all(|inner| match inner {
        syn::TraitItem::Fn(f) => method(&f.sig.ident).is_some_and(is_forwarding_method),
        syn::TraitItem::Const(c) => constant(&c.ident),
        syn::TraitItem::Type(_) => false,
        _ => true,
    })
}

/// Whether the method forwards its call: `(**self).method(a, b)`.
fn is_forwarding_method(f: &syn::ImplItemFn) -> bool {
    let [syn::Stmt::Expr(e, None)] = &f.block.stmts[..] else {
        return false;
    };
    let syn::Expr::MethodCall(m) = strip_parens(e) else {
        return false;
    };
    let receiver = text(strip_parens(&m.receiver)).replace(' ', "");
    let inner = ["**self", "self.as_ref()", "self.as_mut()"];
    let params = f.sig.inputs.iter().filter_map(|arg| match arg {
        syn::FnArg::Typed(t) => Some(text(&t.pat)),
        syn::FnArg::Receiver(_) => None,
    });
    m.method == f.sig.ident && inner.contains(&&*receiver) && params.eq(m.args.iter().map(text))
}
