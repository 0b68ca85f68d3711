//! Control flow: branches, loops and the ways out of them.

use proc_macro2::Span;
use syn::spanned::Spanned;

use super::growth::pop_arms;
use super::iter::Producer;
use super::raw::{LabelId, Raw};
use super::reference::Kind;
use super::value::Value;
use super::{LoopContext, Lower, Origin, StmtKind, Ty};
use crate::ir::{Expr, LoopHead, VarId};
use crate::refuse::Reason;

/// An arm of a branch: what it wrote and its value.
type Arm = (Vec<Raw>, Value);

impl Lower {
    // Branches.

    /// `if`, `else if`, `if let`, and chains of these.
    pub fn if_expr(&mut self, i: &syn::ExprIf) -> Value {
        let span = i.span();
        if matches!(super::expr::strip_parens(&i.cond), syn::Expr::Binary(b) if has_let(b)) {
            return self.let_chain(i);
        }
        let (raws, (test, then)) =
            self.in_block(|l| l.guarded(&i.cond, |l| l.block_value(&i.then_branch)));
        self.out.extend(raws);
        let els = self.in_block(|l| match &i.else_branch {
            Some((_, e)) => l.expr(e),
            None => Value::Unit,
        });
        self.branch(span, test, then, els)
    }

    /// A condition, and a body in the scope of what the condition binds.
    fn guarded(&mut self, cond: &syn::Expr, body: impl FnOnce(&mut Self) -> Value) -> (Expr, Arm) {
        match super::expr::strip_parens(cond) {
            syn::Expr::Let(l) => {
                let value = match self.popped(&l.pat, &l.expr) {
                    Ok((test, place, pat)) => {
                        let arm = self.in_block(|s| {
                            s.bind_popped(&place, pat);
                            body(s)
                        });
                        return (test, arm);
                    }
                    Err(value) => value,
                };
                let value = self.scrutinee(value, l.expr.span());
                let test = self.pattern_test(&l.pat, &value);
                let arm = self.in_block(|s| {
                    s.bind_tested(&l.pat, value);
                    body(s)
                });
                (test.unwrap_or_else(truth), arm)
            }
            cond => {
                let value = self.expr(cond);
                let (test, ty) = self.read(value, cond.span());
                self.unify(&ty, &Ty::Bool);
                (test, self.in_block(body))
            }
        }
    }

    /// `if a && let p = b && ..`: nested tests, each of which falls through to the `else`.
    fn let_chain(&mut self, i: &syn::ExprIf) -> Value {
        let mut conds = Vec::new();
        conjuncts(&i.cond, &mut conds);
        let done = self.fresh_label();
        let mut result = Value::Never;
        let (then, ()) = self.in_block(|l| l.chain(&conds, &i.then_branch, done, &mut result));
        let els = self.in_block(|l| match &i.else_branch {
            Some((_, e)) => l.expr(e),
            None => Value::Unit,
        });
        let dest = self.destination(&[&result, &els.1], i.span());
        let (close, ()) = self.in_block(|l| l.deliver(&dest, result, i.span()));
        let mut body = then;
        insert_before_exit(&mut body, done, &close);
        body.extend(els.0);
        body.extend(self.in_block(|l| l.deliver(&dest, els.1, i.span())).0);
        self.out.push(Raw::Labeled(done, body));
        dest
    }

    fn chain(
        &mut self,
        conds: &[&syn::Expr],
        then: &syn::Block,
        done: LabelId,
        result: &mut Value,
    ) {
        let Some((first, rest)) = conds.split_first() else {
            *result = self.block_value(then);
            if !matches!(result, Value::Never) {
                self.out.push(Raw::Exit(done));
            }
            return;
        };
        let (test, (raws, _)) = self.guarded(first, |l| {
            l.chain(rest, then, done, result);
            Value::Unit
        });
        let id = self.stmt_id(first.span());
        self.out.push(Raw::If(id, test, raws, Vec::new()));
    }

    /// Two arms joined; their value, if they have one, is at a temporary.
    pub fn branch(&mut self, span: Span, test: Expr, then: Arm, els: Arm) -> Value {
        let dest = self.destination(&[&then.1, &els.1], span);
        let mut close = |(mut raws, value): Arm| {
            raws.extend(self.in_block(|l| l.deliver(&dest, value, span)).0);
            raws
        };
        let (then, els) = (close(then), close(els));
        let id = self.stmt_id(span);
        self.out.push(Raw::If(id, test, then, els));
        dest
    }

    /// A place for the value that several arms may yield.
    pub fn destination(&mut self, values: &[&Value], span: Span) -> Value {
        let live: Vec<&Value> = values
            .iter()
            .copied()
            .filter(|v| !matches!(v, Value::Never))
            .collect();
        let Some(first) = live.first() else {
            return Value::Never;
        };
        if live.iter().all(|v| matches!(v, Value::Unit)) {
            return Value::Unit;
        }
        if live.iter().any(|v| matches!(v, Value::Choice(_))) {
            return self.choice_destination(&live, span);
        }
        if let Value::Tuple(parts) = first {
            let arms = live.iter().map(|v| match v {
                Value::Tuple(p) if p.len() == parts.len() => Some(p),
                _ => None,
            });
            if let Some(arms) = arms.collect::<Option<Vec<_>>>() {
                let column = |i: usize| arms.iter().map(|p| &p[i]).collect::<Vec<_>>();
                let columns: Vec<Vec<&Value>> = (0..parts.len()).map(column).collect();
                return Value::Tuple(columns.iter().map(|c| self.destination(c, span)).collect());
            }
        }
        if let Value::View(place, mutable) = first {
            let same = live
                .iter()
                .all(|v| matches!(v, Value::View(p, _) if p == place));
            if same {
                return Value::View(place.clone(), *mutable);
            }
            let scalar = live
                .iter()
                .all(|v| matches!(v, Value::View(p, false) if self.is_copied(p)));
            if live.iter().all(|v| matches!(v, Value::View(..))) && (!scalar || self.by_reference) {
                return self.chosen(&live, span);
            }
        }
        let ty = self.fresh();
        for value in live {
            let found = self.value_ty(value);
            self.unify(&ty, &found);
        }
        let var = self.new_var("value", ty.clone(), Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        Value::Place(super::Place::var(var, ty))
    }

    /// A reference that each arm makes point somewhere.
    fn chosen(&mut self, arms: &[&Value], span: Span) -> Value {
        let ty = self.fresh();
        let mut mutable = true;
        for arm in arms {
            let found = self.value_ty(arm);
            self.unify(&ty, &found);
            mutable &= matches!(arm, Value::View(_, true));
        }
        let kind = Kind {
            mutable,
            moves: false,
        };
        self.new_reference("chosen", kind, ty, None, span)
    }

    /// Writes an arm's value to its destination.
    fn deliver(&mut self, dest: &Value, value: Value, span: Span) {
        match (dest, value) {
            (_, Value::Never) | (Value::Unit | Value::Never, _) => {}
            (Value::View(to, _), Value::View(from, _)) if *to == from => {}
            (dest, value) => self.store(dest.clone(), value, span),
        }
    }

    /// `match`: a chain of tests, in order.
    pub fn match_expr(&mut self, m: &syn::ExprMatch) -> Value {
        let value = match pop_arms(m) {
            None => self.expr(&m.expr),
            Some((some, none)) => match self.popped(&some.pat, &m.expr) {
                Ok((test, place, pat)) => {
                    let then = self.in_block(|l| {
                        l.bind_popped(&place, pat);
                        l.expr(&some.body)
                    });
                    let els = self.in_block(|l| l.expr(&none.body));
                    return self.branch(m.span(), test, then, els);
                }
                Err(value) => value,
            },
        };
        if matches!(value, Value::Never) {
            return Value::Never;
        }
        let value = self.scrutinee(value, m.expr.span());
        self.match_arms(&m.arms, &value)
    }

    fn match_arms(&mut self, arms: &[syn::Arm], value: &Value) -> Value {
        let Some((arm, rest)) = arms.split_first() else {
            return Value::Never;
        };
        let (pat, guard) = match &arm.pat {
            syn::Pat::Guard(g) => (&*g.pat, Some(&*g.guard)),
            pat => (pat, None),
        };
        let test = self.pattern_test(pat, value);
        let body = |l: &mut Self| {
            l.bind_tested(pat, value.clone());
            l.expr(&arm.body)
        };
        let Some(guard) = guard else {
            let then = self.in_block(body);
            return match test {
                Some(test) if !rest.is_empty() => {
                    let els = self.in_block(|l| l.match_arms(rest, value));
                    self.branch(arm.span(), test, then, els)
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
        let els = self.in_block(|l| l.match_arms(rest, value));
        self.branch(arm.span(), test, then, els)
    }

    /// A pattern's test and its guard. The guard sees what the pattern binds, but binds for itself.
    pub fn guarded_test(
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
                self.out
                    .push(Raw::If(id, Expr::Read(flag.clone()), raws, Vec::new()));
                Expr::Read(flag)
            }
        }
    }

    /// `let p = e else { .. };`
    pub fn let_else(&mut self, pat: &syn::Pat, value: Value, diverge: &syn::Expr) {
        let value = self.scrutinee(value, pat.span());
        if let Some(test) = self.pattern_test(pat, &value) {
            let (els, _) = self.in_block(|l| l.expr(diverge));
            let id = self.stmt_id(pat.span());
            self.out.push(Raw::If(id, test, Vec::new(), els));
        }
        self.bind_tested(pat, value);
    }

    /// A `let` inside a condition that is not a plain chain.
    pub fn let_condition(&mut self, l: &syn::ExprLet) -> Expr {
        self.refuse(
            l.span(),
            Reason::Expression("a `let` in this position".into()),
        );
        truth()
    }

    // Loops.

    /// `for p in e { .. }`
    pub fn for_loop(&mut self, f: &syn::ExprForLoop) -> Value {
        let span = f.expr.span();
        let value = self.expr(&f.expr);
        let Some(producer) = self.producer(value, span) else {
            return Value::Unit;
        };
        if producer.is_stream() {
            self.for_stream(f, &producer, span);
            return Value::Unit;
        }
        self.loop_with(&f.label, span, |l, ctx| {
            let index_name = match &*f.pat {
                syn::Pat::Ident(p) => p.ident.to_string(),
                _ => "k".to_string(),
            };
            let (var, range, direct) = l.counted(&producer, &index_name, span);
            let (mut raws, ()) = l.in_block(|l| {
                let index = Value::Place(l.func.place(var));
                let item = match direct {
                    true => index,
                    false => l.item(&producer, Expr::Read(l.func.place(var)), span),
                };
                match (&*f.pat, direct) {
                    (syn::Pat::Ident(p), true) if p.mutability.is_none() => {
                        l.bind(&index_name, super::Binding::Var(var));
                    }
                    (pat, _) => l.bind_pattern(pat, item),
                }
                l.block_value(&f.body);
            });
            raws = vec![Raw::Labeled(ctx, raws)];
            (LoopHead::Counted(var, range), raws)
        });
        Value::Unit
    }

    /// A loop over items that can only be had one after the other.
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
                l.block_value(&f.body);
            });
            l.out.push(Raw::Labeled(next, raws));
        });
        self.loops.pop();
    }

    /// `while c { .. }` and `while let`
    pub fn while_loop(&mut self, w: &syn::ExprWhile) -> Value {
        let span = w.cond.span();
        self.loop_with(&w.label, span, |l, next| {
            let (test_raws, (test, (body, _))) = l.in_block(|l| l.guarded_loop(&w.cond, &w.body));
            if test_raws.is_empty() {
                return (LoopHead::While(test), vec![Raw::Labeled(next, body)]);
            }
            let id = l.stmt_id(span);
            let mut raws = test_raws;
            let leave = vec![Raw::Exit(l.current_break())];
            raws.push(Raw::If(id, test, vec![Raw::Labeled(next, body)], leave));
            (LoopHead::Forever, raws)
        });
        Value::Unit
    }

    fn guarded_loop(&mut self, cond: &syn::Expr, body: &syn::Block) -> (Expr, Arm) {
        self.guarded(cond, |l| l.block_value(body))
    }

    /// `loop { .. }`
    pub fn forever(&mut self, lp: &syn::ExprLoop) -> Value {
        let span = lp.loop_token.span();
        let mut breaks = BreakFinder {
            found: false,
            valued: false,
        };
        breaks.block(
            &lp.body,
            lp.label
                .as_ref()
                .map(|l| l.name.ident.to_string())
                .as_deref(),
        );
        let result = breaks.valued.then(|| self.declare_result(span));
        self.loop_result(&lp.label, span, result, |l, next| {
            let (raws, _) = l.in_block(|l| l.block_value(&lp.body));
            (LoopHead::Forever, vec![Raw::Labeled(next, raws)])
        });
        match (result, breaks.found) {
            (Some(var), _) => self.delivered(var),
            (None, true) => Value::Unit,
            (None, false) => Value::Never,
        }
    }

    fn declare_result(&mut self, span: Span) -> VarId {
        let ty = self.fresh();
        let var = self.new_var("value", ty, Origin::Temp);
        self.emit(span, StmtKind::Let(var, None));
        self.undecided.push(var);
        var
    }

    fn current_break(&self) -> LabelId {
        self.loops.last().map_or(LabelId(0), |l| l.break_label)
    }

    pub(super) fn loop_with(
        &mut self,
        label: &Option<syn::Label>,
        span: Span,
        write: impl FnOnce(&mut Self, LabelId) -> (LoopHead, Vec<Raw>),
    ) {
        self.loop_result(label, span, None, write);
    }

    fn loop_result(
        &mut self,
        label: &Option<syn::Label>,
        span: Span,
        result: Option<VarId>,
        write: impl FnOnce(&mut Self, LabelId) -> (LoopHead, Vec<Raw>),
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
        self.out.push(Raw::Loop(id, head, break_label, body));
    }

    // Ways out.

    /// `'l: { .. }`, `{ .. }`
    pub fn labeled_block(&mut self, b: &syn::ExprBlock) -> Value {
        let Some(label) = &b.label else {
            return self.block_expr(&b.block);
        };
        let name = label.name.ident.to_string();
        let mut breaks = BreakFinder {
            found: false,
            valued: false,
        };
        breaks.block(&b.block, Some(&name));
        let result = breaks.valued.then(|| self.declare_result(b.span()));
        let break_label = self.fresh_label();
        self.loops.push(LoopContext {
            name: Some(name),
            break_label,
            continue_label: None,
            result,
        });
        let (mut raws, value) = self.in_block(|l| l.block_value(&b.block));
        self.loops.pop();
        let value = match result {
            Some(var) => {
                let dest = self.delivered(var);
                raws.extend(self.in_block(|l| l.deliver(&dest, value, b.span())).0);
                self.delivered(var)
            }
            None => Value::Unit,
        };
        self.out.push(Raw::Labeled(break_label, raws));
        value
    }

    /// The loop or block that a `break` or `continue` means.
    fn target(&self, label: &Option<syn::Lifetime>, is_loop: bool) -> Option<usize> {
        let name = label.as_ref().map(|l| l.ident.to_string());
        self.loops.iter().rposition(|l| match &name {
            Some(name) => l.name.as_ref() == Some(name),
            None => !is_loop || l.continue_label.is_some(),
        })
    }

    /// `break`, `break 'l value`
    pub fn break_expr(&mut self, b: &syn::ExprBreak) -> Value {
        let value = b.expr.as_ref().map(|e| self.expr(e));
        let Some(target) = self.target(&b.label, true) else {
            return self.refuse(b.span(), Reason::Expression("this `break`".into()));
        };
        if let (Some(value), Some(var)) = (value, self.loops[target].result) {
            let dest = self.delivered(var);
            self.deliver(&dest, value, b.span());
        }
        self.out.push(Raw::Exit(self.loops[target].break_label));
        Value::Never
    }

    /// `continue`, `continue 'l`
    pub fn continue_expr(&mut self, c: &syn::ExprContinue) -> Value {
        let target = self
            .target(&c.label, true)
            .and_then(|t| self.loops[t].continue_label);
        let Some(label) = target else {
            return self.refuse(c.span(), Reason::Expression("this `continue`".into()));
        };
        self.out.push(Raw::Exit(label));
        Value::Never
    }

    /// `return`, `return value`
    pub fn return_expr(&mut self, r: &syn::ExprReturn) -> Value {
        if let Some(e) = &r.expr {
            let value = self.expr(e);
            self.assign_return(value, r.span());
        }
        let label = self.return_label();
        self.out.push(Raw::Exit(label));
        Value::Never
    }

    /// Where `return` and `?` go.
    pub fn return_label(&self) -> LabelId {
        self.closure_returns
            .last()
            .map_or(self.function_label, |(l, _)| *l)
    }
}

/// `true`
fn truth() -> Expr {
    Expr::Lit("true".into(), Ty::Bool)
}

fn has_let(b: &syn::ExprBinary) -> bool {
    let side = |e: &syn::Expr| match super::expr::strip_parens(e) {
        syn::Expr::Let(_) => true,
        syn::Expr::Binary(b) => has_let(b),
        _ => false,
    };
    matches!(b.op, syn::BinOp::And(_)) && (side(&b.left) || side(&b.right))
}

fn conjuncts<'a>(e: &'a syn::Expr, out: &mut Vec<&'a syn::Expr>) {
    match super::expr::strip_parens(e) {
        syn::Expr::Binary(b) if has_let(b) => {
            conjuncts(&b.left, out);
            conjuncts(&b.right, out);
        }
        e => out.push(e),
    }
}

/// Puts statements before each exit to the label.
fn insert_before_exit(raws: &mut Vec<Raw>, label: LabelId, insert: &[Raw]) {
    if let Some(i) = raws
        .iter()
        .position(|r| matches!(r, Raw::Exit(l) if *l == label))
    {
        raws.splice(i..i, insert.iter().cloned());
        return;
    }
    for raw in raws {
        match raw {
            Raw::If(_, _, a, b) => {
                insert_before_exit(a, label, insert);
                insert_before_exit(b, label, insert);
            }
            Raw::Loop(_, _, _, body) | Raw::Labeled(_, body) => {
                insert_before_exit(body, label, insert);
            }
            _ => {}
        }
    }
}

/// Looks for the `break`s of one loop or labelled block.
struct BreakFinder {
    found: bool,
    valued: bool,
}

impl BreakFinder {
    fn block(&mut self, block: &syn::Block, name: Option<&str>) {
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
            self.finder.valued |= b.expr.is_some();
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
