//! Loops, in both directions.

use std::collections::HashMap;

use super::activation::{Activation, OpenFrame};
use super::exec::{Flow, Machine, declared};
use super::range::{Bounds, Trips};
use super::sweep::Entered;
use super::{Number, Trap, TrapKind, Value};
use crate::ir::{Block, Distribution, LoopHead, Part, Peeled, Range, Separation, Stmt, Ty, VarId};

/// The index of a loop: its variable, its range, and how often it runs.
type Index<'a> = (VarId, &'a Range, Trips);

impl<'a, N: Number> Machine<'a, N> {
    pub(super) fn run_loop(
        &mut self,
        act: &mut Activation<'a, N>,
        stmt: &'a Stmt,
        head: &'a LoopHead,
        body: &'a Block,
    ) -> Result<(), Trap> {
        match head {
            LoopHead::Counted(var, range) => {
                let trips = trips(act, range)?;
                let (count, index) = (trips.count, (*var, range, trips));
                self.framed(act, stmt, body, count, 0..count, Some(index))
            }
            LoopHead::Reversed(var, range) => {
                let trips = trips(act, range)?;
                let (count, index) = (trips.count, (*var, range, trips));
                self.framed(act, stmt, body, count, (0..count).rev(), Some(index))
            }
            LoopHead::Distributed(var, range, distribution) => {
                let index = (*var, range, trips(act, range)?);
                self.distributed(act, stmt, body, distribution, index)
            }
            LoopHead::ReversedFrom(var, range, count) => {
                let trips = trips(act, range)?;
                let count = usize::try_from(act.value(*count)?.as_int()?)
                    .map_err(|_| TrapKind::Type("a negative trip count".into()))?;
                let order = (0..count).rev();
                self.framed(act, stmt, body, count, order, Some((*var, range, trips)))
            }
            LoopHead::Times(var) => {
                let count = usize::try_from(act.value(*var)?.as_int()?)
                    .map_err(|_| TrapKind::Type("a negative trip count".into()))?;
                self.framed(act, stmt, body, count, (0..count).rev(), None)
            }
            LoopHead::While(condition) => {
                while act.eval(condition)?.as_bool()? {
                    self.step()?;
                    if self.block(act, body)? == Flow::Break {
                        break;
                    }
                }
                Ok(())
            }
            LoopHead::CountedWhile(var, condition) => {
                let mut number = 0;
                while act.eval(condition)?.as_bool()? {
                    self.step()?;
                    act.declare(*var, Some(Value::usize(number)))?;
                    number += 1;
                    let flow = self.block(act, body)?;
                    act.kill(*var);
                    if flow == Flow::Break {
                        break;
                    }
                }
                Ok(())
            }
            LoopHead::Forever => {
                while self.block(act, body)? == Flow::Next {
                    self.step()?;
                }
                Ok(())
            }
        }
    }

    /// Runs the parts of a distributed loop, or its body where elements are not separate.
    fn distributed(
        &mut self,
        act: &mut Activation<'a, N>,
        stmt: &'a Stmt,
        body: &'a Block,
        distribution: &'a Distribution,
        index: Index<'a>,
    ) -> Result<(), Trap> {
        let (.., trips) = index;
        let interior = interior(&distribution.peeled, trips.count);
        for separation in &distribution.separations {
            // The elements of a loop without iterations need not exist.
            if !interior.is_empty() && !self.is_separate(act, separation, trips.count)? {
                let order = (0..trips.count).rev();
                return self.framed(act, stmt, body, trips.count, order, Some(index));
            }
        }
        let frame = self.enter_frame(act, stmt.id, body, trips.count)?;
        let mut expanded = HashMap::new();
        let order = (interior.end..trips.count).rev();
        self.iterations(act, stmt, body, frame.as_ref(), order, Some(index))?;
        for parts in distribution.loops() {
            let of = (stmt, parts, frame.as_ref());
            self.parts(act, of, &mut expanded, &interior, index)?;
        }
        let order = (0..interior.start).rev();
        self.iterations(act, stmt, body, frame.as_ref(), order, Some(index))?;
        frame.map_or(Ok(()), |entered| self.leave_frame(entered))
    }

    /// Whether the elements of a distributed loop are separate.
    fn is_separate(
        &self,
        act: &mut Activation<'a, N>,
        separation: &Separation,
        trips: usize,
    ) -> Result<bool, Trap> {
        let [a, b] = &separation.indices;
        let distance = act.eval(a)?.as_int()?.abs_diff(act.eval(b)?.as_int()?);
        Ok(match separation.are_runs {
            true => distance >= trips as u128,
            false => distance > 0,
        })
    }

    /// Runs the iterations of a loop whose trip count is known, with its frame where it has one.
    fn framed(
        &mut self,
        act: &mut Activation<'a, N>,
        stmt: &'a Stmt,
        body: &'a Block,
        count: usize,
        order: impl Iterator<Item = usize>,
        index: Option<Index<'a>>,
    ) -> Result<(), Trap> {
        let frame = self.enter_frame(act, stmt.id, body, count)?;
        self.iterations(act, stmt, body, frame.as_ref(), order, index)?;
        frame.map_or(Ok(()), |entered| self.leave_frame(entered))
    }

    /// Runs parts of a distributed loop that share a loop, as if that ran in front of the first iterations and behind the last
    /// ones of those that are ahead or behind; some locals have an element for each iteration.
    fn parts(
        &mut self,
        act: &mut Activation<'a, N>,
        (stmt, parts, frame): (&'a Stmt, &'a [Part], Option<&Entered>),
        expanded: &mut HashMap<(VarId, usize), Value<N>>,
        interior: &std::ops::Range<usize>,
        index: Index<'a>,
    ) -> Result<(), Trap> {
        let mut run = Vec::new();
        for part in parts {
            let is_zero = match part.seed {
                Some(seed) => act.value(seed)?.as_real()? == N::constant(0.0),
                None => false,
            };
            let (guards, _) = part.guarded();
            let is_wanted = guards.iter().all(|demand| act.caller.wants(*demand));
            if is_wanted && !is_zero {
                run.push((part, part.ahead()));
            }
        }
        let most = run.iter().map(|(_, ahead)| *ahead).max().unwrap_or(0);
        for number in interior.start..interior.end + most {
            for (part, ahead) in &run {
                let iteration = (number + ahead).checked_sub(most);
                if let Some(iteration) = iteration.filter(|n| interior.contains(n)) {
                    self.enter_iteration(act, stmt, frame, iteration, Some(index))?;
                    self.iteration_of_part(act, part, expanded, iteration)?;
                    leave_iteration(act, frame, Some(index));
                }
            }
        }
        Ok(())
    }

    fn iteration_of_part(
        &mut self,
        act: &mut Activation<'a, N>,
        part: &'a Part,
        expanded: &mut HashMap<(VarId, usize), Value<N>>,
        iteration: usize,
    ) -> Result<(), Trap> {
        self.step()?;
        let (_, block) = part.guarded();
        for v in &part.takes {
            act.declare(*v, Some(expanded[&(*v, iteration)].clone()))?;
        }
        self.statements(act, block)?;
        for v in &part.gives {
            let value = act.value(*v)?.clone();
            expanded.insert((*v, iteration), value);
        }
        let declared = block.stmts.iter().flat_map(declared);
        let declared = declared.chain(part.takes.iter().copied());
        declared.for_each(|v| act.kill(v));
        Ok(())
    }

    /// Declares the index of an iteration, and opens its frame.
    fn enter_iteration(
        &mut self,
        act: &mut Activation<'a, N>,
        stmt: &'a Stmt,
        frame: Option<&Entered>,
        iteration: usize,
        index: Option<Index<'a>>,
    ) -> Result<(), Trap> {
        if let Some((var, range, trips)) = index {
            act.declare(var, Some(index_value(range, trips.value(iteration))?))?;
        }
        if let Some(entered) = frame {
            act.frames.push(OpenFrame {
                of: stmt.id,
                frame: entered.frame,
                iteration,
            });
        }
        Ok(())
    }

    fn iterations(
        &mut self,
        act: &mut Activation<'a, N>,
        stmt: &'a Stmt,
        body: &'a Block,
        frame: Option<&Entered>,
        order: impl Iterator<Item = usize>,
        index: Option<Index<'a>>,
    ) -> Result<(), Trap> {
        for iteration in order {
            self.step()?;
            self.enter_iteration(act, stmt, frame, iteration, index)?;
            let flow = self.block(act, body)?;
            leave_iteration(act, frame, index);
            if flow == Flow::Break {
                break;
            }
        }
        Ok(())
    }
}

/// The iterations of a loop that its parts run.
fn interior(peeled: &Peeled, trips: usize) -> std::ops::Range<usize> {
    let start = peeled.first.min(trips);
    let end = trips.saturating_sub(peeled.last);
    start..end.max(start)
}

/// Ends what an iteration began.
fn leave_iteration<N: Number>(
    act: &mut Activation<'_, N>,
    frame: Option<&Entered>,
    index: Option<Index<'_>>,
) {
    if frame.is_some() {
        act.frames.pop();
    }
    if let Some((var, ..)) = index {
        act.kill(var);
    }
}

fn trips<N: Number>(act: &Activation<'_, N>, range: &Range) -> Result<Trips, Trap> {
    let step = range
        .step
        .as_ref()
        .map_or(Ok(1), |e| act.eval(e)?.as_int())?;
    Bounds {
        lo: act.eval(&range.lo)?.as_int()?,
        hi: act.eval(&range.hi)?.as_int()?,
        inclusive: range.inclusive,
        step,
        rev: range.rev,
    }
    .trips()
}

fn index_value<N: Number>(range: &Range, value: i128) -> Result<Value<N>, Trap> {
    match &range.ty {
        Ty::Int(ty) => Ok(Value::Int(*ty, value)),
        other => Trap::ty(format!("an index of type {other}")),
    }
}
