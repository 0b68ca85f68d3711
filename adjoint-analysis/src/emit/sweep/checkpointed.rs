//! Checkpointed loops: the plan takes a snapshot at the start of each step, and a schedule of the runtime's takes those
//! that there is memory for.

use std::rc::Rc;

use proc_macro2::{Ident, Literal, Span};

use super::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{private, tape};
use crate::ir::{Block, LoopHead, StmtId, StmtKind};
use crate::passes::control::trips::leaves;

/// The parts of a reversed checkpointed loop.
pub(super) struct Reversed<'a> {
    restores: &'a Block,
    /// The step with its records.
    forward: &'a Block,
    /// Its reversal.
    reverse: Block,
}

impl<'a> Reversed<'a> {
    /// Those of the loop with this body, if it is such a loop.
    pub(super) fn of(body: &'a Block) -> Option<Reversed<'a>> {
        let (first, reverse) = body.stmts.split_first()?;
        let StmtKind::Replay(restores, forward) = &first.kind else {
            return None;
        };
        Some(Reversed {
            restores,
            forward,
            reverse: Block::new(reverse.to_vec()),
        })
    }
}

/// Whether the loop with this body takes snapshots.
pub(super) fn takes_snapshots(body: &Block) -> bool {
    let mut stmts = body.stmts.iter();
    stmts.any(|s| matches!(s.kind, StmtKind::Take(_)))
}

impl Emit<'_> {
    /// The loop of the forward sweep.
    pub(super) fn checkpointed_loop(
        &self,
        id: StmtId,
        head: &LoopHead,
        body: &Block,
    ) -> Option<TokenBuf> {
        let checkpoint = self.plan.func.checkpoints.get(&id)?;
        let (p, tape, steps) = (private(), &tape(), &steps_name(id));
        let snapshots = self.expr(&checkpoint.snapshots);
        let disk = match &checkpoint.disk {
            Some(disk) => self.expr(disk),
            None => code!(0),
        };
        let trips = match head {
            LoopHead::Counted(_, range) if !leaves(body) => {
                let trips = self.trip_count(range);
                code!(Some(#trips))
            }
            _ => code!(None),
        };
        let wanted = self.demand_test(self.plan.steps_demand(id));
        let run = self.plain().loop_(id, head, body);
        Some(code!(
            let mut #steps: #p::Steps = #tape.open_steps(#wanted, #snapshots, #disk, #trips);
            #run
            #tape.close_steps(#steps);
        ))
    }

    /// The snapshot at the start of a step.
    pub(super) fn take(&self, id: StmtId, records: &Block) -> TokenBuf {
        let (steps, tape, records) = (&steps_name(id), &tape(), self.block(records));
        code!(if let Some(#tape) = #steps.arrive() { #records })
    }

    /// The loop of the reverse sweep.
    pub(super) fn reversed_checkpointed_loop(
        &self,
        id: StmtId,
        head: &LoopHead,
        of: &Reversed<'_>,
    ) -> TokenBuf {
        let (p, tape, steps) = (private(), &tape(), &steps_name(id));
        let [kept, from, to, step] = &["kept", "from", "to", "step"].map(local);
        let (records, body) = (&self.snapshot_records(id), self.primal_body(id));
        let (restores, forward) = (self.block(of.restores), self.replayed(of.forward));
        let reverse = self.block(&of.reverse);
        let index = &match head {
            LoopHead::ReversedFrom(v, range, _) => {
                let (name, nth) = (self.name(*v), self.nth_value(range));
                code!(let #name = #nth;)
            }
            _ => TokenBuf::empty(),
        };
        let k = &self.iteration_var;
        let next = &local("next");
        let advance = code!(
            let mut #next: usize = #from;
            while #next < #to { let #k = #next; #next += 1; #index #body }
        );
        code!({
            let mut #steps = #tape.reopen_steps();
            while let Some(#step) = #steps.next_step() {
                match #step {
                    #p::Step::Restore(#tape, #kept) => { #restores if #kept { #records } }
                    #p::Step::Take(#tape) => { #records }
                    #p::Step::Advance(#from, #to) => { #advance }
                    #p::Step::Reverse(#k) => { #index { #forward } #tape.note_step(); #reverse }
                }
            }
            #tape.end_steps(#steps);
        })
    }

    /// The emitter of steps without records.
    fn plain(&self) -> Emit<'_> {
        Emit {
            frame_slots: Rc::default(),
            in_reverse: false,
            ..self.fork()
        }
    }

    /// The step of the primal.
    fn primal_body(&self, id: StmtId) -> TokenBuf {
        let mut found = None;
        self.plan.func.body.walk(&mut |s| match &s.kind {
            StmtKind::Loop(_, body) if s.id == id => found = Some(body),
            _ => {}
        });
        found.map_or(TokenBuf::empty(), |body| self.plain().block(body))
    }

    /// The records of a snapshot.
    fn snapshot_records(&self, id: StmtId) -> TokenBuf {
        let mut found = None;
        self.plan.each_forward_stmt(&mut |s| match &s.kind {
            StmtKind::Take(records) if s.id == id => found = Some(records),
            _ => {}
        });
        found.map_or(TokenBuf::empty(), |records| self.plain().block(records))
    }

    /// The step with its records; a `break` in it ends the step.
    fn replayed(&self, forward: &Block) -> TokenBuf {
        let emit = Emit {
            in_reverse: false,
            in_known_loop: false,
            ..self.fork()
        };
        let code = emit.block(forward);
        match leaves(forward) {
            true => code!(loop { #code break; }),
            false => code,
        }
    }
}

fn steps_name(id: StmtId) -> Ident {
    local(&format!("steps_{}", Literal::u32_unsuffixed(id.0)))
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
