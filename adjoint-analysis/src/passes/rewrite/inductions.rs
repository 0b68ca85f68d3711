//! Induction variables of checkpointed loops, by the number of the step.
//!
//! A variable that each step changes by the same amount would be in each snapshot, though the number of the step gives it.
//! So what it holds at the start of a step becomes a function of that number,
//!
//! ```text
//! let v0 = v;
//! for k in 0.. { v = v0 + k * d;  body with one `v += d` }
//! ```
//!
//! and each step sets the variable before it reads it.
//!
//! `v` is a local `usize`, and `d` the same in all steps. No operation overflows where `v` itself does not.

use crate::ir::construct::{binary, derived};
use crate::ir::{
    BinOp, Block, Expr, Func, LoopHead, Mode, Origin, Rev, Stmt, StmtId, StmtKind, Ty, VarId,
};
use crate::passes::sets::set::VarSet;

/// The function with these variables computed from the numbers of steps.
pub fn number(mut func: Func, origins: &mut Vec<StmtId>) -> Func {
    let mut body = std::mem::take(&mut func.body);
    let mut pass = Inductions {
        func: &mut func,
        origins,
        declared: VarSet::default(),
    };
    pass.block(&mut body);
    func.body = body;
    func
}

struct Inductions<'a> {
    func: &'a mut Func,
    origins: &'a mut Vec<StmtId>,
    /// The variables that are declared so far.
    declared: VarSet,
}

impl Inductions<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            if self.func.checkpoints.contains_key(&stmt.id)
                && let StmtKind::Loop(head, body) = &mut stmt.kind
            {
                block.stmts.append(&mut self.loop_(stmt.id, head, body));
            }
            self.declared.extend(stmt.declared());
            for inner in stmt.blocks_mut() {
                self.block(inner);
            }
            block.stmts.push(stmt);
        }
    }

    /// Changes a loop; what has to stand in front of it.
    fn loop_(&mut self, id: StmtId, head: &mut LoopHead, body: &mut Block) -> Vec<Stmt> {
        let constants = Constants::of(head, body);
        let found = self.inductions(body, &constants);
        if found.is_empty() {
            return Vec::new();
        }
        let Some(step) = self.step_number(head, &constants) else {
            return Vec::new();
        };
        let mut before = Vec::new();
        for (v, op, by) in found {
            let name = format!("{}_0", self.func.var(v).name);
            let first = self
                .func
                .add_var(&name, Ty::USIZE, Mode::Owned, Origin::Temp);
            let [v_read, first_read] = [v, first].map(|v| Expr::Read(self.func.place(v)));
            before.push(derived(
                self.origins,
                id,
                StmtKind::Let(first, Some(v_read)),
            ));
            let so_far = match &by {
                Expr::Lit(text, _) if text == "1" => step.clone(),
                _ => binary(BinOp::Mul, step.clone(), by),
            };
            let value = binary(op, first_read, so_far);
            let assign = StmtKind::Assign(self.func.place(v), value);
            let assign = derived(self.origins, id, assign);
            body.stmts.insert(0, assign);
        }
        before
    }

    /// The number of the current step, from 0 on.
    fn step_number(&mut self, head: &mut LoopHead, constants: &Constants) -> Option<Expr> {
        match head {
            LoopHead::Counted(v, range) => {
                let counts_up = range.rev == Rev::No && range.step.is_none();
                if !counts_up || range.ty != Ty::USIZE || !constants.contains(&range.lo) {
                    return None;
                }
                let index = Expr::Read(self.func.place(*v));
                Some(match &range.lo {
                    Expr::Lit(text, _) if text == "0" => index,
                    lo => binary(BinOp::Sub, index, lo.clone()),
                })
            }
            LoopHead::While(condition) => {
                let condition = condition.clone();
                Some(self.counted_while(head, condition))
            }
            LoopHead::Forever => {
                let always = Expr::Lit("true".into(), Ty::Bool);
                Some(self.counted_while(head, always))
            }
            _ => None,
        }
    }

    fn counted_while(&mut self, head: &mut LoopHead, condition: Expr) -> Expr {
        let step = self
            .func
            .add_var("step", Ty::USIZE, Mode::Owned, Origin::Temp);
        *head = LoopHead::CountedWhile(step, condition);
        Expr::Read(self.func.place(step))
    }

    /// The variables, with what each step adds to them or takes from them.
    fn inductions(&self, body: &Block, constants: &Constants) -> Vec<(VarId, BinOp, Expr)> {
        let one = |stmt: &Stmt| {
            let StmtKind::Assign(p, Expr::Binary(op, a, by)) = &stmt.kind else {
                return None;
            };
            let is_sum = matches!(op, BinOp::Add | BinOp::Sub);
            let is_own = p.is_whole() && p.ty == Ty::USIZE && **a == Expr::Read(p.clone());
            let is_local = self.declared.contains(p.root) && !constants.inner.contains(p.root);
            let writes = constants.written.iter().filter(|v| **v == p.root);
            (is_sum && is_own && is_local && writes.count() == 1 && constants.contains(by))
                .then(|| (p.root, *op, (**by).clone()))
        };
        in_all_steps(body).filter_map(one).collect()
    }
}

/// What has one value in all steps of a loop.
struct Constants {
    /// The variables that steps write, once for each statement that does.
    written: Vec<VarId>,
    /// The variables that steps declare.
    inner: VarSet,
}

impl Constants {
    fn of(head: &LoopHead, body: &Block) -> Constants {
        let mut of = Constants {
            written: Vec::new(),
            inner: head.index().into_iter().collect(),
        };
        body.walk(&mut |s| {
            of.written.extend(s.written().iter().map(|p| p.root));
            of.inner.extend(s.declared());
        });
        of
    }

    fn contains(&self, e: &Expr) -> bool {
        match e {
            Expr::Lit(..) => true,
            Expr::Read(p) => {
                p.is_whole() && !self.written.contains(&p.root) && !self.inner.contains(p.root)
            }
            _ => false,
        }
    }
}

/// The statements that run in each step behind which another one comes.
fn in_all_steps(block: &Block) -> Box<dyn Iterator<Item = &Stmt> + '_> {
    Box::new(block.stmts.iter().flat_map(|s| match &s.kind {
        StmtKind::If(_, leave, stay) if leave.always_breaks() => in_all_steps(stay),
        StmtKind::If(_, stay, leave) if leave.always_breaks() => in_all_steps(stay),
        _ => Box::new(std::iter::once(s)),
    }))
}
