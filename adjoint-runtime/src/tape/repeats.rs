//! One forward sweep for several reverse sweeps: what it has left on the tape is copied, and put back for each.

use std::slice::Iter;

use super::Tape;

/// The reverse sweeps for the rows of a Jacobian. The tape keeps the memory for later ones.
#[derive(Default)]
pub struct Repeats {
    /// What the forward sweep has left, if it serves several reverse sweeps.
    held: Tape,
    serves: bool,
    unit: Vec<f64>,
    entries: Vec<f64>,
}

#[doc(hidden)]
impl Tape {
    /// Behind the forward sweep, for so many rows. Loops that are reversed from snapshots serve one of them.
    pub fn repeats(&mut self, rows: usize) -> Box<Repeats> {
        let mut repeats = self.repeats.take().unwrap_or_default();
        let is_open = self.loops.as_ref().is_some_and(|loops| loops.are_open());
        repeats.serves = !is_open;
        if rows > 1 && !is_open {
            if self.account.is_some() {
                repeats.held = Tape::on(self.account.clone());
            }
            repeats.held.copy_stacks(self);
        }
        repeats.unit.clear();
        repeats.unit.resize(rows, 0.0);
        repeats
    }

    /// Puts back what the forward sweep has left, for this row. `false` if the forward sweep has to run again.
    pub fn load(&mut self, repeats: &mut Repeats, row: usize) -> bool {
        if repeats.serves {
            match row + 1 < repeats.unit.len() {
                true => self.copy_stacks(&repeats.held),
                false => self.swap_stacks(&mut repeats.held),
            }
        }
        repeats.serves
    }

    /// Behind the last row.
    pub fn end_repeats(&mut self, repeats: Box<Repeats>) {
        self.repeats = Some(repeats);
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
impl Repeats {
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
