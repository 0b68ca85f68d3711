//! The entry values of `&mut` parameters of functions whose bodies are opaque: the forward sweep saves them, the
//! reverse sweep restores them.

use crate::emit::interface::Interface;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::marker;
use crate::emit::{private, tape};
use crate::ir::Mode;

/// The statements for both sweeps.
pub struct EntryValues {
    save: TokenBuf,
    restore: TokenBuf,
}

impl EntryValues {
    /// The entry values of the function's `&mut` parameters.
    pub fn of(interface: &Interface<'_>) -> EntryValues {
        let (p, tape) = (private(), &tape());
        let (mut save, mut restore) = (TokenBuf::empty(), TokenBuf::empty());
        for param in interface.params.iter().filter(|p| p.mode == Mode::Mut) {
            let (name, marker) = (&param.name, &marker(&param.ty));
            save.add(code!(#p::Shape::<#marker>::save(&*#name, #tape);));
            let back = code!(#p::Shape::<#marker>::restore(&mut *#name, #tape););
            restore = back.then(restore);
        }
        EntryValues { save, restore }
    }

    /// Saves them if the test holds for the caller; for other callers nothing may be left on the tape.
    pub fn save_if(&self, test: &TokenBuf) -> TokenBuf {
        guarded(test, &self.save)
    }

    /// Restores them under the same test.
    pub fn restore_if(&self, test: &TokenBuf) -> TokenBuf {
        guarded(test, &self.restore)
    }
}

fn guarded(test: &TokenBuf, code: &TokenBuf) -> TokenBuf {
    match code.is_empty() {
        true => TokenBuf::empty(),
        false => code!(if #test { #code }),
    }
}
