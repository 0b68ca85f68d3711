//! Pairing of records and restores: block by block, the last record is restored first.

use super::faults::{FaultKind, Faults};
use super::forward::shape::{Item, Section, Shape};
use std::collections::BTreeSet;

use crate::ir::{Block, LoopHead, RecordId, Stmt, StmtId, StmtKind, Ty};
use crate::plan::{Plan, RecordKind, Storage};

/// An operation on a stack.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Event {
    /// A record, or its restore.
    Record(RecordId),
    /// A branch or a loop with events inside.
    Inner(StmtId),
    /// The forward sweep of a callee, or its reverse sweep: any stack.
    Call(StmtId),
}

/// Checks the whole plan.
pub fn check(plan: &Plan, shape: &Shape<'_>, faults: &mut Faults) {
    let stacks: Vec<Vec<String>> = plan.records.iter().map(|r| stacks(&r.kind)).collect();
    let all: BTreeSet<String> = stacks.iter().flatten().cloned().collect();
    let unknown = |r: RecordId| r.index() >= plan.records.len();
    let mut balance = Balance {
        plan,
        stacks,
        all,
        faults,
    };
    for block in [&plan.forward, &plan.reverse] {
        block.walk(&mut |s| {
            if let Some(r) = record_of(s).filter(|r| unknown(*r)) {
                let message = format!("record {} is not in the plan's table", r.0);
                balance.faults.add(s.id, FaultKind::Unbalanced, message);
            }
        });
    }
    if balance.faults.mark() == 0 {
        balance.section(&shape.root, &plan.reverse);
        balance.calls(&shape.root, &plan.reverse);
        frames(plan, shape, &shape.root, balance.faults);
        slots(plan, balance.faults);
    }
}

fn record_of(stmt: &Stmt) -> Option<RecordId> {
    match &stmt.kind {
        StmtKind::Record(r, _)
        | StmtKind::RecordControl(r, _)
        | StmtKind::Restore(r, _)
        | StmtKind::RestoreControl(r, _) => Some(*r),
        _ => None,
    }
}

/// Represents every stack: the type is unknown.
const ANY: &str = "_";

/// The stacks that a record may touch: one per machine type, so that an array shares the stack of its
/// scalars.
fn stacks(kind: &RecordKind) -> Vec<String> {
    fn scalars(ty: &Ty, out: &mut Vec<String>) {
        match ty {
            Ty::Array(t, _) | Ty::Slice(t) | Ty::Boxed(t) => scalars(t, out),
            Ty::Vec(t) => {
                out.push(Ty::USIZE.to_string());
                scalars(t, out);
            }
            Ty::Option(t) => {
                out.push(Ty::Bool.to_string());
                scalars(t, out);
            }
            Ty::Tuple(ts) => ts.iter().for_each(|t| scalars(t, out)),
            ty if ty.is_scalar() => out.push(ty.to_string()),
            _ => out.push(ANY.to_string()),
        }
    }
    let mut out = Vec::new();
    match kind {
        RecordKind::Flag => scalars(&Ty::Bool, &mut out),
        RecordKind::Label(_) => out.push(String::from("label")),
        RecordKind::Count => scalars(&Ty::USIZE, &mut out),
        RecordKind::Value(ty) => scalars(ty, &mut out),
    }
    out
}

struct Balance<'p, 'f> {
    plan: &'p Plan,
    /// The stacks of each record.
    stacks: Vec<Vec<String>>,
    /// All stacks.
    all: BTreeSet<String>,
    faults: &'f mut Faults,
}

impl Balance<'_, '_> {
    fn section(&mut self, section: &Section<'_>, mirror: &Block) {
        for stack in self.all.clone() {
            let mut made = Vec::new();
            section
                .items
                .iter()
                .for_each(|i| self.made(i, &stack, &mut made));
            made.reverse();
            let given: Vec<_> = mirror
                .stmts
                .iter()
                .filter_map(|s| self.given(s, &stack))
                .collect();
            self.compare(&made, &given, section, mirror);
        }
        self.framed(section, mirror);
        for item in &section.items {
            let inner = mirror
                .stmts
                .iter()
                .find(|s| s.id == item.stmt.id && !s.blocks().is_empty());
            let blocks = inner.map_or(Vec::new(), |s| s.blocks());
            let empty = Block::default();
            for (k, inner) in item.sections.iter().enumerate() {
                self.section(inner, blocks.get(k).copied().unwrap_or(&empty));
            }
        }
    }

    fn on_stack(&self, r: RecordId, stack: &str) -> bool {
        let on = |s: &String| s == stack || s == ANY;
        self.plan.record(r).storage == Storage::Stack && self.stacks[r.index()].iter().any(on)
    }

    fn made(&self, item: &Item<'_>, stack: &str, out: &mut Vec<Event>) {
        match &item.stmt.kind {
            StmtKind::Record(r, _) | StmtKind::RecordControl(r, _) if self.on_stack(*r, stack) => {
                out.push(Event::Record(*r));
            }
            StmtKind::Forward(_) => out.push(Event::Call(item.stmt.id)),
            _ => {
                let mut inner = Vec::new();
                for section in &item.sections {
                    section
                        .items
                        .iter()
                        .for_each(|i| self.made(i, stack, &mut inner));
                }
                if !inner.is_empty() {
                    out.push(Event::Inner(item.stmt.id));
                }
            }
        }
        let ways = item
            .arm_records
            .iter()
            .map(|w| w.record)
            .filter(|r| self.on_stack(*r, stack));
        out.extend(ways.map(Event::Record));
    }

    fn given(&self, stmt: &Stmt, stack: &str) -> Option<Event> {
        match &stmt.kind {
            StmtKind::Restore(r, _) | StmtKind::RestoreControl(r, _) => {
                self.on_stack(*r, stack).then_some(Event::Record(*r))
            }
            StmtKind::Reverse { .. } => Some(Event::Call(stmt.id)),
            _ => {
                let blocks = stmt.blocks();
                let mut inner = blocks.iter().flat_map(|b| &b.stmts);
                inner
                    .any(|s| self.given(s, stack).is_some())
                    .then_some(Event::Inner(stmt.id))
            }
        }
    }

    fn compare(&mut self, made: &[Event], given: &[Event], section: &Section<'_>, mirror: &Block) {
        if made == given {
            return;
        }
        let here = mirror.stmts.first().map(|s| s.id);
        let here = here
            .or(section.items.first().map(|i| i.stmt.id))
            .unwrap_or(StmtId(0));
        let mut balanced = true;
        let one_sided = made.iter().filter(|e| count(made, e) > count(given, e));
        for event in one_sided {
            balanced = false;
            self.unbalanced(
                event,
                here,
                "is made and not given back in the mirrored block",
            );
        }
        for event in given.iter().filter(|e| count(given, e) > count(made, e)) {
            balanced = false;
            self.unbalanced(
                event,
                here,
                "is given back and not made in the mirrored block",
            );
        }
        if balanced {
            let message = "records are not given back in reverse order";
            self.faults.add(here, FaultKind::NotLifo, message);
        }
    }

    fn unbalanced(&mut self, event: &Event, here: StmtId, what: &str) {
        let (id, name) = match event {
            Event::Record(r) => (self.plan.record(*r).of, format!("record {}", r.0)),
            Event::Inner(s) => (*s, "what is recorded inside".to_string()),
            Event::Call(s) => (*s, "the call's tape".to_string()),
        };
        let id = if matches!(event, Event::Record(_)) {
            here
        } else {
            id
        };
        self.faults
            .add(id, FaultKind::Unbalanced, format!("{name} {what}"));
    }

    /// Frame records are restored in the mirrored block, in any order.
    fn framed(&mut self, section: &Section<'_>, mirror: &Block) {
        let framed = |r: RecordId| self.plan.record(r).storage != Storage::Stack;
        let given: Vec<RecordId> = mirror
            .stmts
            .iter()
            .filter_map(record_of)
            .filter(|r| framed(*r))
            .collect();
        let mut made: Vec<RecordId> = Vec::new();
        for item in &section.items {
            made.extend(record_of(item.stmt).filter(|r| framed(*r)));
            made.extend(
                item.arm_records
                    .iter()
                    .map(|w| w.record)
                    .filter(|r| framed(*r)),
            );
        }
        for r in made.iter().filter(|r| !given.contains(r)) {
            self.unbalanced(
                &Event::Record(*r),
                self.plan.record(*r).of,
                "is never given back",
            );
        }
        for r in given.iter().filter(|r| !made.contains(r)) {
            self.unbalanced(
                &Event::Record(*r),
                self.plan.record(*r).of,
                "is not made in this block",
            );
        }
    }

    /// Each forward sweep of a callee has its reverse sweep, even if there is no other use of the tape.
    fn calls(&mut self, section: &Section<'_>, mirror: &Block) {
        if !self.all.is_empty() {
            return;
        }
        let mut forward = Vec::new();
        let mut reverse = Vec::new();
        fn collect(section: &Section<'_>, out: &mut Vec<StmtId>) {
            for item in section.items.iter().rev() {
                item.sections.iter().for_each(|s| collect(s, out));
                if matches!(item.stmt.kind, StmtKind::Forward(_)) {
                    out.push(item.stmt.id);
                }
            }
        }
        collect(section, &mut forward);
        mirror.walk(&mut |s| {
            if matches!(s.kind, StmtKind::Reverse { .. }) {
                reverse.push(s.id);
            }
        });
        let odd = forward.iter().filter(|s| !reverse.contains(s));
        for s in odd.chain(reverse.iter().filter(|s| !forward.contains(s))) {
            self.unbalanced(&Event::Call(*s), *s, "is not both made and given back");
        }
    }
}

fn count(events: &[Event], event: &Event) -> usize {
    events.iter().filter(|e| *e == event).count()
}

/// A frame holds one value per iteration of its loop, so the loop must be the innermost one around
/// the record, and counted to its end.
fn frames(plan: &Plan, shape: &Shape<'_>, section: &Section<'_>, faults: &mut Faults) {
    for item in &section.items {
        if let StmtKind::Record(r, _) | StmtKind::RecordControl(r, _) = &item.stmt.kind {
            frame(plan, shape, *r, section.id, faults);
        }
        item.arm_records
            .iter()
            .for_each(|w| frame(plan, shape, w.record, section.id, faults));
        if let StmtKind::Loop(head, _) = &item.stmt.kind
            && holds_frame(plan, item.stmt.id)
            && (item.leaves || !matches!(head, LoopHead::Counted(..)))
        {
            let message = "the loop of a frame is not counted to its end";
            faults.add(item.stmt.id, FaultKind::Frame, message);
        }
        item.sections
            .iter()
            .for_each(|s| frames(plan, shape, s, faults));
    }
}

fn holds_frame(plan: &Plan, id: StmtId) -> bool {
    plan.records
        .iter()
        .any(|r| matches!(r.storage, Storage::Frame { of, .. } if of == id))
}

fn frame(plan: &Plan, shape: &Shape<'_>, r: RecordId, section: usize, faults: &mut Faults) {
    let Storage::Frame { of, .. } = plan.record(r).storage else {
        return;
    };
    let mut around = Some(section);
    while let Some(s) = around.filter(|s| !shape.loops.contains_key(s)) {
        around = shape.parents.get(&s).copied();
    }
    if around.and_then(|s| shape.loops.get(&s)) != Some(&of) {
        let message = format!(
            "record {} is not made once in each iteration of its frame's loop",
            r.0
        );
        faults.add(of, FaultKind::Frame, message);
    }
}

/// No two records share a slot.
fn slots(plan: &Plan, faults: &mut Faults) {
    for (n, a) in plan.records.iter().enumerate() {
        let same = |b: &crate::plan::Record| b.kind == a.kind && b.storage == a.storage;
        if let (Storage::Frame { of, .. }, true) = (&a.storage, plan.records[..n].iter().any(same))
        {
            faults.add(*of, FaultKind::Frame, "two records share a slot of a frame");
        }
    }
}
