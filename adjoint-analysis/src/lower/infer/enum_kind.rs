//! Infers from its use whether a value is an `Option` or a `Result`, as its type may be external.
//!
//! `f(x).map(..)?` has the kind of the function's return type; the receiver of `.ok()` in `f(x).map(..).ok()` is a
//! `Result`.

use crate::lower::Lower;
use crate::lower::aggregate::split_enum::EnumKind;
use crate::lower::expr::strip_parens;
use crate::lower::std_lib::option::{OPTION, RESULT};
use crate::lower::value::Value;

impl Lower {
    /// Lowers an expression whose value is expected to be of this kind; only a method call makes use of it.
    pub fn lower_expr_of_kind(&mut self, e: &syn::Expr, told: Option<EnumKind>) -> Value {
        let is_method = matches!(strip_parens(e), syn::Expr::MethodCall(_));
        self.expected_enum = told.filter(|_| is_method);
        let value = self.expr(e);
        self.expected_enum = None;
        value
    }
}

/// The kind of the scrutinee that a pattern destructures.
pub fn kind_of_pattern(pat: &syn::Pat) -> Option<EnumKind> {
    let path = match pat {
        syn::Pat::TupleStruct(p) => &p.path,
        syn::Pat::Path(p) => &p.path,
        syn::Pat::Reference(r) => return kind_of_pattern(&r.pat),
        syn::Pat::Ident(i) => return EnumKind::of_variant(&i.ident.to_string()),
        syn::Pat::Or(o) => return o.cases.iter().find_map(kind_of_pattern),
        _ => return None,
    };
    EnumKind::of_variant(&path.segments.last()?.ident.to_string())
}

/// The kind of a body's value, if its tail or a `return` constructs it.
pub fn kind_of_body(e: &syn::Expr) -> Option<EnumKind> {
    struct Returned(Option<EnumKind>);
    impl<'ast> syn::visit::Visit<'ast> for Returned {
        fn visit_expr_return(&mut self, r: &'ast syn::ExprReturn) {
            self.0 = self.0.or_else(|| kind_of_tail(r.expr.as_deref()?));
            syn::visit::visit_expr_return(self, r);
        }
        fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
        fn visit_item(&mut self, _: &'ast syn::Item) {}
    }
    let mut returned = Returned(kind_of_tail(e));
    syn::visit::Visit::visit_expr(&mut returned, e);
    returned.0
}

fn kind_of_tail(e: &syn::Expr) -> Option<EnumKind> {
    let of_block = |b: &syn::Block| match b.stmts.last()? {
        syn::Stmt::Expr(e, None) => kind_of_tail(e),
        _ => None,
    };
    let of_path = |e: &syn::Expr| match e {
        syn::Expr::Path(p) => EnumKind::of_variant(&p.path.segments.last()?.ident.to_string()),
        _ => None,
    };
    match strip_parens(e) {
        syn::Expr::Call(c) => of_path(&c.func),
        syn::Expr::Block(b) => of_block(&b.block),
        syn::Expr::If(i) => {
            let els = || kind_of_tail(&i.else_branch.as_ref()?.1);
            of_block(&i.then_branch).or_else(els)
        }
        syn::Expr::Match(m) => m.arms.iter().find_map(|arm| kind_of_tail(&arm.body)),
        e => of_path(e),
    }
}

/// The kind that a method call requires of its receiver, if that is an `Option` or a `Result`; `told` is the kind of
/// the call's result.
pub fn kind_of_receiver(m: &syn::ExprMethodCall, told: Option<EnumKind>) -> Option<EnumKind> {
    match kind_by_method(m, told) {
        None | Some(EnumKind::Unknown) if is_on_element_ref(m) => Some(EnumKind::Option),
        told => told,
    }
}

/// Whether the receiver is `x.get(i)` or the like, an `Option` of a reference to an element.
fn is_on_element_ref(m: &syn::ExprMethodCall) -> bool {
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
        matches!(strip_parens(&m.receiver), syn::Expr::MethodCall(get) if returns_element_ref(get));
    // The default of a reference is a reference.
    let lends = |e: &syn::Expr| matches!(strip_parens(e), syn::Expr::Reference(_));
    let default = m.method != "unwrap_or" || m.args.first().is_some_and(lends);
    lent && default && of_options.iter().any(|name| m.method == name)
}

/// Whether the method returns an `Option` of a reference to an element: `x.get(i)`, where `i` is no key by reference.
pub fn returns_element_ref(m: &syn::ExprMethodCall) -> bool {
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

fn kind_by_method(m: &syn::ExprMethodCall, told: Option<EnumKind>) -> Option<EnumKind> {
    let name = m.method.to_string();
    match (name.as_str(), m.args.len()) {
        (name, _) if OPTION.contains(&name) => Some(EnumKind::Option),
        (name, _) if RESULT.contains(&name) => Some(EnumKind::Result),
        ("unwrap_or" | "map_or", _) | ("unwrap_or_default", 0) => Some(EnumKind::Unknown),
        ("unwrap_or_else" | "map_or_else" | "or_else", _) => kind_by_handler(m).or(told),
        ("map" | "and_then" | "inspect" | "or" | "and", 1) => told,
        ("as_ref" | "as_mut" | "cloned" | "copied" | "clone", 0) => told,
        ("filter" | "zip" | "xor", 1) => told.filter(|family| *family == EnumKind::Option),
        _ => None,
    }
}

/// The kind that the first closure implies: that of a `Result` takes the error.
fn kind_by_handler(m: &syn::ExprMethodCall) -> Option<EnumKind> {
    match m.args.first()? {
        syn::Expr::Closure(c) if c.inputs.is_empty() => Some(EnumKind::Option),
        syn::Expr::Closure(_) => Some(EnumKind::Result),
        _ => None,
    }
}
