//! Items in inner blocks and in inlined functions. Both sweeps begin with the items of a function's body, where these
//! would be out of scope. So a constant becomes a variable, and a path replaces an import.

use quote::ToTokens;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;

use super::imports::{self, Imports};
use crate::lower::inline::item_names;
use crate::lower::tokens::identifiers;
use crate::lower::value::Binding;
use crate::lower::{Environment, Lower};
use crate::refuse::Reason;

impl Lower {
    /// Declares the items of an inner block, for the whole block. Returns the block without its imports, if it has any.
    pub fn declare_block_items(&mut self, block: &syn::Block) -> Option<syn::Block> {
        // The scopes of the parameters and of the body's variables.
        if self.scopes.len() <= 2 && self.inline_stack.is_empty() {
            return None;
        }
        let without = self.without_imports(block);
        let block = without.as_ref().unwrap_or(block);
        let mut constants = Vec::new();
        for item in crate::lower::items::constants::block_items(block) {
            match item {
                syn::Item::Const(c) if !needs_constant(block, &c.ident) => constants.push(c),
                item => self.refuse_nested_item(item),
            }
        }
        sort_by_dependency(&mut constants);
        for c in constants {
            let (name, ty, init) = (&c.ident, &c.ty, &c.expr);
            let declared = syn::parse_quote_spanned!(c.span()=> let #name: #ty = #init;);
            if let syn::Stmt::Local(local) = declared {
                self.lower_let(&local);
                if let Some(Binding::Var(v)) = self.lookup(&name.to_string()) {
                    let v = *v;
                    self.constant_vars.insert(v);
                    // A variable must not have the name of an outer constant.
                    self.draft.func.rename(v, &name.to_string().to_lowercase());
                }
            }
        }
        without
    }

    /// The block with its imports from the standard library replaced by their paths. Code from elsewhere that is
    /// inlined into the block does not see the imports.
    fn without_imports(&mut self, block: &syn::Block) -> Option<syn::Block> {
        let is_import = |item: &&syn::Item| matches!(item, syn::Item::Use(u) if imports::is_std_import(&u.tree));
        let all: Vec<&syn::Item> = crate::lower::items::constants::block_items(block)
            .filter(is_import)
            .collect();
        let first = *all.first()?;
        let mut env = Environment::default();
        imports::declare_imports(&mut env, all.iter().copied());
        let (mut without, mut put) = (block.clone(), ImportExpander::new(env.imports));
        without
            .stmts
            .retain(|s| !matches!(s, syn::Stmt::Item(item) if is_import(&item)));
        put.visit_block_mut(&mut without);
        if put.may_be_shadowed {
            self.refuse_nested_item(first);
        }
        Some(without)
    }

    /// Refuses items of a function's body that have the name of a parameter: the items come before it.
    pub fn refuse_param_names(&mut self, body: &syn::Block) {
        for item in crate::lower::items::constants::block_items(body) {
            let mut names = item_names(std::iter::once(item)).into_iter();
            if names.any(|name| self.lookup(&name).is_some()) {
                let what = "an item with the name of a parameter".to_string();
                self.refuse(item.span(), Reason::Statement(what));
            }
        }
    }

    fn refuse_nested_item(&mut self, item: &syn::Item) {
        let what = match self.inline_stack.is_empty() {
            true => "an item in an inner block",
            false => "an item within a function that is written out where it is called",
        };
        self.refuse(item.span(), Reason::Statement(what.into()));
    }
}

/// Replaces imported names by their paths.
struct ImportExpander {
    paths: Imports,
    /// Whether one of the names may be shadowed somewhere.
    may_be_shadowed: bool,
}

impl ImportExpander {
    fn new(paths: Imports) -> ImportExpander {
        ImportExpander {
            paths,
            may_be_shadowed: false,
        }
    }
}

impl VisitMut for ImportExpander {
    fn visit_path_mut(&mut self, path: &mut syn::Path) {
        syn::visit_mut::visit_path_mut(self, path);
        let first = path.segments.first().map(|s| s.ident.to_string());
        let known = first.and_then(|first| self.paths.get(&first));
        if let Some(names) = known.filter(|_| path.leading_colon.is_none()) {
            imports::replace_first_segment(path, names);
        }
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        self.may_be_shadowed |= self.paths.contains_key(&pat.ident.to_string());
        syn::visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        let mut names = Vec::new();
        identifiers(&mac.tokens, &mut names);
        self.may_be_shadowed |= names.iter().any(|name| self.paths.contains_key(name));
    }

    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        let names = item_names(std::iter::once(&*item));
        self.may_be_shadowed |= names.iter().any(|name| self.paths.contains_key(name));
        syn::visit_mut::visit_item_mut(self, item);
    }
}

/// Sorts constants behind those that they mention.
fn sort_by_dependency(constants: &mut [&syn::ItemConst]) {
    for next in 0..constants.len() {
        let ready = (next..constants.len()).find(|k| {
            let mut names = Vec::new();
            identifiers(&constants[*k].expr.to_token_stream(), &mut names);
            let waits = |c: &&syn::ItemConst| names.iter().any(|name| c.ident == name);
            !constants[next..].iter().any(waits)
        });
        if let Some(ready) = ready {
            constants[next..=ready].rotate_right(1);
        }
    }
}

/// Whether the name is used where only a constant can be: in a pattern, a length, a type or another item.
fn needs_constant(block: &syn::Block, name: &syn::Ident) -> bool {
    struct ConstantUses<'n>(&'n syn::Ident, bool);
    impl ConstantUses<'_> {
        fn look(&mut self, tokens: &impl ToTokens) {
            let mut names = Vec::new();
            identifiers(&tokens.to_token_stream(), &mut names);
            self.1 |= names.iter().any(|word| self.0 == word);
        }
    }
    impl<'ast> Visit<'ast> for ConstantUses<'_> {
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
            if mac.path.is_ident("matches") {
                self.look(mac);
            }
        }
    }
    let mut found = ConstantUses(name, false);
    found.visit_block(block);
    found.1
}
