//! What is recorded as a whole in front of a statement that overwrites it, and restored behind the statement's mirror.

use super::{Build, RecordPurpose};
use crate::ir::{Place, Stmt, StmtId, StmtKind};
use crate::passes::checkpoint::is_part_of;
use crate::plan::RecordKind;

impl Build {
    /// The records in front of a statement.
    pub(super) fn record_saved(&self, id: StmtId, out: &mut Vec<Stmt>) {
        let saved = self.saved(id).into_iter().enumerate();
        out.extend(
            saved.filter_map(|(n, p)| self.record_if_wanted(RecordPurpose::Saved(id, n), p, id)),
        );
    }

    /// The restores behind its mirror.
    pub(super) fn restore_saved(&mut self, id: StmtId, out: &mut Vec<Stmt>) {
        for (n, place) in self.saved(id).into_iter().enumerate().rev() {
            let restore = self.restored(RecordPurpose::Saved(id, n), place, id);
            out.push(restore);
        }
    }

    /// What the statement overwrites and any caller requires.
    fn saved(&self, id: StmtId) -> Vec<Place> {
        let both = [&self.own, &self.for_caller];
        let saved = both.iter().filter_map(|tbr| tbr.saved.get(&id));
        let Some(of_loop) = self.loop_states.get(&id) else {
            let mut saved: Vec<Place> = saved.flatten().cloned().collect();
            saved.dedup();
            return saved;
        };
        let is_saved = |place: &&Place| saved.clone().any(|places| is_part_of(place, places));
        let has_value = |p: &&Place| self.assigned[&id].contains(p.root);
        let written = of_loop.written.iter().filter(has_value);
        written.filter(is_saved).cloned().collect()
    }

    /// The record, if the reverse sweep restores it.
    pub(super) fn record_if_wanted(
        &self,
        purpose: RecordPurpose,
        place: Place,
        id: StmtId,
    ) -> Option<Stmt> {
        let record = *self.keys.get(&purpose)?;
        let kind = StmtKind::Record(record, place);
        Some(Stmt { id, kind })
    }

    pub(super) fn restored(&mut self, purpose: RecordPurpose, place: Place, id: StmtId) -> Stmt {
        let kind = match place.is_whole() {
            true => self.kind_of(place.root, &place.ty),
            false => RecordKind::Value(place.ty.clone()),
        };
        let record = self.record(purpose, kind, id);
        let kind = StmtKind::Restore(record, place);
        Stmt { id, kind }
    }
}
