//! Function values in variables: `let act: fn(f64) -> f64 = if smooth { f64::tanh } else { f64::abs };`
//!
//! A function value is lowered to a closure. One of several is selected by an integer:
//! `|a| match choice { 0 => f(a), _ => g(a) }`.

use proc_macro2::Span;
use quote::format_ident;
use syn::spanned::Spanned;

use super::fn_arity;
use crate::ir::Intrinsic;
use crate::lower::expr::strip_parens;
use crate::lower::types::ungrouped;
use crate::lower::value::{Binding, Scope, Value};
use crate::lower::{Lower, Ty};

const SELECTOR: &str = "__choice";

impl Lower {
    /// The closure for a `let` that binds a function, or one of several; `None` for other `let`s.
    pub fn function_value(&mut self, local: &syn::Local) -> Option<Value> {
        let init = strip_parens(&local.init.as_ref()?.expr);
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(t) => (&*t.pat, Some(&*t.ty)),
            pat => (pat, None),
        };
        if !matches!(pat, syn::Pat::Ident(p) if p.mutability.is_none() && p.subpat.is_none()) {
            return None;
        }
        let arity = match ty {
            Some(ty) => fn_arity(boxed_type(ty), &syn::Generics::default())?,
            None => arity_of(init)?,
        };
        match init {
            syn::Expr::Path(_) => Some(self.function_as_closure(init, arity)),
            syn::Expr::If(_) | syn::Expr::Match(_) => self.selected_function(init, arity),
            _ => None,
        }
    }

    /// The closure for a function that is passed or stored in a field, also in a box, or for one of several.
    pub fn passed_function(&mut self, e: &syn::Expr, arity: usize) -> Value {
        let e = strip_parens(e);
        let chosen = match e {
            syn::Expr::If(_) | syn::Expr::Match(_) => self.selected_function(e, arity),
            _ => None,
        };
        let boxed = match e {
            syn::Expr::Call(_) => function_in(e),
            _ => None,
        };
        chosen.unwrap_or_else(|| self.function_as_closure(boxed.unwrap_or(e), arity))
    }

    fn selected_function(&mut self, init: &syn::Expr, arity: usize) -> Option<Value> {
        let mut choice = init.clone();
        let mut functions = Vec::new();
        extract_functions(&mut choice, &mut functions)?;
        let span = init.span();
        let chosen = self.expr_as(&choice, Some(&Ty::USIZE));
        if matches!(chosen, Value::Diverges) {
            return Some(chosen);
        }
        let chosen = self.owned_binding(SELECTOR, chosen, false, span);
        let mut scope = Scope::from([(SELECTOR.to_string(), chosen)]);
        for (k, function) in functions.iter().enumerate() {
            let function = self.function_as_closure(function, arity);
            scope.insert(format!("{SELECTOR}_{k}"), Binding::Value(function));
        }
        self.scopes.push(scope);
        let closure = self.closure(&selector_closure(functions.len(), arity, span));
        self.scopes.pop();
        Some(closure)
    }
}

/// `|a| match __choice { 0usize => __choice_0(a), _ => __choice_1(a) }`
fn selector_closure(functions: usize, arity: usize, span: Span) -> syn::ExprClosure {
    let choice = format_ident!("{SELECTOR}", span = span);
    let args: Vec<_> = (0..arity)
        .map(|k| format_ident!("argument_{k}", span = span))
        .collect();
    let arms = (0..functions).map(|k| -> syn::Arm {
        let function = format_ident!("{SELECTOR}_{k}", span = span);
        match k + 1 == functions {
            true => syn::parse_quote_spanned!(span=> _ => #function(#(#args),*)),
            false => syn::parse_quote_spanned!(span=> #k => #function(#(#args),*),),
        }
    });
    syn::parse_quote_spanned!(span=> |#(#args),*| match #choice { #(#arms)* })
}

/// Replaces the functions at the ends of the arms by their numbers; `None` if an arm ends otherwise.
fn extract_functions(e: &mut syn::Expr, found: &mut Vec<syn::Expr>) -> Option<()> {
    match e {
        syn::Expr::Paren(p) => extract_functions(&mut p.expr, found),
        syn::Expr::If(i) => {
            extract_from_block(&mut i.then_branch, found)?;
            extract_functions(&mut i.else_branch.as_mut()?.1, found)
        }
        syn::Expr::Match(m) => m.arms.iter_mut().try_for_each(|arm| {
            // The function is called outside of the arm, where its bindings are out of scope.
            let mut bound = super::closure_arguments::BoundNames::default();
            syn::visit::Visit::visit_pat(&mut bound, &arm.pat);
            let named = |name: &String| identifiers_in(&arm.body).contains(name);
            match bound.0.iter().any(named) {
                true => None,
                false => extract_functions(&mut arm.body, found),
            }
        }),
        syn::Expr::Block(b) if b.label.is_none() => extract_from_block(&mut b.block, found),
        syn::Expr::Macro(m)
            if m.mac.path.is_ident("panic") || m.mac.path.is_ident("unreachable") =>
        {
            Some(())
        }
        e => {
            let function = function_in(e)?.clone();
            let k = found.len();
            found.push(function);
            *e = syn::parse_quote_spanned!(e.span()=> #k);
            Some(())
        }
    }
}

/// The same for a block, which must have no statements: the function is called outside of their scope.
fn extract_from_block(block: &mut syn::Block, found: &mut Vec<syn::Expr>) -> Option<()> {
    match &mut block.stmts[..] {
        [syn::Stmt::Expr(e, None)] => extract_functions(e, found),
        _ => None,
    }
}

/// The path or closure in the expression, also in a box or behind a reference.
fn function_in(e: &syn::Expr) -> Option<&syn::Expr> {
    match strip_parens(e) {
        e @ (syn::Expr::Path(_) | syn::Expr::Closure(_)) => Some(e),
        syn::Expr::Reference(r) => function_in(&r.expr),
        syn::Expr::Cast(c) => function_in(&c.expr),
        syn::Expr::Call(c) if c.args.len() == 1 => match strip_parens(&c.func) {
            syn::Expr::Path(p) if crate::lower::infer::expectation::is_box_new(&p.path) => {
                function_in(&c.args[0])
            }
            _ => None,
        },
        _ => None,
    }
}

fn identifiers_in(e: &syn::Expr) -> Vec<String> {
    let mut found = Vec::new();
    crate::lower::tokens::identifiers(&quote::quote!(#e), &mut found);
    found
}

/// The number of arguments of a float function, `f64::hypot`, or of the first of several.
fn arity_of(e: &syn::Expr) -> Option<usize> {
    match strip_parens(e) {
        syn::Expr::Path(p) => {
            let of_floats = p.path.segments.len() == 2
                && ["f64", "f32"]
                    .iter()
                    .any(|float| p.path.segments[0].ident == float);
            let name = p.path.segments.last()?.ident.to_string();
            Some(Intrinsic::from_name(&name).filter(|_| of_floats)?.arity())
        }
        syn::Expr::If(i) => match &i.then_branch.stmts[..] {
            [syn::Stmt::Expr(e, None)] => arity_of(e),
            _ => None,
        },
        syn::Expr::Match(m) => arity_of(&m.arms.first()?.body),
        _ => None,
    }
}

/// The type in a box; other types stay.
pub fn boxed_type(ty: &syn::Type) -> &syn::Type {
    if let syn::Type::Path(p) = ungrouped(ty)
        && let Some(last) = p.path.segments.last().filter(|s| s.ident == "Box")
        && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(syn::GenericArgument::Type(held)) = arguments.args.first()
    {
        return held;
    }
    ty
}
