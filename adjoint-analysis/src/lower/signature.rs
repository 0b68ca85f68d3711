//! Lowering of signatures: parameters and the return variable.

use proc_macro2::{Ident, Span};
use syn::spanned::Spanned;

use super::span;
use super::types::{fn_bound_arity, is_bound, lower_type, range_type, text, ungrouped};
use super::value::{Binding, Value};
use super::{Environment, Lower, Mode, Origin, Place, Ty, VarId};
use crate::refuse::Reason;

/// Traits of iterators.
const ITERATOR_TRAITS: &[&str] = &["DoubleEndedIterator", "ExactSizeIterator", "Iterator"];

/// Whether the type contains a reference.
pub fn holds_references(ty: &syn::Type) -> bool {
    struct References(bool);
    impl<'ast> syn::visit::Visit<'ast> for References {
        fn visit_type_reference(&mut self, _: &'ast syn::TypeReference) {
            self.0 = true;
        }
    }
    let mut found = References(false);
    syn::visit::Visit::visit_type(&mut found, ty);
    found.0
}

/// Whether the type is a reference to a trait object or `impl Trait` of a user's trait: `&mut impl Draw`, `&dyn Draw`.
fn is_object_ref(ty: &syn::Type) -> bool {
    let syn::Type::Reference(r) = ungrouped(ty) else {
        return false;
    };
    let mut bounds = match ungrouped(&r.elem) {
        syn::Type::ImplTrait(t) => t.bounds.iter(),
        syn::Type::TraitObject(t) => t.bounds.iter(),
        _ => return false,
    };
    let iterates = |b: &syn::TypeParamBound| ITERATOR_TRAITS.iter().any(|name| is_bound(b, name));
    !bounds.any(|b| fn_bound_arity(b).is_some() || iterates(b))
}

/// The mode in which a method takes `self`.
pub fn receiver_mode(r: &syn::Receiver) -> Mode {
    match &r.kind {
        syn::ReceiverKind::Reference(_, _, Some(_)) => Mode::Mut,
        syn::ReceiverKind::Reference(_, _, None) => Mode::Shared,
        syn::ReceiverKind::Typed(_, ty) => match &**ty {
            syn::Type::Reference(r) if r.mutability.is_some() => Mode::Mut,
            syn::Type::Reference(_) => Mode::Shared,
            _ => Mode::Owned,
        },
        _ => Mode::Owned,
    }
}

/// The position of `self` or `Self` in the signature, which shows that the function is in an `impl` or a trait.
pub fn self_span(sig: &syn::Signature) -> Option<proc_macro2::Span> {
    struct SelfType(Option<proc_macro2::Span>);
    impl<'ast> syn::visit::Visit<'ast> for SelfType {
        fn visit_receiver(&mut self, receiver: &'ast syn::Receiver) {
            self.0.get_or_insert(receiver.self_token.span());
        }
        fn visit_path(&mut self, path: &'ast syn::Path) {
            if let Some(first) = path.segments.first().filter(|s| s.ident == "Self") {
                self.0.get_or_insert(first.ident.span());
            }
            syn::visit::visit_path(self, path);
        }
    }
    let mut found = SelfType(None);
    syn::visit::Visit::visit_signature(&mut found, sig);
    found.0
}

/// Refusals of functions of unsupported kinds, and of methods annotated outside of their `impl`.
pub fn unsupported_kinds(sig: &syn::Signature, env: &Environment) -> Vec<(Span, Reason)> {
    let unsafety = match &sig.safety {
        syn::Safety::Unsafe(t) => Some(t.span()),
        _ => None,
    };
    let kinds = [
        (sig.asyncness.as_ref().map(|t| t.span()), "`async`"),
        (unsafety, "`unsafe`"),
        (sig.abi.as_ref().map(|t| t.span()), "`extern`"),
        (sig.variadic.as_ref().map(|t| t.span()), "variadic"),
    ];
    let kinds = kinds.into_iter();
    let kinds = kinds.filter_map(|(span, kind)| Some((span?, Reason::FunctionKind(kind.into()))));
    let alone = self_span(sig).filter(|_| env.self_ty.is_none());
    kinds
        .chain(alone.map(|span| (span, Reason::LoneMethod)))
        .collect()
}

impl Lower {
    /// Declares parameters and return variable.
    pub fn declare_signature(&mut self, sig: &syn::Signature) {
        for (span, reason) in unsupported_kinds(sig, &self.env) {
            self.refuse(span, reason);
        }
        let mut copies = Vec::new();
        for input in &sig.inputs {
            let arg = match input {
                syn::FnArg::Typed(arg) => arg,
                syn::FnArg::Receiver(r) => {
                    let of_value = receiver_mode(r) == Mode::Owned;
                    if let (Some(var), Some(_), true) =
                        (self.declare_receiver(r), r.mutability, of_value)
                    {
                        copies.push((Ident::from(r.self_token), var, Mode::Owned));
                    }
                    continue;
                }
            };
            if param_name(arg).is_none() {
                self.refuse(arg.pat.span(), Reason::ParameterPattern);
            }
            let syn::Pat::Ident(pat) = &*arg.pat else {
                continue;
            };
            let (mut ty, mode) = lower_type(&arg.ty, &self.env);
            let name = pat.ident.to_string();
            if let (Ty::Discrete(of), true) = (&ty, self.env.excluded_params.contains(&name))
                && is_object_ref(&arg.ty)
            {
                ty = Ty::Named(of.clone());
            }
            if self.env.state_params.contains(&name) {
                ty = Ty::state(&text(&arg.ty));
            }
            if let Ty::Named(of) = &ty {
                self.user_types.note_type_of(&name, of);
            }
            let var = self
                .draft
                .func
                .add_var(&name, ty.clone(), mode, Origin::Param);
            self.draft.func.params.push(var);
            if let (Some((of, inclusive)), Ty::Discrete(_)) = (range_type(&arg.ty, &self.env), &ty)
            {
                let (place, of) = (self.draft.func.place(var), lower_type(of, &self.env).0);
                let range = self.range_in_place(&place, inclusive, of, pat.ident.span());
                let own =
                    self.owned_binding(&name, range, pat.mutability.is_some(), pat.ident.span());
                self.bind(&name, own);
                continue;
            }
            let binding = match mode {
                Mode::Owned if !(holds_references(&arg.ty) && ty.carries_floats()) => {
                    Binding::Var(var)
                }
                _ => Binding::Value(Value::PlaceRef(
                    Place::var(var, ty.clone()),
                    mode == Mode::Mut,
                )),
            };
            self.bind(&name, binding);
            match (pat.mutability.is_some(), mode) {
                (true, _) => copies.push((pat.ident.clone(), var, mode)),
                (false, Mode::Mut) => {}
                (false, _) => drop(self.immutable_vars.insert(var)),
            }
        }
        if let syn::ReturnType::Type(_, ty) = &sig.output {
            let (ty, _) = lower_type(ty, &self.env);
            if ty != Ty::Unit {
                self.draft.func.ret =
                    Some(self.draft.func.add_var("ret", ty, Mode::Owned, Origin::Ret));
            }
        }
        // A by-value parameter that is assigned to becomes a local: parameters keep their values.
        for (ident, var, mode) in copies {
            let (name, place) = (ident.to_string(), self.draft.func.place(var));
            let value = match mode {
                Mode::Owned => Value::Place(place),
                _ => Value::PlaceRef(place, mode == Mode::Mut),
            };
            let own = self.owned_binding(&name, value, true, ident.span());
            self.bind(&name, own);
        }
    }

    /// `self`, in a method of an annotated `impl`.
    fn declare_receiver(&mut self, r: &syn::Receiver) -> Option<VarId> {
        let ty = self.env.self_ty.clone()?;
        let mode = receiver_mode(r);
        let var = self
            .draft
            .func
            .add_var("self", Ty::Named(ty.clone()), mode, Origin::Param);
        self.draft.func.params.push(var);
        let binding = match mode {
            Mode::Owned => Binding::Var(var),
            _ => Binding::Value(Value::PlaceRef(
                Place::var(var, Ty::Named(ty)),
                mode == Mode::Mut,
            )),
        };
        self.bind("self", binding);
        if mode == Mode::Shared || (mode == Mode::Owned && r.mutability.is_none()) {
            self.immutable_vars.insert(var);
        }
        Some(var)
    }

    /// Assigns the value of the body to the return variable.
    pub fn finish_return(&mut self, value: Value, body: &syn::Block) {
        let span = match body.stmts.last() {
            Some(syn::Stmt::Expr(e, None)) => span::of_expr(e),
            Some(last) => last.span(),
            None => body.span(),
        };
        self.assign_return(value, span);
    }

    /// `ret = value`
    pub fn assign_return(&mut self, value: Value, span: proc_macro2::Span) {
        if matches!(value, Value::Diverges | Value::Unit) {
            return;
        }
        if let Some(ret) = self.return_var() {
            let place = self.draft.func.place(ret);
            self.assign_place(place, value, span);
        }
    }

    /// The variable that `return` assigns to.
    pub fn return_var(&self) -> Option<VarId> {
        match self.inline_returns.last() {
            Some((_, var)) => Some(*var),
            None => self.draft.func.ret,
        }
    }
}

/// The name of a parameter whose pattern is a plain identifier.
pub fn param_name(arg: &syn::PatType) -> Option<&syn::Ident> {
    match &*arg.pat {
        syn::Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => Some(&p.ident),
        _ => None,
    }
}
