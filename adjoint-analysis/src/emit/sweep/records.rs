//! Records: saving values to the tape and restoring them.

use proc_macro2::Ident;

use super::Emit;
use crate::emit::token_buf::{Interpolate, TokenBuf, code};
use crate::emit::types::{marker, parse, type_tokens};
use crate::emit::{private, tape};
use crate::ir::{Expr, Place, RecordId, Ty, VarId};
use crate::plan::RecordKind;

impl Emit<'_> {
    pub(super) fn record(&self, record: RecordId, place: &Place) -> TokenBuf {
        let tape = &tape();
        let slot = self.slot(record);
        match (&place.ty, slot) {
            (ty, Some(slot)) => {
                let (value, k) = (in_slot(ty, self.place(place)), &self.iteration_var);
                code!(#slot[#k] = #value;)
            }
            (Ty::Float(_), None) => {
                let value = self.place(place);
                code!(#tape.push_real(#value);)
            }
            (Ty::Int(crate::ir::IntTy::Infer), None) => {
                let value = self.place(place);
                code!(#tape.push_number(#value);)
            }
            (Ty::Int(_), None) => {
                let value = self.place(place);
                match self.plan.record(record).kind {
                    RecordKind::Label(bits) => code!(#tape.push_label(#value, #bits);),
                    RecordKind::Count => code!(#tape.push_count(#value);),
                    _ => code!(#tape.push_int(#value);),
                }
            }
            (Ty::Bool, None) => {
                let value = self.place(place);
                code!(#tape.push_flag(#value);)
            }
            (_, None) if self.may_be_unsavable(record, place) => {
                let value = self.borrow(place, false);
                self.code_at_declaration(place.root, self.optional_save("save", place, &value))
            }
            (ty, None) => {
                let (p, marker) = (private(), marker(ty));
                let value = &self.borrow(place, false);
                let of_result = place.is_whole().then_some(code!(#value, #tape));
                match of_result.and_then(|args| self.result_op(place.root, "result_save", args)) {
                    Some(save) => code!(#save;),
                    None if place.is_whole() => {
                        let save = self.shape_function(place.root, "save");
                        code!(#save(#value, #tape);)
                    }
                    None => code!(#p::Shape::<#marker>::save(#value, #tape);),
                }
            }
        }
    }

    /// Records conditionally by one call, which costs rustc less than a block. Only for whole variables, which can be
    /// read in any case; an element may not exist if the test fails.
    pub(super) fn record_if(
        &self,
        test: &Ident,
        record: RecordId,
        place: &Place,
    ) -> Option<TokenBuf> {
        if self.is_listing || !place.is_whole() {
            return None;
        }
        match (&place.ty, self.slot(record)) {
            (ty, Some(slot)) => {
                let (value, k) = (in_slot(ty, self.place(place)), &self.iteration_var);
                let p = private();
                Some(code!(#p::put_if(#test, #slot, #k, #value);))
            }
            (Ty::Float(_), None) => {
                let (tape, value) = (tape(), self.place(place));
                Some(code!(#tape.push_real_if(#test, #value);))
            }
            _ => None,
        }
    }

    pub(super) fn restore(&self, record: RecordId, place: &Place) -> TokenBuf {
        match place.ty.is_scalar() {
            true => {
                let (value, place_tokens) = (self.pop(record, &place.ty), self.place_mut(place));
                code!(#place_tokens = #value;)
            }
            false if self.may_be_unsavable(record, place) => {
                let value = self.borrow(place, true);
                self.optional_save("restore", place, &value)
            }
            false
                if place.is_whole()
                    && !place.ty.has_initial_value()
                    && !self.is_reference(place.root) =>
            {
                let (value, name) = (
                    self.load_variable(place.root, record),
                    self.name(place.root),
                );
                code!(#name = #value;)
            }
            false => {
                let (p, marker, tape) = (private(), marker(&place.ty), tape());
                let value = self.borrow(place, true);
                code!(#p::Shape::<#marker>::restore(#value, #tape);)
            }
        }
    }

    /// Whether only restoring callers need the value and its type is a user type, which then need not support saving.
    fn may_be_unsavable(&self, record: RecordId, place: &Place) -> bool {
        self.plan.record(record).demand.only_restores() && !place.ty.user_types().is_empty()
    }

    fn optional_save(&self, method: &str, place: &Place, value: &TokenBuf) -> TokenBuf {
        let (p, marker, tape, method) =
            (private(), marker(&place.ty), tape(), TokenBuf::name(method));
        let caller = code!(::core::marker::PhantomData::<__Caller>);
        code!({ use #p::Unkept as _; #p::kept::<#marker, _>(#value).#method(#caller, #tape); })
    }

    /// The recorded float if it is needed, otherwise zero; a branch here would cost rustc more than the call.
    pub(super) fn pop_if(&self, record: RecordId, ty: &Ty, wanted: &Ident) -> TokenBuf {
        let (p, tape) = (private(), tape());
        match self.slot(record) {
            Some(slot) => {
                let k = &self.iteration_var;
                code!(#p::in_slot(#wanted, #slot, #k))
            }
            None => {
                let ty = type_tokens(ty);
                code!(#tape.pop_real_if::<#ty>(#wanted))
            }
        }
    }

    /// The recorded value.
    pub(super) fn pop(&self, record: RecordId, ty: &Ty) -> TokenBuf {
        let tape = tape();
        if let Some(slot) = self.slot(record) {
            let k = &self.iteration_var;
            return match ty {
                Ty::Bool => code!((#slot[#k] != 0)),
                _ => code!(#slot[#k]),
            };
        }
        match ty {
            Ty::Float(t) => {
                let t = parse(t.name());
                code!(#tape.pop_real::<#t>())
            }
            // The sweeps may infer different integer types.
            Ty::Int(crate::ir::IntTy::Infer) => code!(#tape.pop_number()),
            Ty::Int(t) => match self.plan.record(record).kind {
                RecordKind::Label(bits) => code!(#tape.pop_label(#bits)),
                RecordKind::Count => code!(#tape.pop_count()),
                _ => {
                    let t = parse(t.name());
                    code!(#tape.pop_int::<#t>())
                }
            },
            Ty::Bool => code!(#tape.pop_flag()),
            ty => {
                let (p, marker) = (private(), marker(ty));
                let named = type_tokens(ty).unwrap_or_else(|| code!(_));
                code!(<#named as #p::Shape<#marker>>::load(#tape))
            }
        }
    }

    pub(super) fn record_way(&self, record: RecordId, e: &Expr) -> TokenBuf {
        let (tape, e) = (tape(), self.expr(e));
        match self.plan.record(record).kind {
            RecordKind::Count => code!(#tape.push_count(#e);),
            _ => self.push_flag(record, e),
        }
    }

    /// Records which way was taken, for the callers that demand it.
    pub(super) fn record_flag(&self, record: RecordId, flag: &Ident) -> TokenBuf {
        let demand = self.plan.record(record).demand;
        let push = self.push_flag(record, flag);
        match self.needs_test(demand) {
            true => {
                let test = self.test(demand);
                code!(if #test { #push })
            }
            false => push,
        }
    }

    fn push_flag(&self, record: RecordId, flag: impl Interpolate) -> TokenBuf {
        match self.slot(record) {
            Some(slot) => {
                let (flag, k) = (in_slot(&Ty::Bool, flag), &self.iteration_var);
                code!(#slot[#k] = #flag;)
            }
            None => {
                let tape = tape();
                code!(#tape.push_flag(#flag);)
            }
        }
    }

    pub(super) fn restore_way(&self, record: RecordId, v: VarId) -> TokenBuf {
        let name = self.name(v);
        let (ty, otherwise) = match self.plan.record(record).kind {
            RecordKind::Count => (Ty::USIZE, code!(0)),
            _ => (Ty::Bool, code!(false)),
        };
        let demand = self.plan.record(record).demand;
        let way = self.if_demanded(demand, self.pop(record, &ty), otherwise);
        code!(let #name = #way;)
    }
}

/// A value as it is in the slot of a frame: flags are bytes there.
fn in_slot(ty: &Ty, value: impl Interpolate) -> TokenBuf {
    match ty {
        Ty::Bool => code!(::core::primitive::u8::from(#value)),
        _ => code!(#value),
    }
}
