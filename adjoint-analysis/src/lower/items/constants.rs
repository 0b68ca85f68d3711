//! Tables: constants and statics that are indexed or iterated over.

use std::collections::{HashMap, HashSet};

use proc_macro2::{Span, TokenStream};
use syn::spanned::Spanned;

use super::imports;
use super::signatures::FnSignature;
use crate::ir::{Block, CodeId, Expr, Place, base_name};
use crate::lower::infer::expectation::param_types;
use crate::lower::types::{lower_type, text};
use crate::lower::value::Value;
use crate::lower::{Environment, LabeledStmt, Lower, Mode, Origin, Stmt, StmtKind, Ty};
use crate::mir::code::{CaptureMode, placeholder};
use crate::refuse::Reason;

/// Adds the constants, type aliases and functions that the items declare to the environment.
pub fn declare_constants<'a>(env: &mut Environment, items: impl Iterator<Item = &'a syn::Item>) {
    let items: Vec<&syn::Item> = items.collect();
    hide_constants(env, &imports::names_not_from_parent(&items));
    for item in &items {
        if let syn::Item::Type(alias) = item {
            env.aliases.insert(alias.ident.to_string(), alias.clone());
        }
    }
    for item in items {
        if let syn::Item::Impl(i) = item
            && i.generics.params.is_empty()
        {
            declare_associated(env, i);
        }
        if let syn::Item::Fn(f) = item
            && f.sig.generics.params.is_empty()
            && let syn::ReturnType::Type(_, ty) = &f.sig.output
        {
            let function = FnSignature {
                result: lower_type(ty, env).0,
                generic_sig: None,
                params: param_types(&f.sig, env),
            };
            env.signatures
                .shadow_function(f.sig.ident.to_string(), function);
        }
        if let syn::Item::Struct(s) = item
            && is_unit(s)
        {
            let name = s.ident.to_string();
            let value = (Ty::Named(name.clone()), Mode::Owned);
            env.constants.insert(name, value);
        }
        let (name, ty) = match item {
            syn::Item::Const(c) => (&c.ident, &c.ty),
            syn::Item::Static(s) => (&s.ident, &s.ty),
            _ => continue,
        };
        declare_constant(env, name.to_string(), ty);
    }
}

/// Whether the struct's name is also its only value.
fn is_unit(s: &syn::ItemStruct) -> bool {
    matches!(s.fields, syn::Fields::Unit) && s.generics.params.is_empty()
}

/// Removes outer constants that have these names, or whose types have.
pub fn hide_constants(env: &mut Environment, names: &HashSet<String>) {
    let first = |name: &str| name.split("::").next().unwrap_or_default().to_string();
    env.constants
        .retain(|name, _| !names.contains(&first(name)));
}

/// Adds the associated constants of a type, by its name and theirs.
pub fn declare_associated(env: &mut Environment, item: &syn::ItemImpl) {
    let own = text(&item.self_ty);
    let outer = env.self_ty.replace(own.clone());
    for inner in &item.items {
        if let syn::ImplItem::Const(c) = inner {
            let name = associated_key(&own, &c.ident);
            // An inherent constant takes precedence over a trait's.
            if item.trait_.is_none() || !env.constants.contains_key(&name) {
                declare_constant(env, name, &c.ty);
            }
        }
    }
    env.self_ty = outer;
}

fn declare_constant(env: &mut Environment, name: String, ty: &syn::Type) {
    let (ty, mode) = lower_type(ty, env);
    if matches!(mode, Mode::Owned | Mode::Shared) {
        env.constants.insert(name, (ty, mode));
    }
}

/// The key of an associated constant.
fn associated_key(owner: &str, name: &syn::Ident) -> String {
    format!("{}::{name}", base_name(owner))
}

/// The items of a body's outermost block.
pub fn block_items(body: &syn::Block) -> impl Iterator<Item = &syn::Item> + Clone {
    body.stmts.iter().filter_map(|s| match s {
        syn::Stmt::Item(item) => Some(item),
        _ => None,
    })
}

/// The variables of constants, by the constants' tokens.
pub type TableVars = HashMap<String, Place>;

impl Lower {
    /// Stores a constant that is iterated over in a variable at the function's start; other values are unchanged.
    pub fn hoist_table(&mut self, value: Value, span: Span) -> Value {
        let Value::Expr(Expr::Code(id, places, _), ty) = &value else {
            return value;
        };
        let (id, ty) = (*id, ty.clone());
        if !places.is_empty() || !self.is_constant_path(id) {
            return value;
        }
        let text = self.draft.code[id.index()].tokens.to_string();
        if let Some(place) = self.tables.get(&text) {
            return Value::PlaceRef(place.clone(), false);
        }
        let last = text.trim_end_matches(')').rsplit([':', '*']).next();
        let name = last.unwrap_or_default().trim().to_lowercase();
        let is_name = syn::parse_str::<syn::Ident>(&name).is_ok();
        let name = if is_name { &*name } else { "table" };
        Value::PlaceRef(self.new_table_var(id, ty, name, text, span), false)
    }

    /// The items of a constant or static in place, if its type is unknown; it may be any type that lends a slice of
    /// them.
    pub fn table_items(&mut self, value: Value, span: Span) -> Value {
        let Value::Expr(Expr::Code(id, places, _), ty) = &value else {
            return value;
        };
        let is_open = matches!(self.shallow(ty), Ty::Infer(_)) && !self.infer.is_number(ty);
        let tokens = self.draft.code[id.index()].tokens.clone();
        let names = syn::parse2::<syn::ExprPath>(tokens.clone()).ok();
        let first = names.and_then(|p| p.path.segments.first().map(|s| s.ident.to_string()));
        let of_params =
            first.is_none_or(|name| name == "Self" || self.env.user_type_params.contains(&name));
        if !places.is_empty() || !is_open || of_params || !self.is_constant_path(*id) {
            return self.hoist_table(value, span);
        }
        let ty = Ty::Slice(Box::new(self.infer.fresh_external()));
        let items = quote::quote_spanned!(span=> #tokens.iter().as_slice());
        let items = self.add_code(items, Vec::new());
        let (text, name) = (self.draft.code[items.index()].tokens.to_string(), "table");
        if let Some(place) = self.tables.get(&text) {
            return Value::PlaceRef(place.clone(), false);
        }
        Value::PlaceRef(self.new_table_var(items, ty, name, text, span), false)
    }

    /// A variable at the function's start that holds the code's value.
    fn new_table_var(
        &mut self,
        code: CodeId,
        ty: Ty,
        name: &str,
        text: String,
        span: Span,
    ) -> Place {
        let var = self.new_var(name, ty.clone(), Origin::Temp);
        let (stmt, place) = (self.stmt_id(span), Place::var(var, ty.clone()));
        let kind = StmtKind::Let(var, Some(Expr::Code(code, Vec::new(), ty)));
        self.hoisted
            .push(LabeledStmt::Stmt(Stmt { id: stmt, kind }));
        self.tables.insert(text, place.clone());
        self.constant_vars.insert(var);
        place
    }

    /// Refuses changes of a constant: each mention of one is a separate copy.
    pub fn refuse_changed_constants(&mut self, body: &Block) {
        let mut found = Vec::new();
        body.walk(&mut |stmt| {
            if stmt
                .written()
                .iter()
                .any(|p| self.constant_vars.contains(&p.root))
            {
                found.push(self.draft.spans[stmt.id.index()]);
            }
        });
        for span in found {
            let what = "a change of a copy of a constant".to_string();
            self.refuse(span, Reason::Expression(what));
        }
    }

    /// An element of a constant, or of an element of one: the user's code with an index appended, so that the table is
    /// not copied. `None` if the value is no constant.
    pub fn table_element(&mut self, base: &Value, index: &Expr, span: Span) -> Option<Value> {
        let Value::Expr(Expr::Code(id, places, _), ty) = base else {
            return None;
        };
        let code = self.draft.code[id.index()].clone();
        let known = self.table_elements.contains(id) || self.is_constant_path(*id);
        if !known {
            return None;
        }
        let (mut places, mut by) = (places.clone(), code.modes);
        let at = match self.stable_operand(index.clone(), Ty::USIZE, span) {
            Expr::Lit(text, _) => text.parse().unwrap_or_default(),
            other => {
                let place = match other {
                    Expr::Read(place) => place,
                    other => self.place_of(Value::Expr(other, Ty::USIZE), span),
                };
                places.push(place);
                by.push(CaptureMode::Value);
                let slot = syn::Ident::new(&placeholder(places.len() - 1), span);
                quote::quote!(#slot)
            }
        };
        let ty = match self.shallow(ty).element() {
            Some(element) => element.clone(),
            None => self.infer.fresh_external(),
        };
        let base = code.tokens;
        let element = self.add_code(quote::quote!(#base[#at]), by);
        self.table_elements.push(element);
        Some(Value::Expr(Expr::Code(element, places, ty.clone()), ty))
    }

    /// A scalar field of a table's element: the user's code with the field appended (`Ok`). For any other field, the
    /// base of the access (`Err`): an element of a table is cloned, as it need not be `Copy`.
    pub fn table_field(&mut self, base: Value, name: &str, span: Span) -> Result<Value, Value> {
        let (id, places, of) = match &base {
            Value::Expr(Expr::Code(id, places, _), ty) if self.table_elements.contains(id) => {
                (*id, places.clone(), self.shallow(ty))
            }
            _ => return Err(base),
        };
        let code = self.draft.code[id.index()].clone();
        let element = code.tokens;
        let seen = match &of {
            Ty::Named(of) => self.env.visible_field_type(of, name).filter(Ty::is_scalar),
            _ => None,
        };
        let (tokens, ty) = match &seen {
            Some(ty) => {
                let member: TokenStream = crate::mir::code::tokens_at(name, span);
                (quote::quote!(#element.#member), ty.clone())
            }
            None => (quote::quote!(::core::clone::Clone::clone(&#element)), of),
        };
        let code = self.add_code(tokens, code.modes);
        let value = Value::Expr(Expr::Code(code, places, ty.clone()), ty);
        match seen {
            Some(_) => Ok(value),
            None => Err(value),
        }
    }

    /// A constant that is a reference, as a view; other values are unchanged.
    pub fn table_as_view(&mut self, value: Value, span: Span) -> Value {
        let Value::Expr(Expr::Code(id, _, ty), _) = &value else {
            return value;
        };
        let is_slice = matches!(self.shallow(ty), Ty::Slice(_));
        if !is_slice && !self.is_referent(*id) {
            return value;
        }
        match self.hoist_table(value, span) {
            Value::Expr(..) if is_slice => {
                let what = "a reference out of a table, handed on as it is,";
                self.refuse(span, Reason::Reference(what.into()))
            }
            value => value,
        }
    }

    /// A constant that is a reference to an array or slice by its type annotation, as a view; other values are
    /// unchanged.
    pub fn constant_as_annotated(&mut self, value: Value, ty: &syn::Type, span: Span) -> Value {
        let Value::Expr(Expr::Code(id, places, _), _) = &value else {
            return value;
        };
        let (referred, mode) = lower_type(ty, &self.env);
        if mode != Mode::Shared || !places.is_empty() || !self.is_constant_path(*id) {
            return value;
        }
        let tokens = self.draft.code[id.index()].tokens.clone();
        let path = referent(&tokens).map_or(tokens, |path| quote::quote!(#path));
        let tokens = match &referred {
            Ty::Array(..) => quote::quote!((*#path)),
            Ty::Slice(_) => quote::quote!((#path as #ty)),
            Ty::Discrete(name) if name == "str" => {
                let text = Ty::Discrete("&str".into());
                return Value::Expr(Expr::Code(*id, Vec::new(), text.clone()), text);
            }
            _ => return value,
        };
        let code = self.add_code(tokens, Vec::new());
        let made = Expr::Code(code, Vec::new(), referred.clone());
        Value::PlaceRef(self.place_of(Value::Expr(made, referred), span), false)
    }

    /// Adds a check that a constant of unknown type, which is passed by value, is no reference.
    pub fn check_by_value(&mut self, value: &Value) {
        let Value::Expr(Expr::Code(id, places, _), ty) = value else {
            return;
        };
        let unseen = matches!(self.shallow(ty), Ty::Infer(_) | Ty::Unknown);
        let of_generics = |p: &syn::ExprPath| {
            let params = &self.env.const_params;
            params.iter().any(|(name, _)| p.path.is_ident(name))
        };
        let tokens = self.draft.code[id.index()].tokens.clone();
        let path = syn::parse2::<syn::ExprPath>(tokens.clone());
        let Ok(path) = path else { return };
        if !unseen || of_generics(&path) || !places.is_empty() || !self.is_constant_path(*id) {
            return;
        }
        let span = path.span();
        if self.by_value_constants.insert(tokens.to_string()) {
            let check = quote::quote_spanned! {span=> {
                #[allow(unused_imports)]
                use ::adjoint::__private::demand::ByValue as _;
                (&::adjoint::__private::demand::handed_on(|| #tokens)).by_value()
            }};
            let stmt = self.new_check(check, Vec::new(), span);
            self.hoisted.push(LabeledStmt::Stmt(stmt));
        }
    }

    /// The code of the constant, or of its referent if that is an array.
    pub fn constant_code(&self, path: &syn::ExprPath) -> TokenStream {
        match self.visible_constant(path) {
            Some((Ty::Array(..), Mode::Shared)) => quote::quote!((*#path)),
            _ => quote::quote!(#path),
        }
    }

    /// The type and mode of a visible constant.
    pub fn visible_constant(&self, path: &syn::ExprPath) -> Option<&(Ty, Mode)> {
        let names: Vec<&syn::Ident> = path.path.segments.iter().map(|s| &s.ident).collect();
        let name = match names[..] {
            [owner, name] if owner == "Self" => associated_key(self.env.self_ty.as_deref()?, name),
            [owner, name] if owner.to_string().starts_with(char::is_uppercase) => {
                // `C64::I` of `type C64 = Complex<f64>`.
                match self.env.aliases.get(&owner.to_string()) {
                    Some(alias) => associated_key(&text(&alias.ty), name),
                    None => associated_key(&owner.to_string(), name),
                }
            }
            [name] => name.to_string(),
            [of, name] if of == "self" => name.to_string(),
            _ => return None,
        };
        self.env.constants.get(&name)
    }

    /// Whether the code is the referent of a constant.
    fn is_referent(&self, id: CodeId) -> bool {
        referent(&self.draft.code[id.index()].tokens).is_some()
    }

    /// Whether the code is a constant: a path in capitals, a single name that begins with one, or the referent of
    /// either.
    fn is_constant_path(&self, id: CodeId) -> bool {
        let tokens = &self.draft.code[id.index()].tokens;
        let path = referent(tokens).or_else(|| syn::parse2::<syn::ExprPath>(tokens.clone()).ok());
        path.is_some_and(|p| {
            let last = p.path.segments.last().map(|s| s.ident.to_string());
            let alone = p.path.get_ident().is_some();
            last.is_some_and(|n| match alone {
                true => n.starts_with(char::is_uppercase),
                false => !n.contains(char::is_lowercase),
            })
        })
    }
}

/// The constant in `(*CONSTANT)`.
fn referent(tokens: &TokenStream) -> Option<syn::ExprPath> {
    let syn::Expr::Paren(paren) = syn::parse2(tokens.clone()).ok()? else {
        return None;
    };
    match *paren.expr {
        syn::Expr::Unary(syn::ExprUnary {
            op: syn::UnOp::Deref(_),
            expr,
            ..
        }) => match *expr {
            syn::Expr::Path(path) => Some(path),
            _ => None,
        },
        _ => None,
    }
}
