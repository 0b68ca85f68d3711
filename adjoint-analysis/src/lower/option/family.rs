//! Whether a value is an `Option` or a `Result`, told by what is done with it: its type may stand elsewhere.
//!
//! `f(x).map(..)?` has the family of what the function returns, `f(x).map(..).ok()` is of a `Result`.

use super::{OPTION, RESULT};
use crate::lower::Lower;
use crate::lower::choice::Family;
use crate::lower::expr::strip_parens;
use crate::lower::value::Value;

impl Lower {
    /// An expression whose value is of this family, if it is one of a method.
    pub fn expr_of_family(&mut self, e: &syn::Expr, told: Option<Family>) -> Value {
        let is_method = matches!(strip_parens(e), syn::Expr::MethodCall(_));
        self.told = told.filter(|_| is_method);
        let value = self.expr(e);
        self.told = None;
        value
    }
}

/// The family of what a pattern takes apart.
pub fn of_pattern(pat: &syn::Pat) -> Option<Family> {
    let path = match pat {
        syn::Pat::TupleStruct(p) => &p.path,
        syn::Pat::Path(p) => &p.path,
        syn::Pat::Reference(r) => return of_pattern(&r.pat),
        syn::Pat::Ident(i) => return Family::of_variant(&i.ident.to_string()),
        syn::Pat::Or(o) => return o.cases.iter().find_map(of_pattern),
        _ => return None,
    };
    Family::of_variant(&path.segments.last()?.ident.to_string())
}

/// What the receiver of a method has to be, where that is an `Option` or a `Result`; `told` says this of the
/// method's own value.
pub fn of_receiver(m: &syn::ExprMethodCall, told: Option<Family>) -> Option<Family> {
    let name = m.method.to_string();
    match (name.as_str(), m.args.len()) {
        (name, _) if OPTION.contains(&name) => Some(Family::Option),
        (name, _) if RESULT.contains(&name) => Some(Family::Result),
        ("unwrap_or" | "map_or", _) | ("unwrap_or_default", 0) => Some(Family::Either),
        ("unwrap_or_else" | "map_or_else" | "or_else", _) => handler(m).or(told),
        ("map" | "and_then" | "inspect" | "or" | "and", 1) => told,
        ("as_ref" | "as_mut" | "cloned" | "copied" | "clone", 0) => told,
        ("filter" | "zip" | "xor", 1) => told.filter(|family| *family == Family::Option),
        _ => None,
    }
}

/// What the first closure is for: that of a `Result` takes the error.
fn handler(m: &syn::ExprMethodCall) -> Option<Family> {
    match m.args.first()? {
        syn::Expr::Closure(c) if c.inputs.is_empty() => Some(Family::Option),
        syn::Expr::Closure(_) => Some(Family::Result),
        _ => None,
    }
}
