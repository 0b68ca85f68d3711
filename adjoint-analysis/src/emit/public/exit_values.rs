//! The exit values of in-out parameters, which the reverse sweep overwrites: the adjoint saves them between the sweeps, and
//! restores them at its end.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::Param;
use crate::emit::tape;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::Ty;

/// Where an exit value is saved: on the tape, or in a local, if it is one number or its type may not be `Send`.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    /// Floats on the tape.
    Reals,
    /// Integers on the tape.
    Integers,
    /// The floats of a `Vec` on the tape, with its length.
    Vec,
    /// A copy in a local.
    Copied,
    /// A slice's elements in a local `Vec`.
    Elements,
    /// A clone in a local.
    Cloned,
}

impl Storage {
    fn of(ty: &Ty) -> Storage {
        match ty {
            Ty::Slice(t) if t.is_float() => Storage::Reals,
            Ty::Slice(t) if matches!(**t, Ty::Int(_)) => Storage::Integers,
            Ty::Vec(t) if t.is_float() => Storage::Vec,
            Ty::Float(_) => Storage::Copied,
            Ty::Slice(_) => Storage::Elements,
            _ => Storage::Cloned,
        }
    }
}

/// Whether the exit value of this parameter is saved on the tape.
pub fn is_on_tape(param: &Param) -> bool {
    use Storage::{Integers, Reals, Vec};
    matches!(Storage::of(&param.ty), Reals | Integers | Vec)
}

/// Saves the exit value.
pub fn save(param: &Param) -> TokenBuf {
    let (tape, name, local) = (tape(), &param.name, local_name(param));
    match Storage::of(&param.ty) {
        Storage::Reals => code!(#tape.keep_reals(&*#name);),
        Storage::Integers => code!(#tape.keep_ints(&*#name);),
        Storage::Vec => code!(#tape.keep_vec(&*#name);),
        Storage::Copied => code!(let #local = *#name;),
        Storage::Elements => code!(let mut #local = #name.to_vec();),
        Storage::Cloned => code!(let #local = ::core::clone::Clone::clone(&*#name);),
    }
}

/// Restores the exit value.
pub fn restore(param: &Param) -> TokenBuf {
    let (tape, name, local) = (tape(), &param.name, local_name(param));
    match Storage::of(&param.ty) {
        Storage::Reals => code!(#tape.give_back_reals(&mut *#name);),
        Storage::Integers => code!(#tape.give_back_ints(&mut *#name);),
        Storage::Vec => code!(#tape.give_back_vec(&mut *#name);),
        Storage::Elements => code!(#name.swap_with_slice(&mut #local);),
        Storage::Copied | Storage::Cloned => code!(*#name = #local;),
    }
}

fn local_name(param: &Param) -> Ident {
    format_ident!("{}_exit", param.name, span = Span::mixed_site())
}
