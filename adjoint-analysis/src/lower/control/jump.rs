//! Lowering of `break`, `continue` and `return`, and of labelled blocks.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::super::value::Value;
use super::super::{LoopContext, Lower, Origin, StmtKind};
use crate::ir::{Ty, VarId};
use crate::mir::labeled::{LabelId, LabeledStmt};
use crate::refuse::Reason;

impl Lower {
    pub(super) fn declare_result(&mut self, span: Span) -> VarId {
        let ty = self.fresh_ty();
        let var = self.new_var("value", ty, Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        self.unassigned.push(var);
        var
    }

    /// `'l: { .. }`, `{ .. }`
    pub fn labeled_block(&mut self, b: &syn::ExprBlock, expected: Option<&Ty>) -> Value {
        let Some(label) = &b.label else {
            return self.block_expr(&b.block, expected);
        };
        let name = label.name.ident.to_string();
        let mut breaks = BreakFinder {
            found: false,
            has_value: false,
        };
        breaks.visit_body(&b.block, Some(&name));
        let result = breaks.has_value.then(|| self.declare_result(b.span()));
        let break_label = self.fresh_label();
        self.loops.push(LoopContext {
            name: Some(name),
            break_label,
            continue_label: None,
            result,
        });
        let (mut raws, value) = self.in_block(|l| l.block_value_as(&b.block, expected));
        self.loops.pop();
        let value = match result {
            Some(var) => {
                let dest = self.value_of_var(var);
                raws.extend(self.in_block(|l| l.store_arm(&dest, value, b.span())).0);
                self.value_of_var(var)
            }
            None => Value::Unit,
        };
        self.out.push(LabeledStmt::Labeled(break_label, raws));
        value
    }

    /// The index of the loop or block that a `break` or `continue` refers to.
    fn jump_target(&self, label: &Option<syn::Lifetime>, is_loop: bool) -> Option<usize> {
        let name = label.as_ref().map(|l| l.ident.to_string());
        self.loops.iter().rposition(|l| match &name {
            Some(name) => l.name.as_ref() == Some(name),
            None => !is_loop || l.continue_label.is_some(),
        })
    }

    /// `break`, `break 'l value`
    pub fn break_expr(&mut self, b: &syn::ExprBreak) -> Value {
        let value = b.expr.as_ref().map(|e| self.expr(e));
        let Some(target) = self.jump_target(&b.label, true) else {
            return self.refuse(b.span(), Reason::Expression("this `break`".into()));
        };
        if let (Some(value), Some(var)) = (value, self.loops[target].result) {
            let dest = self.value_of_var(var);
            self.store_arm(&dest, value, b.span());
        }
        self.out
            .push(LabeledStmt::Exit(self.loops[target].break_label));
        Value::Diverges
    }

    /// `continue`, `continue 'l`
    pub fn continue_expr(&mut self, c: &syn::ExprContinue) -> Value {
        let target = self
            .jump_target(&c.label, true)
            .and_then(|t| self.loops[t].continue_label);
        let Some(label) = target else {
            return self.refuse(c.span(), Reason::Expression("this `continue`".into()));
        };
        self.out.push(LabeledStmt::Exit(label));
        Value::Diverges
    }

    /// `return`, `return value`
    pub fn return_expr(&mut self, r: &syn::ExprReturn) -> Value {
        if let Some(e) = &r.expr {
            let returned = self.return_var().map(|v| self.draft.func.var(v).ty.clone());
            let value = self.expr_as(e, returned.as_ref());
            self.assign_return(value, r.span());
        }
        let label = self.return_label();
        self.out.push(LabeledStmt::Exit(label));
        Value::Diverges
    }

    /// The label that `return` and `?` exit to.
    pub fn return_label(&self) -> LabelId {
        self.inline_returns
            .last()
            .map_or(self.function_label, |(l, _)| *l)
    }
}

/// Finds the `break`s of one loop or labelled block.
pub(super) struct BreakFinder {
    pub(super) found: bool,
    pub(super) has_value: bool,
}

impl BreakFinder {
    pub(super) fn visit_body(&mut self, block: &syn::Block, name: Option<&str>) {
        use syn::visit::Visit;
        let mut walk = BreakWalk {
            finder: self,
            name,
            nested: 0,
        };
        walk.visit_block(block);
    }
}

struct BreakWalk<'a, 'n> {
    finder: &'a mut BreakFinder,
    name: Option<&'n str>,
    nested: usize,
}

impl<'ast> syn::visit::Visit<'ast> for BreakWalk<'_, '_> {
    fn visit_expr_break(&mut self, b: &'ast syn::ExprBreak) {
        let ours = match &b.label {
            Some(l) => self.name.is_some_and(|n| l.ident == n),
            None => self.nested == 0,
        };
        if ours {
            self.finder.found = true;
            self.finder.has_value |= b.expr.is_some();
        }
        syn::visit::visit_expr_break(self, b);
    }

    fn visit_expr_loop(&mut self, e: &'ast syn::ExprLoop) {
        self.nested += 1;
        syn::visit::visit_expr_loop(self, e);
        self.nested -= 1;
    }

    fn visit_expr_while(&mut self, e: &'ast syn::ExprWhile) {
        self.nested += 1;
        syn::visit::visit_expr_while(self, e);
        self.nested -= 1;
    }

    fn visit_expr_for_loop(&mut self, e: &'ast syn::ExprForLoop) {
        self.nested += 1;
        syn::visit::visit_expr_for_loop(self, e);
        self.nested -= 1;
    }

    fn visit_expr_closure(&mut self, _: &'ast syn::ExprClosure) {}
}
