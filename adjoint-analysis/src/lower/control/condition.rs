//! Lowering of `if`, and of conditions that bind names.

use syn::spanned::Spanned;

use super::super::expr::strip_parens;
use super::super::value::Value;
use super::super::{Lower, Ty, span};
use super::{Arm, true_lit};
use crate::ir::Expr;
use crate::mir::labeled::{LabelId, LabeledStmt};
use crate::refuse::Reason;

impl Lower {
    /// `if`, `else if`, `if let`, and chains of these.
    pub fn if_expr(&mut self, i: &syn::ExprIf, expected: Option<&Ty>) -> Value {
        let span = span::of_if(i);
        let expected = match i.else_branch {
            Some(_) => expected,
            None => Some(&Ty::Unit),
        };
        if is_let_chain(&i.cond) {
            return self.let_chain(i, expected);
        }
        let (raws, (test, then)) = self.in_block(|l| {
            l.lower_guarded(&i.cond, false, |l| {
                l.block_value_as(&i.then_branch, expected)
            })
        });
        self.out.extend(raws);
        let els = self.in_block(|l| match &i.else_branch {
            Some((_, e)) => l.expr_as(e, expected),
            None => Value::Unit,
        });
        self.emit_branch(span, test, then, els)
    }

    /// Lowers a condition, and a body in the scope of the names that it binds. `changes` says whether the body may
    /// write the scrutinee's source, so that the scrutinee is copied.
    pub(super) fn lower_guarded(
        &mut self,
        cond: &syn::Expr,
        changes: bool,
        body: impl FnOnce(&mut Self) -> Value,
    ) -> (Expr, Arm) {
        match strip_parens(cond) {
            syn::Expr::Let(l) => {
                let value = match self.pop_scrutinee(&l.pat, &l.expr) {
                    Ok((test, place, pat)) => {
                        let arm = self.in_block(|s| {
                            s.bind_popped(&place, pat);
                            body(s)
                        });
                        return (test, arm);
                    }
                    Err(value) => value,
                };
                let value = match changes {
                    true => self.materialize_rvalue(&l.expr, value),
                    false => value,
                };
                let value = self.lower_scrutinee(std::iter::once(&*l.pat), &l.expr, value);
                let test = self.pattern_test(&l.pat, &value);
                let arm = self.in_block(|s| {
                    s.bind_tested(&l.pat, value);
                    body(s)
                });
                (test.unwrap_or_else(true_lit), arm)
            }
            cond => {
                let value = self.expr(cond);
                let (test, ty) = self.read(value, span::of_expr(cond));
                self.unify(&ty, &Ty::Bool);
                (test, self.in_block(body))
            }
        }
    }

    /// `if a && let p = b && ..`: nested tests, each of which falls through to the `else`.
    fn let_chain(&mut self, i: &syn::ExprIf, expected: Option<&Ty>) -> Value {
        let mut conds = Vec::new();
        conjuncts(&i.cond, &mut conds);
        let done = self.fresh_label();
        let mut result = Value::Diverges;
        let (then, ()) = self.in_block(|l| {
            let then = |l: &mut Self| l.block_value_as(&i.then_branch, expected);
            l.chain_tests(&conds, &then, done, &mut result);
        });
        let els = self.in_block(|l| match &i.else_branch {
            Some((_, e)) => l.expr_as(e, expected),
            None => Value::Unit,
        });
        let span = span::of_if(i);
        let then = (then, result);
        let own = self.arm_vars(&[&then, &els]);
        let (then, result) = then;
        let dest = self.join_destination(&[&result, &els.1], &own, span);
        let (close, ()) = self.in_block(|l| l.store_arm(&dest, result, span));
        let mut body = then;
        insert_before_exit(&mut body, done, &close);
        body.extend(els.0);
        body.extend(self.in_block(|l| l.store_arm(&dest, els.1, span)).0);
        self.out.push(LabeledStmt::Labeled(done, body));
        dest
    }

    fn chain_tests(
        &mut self,
        conds: &[&syn::Expr],
        then: &dyn Fn(&mut Self) -> Value,
        done: LabelId,
        result: &mut Value,
    ) {
        let Some((first, rest)) = conds.split_first() else {
            *result = then(self);
            if !matches!(result, Value::Diverges) {
                self.out.push(LabeledStmt::Exit(done));
            }
            return;
        };
        let changes = rest.iter().any(|e| !self.changed_by(e, false).is_empty());
        let (test, (raws, _)) = self.lower_guarded(first, changes, |l| {
            l.chain_tests(rest, then, done, result);
            Value::Unit
        });
        let id = self.stmt_id(span::of_expr(first));
        self.out.push(LabeledStmt::If(id, test, raws, Vec::new()));
    }

    /// Refuses a `let` in a condition that is not a plain chain.
    pub fn refuse_let(&mut self, l: &syn::ExprLet) -> Expr {
        self.refuse(
            l.span(),
            Reason::Expression("a `let` in this position".into()),
        );
        true_lit()
    }
}

/// `a && let p = b && ..`
pub(super) fn is_let_chain(e: &syn::Expr) -> bool {
    let side = |e: &syn::Expr| match strip_parens(e) {
        syn::Expr::Let(_) => true,
        e => is_let_chain(e),
    };
    match strip_parens(e) {
        syn::Expr::Binary(b) => {
            matches!(b.op, syn::BinOp::And(_)) && (side(&b.left) || side(&b.right))
        }
        _ => false,
    }
}

fn conjuncts<'a>(e: &'a syn::Expr, out: &mut Vec<&'a syn::Expr>) {
    match strip_parens(e) {
        syn::Expr::Binary(b) if is_let_chain(e) => {
            conjuncts(&b.left, out);
            conjuncts(&b.right, out);
        }
        e => out.push(e),
    }
}

/// Inserts statements before each exit to the label.
fn insert_before_exit(raws: &mut Vec<LabeledStmt>, label: LabelId, insert: &[LabeledStmt]) {
    if let Some(i) = raws
        .iter()
        .position(|r| matches!(r, LabeledStmt::Exit(l) if *l == label))
    {
        raws.splice(i..i, insert.iter().cloned());
        return;
    }
    for raw in raws {
        match raw {
            LabeledStmt::If(_, _, a, b) => {
                insert_before_exit(a, label, insert);
                insert_before_exit(b, label, insert);
            }
            LabeledStmt::Loop(_, _, _, body) | LabeledStmt::Labeled(_, body) => {
                insert_before_exit(body, label, insert);
            }
            _ => {}
        }
    }
}
