//! Hygienic name resolution of variables and labels in expanded code, as in rustc: a name resolves in the macro's own
//! scope, at the macro's definition, or at its call.
//!
//! A variable that a macro declares is renamed if another name of the same text exists; a name that would be captured
//! nevertheless is a clash.

mod unexpanded_args;

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};

use super::expander::Expansion;
use super::mark::{
    Mark, definition_number, ident, split_mark, unmarked, unmarked_literal, unmarked_tokens,
};
use crate::lower::tokens::identifiers;

/// Resolves the names of items and removes their marks.
pub struct NameResolver<'a> {
    calls: &'a [Expansion],
    ribs: Vec<Rib>,
    /// The texts that occur with more than one mark.
    ambiguous: BTreeSet<String>,
    /// All texts.
    used_names: BTreeSet<String>,
    /// Whether the current pattern is refutable: uppercase names in it are constants then.
    is_refutable: bool,
    /// The marks of names that would be captured.
    pub clashes: Vec<Option<Mark>>,
}

/// A scope entry; the last one is the innermost.
#[derive(Debug)]
enum Rib {
    Name {
        kind: NameKind,
        text: String,
        mark: Option<Mark>,
        /// The name without marks that the variable gets.
        new_name: String,
    },
    /// The definition of a macro.
    Definition(usize),
    /// The body of another function, which hides all outer entries.
    FnBody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Variable,
    Label,
}

impl<'a> NameResolver<'a> {
    /// A resolver for an item with these expansions.
    pub fn of(calls: &'a [Expansion], item: TokenStream) -> NameResolver<'a> {
        let mut all = Vec::new();
        identifiers(&item, &mut all);
        let mut marks: BTreeMap<String, BTreeSet<Option<Mark>>> = BTreeMap::new();
        for word in all {
            let (text, mark) = split_mark(&word);
            marks.entry(text).or_default().insert(mark);
        }
        let shared = marks.iter().filter(|(_, marks)| marks.len() > 1);
        NameResolver {
            calls,
            ribs: Vec::new(),
            ambiguous: shared.map(|(text, _)| text.clone()).collect(),
            used_names: marks.into_keys().collect(),
            is_refutable: false,
            clashes: Vec::new(),
        }
    }

    /// Opens a scope for `go`.
    fn in_scope(&mut self, go: impl FnOnce(&mut Self)) {
        let before = self.ribs.len();
        go(self);
        self.ribs.truncate(before);
    }

    /// Opens a scope that hides all outer entries.
    fn in_fn_scope(&mut self, go: impl FnOnce(&mut Self)) {
        self.in_scope(|scopes| {
            scopes.ribs.push(Rib::FnBody);
            go(scopes);
        });
    }

    fn declare(&mut self, kind: NameKind, name: &mut Ident) {
        let (text, mark) = split_mark(&name.to_string());
        let written = match mark {
            Some(mark) if self.ambiguous.contains(&text) => self.fresh_name(&text, mark),
            _ => text.clone(),
        };
        *name = ident(&written, name.span());
        self.ribs.push(Rib::Name {
            kind,
            text,
            mark,
            new_name: written,
        });
    }

    fn fresh_name(&self, text: &str, mark: Mark) -> String {
        let text = text.strip_prefix("r#").unwrap_or(text);
        let of = self.calls[mark.0].name.trim_start_matches("r#");
        let mut name = format!("{text}_of_{of}_{}", mark.0);
        while self.used_names.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Resolves the name and replaces it by the one that its variable has got.
    fn resolve_ident(&mut self, kind: NameKind, name: &mut Ident) {
        *name = ident(&self.resolve_text(kind, &name.to_string()), name.span());
    }

    fn resolve_text(&mut self, kind: NameKind, name: &str) -> String {
        let (text, mark) = split_mark(name);
        let found = self.find_rib(kind, &text, mark);
        let written = match found.map(|at| &self.ribs[at]) {
            Some(Rib::Name {
                new_name: written, ..
            }) => written.clone(),
            _ => text,
        };
        let captured = self.visible_ribs().find_map(|(at, rib)| match rib {
            Rib::Name {
                kind: k,
                new_name: other,
                mark,
                ..
            } if *k == kind && *other == written => Some((at, *mark)),
            _ => None,
        });
        match captured {
            Some((at, by)) if Some(at) != found => self.clashes.push(mark.or(by)),
            _ => {}
        }
        written
    }

    /// The entry of the variable or label that the name refers to. From the definition of a macro in the function
    /// outwards, names that the macro wrote resolve as unmarked names.
    fn find_rib(&self, kind: NameKind, text: &str, mut mark: Option<Mark>) -> Option<usize> {
        for (at, rib) in self.visible_ribs() {
            match rib {
                Rib::Name {
                    kind: k,
                    text: t,
                    mark: m,
                    ..
                } if *k == kind && t == text && *m == mark => return Some(at),
                Rib::Definition(number) => {
                    let definition = mark.and_then(|Mark(call)| self.calls[call].definition);
                    if definition == Some(*number) {
                        mark = None;
                    }
                }
                _ => {}
            }
        }
        None
    }

    fn visible_ribs(&self) -> impl Iterator<Item = (usize, &Rib)> {
        let all = self.ribs.iter().enumerate().rev();
        all.take_while(|(_, rib)| !matches!(rib, Rib::FnBody))
    }

    /// Declares the variables of a pattern.
    fn declare_pattern(&mut self, pat: &mut syn::Pat, may_fail: bool) {
        let before = std::mem::replace(&mut self.is_refutable, may_fail);
        self.visit_pat_mut(pat);
        self.is_refutable = before;
    }

    fn declare_label(&mut self, label: &mut Option<syn::Label>) {
        if let Some(label) = label {
            self.declare(NameKind::Label, &mut label.name.ident);
        }
    }

    fn in_labelled_scope(&mut self, label: &mut Option<syn::Label>, go: impl FnOnce(&mut Self)) {
        self.in_scope(|scopes| {
            scopes.declare_label(label);
            go(scopes);
        });
    }

    fn resolve_jump(&mut self, label: &mut Option<syn::Lifetime>) {
        if let Some(label) = label {
            self.resolve_ident(NameKind::Label, &mut label.ident);
        }
    }
}

/// The number of the macro definition that this placeholder statement stands for.
fn placeholder_number(stmt: &syn::Stmt) -> Option<usize> {
    match stmt {
        syn::Stmt::Item(syn::Item::Macro(of)) => definition_number(of.ident.as_ref()?),
        _ => None,
    }
}

/// Whether the name looks like a constant's.
fn is_uppercase(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Whether the name looks like a variant's, and so not like a variable's.
fn looks_like_variant(name: &str) -> bool {
    is_uppercase(name) && name.contains(char::is_lowercase)
}

impl VisitMut for NameResolver<'_> {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        *name = unmarked(name);
    }

    fn visit_lit_mut(&mut self, lit: &mut syn::Lit) {
        if let syn::Lit::Str(text) = lit {
            *lit = syn::Lit::new(unmarked_literal(&text.token()));
        }
    }

    /// The values of `#[checkpoint(snapshots = n)]` are expressions.
    fn visit_attribute_mut(&mut self, attribute: &mut syn::Attribute) {
        let parse = Punctuated::<syn::MetaNameValue, syn::Token![,]>::parse_terminated;
        if let syn::Meta::List(list) = &mut attribute.meta
            && let Ok(mut arguments) = list.parse_args_with(parse)
        {
            self.visit_path_mut(&mut list.path);
            for argument in &mut arguments {
                self.visit_path_mut(&mut argument.path);
                self.visit_expr_mut(&mut argument.value);
            }
            list.tokens = arguments.to_token_stream();
            return;
        }
        let tokens = unmarked_tokens(attribute.meta.to_token_stream());
        if let Ok(meta) = syn::parse2(tokens) {
            attribute.meta = meta;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        self.resolve_macro_args(mac);
    }

    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        self.in_fn_scope(|scopes| visit_mut::visit_item_mut(scopes, item));
    }

    fn visit_impl_item_mut(&mut self, item: &mut syn::ImplItem) {
        self.in_fn_scope(|scopes| visit_mut::visit_impl_item_mut(scopes, item));
    }

    fn visit_trait_item_mut(&mut self, item: &mut syn::TraitItem) {
        self.in_fn_scope(|scopes| visit_mut::visit_trait_item_mut(scopes, item));
    }

    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        match arg {
            syn::FnArg::Typed(of) => {
                self.visit_attributes_mut(&mut of.attrs);
                self.visit_type_mut(&mut of.ty);
                self.declare_pattern(&mut of.pat, false);
            }
            arg => visit_mut::visit_fn_arg_mut(self, arg),
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.in_scope(|scopes| {
            let stmts = std::mem::take(&mut block.stmts);
            for mut stmt in stmts {
                match placeholder_number(&stmt) {
                    Some(number) => scopes.ribs.push(Rib::Definition(number)),
                    None => {
                        scopes.visit_stmt_mut(&mut stmt);
                        block.stmts.push(stmt);
                    }
                }
            }
        });
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        self.visit_attributes_mut(&mut local.attrs);
        let may_fail = local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some());
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.declare_pattern(&mut local.pat, may_fail);
    }

    fn visit_expr_let_mut(&mut self, e: &mut syn::ExprLet) {
        self.visit_attributes_mut(&mut e.attrs);
        self.visit_expr_mut(&mut e.expr);
        self.declare_pattern(&mut e.pat, true);
    }

    fn visit_expr_if_mut(&mut self, e: &mut syn::ExprIf) {
        self.visit_attributes_mut(&mut e.attrs);
        self.in_scope(|scopes| {
            scopes.visit_expr_mut(&mut e.cond);
            scopes.visit_block_mut(&mut e.then_branch);
        });
        if let Some((_, other)) = &mut e.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        self.visit_attributes_mut(&mut e.attrs);
        self.in_labelled_scope(&mut e.label, |scopes| {
            scopes.visit_expr_mut(&mut e.cond);
            scopes.visit_block_mut(&mut e.body);
        });
    }

    fn visit_expr_loop_mut(&mut self, e: &mut syn::ExprLoop) {
        self.visit_attributes_mut(&mut e.attrs);
        self.in_labelled_scope(&mut e.label, |scopes| scopes.visit_block_mut(&mut e.body));
    }

    fn visit_expr_block_mut(&mut self, e: &mut syn::ExprBlock) {
        self.visit_attributes_mut(&mut e.attrs);
        self.in_labelled_scope(&mut e.label, |scopes| scopes.visit_block_mut(&mut e.block));
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_attributes_mut(&mut e.attrs);
        self.visit_expr_mut(&mut e.expr);
        self.in_labelled_scope(&mut e.label, |scopes| {
            scopes.declare_pattern(&mut e.pat, false);
            scopes.visit_block_mut(&mut e.body);
        });
    }

    fn visit_expr_break_mut(&mut self, e: &mut syn::ExprBreak) {
        self.visit_attributes_mut(&mut e.attrs);
        self.resolve_jump(&mut e.label);
        if let Some(value) = &mut e.expr {
            self.visit_expr_mut(value);
        }
    }

    fn visit_expr_continue_mut(&mut self, e: &mut syn::ExprContinue) {
        self.visit_attributes_mut(&mut e.attrs);
        self.resolve_jump(&mut e.label);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        self.visit_attributes_mut(&mut arm.attrs);
        self.in_scope(|scopes| {
            scopes.declare_pattern(&mut arm.pat, true);
            scopes.visit_expr_mut(&mut arm.body);
        });
    }

    fn visit_expr_closure_mut(&mut self, e: &mut syn::ExprClosure) {
        self.visit_attributes_mut(&mut e.attrs);
        self.in_scope(|scopes| {
            e.inputs
                .iter_mut()
                .for_each(|pat| scopes.declare_pattern(pat, false));
            scopes.visit_return_type_mut(&mut e.output);
            scopes.visit_expr_mut(&mut e.body);
        });
    }

    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        let is_name = e.qself.is_none() && e.path.get_ident().is_some();
        match e.path.segments.first_mut().filter(|_| is_name) {
            Some(name) => self.resolve_ident(NameKind::Variable, &mut name.ident),
            None => visit_mut::visit_expr_path_mut(self, e),
        }
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_value_mut(self, field);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_pat_mut(self, field);
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        let (text, mark) = split_mark(&pat.ident.to_string());
        let is_plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if is_plain && self.is_refutable && is_uppercase(&text) {
            if self.ambiguous.contains(&text) && !looks_like_variant(&text) {
                self.clashes.push(mark);
            }
            self.visit_ident_mut(&mut pat.ident);
            return;
        }
        self.declare(NameKind::Variable, &mut pat.ident);
        if let Some((_, inner)) = &mut pat.subpat {
            self.visit_pat_mut(inner);
        }
    }
}
