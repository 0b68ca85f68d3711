//! Frames: the records of all iterations of a loop, side by side.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::Emit;
use crate::emit::types::tokens;
use crate::emit::{private, tape};
use crate::ir::{Block, Range, RecordId, StmtId, Ty, VarId};
use crate::plan::{RecordKind, Storage};

impl Emit<'_> {
    /// The records in the frame of a loop, by type.
    pub(super) fn slots(&self, of: StmtId) -> BTreeMap<String, Vec<(RecordId, Ty)>> {
        let mut slots: BTreeMap<String, Vec<(RecordId, Ty)>> = BTreeMap::new();
        for (i, record) in self.plan.records.iter().enumerate() {
            if let (Storage::Frame { of: owner, .. }, RecordKind::Value(ty)) =
                (&record.storage, &record.kind)
                && *owner == of
            {
                let entry = (RecordId(i as u32), ty.clone());
                slots.entry(ty.to_string()).or_default().push(entry);
            }
        }
        slots
    }

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
        slots: &BTreeMap<String, Vec<(RecordId, Ty)>>,
        forward: bool,
    ) -> TokenStream {
        let (tape, p) = (tape(), private());
        let (count, trips) = (Ident::new("trips", Span::mixed_site()), self.trips(range));
        let (mut open, mut close) = (TokenStream::new(), TokenStream::new());
        for (number, records) in slots.values().enumerate() {
            let stack = Ident::new(&format!("stack_{number}"), Span::mixed_site());
            let frame = Ident::new("frame", Span::mixed_site());
            let ty = tokens(&records[0].1);
            let (take, put) = match records[0].1.is_float() {
                true => (quote!(reals_stack), quote!(put_reals)),
                false => (quote!(ints_stack), quote!(put_ints)),
            };
            let mut lengths = Vec::new();
            for (record, _) in records {
                let length = self.slot_length(*record, &count, &mut open);
                lengths.push(length);
            }
            let total = quote!((#(#lengths)+*));
            open.extend(quote!(let mut #stack = #tape.#take::<#ty>();));
            open.extend(match forward {
                true => quote!(let #frame = #p::open_frame(&mut #stack, #total);),
                false => quote!(let #frame = #p::top_frame(&#stack, #total);),
            });
            let split = if forward {
                quote!(split_at_mut)
            } else {
                quote!(split_at)
            };
            for ((record, _), length) in records.iter().zip(&lengths) {
                let slot = slot_name(*record);
                open.extend(quote!(let (#slot, #frame) = #frame.#split(#length);));
            }
            if !forward {
                close.extend(quote!(#p::close_frame(&mut #stack, #total);));
            }
            close.extend(quote!(#tape.#put(#stack);));
        }
        let (k, name, body) = (trip(), self.name(v), self.block(body));
        let nth = self.nth(range);
        let order = if forward {
            quote!(0..#count)
        } else {
            quote!((0..#count).rev())
        };
        quote! {
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

    /// How many entries of the frame are of this record: for callers that do not want it, none.
    fn slot_length(&self, record: RecordId, count: &Ident, open: &mut TokenStream) -> Ident {
        let demand = self.plan.record(record).demand;
        if self.is_wanted(demand) {
            return count.clone();
        }
        let name = Ident::new(&format!("length_{}", record.0), Span::mixed_site());
        let length = self.either(demand, quote!(#count), quote!(0));
        open.extend(quote!(let #name = #length;));
        name
    }
}

/// Stands for a comment that names the primal statement.
pub(super) fn mark(of: StmtId) -> TokenStream {
    let number = proc_macro2::Literal::u32_unsuffixed(of.0);
    quote!(__primal!(#number);)
}

/// The number of the iteration.
pub(super) fn trip() -> Ident {
    Ident::new("trip", Span::mixed_site())
}

pub(super) fn slot_name(record: RecordId) -> Ident {
    Ident::new(&format!("saved_{}", record.0), Span::mixed_site())
}
