//! Frames: the records of all iterations of a loop, side by side.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span};

use super::Emit;
use crate::emit::piece::{Piece, code};
use crate::emit::types::tokens;
use crate::emit::{private, tape};
use crate::ir::{Block, Range, RecordId, StmtId, Ty, VarId};
use crate::plan::{Plan, RecordKind, Storage};

/// The records in the frame of a loop, by type.
pub type Slots = BTreeMap<String, Vec<(RecordId, Ty)>>;

/// The records that are in frames, by loop.
pub fn slots(plan: &Plan) -> BTreeMap<StmtId, Slots> {
    let mut slots: BTreeMap<StmtId, Slots> = BTreeMap::new();
    for (i, record) in plan.records.iter().enumerate() {
        if let (Storage::Frame { of, .. }, RecordKind::Value(ty)) = (&record.storage, &record.kind)
        {
            let of_loop = slots.entry(*of).or_default();
            let of_type = of_loop.entry(ty.to_string()).or_default();
            of_type.push((RecordId(i as u32), ty.clone()));
        }
    }
    slots
}

impl Emit<'_> {
    pub(super) fn slot(&self, record: RecordId) -> Option<Ident> {
        match self.plan.record(record).storage {
            Storage::Frame { .. } => Some(slot_name(record)),
            Storage::Stack => None,
        }
    }

    /// A counted loop whose records are in frames: opened and written, or read and closed.
    pub(super) fn framed(
        &self,
        v: VarId,
        range: &Range,
        body: &Block,
        slots: &Slots,
        forward: bool,
    ) -> Piece {
        let (tape, p) = (&tape(), private());
        let (count, trips) = (&Ident::new("trips", Span::mixed_site()), self.trips(range));
        let (mut open, mut close) = (Piece::empty(), Piece::empty());
        for (number, records) in slots.values().enumerate() {
            let stack = &Ident::new(&format!("stack_{number}"), Span::mixed_site());
            let ty = tokens(&records[0].1);
            let (take, put) = match records[0].1.is_float() {
                true => (code!(reals_stack), code!(put_reals)),
                false => (code!(ints_stack), code!(put_ints)),
            };
            let slots = records.iter().map(|(record, _)| slot_name(*record));
            let wanted = records.iter().map(|(record, _)| self.is_kept(*record));
            let wanted = &code!([#(#wanted),*]);
            open.add(code!(let mut #stack = #tape.#take::<#ty>();));
            match forward {
                true => open
                    .add(code!(let [#(#slots),*] = #p::open_slots(&mut #stack, #count, #wanted);)),
                false => {
                    open.add(code!(let [#(#slots),*] = #p::top_slots(&#stack, #count, #wanted);));
                    close.add(code!(#p::close_slots(&mut #stack, #count, #wanted);));
                }
            }
            close.add(code!(#tape.#put(#stack);));
        }
        let (k, name, body) = (trip(), self.name(v), self.block(body));
        let nth = self.nth(range);
        let order = if forward {
            code!(0..#count)
        } else {
            code!((0..#count).rev())
        };
        code! {
            {
                let #count = #trips;
                #open
                for #k in #order {
                    let #name = #nth;
                    #body
                }
                #close
            }
        }
    }

    /// Whether the caller wants the record, which has no place in the frame otherwise.
    fn is_kept(&self, record: RecordId) -> Piece {
        let demand = self.plan.record(record).demand;
        if self.is_wanted(demand) {
            return code!(true);
        }
        let test = self.test(demand);
        code!(#test)
    }
}

/// Stands for a comment that names the primal statement.
pub(super) fn mark(of: StmtId) -> Piece {
    let number = proc_macro2::Literal::u32_unsuffixed(of.0);
    code!(__primal!(#number);)
}

/// The number of the iteration.
pub(super) fn trip() -> Ident {
    Ident::new("trip", Span::mixed_site())
}

pub(super) fn slot_name(record: RecordId) -> Ident {
    Ident::new(&format!("saved_{}", record.0), Span::mixed_site())
}
