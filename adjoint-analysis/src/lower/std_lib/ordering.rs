//! Comparisons that yield an `Ordering`.

use std::collections::BTreeMap;

use proc_macro2::Span;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::Visit;

use crate::ir::{Expr, Ty};
use crate::lower::types::text;
use crate::lower::value::Value;
use crate::lower::{Lower, StmtKind};
use crate::mir::code::CaptureMode;

/// The paths of types named `Ordering`.
#[derive(Default)]
struct Orderings(BTreeMap<String, syn::Path>);

impl<'ast> Visit<'ast> for Orderings {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        let path = &ty.path;
        if path.segments.last().is_some_and(|s| s.ident == "Ordering") {
            self.0.entry(text(path)).or_insert_with(|| path.clone());
        }
        syn::visit::visit_type_path(self, ty);
    }
}

impl Lower {
    /// Emits checks that types named `Ordering` are std's, which carry no derivative.
    pub fn confirm_orderings(&mut self, sig: &syn::Signature, body: &syn::Block) {
        if self.env.has_type("Ordering") {
            return;
        }
        let mut found = Orderings::default();
        found.visit_signature(sig);
        found.visit_block(body);
        for (text, path) in found.0 {
            let span = path.span();
            let check = quote_spanned!(span=> ::adjoint::__private::demand::ordering::<#path>());
            self.hoist_check(check, ("ordering".into(), text), span);
        }
    }

    /// A comparison in method or path form; `partial_cmp` yields an `Option`.
    pub fn lower_ordering(&mut self, name: &str, a: Value, b: Value, span: Span) -> Value {
        if name != "partial_cmp" {
            return self.compare(name, a, b, span);
        }
        let (a, b) = (
            self.copy_to_temp(Lower::copied_item(a), span),
            self.copy_to_temp(Lower::copied_item(b), span),
        );
        let order = self.compare(name, a, b, span);
        let (order, _) = self.read(order, span);
        let tag = Expr::Discrete("is_some".into(), vec![order.clone()], Ty::Bool);
        let (equal, _) = self.capture(quote!(::core::cmp::Ordering::Equal));
        let equal = Expr::Code(equal, Vec::new(), ordering());
        let yes = Expr::Discrete("unwrap_or".into(), vec![order, equal], ordering());
        self.some_if(tag, Value::Expr(yes, ordering()))
    }

    /// `a.partial_cmp(&b).unwrap()` and the like; `end` is the method after the comparison.
    pub fn unwrapped_ordering(
        &mut self,
        a: Value,
        b: Value,
        end: &syn::ExprMethodCall,
        span: Span,
    ) -> Value {
        let order = self.compare("partial_cmp", a, b, span);
        let (order, _) = self.read(order, span);
        let mut all = vec![order];
        for arg in &end.args {
            let value = self.expr(arg);
            all.push(self.read(value, arg.span()).0);
        }
        let end = end.method.to_string();
        Value::Expr(Expr::Discrete(end, all, ordering()), ordering())
    }

    /// `a.cmp(&b)`, `a.total_cmp(&b)`
    pub fn compare(&mut self, name: &str, a: Value, b: Value, span: Span) -> Value {
        let ((a, ty), (b, other)) = (self.read(a, span), self.read(b, span));
        self.unify(&ty, &other);
        let order = Expr::Discrete(name.into(), vec![a, b], ordering());
        let order = Value::Expr(order, ordering());
        match self.infer.is_number(&ty) || name == "partial_cmp" {
            true => order,
            // Rustc checks that the result is an `Ordering`.
            false => {
                let order = self.place_of(order, span);
                let tokens = quote_spanned!(span=> ::adjoint::__private::demand::is::<::core::cmp::Ordering>(
                    || __place_0
                ));
                let code = self.add_code(tokens, vec![CaptureMode::Borrow]);
                self.emit(span, StmtKind::Passive(code, vec![order.clone()]));
                Value::Place(order)
            }
        }
    }
}

/// `std::cmp::Ordering`
pub fn ordering() -> Ty {
    Ty::Discrete("::core::cmp::Ordering".into())
}
