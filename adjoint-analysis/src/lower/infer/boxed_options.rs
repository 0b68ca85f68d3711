//! Variables and fields that are used as an `Option` of memory, such as `Option<Box<T>>`.

use std::collections::BTreeSet;

use syn::visit::Visit;

/// Collects the names to which `Some(Box..)` is assigned, that are stored in a field, or whose `&mut` reference
/// escapes.
pub fn collect_boxed_names(body: &syn::Block, found: &mut BTreeSet<String>) {
    BoxedNames(found).visit_block(body);
}

struct BoxedNames<'a>(&'a mut BTreeSet<String>);

impl BoxedNames<'_> {
    fn add(&mut self, name: Option<&syn::Ident>) {
        self.0.extend(name.map(ToString::to_string));
    }

    /// Visits a scrutinee or an iterated expression, from which a `&mut name` does not escape.
    fn visit_scrutinee(&mut self, e: &syn::Expr) {
        match e {
            syn::Expr::Reference(r) => self.visit_expr(&r.expr),
            e => self.visit_expr(e),
        }
    }
}

impl<'ast> Visit<'ast> for BoxedNames<'_> {
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let (syn::Pat::Ident(p), Some(init)) = (&local.pat, &local.init)
            && is_box(&init.expr)
        {
            self.add(Some(&p.ident));
        }
        syn::visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, e: &'ast syn::ExprAssign) {
        let field = match &*e.left {
            syn::Expr::Field(f) => match &f.member {
                syn::Member::Named(name) => Some(name),
                syn::Member::Unnamed(_) => None,
            },
            _ => None,
        };
        if is_box(&e.right) {
            self.add(field.or(name(&e.left)));
        }
        if field.is_some() {
            self.add(name(&e.right));
        }
        syn::visit::visit_expr_assign(self, e);
    }

    fn visit_field_value(&mut self, f: &'ast syn::FieldValue) {
        self.add(name(&f.expr));
        syn::visit::visit_field_value(self, f);
    }

    fn visit_expr_reference(&mut self, r: &'ast syn::ExprReference) {
        if r.mutability.is_some() {
            self.add(name(&r.expr));
        }
        syn::visit::visit_expr_reference(self, r);
    }

    fn visit_expr_let(&mut self, e: &'ast syn::ExprLet) {
        self.visit_scrutinee(&e.expr);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        self.visit_scrutinee(&e.expr);
        e.arms.iter().for_each(|arm| self.visit_arm(arm));
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.visit_scrutinee(&e.expr);
        self.visit_block(&e.body);
    }
}

/// The variable in `name` or `*name`.
fn name(e: &syn::Expr) -> Option<&syn::Ident> {
    match e {
        syn::Expr::Path(p) => p.path.get_ident(),
        syn::Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => name(&u.expr),
        _ => None,
    }
}

/// Whether the expression is `Some(Box..)`.
fn is_box(e: &syn::Expr) -> bool {
    let syn::Expr::Call(call) = e else {
        return false;
    };
    let begins_with_box = |e: &syn::Expr| match e {
        syn::Expr::Call(inner) => match &*inner.func {
            syn::Expr::Path(p) => p.path.segments[0].ident == "Box",
            _ => false,
        },
        _ => false,
    };
    name(&call.func).is_some_and(|f| f == "Some") && call.args.first().is_some_and(begins_with_box)
}
