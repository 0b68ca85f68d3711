//! Assignments of an `Option` of a reference whose right side is a branch. The assignment is pushed into the arms:
//! `cur = if c { a.as_deref() } else { b.as_deref() }` becomes
//! `if c { cur = a.as_deref() } else { cur = b.as_deref() }`.

use syn::visit::Visit;

use crate::lower::expr::strip_parens;

/// The right side with the assignment pushed into its arms; `None` if it has no arms, or if a pattern in them binds the
/// same name.
pub fn push_assign_into_arms(left: &syn::Ident, right: &syn::Expr) -> Option<syn::Expr> {
    let has_arms = match strip_parens(right) {
        syn::Expr::If(_) | syn::Expr::Match(_) => true,
        syn::Expr::Block(b) => b.label.is_none(),
        _ => false,
    };
    let mut bound = BindsName {
        name: left,
        found: false,
    };
    bound.visit_expr(right);
    (has_arms && !bound.found).then(|| push_assign(left, right))
}

struct BindsName<'n> {
    name: &'n syn::Ident,
    found: bool,
}

impl<'ast> Visit<'ast> for BindsName<'_> {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.found |= p.ident == *self.name;
        syn::visit::visit_pat_ident(self, p);
    }
}

fn push_assign(left: &syn::Ident, right: &syn::Expr) -> syn::Expr {
    match strip_parens(right) {
        syn::Expr::If(i) => {
            let mut i = i.clone();
            assign_tail(left, &mut i.then_branch);
            if let Some((_, other)) = &mut i.else_branch {
                **other = push_assign(left, other);
            }
            syn::Expr::If(i)
        }
        syn::Expr::Match(m) => {
            let mut m = m.clone();
            for arm in &mut m.arms {
                *arm.body = push_assign(left, &arm.body);
            }
            syn::Expr::Match(m)
        }
        syn::Expr::Block(b) if b.label.is_none() => {
            let mut b = b.clone();
            assign_tail(left, &mut b.block);
            syn::Expr::Block(b)
        }
        right => syn::parse_quote!({ #left = #right; }),
    }
}

/// Assigns the block's tail; a block without a tail is left alone, since it diverges or is `()`.
fn assign_tail(left: &syn::Ident, block: &mut syn::Block) {
    let tail = match block.stmts.last() {
        Some(syn::Stmt::Expr(tail, None)) => tail.clone(),
        Some(syn::Stmt::Macro(m)) if m.semi_token.is_none() => syn::Expr::Macro(syn::ExprMacro {
            attrs: m.attrs.clone(),
            mac: m.mac.clone(),
        }),
        _ => return,
    };
    block.stmts.pop();
    block
        .stmts
        .push(syn::Stmt::Expr(push_assign(left, &tail), None));
}
