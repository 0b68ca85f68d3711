//! Names that the body inspects, so that their values may be of any type.

use std::collections::BTreeSet;

use syn::visit::Visit;

use crate::lower::expr::strip_parens;
use crate::lower::std_lib::method::is_computation;

/// The names of iterators that are advanced by hand, item by item.
pub fn advanced_iterators(body: &syn::Block) -> BTreeSet<String> {
    struct Advanced(InspectedNames);
    impl<'ast> Visit<'ast> for Advanced {
        fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
            if ["next", "nth", "peek"].iter().any(|name| m.method == name) {
                self.0.add(&m.receiver);
            }
            syn::visit::visit_expr_method_call(self, m);
        }
    }
    let mut found = Advanced(InspectedNames(BTreeSet::new()));
    found.visit_block(body);
    found.0.0
}

/// The names on which the body calls a method that numbers don't have, or which it indexes, iterates over or converts.
pub fn inspected_names(body: &syn::Block) -> BTreeSet<String> {
    let mut found = InspectedNames(BTreeSet::new());
    found.visit_block(body);
    found.0
}

struct InspectedNames(BTreeSet<String>);

impl InspectedNames {
    fn add(&mut self, e: &syn::Expr) {
        match strip_parens(e) {
            syn::Expr::Path(p) => self.0.extend(p.path.get_ident().map(ToString::to_string)),
            syn::Expr::Field(f) => self.add(&f.base),
            syn::Expr::Reference(r) => self.add(&r.expr),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for InspectedNames {
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if !is_computation(&m.method.to_string()) {
            self.add(&m.receiver);
        }
        if m.method == "zip" || m.method == "chain" {
            m.args.iter().for_each(|arg| self.add(arg));
        }
        syn::visit::visit_expr_method_call(self, m);
    }

    fn visit_expr_index(&mut self, i: &'ast syn::ExprIndex) {
        self.add(&i.expr);
        syn::visit::visit_expr_index(self, i);
    }

    fn visit_expr_field(&mut self, f: &'ast syn::ExprField) {
        self.add(&f.base);
        syn::visit::visit_expr_field(self, f);
    }

    fn visit_expr_call(&mut self, c: &'ast syn::ExprCall) {
        let converts =
            |p: &syn::ExprPath| p.path.segments.last().is_some_and(|s| s.ident == "from");
        if matches!(&*c.func, syn::Expr::Path(p) if converts(p)) {
            c.args.iter().for_each(|arg| self.add(arg));
        }
        syn::visit::visit_expr_call(self, c);
    }

    fn visit_expr_cast(&mut self, c: &'ast syn::ExprCast) {
        self.add(&c.expr);
        syn::visit::visit_expr_cast(self, c);
    }

    fn visit_expr_for_loop(&mut self, f: &'ast syn::ExprForLoop) {
        self.add(&f.expr);
        syn::visit::visit_expr_for_loop(self, f);
    }
}
