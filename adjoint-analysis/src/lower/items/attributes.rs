//! Attributes in functions, and those that decide whether code is compiled at all.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;

use crate::lower::control::checkpoint;
use crate::lower::tokens::identifiers;
use crate::refuse::{Reason, Refusals};

/// Refuses `#[cfg]` and `#[cfg_attr]` in the signature and the body, except on items, which are copied as they are, and
/// `#[checkpoint]` inside of expressions.
pub fn refuse_attributes(sig: &syn::Signature, body: &syn::Block, refusals: &mut Refusals) {
    let mut attributes = Attributes(refusals);
    attributes.visit_signature(sig);
    attributes.visit_block(body);
}

/// Whether the attribute is a `#[cfg]`.
pub fn is_cfg(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
}

/// Whether the attribute is `#[checkpoint]`.
pub fn is_checkpoint(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("checkpoint")
}

/// Whether the attribute is `#[adjoint]`, by whatever path.
pub fn is_adjoint(attribute: &syn::Attribute) -> bool {
    let last = attribute.path().segments.last();
    last.is_some_and(|s| s.ident == "adjoint")
}

/// Whether the item derives the trait.
pub fn derives(attributes: &[syn::Attribute], derived: &str) -> bool {
    attributes.iter().any(|a| {
        let mut names = Vec::new();
        identifiers(&a.meta.to_token_stream(), &mut names);
        a.path().is_ident("derive") && names.iter().any(|name| name == derived)
    })
}

/// Whether an item may be compiled out.
pub fn is_conditional(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(is_cfg)
}

struct Attributes<'a>(&'a mut Refusals);

impl<'ast> Visit<'ast> for Attributes<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if is_cfg(attribute) || attribute.path().is_ident("cfg_attr") {
            self.0.push(attribute.span(), Reason::Cfg);
        }
        if is_checkpoint(attribute) {
            let why = "it stands on a part of a statement";
            self.0
                .push(attribute.span(), Reason::Checkpoint(why.into()));
        }
    }

    fn visit_stmt(&mut self, stmt: &'ast syn::Stmt) {
        match checkpoint::split(stmt) {
            Some((stmt, _)) => {
                let mut inside = Attributes(self.0);
                syn::visit::visit_stmt(&mut inside, &stmt);
            }
            None => syn::visit::visit_stmt(self, stmt),
        }
    }

    fn visit_item(&mut self, _: &'ast syn::Item) {}
}
