//! Hygienic name resolution of variables and labels in expanded code, as in rustc: a name resolves in the macro's own
//! scope, at the macro's definition, or at its call.
//!
//! A variable that a macro declares is renamed if another name of the same text exists; a name that would be captured
//! nevertheless is a clash.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};

use super::calls::Call;
use super::mark::{Mark, bare, bare_literal, bare_tokens, ident, number_of_definition, split};
use crate::lower::tokens::identifiers;

mod tokens;

/// Resolves the names of items and removes their marks.
pub struct Scopes<'a> {
    calls: &'a [Call],
    ribs: Vec<Rib>,
    /// The texts that occur with more than one mark.
    shared: BTreeSet<String>,
    /// All texts.
    taken: BTreeSet<String>,
    /// Whether the current pattern is refutable: uppercase names in it are constants then.
    may_fail: bool,
    /// The marks of names that would be captured.
    pub clashes: Vec<Option<Mark>>,
}

/// A scope entry; the last one is the innermost.
#[derive(Debug)]
enum Rib {
    Name {
        kind: Kind,
        text: String,
        mark: Option<Mark>,
        /// The name without marks that the variable gets.
        written: String,
    },
    /// The definition of a macro.
    Definition(usize),
    /// The body of another function, which hides all outer entries.
    Item,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Variable,
    Label,
}

impl<'a> Scopes<'a> {
    /// A resolver for an item with these expansions.
    pub fn of(calls: &'a [Call], item: TokenStream) -> Scopes<'a> {
        let mut all = Vec::new();
        identifiers(&item, &mut all);
        let mut marks: BTreeMap<String, BTreeSet<Option<Mark>>> = BTreeMap::new();
        for word in all {
            let (text, mark) = split(&word);
            marks.entry(text).or_default().insert(mark);
        }
        let shared = marks.iter().filter(|(_, marks)| marks.len() > 1);
        Scopes {
            calls,
            ribs: Vec::new(),
            shared: shared.map(|(text, _)| text.clone()).collect(),
            taken: marks.into_keys().collect(),
            may_fail: false,
            clashes: Vec::new(),
        }
    }

    /// Opens a scope for `go`.
    fn within(&mut self, go: impl FnOnce(&mut Self)) {
        let before = self.ribs.len();
        go(self);
        self.ribs.truncate(before);
    }

    /// Opens a scope that hides all outer entries.
    fn within_item(&mut self, go: impl FnOnce(&mut Self)) {
        self.within(|scopes| {
            scopes.ribs.push(Rib::Item);
            go(scopes);
        });
    }

    fn declare(&mut self, kind: Kind, name: &mut Ident) {
        let (text, mark) = split(&name.to_string());
        let written = match mark {
            Some(mark) if self.shared.contains(&text) => self.renamed(&text, mark),
            _ => text.clone(),
        };
        *name = ident(&written, name.span());
        self.ribs.push(Rib::Name {
            kind,
            text,
            mark,
            written,
        });
    }

    fn renamed(&self, text: &str, mark: Mark) -> String {
        let text = text.strip_prefix("r#").unwrap_or(text);
        let of = self.calls[mark.0].name.trim_start_matches("r#");
        let mut name = format!("{text}_of_{of}_{}", mark.0);
        while self.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// Resolves the name and replaces it by the one that its variable has got.
    fn name(&mut self, kind: Kind, name: &mut Ident) {
        *name = ident(&self.text(kind, &name.to_string()), name.span());
    }

    fn text(&mut self, kind: Kind, name: &str) -> String {
        let (text, mark) = split(name);
        let found = self.found(kind, &text, mark);
        let written = match found.map(|at| &self.ribs[at]) {
            Some(Rib::Name { written, .. }) => written.clone(),
            _ => text,
        };
        let captured = self.in_sight().find_map(|(at, rib)| match rib {
            Rib::Name {
                kind: k,
                written: other,
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
    fn found(&self, kind: Kind, text: &str, mut mark: Option<Mark>) -> Option<usize> {
        for (at, rib) in self.in_sight() {
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

    fn in_sight(&self) -> impl Iterator<Item = (usize, &Rib)> {
        let all = self.ribs.iter().enumerate().rev();
        all.take_while(|(_, rib)| !matches!(rib, Rib::Item))
    }

    /// Declares the variables of a pattern.
    fn pattern(&mut self, pat: &mut syn::Pat, may_fail: bool) {
        let before = std::mem::replace(&mut self.may_fail, may_fail);
        self.visit_pat_mut(pat);
        self.may_fail = before;
    }

    fn label(&mut self, label: &mut Option<syn::Label>) {
        if let Some(label) = label {
            self.declare(Kind::Label, &mut label.name.ident);
        }
    }

    fn labelled(&mut self, label: &mut Option<syn::Label>, go: impl FnOnce(&mut Self)) {
        self.within(|scopes| {
            scopes.label(label);
            go(scopes);
        });
    }

    fn goal(&mut self, label: &mut Option<syn::Lifetime>) {
        if let Some(label) = label {
            self.name(Kind::Label, &mut label.ident);
        }
    }
}

/// The number of the macro definition that this placeholder statement stands for.
fn definition(stmt: &syn::Stmt) -> Option<usize> {
    match stmt {
        syn::Stmt::Item(syn::Item::Macro(of)) => number_of_definition(of.ident.as_ref()?),
        _ => None,
    }
}

/// Whether the name looks like a constant's.
fn is_capital(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Whether the name looks like a variant's, and so not like a variable's.
fn is_variant(name: &str) -> bool {
    is_capital(name) && name.contains(char::is_lowercase)
}

impl VisitMut for Scopes<'_> {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        *name = bare(name);
    }

    fn visit_lit_mut(&mut self, lit: &mut syn::Lit) {
        if let syn::Lit::Str(text) = lit {
            *lit = syn::Lit::new(bare_literal(&text.token()));
        }
    }

    fn visit_attribute_mut(&mut self, attribute: &mut syn::Attribute) {
        let tokens = bare_tokens(attribute.meta.to_token_stream());
        if let Ok(meta) = syn::parse2(tokens) {
            attribute.meta = meta;
        }
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        self.macro_call(mac);
    }

    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        self.within_item(|scopes| visit_mut::visit_item_mut(scopes, item));
    }

    fn visit_impl_item_mut(&mut self, item: &mut syn::ImplItem) {
        self.within_item(|scopes| visit_mut::visit_impl_item_mut(scopes, item));
    }

    fn visit_trait_item_mut(&mut self, item: &mut syn::TraitItem) {
        self.within_item(|scopes| visit_mut::visit_trait_item_mut(scopes, item));
    }

    fn visit_fn_arg_mut(&mut self, arg: &mut syn::FnArg) {
        match arg {
            syn::FnArg::Typed(of) => {
                of.attrs
                    .iter_mut()
                    .for_each(|a| self.visit_attribute_mut(a));
                self.visit_type_mut(&mut of.ty);
                self.pattern(&mut of.pat, false);
            }
            arg => visit_mut::visit_fn_arg_mut(self, arg),
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        self.within(|scopes| {
            let stmts = std::mem::take(&mut block.stmts);
            for mut stmt in stmts {
                match definition(&stmt) {
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
        local
            .attrs
            .iter_mut()
            .for_each(|a| self.visit_attribute_mut(a));
        let may_fail = local
            .init
            .as_ref()
            .is_some_and(|init| init.diverge.is_some());
        if let Some(init) = &mut local.init {
            self.visit_local_init_mut(init);
        }
        self.pattern(&mut local.pat, may_fail);
    }

    fn visit_expr_let_mut(&mut self, e: &mut syn::ExprLet) {
        self.visit_expr_mut(&mut e.expr);
        self.pattern(&mut e.pat, true);
    }

    fn visit_expr_if_mut(&mut self, e: &mut syn::ExprIf) {
        self.within(|scopes| {
            scopes.visit_expr_mut(&mut e.cond);
            scopes.visit_block_mut(&mut e.then_branch);
        });
        if let Some((_, other)) = &mut e.else_branch {
            self.visit_expr_mut(other);
        }
    }

    fn visit_expr_while_mut(&mut self, e: &mut syn::ExprWhile) {
        self.labelled(&mut e.label, |scopes| {
            scopes.visit_expr_mut(&mut e.cond);
            scopes.visit_block_mut(&mut e.body);
        });
    }

    fn visit_expr_loop_mut(&mut self, e: &mut syn::ExprLoop) {
        self.labelled(&mut e.label, |scopes| scopes.visit_block_mut(&mut e.body));
    }

    fn visit_expr_block_mut(&mut self, e: &mut syn::ExprBlock) {
        self.labelled(&mut e.label, |scopes| scopes.visit_block_mut(&mut e.block));
    }

    fn visit_expr_for_loop_mut(&mut self, e: &mut syn::ExprForLoop) {
        self.visit_expr_mut(&mut e.expr);
        self.labelled(&mut e.label, |scopes| {
            scopes.pattern(&mut e.pat, false);
            scopes.visit_block_mut(&mut e.body);
        });
    }

    fn visit_expr_break_mut(&mut self, e: &mut syn::ExprBreak) {
        self.goal(&mut e.label);
        if let Some(value) = &mut e.expr {
            self.visit_expr_mut(value);
        }
    }

    fn visit_expr_continue_mut(&mut self, e: &mut syn::ExprContinue) {
        self.goal(&mut e.label);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        arm.attrs
            .iter_mut()
            .for_each(|a| self.visit_attribute_mut(a));
        self.within(|scopes| {
            scopes.pattern(&mut arm.pat, true);
            scopes.visit_expr_mut(&mut arm.body);
        });
    }

    fn visit_expr_closure_mut(&mut self, e: &mut syn::ExprClosure) {
        self.within(|scopes| {
            e.inputs
                .iter_mut()
                .for_each(|pat| scopes.pattern(pat, false));
            scopes.visit_return_type_mut(&mut e.output);
            scopes.visit_expr_mut(&mut e.body);
        });
    }

    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        let is_name = e.qself.is_none() && e.path.get_ident().is_some();
        match e.path.segments.first_mut().filter(|_| is_name) {
            Some(name) => self.name(Kind::Variable, &mut name.ident),
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
        let (text, mark) = split(&pat.ident.to_string());
        let is_plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if is_plain && self.may_fail && is_capital(&text) {
            if self.shared.contains(&text) && !is_variant(&text) {
                self.clashes.push(mark);
            }
            self.visit_ident_mut(&mut pat.ident);
            return;
        }
        self.declare(Kind::Variable, &mut pat.ident);
        if let Some((_, inner)) = &mut pat.subpat {
            self.visit_pat_mut(inner);
        }
    }
}
