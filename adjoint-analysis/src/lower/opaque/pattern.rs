//! Patterns that destructure opaque constants: each name is bound by the pattern as written.

use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::visit::Visit;

use crate::ir::{Expr, Place, Ty};
use crate::lower::Lower;
use crate::lower::expr::strip_parens;
use crate::lower::value::{Binding, Value};
use crate::mir::code::CaptureMode;

/// The names that a pattern binds, and whether one of them is `mut`.
#[derive(Default)]
struct PatternNames {
    names: Vec<Ident>,
    is_mutable: bool,
}

impl<'ast> Visit<'ast> for PatternNames {
    fn visit_pat_ident(&mut self, p: &'ast syn::PatIdent) {
        self.is_mutable |= p.mutability.is_some();
        // A name that begins with a capital is a constant.
        if !p.ident.to_string().starts_with(char::is_uppercase) {
            self.names.push(p.ident.clone());
        }
        syn::visit::visit_pat_ident(self, p);
    }
}

impl Lower {
    /// Binds the names of a pattern to parts of an opaque constant, if the value is one.
    pub fn bind_opaque(&mut self, pat: &syn::Pat, value: &Value, span: Span) -> bool {
        let mut bound = PatternNames::default();
        bound.visit_pat(pat);
        let Some(place) = self.opaque_place(value).filter(|_| !bound.is_mutable) else {
            return false;
        };
        let by = access_by(value);
        if let (syn::Pat::Ident(_), true) = (pat, place.is_whole()) {
            return false;
        }
        for name in bound.names {
            let of = quote_spanned!(span=> ::core::clone::Clone::clone(&__place_0));
            let tokens = match self.pattern_tested {
                true => quote_spanned! {span=>
                    match #of { #pat => #name, _ => ::core::unreachable!() }
                },
                false => quote_spanned!(span=> { let #pat = #of; #name }),
            };
            let text = name.to_string();
            let part = self.eval_over_place(&text, place.clone(), by, tokens, span);
            if self.opaque.inspected.contains(&text) {
                self.opaque.vars.insert(part.root);
            }
            self.immutable_vars.insert(part.root);
            self.bind(&text, Binding::Var(part.root));
        }
        true
    }

    /// The initialiser of a name that the body inspects, if it is a constant of unknown type.
    pub fn lower_opaque_init(
        &mut self,
        pat: &syn::Pat,
        init: &syn::Expr,
        annotated: bool,
    ) -> Option<Value> {
        let mut bound = PatternNames::default();
        bound.visit_pat(pat);
        let looks = |name: &Ident| self.opaque.inspected.contains(&name.to_string());
        if annotated || bound.is_mutable || !bound.names.iter().any(looks) {
            return None;
        }
        match (pat, strip_parens(init)) {
            // The callee determines the types of the parts of its result.
            (pat, syn::Expr::Call(_)) if !matches!(pat, syn::Pat::Ident(_)) => None,
            _ => self.lower_opaque_result(init),
        }
    }

    /// Tests whether an opaque constant matches the pattern.
    pub fn test_opaque(&mut self, pat: &syn::Pat, value: &Value, span: Span) -> Option<Expr> {
        let looks = matches!(
            pat,
            syn::Pat::TupleStruct(_)
                | syn::Pat::Struct(_)
                | syn::Pat::Tuple(_)
                | syn::Pat::Slice(_)
                | syn::Pat::Path(_)
                | syn::Pat::Reference(_)
        );
        let place = self.opaque_place(value).filter(|_| looks)?;
        let tokens =
            quote_spanned!(span=> ::core::matches!(::core::clone::Clone::clone(&__place_0), #pat));
        let code = self.add_code(tokens, vec![access_by(value)]);
        let test = Expr::Code(code, vec![place], Ty::Bool);
        Some(Expr::Read(self.temp(span, "matches", test, Ty::Bool)))
    }

    /// The place of an opaque constant, if the value is one of unknown type.
    pub(super) fn opaque_place(&self, value: &Value) -> Option<Place> {
        let (Value::Place(place) | Value::PlaceRef(place, false)) = value else {
            return None;
        };
        let is_open = match self.shallow(&place.ty) {
            ty @ (Ty::Infer(_) | Ty::Unknown) => !self.infer.is_number(&ty),
            Ty::Named(_) => true,
            _ => false,
        };
        (is_open && self.opaque.vars.contains(&place.root)).then(|| place.clone())
    }
}

/// How the user's code accesses the value.
fn access_by(value: &Value) -> CaptureMode {
    match value {
        Value::PlaceRef(..) => CaptureMode::Shared,
        _ => CaptureMode::Value,
    }
}
