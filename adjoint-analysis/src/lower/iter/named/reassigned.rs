//! Variables that are reassigned while an iterator over their previous value continues:
//! `let it = v.into_iter(); v = Vec::new();`. Such an iterator gets a copy in a variable of its own.

use std::collections::BTreeSet;

use proc_macro2::Span;
use quote::ToTokens;
use syn::visit::Visit;

use crate::ir::{Expr, Place};
use crate::lower::Lower;
use crate::lower::expr::strip_parens;
use crate::lower::tokens::identifiers;
use crate::lower::value::{Binding, Value};

/// Adds the names that the body may reassign while an iterator over their value continues: names in the head of a `for`
/// whose body assigns them, and names in a call that a `let` binds if they are assigned anywhere.
pub fn collect_reassigned_names(body: &syn::Block, found: &mut BTreeSet<String>) {
    let mut anywhere = AssignedNames::default();
    anywhere.visit_block(body);
    if !anywhere.0.is_empty() {
        ReassignedVisitor {
            assigned: anywhere,
            reassigned: found,
        }
        .visit_block(body);
    }
}

/// The variables that are assigned, as a whole or in part.
#[derive(Default)]
struct AssignedNames(BTreeSet<String>);

impl AssignedNames {
    fn add_place(&mut self, left: &syn::Expr) {
        match strip_parens(left) {
            syn::Expr::Path(p) => self.0.extend(p.path.get_ident().map(ToString::to_string)),
            syn::Expr::Field(f) => self.add_place(&f.base),
            syn::Expr::Index(i) => self.add_place(&i.expr),
            syn::Expr::Unary(u) => self.add_place(&u.expr),
            syn::Expr::Tuple(t) => t.elems.iter().for_each(|e| self.add_place(e)),
            syn::Expr::Array(a) => a.elems.iter().for_each(|e| self.add_place(e)),
            syn::Expr::Struct(s) => s.fields.iter().for_each(|f| self.add_place(&f.expr)),
            syn::Expr::Call(c) => c.args.iter().for_each(|e| self.add_place(e)),
            _ => {}
        }
    }

    fn add_mentioned(&self, code: &impl ToTokens, found: &mut BTreeSet<String>) {
        let mut names = Vec::new();
        identifiers(&code.to_token_stream(), &mut names);
        found.extend(names.into_iter().filter(|name| self.0.contains(name)));
    }
}

impl<'ast> Visit<'ast> for AssignedNames {
    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        self.add_place(&e.left);
        syn::visit::visit_expr_assign(self, e);
    }
}

struct ReassignedVisitor<'a> {
    assigned: AssignedNames,
    reassigned: &'a mut BTreeSet<String>,
}

impl<'ast> Visit<'ast> for ReassignedVisitor<'_> {
    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        let mut mentioned = BTreeSet::new();
        self.assigned.add_mentioned(&f.expr, &mut mentioned);
        if !mentioned.is_empty() {
            let mut within = AssignedNames::default();
            within.visit_block(&f.body);
            self.reassigned
                .extend(mentioned.intersection(&within.0).cloned());
        }
        syn::visit::visit_expr_for_loop(self, f);
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        let init = local.init.as_ref().map(|init| strip_parens(&init.expr));
        if let Some(call @ (syn::Expr::MethodCall(_) | syn::Expr::Call(_))) = init {
            self.assigned.add_mentioned(call, self.reassigned);
        }
        syn::visit::visit_local(self, local);
    }
}

impl Lower {
    /// Moves an iterated value to a variable of its own if its variable is reassigned meanwhile.
    pub fn copy_if_reassigned(&mut self, value: Value, span: Span) -> Value {
        match value {
            Value::Place(p) if self.is_reassigned_list(&p) => {
                let ty = p.ty.clone();
                Value::Place(self.temp(span, "items", Expr::Read(p), ty))
            }
            value => value,
        }
    }

    fn is_reassigned_list(&self, place: &Place) -> bool {
        self.reassigned_names
            .iter()
            .any(|name| match self.lookup(name) {
                Some(Binding::Var(v)) => *v == place.root,
                Some(Binding::Value(Value::Place(p))) => p.root == place.root,
                _ => false,
            })
    }
}
