//! Named iterators that are advanced from the back.

use std::collections::BTreeSet;

use syn::visit::Visit;

use crate::lower::expr::strip_parens;

/// The names on which `next_back` or `nth_back` is called.
pub fn double_ended_names(body: &syn::Block) -> BTreeSet<String> {
    let mut names = DoubleEndedNames(BTreeSet::new());
    names.visit_block(body);
    names.0
}

struct DoubleEndedNames(BTreeSet<String>);

impl<'ast> Visit<'ast> for DoubleEndedNames {
    fn visit_expr_method_call(&mut self, m: &'ast syn::ExprMethodCall) {
        if let (true, syn::Expr::Path(p)) = (
            m.method == "next_back" || m.method == "nth_back",
            strip_parens(&m.receiver),
        ) && let Some(name) = p.path.get_ident()
        {
            self.0.insert(name.to_string());
        }
        syn::visit::visit_expr_method_call(self, m);
    }
}
