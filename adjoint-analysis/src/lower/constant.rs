//! Tables: constants and statics that are indexed or run over.

use std::collections::HashMap;

use proc_macro2::Span;

use super::code::{By, placeholder};
use super::types::lower_type;
use super::value::Value;
use super::{Environment, Lower, Mode, Origin, Raw, Stmt, StmtKind, Ty};
use crate::ir::{CodeId, Expr, Place};

/// The environment with the constants and type aliases that the items declare.
pub fn declared<'a>(env: &mut Environment, items: impl Iterator<Item = &'a syn::Item>) {
    let items: Vec<&syn::Item> = items.collect();
    for item in &items {
        if let syn::Item::Type(alias) = item
            && alias.generics.params.is_empty()
        {
            let name = alias.ident.to_string();
            env.aliases.insert(name, (*alias.ty).clone());
        }
    }
    for item in items {
        if let syn::Item::Fn(f) = item
            && f.sig.generics.params.is_empty()
            && let syn::ReturnType::Type(_, ty) = &f.sig.output
        {
            let result = lower_type(ty, env).0;
            env.results.insert(f.sig.ident.to_string(), result);
        }
        let (name, ty) = match item {
            syn::Item::Const(c) => (&c.ident, &c.ty),
            syn::Item::Static(s) => (&s.ident, &s.ty),
            _ => continue,
        };
        let (ty, mode) = lower_type(ty, env);
        if matches!(mode, Mode::Owned | Mode::Shared) {
            env.constants.insert(name.to_string(), ty);
        }
    }
}

/// The items of a body's outermost block.
pub fn items(body: &syn::Block) -> impl Iterator<Item = &syn::Item> + Clone {
    body.stmts.iter().filter_map(|s| match s {
        syn::Stmt::Item(item) => Some(item),
        _ => None,
    })
}

/// Constants that have a variable, by their tokens.
pub type Tables = HashMap<String, Place>;

impl Lower {
    /// A constant that is run over, in a variable at the function's start; other values as they are.
    pub fn table(&mut self, value: Value, span: Span) -> Value {
        let Value::Expr(Expr::Code(id, places, _), ty) = &value else {
            return value;
        };
        let (id, ty) = (*id, ty.clone());
        if !places.is_empty() || !self.is_constant_path(id) {
            return value;
        }
        let text = self.code[id.index()].tokens.to_string();
        if let Some(place) = self.tables.get(&text) {
            return Value::View(place.clone(), false);
        }
        let name = text.rsplit(':').next().unwrap_or_default().trim();
        let var = self.new_var(&name.to_lowercase(), ty.clone(), Origin::Temp);
        let (stmt, place) = (self.stmt_id(span), Place::var(var, ty.clone()));
        let kind = StmtKind::Let(var, Some(Expr::Code(id, Vec::new(), ty)));
        self.hoisted.push(Raw::Stmt(Stmt { id: stmt, kind }));
        self.tables.insert(text, place.clone());
        Value::View(place, false)
    }

    /// An element of a constant, or of an element of one: the user's code with an index behind it, so
    /// that the table is not copied. `None` if the value is no constant.
    pub fn table_element(&mut self, base: &Value, index: &Expr, span: Span) -> Option<Value> {
        let Value::Expr(Expr::Code(id, places, _), ty) = base else {
            return None;
        };
        let code = self.code[id.index()].clone();
        let known = self.elements_of_tables.contains(id) || self.is_constant_path(*id);
        if !known {
            return None;
        }
        let (mut places, mut by) = (places.clone(), code.by);
        let at = match self.fix(index.clone(), Ty::USIZE, span) {
            Expr::Lit(text, _) => text.parse().unwrap_or_default(),
            other => {
                let place = match other {
                    Expr::Read(place) => place,
                    other => self.place_of(Value::Expr(other, Ty::USIZE), span),
                };
                places.push(place);
                by.push(By::Value);
                let slot = syn::Ident::new(&placeholder(places.len() - 1), span);
                quote::quote!(#slot)
            }
        };
        let ty = match self.shallow(ty).element() {
            Some(element) => element.clone(),
            None => self.infer.declared_elsewhere(),
        };
        let base = code.tokens;
        let element = self.add_code(quote::quote!(#base[#at]), by);
        self.elements_of_tables.push(element);
        Some(Value::Expr(Expr::Code(element, places, ty.clone()), ty))
    }

    /// Whether the code is a path in capitals, as constants are named.
    fn is_constant_path(&self, id: CodeId) -> bool {
        let path = syn::parse2::<syn::ExprPath>(self.code[id.index()].tokens.clone());
        path.is_ok_and(|p| {
            let last = p.path.segments.last().map(|s| s.ident.to_string());
            last.is_some_and(|n| !n.contains(|c: char| c.is_lowercase()))
        })
    }
}
