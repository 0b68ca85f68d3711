//! Lowering of `for`, `while` and `loop`.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::super::iter::Producer;
use super::super::value::Value;
use super::super::{LoopContext, Lower, span};
use super::Arm;
use super::condition::is_let_chain;
use super::jump::BreakFinder;
use crate::ir::{Expr, LoopHead, VarId};
use crate::mir::labeled::{LabelId, LabeledStmt};

impl Lower {
    /// `for p in e { .. }`
    pub fn for_loop(&mut self, f: &syn::ExprForLoop) -> Value {
        let span = span::of_expr(&f.expr);
        let value = self.lower_outliving(&f.expr);
        let Some(producer) = self.producer(value, span) else {
            return Value::Unit;
        };
        if producer.is_stream() {
            self.for_stream(f, &producer, span);
            return Value::Unit;
        }
        self.emit_loop(&f.label, span, |l, ctx| {
            let index_name = match &*f.pat {
                syn::Pat::Ident(p) => p.ident.to_string(),
                _ => "k".to_string(),
            };
            let (var, range, direct) = l.counted_range(&producer, &index_name, span);
            let (mut raws, ()) = l.in_block(|l| {
                let index = Value::Place(l.draft.func.place(var));
                let item = match direct {
                    true => index,
                    false => l.item(&producer, Expr::Read(l.draft.func.place(var)), span),
                };
                match (&*f.pat, direct) {
                    (syn::Pat::Ident(p), true) if p.mutability.is_none() => {
                        l.bind(&index_name, super::super::Binding::Var(var));
                    }
                    (pat, _) => l.bind_pattern(pat, item),
                }
                l.loop_body(&f.body);
            });
            raws = vec![LabeledStmt::Labeled(ctx, raws)];
            (LoopHead::Counted(var, range), raws)
        });
        Value::Unit
    }

    /// Lowers a loop over a stream, whose items come one after the other and not by position.
    fn for_stream(&mut self, f: &syn::ExprForLoop, producer: &Producer, span: Span) {
        let end = self.fresh_label();
        self.loops.push(LoopContext {
            name: f.label.as_ref().map(|l| l.name.ident.to_string()),
            break_label: end,
            continue_label: None,
            result: None,
        });
        self.drive(producer, end, span, &mut |l, item| {
            let next = l.fresh_label();
            if let Some(context) = l.loops.last_mut() {
                context.continue_label = Some(next);
            }
            let (raws, ()) = l.in_block(|l| {
                l.bind_pattern(&f.pat, item);
                l.loop_body(&f.body);
            });
            l.out.push(LabeledStmt::Labeled(next, raws));
        });
        self.loops.pop();
    }

    /// `while c { .. }`, `while let`, and chains of these: `loop { if a && let p = b { .. } else { break } }`.
    pub fn while_loop(&mut self, w: &syn::ExprWhile) -> Value {
        let span = span::of_expr(&w.cond);
        if is_let_chain(&w.cond) {
            let (label, cond, body) = (&w.label, &w.cond, &w.body);
            self.loop_expr(&syn::parse_quote_spanned! {span=>
                #label loop { if #cond #body else { break; } }
            });
            return Value::Unit;
        }
        self.emit_loop(&w.label, span, |l, next| {
            let (test_raws, (test, (body, _))) = l.in_block(|l| l.guarded_loop(&w.cond, &w.body));
            if test_raws.iter().all(|raw| l.is_check(raw)) {
                l.out.extend(test_raws);
                return (
                    LoopHead::While(test),
                    vec![LabeledStmt::Labeled(next, body)],
                );
            }
            let id = l.stmt_id(span);
            let mut raws = test_raws;
            let leave = vec![LabeledStmt::Exit(l.current_break())];
            raws.push(LabeledStmt::If(
                id,
                test,
                vec![LabeledStmt::Labeled(next, body)],
                leave,
            ));
            (LoopHead::Forever, raws)
        });
        Value::Unit
    }

    fn guarded_loop(&mut self, cond: &syn::Expr, body: &syn::Block) -> (Expr, Arm) {
        self.lower_guarded(cond, false, |l| l.loop_body(body))
    }

    /// `loop { .. }`
    pub fn loop_expr(&mut self, lp: &syn::ExprLoop) -> Value {
        let span = lp.loop_token.span();
        let mut breaks = BreakFinder {
            found: false,
            has_value: false,
        };
        breaks.visit_body(
            &lp.body,
            lp.label
                .as_ref()
                .map(|l| l.name.ident.to_string())
                .as_deref(),
        );
        let result = breaks.has_value.then(|| self.declare_result(span));
        self.emit_loop_with_result(&lp.label, span, result, |l, next| {
            let (raws, _) = l.in_block(|l| l.loop_body(&lp.body));
            (LoopHead::Forever, vec![LabeledStmt::Labeled(next, raws)])
        });
        match (result, breaks.found) {
            (Some(var), _) => self.value_of_var(var),
            (None, true) => Value::Unit,
            (None, false) => Value::Diverges,
        }
    }

    fn current_break(&self) -> LabelId {
        self.loops.last().map_or(LabelId(0), |l| l.break_label)
    }

    pub(in crate::lower) fn emit_loop(
        &mut self,
        label: &Option<syn::Label>,
        span: Span,
        write: impl FnOnce(&mut Self, LabelId) -> (LoopHead, Vec<LabeledStmt>),
    ) {
        self.emit_loop_with_result(label, span, None, write);
    }

    fn emit_loop_with_result(
        &mut self,
        label: &Option<syn::Label>,
        span: Span,
        result: Option<VarId>,
        write: impl FnOnce(&mut Self, LabelId) -> (LoopHead, Vec<LabeledStmt>),
    ) {
        let (break_label, next) = (self.fresh_label(), self.fresh_label());
        self.loops.push(LoopContext {
            name: label.as_ref().map(|l| l.name.ident.to_string()),
            break_label,
            continue_label: Some(next),
            result,
        });
        let (head, body) = write(self, next);
        self.loops.pop();
        let id = self.stmt_id(span);
        self.out
            .push(LabeledStmt::Loop(id, head, break_label, body));
    }
}
