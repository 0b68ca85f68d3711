//! Checkpointed loops: the forward sweep runs the steps without their records and takes snapshots; the reverse sweep
//! runs each step again, with its records, and reverses it.
//!
//! Both are written as if a snapshot were taken at the start of each iteration. Which are, and how the states between
//! them come back, is the schedule's affair at run time.

use super::{Build, RecordPurpose};
use crate::ir::{Block, Expr, LoopHead, Place, Range, Stmt, StmtId, StmtKind, Ty};
use crate::passes::checkpoint::is_part_of;
use crate::plan::RecordKind;

impl Build {
    /// The reversed loop. It has a count of its iterations also where the bounds are at hand: callers for which nothing
    /// is reversed have neither.
    pub(super) fn reverse_checkpointed(
        &mut self,
        id: StmtId,
        head: &LoopHead,
        body: &Block,
        out: &mut Vec<Stmt>,
    ) {
        let reversed = self.reverse_block(body);
        if !reversed.is_empty() {
            self.reverse_steps(id, head, body, (reversed, out));
        }
    }

    fn reverse_steps(
        &mut self,
        id: StmtId,
        head: &LoopHead,
        body: &Block,
        (mut reversed, out): (Block, &mut Vec<Stmt>),
    ) {
        let replayed = self.forward_block(body, &[]);
        let snapshot = self.snapshot(id);
        let mut restores: Vec<Stmt> = snapshot
            .into_iter()
            .enumerate()
            .map(|(n, place)| self.restored(RecordPurpose::Snapshot(id, n), place, id))
            .collect();
        restores.reverse();
        let kind = StmtKind::Replay(Block::new(restores), replayed);
        reversed.stmts.insert(0, Stmt { id, kind });
        let record = self.record(RecordPurpose::Count(id), RecordKind::Count, id);
        let trips = self.temp("trips", Ty::USIZE);
        let kind = StmtKind::RestoreControl(record, trips);
        out.push(Stmt { id, kind });
        let head = match head {
            LoopHead::Counted(v, range) => LoopHead::ReversedFrom(*v, range.clone(), trips),
            LoopHead::CountedWhile(v, _) => {
                let count = Expr::Read(self.func.place(trips));
                LoopHead::ReversedFrom(*v, Range::up_to(count), trips)
            }
            _ => LoopHead::Times(trips),
        };
        let kind = StmtKind::Loop(head, reversed);
        out.push(Stmt { id, kind });
    }

    /// The body of the loop in the forward sweep.
    pub(super) fn forward_checkpointed(&mut self, id: StmtId, body: &Block) -> Block {
        let mut plain = body.clone();
        if self.keys.contains_key(&RecordPurpose::Count(id)) {
            let taken = self.snapshot(id).into_iter().enumerate();
            let taken = taken
                .filter_map(|(n, p)| self.record_if_wanted(RecordPurpose::Snapshot(id, n), p, id));
            let kind = StmtKind::Take(Block::new(taken.collect()));
            plain.stmts.insert(0, Stmt { id, kind });
        }
        plain
    }

    fn snapshot(&self, id: StmtId) -> Vec<Place> {
        let is_required = |place: &Place| {
            let mut both = [&self.own, &self.for_caller].into_iter();
            both.any(|tbr| {
                let required = tbr.required_behind_steps.get(&id);
                required.is_some_and(|places| is_part_of(place, places))
            })
        };
        self.loop_states[&id].snapshot(&is_required)
    }
}
