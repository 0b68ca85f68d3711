//! Sums in lanes, one for each of a few adjacent iterations, because an addition has to wait for the one before it.

use std::collections::BTreeSet;

use super::of_part::Streams;
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::typed_zero;
use crate::ir::{Block, Place, StmtKind};

impl Emit<'_> {
    /// The sums that the part adds to.
    pub(super) fn sums(&self, part: &Block) -> Vec<Place> {
        let mut declared = BTreeSet::new();
        let mut found: Vec<Place> = Vec::new();
        part.walk(&mut |s| {
            declared.extend(s.declared());
            if let StmtKind::Incr(p, _) = &s.kind
                && p.is_whole()
                && p.ty.is_machine_float()
                && !found.contains(p)
            {
                found.push(p.clone());
            }
        });
        found.retain(|p| !declared.contains(&p.root));
        found
    }

    /// The part's loop over groups of adjacent iterations, and the iterations that are left, with sums of their own: lanes
    /// whose number is not known are in memory.
    pub(super) fn lanes(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let [trips, chunks, chunk, start, lane, rest, width] =
            &["trips", "chunks", "chunk", "start", "lane", "rest", "width"].map(local);
        let (mut split, mut within, mut remaining) = <(TokenBuf, TokenBuf, TokenBuf)>::default();
        for stream in &of_part.streams {
            let (name, borrow) = (&stream.name, &stream.borrow());
            let rest = &local(&format!("{name}_rest"));
            let method = TokenBuf::name(match stream.is_written {
                true => "as_chunks_mut",
                false => "as_chunks",
            });
            split.add(code!(let (#name, #rest) = #name.#method::<4>();));
            within.add(code!(let #name = #borrow #name[#chunk];));
            remaining.add(code!(let #name = #rest;));
        }
        let (mut zeros, mut totals) = <(TokenBuf, TokenBuf)>::default();
        let (mut in_lanes, mut in_rest) = (Vec::new(), Vec::new());
        for (n, sum) in of_part.sums.iter().enumerate() {
            let [lanes, left] = &["lanes", "rest_of_lanes"].map(|of| local(&format!("{of}_{n}")));
            let (zero, sum) = (typed_zero(&sum.ty), self.place_mut(sum));
            let zero = &code!(#zero);
            zeros.add(code!(let (mut #lanes, mut #left) = ([#zero; 4], #zero);));
            in_lanes.push(code!(#lanes[#lane]));
            in_rest.push(left.clone().into());
            totals.add(code!(#sum += ((#lanes[0] + #lanes[2]) + (#lanes[1] + #lanes[3])) + #left;));
        }
        let iteration = |sums| self.iteration(of, of_part, sums, (lane, code!((#start + #lane))));
        let whole = self.while_up(lane, width, iteration(in_lanes));
        let last = self.while_up(lane, rest, iteration(in_rest));
        let group = code!(#within let #start = #chunk * 4; #whole);
        let groups = self.while_up(chunk, chunks, group);
        code!(
            #split #zeros
            let (#chunks, #rest, #width) = (#trips / 4, #trips % 4, 4usize);
            { #groups }
            #remaining
            let #start = #chunks * 4;
            { #last }
            #totals
        )
    }
}
