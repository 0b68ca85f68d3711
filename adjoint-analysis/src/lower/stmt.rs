//! Blocks and statements.

use proc_macro2::Span;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;

use super::aggregate::split_enum::literal_bool;
use super::expr::strip_parens;
use super::iter::owned_slices_type;
use super::pattern::scrutinee::binds_mut;
use super::std_lib::growth::is_pop;
use super::types::{is_option_of_reference, ungrouped};
use super::value::{Binding, Value};
use super::{LabeledStmt, Lower, StmtKind, Ty};
use crate::ir::Expr;
use crate::mir::code::CaptureMode;
use crate::refuse::Reason;

impl Lower {
    /// Lowers the statements of a loop's body in the current scope.
    pub fn loop_body(&mut self, block: &syn::Block) -> Value {
        self.block_value_as(block, Some(&Ty::Unit))
    }

    /// Lowers the statements of a block in the current scope; returns the value of its tail, whose type may be
    /// expected.
    pub fn block_value_as(&mut self, block: &syn::Block, expected: Option<&Ty>) -> Value {
        let without = self.declare_block_items(block);
        self.lower_stmts(without.as_ref().unwrap_or(block), expected)
    }

    fn lower_stmts(&mut self, block: &syn::Block, expected: Option<&Ty>) -> Value {
        let mut value = Value::Unit;
        let last = block.stmts.len().wrapping_sub(1);
        for (i, stmt) in block.stmts.iter().enumerate() {
            let checkpointed = self.checkpointed_stmt(stmt, i == last);
            value = match stmt {
                _ if checkpointed.is_some() => checkpointed.unwrap_or(Value::Unit),
                syn::Stmt::Expr(e, None) if i == last => self.expr_as(e, expected),
                syn::Stmt::Macro(m) if i == last && m.semi_token.is_none() => {
                    self.macro_value(&m.mac, expected)
                }
                _ => self.lower_stmt(stmt),
            };
            if matches!(value, Value::Diverges) && i != last {
                return Value::Diverges;
            }
        }
        value
    }

    /// Lowers one statement; the value diverges if the code after it is unreachable.
    pub(super) fn lower_stmt(&mut self, stmt: &syn::Stmt) -> Value {
        let value = match stmt {
            syn::Stmt::Local(local) => return self.lower_let(local),
            syn::Stmt::Item(_) => return Value::Unit,
            syn::Stmt::Expr(syn::Expr::MethodCall(m), Some(_)) if is_pop(m) => {
                self.pop_statement(m)
            }
            // A lone `;`.
            syn::Stmt::Expr(syn::Expr::Verbatim(nothing), _) if nothing.is_empty() => Value::Unit,
            syn::Stmt::Expr(e @ syn::Expr::MethodCall(_), Some(_)) => {
                self.is_statement = true;
                let value = self.expr(e);
                self.force_eval(&value, e.span());
                value
            }
            syn::Stmt::Expr(e, Some(_)) => {
                let value = self.expr(e);
                self.force_eval(&value, e.span());
                value
            }
            syn::Stmt::Expr(e, None) => self.expr_as(e, Some(&Ty::Unit)),
            syn::Stmt::Macro(m) => self.macro_value(&m.mac, None),
        };
        match value {
            Value::Diverges => Value::Diverges,
            _ => Value::Unit,
        }
    }

    pub fn lower_let(&mut self, local: &syn::Local) -> Value {
        if let Some(function) = self.function_value(local) {
            if matches!(function, Value::Diverges) {
                return function;
            }
            let pat = match &local.pat {
                syn::Pat::Type(t) => &t.pat,
                pat => pat,
            };
            self.bind_pattern(pat, function);
            return Value::Unit;
        }
        let (pat, annotation) = match &local.pat {
            syn::Pat::Type(t) => {
                let ty = self.as_list_type(&t.ty);
                let ty = self.declared_type(&ty);
                (&*t.pat, Some(self.collect_type(ty, local)))
            }
            pat => (pat, None),
        };
        let Some(init) = &local.init else {
            return self.declare_without_value(pat, annotation);
        };
        if let Some((_, diverge)) = &init.diverge {
            return self.lower_let_else(pat, annotation.as_ref(), &init.expr, diverge);
        }
        if matches!(pat, syn::Pat::Ident(p) if self.is_used_as_struct(&p.ident.to_string())) {
            self.expect_struct(&init.expr);
        }
        // The type of `None` is left open where the `Option` is of a reference: it owns nothing, whatever it will refer
        // to.
        let annotation = match (&local.pat, strip_parens(&init.expr)) {
            (syn::Pat::Type(t), syn::Expr::Path(p))
                if p.path.is_ident("None") && is_option_of_reference(&t.ty) =>
            {
                None
            }
            _ => annotation,
        };
        let map = self.opaque_map(local, annotation.as_ref());
        let annotation = annotation.filter(|_| map.is_none());
        let opaque = map.or_else(|| self.lower_opaque_init(pat, &init.expr, annotation.is_some()));
        let value = match opaque {
            Some(value) => value,
            None => self.expr_as(&init.expr, annotation.as_ref()),
        };
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        if let Some(ty) = &annotation {
            let found = self.value_ty(&value);
            self.unify(ty, &found);
        }
        let value = match &annotation {
            Some(ty) => self.coerce_to_declared(value, ty),
            None => value,
        };
        let value = match pat {
            syn::Pat::Ident(_) => self.assemble_referent(&init.expr, value),
            _ => value,
        };
        let value = match (value, &local.pat) {
            // An array converted from a slice is declared as a reference.
            (Value::Place(p), syn::Pat::Type(t)) => match ungrouped(&t.ty) {
                syn::Type::Reference(r) => Value::PlaceRef(p, r.mutability.is_some()),
                _ => Value::Place(p),
            },
            (value, syn::Pat::Type(t)) => self.constant_as_annotated(value, &t.ty, pat.span()),
            (value, _) => value,
        };
        if self.try_declare_empty_ref(local, &value) {
            return Value::Unit;
        }
        let value = match binds_mut(pat) {
            true => self.materialize_rvalue(&init.expr, value),
            false => value,
        };
        if has_wildcard(pat) || makes_reference(&init.expr, &value) {
            self.force_eval(&value, init.expr.span());
        }
        self.bind_pattern(pat, value);
        Value::Unit
    }

    /// `let mut last: Option<&mut f64> = None;`: declares a reference without a target, which in a loop may be read
    /// before the statement that sets it.
    fn try_declare_empty_ref(&mut self, local: &syn::Local, value: &Value) -> bool {
        let syn::Pat::Type(t) = &local.pat else {
            return false;
        };
        let syn::Pat::Ident(name) = &*t.pat else {
            return false;
        };
        let text = name.ident.to_string();
        let own = match name.mutability {
            Some(_) => self.declare_empty_ref(&text, value, &t.ty, name.ident.span()),
            None => None,
        };
        let is_one = own.is_some();
        if let Some(own) = own {
            self.bind(&text, Binding::Value(own));
        }
        is_one
    }

    /// The type of the declared variable: `collect` copies slices, so elements that are slices become `Vec`s.
    fn collect_type(&self, ty: Ty, local: &syn::Local) -> Ty {
        let init = local.init.as_ref().map(|init| strip_parens(&init.expr));
        match init {
            Some(syn::Expr::MethodCall(m)) if m.method == "collect" => owned_slices_type(ty),
            _ => ty,
        }
    }

    /// Evaluates a value that nothing may read, so that an index out of bounds panics as in the primal.
    pub fn force_eval(&mut self, value: &Value, span: Span) {
        match value {
            Value::Place(p) | Value::PlaceRef(p, _) if !p.operands().is_empty() => {
                let code = self.add_code(quote!(let _ = __place_0), vec![CaptureMode::Borrow]);
                self.emit(span, StmtKind::Passive(code, vec![p.clone()]));
            }
            Value::SplitEnum(c) => match literal_bool(&c.tag) {
                Some(true) => self.force_eval(&c.payload, span),
                Some(false) => self.force_eval(&c.err_payload, span),
                None => {}
            },
            Value::Expr(e, ty) if self.may_panic(e, ty) => {
                self.temp(span, "unused", e.clone(), ty.clone());
            }
            Value::Tuple(parts) | Value::RefStruct(_, parts) => {
                parts.iter().for_each(|part| self.force_eval(part, span));
            }
            _ => {}
        }
    }

    /// Whether evaluating the expression may panic, where nothing else evaluates it.
    fn may_panic(&self, e: &Expr, ty: &Ty) -> bool {
        let is_known = match self.shallow(ty) {
            ty if ty.is_scalar() || self.infer.is_int(&ty) || self.infer.is_number(&ty) => true,
            Ty::Array(..) | Ty::Vec(_) | Ty::Boxed(_) => !matches!(e, Expr::Read(_)),
            Ty::Discrete(_) => matches!(e, Expr::Code(..)),
            _ => false,
        };
        is_known && !matches!(e, Expr::Lit(..))
    }

    /// `let p = e else { .. };`
    fn lower_let_else(
        &mut self,
        pat: &syn::Pat,
        annotation: Option<&super::Ty>,
        e: &syn::Expr,
        diverge: &syn::Expr,
    ) -> Value {
        let value = match self.pop_scrutinee(pat, e) {
            Ok((test, place, inner)) => {
                let (els, _) = self.in_block(|l| l.expr(diverge));
                let id = self.stmt_id(pat.span());
                self.out.push(LabeledStmt::If(id, test, Vec::new(), els));
                self.bind_popped(&place, inner);
                return Value::Unit;
            }
            Err(value) => value,
        };
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        if let Some(ty) = annotation {
            let found = self.value_ty(&value);
            self.unify(ty, &found);
        }
        let value = match binds_mut(pat) {
            true => self.materialize_rvalue(e, value),
            false => value,
        };
        self.bind_or_diverge(pat, value, diverge);
        Value::Unit
    }

    fn declare_without_value(&mut self, pat: &syn::Pat, annotation: Option<Ty>) -> Value {
        let ident = match pat {
            syn::Pat::Ident(ident) => ident,
            syn::Pat::Paren(inner) => return self.declare_without_value(&inner.pat, annotation),
            syn::Pat::Tuple(tuple) => {
                let tys = match annotation {
                    Some(Ty::Tuple(tys)) => tys,
                    _ => Vec::new(),
                };
                return self.declare_each(&tuple.elems, tys);
            }
            syn::Pat::Slice(slice) => {
                let tys = match annotation {
                    Some(Ty::Array(ty, _)) => vec![*ty; slice.elems.len()],
                    _ => Vec::new(),
                };
                return self.declare_each(&slice.elems, tys);
            }
            _ => {
                let what = "a pattern without a value";
                return self.refuse(pat.span(), Reason::Pattern(what.into()));
            }
        };
        let ty = annotation.unwrap_or_else(|| self.fresh_ty());
        let name = ident.ident.to_string();
        let var = self.new_var(&name, ty, super::Origin::Local);
        self.emit(pat.span(), StmtKind::Let(var, None));
        self.bind(&name, super::Binding::Var(var));
        self.unassigned.push(var);
        Value::Unit
    }

    /// `let (x, y);`, `let [x, y];`
    fn declare_each<P>(&mut self, pats: &Punctuated<syn::Pat, P>, tys: Vec<Ty>) -> Value {
        let tys = tys.into_iter().map(Some).chain(std::iter::repeat(None));
        for (pat, ty) in pats.iter().zip(tys) {
            self.declare_without_value(pat, ty);
        }
        Value::Unit
    }

    /// Lowers a block as an expression.
    pub fn block_expr(&mut self, block: &syn::Block, expected: Option<&Ty>) -> Value {
        let (raws, value) = self.in_block(|l| l.block_value_as(block, expected));
        self.out.extend(raws);
        value
    }

    /// Whether the statements only declare temporaries, so that they can run at any time.
    pub fn is_pure(raws: &[LabeledStmt]) -> bool {
        raws.iter()
            .all(|r| matches!(r, LabeledStmt::Stmt(s) if is_pure_stmt(&s.kind)))
    }
}

/// Whether the statement has no effect on variables that existed before.
fn is_pure_stmt(kind: &StmtKind) -> bool {
    match kind {
        StmtKind::Let(..) => true,
        StmtKind::Call(call) => call.callee.operator().is_some() && call.result.is_some(),
        _ => false,
    }
}

/// Whether evaluating the expression borrows a place anew: the borrow may panic, even if nothing reads the reference.
fn makes_reference(e: &syn::Expr, value: &Value) -> bool {
    fn lends(value: &Value) -> bool {
        match value {
            Value::PlaceRef(..) => true,
            Value::Tuple(parts) | Value::RefStruct(_, parts) => parts.iter().any(lends),
            _ => false,
        }
    }
    !matches!(strip_parens(e), syn::Expr::Path(_)) && lends(value)
}

/// Whether the pattern has a wildcard.
fn has_wildcard(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Wild(_) => true,
        syn::Pat::Tuple(t) => t.elems.iter().any(has_wildcard),
        syn::Pat::Paren(p) => has_wildcard(&p.pat),
        _ => false,
    }
}
