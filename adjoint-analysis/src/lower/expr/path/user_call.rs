//! Calls of user functions and methods.

use std::borrow::Cow;

use proc_macro2::Span;

use crate::ir::{Arg, Call, Callee, Place, base_name};
use crate::lower::expr::strip_parens;
use crate::lower::inline::is_non_forwarding_method;
use crate::lower::items::overloads::first_duplicate;
use crate::lower::std_lib::method::{is_number_method, is_std_method};
use crate::lower::types::{text, ungrouped};
use crate::lower::value::{Binding, Value};
use crate::lower::{Arguments, Lower, Origin, StmtKind, Ty};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;
use crate::passes::activity::inactive::Inactive;
use crate::refuse::Reason;

impl Lower {
    /// Emits a call of a user function. Activity analysis decides whether it carries a derivative.
    pub fn user_call(&mut self, p: &syn::ExprPath, args: Vec<Value>, span: Span) -> Value {
        let p = &*self.resolve_overloaded_path(p, &args);
        let known = self.call_result_type(p, &args);
        let takes = self.callee_param_types(p, args.len(), None);
        self.unify_list_elements(&args, &takes);
        let args = self.args_by_reference(args, &takes);
        let args = self.args_as_slices(args, &takes);
        let args = args.into_iter().map(|a| self.lower_arg(a, span));
        let mut args = args.collect::<Vec<_>>();
        share_overlapping(&mut args);
        let code = self.add_code(quote::quote!(#p), Vec::new());
        let by_name = std::mem::take(&mut self.pending_bare_mut).into_iter();
        self.bare_mut_args.extend(by_name.map(|k| (code, k)));
        let name = p.path.get_ident().map(ToString::to_string);
        if let Some(name) = name.filter(|name| self.lookup(name).is_some()) {
            if self.is_unknown_result(&name) {
                return self.refuse(span, Reason::FunctionValue(name));
            }
            self.variable_callees.push(code);
        }
        let callee = Callee {
            name: text(p),
            path: Some(code),
        };
        let constructs = known.is_none() && self.is_constructor(&p.path);
        let value = self.emit_user_call(callee, args, known, span);
        if let (Value::Place(p), true) = (&value, constructs) {
            self.user_types.struct_vars.insert(p.root);
        }
        value
    }

    /// Rewrites `<Gain as Scale>::up` to `Gain::up` if the trait is visible: its adjoint is an inherent method.
    pub fn qualified_to_inherent<'p>(&self, p: &'p syn::ExprPath) -> Cow<'p, syn::ExprPath> {
        let own = || {
            let q = p.qself.as_ref()?;
            let of_trait = p.path.segments.iter().nth(q.position.checked_sub(1)?)?;
            let syn::Type::Path(own) = ungrouped(&q.ty) else {
                return None;
            };
            let is_seen = self.env.traits.contains_key(&of_trait.ident.to_string());
            let names = p.path.segments.last().map(|s| s.ident.to_string());
            let names = Vec::from_iter(names);
            let is_double = first_duplicate(&text(own), &names, &self.env).is_some();
            if !is_seen
                || is_double
                || own.qself.is_some()
                || q.position + 1 != p.path.segments.len()
            {
                return None;
            }
            let mut own = own.path.clone();
            for segment in &mut own.segments {
                if let syn::PathArguments::AngleBracketed(given) = &mut segment.arguments {
                    given.colon2_token.get_or_insert_default();
                }
            }
            own.segments.extend(p.path.segments.last().cloned());
            Some(syn::ExprPath {
                qself: None,
                path: own,
                ..p.clone()
            })
        };
        own().map_or(Cow::Borrowed(p), Cow::Owned)
    }

    /// Rewrites `Shape::area(&shape, k)` to `shape.area(k)` if the trait is visible and the method is unambiguous.
    pub fn path_call_to_method(
        &self,
        p: &syn::ExprPath,
        c: &syn::ExprCall,
    ) -> Option<syn::ExprMethodCall> {
        let (Some(of), Some(method), 2) = (
            p.path.segments.first(),
            p.path.segments.last(),
            p.path.segments.len(),
        ) else {
            return None;
        };
        let (name, arguments) = (&method.ident, &method.arguments);
        let of = self.env.traits.get(&of.ident.to_string())?;
        let declares = |inner: &syn::TraitItem| matches!(inner, syn::TraitItem::Fn(f) if f.sig.ident == *name && f.sig.receiver().is_some());
        let all = self.env.traits.values();
        let is_of_two = all.filter(|of| of.items.iter().any(declares)).count() > 1;
        let text = name.to_string();
        let is_double = is_of_two
            || self
                .env
                .duplicate_items
                .iter()
                .any(|(_, double)| *double == text);
        let is_of_std = is_std_method(&text) || is_number_method(&text);
        let may_be_another = is_double || is_of_std || is_non_forwarding_method(&text, &self.env);
        if p.qself.is_some() || may_be_another || !of.items.iter().any(declares) {
            return None;
        }
        let turbofish = match arguments {
            syn::PathArguments::AngleBracketed(given) => Some(given),
            _ => None,
        };
        let (receiver, others) = (c.args.first()?, c.args.iter().skip(1));
        let receiver = match strip_parens(receiver) {
            syn::Expr::Reference(r) => &r.expr,
            receiver => receiver,
        };
        Some(syn::parse_quote!((#receiver).#name #turbofish (#(#others),*)))
    }

    /// The path of the uniquely named twin of an overloaded function, selected by the argument types.
    fn resolve_overloaded_path<'p>(
        &mut self,
        p: &'p syn::ExprPath,
        args: &[Value],
    ) -> Cow<'p, syn::ExprPath> {
        let mut names = p.path.segments.iter().rev().map(|s| &s.ident);
        let (Some(name), Some(owner), None) = (names.next(), names.next(), &p.qself) else {
            return Cow::Borrowed(p);
        };
        let owner = match (&self.env.self_ty, owner == "Self") {
            (Some(own), true) => own.clone(),
            _ => owner.to_string(),
        };
        let Some(name) = self.resolve_overload(&owner, name, args) else {
            return Cow::Borrowed(p);
        };
        let mut own = p.clone();
        if let Some(last) = own.path.segments.last_mut() {
            last.ident = name;
        }
        Cow::Owned(own)
    }

    /// Whether the variable holds a call result of unknown type.
    fn is_unknown_result(&self, name: &str) -> bool {
        matches!(self.lookup(name), Some(Binding::Var(v))
            if matches!(self.shallow(&self.draft.func.var(*v).ty), Ty::Infer(_) | Ty::Unknown))
    }

    /// Whether no method call can change the place for later code.
    fn is_immutable(&self, place: &Place) -> bool {
        let temporary = self.draft.func.var(place.root).origin == Origin::Temp;
        temporary || self.immutable_vars.contains(&place.root)
    }

    /// Emits a call of a user type's method.
    pub fn user_method(
        &mut self,
        m: &syn::ExprMethodCall,
        receiver: Value,
        args: Vec<Value>,
    ) -> Value {
        let span = m.method.span();
        let of = self.value_ty(&receiver);
        if let Ty::Named(of) = &of {
            let key = (base_name(of).to_string(), m.method.to_string());
            if self.env.ambiguous_methods.contains(&key) {
                return self.refuse(span, Reason::Double(key.0, key.1));
            }
            self.check_inactive_owner(of, &m.method);
        }
        let own = match &of {
            Ty::Named(of) => self.resolve_overload(of, &m.method, &args),
            _ => None,
        };
        let (name, turbofish) = (own.as_ref().unwrap_or(&m.method), &m.turbofish);
        let seen = self.resolve_receiver_method(&receiver, &name.to_string());
        let mode = seen.as_ref().and_then(|seen| seen.mode());
        let takes = seen.as_ref().map_or(&[][..], |seen| seen.params());
        self.unify_list_elements(&args, takes);
        let args = self.args_by_reference(args, takes);
        let args = self.args_as_slices(args, takes);
        let args = self.coerce_args_to_objects(args, takes, span);
        let receiver = match (receiver, mode) {
            (Value::PlaceRef(p, false), _) => Arg::Shared(p),
            (value, Some(super::Mode::Shared | super::Mode::Owned)) => {
                Arg::Shared(self.place_of(value, span))
            }
            (Value::Place(p), None) if self.is_immutable(&p) => Arg::Shared(p),
            (value, _) => Arg::Mut(self.place_of(value, span)),
        };
        let args = args.into_iter().map(|a| self.lower_arg(a, span));
        let mut args: Vec<Arg> = std::iter::once(receiver).chain(args).collect();
        share_overlapping(&mut args);
        // If only the method's name suggests that it takes `&self`, rustc confirms it.
        let confirmed = seen.as_ref().is_some_and(|seen| !seen.certain)
            && matches!(args.first(), Some(Arg::Shared(p)) if !self.is_immutable(p));
        let by = Vec::from_iter(confirmed.then_some(CaptureMode::Borrow));
        let code = self.add_code(quote::quote!(#name #turbofish), by);
        let callee = Callee {
            name: format!(".{name}"),
            path: Some(code),
        };
        let result = seen.and_then(|seen| seen.result());
        self.emit_user_call(callee, args, result, span)
    }

    /// Emits a check for an inactive method that the declared path and the path used here lead to the same type.
    fn check_inactive_owner(&mut self, of: &str, method: &syn::Ident) {
        let paths = self.env.inactive.clone();
        let by_trait = ["dyn ", "impl "].iter().any(|k| of.starts_with(k));
        if by_trait || of.contains('<') || self.env.user_type_params.iter().any(|param| param == of)
        {
            return;
        }
        for owner in Inactive::owners(&paths, of, &method.to_string()) {
            let pair = format!("{of}, {owner}");
            if of.replace(' ', "") != owner.replace(' ', "") {
                let types = tokens_at(&pair, method.span());
                let check = quote::quote_spanned! {method.span()=>
                    ::adjoint::__private::demand::one_type::<#types>()
                };
                self.hoist_check(check, ("inactive".to_string(), pair), method.span());
            }
        }
    }

    fn emit_user_call(
        &mut self,
        callee: Callee,
        args: Vec<Arg>,
        known: Option<Ty>,
        span: Span,
    ) -> Value {
        let ty = known.unwrap_or_else(|| {
            let ty = self.infer.fresh_external();
            self.unresolved_results.push(ty.clone());
            ty
        });
        let var = self.new_var("value", ty.clone(), Origin::Temp);
        self.emit(
            span,
            StmtKind::Call(Call {
                result: Some(var),
                callee,
                args,
            }),
        );
        Value::Place(Place::var(var, ty))
    }

    pub fn lower_arg(&mut self, value: Value, span: Span) -> Arg {
        // The type of a literal is left to rustc, which sees the parameter's type.
        let ty = self.value_ty(&value);
        self.infer.mark_external(&ty);
        match self.table_as_view(value, span) {
            Value::SplitEnum(c) => self.split_enum_arg(*c, span),
            Value::Closure(c) => Arg::Value(self.closure_argument(&c)),
            Value::PlaceRef(p, true) => Arg::Mut(p),
            Value::PlaceRef(p, false) if self.is_function_param(&p) => {
                Arg::Value(self.function_ref_arg(p))
            }
            Value::PlaceRef(p, false) => Arg::Shared(p),
            // The value is a reference already.
            value if matches!(&ty, Ty::Discrete(name) if name == "str" || name.starts_with('&')) => {
                Arg::Shared(self.place_of(value, span))
            }
            Value::Place(p) if self.is_slice_copy(&p) => Arg::Shared(p),
            value => {
                self.check_by_value(&value);
                Arg::Value(self.read(value, span).0)
            }
        }
    }
}

/// Passes overlapping arguments by `&`: the callee can't take one of them by `&mut`.
fn share_overlapping(args: &mut [Arg]) {
    let lent: Vec<Option<Place>> = args.iter().map(|arg| arg.place().cloned()).collect();
    for (i, arg) in args.iter_mut().enumerate() {
        let others = lent.iter().enumerate().filter(|(k, _)| *k != i);
        let mut others = others.filter_map(|(_, place)| place.as_ref());
        if let Arg::Mut(p) = arg
            && others.any(|q| q.is_within(p) || p.is_within(q))
        {
            *arg = Arg::Shared(p.clone());
        }
    }
}

/// The positions of the arguments that are named `&mut` references, where the parameter types are unknown.
pub fn bare_mut_positions(exprs: &Arguments, args: &[Value], told: &[bool]) -> Vec<usize> {
    let pairs = exprs.iter().zip(args).enumerate();
    let by_name = pairs.filter(|(k, (e, value))| {
        let is_told = told.get(*k).copied().unwrap_or(false);
        !is_told && matches!(value, Value::PlaceRef(_, true)) && !borrows_mut(e)
    });
    by_name.map(|(k, _)| k).collect()
}

/// Whether the argument syntactically borrows mutably: `&mut x`, `x.as_mut_slice()`.
fn borrows_mut(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Reference(r) => r.mutability.is_some(),
        syn::Expr::MethodCall(m) => m.method.to_string().contains("mut"),
        _ => false,
    }
}
