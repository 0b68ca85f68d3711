//! The tape: stacks by kind, and frames of counted loops.

use std::collections::BTreeMap;

use super::{Number, Trap, TrapKind, Value};
use crate::ir::{RecordId, StmtId, Ty};
use crate::plan::RecordKind;

/// Who wrote an entry: a record of a function.
type Owner = (String, RecordId);

/// Values that the forward sweep saves for the reverse sweep.
pub(super) struct Tape<N> {
    stacks: BTreeMap<String, Vec<(Owner, Value<N>)>>,
    frames: Vec<Frame<N>>,
    /// Frames whose recording loop has ended, the latest last: reversal opens them in that order.
    closed: Vec<usize>,
    pushed: BTreeMap<String, usize>,
}

/// The records of one execution of a counted loop.
struct Frame<N> {
    of: (String, StmtId),
    trips: usize,
    slots: BTreeMap<(String, usize, usize), (Owner, Value<N>)>,
}

/// A slot of an open frame in one iteration.
pub(super) struct Slot {
    pub(super) frame: usize,
    pub(super) slot: usize,
    pub(super) iteration: usize,
}

/// The stack that a kind of record lives on: named by the machine type of its scalars.
pub(super) fn stack_of(kind: &RecordKind) -> String {
    match kind {
        RecordKind::Flag => "flag".to_string(),
        RecordKind::Label(_) => "label".to_string(),
        RecordKind::Count => "count".to_string(),
        RecordKind::Value(ty) => scalar_of(ty),
    }
}

fn scalar_of(ty: &Ty) -> String {
    match ty {
        Ty::Array(t, _) | Ty::Slice(t) | Ty::Vec(t) | Ty::Boxed(t) | Ty::Option(t) => scalar_of(t),
        other => other.to_string(),
    }
}

impl<N: Number> Tape<N> {
    pub(super) fn new() -> Tape<N> {
        Tape {
            stacks: BTreeMap::new(),
            frames: Vec::new(),
            closed: Vec::new(),
            pushed: BTreeMap::new(),
        }
    }

    /// How many scalars were recorded, by stack.
    pub(super) fn into_pushed(self) -> BTreeMap<String, usize> {
        self.pushed
    }

    fn count(&mut self, stack: &str, value: &Value<N>) {
        *self.pushed.entry(stack.to_string()).or_default() += value.scalars();
    }

    pub(super) fn push(&mut self, stack: String, owner: Owner, value: Value<N>) {
        self.count(&stack, &value);
        self.stacks.entry(stack).or_default().push((owner, value));
    }

    pub(super) fn pop(&mut self, stack: &str, owner: &Owner) -> Result<Value<N>, Trap> {
        let top = self.stacks.get_mut(stack).and_then(Vec::pop);
        match top {
            Some((found, value)) if found == *owner => Ok(value),
            Some((found, _)) => tape(format!(
                "restore of {owner:?} finds {found:?} on stack `{stack}`"
            )),
            None => tape(format!(
                "restore of {owner:?} from the empty stack `{stack}`"
            )),
        }
    }

    /// Reserves the frame of a loop that starts to record.
    pub(super) fn reserve(&mut self, of: (String, StmtId), trips: usize) -> usize {
        self.frames.push(Frame {
            of,
            trips,
            slots: BTreeMap::new(),
        });
        self.frames.len() - 1
    }

    /// The recording loop has ended; its reversal will open the frame.
    pub(super) fn close(&mut self, frame: usize) {
        self.closed.push(frame);
    }

    /// Opens the frame of a loop whose reversal starts.
    pub(super) fn open(&mut self, of: &(String, StmtId), trips: usize) -> Result<usize, Trap> {
        let Some(frame) = self.closed.pop() else {
            return tape(format!("no frame left for {of:?}"));
        };
        let Frame {
            of: owner,
            trips: reserved,
            ..
        } = &self.frames[frame];
        if owner != of || trips > *reserved {
            return tape(format!(
                "{trips} iterations of {of:?} meet the frame of {reserved} of {owner:?}"
            ));
        }
        Ok(frame)
    }

    /// Releases a frame, which must be the youngest.
    pub(super) fn release(&mut self, frame: usize) -> Result<(), Trap> {
        if frame + 1 != self.frames.len() {
            return tape(format!(
                "frame {frame} is released under {}",
                self.frames.len() - 1
            ));
        }
        self.frames.pop();
        Ok(())
    }

    pub(super) fn write(
        &mut self,
        stack: String,
        at: Slot,
        owner: Owner,
        value: Value<N>,
    ) -> Result<(), Trap> {
        self.count(&stack, &value);
        let text = format!("{owner:?} overwrites a slot of iteration {}", at.iteration);
        let slots = &mut self.frames[at.frame].slots;
        match slots.insert((stack, at.slot, at.iteration), (owner, value)) {
            None => Ok(()),
            Some(_) => tape(text),
        }
    }

    pub(super) fn read(&self, stack: String, at: Slot, owner: &Owner) -> Result<Value<N>, Trap> {
        match self.frames[at.frame]
            .slots
            .get(&(stack, at.slot, at.iteration))
        {
            Some((found, value)) if found == owner => Ok(value.clone()),
            Some((found, _)) => tape(format!("restore of {owner:?} finds {found:?} in its slot")),
            None => tape(format!(
                "restore of {owner:?}: not written in {}",
                at.iteration
            )),
        }
    }

    /// After the reverse sweep nothing may be left.
    pub(super) fn check_empty(&self) -> Result<(), Trap> {
        for (stack, entries) in &self.stacks {
            if let Some((owner, _)) = entries.last() {
                return tape(format!(
                    "{} left on stack `{stack}`, by {owner:?}",
                    entries.len()
                ));
            }
        }
        match self.frames.last() {
            Some(frame) => tape(format!("the frame of {:?} is left", frame.of)),
            None => Ok(()),
        }
    }
}

/// A fault of the tape.
pub(super) fn tape<T>(text: String) -> Result<T, Trap> {
    TrapKind::Tape(text).err()
}
