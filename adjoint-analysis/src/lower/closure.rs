//! Closures: bound to a name, and written out where they are called.

use std::collections::HashMap;
use std::rc::Rc;

use syn::spanned::Spanned;

use super::raw::Raw;
use super::value::{Binding, Value};
use super::{Lower, Origin, StmtKind};
use crate::refuse::Reason;

/// A closure and the names it sees.
#[derive(Clone, Debug)]
pub struct Closure {
    expr: syn::ExprClosure,
    scopes: Vec<HashMap<String, Binding>>,
}

impl Lower {
    /// `|a, b| ..`
    pub fn closure(&mut self, c: &syn::ExprClosure) -> Value {
        Value::Closure(Rc::new(Closure { expr: c.clone(), scopes: self.scopes.clone() }))
    }

    /// Writes the closure's body here, with its parameters bound to the arguments.
    pub fn inline(&mut self, closure: &Closure, args: Vec<Value>, span: proc_macro2::Span) -> Value {
        if closure.expr.inputs.len() != args.len() {
            return self.refuse(span, Reason::Closure);
        }
        let scopes = std::mem::replace(&mut self.scopes, closure.scopes.clone());
        let loops = std::mem::take(&mut self.loops);
        let returns = has_return(&closure.expr.body);
        let end = self.fresh_label();
        let result = returns.then(|| {
            let ty = self.fresh();
            let var = self.new_var("value", ty, Origin::Temp);
            self.emit(span, StmtKind::Let(var, None));
            var
        });
        if let Some(var) = result {
            self.closure_returns.push((end, var));
        }
        let (raws, value) = self.in_block(|l| {
            for (pat, arg) in closure.expr.inputs.iter().zip(args) {
                l.bind_pattern(pat, arg);
            }
            let value = l.expr(&closure.expr.body);
            match result {
                Some(_) => {
                    l.assign_return(value, closure.expr.body.span());
                    Value::Unit
                }
                // The value is read before the closure's variables end.
                None => value,
            }
        });
        if result.is_some() {
            self.closure_returns.pop();
        }
        self.scopes = scopes;
        self.loops = loops;
        match result {
            Some(var) => {
                self.out.push(Raw::Labeled(end, raws));
                Value::Place(self.func.place(var))
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
            Callable::Closure(c) => self.inline(&Rc::clone(c), args, span),
            Callable::Path(p) => self.call_path(p, args, span),
        }
    }

    /// An argument of an adapter that is called: a closure, or a function's name.
    pub fn callable(&mut self, e: &syn::Expr) -> Option<Callable> {
        if let syn::Expr::Path(p) = e {
            let known = p.path.get_ident().and_then(|i| self.lookup(&i.to_string()).cloned());
            if known.is_none() {
                return Some(Callable::Path(Box::new(p.clone())));
            }
        }
        match self.expr(e) {
            Value::Closure(c) => Some(Callable::Closure(c)),
            _ => {
                self.refuse(e.span(), Reason::Closure);
                None
            }
        }
    }
}

/// What an iterator adapter can be given to call.
#[derive(Clone, Debug)]
pub enum Callable {
    /// A closure.
    Closure(Rc<Closure>),
    /// A function.
    Path(Box<syn::ExprPath>),
}

fn has_return(body: &syn::Expr) -> bool {
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
