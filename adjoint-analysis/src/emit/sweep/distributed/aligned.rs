//! Parts that share a loop: each runs another iteration in it, so that all add to one element.
//!
//! The iterations at the ends of the range that have no partner are run in front, part by part.

use proc_macro2::{Ident, Literal};

use super::of_part::{Position, Streams, may_be_vectorized};
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Part};
use crate::plan::distribute::views::View;

impl Emit<'_> {
    /// The loop of parts that share one; `None` if they can't here.
    pub(super) fn aligned_loop(
        &self,
        of: &Distributed<'_>,
        parts: &[(&Part, &Block)],
    ) -> Option<TokenBuf> {
        if parts.len() < 2 || !self.have_one_target(of, parts) {
            return None;
        }
        let mut members: Vec<Streams<'_>> = Vec::new();
        for (n, part) in parts.iter().enumerate() {
            let target = members.first().and_then(written);
            let position = Position {
                ahead: part.0.ahead(),
                suffix: format!("_{n}"),
                target,
            };
            members.push(self.streams_of(of, *part, position));
        }
        let members: Vec<&Streams<'_>> = members.iter().collect();
        if !may_be_vectorized(&members) {
            return None;
        }
        let most = members.iter().map(|m| m.position.ahead).max()?;
        let most = Literal::usize_unsuffixed(most);
        let ends = parts.iter().map(|part| self.ends(of, *part));
        let (ends, shared) = (ends.collect::<TokenBuf>(), self.shared_loop(of, &members));
        let [trips, ends_len, common] = &["trips", "ends", "common"].map(local);
        Some(code!({
            let #ends_len = ::core::cmp::min(#trips, #most);
            let #common = #trips - #ends_len;
            #ends
            if #common > 0 {
                let #trips = #common;
                #shared
            }
        }))
    }

    /// Whether each of the parts adds to elements that have a slice, all for the same callers.
    fn have_one_target(&self, of: &Distributed<'_>, parts: &[(&Part, &Block)]) -> bool {
        let target = |(part, block): &(&Part, &Block)| {
            let mut written = self.views(of, part, block);
            written.retain(|view: &View| view.is_written);
            match &written[..] {
                [only] => Some((only.sequence(&self.plan.func), only.guards.clone())),
                _ => None,
            }
        };
        let first = target(&parts[0]);
        first.is_some() && parts.iter().all(|part| target(part) == first)
    }

    /// The iterations of a part that have no partner.
    fn ends(&self, of: &Distributed<'_>, part: (&Part, &Block)) -> TokenBuf {
        let ahead = Literal::usize_unsuffixed(part.0.ahead());
        let of_part = self.streams_of(of, part, Position::default());
        let [trip, end, ends, common] = &["trip", "end", "ends", "common"].map(local);
        let iteration = self.iteration(of, &of_part, Vec::new(), (trip, trip.clone().into()));
        let body = code!(
            let #trip = if #end < #ahead { #end } else { #end + #common };
            #iteration
        );
        let run = self.apart(&of_part.streams, self.while_up(end, ends, body));
        let declared = &of_part.declared;
        code!({ #declared #run })
    }

    /// The iterations of all parts that have partners.
    fn shared_loop(&self, of: &Distributed<'_>, members: &[&Streams<'_>]) -> TokenBuf {
        let (first, lo) = (&local("first"), self.first(of, 0));
        let declared: TokenBuf = members.iter().map(|m| m.declared.clone()).collect();
        let streams = members.iter().flat_map(|m| &m.streams);
        let streams: Vec<_> = streams.cloned().collect();
        let trip = &local("trip");
        let run = |emit: &Emit<'_>| {
            let bodies = members.iter().map(|m| {
                let ahead = Literal::usize_unsuffixed(m.position.ahead);
                let number = code!((#trip + #ahead));
                let body = emit.iteration(of, m, Vec::new(), (trip, number));
                code!({ #body })
            });
            let body = bodies.collect();
            emit.apart(&streams, emit.while_up(trip, &local("trips"), body))
        };
        let run = self.unless_infinite(of, members, &run);
        code!(#declared let #first = #lo; #run)
    }
}

/// The name of the slice that a part writes.
fn written(of_part: &Streams<'_>) -> Option<Ident> {
    let written = of_part.streams.iter().find(|stream| stream.is_written);
    written.map(|stream| stream.name.clone())
}
