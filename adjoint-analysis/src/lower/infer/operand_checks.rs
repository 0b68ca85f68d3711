//! Checks of external fields and constants whose types are inferred from operators: `k * s.m` makes `s.m` a real, if
//! `k` is one.
//!
//! A user type may have an operator with a number whose result is a number. Its derivative is not that of the number's
//! operator.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::ir::{Block, CodeId, Expr, FloatTy, Place, Proj, Stmt, StmtKind};
use crate::lower::{Lower, Ty, VarId};
use crate::mir::code::tokens_at;

/// A place by its fields, without indices: the elements of a list share one type.
type PlaceKey = (VarId, Vec<String>);

impl Lower {
    /// Inserts the checks into the body, before types are substituted.
    pub fn check_inferred_reals(&mut self, body: &mut Block) {
        let mut tables = HashSet::new();
        body.walk(&mut |stmt| {
            if let StmtKind::Let(v, Some(Expr::Code(..))) = stmt.kind {
                tables.insert(v);
            }
        });
        self.check_reals_in(body, &tables, &mut HashSet::new());
    }

    fn check_reals_in(
        &mut self,
        block: &mut Block,
        tables: &HashSet<VarId>,
        checked: &mut HashSet<PlaceKey>,
    ) {
        let mut stmts = Vec::with_capacity(block.stmts.len());
        for mut stmt in std::mem::take(&mut block.stmts) {
            let span = self.draft.spans[stmt.id.index()];
            for (place, real) in self.inferred_operands(&stmt, tables) {
                if checked.insert(place_key(&place)) {
                    let tokens = real_check(&real, span);
                    stmts.push(self.new_check(tokens, vec![place], span));
                }
            }
            for (code, places, real) in self.inferred_constants(&stmt) {
                stmts.push(self.new_constant_check(code, places, &real, span));
            }
            for inner in stmt.blocks_mut() {
                self.check_reals_in(inner, tables, checked);
            }
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// The statement's operands that are fields or elements of tables, and reals by inference from operators only.
    fn inferred_operands(&self, stmt: &Stmt, tables: &HashSet<VarId>) -> Vec<(Place, FloatTy)> {
        let by_field = |step: &Proj| matches!(step, Proj::Field(_));
        let is_part = |p: &Place| p.proj.iter().any(by_field) || tables.contains(&p.root);
        let mut found = Vec::new();
        let mut note = |e: &Expr| {
            if let Expr::Read(place) = e
                && is_part(place)
                && self.infer.is_external(&place.ty)
                && let Ty::Float(real) = self.infer.resolve(&place.ty)
                && real != FloatTy::Infer
            {
                found.push((place.clone(), real));
            }
        };
        stmt.each_arithmetic_operand(&mut note);
        found
    }

    /// The same for constants and elements of constants.
    fn inferred_constants(&self, stmt: &Stmt) -> Vec<(CodeId, Vec<Place>, FloatTy)> {
        let mut found = Vec::new();
        let mut note = |e: &Expr| {
            if let Expr::Code(code, places, ty) = e
                && self.infer.is_external(ty)
                && let Ty::Float(real) = self.infer.resolve(ty)
                && real != FloatTy::Infer
            {
                found.push((*code, places.clone(), real));
            }
        };
        stmt.each_arithmetic_operand(&mut note);
        found
    }

    /// The check that the code's value is of this real type.
    fn new_constant_check(
        &mut self,
        code: CodeId,
        places: Vec<Place>,
        real: &FloatTy,
        span: Span,
    ) -> Stmt {
        let code = self.draft.code[code.index()].clone();
        let (ty, tokens) = (
            tokens_at(&Ty::Float(real.clone()).to_string(), span),
            code.tokens,
        );
        let tokens = match real {
            FloatTy::Param(_) => {
                quote_spanned!(span=> ::adjoint::__private::demand::is_value::<#ty>(|| #tokens))
            }
            _ => {
                quote_spanned!(span=> ::adjoint::__private::demand::holds_value::<#ty, _>(|| #tokens))
            }
        };
        let check = self.add_code(tokens, code.modes);
        self.check_code.insert(check);
        let kind = StmtKind::Passive(check, places);
        let id = self.stmt_id(span);
        Stmt { id, kind }
    }
}

/// The check that a place is of this real type.
fn real_check(real: &FloatTy, span: Span) -> TokenStream {
    let ty = tokens_at(&Ty::Float(real.clone()).to_string(), span);
    match real {
        // No trait can be implemented for a type parameter.
        FloatTy::Param(_) => {
            quote_spanned!(span=> ::adjoint::__private::demand::is::<#ty>(|| __place_0))
        }
        _ => quote_spanned!(span=> ::adjoint::__private::demand::holds::<#ty, _>(|| __place_0)),
    }
}

fn place_key(place: &Place) -> PlaceKey {
    let step = |step: &Proj| match step {
        Proj::Index(_) => "[]".into(),
        step => format!("{step:?}"),
    };
    (place.root, place.proj.iter().map(step).collect())
}
