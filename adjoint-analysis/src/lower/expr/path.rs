//! Paths, and calls of paths.

mod arguments;
mod user_call;

use proc_macro2::Span;
use quote::quote;
use syn::spanned::Spanned;

use super::{is_from_fn, strip_parens};
use crate::ir::{Expr, FloatTy, IntTy, Intrinsic};
use crate::lower::infer::expectation::is_std_variant;
use crate::lower::infer::struct_usage::is_associated_item;
use crate::lower::items::generics::is_number_trait_path;
use crate::lower::opaque::code::is_assemblable;
use crate::lower::types::{lower_type, raw_pointer};
use crate::lower::value::{Binding, Scope, Value};
use crate::lower::{Lower, Mode, StmtKind, Ty};
use crate::refuse::Reason;

/// Constants of float types in the form of functions. The constants of `FloatConst` are functions with upper-case
/// names.
const CONSTANTS: &[&str] = &[
    "zero",
    "one",
    "epsilon",
    "infinity",
    "neg_infinity",
    "nan",
    "max_value",
    "min_value",
    "min_positive_value",
    "neg_zero",
];

impl Lower {
    /// A name or path as a value.
    pub fn path(&mut self, p: &syn::ExprPath) -> Value {
        let p = &*self.resolve_import(p);
        if let Some(ident) = p.path.get_ident().filter(|_| p.qself.is_none()) {
            let name = ident.to_string();
            match self.lookup(&name) {
                Some(Binding::Var(v)) => return Value::Place(self.draft.func.place(*v)),
                Some(Binding::Value(Value::Closure(closure))) => {
                    let closure = closure.clone();
                    return self.copied_closure(&closure);
                }
                Some(Binding::Value(value)) => return value.clone(),
                None => self.note_free_name(&name, ident.span()),
            }
            if let Some((_, ty)) = self.env.const_params.iter().find(|(n, _)| *n == name) {
                let ty = ty.clone();
                return self.constant(p, ty);
            }
        }
        let is_order = p
            .path
            .segments
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|s| s.ident == "Ordering");
        if !is_order && let Some(value) = self.unit_variant(&p.path) {
            return value;
        }
        let ty = self.constant_type(p);
        self.constant(p, ty)
    }

    fn constant(&mut self, p: &syn::ExprPath, ty: Ty) -> Value {
        let (code, places) = self.capture(self.constant_code(p));
        Value::Expr(Expr::Code(code, places, ty.clone()), ty)
    }

    /// The type of a constant, as far as its path determines it: `f64::EPSILON`, `std::f64::consts::PI`.
    fn constant_type(&mut self, p: &syn::ExprPath) -> Ty {
        let segments: Vec<String> = p
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let last = segments.last().map(String::as_str).unwrap_or_default();
        if let Some((ty, _)) = self.visible_constant(p) {
            return ty.clone();
        }
        if segments
            .iter()
            .rev()
            .nth(1)
            .is_some_and(|s| s == "Ordering")
        {
            return crate::lower::std_lib::ordering::ordering();
        }
        for segment in segments.iter().rev().skip(1) {
            if let Some(int) = IntTy::from_name(segment) {
                return Ty::Int(int);
            }
            let float = match segment.as_str() {
                "f64" => FloatTy::F64,
                "f32" => FloatTy::F32,
                _ => continue,
            };
            return match last {
                "RADIX" | "DIGITS" | "MANTISSA_DIGITS" => Ty::Int(IntTy::U32),
                "MIN_EXP" | "MAX_EXP" | "MIN_10_EXP" | "MAX_10_EXP" => Ty::Int(IntTy::I32),
                _ => Ty::Float(float),
            };
        }
        let ty = self.infer.fresh_external();
        if is_associated_item(&p.path) {
            self.user_types.associated_constants.push(ty.clone());
        }
        ty
    }

    /// `f(a, b)`
    pub fn call(&mut self, c: &syn::ExprCall, expected: Option<&Ty>) -> Value {
        let span = c.func.span();
        let func = strip_parens(&c.func);
        let syn::Expr::Path(p) = func else {
            let wanted = self.expected_ty.take();
            let callee = match func {
                syn::Expr::Field(f) => self.field(f),
                func => self.expr(func),
            };
            let args = self.operands(c.args.iter());
            return match callee {
                Value::Closure(closure) => {
                    self.closure_output = wanted;
                    self.inline_closure(&closure, args, span)
                }
                _ => self.refuse(
                    span,
                    Reason::Expression("a call of a computed function".into()),
                ),
            };
        };
        let p = &*self.resolve_import(p);
        let p = &*self.qualified_to_inherent(p);
        if let Some(m) = self.path_call_to_method(p, c) {
            return self.method_call(&m);
        }
        if let (true, [f]) = (is_from_fn(p), &*c.args.iter().collect::<Vec<_>>()) {
            return self.array_from_fn(p, f, span);
        }
        if let Some(ident) = p.path.get_ident()
            && let Some(Binding::Value(Value::Closure(closure))) = self.lookup(&ident.to_string())
        {
            let closure = closure.clone();
            let args = self.operands(c.args.iter());
            return self.inline_closure(&closure, args, span);
        }
        if let Some(template) = self.inline_fn_at(p) {
            return self.inline_path_call(&template, c);
        }
        if let Some(name) = mem_function(&p.path) {
            self.check_std_function(p, "mem", &name, span);
            let args: Vec<&syn::Expr> = c.args.iter().collect();
            if let Some(value) = self.lower_mem_on_refs(&name, &args, span) {
                return value;
            }
        }
        let mut takes = self.callee_param_types(p, c.args.len(), expected);
        if is_std_variant(&p.path) && c.args.iter().any(|e| self.may_be_mut_array(e)) {
            takes.clear();
        }
        let told: Vec<bool> = takes.iter().map(Option::is_some).collect();
        let args = match self.ref_struct_args(&p.path, &c.args) {
            Some(held) => held,
            None => self.arguments(c.args.iter(), takes),
        };
        if args.iter().any(|a| matches!(a, Value::Diverges)) {
            return Value::Diverges;
        }
        self.pending_bare_mut = self::user_call::bare_mut_positions(&c.args, &args, &told);
        let value = self.call_path(p, args, span);
        self.pending_bare_mut.clear();
        if let (Value::Place(p), true) = (&value, self.may_return_struct(c)) {
            self.user_types.struct_vars.insert(p.root);
        }
        value
    }

    /// A call of the function at a path, with lowered arguments.
    pub fn call_path(&mut self, p: &syn::ExprPath, args: Vec<Value>, span: Span) -> Value {
        let p = &*self.resolve_import(p);
        let segments: Vec<String> = p
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let last = segments.last().cloned().unwrap_or_default();
        let owner = segments
            .len()
            .checked_sub(2)
            .map(|i| segments[i].clone())
            .unwrap_or_default();
        let float_owner = match &p.qself {
            Some(_) if !is_number_trait_path(p) => None,
            Some(q) => Some(self.named_type(&q.ty)).filter(Ty::is_float),
            None => self.float_type(&owner),
        };
        let identity = matches!(owner.as_str(), "Zero" | "One" | "num_traits" | "num");
        if let (true, "zero" | "one", []) = (
            identity && p.qself.is_none(),
            last.as_str(),
            args.as_slice(),
        ) {
            let ty = self.fresh_ty();
            let text = if last == "zero" { "0.0" } else { "1.0" };
            return Value::Expr(Expr::Lit(text.into(), ty.clone()), ty);
        }
        if let Some(value) = self.operator_function(&owner, &last, &args, span) {
            return value;
        }
        if let Some(value) = self.trait_function(p, &owner, &last, &args, span) {
            return value;
        }
        if owner == "VecDeque" {
            self.has_deques = true;
            let mut deque = p.path.clone();
            deque.segments.pop();
            deque.segments.pop_punct();
            self.confirm_deque(&deque);
        }
        if matches!(owner.as_str(), "Vec" | "VecDeque")
            && let Some(value) = self.vec_function(&p.path, &args, span)
        {
            return value;
        }
        let handing_on = match (owner.as_str(), last.as_str()) {
            ("hint", "black_box") => Some("hint"),
            ("", "black_box") if self.env.signatures.function(&last).is_none() => Some("hint"),
            ("convert", "identity") => Some("convert"),
            _ => None,
        };
        if let (Some(module), [value]) = (handing_on, &args[..]) {
            self.check_std_function(p, module, &last, span);
            return value.clone();
        }
        if let ("slice" | "array", "from_ref" | "from_mut", [value]) = (&*owner, &*last, &args[..])
        {
            self.check_std_function(p, &owner, &last, span);
            return self.single_element_array(&last, value.clone(), span);
        }
        if let Some(value) = self.memory_function(&owner, &last, &args, span) {
            return value;
        }
        if owner == "iter"
            && let Some(value) = self.iterator_function(&last, &args, span)
        {
            return value;
        }
        if let ("total_cmp" | "partial_cmp" | "cmp", [a, b], false) =
            (last.as_str(), args.as_slice(), owner.is_empty())
        {
            return self.lower_ordering(&last, a.clone(), b.clone(), span);
        }
        if let Some(float) = &float_owner
            && let Some(value) = self.float_function(float.clone(), p, &last, &args, span)
        {
            return value;
        }
        if (float_owner.is_some() || matches!(owner.as_str(), "Float" | "Real" | "FloatCore"))
            && (last == "sin_cos"
                || Intrinsic::from_name(&last).is_some_and(|op| op.arity() == args.len()))
        {
            let mut args = args.into_iter();
            let Some(receiver) = args.next() else {
                return Value::Diverges;
            };
            if let Some(ty) = float_owner {
                let found = self.value_ty(&receiver);
                self.unify(&found, &ty);
                if p.qself.is_none() {
                    self.record_float_method(&last, &receiver, args.as_slice());
                }
            }
            return self.numeric_method(&last, receiver, args.collect(), span);
        }
        if let Some(value) = self.lower_constructor(&p.path, &args, span) {
            return value;
        }
        if IntTy::from_name(&owner).is_some() {
            return self.int_function(&owner, &last, args, p, span);
        }
        let of_type = owner.starts_with(char::is_uppercase) && owner != "Default";
        if let ("default", [], true, None) = (last.as_str(), &args[..], of_type, &p.qself) {
            return self.default_of(p);
        }
        let real = |ty: Ty| ty == Ty::Unknown || ty.carries_floats();
        // The constructors of std's wrappers take one argument and have type parameters.
        let users = args.len() > 1
            || args
                .iter()
                .any(|a| self.value_ty(a) == Ty::Named(owner.clone()));
        let hides = !users && crate::lower::items::environment::is_untracked(&owner, &self.env);
        if hides && args.iter().any(|a| real(self.value_ty(a))) {
            return self.refuse(p.span(), Reason::Type(owner));
        }
        self.user_call(p, args, span)
    }

    /// Calls a method in path form as a method: std trait methods, `f64::add(a, b)`, `Vec::as_slice(v)`.
    fn trait_function(
        &mut self,
        p: &syn::ExprPath,
        owner: &str,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        let of_trait =
            PATH_METHODS.contains(&(owner, name)) && !(name == "from" && p.qself.is_some());
        let of_float = matches!(owner, "f64" | "f32") || self.float_type(owner).is_some();
        let of_type = (of_float || owner == "Vec")
            && name != "from"
            && PATH_METHODS.iter().any(|(_, method)| *method == name);
        let of_list = (owner, name) == ("Vec", "as_slice");
        let (receiver, others) = args.split_first()?;
        if !(of_trait || of_type || of_list || owner == "Iterator") {
            return None;
        }
        let turbofish = &p.path.segments.last()?.arguments;
        let name = match name {
            "from" => "into",
            name => name,
        };
        let method = proc_macro2::Ident::new(name, span);
        let names: Vec<_> = (0..others.len())
            .map(|k| quote::format_ident!("__argument_{k}"))
            .collect();
        let call = syn::parse_quote!(receiver.#method #turbofish (#(#names),*));
        self.scopes.push(Scope::new());
        for (name, value) in names.iter().zip(others) {
            self.bind(&name.to_string(), Binding::Value(value.clone()));
        }
        if name == "into" {
            self.expected_ty = type_argument(p).map(|ty| self.named_type(ty));
        }
        let converted = match name {
            "into" => self.lower_into(name, receiver, span),
            _ => None,
        };
        let value = converted.unwrap_or_else(|| self.method_on(receiver.clone(), &call));
        self.scopes.pop();
        Some(value)
    }

    /// `Type::default()`
    fn default_of(&mut self, p: &syn::ExprPath) -> Value {
        let mut path = p.path.clone();
        path.segments.pop();
        path.segments.pop_punct();
        let ty = self.named_type(&syn::parse_quote!(#path));
        let ty = match ty {
            Ty::Named(name) if self.env.self_ty.as_ref() != Some(&name) => {
                match self.with_inferred_args(&name) {
                    Some(open) => self.type_of_literal(open, &[]),
                    None => Ty::Named(name),
                }
            }
            Ty::Named(_) => ty,
            ty => return self.default_value_of(&ty),
        };
        let code = self.add_code(quote!(#p()), Vec::new());
        Value::Expr(Expr::Code(code, Vec::new(), ty.clone()), ty)
    }

    /// The float type that a path segment names: `f64`, `f32`, a float parameter or an alias of one of these.
    pub fn float_type(&self, name: &str) -> Option<Ty> {
        match name {
            "f64" => Some(Ty::F64),
            "f32" => Some(Ty::Float(FloatTy::F32)),
            _ if self.env.float_params.iter().any(|p| p == name) => {
                Some(Ty::Float(FloatTy::Param(name.to_string())))
            }
            _ => {
                let alias = self.env.aliases.get(name)?;
                let stands_for = lower_type(&alias.ty, &self.env).0;
                (alias.generics.params.is_empty() && stands_for.is_float()).then_some(stands_for)
            }
        }
    }

    /// Std functions that move memory: `mem::swap`, `mem::take`, `mem::replace`, `Box::new`.
    fn memory_function(
        &mut self,
        owner: &str,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        match (owner, name, args) {
            ("mem", "swap", [a, b]) => {
                let (a, b) = (
                    self.place_of(a.clone(), span),
                    self.place_of(b.clone(), span),
                );
                self.unify(&a.ty, &b.ty);
                self.emit(span, StmtKind::Swap(a, b));
                Some(Value::Unit)
            }
            ("Box", "new", [value]) => Some(self.box_value(value, span)),
            ("Box", "from", [list]) if self.value_ty(list).element().is_some() => {
                Some(self.boxed_slice(list.clone(), span))
            }
            ("mem", "take", [a]) => {
                let place = self.place_of(a.clone(), span);
                let nothing = self.default_value_of(&place.ty);
                Some(self.exchange(place, nothing, span))
            }
            ("mem", "replace", [a, b]) => {
                let place = self.place_of(a.clone(), span);
                let b = self.coerce_to_object(b.clone(), &place.ty, span);
                Some(self.exchange(place, b, span))
            }
            _ => None,
        }
    }

    /// Constants and conversions of a float type in path form.
    fn float_function(
        &mut self,
        float: Ty,
        p: &syn::ExprPath,
        name: &str,
        args: &[Value],
        span: Span,
    ) -> Option<Value> {
        match (name, args) {
            ("from", [x]) if !matches!(float, Ty::Float(FloatTy::Param(_))) => {
                let (e, from) = match self.read(x.clone(), span) {
                    (e, Ty::Bool) => (
                        Expr::Cast(Box::new(e), Ty::Int(IntTy::U8)),
                        Ty::Int(IntTy::U8),
                    ),
                    read => read,
                };
                Some(Value::Expr(self.cast_to(e, &from, float.clone()), float))
            }
            ("from", [x]) if self.is_from_trait(p) => {
                let (e, from) = self.read(x.clone(), span);
                Some(Value::Expr(self.cast_to(e, &from, float.clone()), float))
            }
            ("zero", []) => Some(Value::Expr(Expr::Lit("0.0".into(), float.clone()), float)),
            ("one", []) => Some(Value::Expr(Expr::Lit("1.0".into(), float.clone()), float)),
            (name, []) if CONSTANTS.contains(&name) || !name.chars().any(char::is_lowercase) => {
                let (code, places) = self.capture(quote::quote!(#p()));
                Some(Value::Expr(Expr::Code(code, places, float.clone()), float))
            }
            _ => None,
        }
    }

    /// Whether `T::from` is `From::from`, which returns no `Option`: `T` has the bound `From`, or one by a user trait
    /// that may imply it, and the result is not unwrapped at once.
    fn is_from_trait(&self, p: &syn::ExprPath) -> bool {
        let segments: Vec<String> = p
            .path
            .segments
            .iter()
            .map(|s| s.ident.to_string())
            .collect();
        let owner = segments
            .len()
            .checked_sub(2)
            .map_or("", |i| segments[i].as_str());
        match p.qself {
            Some(_) => owner == "From",
            None => {
                let is_among = |names: &[String]| names.iter().any(|name| name == owner);
                is_among(&self.env.from_params) || !is_among(&self.env.certain_floats)
            }
        }
    }

    fn int_function(
        &mut self,
        owner: &str,
        name: &str,
        args: Vec<Value>,
        p: &syn::ExprPath,
        span: Span,
    ) -> Value {
        let ty = IntTy::from_name(owner).map_or(Ty::Unknown, Ty::Int);
        match (name, args.as_slice()) {
            ("from", [x]) => {
                let value = self.integer_from(x.clone(), &ty, span);
                Value::Expr(value, ty)
            }
            ("try_from", [x]) => self.integer_try_from(x.clone(), ty, span),
            (_, [receiver, rest @ ..]) => {
                let found = self.value_ty(receiver);
                self.unify(&found, &ty);
                self.numeric_method(name, receiver.clone(), rest.to_vec(), span)
            }
            (_, []) => {
                let code = self.add_code(quote!(#p()), Vec::new());
                Value::Expr(Expr::Code(code, Vec::new(), ty.clone()), ty)
            }
        }
    }

    /// The declared type of a variable. Its generic arguments are complete.
    pub fn declared_type(&mut self, ty: &syn::Type) -> Ty {
        if let Some(pointer) = raw_pointer(ty) {
            self.refuse(pointer.span(), Reason::Expression("a raw pointer".into()));
        }
        let ty = self.named_type(ty);
        let names = ty.user_types().into_iter().map(str::to_string);
        self.draft.func.complete_structs.extend(names);
        ty
    }

    /// The type of a turbofish or annotation.
    pub fn named_type(&self, ty: &syn::Type) -> Ty {
        lower_type(ty, &self.env).0
    }
}

/// Whether the value is a split tuple that can be assembled.
pub fn is_assemblable_tuple(value: &Value) -> bool {
    matches!(value, Value::Tuple(_)) && is_assemblable(value)
}

/// Std trait methods that may be called in path form.
const PATH_METHODS: &[(&str, &str)] = &[
    ("Add", "add"),
    ("Clone", "clone"),
    ("Div", "div"),
    ("From", "from"),
    ("Into", "into"),
    ("Mul", "mul"),
    ("Neg", "neg"),
    ("Rem", "rem"),
    ("Sub", "sub"),
    ("ToOwned", "to_owned"),
];

/// The first type argument of the path's trait: `f64` in `Into::<f64>::into`.
fn type_argument(p: &syn::ExprPath) -> Option<&syn::Type> {
    let owner = p.path.segments.iter().rev().nth(1)?;
    let syn::PathArguments::AngleBracketed(arguments) = &owner.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|arg| match arg {
        syn::GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// The function's name, if the path is `mem::swap`, `mem::replace` or `mem::take`.
fn mem_function(path: &syn::Path) -> Option<String> {
    let mut segments = path.segments.iter().rev();
    let name = segments.next()?;
    let name = name.ident.to_string();
    (segments.next()?.ident == "mem" && matches!(name.as_str(), "swap" | "replace" | "take"))
        .then_some(name)
}
