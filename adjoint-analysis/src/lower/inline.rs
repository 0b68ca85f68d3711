//! Inlining of functions without adjoints of their own: functions that take or return iterators, or return references
//! or closures; functions that call their parameters; and functions that call trait methods on type parameters. Their
//! bodies have to be visible.
//!
//! A call binds the parameters to the arguments, as a closure call does, and lowers the body in place. The body sees
//! none of the caller's names.

mod access_methods;
pub(super) mod closure;
pub(super) mod closure_arguments;
mod converted_parameters;
mod eligibility;
mod extension_traits;
mod forwarding_impls;
pub(super) mod function_pointers;
mod monomorphise;
mod return_elimination;
mod trait_dispatch;

use self::converted_parameters::Conversion;
pub use self::eligibility::fn_arity;
pub use self::eligibility::{
    declare_inline_fns, is_inline_fn, item_names, must_inline, provided_methods,
    returns_reference_like, unoverridden_methods,
};
use self::eligibility::{fn_inputs, is_iterator, is_trait_type};
pub use self::forwarding_impls::{is_non_forwarding_method, non_forwarding_traits};
pub use self::monomorphise::{substitute_self, substitute_type};
use self::return_elimination::eliminate_returns;
pub use self::trait_dispatch::param_methods;

use std::collections::HashSet;
use std::rc::Rc;

use proc_macro2::Span;
use quote::ToTokens;
use syn::spanned::Spanned;

use self::closure::has_return;
use self::function_pointers::boxed_type;
use super::expr::operator::UserTypes;
use super::expr::strip_parens;
use super::infer::boxed_options;
use super::items::attributes;
use super::iter::collect_reassigned_names;
use super::signature;
use super::tokens::identifiers;
use super::types::{lower_type, text, ungrouped};
use super::value::{Binding, Scope, Value};
use super::{Lower, Mode, Origin, StmtKind, Ty};
use crate::ir::{Place, base_name};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

/// Depth limit of inlining: a polymorphic recursion could instantiate ever larger types.
const MAX_INLINE_DEPTH: usize = 32;

/// A function that is inlined at its calls.
#[derive(Debug)]
pub struct InlineFn {
    /// The signature.
    pub sig: syn::Signature,
    /// The body.
    pub body: syn::Block,
    /// The type of the `impl` that contains it.
    pub owner: Option<Owner>,
    /// Whether it is declared in the body of the calling function.
    pub is_nested: bool,
    /// Whether it is inlined only into functions that are generic over floats.
    pub only_in_generic: bool,
}

/// The path by which a call names an inline function.
#[derive(Clone, Copy)]
struct CallPath<'a> {
    /// The generic arguments of the last segment.
    generic_args: Option<&'a syn::AngleBracketedGenericArguments>,
    /// The segment before the last one.
    owner: Option<&'a syn::PathSegment>,
}

impl<'a> CallPath<'a> {
    const EMPTY: CallPath<'static> = CallPath {
        generic_args: None,
        owner: None,
    };

    fn of_path(p: &'a syn::ExprPath) -> CallPath<'a> {
        let mut segments = p.path.segments.iter().rev();
        let given = match segments.next().map(|s| &s.arguments) {
            Some(syn::PathArguments::AngleBracketed(given)) => Some(given),
            _ => None,
        };
        let owner = segments.next();
        CallPath {
            generic_args: given,
            owner,
        }
    }
}

/// The self type of an `impl`.
#[derive(Clone, Debug)]
pub struct Owner {
    /// The type.
    pub ty: syn::Type,
    /// The generic parameters of the `impl`.
    pub generics: syn::Generics,
}

impl Owner {
    /// The type with `_` for its arguments, for use outside of the `impl`: `Matrix<_>`.
    fn with_placeholder_args(&self) -> syn::Type {
        let mut ty = self.ty.clone();
        if let syn::Type::Path(p) = &mut ty
            && let Some(last) = p.path.segments.last_mut()
            && let syn::PathArguments::AngleBracketed(arguments) = &mut last.arguments
        {
            for argument in &mut arguments.args {
                *argument = match argument {
                    syn::GenericArgument::Lifetime(_) => syn::parse_quote!('_),
                    _ => syn::parse_quote!(_),
                };
            }
        }
        ty
    }
}

impl Lower {
    /// The inline function at a path.
    pub fn inline_fn_at(&self, p: &syn::ExprPath) -> Option<Rc<InlineFn>> {
        if p.qself.is_some() {
            return None;
        }
        let mut names = p.path.segments.iter().rev().map(|s| s.ident.to_string());
        let (name, owner) = (names.next()?, names.next());
        match &owner {
            None if self.lookup(&name).is_some() => return None,
            Some(_) if p.path.segments.len() > 2 => return None,
            _ => {}
        }
        let owner = match owner.as_deref() {
            Some("Self") => Some(base_name(self.env.self_ty.as_deref()?).to_string()),
            Some("self") => None,
            Some(name) => Some(name.to_string()),
            None => None,
        };
        let is_hidden = |ty: &str| {
            let number = Ty::Float(crate::ir::FloatTy::F64);
            matches!(ty, "f64" | "f32")
                && self::extension_traits::has_inherent_method(&number, &name, &self.env)
        };
        if owner.as_deref().is_some_and(is_hidden) {
            return None;
        }
        let fits = |t: &&Rc<InlineFn>| {
            let of = t.owner.as_ref().map(|o| text(&o.ty));
            (!t.only_in_generic || !self.env.float_params.is_empty())
                && t.sig.ident == name
                && of.as_deref().map(base_name) == owner.as_deref()
        };
        self.unique_inline_fn(fits)
    }

    /// The inline function for a method of a value; with `known`, only for a receiver of known type.
    fn inline_method_of(
        &mut self,
        name: &str,
        receiver: &Value,
        known: bool,
    ) -> Option<Rc<InlineFn>> {
        let mut ty = self.value_ty(receiver);
        while let Ty::Boxed(inner) = ty {
            ty = self.shallow(&inner);
        }
        if known && let Some(of_std) = self.extension_method(name, &ty) {
            return Some(of_std);
        }
        let base = match ty {
            Ty::Named(ty) => Some(base_name(&ty).to_string()),
            ty @ (Ty::Infer(_) | Ty::Unknown) if !known && !self.infer.is_number(&ty) => None,
            _ => return None,
        };
        let fits = |t: &&Rc<InlineFn>| {
            let of = t
                .owner
                .as_ref()
                .map(|o| base_name(&text(&o.ty)).to_string());
            // A receiver of unknown type is not a reference struct.
            let is_record = |of: &String| self.env.reference_structs.contains_key(of);
            t.sig.ident == name
                && t.sig.receiver().is_some()
                && of.is_some()
                && (of == base || base.is_none() && !of.as_ref().is_some_and(is_record))
        };
        self.unique_inline_fn(fits)
    }

    fn unique_inline_fn(&self, fits: impl Fn(&&Rc<InlineFn>) -> bool) -> Option<Rc<InlineFn>> {
        let mut found = self.env.templates.iter().filter(fits);
        let first = found.next()?;
        found.next().is_none().then(|| Rc::clone(first))
    }

    /// Inlines `receiver.method(args)`; with `known`, only for a receiver of known type.
    pub fn inline_method_call(
        &mut self,
        receiver: &Value,
        m: &syn::ExprMethodCall,
        known: bool,
    ) -> Option<Value> {
        let (name, span) = (m.method.to_string(), m.method.span());
        if self.is_ambiguous_extension(&name, receiver) {
            return Some(self.refuse(span, Reason::Double("a sequence".into(), name)));
        }
        let template = self.inline_method_of(&name, receiver, known)?;
        let by_value = template.sig.receiver().map(signature::receiver_mode) == Some(Mode::Owned);
        let receiver = &self.unboxed_receiver(&template, receiver, span);
        let outer = std::mem::take(&mut self.out);
        let args = self.inline_arguments(&template, 1, m.args.iter());
        let raws = std::mem::replace(&mut self.out, outer);
        let receiver = match Self::is_pure(&raws) {
            true => receiver.clone(),
            false if by_value => self.copy_to_temp(receiver.clone(), span),
            false => self.freeze_receiver(receiver.clone(), span),
        };
        self.out.extend(raws);
        let all = std::iter::once(receiver).chain(args).collect();
        let named = CallPath {
            generic_args: m.turbofish.as_ref(),
            owner: None,
        };
        Some(self.inline_call(&template, all, named, span))
    }

    /// The receiver, unboxed unless the method takes `self: Box<Self>`.
    fn unboxed_receiver(&mut self, template: &InlineFn, receiver: &Value, span: Span) -> Value {
        let by_box = |r: &syn::Receiver| matches!(r.kind, syn::ReceiverKind::Typed(..));
        match (self.value_ty(receiver), receiver) {
            (Ty::Boxed(_), _) if template.sig.receiver().is_some_and(by_box) => receiver.clone(),
            (Ty::Boxed(_), Value::PlaceRef(..)) => self.deref_boxed_value(receiver.clone()),
            (Ty::Boxed(_), _) => {
                let boxed = self.place_of(receiver.clone(), span);
                Value::Place(self.deref_boxes(&boxed))
            }
            _ => receiver.clone(),
        }
    }

    /// Emits a check that the receiver is of the inline function's `impl` type, if only the method's name or the type's
    /// suggested it.
    fn check_receiver_type(&mut self, value: &Value, owner: &Owner, span: Span) {
        let (found, own) = (self.value_ty(value), text(&owner.ty));
        let is_told = self::extension_traits::is_std_or_blanket(&owner.ty, &owner.generics)
            || matches!(owner.ty, syn::Type::Reference(_));
        if is_told
            || matches!(value, Value::RefStruct(..) | Value::RefToAggregate(..))
            || found == Ty::Named(own.clone())
        {
            return;
        }
        let place = self.place_of(value.clone(), span);
        // A receiver of unknown type is assumed to be of type `Self`.
        let unseen = matches!(found, Ty::Infer(_) | Ty::Unknown);
        let ty = match unseen && self.env.self_ty.as_ref() == Some(&own) {
            true => owner.ty.clone(),
            false => owner.with_placeholder_args(),
        };
        let code = self.add_code(
            quote::quote!(let _: &#ty = __place_0),
            vec![CaptureMode::Borrow],
        );
        self.emit(span, StmtKind::Passive(code, vec![place]));
    }

    /// The inline function at a path that was passed as a function value, for these arguments.
    pub fn resolve_inline_fn(&mut self, p: &syn::ExprPath, args: &[Value]) -> Option<Rc<InlineFn>> {
        let p = self.qualified_to_inherent(p).into_owned();
        if let Some(template) = self.inline_fn_at(&p) {
            return Some(template);
        }
        let mut names = p.path.segments.iter().map(|s| s.ident.to_string());
        match (names.next(), names.next(), names.next()) {
            (Some(of), Some(name), None) if self.env.traits.contains_key(&of) => {
                self.inline_method_of(&name, args.first()?, true)
            }
            _ => None,
        }
    }

    /// Inlines an inline function that was passed as a function value.
    pub fn call_inline_fn(
        &mut self,
        template: &InlineFn,
        p: &syn::ExprPath,
        args: Vec<Value>,
        span: Span,
    ) -> Value {
        self.inline_call(template, args, CallPath::of_path(p), span)
    }

    /// Inlines a call of an inline function by its path.
    pub fn inline_path_call(&mut self, template: &InlineFn, c: &syn::ExprCall) -> Value {
        let args = self.inline_arguments(template, 0, c.args.iter());
        match strip_parens(&c.func) {
            syn::Expr::Path(p) => {
                self.inline_call(template, args, CallPath::of_path(p), c.func.span())
            }
            _ => Value::Diverges,
        }
    }

    /// Lowers the arguments; functions become closures.
    fn inline_arguments<'a>(
        &mut self,
        template: &InlineFn,
        skipped: usize,
        args: impl Iterator<Item = &'a syn::Expr>,
    ) -> Vec<Value> {
        let sig = &template.sig;
        let mut called = sig.inputs.iter().skip(skipped).map(|arg| match arg {
            syn::FnArg::Typed(t) => fn_arity(boxed_type(&t.ty), &sig.generics),
            syn::FnArg::Receiver(_) => None,
        });
        self.operands_with(args, &mut |l, e| match called.next().flatten() {
            Some(arity) => l.passed_function(e, arity),
            None => l.expr(e),
        })
    }

    /// Turns a function into a closure: `f` into `|a| f(a)`.
    pub fn function_as_closure(&mut self, e: &syn::Expr, arity: usize) -> Value {
        match strip_parens(e) {
            syn::Expr::Reference(r) => match self.named_closure(&r.expr) {
                Some(closure) => Value::Closure(closure),
                None => self.function_as_closure(&r.expr, arity),
            },
            e @ syn::Expr::Path(p) => match self.named_closure(e) {
                Some(closure) => self.copied_closure(&closure),
                None => {
                    let names = (0..arity).map(|k| quote::format_ident!("argument_{k}"));
                    let names: Vec<syn::Ident> = names.collect();
                    self.closure(&syn::parse_quote!(|#(#names),*| #p(#(#names),*)))
                }
            },
            e => match self.expr(e) {
                value @ Value::Closure(_) => value,
                other => {
                    self.refuse_as_callable(&other, e);
                    Value::Diverges
                }
            },
        }
    }

    /// Lowers the inline function's body in place, with its parameters bound to the arguments.
    fn inline_call(
        &mut self,
        template: &InlineFn,
        args: Vec<Value>,
        named: CallPath<'_>,
        span: Span,
    ) -> Value {
        if args.iter().any(|a| matches!(a, Value::Diverges)) {
            return Value::Diverges;
        }
        if let (Some(owner), Some(_), Some(receiver)) =
            (&template.owner, template.sig.receiver(), args.first())
        {
            self.check_receiver_type(receiver, owner, span);
        }
        let Some(of) = self.monomorphised(template, &args, named, span) else {
            return Value::Diverges;
        };
        let (sig, body) = (&of.sig, &of.body);
        // For another type, it is another function, so that this is no recursion.
        let name = match &of.owner {
            Some(owner) => format!("{} :: {}", text(&owner.ty), sig.ident),
            None => sig.ident.to_string(),
        };
        if self.inline_stack.contains(&name) || self.inline_stack.len() > MAX_INLINE_DEPTH {
            return self.refuse(span, Reason::Recursion(sig.ident.to_string()));
        }
        self.refuse_shadowed_names(template, span);
        attributes::refuse_attributes(sig, body, &mut self.draft.refusals);
        boxed_options::collect_boxed_names(body, &mut self.unsplit_names);
        collect_reassigned_names(body, &mut self.reassigned_names);
        let users = self.user_types.enter_body(UserTypes::in_body(body));
        let self_ty = self.env.self_ty.clone();
        if let Some(owner) = &of.owner {
            self.env.self_ty = Some(text(&owner.ty));
        }
        self.inline_stack.push(name);
        let value = self.inline_body(sig, body, args, span);
        self.inline_stack.pop();
        self.env.self_ty = self_ty;
        self.user_types.restore(users);
        value
    }

    /// Refuses an inlined body that uses a name which the caller's inner items redefine.
    fn refuse_shadowed_names(&mut self, template: &InlineFn, span: Span) {
        if template.is_nested || self.nested_item_names.is_empty() {
            return;
        }
        let mut names = Vec::new();
        identifiers(&template.body.to_token_stream(), &mut names);
        if let Some(name) = names
            .into_iter()
            .find(|name| self.nested_item_names.contains(name))
        {
            self.refuse(span, shadowed_name(&name));
        }
    }

    fn inline_body(
        &mut self,
        sig: &syn::Signature,
        body: &syn::Block,
        args: Vec<Value>,
        span: Span,
    ) -> Value {
        let output = match &sig.output {
            syn::ReturnType::Type(_, ty) => Some(&**ty),
            syn::ReturnType::Default => None,
        };
        let view = returns_reference_like(sig) || self.env.mentions_ref_struct(&sig.output);
        let ty = output.filter(|_| !view).map(|ty| self.declared_type(ty));
        let leaves = has_return(&syn::Expr::Block(syn::parse_quote!(#body)));
        if let (true, true, Some(output)) = (leaves, view, output) {
            let Some(body) = eliminate_returns(sig, body) else {
                let what = "a reference that is returned early";
                return self.refuse(output.span(), Reason::Reference(what.into()));
            };
            return self.inline_body(sig, &body, args, span);
        }
        let inputs: Vec<syn::FnArg> = sig.inputs.iter().cloned().collect();
        let outer = self.expected_ty.take();
        let returned = leaves.then(|| ty.clone().unwrap_or(Ty::Unit));
        let value = self.lower_in_scopes(vec![Scope::new()], returned, span, |l| {
            for (input, arg) in inputs.iter().zip(args) {
                l.bind_argument(input, &sig.generics, arg);
            }
            l.block_value_as(body, ty.as_ref())
        });
        self.expected_ty = outer;
        if let Some(ty) = &ty {
            let found = self.value_ty(&value);
            self.unify(ty, &found);
        }
        match value {
            // A by-value result does not alias an argument.
            Value::Place(p) if !view && !leaves && ty.is_some() => self.unaliased_result(p, span),
            Value::Place(_) => value,
            value if view => self.copy_to_temp(value, span),
            value => value,
        }
    }

    /// The place of a returned value, copied unless it is a temporary, so that it aliases nothing.
    pub fn unaliased_result(&mut self, place: Place, span: Span) -> Value {
        let own = self.draft.func.var(place.root).origin == Origin::Temp && place.is_whole();
        match own {
            true => Value::Place(place),
            false => self.copy_to_temp(Value::Place(place), span),
        }
    }

    fn bind_argument(&mut self, input: &syn::FnArg, generics: &syn::Generics, arg: Value) {
        let span = input.span();
        match input {
            syn::FnArg::Receiver(r) => {
                let binding = match signature::receiver_mode(r) {
                    Mode::Owned => {
                        let arg = arg.strip_ref();
                        self.owned_binding("this", arg, r.mutability.is_some(), span)
                    }
                    _ if matches!(arg, Value::RefToAggregate(..)) => Binding::Value(arg),
                    mode if matches!(arg, Value::RefStruct(..)) => {
                        Binding::Value(Value::RefToAggregate(Box::new(arg), mode == Mode::Mut))
                    }
                    mode => {
                        let place = self.place_of(arg, span);
                        let place = self.deref_boxes(&place);
                        let place = self.freeze_place(place, span);
                        Binding::Value(Value::PlaceRef(place, mode == Mode::Mut))
                    }
                };
                self.bind("self", binding);
            }
            syn::FnArg::Typed(t) => {
                if let Some(to) = Conversion::of_type(&t.ty, generics) {
                    let converted = self.convert_argument(arg, &to, span);
                    return self.bind_pattern(&t.pat, converted);
                }
                let (ty, mode) = lower_type(&t.ty, &self.env);
                let lent = mode != Mode::Owned;
                let arg = match is_reference_to_reference(&t.ty) {
                    true => arg,
                    false => arg.auto_deref(),
                };
                let arg = match arg {
                    Value::Closure(closure) => Value::Closure(
                        closure.with_param_types(fn_inputs(&t.ty, generics), generics),
                    ),
                    arg @ (Value::Iter(_) | Value::RefStruct(..) | Value::RefToAggregate(..)) => {
                        arg
                    }
                    arg if is_trait_type(&t.ty) => arg,
                    arg if is_iterator(&t.ty, generics) => match self.producer(arg, span) {
                        Some(items) => Value::Iter(items),
                        None => Value::Diverges,
                    },
                    arg => {
                        let found = self.value_ty(&arg);
                        self.unify(&ty, &found);
                        match arg {
                            Value::Expr(..) | Value::Place(_) if lent => {
                                Value::PlaceRef(self.place_of(arg, span), mode == Mode::Mut)
                            }
                            arg => arg,
                        }
                    }
                };
                let is_apart = matches!(arg, Value::RefStruct(..) | Value::RefToAggregate(..));
                let arg = match is_apart || is_trait_type(&t.ty) {
                    true => arg,
                    false => self.coerce_to_declared(arg, &ty),
                };
                self.bind_pattern(&t.pat, arg);
            }
        }
    }

    /// Notes a free name of an inlined body: the caller must have no variable of this name.
    pub fn note_free_name(&mut self, name: &str, span: Span) {
        if !self.inline_stack.is_empty() {
            self.free_names.entry(name.to_string()).or_insert(span);
        }
    }

    /// Refuses free names of inlined bodies that would be captured by the caller's variables.
    pub fn check_free_names(&mut self) {
        let names: HashSet<&str> = self
            .draft
            .func
            .vars
            .iter()
            .map(|v| v.name.as_str())
            .collect();
        let taken: Vec<(String, Span)> = self
            .free_names
            .iter()
            .filter(|(name, _)| names.contains(name.as_str()))
            .map(|(name, span)| (name.clone(), *span))
            .collect();
        for (name, span) in taken {
            self.refuse(span, shadowed_name(&name));
        }
    }
}

/// Whether the type is a reference to a reference: `&mut &[f64]`.
fn is_reference_to_reference(ty: &syn::Type) -> bool {
    let is_reference = |ty: &syn::Type| matches!(ungrouped(ty), syn::Type::Reference(_));
    matches!(ungrouped(ty), syn::Type::Reference(r) if is_reference(&r.elem))
}

fn shadowed_name(name: &str) -> Reason {
    let what = format!("`{name}`, which means something else where this is written out,");
    Reason::Expression(what)
}
