//! One activation of a function: its variables, and access to places in them.

use std::cell::Cell;

use super::{Number, Trap, TrapKind, Value};
use crate::ir::{Arg, Caller, Func, Origin, Place, Proj, StmtId, Ty, VarId};
use crate::plan::Plan;

/// A running function.
pub(super) struct Activation<'a, N> {
    pub(super) func: &'a Func,
    pub(super) plan: Option<&'a Plan>,
    /// What the caller wants.
    pub(super) caller: Caller,
    /// Whether it runs a reverse sweep.
    pub(super) in_reverse: bool,
    /// Whether a step of the forward sweep runs again.
    pub(super) replays: bool,
    /// Whether both sweeps run in one scope.
    pub(super) is_fused: bool,
    slots: Vec<Slot<N>>,
    /// The loops that are running and have a frame, innermost last.
    pub(super) frames: Vec<OpenFrame>,
    /// The largest magnitude of any real computed.
    pub(super) peak: Cell<f64>,
}

/// What a variable holds.
#[derive(Clone)]
enum Slot<N> {
    Dead,
    Unassigned,
    Holds(Value<N>),
}

/// A frame of the tape and the iteration that its loop is in.
pub(super) struct OpenFrame {
    pub(super) of: StmtId,
    pub(super) frame: usize,
    pub(super) iteration: usize,
}

/// A place with its indices evaluated.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Path {
    pub(super) root: VarId,
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Debug)]
enum Step {
    Field(String),
    Index(usize),
    /// A part of a list; only as the last step.
    Span(usize, usize),
    /// A part of the list whose only element is the value; only as the last step.
    Single(usize, usize),
    /// The payload of `Some`.
    Payload,
}

impl<'a, N: Number> Activation<'a, N> {
    pub(super) fn new(func: &'a Func, plan: Option<&'a Plan>, caller: Caller) -> Self {
        let slots = vec![Slot::Dead; func.vars.len()];
        Activation {
            func,
            plan,
            caller,
            in_reverse: false,
            replays: false,
            is_fused: false,
            slots,
            frames: Vec::new(),
            peak: Cell::new(0.0),
        }
    }

    /// Whether a variable that a sweep declares has a value for the caller.
    pub(super) fn makes(&self, var: VarId) -> bool {
        let demand = self.plan.and_then(|plan| plan.var_demands.get(&var));
        !self.in_reverse || self.replays || demand.is_none_or(|demand| self.caller.wants(*demand))
    }

    /// Gives a variable without value zeros, if its shape is known.
    pub(super) fn fill_blank(&mut self, var: VarId) -> Result<(), Trap> {
        match (
            &self.slots[var.index()],
            Value::zero_of(&self.func.var(var).ty),
        ) {
            (Slot::Unassigned, Some(zero)) => self.assign_whole(var, zero),
            _ => Ok(()),
        }
    }

    /// Whether the place is all of an adjoint.
    pub(super) fn is_adjoint(&self, place: &Place) -> bool {
        place.is_whole() && matches!(self.func.var(place.root).origin, Origin::Adjoint(_))
    }

    /// The value of an adjoint, of which nothing is left if it is a list.
    pub(super) fn take_adjoint(&mut self, var: VarId) -> Result<Value<N>, Trap> {
        let value = self.value(var)?.clone();
        if matches!(self.func.var(var).ty, Ty::Vec(_)) {
            self.assign_whole(var, Value::List(Vec::new()))?;
        }
        Ok(value)
    }

    /// The value of a place that is lent. In a reverse sweep, what a callee does not look at may have no value.
    pub(super) fn lent(&self, path: &Path) -> Result<Value<N>, Trap> {
        let is_blank = matches!(self.slots[path.root.index()], Slot::Unassigned);
        let blank = match self.in_reverse && is_blank && path.steps.is_empty() {
            true => Value::blank_of(&self.func.var(path.root).ty),
            false => None,
        };
        blank.map_or_else(|| self.get(path), Ok)
    }

    /// Whether the callee of a call touches the adjoint of an argument.
    pub(super) fn touches(&self, id: StmtId, k: usize, arg: &Arg) -> bool {
        let site = self.plan.and_then(|plan| plan.calls.get(&id));
        site.is_none_or(|site| self.caller.wants(site.argument(k, arg)))
    }

    /// What the callee of a call is told.
    pub(super) fn site(&self, id: StmtId) -> Caller {
        let site = self.plan.and_then(|plan| plan.calls.get(&id));
        site.map_or(Caller::RESTORING, |site| site.caller(self.caller))
    }

    fn name(&self, var: VarId) -> String {
        self.func.var(var).name.clone()
    }

    /// Starts the life of a variable.
    pub(super) fn declare(&mut self, var: VarId, value: Option<Value<N>>) -> Result<(), Trap> {
        if !matches!(self.slots[var.index()], Slot::Dead) {
            return TrapKind::Redeclared(self.name(var)).err();
        }
        self.slots[var.index()] = Slot::Unassigned;
        match value {
            Some(value) => self.assign_whole(var, value),
            None => Ok(()),
        }
    }

    /// Ends the life of a variable.
    pub(super) fn kill(&mut self, var: VarId) {
        self.slots[var.index()] = Slot::Dead;
    }

    /// The value of a variable that is alive and assigned.
    pub(super) fn value(&self, var: VarId) -> Result<&Value<N>, Trap> {
        match &self.slots[var.index()] {
            Slot::Holds(value) => Ok(value),
            Slot::Dead => TrapKind::Dead(self.name(var)).err(),
            Slot::Unassigned => TrapKind::Unassigned(self.name(var)).err(),
        }
    }

    fn value_mut(&mut self, var: VarId) -> Result<&mut Value<N>, Trap> {
        self.value(var)?;
        match &mut self.slots[var.index()] {
            Slot::Holds(value) => Ok(value),
            _ => Trap::ty("a variable without value"),
        }
    }

    fn assign_whole(&mut self, var: VarId, value: Value<N>) -> Result<(), Trap> {
        let declared = self.func.var(var);
        if !value.fits(&declared.ty) {
            return Trap::ty(format!("`{}: {}` = {value:?}", declared.name, declared.ty));
        }
        match &mut self.slots[var.index()] {
            Slot::Dead => TrapKind::Dead(self.name(var)).err(),
            Slot::Holds(old) if matches!(declared.ty, Ty::Slice(_)) => overwrite(old, value, true),
            slot => {
                *slot = Slot::Holds(value);
                Ok(())
            }
        }
    }

    /// Evaluates the indices of a place. Every bound is checked here.
    pub(super) fn resolve(&self, place: &Place) -> Result<Path, Trap> {
        let mut path = Path {
            root: place.root,
            steps: Vec::new(),
        };
        if place.is_whole() {
            return Ok(path);
        }
        let mut at = self.value(place.root)?;
        let (mut span, mut single) = (None, false);
        for step in &place.proj {
            at = match step {
                Proj::Deref | Proj::Items => at,
                Proj::Single => {
                    (span, single) = (Some((0, 1)), true);
                    at
                }
                Proj::Index(index) if std::mem::take(&mut single) => {
                    let (lo, hi) = span.take().unwrap_or((0, 1));
                    within(self.eval(index)?.as_int()?, hi - lo, false)?;
                    at
                }
                Proj::Field(name) => {
                    path.steps.push(Step::Field(name.clone()));
                    field(at, name)?
                }
                Proj::Variant(..) => {
                    path.steps.push(Step::Payload);
                    payload(at)?
                }
                Proj::Index(index) => {
                    let (lo, hi) = span.take().unwrap_or((0, at.as_list()?.len()));
                    let i = within(self.eval(index)?.as_int()?, hi - lo, false)?;
                    path.steps.push(Step::Index(lo + i));
                    &at.as_list()?[lo + i]
                }
                Proj::Range(..) | Proj::Head(_) | Proj::Tail(_) | Proj::Chunk(..) => {
                    let whole = span.unwrap_or((0, at.as_list()?.len()));
                    span = Some(self.narrow(step, whole)?);
                    at
                }
            };
        }
        path.steps.extend(span.map(|(lo, hi)| match single {
            true => Step::Single(lo, hi),
            false => Step::Span(lo, hi),
        }));
        Ok(path)
    }

    /// The part of `lo..hi` that a range projection selects.
    fn narrow(&self, step: &Proj, (lo, hi): (usize, usize)) -> Result<(usize, usize), Trap> {
        let bound = |e| within(self.eval(e)?.as_int()?, hi - lo, true);
        let (from, to) = match step {
            Proj::Head(mid) => (0, bound(mid)?),
            Proj::Tail(mid) => (bound(mid)?, hi - lo),
            Proj::Range(from, to) => (
                from.as_deref().map_or(Ok(0), bound)?,
                to.as_deref().map_or(Ok(hi - lo), bound)?,
            ),
            Proj::Chunk(at, extent) => {
                let size = extent.parse::<usize>().unwrap_or(1).max(1);
                let at = within(self.eval(at)?.as_int()?, (hi - lo) / size, false)?;
                (at * size, (at + 1) * size)
            }
            _ => (0, hi - lo),
        };
        if from > to {
            return TrapKind::OutOfBounds(from as i128, to).err();
        }
        Ok((lo + from, lo + to))
    }

    /// The value at a path.
    pub(super) fn get(&self, path: &Path) -> Result<Value<N>, Trap> {
        let at = self.find(path)?;
        match path.steps.last() {
            Some(Step::Span(lo, hi)) => Ok(Value::List(at.as_list()?[*lo..*hi].to_vec())),
            Some(Step::Single(lo, hi)) => {
                Ok(Value::List(std::slice::from_ref(at)[*lo..*hi].to_vec()))
            }
            _ => Ok(at.clone()),
        }
    }

    /// The number of elements at a path.
    pub(super) fn len(&self, path: &Path) -> Result<usize, Trap> {
        match path.steps.last() {
            Some(Step::Span(lo, hi) | Step::Single(lo, hi)) => Ok(hi - lo),
            _ => Ok(self.find(path)?.as_list()?.len()),
        }
    }

    /// The value at a path, or the list that it selects a part of.
    fn find(&self, path: &Path) -> Result<&Value<N>, Trap> {
        let mut at = self.value(path.root)?;
        for step in &path.steps {
            at = match step {
                Step::Field(name) => field(at, name)?,
                Step::Index(i) => &at.as_list()?[*i],
                Step::Payload => payload(at)?,
                Step::Span(..) | Step::Single(..) => at,
            };
        }
        Ok(at)
    }

    /// Writes the value at a path; `slice` says that the extent must stay.
    pub(super) fn set(&mut self, path: &Path, value: Value<N>, slice: bool) -> Result<(), Trap> {
        if path.steps.is_empty() {
            return self.assign_whole(path.root, value);
        }
        self.change(path, &mut |target| match target {
            Target::Whole(old) => overwrite(old, value.clone(), slice),
            Target::Part(old) => overwrite_part(old, &value),
        })
    }

    /// Adds to the reals at a path.
    pub(super) fn incr(&mut self, path: &Path, by: &Value<N>) -> Result<(), Trap> {
        self.change(path, &mut |target| match (target, by) {
            (Target::Whole(old), by) => old.incr(by),
            (Target::Part(old), Value::List(by)) if old.len() == by.len() => {
                old.iter_mut().zip(by).try_for_each(|(a, b)| a.incr(b))
            }
            (Target::Part(_), by) => Trap::ty(format!("a part of a list += {by:?}")),
        })
    }

    /// Sets the reals at a path to zero; a variable without value gets one by its type.
    pub(super) fn zero(&mut self, path: &Path) -> Result<(), Trap> {
        if let (true, Slot::Unassigned) = (path.steps.is_empty(), &self.slots[path.root.index()]) {
            let ty = &self.func.var(path.root).ty;
            return match Value::zero_of(ty) {
                Some(zero) => self.assign_whole(path.root, zero),
                None => TrapKind::Unassigned(self.name(path.root)).err(),
            };
        }
        self.change(path, &mut |target| {
            match target {
                Target::Whole(old) => *old = old.zeroed(),
                Target::Part(old) => old.iter_mut().for_each(|v| *v = v.zeroed()),
            }
            Ok(())
        })
    }

    /// Changes the value at a path.
    pub(super) fn change(
        &mut self,
        path: &Path,
        f: &mut dyn FnMut(Target<'_, N>) -> Result<(), Trap>,
    ) -> Result<(), Trap> {
        let mut at = self.value_mut(path.root)?;
        for step in &path.steps {
            at = match (step, at) {
                (Step::Index(i), Value::List(vs)) => &mut vs[*i],
                (Step::Span(lo, hi), Value::List(vs)) => return f(Target::Part(&mut vs[*lo..*hi])),
                (Step::Single(lo, hi), at) => {
                    return f(Target::Part(&mut std::slice::from_mut(at)[*lo..*hi]));
                }
                (Step::Payload, Value::Option(Some(v))) => v,
                (Step::Field(name), at) => field_mut(at, name)?,
                (step, at) => return Trap::ty(format!("{step:?} of {at:?}")),
            };
        }
        f(Target::Whole(at))
    }

    /// Notes the magnitude of a computed real.
    pub(super) fn note(&self, n: N) -> N {
        let magnitude = n.magnitude();
        // A NaN counts as unbounded.
        if magnitude > self.peak.get() || magnitude.is_nan() {
            self.peak.set(if magnitude.is_nan() {
                f64::INFINITY
            } else {
                magnitude
            });
        }
        n
    }
}

/// What a path leads to.
pub(super) enum Target<'v, N> {
    Whole(&'v mut Value<N>),
    Part(&'v mut [Value<N>]),
}

impl Path {
    /// Whether two paths can lead to a common location.
    pub(super) fn overlaps(&self, other: &Path) -> bool {
        if self.root != other.root {
            return false;
        }
        let apart = |(a, b): (&Step, &Step)| match (a, b) {
            (Step::Field(a), Step::Field(b)) => a != b,
            (Step::Index(a), Step::Index(b)) => a != b,
            (Step::Index(i), Step::Span(lo, hi)) | (Step::Span(lo, hi), Step::Index(i)) => {
                !(lo..hi).contains(&i)
            }
            (Step::Span(a, b), Step::Span(c, d)) => a.max(c) >= b.min(d),
            _ => false,
        };
        !self.steps.iter().zip(&other.steps).any(apart)
    }
}

/// An index as `usize`, less than `len`, or equal to it where it is a bound.
fn within(index: i128, len: usize, bound: bool) -> Result<usize, Trap> {
    let limit = len + usize::from(bound);
    match usize::try_from(index) {
        Ok(i) if i < limit => Ok(i),
        _ => TrapKind::OutOfBounds(index, len).err(),
    }
}

fn field<'v, N: Number>(value: &'v Value<N>, name: &str) -> Result<&'v Value<N>, Trap> {
    let found = match value {
        Value::Struct(vs) => vs.get(name),
        Value::Tuple(vs) => name.parse().ok().and_then(|i: usize| vs.get(i)),
        _ => None,
    };
    found.map_or_else(|| Trap::ty(format!("field `{name}` of {value:?}")), Ok)
}

fn field_mut<'v, N: Number>(value: &'v mut Value<N>, name: &str) -> Result<&'v mut Value<N>, Trap> {
    let found = match value {
        Value::Struct(vs) => vs.get_mut(name),
        Value::Tuple(vs) => name.parse().ok().and_then(|i: usize| vs.get_mut(i)),
        _ => None,
    };
    found.map_or_else(|| Trap::ty(format!("no field `{name}`")), Ok)
}

fn payload<N: Number>(value: &Value<N>) -> Result<&Value<N>, Trap> {
    match value {
        Value::Option(Some(v)) => Ok(v),
        other => Trap::ty(format!("the payload of {other:?}")),
    }
}

/// Replaces a value by one of the same kind.
fn overwrite<N: Number>(old: &mut Value<N>, new: Value<N>, slice: bool) -> Result<(), Trap> {
    let fits = match (&*old, &new) {
        (Value::Int(a, _), Value::Int(b, _)) => a == b,
        (Value::List(a), Value::List(b)) => !slice || a.len() == b.len(),
        (a, b) => std::mem::discriminant(a) == std::mem::discriminant(b),
    };
    if !fits {
        return Trap::ty(format!("{new:?} takes the place of {old:?}"));
    }
    *old = new;
    Ok(())
}

fn overwrite_part<N: Number>(old: &mut [Value<N>], new: &Value<N>) -> Result<(), Trap> {
    match new {
        Value::List(new) if new.len() == old.len() => {
            old.clone_from_slice(new);
            Ok(())
        }
        other => Trap::ty(format!(
            "{other:?} takes the place of {} elements",
            old.len()
        )),
    }
}
