//! Locals that parts take from others: blocks of iterations, for each of which these have an element.

use proc_macro2::{Ident, Literal};

use super::of_part::Position;
use super::streams::{Slice, Stream, number_tokens};
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::typed_zero;
use crate::ir::{Part, VarId};

/// How many iterations a block has.
pub(super) const BLOCK: usize = 64;

impl Distributed<'_> {
    pub(super) fn is_in_blocks(&self) -> bool {
        let mut parts = self.distribution.parts.iter();
        parts.any(|part| !part.gives.is_empty())
    }
}

impl Emit<'_> {
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
    pub(super) fn expanded(&self, part: &Part, suffix: &str) -> Vec<Slice> {
        let slice = |v: &VarId, is_written| {
            let (of, ty) = (self.elements_name(*v), &self.plan.func.var(*v).ty);
            let mut all = self.expanded.borrow_mut();
            all.insert(of.to_string(), (of.clone(), ty.clone()));
            let stream = Stream {
                name: local(&format!("{of}{suffix}")),
                element: number_tokens(ty),
                is_written,
                guards: Vec::new(),
            };
            Slice { of, stream }
        };
        let taken = part.takes.iter().map(|v| slice(v, false));
        taken
            .chain(part.gives.iter().map(|v| slice(v, true)))
            .collect()
    }

    /// The elements as slices, which a closure takes, for a part that is so many iterations ahead.
    pub(super) fn elements_as_slices(&self, expanded: &[Slice], ahead: usize) -> TokenBuf {
        let number = Literal::usize_unsuffixed(ahead);
        let ahead = &match ahead {
            0 => TokenBuf::empty(),
            _ => code!(#number),
        };
        let slices = expanded.iter().map(|Slice { of, stream }| {
            let (name, borrow) = (&stream.name, stream.borrow());
            code!(let #name = #borrow #of[#ahead..];)
        });
        slices.collect()
    }

    /// The slots from the start of the block on, in a loop that runs in blocks, and for a part that is ahead.
    pub(super) fn slots_from(
        &self,
        of: &Distributed<'_>,
        slots: &[Slice],
        position: &Position,
    ) -> TokenBuf {
        let (start, ahead) = (local("block_start"), position.ahead);
        let ahead = Literal::usize_unsuffixed(ahead);
        let start = match (of.has_start(), position.ahead) {
            (false, 0) if position.suffix.is_empty() => return TokenBuf::empty(),
            (false, _) => code!(#ahead),
            (true, 0) => start.into(),
            (true, _) => code!(#start + #ahead),
        };
        let slots = slots.iter().map(|Slice { of, stream }| {
            let (name, start) = (&stream.name, &start);
            // What the caller does not demand has no elements.
            code!(let #name = #of.get(#start..).unwrap_or_default();)
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
