//! Distributed loops: each part over slices of exactly as many elements as there are iterations.
//!
//! Sums are taken in lanes, one for each of a few adjacent iterations, because an addition has to wait for the one
//! before it. Where there are few iterations, the loop is run as one, last iteration first.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};

use super::Emit;
use super::control::counts_from_zero;
use super::frames::{Slots, slot_name};
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::typed_zero;
use crate::ir::{Block, FloatTy, Place, Range, RecordId, Rev, StmtKind, Ty, VarId};
use crate::plan::distribute::views::{View, views};

/// A distributed loop.
pub(super) struct Distributed<'a> {
    pub index: VarId,
    pub range: &'a Range,
    pub body: &'a Block,
    pub parts: &'a [Block],
    pub slots: Option<&'a Slots>,
}

/// What a part reads and writes in the order of memory: a name, and whether it is written.
type Stream = (Ident, bool);

impl Emit<'_> {
    pub(super) fn distributed_loop(&self, of: &Distributed<'_>) -> TokenBuf {
        let parts = of.parts.iter().map(|part| self.part(of, part));
        let parts: TokenBuf = parts.collect();
        let (count, trips) = (&local("trips"), self.trip_count(of.range));
        let (open, close) = match of.slots {
            Some(slots) => self.frames(slots, of.body, count, false),
            None => Default::default(),
        };
        let run = match of.parts {
            [part] if self.sums(part).is_empty() => parts,
            _ if self.is_listing => parts,
            _ => {
                let short = self.framed_iterations(of.index, of.range, of.body, count, false);
                code!(if #count < 8 { #short } else { #parts })
            }
        };
        code!({ let #count = #trips; #open #run #close })
    }

    /// The loop of one part, under its guards.
    fn part(&self, of: &Distributed<'_>, part: &Block) -> TokenBuf {
        if let [guard] = &part.stmts[..]
            && let StmtKind::When(demand, inner) = &guard.kind
        {
            let inside = self.with_demand(*demand).part(of, inner);
            if self.is_implied(*demand) {
                return inside;
            }
            let test = self.test(*demand);
            return code!(if #test { #inside });
        }
        if self.is_listing {
            return self.framed_iterations(of.index, of.range, part, &local("trips"), true);
        }
        let views = views(part, of.index, &self.plan.func);
        let (first, lo) = (&local("first"), self.expr(&of.range.lo));
        let declared = views
            .iter()
            .enumerate()
            .map(|(n, view)| self.declare_view(of, n, view));
        let declared: TokenBuf = declared.collect();
        let sums = self.sums(part);
        let run = match self.streams(part, &views) {
            Some(streams) if !sums.is_empty() && !streams.is_empty() => {
                self.lanes(of, part, &views, &streams, &sums)
            }
            _ => {
                let trip = local("trip");
                let body = self.iteration(of, part, &views, &[], trip.clone().into());
                self.while_up(&trip, &local("trips"), body)
            }
        };
        code!({ let #first = #lo; #declared #run })
    }

    /// The slice of a view's elements.
    fn declare_view(&self, of: &Distributed<'_>, n: usize, view: &View) -> TokenBuf {
        let (name, trips) = (view_name(n), local("trips"));
        let sequence = view.sequence(&self.plan.func);
        let from = self.receiver_for(&sequence, view.is_written);
        let borrow = if view.is_written {
            code!(&mut)
        } else {
            code!(&)
        };
        let is_index =
            matches!(&view.index, crate::ir::Expr::Read(p) if p.is_whole() && p.root == of.index);
        if is_index && counts_from_zero(of.range) {
            return code!(let #name = #borrow #from[..#trips];);
        }
        let (index, first, at) = (self.name(of.index), local("first"), self.expr(&view.index));
        code!(let #name = { let #index = #first; #borrow #from[#at..][..#trips] };)
    }

    /// The sums that the part adds to.
    fn sums(&self, part: &Block) -> Vec<Place> {
        let mut declared = BTreeSet::new();
        let mut found: Vec<Place> = Vec::new();
        part.walk(&mut |s| {
            declared.extend(s.declared());
            if let StmtKind::Incr(p, _) = &s.kind
                && p.is_whole()
                && matches!(p.ty, Ty::Float(FloatTy::F32 | FloatTy::F64))
                && !found.contains(p)
            {
                found.push(p.clone());
            }
        });
        found.retain(|p| !declared.contains(&p.root));
        found
    }

    /// The views and slots of the part; `None` if one of the slots may be empty.
    fn streams(&self, part: &Block, views: &[View]) -> Option<Vec<Stream>> {
        let names = views.iter().enumerate();
        let mut streams: Vec<_> = names.map(|(n, v)| (view_name(n), v.is_written)).collect();
        let mut restored: Vec<RecordId> = Vec::new();
        part.walk(&mut |s| {
            if let StmtKind::Restore(record, _) = s.kind {
                restored.push(record);
            }
        });
        let mut demands = restored.iter().map(|r| self.plan.record(*r).demand);
        let all_exist = demands.all(|demand| self.is_implied(demand));
        streams.extend(restored.iter().map(|r| (slot_name(*r), false)));
        all_exist.then_some(streams)
    }

    /// The body of an iteration, which has this number in its views and slots.
    fn iteration(
        &self,
        of: &Distributed<'_>,
        part: &Block,
        views: &[View],
        sums: &[Place],
        trip: TokenBuf,
    ) -> TokenBuf {
        let at = &local(if sums.is_empty() { "trip" } else { "lane" });
        let mut elements = self.elements.clone();
        for (n, view) in views.iter().enumerate() {
            let name = view_name(n);
            elements.push((view.element.clone(), code!(#name[#at])));
        }
        for (n, sum) in sums.iter().enumerate() {
            let name = lanes_name(n);
            elements.push((sum.clone(), code!(#name[#at])));
        }
        let inside = Emit {
            elements,
            iteration_var: at.clone(),
            ..self.fork()
        };
        let (index, value) = (self.name(of.index), self.value_at(of.range, trip));
        let body = inside.block(part);
        code!(let #index = #value; #body)
    }

    /// The value of the index in an iteration; the order of the iterations is of no account.
    fn value_at(&self, range: &Range, trip: TokenBuf) -> TokenBuf {
        if counts_from_zero(range) {
            return trip;
        }
        let first = local("first");
        if range.ty == Ty::USIZE {
            return code!(#first + #trip);
        }
        let upwards = Range {
            rev: Rev::No,
            ..range.clone()
        };
        let (p, hi, inclusive) = (private(), self.expr(&upwards.hi), upwards.inclusive);
        code!(#p::nth(#first, #hi, #inclusive, 1, #p::Order::Forward, #trip))
    }

    /// The part's loop over groups of adjacent iterations, and the iterations that are left.
    fn lanes(
        &self,
        of: &Distributed<'_>,
        part: &Block,
        views: &[View],
        streams: &[Stream],
        sums: &[Place],
    ) -> TokenBuf {
        let [trips, chunks, chunk, start, lane, rest, width] =
            &["trips", "chunks", "chunk", "start", "lane", "rest", "width"].map(local);
        let (mut split, mut within, mut remaining) = Default::default();
        for (name, is_written) in streams {
            let rest = &local(&format!("{name}_rest"));
            let split_of = |method: &str| TokenBuf::name(method);
            let (method, borrow) = match is_written {
                true => (split_of("as_chunks_mut"), code!(&mut)),
                false => (split_of("as_chunks"), code!(&)),
            };
            add(
                &mut split,
                code!(let (#name, #rest) = #name.#method::<4>();),
            );
            add(&mut within, code!(let #name = #borrow #name[#chunk];));
            add(&mut remaining, code!(let #name = #rest;));
        }
        let (mut zeros, mut totals) = Default::default();
        for (n, sum) in sums.iter().enumerate() {
            let (name, zero) = (&lanes_name(n), typed_zero(&sum.ty));
            add(&mut zeros, code!(let mut #name = [#zero; 4];));
            let sum = self.place_mut(sum);
            add(
                &mut totals,
                code!(#sum += (#name[0] + #name[1]) + (#name[2] + #name[3]);),
            );
        }
        let body = self.iteration(of, part, views, sums, code!((#start + #lane)));
        let whole = self.while_up(lane, width, body.clone());
        let last = self.while_up(lane, rest, body);
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

fn add(code: &mut TokenBuf, more: TokenBuf) {
    code.add(more);
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

fn view_name(n: usize) -> Ident {
    local(&format!("view_{n}"))
}

fn lanes_name(n: usize) -> Ident {
    local(&format!("lanes_{n}"))
}
