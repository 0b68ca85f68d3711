//! One forward sweep for several reverse sweeps: what it has left on the tape is put aside, and copied back for each.

use std::slice::Iter;

use super::Tape;

/// What serves several reverse sweeps. The tape keeps the memory for later ones.
#[derive(Default)]
pub struct Repeats {
    /// What the forward sweep has left.
    held: Tape,
    /// Whether it serves one reverse sweep only, and then stays on the tape itself: loops that are reversed from snapshots.
    serves_once: bool,
    /// Whether that one has run.
    is_spent: bool,
    rows: Rows,
}

/// The seeds and the entries of a Jacobian's rows.
#[derive(Default)]
pub struct Rows {
    unit: Vec<f64>,
    entries: Vec<f64>,
}

#[doc(hidden)]
impl Tape {
    /// Behind the forward sweep: each reverse sweep begins with [`load`](Tape::load).
    pub fn hold(&mut self) {
        let mut repeats = self.repeats.take().unwrap_or_default();
        repeats.serves_once = self.loops.as_ref().is_some_and(|loops| loops.are_open());
        repeats.is_spent = false;
        if !repeats.serves_once {
            if self.account.is_some() {
                repeats.held = Tape::on(self.account.clone());
            }
            self.swap_stacks(&mut repeats.held);
        }
        self.repeats = Some(repeats);
    }

    /// Puts back what the forward sweep has left. `false` if the forward sweep has to run again.
    pub fn load(&mut self, is_last: bool) -> bool {
        let Some(mut repeats) = self.repeats.take() else {
            return false;
        };
        let serves = match (repeats.serves_once, is_last) {
            (true, _) => !std::mem::replace(&mut repeats.is_spent, true),
            (false, true) => {
                self.swap_stacks(&mut repeats.held);
                true
            }
            (false, false) => {
                self.copy_stacks(&repeats.held);
                true
            }
        };
        self.repeats = Some(repeats);
        serves
    }

    /// For so many rows of a Jacobian.
    pub fn rows(&mut self, count: usize) -> Rows {
        let repeats = self.repeats.get_or_insert_default();
        let mut rows = std::mem::take(&mut repeats.rows);
        rows.unit.clear();
        rows.unit.resize(count, 0.0);
        rows
    }

    /// Behind the last row.
    pub fn end_rows(&mut self, rows: Rows) {
        self.repeats.get_or_insert_default().rows = rows;
    }

    fn copy_stacks(&mut self, from: &Tape) {
        self.reals.copy_from(&from.reals);
        self.integers.copy_from(&from.integers);
        self.owned.copy_from(&from.owned);
        self.flags.copy_from(&from.flags);
        self.counts.copy_from(&from.counts);
    }

    fn swap_stacks(&mut self, with: &mut Tape) {
        std::mem::swap(&mut self.reals, &mut with.reals);
        std::mem::swap(&mut self.integers, &mut with.integers);
        std::mem::swap(&mut self.owned, &mut with.owned);
        std::mem::swap(&mut self.flags, &mut with.flags);
        std::mem::swap(&mut self.counts, &mut with.counts);
    }
}

#[doc(hidden)]
impl Rows {
    /// The seeds of a row, one after another: a one and zeros. The entries of the row before it go away.
    pub fn seeds(&mut self, row: usize) -> Iter<'_, f64> {
        if row > 0 {
            self.unit[row - 1] = 0.0;
        }
        self.unit[row] = 1.0;
        self.unit.iter()
    }

    /// Room for the entries of a row.
    pub fn entries(&mut self) -> &mut Vec<f64> {
        self.entries.clear();
        &mut self.entries
    }
}
