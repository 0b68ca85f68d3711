//! Frames: arrays that hold the records of all iterations of a loop.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, Span};

use super::Emit;
use super::control::counts_from_zero;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::type_tokens;
use crate::emit::{private, tape};
use crate::ir::{Block, Demand, FloatTy, IntTy, Range, RecordId, Rev, StmtId, StmtKind, Ty, VarId};
use crate::plan::{Plan, Storage};

/// The records in the frame of a loop, by type.
pub type Slots = BTreeMap<String, Vec<(RecordId, Ty)>>;

/// The records that are in frames, by loop.
pub fn frame_slots(plan: &Plan) -> BTreeMap<StmtId, Slots> {
    let mut slots: BTreeMap<StmtId, Slots> = BTreeMap::new();
    for (i, record) in plan.records.iter().enumerate() {
        if let (Storage::Frame { of, .. }, Some(ty)) = (&record.storage, record.kind.slot_type()) {
            let of_loop = slots.entry(*of).or_default();
            let of_type = of_loop.entry(ty.to_string()).or_default();
            of_type.push((RecordId(i as u32), ty));
        }
    }
    slots
}

fn is_real(records: &[(RecordId, Ty)]) -> bool {
    matches!(&records[0].1, Ty::Float(float) if *float != FloatTy::Infer)
}

/// Whether there is at most one type of floats, and one of integers: their stacks are borrowed side by side.
fn have_one_stack_each(slots: &Slots) -> bool {
    let (floats, integers): (Vec<_>, Vec<_>) =
        slots.values().partition(|records| records[0].1.is_float());
    floats.len() <= 1 && integers.len() <= 1 && floats.iter().all(|records| is_real(records))
}

impl Emit<'_> {
    pub(super) fn slot(&self, record: RecordId) -> Option<Ident> {
        match self.plan.record(record).storage {
            Storage::Frame { .. } => Some(slot_name(record, &self.slot_suffix)),
            Storage::Stack => None,
        }
    }

    /// A counted loop with records in frames: the forward sweep opens and writes them, the reverse sweep reads and
    /// closes them. In the former, something comes in front of the iterations.
    pub(super) fn framed_loop(
        &self,
        v: VarId,
        range: &Range,
        body: &Block,
        slots: &Slots,
        start: Option<TokenBuf>,
    ) -> TokenBuf {
        let forward = start.is_some();
        let (count, trips) = (
            &Ident::new("trips", Span::mixed_site()),
            self.trip_count(range),
        );
        let (open, close) = self.frames(slots, count, forward);
        let body = |emit: &Emit<'_>| emit.block(body);
        let run = self.framed_iterations(v, range, &body, count, forward);
        code!({ let #count = #trips; #open #start #run #close })
    }

    /// Opens and closes the frames of a loop.
    pub(super) fn frames(
        &self,
        slots: &Slots,
        count: &Ident,
        forward: bool,
    ) -> (TokenBuf, TokenBuf) {
        match slots.values().next() {
            Some(records) if slots.len() == 1 && is_real(records) => {
                self.frame_on_tape(records, count, forward)
            }
            _ if have_one_stack_each(slots) => self.frames_in_parts(slots, count, forward),
            _ => self.frames_in_locals(slots, count, forward),
        }
    }

    /// The iterations of a loop with its number of them in a variable. Slots are numbered by ascending indices, also where
    /// the loop runs downwards: the parts of a distributed loop run upwards.
    pub(super) fn framed_iterations(
        &self,
        v: VarId,
        range: &Range,
        body: &dyn Fn(&Emit<'_>) -> TokenBuf,
        count: &Ident,
        forward: bool,
    ) -> TokenBuf {
        let is_descending = range.rev != Rev::No && range.step.is_none();
        let range = &match is_descending {
            true => range.ascending(),
            false => range.clone(),
        };
        let (k, body) = self.framed_iteration(v, range, body);
        match forward != is_descending {
            true => self.while_up(k, count, body),
            false => self.while_down(k, count, body),
        }
    }

    /// The name of the iteration number in a framed loop, and what an iteration runs.
    pub(super) fn framed_iteration(
        &self,
        v: VarId,
        range: &Range,
        body: &dyn Fn(&Emit<'_>) -> TokenBuf,
    ) -> (&Ident, TokenBuf) {
        let name = self.name(v);
        match counts_from_zero(range) {
            true => (name, body(&self.with_iteration_var(name))),
            false => {
                let (nth, body) = (self.nth_value(range), body(self));
                (&self.iteration_var, code!(let #name = #nth; #body))
            }
        }
    }

    /// Opens and closes the only frame of a loop, of floats.
    fn frame_on_tape(
        &self,
        records: &[(RecordId, Ty)],
        count: &Ident,
        forward: bool,
    ) -> (TokenBuf, TokenBuf) {
        let (tape, ty) = (&tape(), &type_tokens(&records[0].1).unwrap_or_default());
        let (slots, wanted) = &self.slots_of(records);
        // Rust 1.88 infers no arguments for constants.
        let number = Literal::usize_unsuffixed(records.len());
        match forward {
            true => {
                let (open, args) = (
                    self.here("open_reals"),
                    self.args_here(code!(#count, #wanted)),
                );
                (
                    code!(let #slots = #tape.#open::<#ty, #number> #args;),
                    TokenBuf::empty(),
                )
            }
            false => (
                code!(let #slots = #tape.top_reals::<#ty, #number>(#count, #wanted);),
                code!(#tape.close_reals::<#ty>();),
            ),
        }
    }

    /// The same for a frame of integers, flags or labels, and one of floats beside it.
    fn frames_in_parts(&self, slots: &Slots, count: &Ident, forward: bool) -> (TokenBuf, TokenBuf) {
        let (tape, p) = (tape(), private());
        let parts = &Ident::new("parts", Span::mixed_site());
        let mut open = code!(let #parts = #tape.parts(););
        let mut close = TokenBuf::empty();
        for records in slots.values() {
            let (slots, wanted) = &self.slots_of(records);
            let ty = slot_tokens(&records[0].1);
            let stack = &match records[0].1.is_float() {
                true => code!(#parts.reals.of::<#ty>()),
                false => code!(#parts.integers.of::<#ty>()),
            };
            if forward {
                let call = self.open_slots(stack, count, wanted);
                open.add(code!(let #slots = #call;));
            } else {
                open.add(code!(let #slots = #p::top_slots(#stack, #count, #wanted);));
                close.add(code!(#p::close_slots(#stack, #count, #wanted);));
            }
        }
        (open, close)
    }

    /// The same for frames of several types of floats or of integers: each stack is moved out of the tape into a local.
    fn frames_in_locals(
        &self,
        slots: &Slots,
        count: &Ident,
        forward: bool,
    ) -> (TokenBuf, TokenBuf) {
        let (tape, p) = (&tape(), private());
        let (mut open, mut close) = (TokenBuf::empty(), TokenBuf::empty());
        for (number, records) in slots.values().enumerate() {
            let stack = &Ident::new(&format!("stack_{number}"), Span::mixed_site());
            let ty = slot_tokens(&records[0].1);
            let (take, put) = match records[0].1.is_float() {
                true => ("reals_stack", "put_reals"),
                false => ("ints_stack", "put_ints"),
            };
            let (take, put) = (TokenBuf::name(take), TokenBuf::name(put));
            let (slots, wanted) = &self.slots_of(records);
            open.add(code!(let mut #stack = #tape.#take::<#ty>();));
            match forward {
                true => {
                    let call = self.open_slots(&code!(&mut #stack), count, wanted);
                    open.add(code!(let #slots = #call;));
                }
                false => {
                    open.add(code!(let #slots = #p::top_slots(&#stack, #count, #wanted);));
                    close.add(code!(#p::close_slots(&mut #stack, #count, #wanted);));
                }
            }
            close.add(code!(#tape.#put(#stack);));
        }
        (open, close)
    }

    /// Opens a frame on this stack; its position is that of the loop.
    fn open_slots(&self, stack: &TokenBuf, count: &Ident, wanted: &TokenBuf) -> TokenBuf {
        let (p, here) = (private(), self.position());
        let path = code!(#p::open_slots).with_span(here);
        path.then(self.args_here(code!(#stack, #count, #wanted)))
    }

    /// The names of the slots, and for each one whether the caller needs it.
    fn slots_of(&self, records: &[(RecordId, Ty)]) -> (TokenBuf, TokenBuf) {
        let slots = records.iter().map(|(record, _)| slot_name(*record, ""));
        let wanted = records
            .iter()
            .map(|(record, _)| self.demand_test(self.plan.record(*record).demand));
        (code!([#(#slots),*]), code!([#(#wanted),*]))
    }

    /// Whether the block uses the tape, apart from slots.
    pub(super) fn uses_tape(&self, block: &Block) -> bool {
        let mut uses = false;
        block.walk(&mut |s| {
            uses |= match &s.kind {
                StmtKind::Record(r, _)
                | StmtKind::Restore(r, _)
                | StmtKind::RecordControl(r, _)
                | StmtKind::RestoreControl(r, _) => self.slot(*r).is_none(),
                StmtKind::Forward(_) | StmtKind::Reverse { .. } => true,
                _ => false,
            };
        });
        uses
    }

    /// The emitter for a loop whose variable is the iteration number.
    pub(super) fn with_iteration_var(&self, variable: &Ident) -> Emit<'_> {
        Emit {
            iteration_var: variable.clone(),
            ..self.fork()
        }
    }

    /// Whether the caller has this demand.
    pub(super) fn demand_test(&self, demand: Demand) -> TokenBuf {
        match self.is_implied(demand) && !self.is_for_all_reversed(demand) {
            true => code!(true),
            false => self.test(demand).into(),
        }
    }
}

/// A marker that becomes a comment with the primal statement.
pub(super) fn primal_mark(of: StmtId) -> TokenBuf {
    let number = proc_macro2::Literal::u32_unsuffixed(of.0);
    code!(__primal!(#number);)
}

/// The name of the iteration number, if the loop's variable isn't the same.
pub fn iteration_var() -> Ident {
    Ident::new("trip", Span::mixed_site())
}

/// The type of a slot. A type of the user's may have the name that flags' bytes have.
pub(super) fn slot_tokens(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Int(IntTy::U8) => Some(code!(::core::primitive::u8)),
        ty => type_tokens(ty),
    }
}

/// The name of a record's slot, or with a suffix that of a slice of it.
pub(super) fn slot_name(record: RecordId, suffix: &str) -> Ident {
    Ident::new(&format!("saved_{}{suffix}", record.0), Span::mixed_site())
}
