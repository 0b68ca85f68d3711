//! Closures passed to functions that are not inlined.
//!
//! The callee's use of a closure is not visible, so it is passed as opaque code over its captured variables, emitted in
//! each sweep. A callee treats the results of such a function as constants; activity analysis checks that no captured
//! variable is varied ([`crate::compile`]).

use std::collections::BTreeSet;
use std::rc::Rc;

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::closure::Closure;
use crate::lower::items::generic_arguments::value_params;
use crate::lower::opaque::code::CapturedPlaces;
use crate::lower::tokens::identifiers;
use crate::lower::types::{is_lowered_fn_type, text};
use crate::lower::{Expr, Lower, Place, Ty};
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

impl Closure {
    /// A reference to the closure.
    pub fn with_reference(&self, mutable: bool) -> Rc<Closure> {
        Rc::new(Closure {
            borrowed: Some(mutable),
            ..self.clone()
        })
    }

    /// The closure with the given parameter types, as far as they mean the same in the caller.
    pub fn with_param_types(
        &self,
        takes: Option<Vec<&syn::Type>>,
        generics: &syn::Generics,
    ) -> Rc<Closure> {
        let params = value_params(generics);
        let is_known = |ty: &&syn::Type| {
            let mut names = Vec::new();
            identifiers(&quote!(#ty), &mut names);
            let is_open = |name: &String| params.contains(name) || name == "Self";
            !text(ty).contains('\'') && !names.iter().any(is_open)
        };
        let takes = takes.into_iter().flatten();
        Rc::new(Closure {
            param_types: takes.map(|ty| Some(ty).filter(is_known).cloned()).collect(),
            ..self.clone()
        })
    }

    /// The closure as it is emitted in the sweeps: without `move`, as its captured variables are read again later.
    fn emitted_tokens(&self) -> TokenStream {
        let mut closure = self.expr.clone();
        closure.capture = None;
        for (pat, ty) in closure.inputs.iter_mut().zip(&self.param_types) {
            if let (Some(ty), false) = (ty, matches!(pat, syn::Pat::Type(_))) {
                *pat = syn::Pat::Type(syn::PatType {
                    attrs: Vec::new(),
                    pat: Box::new(pat.clone()),
                    colon_token: syn::token::Colon::default(),
                    ty: Box::new(ty.clone()),
                });
            }
        }
        quote!(#closure)
    }
}

impl Lower {
    /// Whether the place is a parameter of function type.
    pub fn is_function_param(&self, place: &Place) -> bool {
        is_lowered_fn_type(&place.ty, &self.env)
    }

    /// `&f` of a function: a reference to a function is passed by value.
    pub fn function_ref_arg(&mut self, place: Place) -> Expr {
        let ty = place.ty.clone();
        let code = self.add_code(quote!(__place_0), vec![CaptureMode::Borrow]);
        Expr::Code(code, vec![place], ty)
    }

    /// The closure as an argument of a call.
    pub fn closure_argument(&mut self, closure: &Closure) -> Expr {
        let ty = Ty::Discrete("impl Fn".into());
        let refused = Expr::Aggregate(Vec::new(), ty.clone());
        let span = closure.expr.span();
        let mut captured = CapturedPlaces::default();
        match self.closure_code(closure, &mut captured) {
            Ok(tokens) => {
                let (places, by) = captured;
                let code = match closure.borrowed {
                    Some(_) => self.add_code(quote!(&(#tokens)), by),
                    None => self.add_code(tokens, by),
                };
                self.draft.code[code.index()].restrict_to_reads();
                self.closure_args.push((code, span));
                Expr::Code(code, places, ty)
            }
            Err(what) => {
                self.refuse(span, Reason::HandedIn(what));
                refused
            }
        }
    }

    /// The closure as code over its captured variables; an error says why it can't be.
    pub fn closure_code(
        &mut self,
        closure: &Closure,
        captured: &mut CapturedPlaces,
    ) -> Result<TokenStream, String> {
        if closure.effects.captured || closure.borrowed == Some(true) {
            return Err("a closure that writes".into());
        }
        let (params, inner) = closure_bindings(&closure.expr);
        let mut scopes = closure.scopes.clone();
        for scope in &mut scopes {
            scope.retain(|name, _| !params.contains(name));
        }
        let outer = std::mem::replace(&mut self.scopes, scopes);
        let twice = inner.iter().find(|name| self.lookup(name).is_some());
        let tokens = closure.emitted_tokens();
        let code = match twice {
            Some(name) => Err(format!("a closure that declares another `{name}`")),
            None if self.mentions_inlined_value(&tokens) => {
                Err("a closure that uses another".into())
            }
            None => Ok(self.capture_tokens(tokens, captured)),
        };
        self.scopes = outer;
        code
    }
}

/// The names that patterns bind.
#[derive(Default)]
pub struct BoundNames(pub BTreeSet<String>);

impl<'ast> Visit<'ast> for BoundNames {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        self.0.insert(pattern.ident.to_string());
        syn::visit::visit_pat_ident(self, pattern);
    }
}

/// The names bound by the parameters, and those bound in the body.
pub fn closure_bindings(closure: &syn::ExprClosure) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut params, mut inner) = (BoundNames::default(), BoundNames::default());
    closure.inputs.iter().for_each(|p| params.visit_pat(p));
    inner.visit_expr(&closure.body);
    (params.0, inner.0)
}
