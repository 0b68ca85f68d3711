//! Whether a closure writes what it captures, by the look of it.

use std::collections::BTreeSet;

use syn::visit::Visit;

use super::Lower;
use super::expr::{compound, strip_parens};
use super::method::only_reads;
use super::value::{Binding, Value};
use crate::ir::Mode;

impl Lower {
    /// Whether a closure that is made here may write anything but its own variables.
    pub fn has_writes(&self, closure: &syn::ExprClosure) -> bool {
        let mut find = FindWrite {
            lower: self,
            own: own_variables(&closure.body),
            found: false,
        };
        find.visit_expr(&closure.body);
        find.found
    }

    /// Whether code that has the name can change what is behind it.
    fn is_changeable(&self, name: &str) -> bool {
        match self.lookup(name) {
            Some(Binding::Var(v)) => !self.immutable.contains(v),
            Some(Binding::Value(Value::View(_, mutable))) => *mutable,
            Some(Binding::Value(Value::Closure(_))) | None => false,
            Some(Binding::Value(_)) => true,
        }
    }
}

struct FindWrite<'a> {
    lower: &'a Lower,
    own: BTreeSet<String>,
    found: bool,
}

impl FindWrite<'_> {
    /// A variable of the closure's own is nobody else's.
    fn assignment(&mut self, to: &syn::Expr) {
        let own = |name: String| self.own.contains(&name) && self.lower.lookup(&name).is_none();
        self.found |= !variable(to).is_some_and(own);
    }

    fn changes(&self, receiver: &syn::Expr, method: &str) -> bool {
        let Some(name) = root(receiver) else {
            return false;
        };
        match self.lower.env.receivers.get(method) {
            Some(mode) => *mode == Mode::Mut && self.lower.is_changeable(&name),
            None => !only_reads(method) && self.lower.is_changeable(&name),
        }
    }
}

impl<'ast> Visit<'ast> for FindWrite<'_> {
    fn visit_expr_assign(&mut self, a: &'ast syn::ExprAssign) {
        self.assignment(&a.left);
        syn::visit::visit_expr_assign(self, a);
    }

    fn visit_expr_binary(&mut self, b: &'ast syn::ExprBinary) {
        if compound(&b.op).is_some() {
            self.assignment(&b.left);
        }
        syn::visit::visit_expr_binary(self, b);
    }

    fn visit_expr_reference(&mut self, r: &'ast syn::ExprReference) {
        self.found |= r.mutability.is_some();
        syn::visit::visit_expr_reference(self, r);
    }

    fn visit_expr_macro(&mut self, _: &'ast syn::ExprMacro) {
        self.found = true;
    }

    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        self.found |= self.changes(&m.receiver, &m.method.to_string());
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        if let Some(name) = variable(&c.func)
            && let Some(Binding::Value(Value::Closure(inner))) = self.lower.lookup(&name)
        {
            self.found |= inner.writes;
        }
        // A `&mut` variable is lent again without a sign.
        let lends = |name: String| {
            let bound = self.lower.lookup(&name);
            matches!(bound, Some(Binding::Value(Value::View(_, true))))
        };
        self.found |= c.args.iter().any(|a| variable(a).is_some_and(lends));
        syn::visit::visit_expr_call(self, c);
    }
}

/// The variables that the code declares as `let mut`.
fn own_variables(body: &syn::Expr) -> BTreeSet<String> {
    struct Names(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
            if pattern.mutability.is_some() {
                self.0.insert(pattern.ident.to_string());
            }
        }
    }
    let mut names = Names(BTreeSet::new());
    names.visit_expr(body);
    names.0
}

/// The name of the variable that the expression is.
fn variable(e: &syn::Expr) -> Option<String> {
    match strip_parens(e) {
        syn::Expr::Path(p) => p.path.get_ident().map(ToString::to_string),
        _ => None,
    }
}

/// The variable of which the expression is a part.
fn root(e: &syn::Expr) -> Option<String> {
    match strip_parens(e) {
        syn::Expr::Field(f) => root(&f.base),
        syn::Expr::Index(i) => root(&i.expr),
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => root(&u.expr),
        e => variable(e),
    }
}
