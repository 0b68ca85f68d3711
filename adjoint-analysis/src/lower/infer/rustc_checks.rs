//! Checks in the generated code, which compile only if types are what lowering assumes.
//!
//! The check of a place borrows it in a closure that is never called: the place need not be initialised yet.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::ir::{Origin, Proj};
use crate::lower::{LabeledStmt, Lower, Place, Stmt, StmtKind};
use crate::mir::code::CaptureMode;
use crate::mir::code::tokens_at;

impl Lower {
    /// Adds the check `what` of a user type, which its use has to satisfy; rustc reports an error if it doesn't.
    pub fn check_type(&mut self, what: &str, ty: &str, span: Span) {
        let key = (what.to_string(), ty.to_string());
        if self.emitted_checks.contains(&key) {
            return;
        }
        let (what, ty) = (tokens_at(what, span), tokens_at(ty, span));
        let tokens = quote_spanned!(span=> ::adjoint::__private::demand::#what::<#ty>());
        self.hoist_check(tokens, key, span);
    }

    /// Adds a check in front of all statements, once for each key.
    pub fn hoist_check(&mut self, tokens: TokenStream, key: (String, String), span: Span) {
        let check = self.new_check(tokens, Vec::new(), span);
        self.hoisted.push(LabeledStmt::Stmt(check));
        self.emitted_checks.push(key);
    }

    /// Adds the check `what` of the type of a place.
    pub fn check_place(&mut self, what: &str, place: &Place, span: Span) {
        let check = self.new_place_check(what, place, span);
        self.push_check(check, place);
    }

    /// Adds a check that a length is a number of elements, and no float.
    pub fn check_length(&mut self, place: &Place, span: Span) {
        let key = (place.root, format!("{:?}.len()", place.proj));
        if self.index_checks.insert(key) {
            let tokens =
                quote_spanned!(span=> ::adjoint::__private::demand::length(|| __place_0.len()));
            let check = self.new_check(tokens, vec![place.clone()], span);
            self.push_check(check, place);
        }
    }

    /// The statement that checks the type of a place.
    pub fn new_place_check(&mut self, what: &str, place: &Place, span: Span) -> Stmt {
        let what = tokens_at(what, span);
        let tokens = quote_spanned!(span=> ::adjoint::__private::demand::#what(|| __place_0));
        self.new_check(tokens, vec![place.clone()], span)
    }

    /// The statement of a check that mentions places.
    pub fn new_check(&mut self, tokens: TokenStream, places: Vec<Place>, span: Span) -> Stmt {
        let by = places.iter().map(|_| CaptureMode::Borrow).collect();
        let code = self.add_code(tokens, by);
        self.check_code.insert(code);
        let id = self.stmt_id(span);
        let kind = StmtKind::Passive(code, places);
        Stmt { id, kind }
    }

    /// Adds a check of a place; that of a parameter comes before all statements, as in a loop condition it would be
    /// evaluated each time.
    pub(in crate::lower) fn push_check(&mut self, check: Stmt, place: &Place) {
        let is_param = self.draft.func.var(place.root).origin == Origin::Param;
        let by_fields = |step: &Proj| matches!(step, Proj::Field(_));
        match is_param && place.proj.iter().all(by_fields) {
            true => self.hoisted.push(LabeledStmt::Stmt(check)),
            false => self.out.push(LabeledStmt::Stmt(check)),
        }
    }

    /// Whether the statement is a check, which can be moved to an earlier point.
    pub fn is_check(&self, raw: &LabeledStmt) -> bool {
        let LabeledStmt::Stmt(stmt) = raw else {
            return false;
        };
        matches!(stmt.kind, StmtKind::Passive(code, _) if self.check_code.contains(&code))
    }
}
