//! Chains of methods on a text, such as `line.trim().parse::<f64>().unwrap()`: no derivative flows through them, so
//! they are evaluated as written.

use quote::ToTokens;
use syn::visit::Visit;

use super::texts::is_text;
use crate::ir::{Expr, Place};
use crate::lower::expr::strip_parens;
use crate::lower::inline::closure_arguments::BoundNames;
use crate::lower::std_lib::method;
use crate::lower::tokens::identifiers;
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Ty};

/// Methods of texts that are lowered individually.
const TEXT_METHODS: &[&str] = &[
    "as_ref",
    "as_str",
    "bytes",
    "chars",
    "clone",
    "cmp",
    "contains",
    "ends_with",
    "eq_ignore_ascii_case",
    "into",
    "is_empty",
    "len",
    "partial_cmp",
    "starts_with",
    "to_owned",
    "to_string",
];

/// Methods that return iterators over texts.
const ITERATOR_METHODS: &[&str] = &[
    "char_indices",
    "lines",
    "matches",
    "rsplit",
    "rsplitn",
    "split",
    "split_ascii_whitespace",
    "split_terminator",
    "split_whitespace",
    "splitn",
];

/// Determines whether an expression only computes a value, without other effects.
struct PurityVisitor(bool);

impl<'ast> Visit<'ast> for PurityVisitor {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.0 &= match e {
            syn::Expr::Reference(r) => r.mutability.is_none(),
            syn::Expr::Binary(b) => crate::lower::expr::compound_op(&b.op).is_none(),
            syn::Expr::MethodCall(_)
            | syn::Expr::Call(_)
            | syn::Expr::Path(_)
            | syn::Expr::Lit(_)
            | syn::Expr::Field(_)
            | syn::Expr::Index(_)
            | syn::Expr::Paren(_)
            | syn::Expr::Group(_)
            | syn::Expr::Unary(_)
            | syn::Expr::Cast(_)
            | syn::Expr::Tuple(_)
            | syn::Expr::Closure(_) => true,
            _ => false,
        };
        syn::visit::visit_expr(self, e);
    }
}

/// The expression at the start of the chain, and the first method called on it.
fn chain_start(m: &syn::ExprMethodCall) -> (&syn::Expr, String) {
    match strip_parens(&m.receiver) {
        syn::Expr::MethodCall(inner) => chain_start(inner),
        receiver => (receiver, m.method.to_string()),
    }
}

/// Whether the expression is a variable, or a part of one.
fn is_place(e: &syn::Expr) -> bool {
    match strip_parens(e) {
        syn::Expr::Path(p) => p.path.get_ident().is_some(),
        syn::Expr::Field(f) => is_place(&f.base),
        syn::Expr::Index(i) => is_place(&i.expr) && is_place(&i.index),
        _ => false,
    }
}

impl Lower {
    /// Evaluates a chain of methods on a text, if they are not lowered individually.
    pub fn lower_text_chain(&mut self, m: &syn::ExprMethodCall) -> Option<Value> {
        let (from, first) = chain_start(m);
        let (last, span) = (m.method.to_string(), m.method.span());
        let is_lowered = TEXT_METHODS.contains(&first.as_str())
            || method::is_comparison(&first)
            || self.env.signatures.has_method(&first)
            || self.env.shadowed_std_methods.contains(&first);
        if is_lowered || ITERATOR_METHODS.contains(&last.as_str()) || !is_place(from) {
            return None;
        }
        if !self.is_immutable_text(from) || !self.is_constant_chain(m) {
            return None;
        }
        let ty = match last.starts_with("trim") {
            true => Ty::Discrete("&str".into()),
            false => self.infer.fresh_external(),
        };
        let (code, places) = self.capture(m.to_token_stream());
        let found = Expr::Code(code, places, ty.clone());
        Some(Value::Place(self.temp(span, "found", found, ty)))
    }

    /// Whether the place is a text that nothing changes.
    fn is_immutable_text(&mut self, e: &syn::Expr) -> bool {
        let (_, place) = self.in_block(|l| match l.expr(e) {
            Value::Place(place) | Value::PlaceRef(place, false) => Some(place),
            _ => None,
        });
        place.is_some_and(|place| is_text(&self.shallow(&place.ty)) && self.is_unchanged(&place))
    }

    fn is_unchanged(&self, place: &Place) -> bool {
        self.is_read_only(place) || self.immutable_vars.contains(&place.root)
    }

    /// Whether the chain changes nothing, and reads only values without floats.
    fn is_constant_chain(&self, m: &syn::ExprMethodCall) -> bool {
        let mut only = PurityVisitor(true);
        let mut bound = BoundNames::default();
        syn::visit::visit_expr_method_call(&mut only, m);
        bound.visit_expr_method_call(m);
        let mut names = Vec::new();
        identifiers(&m.to_token_stream(), &mut names);
        only.0
            && bound.0.iter().all(|name| self.lookup(name).is_none())
            && names.iter().all(|name| match self.lookup(name) {
                None => true,
                Some(Binding::Var(v)) => {
                    !self.shallow(&self.draft.func.var(*v).ty).carries_floats()
                }
                Some(Binding::Value(Value::Place(p) | Value::PlaceRef(p, false))) => {
                    !self.shallow(&p.ty).carries_floats()
                }
                Some(Binding::Value(_)) => false,
            })
    }
}
