//! `impl Clone for Box<dyn Trait>`: the enum clones its variant's value, so such an `impl` must do the same.

use std::collections::BTreeSet;

use syn::{ImplItem, Item};

use super::methods::is_box;
use crate::ir::base_name;
use crate::lower::types::{text, ungrouped};

/// Whether each `Clone` of boxes of the trait clones the value in them, by a method of the trait.
pub fn are_deep_clones(of: &syn::Ident, items: &[Item]) -> bool {
    let boxed = format!("Box<dyn{of}");
    items.iter().all(|item| match item {
        Item::Impl(i) if is_box(&i.self_ty) && is_impl_of(i, "Clone") => {
            let own = text(ungrouped(&i.self_ty)).replace(' ', "");
            !own.starts_with(&boxed) || is_deep_clone(i, of, items)
        }
        _ => true,
    })
}

/// The types with a hand-written `Clone`.
pub fn custom_clones(items: &[Item]) -> BTreeSet<String> {
    let of = items.iter().filter_map(|item| match item {
        Item::Impl(i) if is_impl_of(i, "Clone") => Some(base_name(&text(&i.self_ty)).to_string()),
        _ => None,
    });
    of.collect()
}

/// Whether the `impl` is for the trait of this name.
pub fn is_impl_of(item: &syn::ItemImpl, name: &str) -> bool {
    let path = item.trait_.as_ref().map(|(path, _)| path);
    path.and_then(|path| path.segments.last())
        .is_some_and(|s| s.ident == name)
}

/// Whether the `impl` is `fn clone(&self) -> Self { self.boxed() }`, where `boxed` is `Box::new(self.clone())` for each
/// type.
fn is_deep_clone(item: &syn::ItemImpl, of: &syn::Ident, items: &[Item]) -> bool {
    let [ImplItem::Fn(f)] = &item.items[..] else {
        return false;
    };
    let body = only_expr(&f.block);
    let name = body
        .strip_suffix("()")
        .and_then(|call| call.rsplit('.').next());
    let Some(name) = name else {
        return false;
    };
    let calls = ["self", "(**self)", "self.as_ref()"];
    let of_trait = |item: &Item| {
        match item {
        Item::Impl(i) if is_impl_of(i, &of.to_string()) && !is_box(&i.self_ty) => i.items.iter().any(|inner| {
            matches!(inner, ImplItem::Fn(f) if f.sig.ident == name && only_expr(&f.block) == "Box::new(self.clone())")
        }),
        _ => true,
    }
    };
    calls.iter().any(|by| body == format!("{by}.{name}()")) && items.iter().all(of_trait)
}

/// The text of a block's only expression.
fn only_expr(block: &syn::Block) -> String {
    match &block.stmts[..] {
        [syn::Stmt::Expr(e, None)] => text(e).replace(' ', ""),
        _ => String::new(),
    }
}
