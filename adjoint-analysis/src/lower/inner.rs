//! Items in inner blocks, and in functions that are written out: both sweeps begin with the items of a function's body,
//! where these would be out of their scope. A constant is a variable there, an import puts its path in its place.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::Lower;
use super::code::words;
use super::imports::{self, Imports};
use crate::refuse::Reason;

impl Lower {
    /// Declares what the items of an inner block name, for the whole block; what its imports were to what is around it.
    pub fn declare_items(&mut self, block: &syn::Block) -> Option<Imports> {
        // Those of parameters and of the body's variables.
        if self.scopes.len() <= 2 && self.writing_out.is_empty() {
            return None;
        }
        let (mut outer, mut constants) = (None, Vec::new());
        for item in super::items(block) {
            match item {
                syn::Item::Const(c) if !names_constantly(block, &c.ident) => constants.push(c),
                syn::Item::Use(u) if imports::are_of_std(&u.tree) => {
                    outer.get_or_insert_with(|| self.env.imports.clone());
                    imports::declared(&mut self.env, std::iter::once(item));
                }
                _ => {
                    let what = match self.writing_out.is_empty() {
                        true => "an item in an inner block",
                        false => "an item within a function that is written out where it is called",
                    };
                    self.refuse(item.span(), Reason::Statement(what.into()));
                }
            }
        }
        in_turn(&mut constants);
        for c in constants {
            let (name, ty, init) = (&c.ident, &c.ty, &c.expr);
            let declared = syn::parse_quote_spanned!(c.span()=> let #name: #ty = #init;);
            if let syn::Stmt::Local(local) = declared {
                self.local(&local);
            }
        }
        outer
    }
}

/// Puts constants behind those that they name.
fn in_turn(constants: &mut [&syn::ItemConst]) {
    for next in 0..constants.len() {
        let ready = (next..constants.len()).find(|k| {
            let mut names = Vec::new();
            words(&constants[*k].expr.to_token_stream(), &mut names);
            let waits = |c: &&syn::ItemConst| names.iter().any(|name| c.ident == name);
            !constants[next..].iter().any(waits)
        });
        if let Some(ready) = ready {
            constants[next..=ready].rotate_right(1);
        }
    }
}

/// Whether the name stands where only a constant can: in a pattern, a length, a type or another item.
fn names_constantly(block: &syn::Block, name: &syn::Ident) -> bool {
    struct Constantly<'n>(&'n syn::Ident, bool);
    impl Constantly<'_> {
        fn look(&mut self, tokens: &impl ToTokens) {
            let mut names = Vec::new();
            words(&tokens.to_token_stream(), &mut names);
            self.1 |= names.iter().any(|word| self.0 == word);
        }
    }
    impl<'ast> Visit<'ast> for Constantly<'_> {
        fn visit_pat(&mut self, pat: &'ast syn::Pat) {
            self.look(pat);
        }
        fn visit_type(&mut self, ty: &'ast syn::Type) {
            self.look(ty);
        }
        fn visit_expr_repeat(&mut self, e: &'ast syn::ExprRepeat) {
            self.look(&e.len);
            self.visit_expr(&e.expr);
        }
        fn visit_angle_bracketed_generic_arguments(
            &mut self,
            args: &'ast syn::AngleBracketedGenericArguments,
        ) {
            self.look(args);
        }
        fn visit_expr_const(&mut self, e: &'ast syn::ExprConst) {
            self.look(e);
        }
        fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
            self.visit_type(&item.ty);
            self.visit_expr(&item.expr);
        }
        fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
            self.look(item);
        }
        fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
            self.look(item);
        }
        fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
            self.look(item);
        }
        fn visit_macro(&mut self, mac: &'ast syn::Macro) {
            // `vec![0.0; N]` takes any length.
            self.1 |= mac.path.is_ident("matches") && {
                let mut inner = Constantly(self.0, false);
                inner.look(mac);
                inner.1
            };
        }
    }
    let mut found = Constantly(name, false);
    found.visit_block(block);
    found.1
}
