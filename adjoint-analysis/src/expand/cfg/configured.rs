//! `#[cfg]` within bodies: only rustc knows whether such code is compiled.
//!
//! rustc resolves conditions in the input of a derive before the derive runs. So the item is put into a temporary
//! `enum` whose derive continues the expansion with the resolved item.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use crate::lower::items::attributes::is_cfg;

/// The item wrapped in an `enum` whose derive is [`expand_rest`], if its bodies contain conditions.
pub fn defer_to_derive(args: &TokenStream, item: &syn::Item) -> Option<TokenStream> {
    let mut conditions = FindConditions::default();
    conditions.visit_item(item);
    conditions.found.then(|| {
        quote! {
            #[derive(::adjoint::__configure::Configured)]
            #[adjoint_arguments(#args)]
            #[::adjoint::__configure::remove]
            enum Configured { Item = { #item 0 } }
        }
    })
}

/// The expansion of the derive: the item with its conditions resolved is expanded as under the attribute.
pub fn expand_rest(tokens: TokenStream) -> TokenStream {
    match syn::parse2(tokens) {
        Ok(holder) => match unwrap_item(holder) {
            Some((args, mut item)) => {
                RemoveConditions.visit_item_mut(&mut item);
                crate::expand::expand_item(args, item.to_token_stream())
            }
            None => TokenStream::new(),
        },
        Err(error) => error.to_compile_error(),
    }
}

/// The arguments and the item that the `enum` holds.
fn unwrap_item(holder: syn::ItemEnum) -> Option<(TokenStream, syn::Item)> {
    let is_list = |a: &&syn::Attribute| a.path().is_ident("adjoint_arguments");
    let list = holder
        .attrs
        .iter()
        .find(is_list)?
        .meta
        .require_list()
        .ok()?;
    let args = list.tokens.clone();
    let (_, value) = holder.variants.into_iter().next()?.discriminant?;
    let syn::Expr::Block(block) = value else {
        return None;
    };
    match block.block.stmts.into_iter().next()? {
        syn::Stmt::Item(item) => Some((args, item)),
        _ => None,
    }
}

/// Removes the conditions, which are all met, and the empty statement (`;`) that a removed statement leaves behind.
struct RemoveConditions;

impl VisitMut for RemoveConditions {
    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        block.stmts.retain(|stmt| {
            !matches!(stmt, syn::Stmt::Expr(syn::Expr::Verbatim(nothing), _) if nothing.is_empty())
        });
        syn::visit_mut::visit_block_mut(self, block);
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<syn::Attribute>) {
        attributes.retain(|a| !is_cfg(a));
    }
}

/// Searches for conditions within signatures and bodies.
#[derive(Default)]
struct FindConditions {
    found: bool,
    in_body: bool,
}

impl<'ast> Visit<'ast> for FindConditions {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let decides = is_cfg(attribute) || attribute.path().is_ident("cfg_attr");
        self.found |= self.in_body && decides;
    }

    fn visit_signature(&mut self, sig: &'ast syn::Signature) {
        self.in_body = true;
        syn::visit::visit_signature(self, sig);
        self.in_body = false;
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        let outer = std::mem::replace(&mut self.in_body, true);
        syn::visit::visit_block(self, block);
        self.in_body = outer;
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        // Items nested in a body are not visited again.
        if !self.in_body {
            syn::visit::visit_item(self, item);
        }
    }
}
