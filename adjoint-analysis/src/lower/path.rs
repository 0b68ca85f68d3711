//! Paths and calls of paths.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::types::{lower_type, text};
use super::value::{Binding, Value};
use super::{Lower, StmtKind, Ty};
use crate::ir::{Arg, Call, Callee, Expr, FloatTy, IntTy, Intrinsic, Place};
use crate::refuse::Reason;

/// Associated functions of float types without operands: constants.
const CONSTANTS: &[&str] = &[
    "zero", "one", "epsilon", "infinity", "neg_infinity", "nan", "max_value", "min_value",
    "min_positive_value", "neg_zero",
];

impl Lower {
    /// A name or a path as a value.
    pub fn path(&mut self, p: &syn::ExprPath) -> Value {
        if let Some(ident) = p.path.get_ident().filter(|_| p.qself.is_none()) {
            let name = ident.to_string();
            match self.lookup(&name) {
                Some(Binding::Var(v)) => return Value::Place(self.func.place(*v)),
                Some(Binding::Value(value)) => return value.clone(),
                None => {}
            }
            if let Some((_, ty)) = self.env.const_params.iter().find(|(n, _)| *n == name) {
                let ty = ty.clone();
                return self.constant(p, ty);
            }
        }
        if let Some(value) = self.unit_variant(&p.path) {
            return value;
        }
        let ty = self.constant_type(p);
        self.constant(p, ty)
    }

    fn constant(&mut self, p: &syn::ExprPath, ty: Ty) -> Value {
        let (code, places) = self.capture(quote::quote!(#p));
        Value::Expr(Expr::Code(code, places, ty.clone()), ty)
    }

    /// The type of a constant, where its path tells it: `f64::EPSILON`, `std::f64::consts::PI`.
    fn constant_type(&mut self, p: &syn::ExprPath) -> Ty {
        let segments: Vec<String> = p.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let last = segments.last().map(String::as_str).unwrap_or_default();
        for segment in segments.iter().rev().skip(1) {
            if let Some(int) = IntTy::from_name(segment) {
                return Ty::Int(int);
            }
            match segment.as_str() {
                "f64" if !matches!(last, "RADIX" | "DIGITS" | "MANTISSA_DIGITS") => return Ty::F64,
                "f32" if !matches!(last, "RADIX" | "DIGITS" | "MANTISSA_DIGITS") => {
                    return Ty::Float(FloatTy::F32);
                }
                _ => {}
            }
        }
        self.fresh()
    }

    /// `f(a, b)`
    pub fn call(&mut self, c: &syn::ExprCall) -> Value {
        let span = c.func.span();
        let func = super::expr::strip_parens(&c.func);
        let syn::Expr::Path(p) = func else {
            let callee = self.expr(func);
            let args = self.operands(c.args.iter());
            return match callee {
                Value::Closure(closure) => self.inline(&closure, args, span),
                _ => self.refuse(span, Reason::Expression("a call of a computed function".into())),
            };
        };
        if let Some(ident) = p.path.get_ident() {
            if let Some(Binding::Value(Value::Closure(closure))) = self.lookup(&ident.to_string()) {
                let closure = closure.clone();
                let args = self.operands(c.args.iter());
                return self.inline(&closure, args, span);
            }
        }
        let args = self.operands(c.args.iter());
        if args.iter().any(|a| matches!(a, Value::Never)) {
            return Value::Never;
        }
        self.call_path(p, args, span)
    }

    /// A call of the function at a path.
    pub fn call_path(&mut self, p: &syn::ExprPath, args: Vec<Value>, span: Span) -> Value {
        let segments: Vec<String> = p.path.segments.iter().map(|s| s.ident.to_string()).collect();
        let last = segments.last().cloned().unwrap_or_default();
        let owner = segments.len().checked_sub(2).map(|i| segments[i].clone()).unwrap_or_default();
        let float_owner = self.float_type(&owner);
        if let Some(value) = self.std_function(&owner, &last, &args, span) {
            return value;
        }
        if let Some(float) = &float_owner {
            if let Some(value) = self.float_function(float.clone(), p, &last, &args, span) {
                return value;
            }
        }
        if (float_owner.is_some() || matches!(owner.as_str(), "Float" | "Real" | "FloatCore"))
            && Intrinsic::from_name(&last).is_some_and(|op| op.arity() == args.len())
        {
            let mut args = args.into_iter();
            let Some(receiver) = args.next() else { return Value::Never };
            if let Some(ty) = float_owner {
                let found = self.value_ty(&receiver);
                self.unify(&found, &ty);
            }
            return self.numeric_method(&last, receiver, args.collect(), span);
        }
        if let Some(value) = self.constructed(&p.path, &args, span) {
            return value;
        }
        if IntTy::from_name(&owner).is_some() {
            return self.int_function(&owner, &last, args, p, span);
        }
        self.user_call(p, args, span)
    }

    /// The float type that a path segment names: `f64`, `f32`, `T`, `Self`-free.
    fn float_type(&self, name: &str) -> Option<Ty> {
        match name {
            "f64" => Some(Ty::F64),
            "f32" => Some(Ty::Float(FloatTy::F32)),
            _ if self.env.float_params.iter().any(|p| p == name) => {
                Some(Ty::Float(FloatTy::Param(name.to_string())))
            }
            _ => None,
        }
    }

    /// Functions of the standard library that are control over memory, not numbers.
    fn std_function(&mut self, owner: &str, name: &str, args: &[Value], span: Span) -> Option<Value> {
        match (owner, name, args) {
            ("mem", "swap", [a, b]) => {
                let (a, b) = (self.place_of(a.clone(), span), self.place_of(b.clone(), span));
                self.unify(&a.ty, &b.ty);
                self.emit(span, StmtKind::Swap(a, b));
                Some(Value::Unit)
            }
            ("mem", "replace", [a, b]) => {
                let place = self.place_of(a.clone(), span);
                let ty = place.ty.clone();
                let old = self.temp(span, "old", Expr::Read(place.clone()), ty);
                self.assign_place(place, b.clone(), span);
                Some(Value::Place(old))
            }
            _ => None,
        }
    }

    /// Constants and conversions of a float type, in path form.
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
                let (e, _) = self.read(x.clone(), span);
                Some(Value::Expr(Expr::Cast(Box::new(e), float.clone()), float))
            }
            (name, []) if CONSTANTS.contains(&name) => {
                let (code, places) = self.capture(quote::quote!(#p()));
                Some(Value::Expr(Expr::Code(code, places, float.clone()), float))
            }
            _ => None,
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
                let (e, _) = self.read(x.clone(), span);
                Value::Expr(Expr::Cast(Box::new(e), ty.clone()), ty)
            }
            (_, [receiver, rest @ ..]) => {
                let found = self.value_ty(receiver);
                self.unify(&found, &ty);
                self.numeric_method(name, receiver.clone(), rest.to_vec(), span)
            }
            _ => self.constant(p, ty),
        }
    }

    /// A call of a function of the user's. Whether it carries a derivative is for the analysis.
    fn user_call(&mut self, p: &syn::ExprPath, args: Vec<Value>, span: Span) -> Value {
        let args = args.into_iter().map(|a| self.argument(a, span)).collect();
        let ty = self.fresh();
        let var = self.new_var("value", ty.clone(), super::Origin::Temp);
        let code = self.add_code(quote::quote!(#p), Vec::new());
        let callee = Callee { name: text(p), path: Some(code) };
        self.emit(span, StmtKind::Call(Call { result: Some(var), callee, args }));
        Value::Place(Place::var(var, ty))
    }

    fn argument(&mut self, value: Value, span: Span) -> Arg {
        match value {
            Value::Choice(c) => self.choice_argument(*c, span),
            Value::View(p, true) => Arg::Mut(p),
            Value::View(p, false) => Arg::Shared(p),
            value => Arg::Value(self.read(value, span).0),
        }
    }

    /// Types named by a turbofish or annotation.
    pub fn named_type(&self, ty: &syn::Type) -> Ty {
        lower_type(ty, &self.env).0
    }
}
