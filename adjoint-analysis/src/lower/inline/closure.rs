//! Closures: bound to names, and inlined at their calls.

use std::rc::Rc;

use quote::ToTokens;
use syn::spanned::Spanned;

use crate::lower::expr::strip_parens;
use crate::lower::infer::closure_effects::{ClosureEffects, may_have_hidden_state};
use crate::lower::infer::enum_kind::kind_of_body;
use crate::lower::infer::expectation::strip_reference;
use crate::lower::pattern::scrutinee::binds_mut;
use crate::lower::types::{is_lowered_fn_type, text};
use crate::lower::value::{Binding, Scope, Value};
use crate::lower::{Lower, Origin, StmtKind, Ty, VarId};
use crate::mir::labeled::LabeledStmt;
use crate::refuse::Reason;

/// A closure with its scopes.
#[derive(Clone, Debug)]
pub struct Closure {
    pub(in crate::lower) expr: syn::ExprClosure,
    pub(in crate::lower) scopes: Vec<Scope>,
    /// `Some` if it is behind a reference; the flag is true for `&mut`.
    pub(in crate::lower) borrowed: Option<bool>,
    /// The functions that were being inlined where it was created.
    pub(in crate::lower) inline_stack: Vec<String>,
    /// The type of `Self` in its body.
    pub(in crate::lower) self_ty: Option<String>,
    /// The effects that it may have.
    pub(in crate::lower) effects: ClosureEffects,
    /// The expected result type, if known.
    pub(in crate::lower) output: Option<Ty>,
    /// The types of its parameters, where known.
    pub(in crate::lower) param_types: Vec<Option<syn::Type>>,
}

impl Lower {
    /// `|a, b| ..`
    pub fn closure(&mut self, c: &syn::ExprClosure) -> Value {
        let mut scopes = self.scopes.clone();
        if c.capture.is_some() {
            scopes.push(self.moved_captures(c));
        }
        Value::Closure(Rc::new(Closure {
            expr: c.clone(),
            scopes,
            borrowed: None,
            inline_stack: self.inline_stack.clone(),
            self_ty: self.env.self_ty.clone(),
            effects: self.closure_effects(c),
            output: None,
            param_types: Vec::new(),
        }))
    }

    /// The scope of a `move` closure: copies of the captured variables.
    fn moved_captures(&mut self, c: &syn::ExprClosure) -> Scope {
        let mut names = Identifiers(Vec::new());
        names.add_tokens(c.body.to_token_stream());
        let mut moved = Scope::new();
        for name in names.0 {
            if moved.contains_key(&name) {
                continue;
            }
            let value = match self.lookup(&name) {
                // A value that is not `Copy` is moved, so no copy is needed.
                Some(Binding::Var(v)) if self.owns_memory(*v) => continue,
                Some(Binding::Var(v)) => Value::Place(self.draft.func.place(*v)),
                Some(Binding::Value(value @ (Value::Tuple(_) | Value::RefStruct(..)))) => {
                    value.clone()
                }
                Some(Binding::Value(Value::Closure(inner))) => {
                    let copy = self.copied_closure(&Rc::clone(inner));
                    moved.insert(name, Binding::Value(copy));
                    continue;
                }
                _ => continue,
            };
            let own = self.owned_binding(&name, value, false, c.span());
            moved.insert(name, own);
        }
        moved
    }

    /// The closure that the name is bound to, without a copy.
    pub fn named_closure(&self, e: &syn::Expr) -> Option<Rc<Closure>> {
        let syn::Expr::Path(p) = strip_parens(e) else {
            return None;
        };
        match self.lookup(&p.path.get_ident()?.to_string())? {
            Binding::Value(Value::Closure(closure)) => Some(Rc::clone(closure)),
            _ => None,
        }
    }

    /// The closure as a value. A `move` closure that changes its captured copies gets new ones.
    pub fn copied_closure(&mut self, closure: &Rc<Closure>) -> Value {
        let has_state = closure.expr.capture.is_some() && closure.effects.captured;
        if !has_state || closure.borrowed.is_some() {
            return Value::Closure(Rc::clone(closure));
        }
        let mut copy = (**closure).clone();
        for (name, held) in copy.scopes.last_mut().into_iter().flatten() {
            let value = match held {
                Binding::Var(v) => Value::Place(self.draft.func.place(*v)),
                Binding::Value(value) => value.clone(),
            };
            *held = self.owned_binding(name, value, true, closure.expr.span());
        }
        Value::Closure(Rc::new(copy))
    }

    /// The value of a field or component: a closure with state is copied, as it may be read again.
    pub fn copied_part(&mut self, part: Value) -> Value {
        match part {
            Value::Closure(closure) => self.copied_closure(&closure),
            part => part,
        }
    }

    /// Whether the variable owns memory and so is not `Copy`.
    fn owns_memory(&self, v: VarId) -> bool {
        matches!(
            self.shallow(&self.draft.func.var(v).ty),
            Ty::Vec(_) | Ty::Boxed(_)
        )
    }

    /// Inlines the closure's body, with its parameters bound to the arguments.
    pub fn inline_closure(
        &mut self,
        closure: &Closure,
        args: Vec<Value>,
        span: proc_macro2::Span,
    ) -> Value {
        if closure.expr.inputs.len() != args.len() {
            return self.refuse(span, Reason::Closure);
        }
        let made = self
            .closure_output
            .take()
            .or_else(|| closure.output.clone());
        let wanted = match &closure.expr.output {
            syn::ReturnType::Type(_, ty) => Some(self.named_type(ty)),
            syn::ReturnType::Default => made.clone(),
        };
        let returned = has_return(&closure.expr.body)
            .then(|| self.return_var_type(wanted, &closure.expr.body));
        let within = std::mem::replace(&mut self.inline_stack, closure.inline_stack.clone());
        let self_ty = std::mem::replace(&mut self.env.self_ty, closure.self_ty.clone());
        let shapes = self.user_types.enter_closure(&closure.expr);
        let value = self.lower_in_scopes(closure.scopes.clone(), returned, span, |l| {
            for (pat, arg) in closure.expr.inputs.iter().zip(args) {
                let arg = match binds_mut(pat) {
                    true => l.copy_to_temp(arg, span),
                    false => arg,
                };
                l.bind_pattern(pat, arg);
            }
            let annotated = match &closure.expr.output {
                syn::ReturnType::Type(_, ty) => Some(l.named_type(ty)),
                syn::ReturnType::Default => None,
            };
            let expected = annotated.as_ref().or(made.as_ref());
            let value = l.expr_as(&closure.expr.body, expected);
            if let Some(annotated) = &annotated {
                let found = l.value_ty(&value);
                l.unify(&found, annotated);
            }
            value
        });
        self.inline_stack = within;
        self.env.self_ty = self_ty;
        self.user_types.restore(shapes);
        value
    }

    /// The type of the variable for the returned value, known at least as an `Option` or a `Result` if `of` or the tail
    /// expressions of the body determine that.
    fn return_var_type(&mut self, of: Option<Ty>, body: &syn::Expr) -> Ty {
        let known = |l: &mut Self, ty: Ty| match l.shallow(&ty) {
            Ty::Unknown => l.fresh_ty(),
            ty => ty,
        };
        match of.map(|ty| self.shallow(&ty)) {
            Some(Ty::Option(_)) => Ty::Option(Box::new(self.fresh_ty())),
            Some(Ty::Result(_, error)) => {
                Ty::Result(Box::new(self.fresh_ty()), Box::new(known(self, *error)))
            }
            _ => {
                let told = kind_of_body(body).and_then(|family| self.fresh_enum_ty(family));
                told.unwrap_or_else(|| self.fresh_ty())
            }
        }
    }

    /// Lowers a body by `write` in its own scopes, as a labelled block that `return` exits. `returned` is the type of
    /// the returned value, if the body contains `return` or `?`.
    pub fn lower_in_scopes(
        &mut self,
        scopes: Vec<Scope>,
        returned: Option<Ty>,
        span: proc_macro2::Span,
        write: impl FnOnce(&mut Lower) -> Value,
    ) -> Value {
        let scopes = std::mem::replace(&mut self.scopes, scopes);
        let loops = std::mem::take(&mut self.loops);
        let end = self.fresh_label();
        let result = returned.map(|ty| {
            let var = self.new_var("value", ty, Origin::Temp);
            self.emit(span, StmtKind::Let(var, None));
            var
        });
        if let Some(var) = result {
            self.inline_returns.push((end, var));
        }
        let (raws, value) = self.in_block(|l| {
            let value = write(l);
            match result {
                Some(_) => {
                    l.assign_return(value, span);
                    Value::Unit
                }
                // The value is read before the body's variables go out of scope.
                None => value,
            }
        });
        if result.is_some() {
            self.inline_returns.pop();
        }
        self.scopes = scopes;
        self.loops = loops;
        match result {
            Some(var) => {
                self.out.push(LabeledStmt::Labeled(end, raws));
                Value::Place(self.draft.func.place(var))
            }
            None => {
                self.out.extend(raws);
                value
            }
        }
    }

    /// Calls a closure value, or a function named by a path, on the arguments.
    pub fn apply(&mut self, f: &Callable, args: Vec<Value>, span: proc_macro2::Span) -> Value {
        match f {
            Callable::Closure(c) => self.inline_closure(&Rc::clone(c), args, span),
            Callable::Path(p) => {
                self.closure_output = None;
                match self.resolve_inline_fn(p, &args) {
                    Some(template) => self.call_inline_fn(&template, p, args, span),
                    None => self.call_path(p, args, span),
                }
            }
        }
    }

    /// The function argument of an adapter: a closure or the path of a function.
    pub fn callable(&mut self, e: &syn::Expr) -> Option<Callable> {
        if let syn::Expr::Path(p) = e {
            let known = p
                .path
                .get_ident()
                .and_then(|i| self.lookup(&i.to_string()).cloned());
            if known.is_none() {
                return Some(Callable::Path(Box::new(p.clone())));
            }
        }
        match self.expr(e) {
            Value::Closure(c) => Some(Callable::Closure(c)),
            other => {
                self.refuse_as_callable(&other, e);
                None
            }
        }
    }

    /// Refuses a value that std or an inlined function calls, but that has no visible body: a function-typed parameter.
    pub fn refuse_as_callable(&mut self, value: &Value, e: &syn::Expr) {
        let ty = self.value_ty(value);
        let reason = match is_lowered_fn_type(&ty, &self.env) {
            true => Reason::FunctionValue(text(strip_reference(e))),
            false => Reason::Closure,
        };
        self.refuse_use(value, e.span(), reason);
    }
}

/// The identifiers in the tokens.
struct Identifiers(Vec<String>);

impl Identifiers {
    fn add_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(ident) => self.0.push(ident.to_string()),
                proc_macro2::TokenTree::Group(group) => self.add_tokens(group.stream()),
                _ => {}
            }
        }
    }
}

impl Callable {
    /// Whether a call on an item, which may be a `&mut` reference, may have effects on anything but its own variables.
    pub fn has_effects(&self, lent: bool) -> bool {
        match self {
            Callable::Closure(c) => c.effects.captured || (lent && c.effects.through_params),
            Callable::Path(_) => lent,
        }
    }

    /// Whether a call may reach a function with hidden state.
    pub fn may_reach_hidden_state(&self) -> bool {
        match self {
            Callable::Closure(c) => c.effects.hidden_state,
            Callable::Path(p) => may_have_hidden_state(&p.path),
        }
    }

    /// Whether a call may write anything but its own variables and the state that its first parameter borrows.
    pub fn has_outside_effects(&self) -> bool {
        matches!(self, Callable::Closure(c) if c.effects.outside_params)
    }
}

/// The function argument of an iterator adapter.
#[derive(Clone, Debug)]
pub enum Callable {
    /// A closure.
    Closure(Rc<Closure>),
    /// The path of a function.
    Path(Box<syn::ExprPath>),
}

/// Whether a `return` or `?` exits the code.
pub fn has_return(body: &syn::Expr) -> bool {
    struct Find(bool);
    impl<'ast> syn::visit::Visit<'ast> for Find {
        fn visit_expr_return(&mut self, _: &'ast syn::ExprReturn) {
            self.0 = true;
        }
        fn visit_expr_try(&mut self, _: &'ast syn::ExprTry) {
            self.0 = true;
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
    }
    let mut find = Find(false);
    syn::visit::Visit::visit_expr(&mut find, body);
    find.0
}
