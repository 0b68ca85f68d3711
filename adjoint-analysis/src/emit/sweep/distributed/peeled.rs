//! The iterations that a distributed loop runs as they are, and its parts between them.

use proc_macro2::{Ident, Literal};

use super::expanded::BLOCK;
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::sweep::control::counts_from_zero;
use crate::emit::token_buf::{TokenBuf, code};

impl Distributed<'_> {
    /// Whether the parts start at another iteration than the first one.
    pub(super) fn has_start(&self) -> bool {
        self.is_in_blocks() || self.distribution.peeled.first > 0
    }

    /// Whether the index is zero in the first iteration that is run.
    pub(super) fn starts_at_zero(&self) -> bool {
        counts_from_zero(&self.range.ascending()) && !self.has_start()
    }

    /// A condition for so many iterations that some are not peeled.
    pub(super) fn has_interior(&self, count: &Ident) -> TokenBuf {
        let peeled = &self.distribution.peeled;
        let most = Literal::usize_unsuffixed(peeled.first + peeled.last);
        code!(#count > #most)
    }

    pub(super) fn has_ends(&self) -> bool {
        let peeled = &self.distribution.peeled;
        peeled.first > 0 || peeled.last > 0
    }
}

impl Emit<'_> {
    /// The last iteration, the parts for those between, and the first iteration.
    pub(super) fn between_ends(&self, of: &Distributed<'_>, parts: TokenBuf) -> TokenBuf {
        if !of.has_ends() {
            return parts;
        }
        let [trips, start, end] = &["trips", "start", "end"].map(local);
        let peeled = &of.distribution.peeled;
        let [first, last] = [peeled.first, peeled.last].map(Literal::usize_unsuffixed);
        let body = |emit: &Emit<'_>| emit.block(of.body);
        let iterations = |from: TokenBuf, count| {
            let (k, body) = self.framed_iteration(of.index, of.range, &body);
            let end = &local("ends");
            let iteration = code!(let #k = #from + #end; #body);
            self.while_down(end, count, iteration)
        };
        let last_ones = iterations(end.clone().into(), code!(#trips - #end));
        let first_ones = iterations(code!(0usize), start.clone().into());
        code!(
            let #start = ::core::cmp::min(#trips, #first);
            let #end = ::core::cmp::max(#trips - ::core::cmp::min(#trips, #last), #start);
            { #last_ones }
            #parts
            { #first_ones }
        )
    }

    /// The parts, run for one block of iterations after another if they take locals from others.
    pub(super) fn in_blocks(&self, of: &Distributed<'_>, parts: TokenBuf) -> TokenBuf {
        let [trips, all, block_start, start, end] =
            &["trips", "all_trips", "block_start", "start", "end"].map(local);
        if self.is_listing {
            return parts;
        }
        let (from, to): (TokenBuf, TokenBuf) = match (of.is_in_blocks(), of.has_ends()) {
            (false, false) => return parts,
            (false, true) => {
                return code!(if #start < #end {
                    let (#block_start, #trips) = (#start, #end - #start);
                    #parts
                });
            }
            (true, false) => (code!(0usize), trips.clone().into()),
            (true, true) => (start.clone().into(), end.clone().into()),
        };
        let most = Literal::usize_unsuffixed(BLOCK);
        code!({
            let (#all, mut #block_start) = (#to, #from);
            while #block_start < #all {
                let #trips = ::core::cmp::min(#all - #block_start, #most);
                #parts
                #block_start += #trips;
            }
        })
    }
}
