//! Infers from its use whether a value is an `Option` or a `Result`, as its type may be external.
//!
//! `f(x).map(..)?` has the kind of the function's return type; the receiver of `.ok()` in `f(x).map(..).ok()` is a
//! `Result`.

use crate::lower::Lower;
use crate::lower::aggregate::tagged::Family;
use crate::lower::expr::strip_parens;
use crate::lower::std_lib::option::{OPTION, RESULT};
use crate::lower::value::Value;

impl Lower {
    /// Lowers an expression whose value is expected to be of this kind; only a method call makes use of it.
    pub fn expr_of_family(&mut self, e: &syn::Expr, told: Option<Family>) -> Value {
        let is_method = matches!(strip_parens(e), syn::Expr::MethodCall(_));
        self.told = told.filter(|_| is_method);
        let value = self.expr(e);
        self.told = None;
        value
    }
}

/// The kind of the scrutinee that a pattern destructures.
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

/// The kind of a body's value, if its tail or a `return` constructs it.
pub fn of_ends(e: &syn::Expr) -> Option<Family> {
    struct Returned(Option<Family>);
    impl<'ast> syn::visit::Visit<'ast> for Returned {
        fn visit_expr_return(&mut self, r: &'ast syn::ExprReturn) {
            self.0 = self.0.or_else(|| of_end(r.expr.as_deref()?));
            syn::visit::visit_expr_return(self, r);
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut returned = Returned(of_end(e));
    syn::visit::Visit::visit_expr(&mut returned, e);
    returned.0
}

fn of_end(e: &syn::Expr) -> Option<Family> {
    let of_block = |b: &syn::Block| match b.stmts.last()? {
        syn::Stmt::Expr(e, None) => of_end(e),
        _ => None,
    };
    let of_path = |e: &syn::Expr| match e {
        syn::Expr::Path(p) => Family::of_variant(&p.path.segments.last()?.ident.to_string()),
        _ => None,
    };
    match strip_parens(e) {
        syn::Expr::Call(c) => of_path(&c.func),
        syn::Expr::Block(b) => of_block(&b.block),
        syn::Expr::If(i) => {
            let els = || of_end(&i.else_branch.as_ref()?.1);
            of_block(&i.then_branch).or_else(els)
        }
        syn::Expr::Match(m) => m.arms.iter().find_map(|arm| of_end(&arm.body)),
        e => of_path(e),
    }
}

/// The kind that a method call requires of its receiver, if that is an `Option` or a `Result`; `told` is the kind of
/// the call's result.
pub fn of_receiver(m: &syn::ExprMethodCall, told: Option<Family>) -> Option<Family> {
    match told_by_name(m, told) {
        None | Some(Family::Either) if is_of_lent_element(m) => Some(Family::Option),
        told => told,
    }
}

/// Whether the receiver is `x.get(i)` or the like, an `Option` of a reference to an element.
fn is_of_lent_element(m: &syn::ExprMethodCall) -> bool {
    let of_options = [
        "copied",
        "cloned",
        "map",
        "map_or",
        "map_or_else",
        "and_then",
        "zip",
        "filter",
        "unwrap_or",
    ];
    let lent =
        matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(get) if lends_element(get));
    // The default of a reference is a reference.
    let lends = |e: &syn::Expr| matches!(strip_parens(e), syn::Expr::Reference(_));
    let default = m.method != "unwrap_or" || m.args.first().is_some_and(lends);
    lent && default && of_options.iter().any(|name| m.method == name)
}

/// Whether the method returns an `Option` of a reference to an element: `x.get(i)`, where `i` is no key by reference.
pub fn lends_element(m: &syn::ExprMethodCall) -> bool {
    let by_position = |e: &syn::Expr| match strip_parens(e) {
        syn::Expr::Reference(_) => false,
        syn::Expr::Lit(l) => matches!(l.lit, syn::Lit::Int(_)),
        _ => true,
    };
    match m.method.to_string().as_str() {
        "get" | "get_mut" => m.args.len() == 1 && m.args.iter().all(by_position),
        "first" | "first_mut" | "last" | "last_mut" => m.args.is_empty(),
        _ => false,
    }
}

fn told_by_name(m: &syn::ExprMethodCall, told: Option<Family>) -> Option<Family> {
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

/// The kind that the first closure implies: that of a `Result` takes the error.
fn handler(m: &syn::ExprMethodCall) -> Option<Family> {
    match m.args.first()? {
        syn::Expr::Closure(c) if c.inputs.is_empty() => Some(Family::Option),
        syn::Expr::Closure(_) => Some(Family::Result),
        _ => None,
    }
}
