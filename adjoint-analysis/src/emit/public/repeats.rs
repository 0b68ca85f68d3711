//! One forward sweep for several reverse sweeps: each begins with what the forward sweep has left, on the tape and in `&mut`
//! parameters.
//!
//! Loops that are reversed from snapshots serve one reverse sweep: for the others, the forward sweep runs again from the entry
//! values.

use proc_macro2::{Ident, Span};
use quote::format_ident;

use super::tape_calls::TapeCalls;
use super::{changed_params, sweep_calls};
use crate::emit::interface::{Interface, Param};
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::{private, tape};
use crate::ir::{Mode, StmtKind, Ty};
use crate::plan::Plan;

/// The statements around the sweeps.
pub struct Repeats {
    /// In front of the forward sweep: copies of entry values, where it may run again.
    pub entries: TokenBuf,
    /// Behind the forward sweep: copies of the exit values that a reverse sweep changes.
    pub exits: TokenBuf,
    /// Restores these.
    pub to_exits: TokenBuf,
    to_entries: TokenBuf,
    calls: TapeCalls,
}

impl Repeats {
    /// The statements for a function.
    pub fn of(interface: &Interface<'_>, plan: &Plan) -> Repeats {
        let changed = changed_params(interface, plan);
        let (entries, to_entries) = entry_values(interface, plan);
        Repeats {
            entries,
            exits: changed.iter().map(|param| save(param, "exit")).collect(),
            to_exits: changed.iter().map(|param| restore(param, "exit")).collect(),
            to_entries,
            calls: TapeCalls::of(plan, &[]),
        }
    }

    /// In front of each reverse sweep.
    pub fn load(&self, interface: &Interface<'_>, is_last: TokenBuf) -> TokenBuf {
        let (tape, forward) = (&tape(), sweep_calls::forward(interface));
        let (begin, turn) = (&self.calls.begin, &self.calls.turn);
        let (to_exits, to_entries) = (&self.to_exits, &self.to_entries);
        code! {
            if #tape.load(#is_last) {
                #to_exits
            } else {
                #to_entries
                #begin
                let _ = #forward;
                #turn
            }
        }
    }
}

/// Saves the entry values of `&mut` parameters, and restores them for another forward sweep; where no loop can be reversed
/// from snapshots, there is none.
fn entry_values(interface: &Interface<'_>, plan: &Plan) -> (TokenBuf, TokenBuf) {
    let mut serves_once = !plan.func.checkpoints.is_empty();
    plan.each_forward_stmt(&mut |stmt| {
        serves_once |= matches!(stmt.kind, StmtKind::Forward(_));
    });
    if !serves_once {
        return (TokenBuf::empty(), code!(::core::unreachable!();));
    }
    let lent: Vec<&Param> = interface
        .params
        .iter()
        .filter(|p| p.mode == Mode::Mut)
        .collect();
    if !lent.iter().all(|param| has_copy(param)) {
        let message = "each reverse sweep runs a checkpointed loop again, and a `&mut` argument has no copy for that: call the adjoint for each seed";
        return (TokenBuf::empty(), code!(::core::panic!(#message);));
    }
    let save = lent.iter().map(|param| save(param, "entry"));
    let restore = lent.iter().map(|param| restore(param, "entry"));
    (save.collect(), restore.collect())
}

/// Whether values of the parameter's type are known to have copies.
fn has_copy(param: &Param) -> bool {
    let is_known = !param.ty.is_state() && param.ty != Ty::Unknown;
    param.adjoint || is_known && param.ty.user_types().is_empty()
}

/// Whether a pullback has a copy of this parameter, and not the reference.
pub fn is_copied(param: &Param) -> bool {
    param.mode == Mode::Mut && has_copy(param)
}

/// Copies the value of a `&mut` parameter.
pub fn save(param: &Param, when: &str) -> TokenBuf {
    let (p, name, copy) = (private(), &param.name, copy_name(param, when));
    code!(let #copy = #p::owned(&*#name);)
}

/// Gives it that value again.
pub fn restore(param: &Param, when: &str) -> TokenBuf {
    let (name, copy) = (&param.name, copy_name(param, when));
    match &param.ty {
        Ty::Slice(_) => code!(#name.clone_from_slice(&#copy);),
        _ => code!(::core::clone::Clone::clone_from(&mut *#name, &#copy);),
    }
}

pub fn copy_name(param: &Param, when: &str) -> Ident {
    format_ident!("{}_{when}", param.name, span = Span::mixed_site())
}
