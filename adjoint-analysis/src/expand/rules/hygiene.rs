//! Names in what a `macro_rules!` makes: its variables are not those of the code around a call.

use std::collections::BTreeSet;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::visit_mut::{self, VisitMut};

use super::Macros;

/// The mark on the names in one call that the macro wrote itself.
pub struct Mark(String);

impl Mark {
    /// The mark of a call of this macro.
    pub fn of(name: &str, call: usize) -> Mark {
        Mark(format!("_of_{name}_{call}"))
    }

    /// The name with the mark; a keyword stays.
    pub fn put_on(&self, name: &Ident) -> Ident {
        let text = name.to_string();
        match syn::parse_str::<Ident>(&text) {
            Ok(_) => Ident::new(&format!("{text}{}", self.0), name.span()),
            Err(_) => name.clone(),
        }
    }

    /// The name without the mark, if it has it.
    fn taken_off(&self, name: &Ident) -> Option<Ident> {
        let text = name.to_string();
        let bare = text.strip_suffix(&self.0)?;
        Some(match bare.strip_prefix("r#") {
            Some(raw) => Ident::new_raw(raw, name.span()),
            None => Ident::new(bare, name.span()),
        })
    }
}

/// Takes the marks off all names but those of the macro's own variables.
pub struct Names<'a> {
    mark: &'a Mark,
    own: BTreeSet<Ident>,
    labels: BTreeSet<String>,
    macros: &'a Macros,
    /// The names that the macro does not declare, and takes from where it stands.
    pub free: BTreeSet<String>,
    /// Those that it hands on to other macros, which may declare them.
    pub handed_on: BTreeSet<String>,
    /// The variables that the macro declares by names that it was given.
    pub given: Vec<String>,
}

impl<'a> Names<'a> {
    /// The names in what was made: the variables that it declares are the macro's own.
    pub fn of(mark: &'a Mark, made: &syn::Block, macros: &'a Macros) -> Names<'a> {
        let mut declared = Declared {
            mark,
            own: BTreeSet::new(),
            labels: BTreeSet::new(),
            given: Vec::new(),
        };
        declared.visit_block(made);
        Names {
            mark,
            own: declared.own,
            labels: declared.labels,
            macros,
            free: BTreeSet::new(),
            handed_on: BTreeSet::new(),
            given: declared.given,
        }
    }

    /// Whether the macro has labels with names that the call has, too.
    pub fn labels_clash_with(&self, call: &TokenStream) -> bool {
        stand_in(&self.labels, call)
    }

    /// The same of the variables that the macro declares.
    pub fn clash_with(&self, call: &TokenStream) -> bool {
        let bare = |name: &Ident| self.mark.taken_off(name).unwrap_or_else(|| name.clone());
        stand_in(
            &self.own.iter().map(|name| bare(name).to_string()).collect(),
            call,
        )
    }

    /// The macro's variables are named as it names them.
    pub fn without_own(&mut self) {
        self.own.clear();
    }

    fn is_own(&self, path: &syn::Path) -> bool {
        path.get_ident().is_some_and(|name| self.own.contains(name))
    }

    fn tokens(&mut self, tokens: TokenStream) -> TokenStream {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let sign = |k: usize, sign: char| matches!(all.get(k), Some(TokenTree::Punct(p)) if p.as_char() == sign);
        let each = all.iter().enumerate().map(|(k, token)| match token {
            TokenTree::Group(of) => {
                let mut made = Group::new(of.delimiter(), self.tokens(of.stream()));
                made.set_span(of.span());
                made.into()
            }
            TokenTree::Ident(name) => {
                let is_member = k > 0 && sign(k - 1, '.') && !(k > 1 && sign(k - 2, '.'));
                if self.own.contains(name) && !is_member {
                    return name.clone().into();
                }
                let Some(bare) = self.mark.taken_off(name) else {
                    return name.clone().into();
                };
                if is_variable(&bare) && !is_member && !sign(k + 1, '!') {
                    self.free.insert(bare.to_string());
                }
                bare.into()
            }
            token => token.clone(),
        });
        each.collect()
    }
}

impl VisitMut for Names<'_> {
    fn visit_ident_mut(&mut self, name: &mut Ident) {
        if let Some(bare) = self.mark.taken_off(name) {
            *name = bare;
        }
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        if !self.own.contains(&pat.ident) {
            self.visit_ident_mut(&mut pat.ident);
        }
        if let Some((_, inner)) = &mut pat.subpat {
            self.visit_pat_mut(inner);
        }
    }

    fn visit_expr_path_mut(&mut self, e: &mut syn::ExprPath) {
        if self.is_own(&e.path) {
            return;
        }
        let name = e
            .path
            .get_ident()
            .and_then(|name| self.mark.taken_off(name));
        if let Some(bare) = name.filter(is_variable) {
            self.free.insert(bare.to_string());
        }
        visit_mut::visit_expr_path_mut(self, e);
    }

    fn visit_field_value_mut(&mut self, field: &mut syn::FieldValue) {
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_value_mut(self, field);
    }

    fn visit_field_pat_mut(&mut self, field: &mut syn::FieldPat) {
        field.colon_token.get_or_insert_default();
        visit_mut::visit_field_pat_mut(self, field);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        self.visit_path_mut(&mut mac.path);
        let before = std::mem::take(&mut self.free);
        mac.tokens = self.tokens(std::mem::take(&mut mac.tokens));
        let names = std::mem::replace(&mut self.free, before);
        if self.macros.find(&mac.path).is_some() {
            self.handed_on.extend(names.iter().cloned());
        }
        self.free.extend(names);
    }
}

/// Collects the variables that a macro declares.
struct Declared<'a> {
    mark: &'a Mark,
    own: BTreeSet<Ident>,
    labels: BTreeSet<String>,
    given: Vec<String>,
}

impl<'ast> Visit<'ast> for Declared<'_> {
    fn visit_pat_ident(&mut self, pat: &'ast syn::PatIdent) {
        match self.mark.taken_off(&pat.ident) {
            Some(bare) if is_variable(&bare) => {
                self.own.insert(pat.ident.clone());
            }
            Some(_) => {}
            None => self.given.push(pat.ident.to_string()),
        }
        visit::visit_pat_ident(self, pat);
    }

    fn visit_label(&mut self, label: &'ast syn::Label) {
        self.labels.insert(label.name.ident.to_string());
    }
}

/// Whether any of the names stands in the tokens.
fn stand_in(names: &BTreeSet<String>, tokens: &TokenStream) -> bool {
    let mut words = Vec::new();
    crate::lower::code::words(tokens, &mut words);
    words.iter().any(|word| names.contains(word))
}

/// Whether the name can be one of a variable.
fn is_variable(name: &Ident) -> bool {
    !name.to_string().starts_with(char::is_uppercase)
}
