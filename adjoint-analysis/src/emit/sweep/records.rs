//! Records and what they restore.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::Emit;
use super::frames::trip;
use crate::emit::types::{marker, parse, tokens};
use crate::emit::{private, tape};
use crate::ir::{Expr, Place, RecordId, Ty, VarId};
use crate::plan::RecordKind;

impl Emit<'_> {
    pub(super) fn record(&self, record: RecordId, place: &Place) -> TokenStream {
        let tape = tape();
        let slot = self.slot(record);
        match (&place.ty, slot) {
            (_, Some(slot)) => {
                let (value, k) = (self.place(place), trip());
                quote!(#slot[#k] = #value;)
            }
            (Ty::Float(_), None) => {
                let value = self.place(place);
                quote!(#tape.push_real(#value);)
            }
            (Ty::Int(crate::ir::IntTy::Infer), None) => {
                let value = self.place(place);
                quote!(#tape.push_number(#value);)
            }
            (Ty::Int(_), None) => {
                let value = self.place(place);
                match self.plan.record(record).kind {
                    RecordKind::Label(bits) => quote!(#tape.push_label(#value, #bits);),
                    RecordKind::Count => quote!(#tape.push_count(#value);),
                    _ => quote!(#tape.push_int(#value);),
                }
            }
            (Ty::Bool, None) => {
                let value = self.place(place);
                quote!(#tape.push_flag(#value);)
            }
            (ty, None) => {
                let (p, marker, value) = (private(), marker(ty), self.borrow(place, false));
                let of_result = place.is_whole().then_some(quote!(#value, #tape));
                match of_result.and_then(|args| self.on_result(place.root, "result_save", args)) {
                    Some(save) => quote!(#save;),
                    None => quote!(#p::Shape::<#marker>::save(#value, #tape);),
                }
            }
        }
    }

    pub(super) fn restore(&self, record: RecordId, place: &Place) -> TokenStream {
        match place.ty.is_scalar() {
            true => {
                let (value, place_tokens) = (self.popped(record, &place.ty), self.target(place));
                quote!(#place_tokens = #value;)
            }
            false
                if place.is_whole() && !place.ty.has_blank() && !self.is_reference(place.root) =>
            {
                let (value, name) = (self.loaded(place.root, record), self.name(place.root));
                quote!(#name = #value;)
            }
            false => {
                let (p, marker, tape) = (private(), marker(&place.ty), tape());
                let value = self.borrow(place, true);
                quote!(#p::Shape::<#marker>::restore(#value, #tape);)
            }
        }
    }

    /// The recorded float where it is wanted, else zero: a branch in the caller costs rustc more.
    pub(super) fn popped_if(&self, record: RecordId, ty: &Ty, wanted: &Ident) -> TokenStream {
        let (p, tape) = (private(), tape());
        match self.slot(record) {
            Some(slot) => {
                let k = trip();
                quote!(#p::in_slot(#wanted, #slot, #k))
            }
            None => {
                let ty = tokens(ty);
                quote!(#tape.pop_real_if::<#ty>(#wanted))
            }
        }
    }

    /// The recorded value.
    pub(super) fn popped(&self, record: RecordId, ty: &Ty) -> TokenStream {
        let tape = tape();
        if let Some(slot) = self.slot(record) {
            let k = trip();
            return quote!(#slot[#k]);
        }
        match ty {
            Ty::Float(t) => {
                let t = parse(t.name());
                quote!(#tape.pop_real::<#t>())
            }
            // Both sweeps may see it as of another type.
            Ty::Int(crate::ir::IntTy::Infer) => quote!(#tape.pop_number()),
            Ty::Int(t) => match self.plan.record(record).kind {
                RecordKind::Label(bits) => quote!(#tape.pop_label(#bits)),
                RecordKind::Count => quote!(#tape.pop_count()),
                _ => {
                    let t = parse(t.name());
                    quote!(#tape.pop_int::<#t>())
                }
            },
            Ty::Bool => quote!(#tape.pop_flag()),
            ty => {
                let (p, marker) = (private(), marker(ty));
                let named = tokens(ty).unwrap_or_else(|| quote!(_).into());
                quote!(<#named as #p::Shape<#marker>>::load(#tape))
            }
        }
    }

    pub(super) fn record_way(&self, record: RecordId, e: &Expr) -> TokenStream {
        let (tape, e) = (tape(), self.expr(e));
        match self.plan.record(record).kind {
            RecordKind::Count => quote!(#tape.push_count(#e);),
            _ => quote!(#tape.push_flag(#e);),
        }
    }

    pub(super) fn restore_way(&self, record: RecordId, v: VarId) -> TokenStream {
        let (tape, name) = (tape(), self.name(v));
        let demand = self.plan.record(record).demand;
        match self.plan.record(record).kind {
            RecordKind::Count => {
                let count = self.either(demand, quote!(#tape.pop_count()), quote!(0));
                quote!(let #name = #count;)
            }
            _ => {
                let flag = self.either(demand, quote!(#tape.pop_flag()), quote!(false));
                quote!(let #name = #flag;)
            }
        }
    }
}
