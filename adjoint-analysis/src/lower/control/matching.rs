//! Lowering of `match` and `let … else`: a chain of tests in source order.

use syn::spanned::Spanned;

use super::super::value::Value;
use super::super::{Lower, StmtKind, Ty};
use crate::ir::Expr;
use crate::lower::infer::enum_kind::kind_of_pattern;
use crate::lower::pattern::alternatives::alternatives;
use crate::lower::std_lib::growth::pop_arms;
use crate::mir::labeled::LabeledStmt;
use crate::refuse::Reason;

/// Copies the arm once for each of the patterns.
fn split_arm(arm: &syn::Arm, pats: Vec<syn::Pat>) -> impl Iterator<Item = syn::Arm> {
    pats.into_iter().map(|pat| {
        let mut arm = arm.clone();
        match &mut arm.pat {
            syn::Pat::Guard(g) => *g.pat = pat,
            whole => *whole = pat,
        }
        arm
    })
}

impl Lower {
    /// Lowers a `match` to a chain of tests in source order.
    pub fn match_expr(&mut self, m: &syn::ExprMatch, expected: Option<&Ty>) -> Value {
        let value = match pop_arms(m) {
            None => {
                let told = m.arms.iter().find_map(|arm| kind_of_pattern(&arm.pat));
                self.lower_expr_of_kind(&m.expr, told)
            }
            Some((some, none)) => match self.pop_scrutinee(&some.pat, &m.expr) {
                Ok((test, place, pat)) => {
                    let then = self.in_block(|l| {
                        l.bind_popped(&place, pat);
                        l.expr_as(&some.body, expected)
                    });
                    let els = self.in_block(|l| l.expr_as(&none.body, expected));
                    return self.emit_branch(m.span(), test, then, els);
                }
                Err(value) => value,
            },
        };
        if matches!(value, Value::Diverges) {
            return Value::Diverges;
        }
        let value = match m.arms.iter().any(|arm| self.guard_writes(arm)) {
            true => {
                let value = self.materialize_rvalue(&m.expr, value);
                self.freeze_value(value, m.expr.span())
            }
            false => value,
        };
        let value = self.lower_scrutinee(m.arms.iter().map(|arm| &arm.pat), &m.expr, value);
        self.match_arms(&m.arms, &value, expected)
    }

    fn guard_writes(&self, arm: &syn::Arm) -> bool {
        matches!(&arm.pat, syn::Pat::Guard(g) if !self.changed_by(&g.guard, false).is_empty())
    }

    fn match_arms(&mut self, arms: &[syn::Arm], value: &Value, expected: Option<&Ty>) -> Value {
        let Some((arm, rest)) = arms.split_first() else {
            return Value::Diverges;
        };
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(g) => (&*g.pat, Some(&*g.guard)),
            pat => (pat, None),
        };
        // A guard is tried once for each alternative that matches. One that neither writes nor reads the bindings gives
        // the same answer each time, so it needs no arms of its own.
        if guard.is_some() && (self.guard_writes(arm) || !self.bound_names(pat).is_empty()) {
            match alternatives(pat) {
                Some(all) if all.len() > 1 => {
                    let arms: Vec<syn::Arm> =
                        split_arm(arm, all).chain(rest.iter().cloned()).collect();
                    return self.match_arms(&arms, value, expected);
                }
                Some(_) => {}
                None => {
                    let what = "a guard behind so many alternatives".to_string();
                    return self.refuse(pat.span(), Reason::Pattern(what));
                }
            }
        }
        let test = self.pattern_test(pat, value);
        let body = |l: &mut Self| {
            l.bind_tested(pat, value.clone());
            l.expr_as(&arm.body, expected)
        };
        let Some(guard) = guard else {
            let then = self.in_block(body);
            return match test {
                Some(test) if !rest.is_empty() => {
                    let els = self.in_block(|l| l.match_arms(rest, value, expected));
                    self.emit_branch(arm.span(), test, then, els)
                }
                // The last arm of an exhaustive match needs no test.
                _ => {
                    self.out.extend(then.0);
                    then.1
                }
            };
        };
        let test = self.guarded_test(pat, test, guard, value);
        let then = self.in_block(body);
        let els = self.in_block(|l| l.match_arms(rest, value, expected));
        self.emit_branch(arm.span(), test, then, els)
    }

    /// The conjunction of a pattern's test and its guard. The guard sees the pattern's bindings, in a scope of its own.
    fn guarded_test(
        &mut self,
        pat: &syn::Pat,
        test: Option<Expr>,
        guard: &syn::Expr,
        value: &Value,
    ) -> Expr {
        let guard_value = self.in_block(|l| {
            l.bind_tested(pat, value.clone());
            let g = l.expr(guard);
            l.read(g, guard.span()).0
        });
        let (guard_raws, guard_test) = guard_value;
        match test {
            Some(test) if guard_raws.is_empty() => {
                Expr::Binary(crate::ir::BinOp::And, Box::new(test), Box::new(guard_test))
            }
            None => {
                self.out.extend(guard_raws);
                guard_test
            }
            Some(test) => {
                let flag = self.temp(guard.span(), "test", test, Ty::Bool);
                let mut raws = guard_raws;
                let (assign, ()) = self
                    .in_block(|l| l.emit(guard.span(), StmtKind::Assign(flag.clone(), guard_test)));
                raws.extend(assign);
                let id = self.stmt_id(guard.span());
                self.out.push(LabeledStmt::If(
                    id,
                    Expr::Read(flag.clone()),
                    raws,
                    Vec::new(),
                ));
                Expr::Read(flag)
            }
        }
    }

    /// `let p = e else { .. };`: tests, diverges or binds.
    pub fn bind_or_diverge(&mut self, pat: &syn::Pat, value: Value, diverge: &syn::Expr) {
        let value = self.place_scrutinee(value, pat.span());
        if let Some(test) = self.pattern_test(pat, &value) {
            let (els, _) = self.in_block(|l| l.expr(diverge));
            let id = self.stmt_id(pat.span());
            self.out.push(LabeledStmt::If(id, test, Vec::new(), els));
        }
        self.bind_tested(pat, value);
    }
}
