//! Chains of methods on a text, such as `line.trim().parse::<f64>().unwrap()`: no derivative flows through them, so
//! they are evaluated as written.

use quote::ToTokens;
use syn::visit::Visit;

use super::texts::is_text;
use crate::ir::{Expr, Place};
use crate::lower::expr::strip_parens;
use crate::lower::inline::closure_arguments::Names;
use crate::lower::std_lib::method;
use crate::lower::tokens::words;
use crate::lower::value::{Binding, Value};
use crate::lower::{Lower, Ty};

/// Methods of texts that are lowered individually.
const OF_TEXTS: &[&str] = &[
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
const ITERATORS: &[&str] = &[
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
struct FindsOnly(bool);

impl<'ast> Visit<'ast> for FindsOnly {
    fn visit_expr(&mut self, e: &'ast syn::Expr) {
        self.0 &= match e {
            syn::Expr::Reference(r) => r.mutability.is_none(),
            syn::Expr::Binary(b) => crate::lower::expr::compound(&b.op).is_none(),
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
fn start(m: &syn::ExprMethodCall) -> (&syn::Expr, String) {
    match strip_parens(&m.receiver) {
        syn::Expr::MethodCall(inner) => start(inner),
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
    pub fn chain_on_text(&mut self, m: &syn::ExprMethodCall) -> Option<Value> {
        let (from, first) = start(m);
        let (last, span) = (m.method.to_string(), m.method.span());
        let is_lowered = OF_TEXTS.contains(&first.as_str())
            || method::is_comparison(&first)
            || self.env.seen.has_method(&first)
            || self.env.of_std_types.contains(&first);
        if is_lowered || ITERATORS.contains(&last.as_str()) || !is_place(from) {
            return None;
        }
        if !self.is_text_to_read(from) || !self.finds_constant(m) {
            return None;
        }
        let ty = match last.starts_with("trim") {
            true => Ty::Discrete("&str".into()),
            false => self.infer.declared_elsewhere(),
        };
        let (code, places) = self.capture(m.to_token_stream());
        let found = Expr::Code(code, places, ty.clone());
        Some(Value::Place(self.temp(span, "found", found, ty)))
    }

    /// Whether the place is a text that nothing changes.
    fn is_text_to_read(&mut self, e: &syn::Expr) -> bool {
        let (_, place) = self.in_block(|l| match l.expr(e) {
            Value::Place(place) | Value::View(place, false) => Some(place),
            _ => None,
        });
        place.is_some_and(|place| is_text(&self.shallow(&place.ty)) && self.is_kept(&place))
    }

    fn is_kept(&self, place: &Place) -> bool {
        self.is_fixed(place) || self.immutable.contains(&place.root)
    }

    /// Whether the chain changes nothing, and reads only values without floats.
    fn finds_constant(&self, m: &syn::ExprMethodCall) -> bool {
        let mut only = FindsOnly(true);
        let mut bound = Names::default();
        syn::visit::visit_expr_method_call(&mut only, m);
        bound.visit_expr_method_call(m);
        let mut names = Vec::new();
        words(&m.to_token_stream(), &mut names);
        only.0
            && bound.0.iter().all(|name| self.lookup(name).is_none())
            && names.iter().all(|name| match self.lookup(name) {
                None => true,
                Some(Binding::Var(v)) => {
                    !self.shallow(&self.draft.func.var(*v).ty).carries_floats()
                }
                Some(Binding::Value(Value::Place(p) | Value::View(p, false))) => {
                    !self.shallow(&p.ty).carries_floats()
                }
                Some(Binding::Value(_)) => false,
            })
    }
}
