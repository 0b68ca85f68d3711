//! Runs of adjacent floats, pushed or popped by one call, because each call costs rustc time.

use proc_macro2::{Ident, Literal};

use super::Emit;
use crate::emit::tape;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::type_tokens;
use crate::ir::{Demand, Place, RecordId, Stmt, StmtKind, Ty};

impl Emit<'_> {
    /// A run of records for the same callers at the start of the statements: its length and its code.
    pub(super) fn push_run(&self, stmts: &[Stmt]) -> Option<(usize, TokenBuf)> {
        let record = |stmt: &'_ Stmt| match &stmt.kind {
            StmtKind::Record(r, p) => Some((*r, p.clone())),
            _ => None,
        };
        let run = self.same_stack_run(stmts.iter().map_while(record))?;
        let (tape, values) = (tape(), run.iter().map(|(_, p)| self.place(p)));
        Some((run.len(), code!(#tape.push_each([#(#values),*]);)))
    }

    /// A run of declarations with restores for the same callers at the start of the statements.
    pub(super) fn pop_run(&self, stmts: &[Stmt]) -> Option<(usize, TokenBuf)> {
        let restored = |pair: &'_ [Stmt]| match pair {
            [declared, restored] => match (&declared.kind, &restored.kind) {
                (StmtKind::Let(v, None), StmtKind::Restore(r, p))
                    if p.is_whole() && p.root == *v =>
                {
                    Some((*r, p.clone()))
                }
                _ => None,
            },
            _ => None,
        };
        let run = self.same_stack_run(stmts.chunks(2).map_while(restored))?;
        let (record, place) = &run[0];
        let wanted = self.demand_test(self.plan.record(*record).demand);
        let (tape, ty) = (tape(), type_tokens(&place.ty));
        let names = run.iter().map(|(_, p)| mutable(self.name(p.root)));
        // Rust 1.88 infers no arguments for constants.
        let number = Literal::usize_unsuffixed(run.len());
        let popped = code!(let [#(#names),*] = #tape.pop_each_if::<#ty, #number>(#wanted););
        Some((2 * run.len(), popped))
    }

    /// The longest prefix of records on one stack for the same callers, if there are several.
    fn same_stack_run(
        &self,
        of: impl Iterator<Item = (RecordId, Place)>,
    ) -> Option<Vec<(RecordId, Place)>> {
        let mut shared: Option<(Ty, Demand)> = None;
        let on_stack = of.take_while(|(r, p)| {
            let float = p.ty.is_machine_float();
            let kind = (p.ty.clone(), self.plan.record(*r).demand);
            float && self.slot(*r).is_none() && *shared.get_or_insert_with(|| kind.clone()) == kind
        });
        let run: Vec<_> = on_stack.collect();
        (run.len() > 1 && !self.is_listing).then_some(run)
    }
}

fn mutable(name: &Ident) -> TokenBuf {
    code!(mut #name)
}
