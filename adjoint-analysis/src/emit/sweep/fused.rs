//! Sweeps that share a scope.

use std::rc::Rc;

use proc_macro2::Span;

use super::frames::frame_slots;
use crate::emit::calls::conditional::reversal_demands;
use crate::emit::public::tape_calls::TapeCalls;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{Emit, ident, primal_results, tape};
use crate::ir::{Block, Stmt};
use crate::passes::sets::set::VarSet;
use crate::plan::Plan;

impl Emit<'_> {
    /// The statements of both sweeps of a fused plan of the function.
    pub fn fused(&self, plan: &Plan) -> TokenBuf {
        let added = plan.func.vars[self.names.len()..].iter();
        let names = added.map(|var| ident(&var.name, Span::mixed_site()));
        let mut emit = Emit {
            plan,
            names: Rc::new(self.names.iter().cloned().chain(names).collect()),
            frame_slots: Rc::new(frame_slots(plan)),
            result_calls: Rc::new(plan.func.call_results()),
            primal_results: Rc::new(primal_results(plan)),
            reversal_demands: Rc::new(reversal_demands(plan)),
            is_fused: true,
            ..self.fork()
        };
        let turn = &TapeCalls::of(plan, &[]).turn;
        emit.with_declarations(|emit| {
            let forward = emit.in_scope(&plan.forward, &plan.reverse.stmts);
            let reverse = Emit {
                in_reverse: true,
                ..emit.fork()
            }
            .block(&plan.reverse);
            code!(#forward #turn #reverse)
        })
    }

    /// Statements of the forward sweep, in one scope with these behind them.
    pub(super) fn in_scope(&self, forward: &Block, behind: &[Stmt]) -> TokenBuf {
        let mut named_later = VarSet::default();
        Stmt::walk_all(behind, &mut |s| {
            s.each_named_var(&mut |v| {
                named_later.insert(v);
            });
            named_later.extend(self.plan.func.shape_taken(s));
        });
        // The reverse sweep runs these statements again and again, for one strip after another.
        let carried = match self.in_reverse {
            true => Rc::new(self.summed(forward)),
            false => Rc::default(),
        };
        let run = Emit {
            in_reverse: false,
            named_later: Rc::new(named_later),
            carried,
            ..self.fork()
        };
        let run = run.block(forward);
        let tape = tape();
        // The most that was on the tape at once counts.
        let note = (self.in_reverse && (self.uses_tape(forward) || self.opens_frames(forward)))
            .then(|| code!(#tape.note_step();));
        code!(#run #note)
    }
}
