//! Locals that parts take from others: blocks of iterations, for each of which these have an element.

use proc_macro2::{Ident, Literal};

use super::streams::{Stream, number_tokens};
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::typed_zero;
use crate::ir::{Part, VarId};

/// How many iterations a block has.
const BLOCK: usize = 64;

impl Distributed<'_> {
    pub(super) fn is_in_blocks(&self) -> bool {
        let mut parts = self.distribution.parts.iter();
        parts.any(|part| !part.gives.is_empty())
    }
}

impl Emit<'_> {
    /// The parts, run for one block of iterations after another if they take locals from others.
    pub(super) fn in_blocks(&self, of: &Distributed<'_>, parts: TokenBuf) -> TokenBuf {
        if self.is_listing || !of.is_in_blocks() {
            return parts;
        }
        let [trips, all, start] = &["trips", "all_trips", "block_start"].map(local);
        let most = Literal::usize_unsuffixed(BLOCK);
        code!({
            let (#all, mut #start) = (#trips, 0usize);
            while #start < #all {
                let #trips = ::core::cmp::min(#all - #start, #most);
                #parts
                #start += #trips;
            }
        })
    }

    /// Keeps the value that a local has in an iteration.
    pub(super) fn give(&self, v: VarId, at: &Ident) -> TokenBuf {
        let (name, expanded) = (self.name(v), self.elements_name(v));
        code!(#expanded[#at] = #name;)
    }

    /// The name of the elements of a local that parts take.
    pub(super) fn elements_name(&self, v: VarId) -> Ident {
        let name = self.plan.func.var(v).name.trim_start_matches("r#");
        local(&format!("{name}_of_all"))
    }

    /// The elements of the locals that the part takes and gives.
    pub(super) fn expanded(&self, part: &Part) -> Vec<Stream> {
        let stream = |v: &VarId, is_written| {
            let (name, ty) = (self.elements_name(*v), &self.plan.func.var(*v).ty);
            let mut all = self.expanded.borrow_mut();
            all.insert(name.to_string(), (name.clone(), ty.clone()));
            Stream {
                name,
                element: number_tokens(ty),
                is_written,
                guards: Vec::new(),
            }
        };
        let taken = part.takes.iter().map(|v| stream(v, false));
        taken
            .chain(part.gives.iter().map(|v| stream(v, true)))
            .collect()
    }

    /// The elements as slices, which a closure takes.
    pub(super) fn elements_as_slices(&self, expanded: &[Stream]) -> TokenBuf {
        let slices = expanded.iter().map(|stream| {
            let (name, borrow) = (&stream.name, stream.borrow());
            code!(let #name = #borrow #name[..];)
        });
        slices.collect()
    }

    /// The slots from the start of the block on, in a loop that runs in blocks.
    pub(super) fn slots_of_block(&self, of: &Distributed<'_>, slots: &[Stream]) -> TokenBuf {
        if !of.is_in_blocks() {
            return TokenBuf::empty();
        }
        let start = &local("block_start");
        let slots = slots.iter().map(|Stream { name, .. }| {
            // What the caller does not demand has no elements.
            code!(let #name = #name.get(#start..).unwrap_or_default();)
        });
        slots.collect()
    }

    /// Declares the elements of locals that the parts of the sweep's loops take.
    pub(in crate::emit) fn emit_expanded(&self) -> TokenBuf {
        let all = self.expanded.take();
        let declared = all.into_values().map(|(name, ty)| {
            let (zero, count) = (typed_zero(&ty), Literal::usize_unsuffixed(BLOCK));
            code!(let mut #name = [#zero; #count];)
        });
        declared.collect()
    }
}
