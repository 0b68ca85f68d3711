//! Variables that are reassigned while an iterator over their previous value continues:
//! `let it = v.into_iter(); v = Vec::new();`. Such an iterator gets a copy in a variable of its own.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::Visit;

use crate::ir::{Expr, Place};
use crate::lower::Lower;
use crate::lower::expr::strip_parens;
use crate::lower::tokens::words;
use crate::lower::value::{Binding, Value};

/// Adds the names that the body may reassign while an iterator over their value continues: names in the head of a `for`
/// whose body assigns them, and names in a call that a `let` binds if they are assigned anywhere.
pub fn refilled_names(body: &syn::Block, found: &mut BTreeSet<String>) {
    let mut anywhere = Assigned::default();
    anywhere.visit_block(body);
    if !anywhere.0.is_empty() {
        Refilled { anywhere, found }.visit_block(body);
    }
}

/// The variables that are assigned, as a whole or in part.
#[derive(Default)]
struct Assigned(BTreeSet<String>);

impl Assigned {
    fn place(&mut self, left: &syn::Expr) {
        match strip_parens(left) {
            syn::Expr::Path(p) => self.0.extend(p.path.get_ident().map(ToString::to_string)),
            syn::Expr::Field(f) => self.place(&f.base),
            syn::Expr::Index(i) => self.place(&i.expr),
            syn::Expr::Unary(u) => self.place(&u.expr),
            syn::Expr::Tuple(t) => t.elems.iter().for_each(|e| self.place(e)),
            syn::Expr::Array(a) => a.elems.iter().for_each(|e| self.place(e)),
            syn::Expr::Struct(s) => s.fields.iter().for_each(|f| self.place(&f.expr)),
            syn::Expr::Call(c) => c.args.iter().for_each(|e| self.place(e)),
            _ => {}
        }
    }

    fn mentioned_in(&self, code: &impl ToTokens, found: &mut BTreeSet<String>) {
        let mut names = Vec::new();
        words(&code.to_token_stream(), &mut names);
        found.extend(names.into_iter().filter(|name| self.0.contains(name)));
    }
}

impl<'ast> Visit<'ast> for Assigned {
    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        self.place(&e.left);
        syn::visit::visit_expr_assign(self, e);
    }
}

struct Refilled<'a> {
    anywhere: Assigned,
    found: &'a mut BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Refilled<'_> {
    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        let mut mentioned = BTreeSet::new();
        self.anywhere.mentioned_in(&f.expr, &mut mentioned);
        if !mentioned.is_empty() {
            let mut within = Assigned::default();
            within.visit_block(&f.body);
            self.found
                .extend(mentioned.intersection(&within.0).cloned());
        }
        syn::visit::visit_expr_for_loop(self, f);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let init = local.init.as_ref().map(|init| strip_parens(&init.expr));
        if let Some(call @ (syn::Expr::MethodCall(_) | syn::Expr::Call(_))) = init {
            self.anywhere.mentioned_in(call, self.found);
        }
        syn::visit::visit_local(self, local);
    }
}

impl Lower {
    /// Moves an iterated value to a variable of its own if its variable is reassigned meanwhile.
    pub fn out_of_reach(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) if self.is_refilled(&p) => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "items", Expr::Read(p), ty))
            }
            value => value,
        }
    }

    fn is_refilled(&self, place: &Place) -> bool {
        self.refilled_names
            .iter()
            .any(|name| match self.lookup(name) {
                Some(Binding::Var(v)) => *v == place.root,
                Some(Binding::Value(Value::Place(p))) => p.root == place.root,
                _ => false,
            })
    }
}
