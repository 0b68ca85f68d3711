//! Sorting and searching. The user's code computes the result, which is discrete.
//!
//! A sort moves the elements in an order that depends on their values. The order is an array of integers, which the
//! reverse sweep reads to move the adjoints back.

use std::collections::BTreeSet;

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::visit::Visit;

use crate::ir::construct::{binary, usize_lit};
use crate::ir::{BinOp, Expr, Place};
use crate::lower::expr::strip_parens;
use crate::lower::inline::closure_arguments::{BoundNames, closure_bindings};
use crate::lower::opaque::code::CapturedPlaces;
use crate::lower::tokens::identifiers;
use crate::lower::value::{Binding, Scope, Value};
use crate::lower::{Lower, Ty};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;
use crate::refuse::Reason;

impl Lower {
    /// Lowers `sort_by`, `partition_point` and the like; `None` for other methods.
    pub fn sorting_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        let order = match name {
            "sort" | "sort_unstable" | "select_nth_unstable" => quote!(own),
            "sort_by" | "sort_unstable_by" | "select_nth_unstable_by" => quote!(by),
            "sort_by_key" | "sort_unstable_by_key" | "select_nth_unstable_by_key" => quote!(by_key),
            "sort_by_cached_key" => quote!(by_cached_key),
            _ => return self.search_method(name, receiver, m),
        };
        let place = self.sequence_place(receiver)?;
        let place = self.freeze_place(place, span);
        if name.contains("unstable") && self.holds_objects(&place) {
            let what = format!("`{name}` of what holds objects in boxes or `VecDeque`s");
            return Some(self.refuse(span, Reason::Expression(what)));
        }
        let mut by = m.args.iter();
        if name.starts_with("select_nth") {
            return self.select_nth(&place, by.next()?, &order, by.next(), m);
        }
        let how = match name.contains("unstable") {
            true => quote!(Unstable),
            false => quote!(Stable),
        };
        self.sort(
            &[(&place, CaptureMode::Value)],
            (&how, &order),
            by.next(),
            m,
        )
    }

    /// Sorts a list by a function of the runtime. The list is the first of `places`, to which `how` may refer.
    fn sort(
        &mut self,
        places: &[(&Place, CaptureMode)],
        (how, order): (&TokenStream, &TokenStream),
        by: Option<&syn::Expr>,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let args = Vec::from_iter(by);
        let make = |by: &TokenStream| {
            let path = quote!(::adjoint::__private::order);
            quote!({
                use #path::NotCopied as _;
                let __copied = #path::Elements::of(&__place_0[..]).are_copied();
                #path::#order(&__place_0[..], #path::#how, __copied, #by)
            })
        };
        let order =
            self.lower_discrete_call(&make, places, (m, &args), Ty::Vec(Box::new(Ty::USIZE)))?;
        let span = m.method.span();
        let order = self.place_of(order, span);
        self.move_elements(places[0].0, &order, span);
        Some(Value::Unit)
    }

    /// `select_nth_unstable(at)`
    fn select_nth(
        &mut self,
        place: &Place,
        at: &syn::Expr,
        order: &TokenStream,
        by: Option<&syn::Expr>,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let span = m.method.span();
        let at = self.expr(at);
        let (at, ty) = self.read(at, span);
        self.unify(&ty, &Ty::USIZE);
        let at = self.temp(span, "at", at, Ty::USIZE);
        let (asked, at) = (at.clone(), Expr::Read(at));
        let after = self.stable_operand(
            binary(BinOp::Add, at.clone(), usize_lit(1)),
            Ty::USIZE,
            span,
        );
        let places = [(place, CaptureMode::Value), (&asked, CaptureMode::Value)];
        self.sort(&places, (&quote!(Nth(__place_1)), order), by, m)?;
        let head = self.slice(place, None, Some(at.clone()));
        let tail = self.slice(place, Some(after), None);
        let nth = self.element(place, at, span);
        let parts = [head, nth, tail].map(|part| Value::PlaceRef(part, true));
        Some(Value::Tuple(parts.to_vec()))
    }

    /// `v[k] = old[order[k]]` for each `k`.
    fn move_elements(&mut self, place: &Place, order: &Place, span: Span) {
        let Some(element) = self.shallow(&place.ty).element().cloned() else {
            return;
        };
        let whole = place.project(
            crate::ir::Proj::Range(None, None),
            Ty::Slice(Box::new(element.clone())),
        );
        let old = Expr::Read(whole);
        let old = self.temp(span, "old", old, Ty::Vec(Box::new(element)));
        self.counted_loop(Expr::Len(order.clone()), span, |l, k| {
            let at = l.element(order, k.clone(), span);
            let from = l.element(&old, Expr::Read(at), span);
            let to = l.element(place, k, span);
            l.store(Value::Place(to), Value::Place(from), span);
        });
    }

    /// Lowers methods of sequences that find an index or test all elements.
    fn search_method(
        &mut self,
        name: &str,
        receiver: &Value,
        m: &syn::ExprMethodCall,
    ) -> Option<Value> {
        let ty = match name {
            "partition_point" => Ty::USIZE,
            "binary_search" | "binary_search_by" | "binary_search_by_key" => {
                Ty::Result(Box::new(Ty::USIZE), Box::new(Ty::USIZE))
            }
            "contains" | "is_sorted" | "is_sorted_by" | "is_sorted_by_key" => Ty::Bool,
            _ => return None,
        };
        let (place, by) = match self.sequence_place(receiver) {
            Some(place) => (place, CaptureMode::Value),
            // The result has no derivative, whatever the receiver's type is.
            None => (
                self.unknown_type_place(name, receiver)?,
                CaptureMode::Borrow,
            ),
        };
        let (method, args) = (&m.method, m.args.iter().collect::<Vec<_>>());
        let make = |args: &TokenStream| quote!(__place_0.#method(#args));
        self.lower_discrete_call(&make, &[(&place, by)], (m, &args), ty)
    }

    /// The place of a receiver of unknown type, unless that type may have a method of this name itself.
    fn unknown_type_place(&mut self, name: &str, receiver: &Value) -> Option<Place> {
        let (Value::Place(place) | Value::PlaceRef(place, _)) = receiver else {
            return None;
        };
        let place = self.deref_boxes(place);
        let is_open = matches!(self.shallow(&place.ty), Ty::Infer(_));
        let own = self.env.signatures.has_method(name) || self.is_noted_struct(&place);
        (is_open && !own).then_some(place)
    }

    fn sequence_place(&mut self, receiver: &Value) -> Option<Place> {
        let receiver = self.hoist_table(receiver.clone(), Span::call_site());
        let (Value::Place(place) | Value::PlaceRef(place, _)) = receiver else {
            return None;
        };
        let place = self.deref_boxes(&place);
        self.shallow(&place.ty).element()?;
        Some(place)
    }

    /// Whether the expression, as opaque code, changes variables of the function.
    fn changes_variables(&self, e: &syn::Expr) -> bool {
        let changed = self.changed_by(e, true);
        changed.iter().any(|name| self.lookup(name).is_some())
    }

    /// Calls the user's method on the places and arguments as opaque code; the result is in a variable.
    fn lower_discrete_call(
        &mut self,
        make: &dyn Fn(&TokenStream) -> TokenStream,
        places: &[(&Place, CaptureMode)],
        (m, args): (&syn::ExprMethodCall, &[&syn::Expr]),
        ty: Ty,
    ) -> Option<Value> {
        let captured = places.iter().map(|(place, by)| ((*place).clone(), *by));
        let mut captured: CapturedPlaces = captured.unzip();
        let helpers = match self.named_closures(args, &mut captured) {
            Ok(helpers) => helpers,
            Err(refused) => return Some(refused),
        };
        let mut all = Vec::new();
        for arg in args {
            if self.changes_variables(arg) {
                let what = format!("a change within the argument of `{}`", m.method);
                return Some(self.refuse(arg.span(), Reason::Expression(what)));
            }
            match self.captured_argument(arg, &mut captured) {
                Ok(tokens) => all.push(tokens),
                Err(refused) => return Some(refused),
            }
        }
        let tokens = make(&quote!(#(#all),*));
        let (places, by) = captured;
        let code = self.add_code(quote!({ #helpers #tokens }), by);
        self.draft.code[code.index()].restrict_to_reads();
        let found = Expr::Code(code, places, ty.clone());
        Some(Value::Place(self.temp(m.method.span(), "found", found, ty)))
    }

    /// The tokens of an argument with its captures. The bindings of a closure in it hide variables of the same name.
    fn captured_argument(
        &mut self,
        arg: &syn::Expr,
        captured: &mut CapturedPlaces,
    ) -> Result<TokenStream, Value> {
        let (mut hidden, mut bound) = (BTreeSet::new(), bound_names(arg));
        if let syn::Expr::Closure(c) = strip_parens(arg) {
            (hidden, bound) = closure_bindings(c);
            hidden.extend(bound_before_use(&c.body));
        }
        let meets = |name: &&String| !hidden.contains(*name) && self.lookup(name).is_some();
        if let Some(name) = bound.iter().find(meets) {
            let what = format!("a closure that declares another `{name}`");
            return Err(self.refuse(arg.span(), Reason::HandedIn(what)));
        }
        let hidden = hidden.into_iter();
        let hidden = hidden.map(|name| (name, Binding::Value(Value::Diverges)));
        self.scopes.push(hidden.collect::<Scope>());
        let tokens = self.capture_tokens(quote!(#arg), captured);
        self.scopes.pop();
        Ok(tokens)
    }

    /// Declarations of the closures that the arguments name, repeated for the opaque code.
    fn named_closures(
        &mut self,
        args: &[&syn::Expr],
        captured: &mut CapturedPlaces,
    ) -> Result<TokenStream, Value> {
        let mut helpers = TokenStream::new();
        for arg in args {
            let mut names = Vec::new();
            identifiers(&quote!(#arg), &mut names);
            names.sort();
            names.dedup();
            for name in names {
                let closure = match self.lookup(&name) {
                    Some(Binding::Value(Value::Closure(closure))) => closure.clone(),
                    Some(Binding::Value(Value::Iter(_))) => {
                        return Err(self.refuse(arg.span(), Reason::Closure));
                    }
                    _ => continue,
                };
                match self.closure_code(&closure, captured) {
                    Ok(code) => {
                        let name = tokens_at(&name, arg.span());
                        helpers.extend(quote!(let #name = #code;));
                    }
                    Err(what) => return Err(self.refuse(arg.span(), Reason::HandedIn(what))),
                }
            }
        }
        Ok(helpers)
    }
}

/// The names that a closure's body binds before it mentions them otherwise, so that they capture nothing.
fn bound_before_use(body: &syn::Expr) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let syn::Expr::Block(block) = body else {
        return found;
    };
    let mut before = Vec::new();
    for stmt in &block.block.stmts {
        if let syn::Stmt::Local(local) = stmt {
            if let Some(init) = &local.init {
                let diverge = init.diverge.as_ref().map(|(_, e)| e);
                let e = &init.expr;
                identifiers(&quote!(#e #diverge), &mut before);
            }
            let names = pattern_names(&local.pat).into_iter();
            found.extend(names.filter(|name| !before.contains(name)));
        }
        identifiers(&quote!(#stmt), &mut before);
    }
    found
}

/// The names that patterns in an expression bind.
fn bound_names(e: &syn::Expr) -> BTreeSet<String> {
    let mut names = BoundNames::default();
    names.visit_expr(e);
    names.0
}

fn pattern_names(pat: &syn::Pat) -> BTreeSet<String> {
    let mut names = BoundNames::default();
    names.visit_pat(pat);
    names.0
}
