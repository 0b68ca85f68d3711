//! Distributed loops: each part over slices of exactly as many elements as there are iterations.
//!
//! Sums are taken in lanes, one for each of a few adjacent iterations, because an addition has to wait for the one
//! before it. Where indices that have to be separate are not, the loop is run as one, last iteration first.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};

use super::Emit;
use super::control::counts_from_zero;
use super::frames::{Slots, slot_name, slot_tokens};
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::emit::types::typed_zero;
use crate::ir::{
    Block, Demand, Distribution, Expr, FloatTy, IntTy, Place, Range, StmtKind, Ty, VarId,
};
use crate::plan::distribute::factors::factors;
use crate::plan::distribute::views::{View, views};

/// A distributed loop.
pub(super) struct Distributed<'a> {
    pub index: VarId,
    pub range: &'a Range,
    pub body: &'a Block,
    pub distribution: &'a Distribution,
    pub slots: Option<&'a Slots>,
}

/// What a part reads and writes in the order of memory: a view or a slot.
struct Stream {
    name: Ident,
    /// The type of the elements, if it is a type of numbers that has a name.
    element: Option<TokenBuf>,
    is_written: bool,
    /// The callers for which it exists, of those that run the part.
    guards: Vec<Demand>,
}

/// A part, and what it reads and writes.
struct Streams<'a> {
    part: &'a Block,
    views: &'a [View],
    streams: &'a [Stream],
    sums: &'a [Place],
}

impl Stream {
    fn borrow(&self) -> TokenBuf {
        match self.is_written {
            true => code!(&mut),
            false => code!(&),
        }
    }
}

impl Emit<'_> {
    pub(super) fn distributed_loop(&self, of: &Distributed<'_>) -> TokenBuf {
        let parts = of.distribution.parts.iter().map(|part| {
            let seed = |v| self.expr(&Expr::Read(self.plan.func.place(v)));
            self.part(of, part.seed.map(seed).as_ref(), &part.block)
        });
        let parts: TokenBuf = parts.collect();
        let (count, trips) = (&local("trips"), self.trip_count(of.range));
        let (open, close) = match of.slots {
            Some(slots) => self.frames(slots, count, false),
            None => Default::default(),
        };
        let run = match self.elements_meet(of, count) {
            _ if self.is_listing => parts,
            // The elements of a loop without iterations need not exist.
            None => code!(if #count > 0 { #parts }),
            Some(meet) => {
                let as_one = self.framed_iterations(of.index, of.range, of.body, count, false);
                code!(if #count > 0 { if #meet { #as_one } else { #parts } })
            }
        };
        code!({ let #count = #trips; #open #run #close })
    }

    /// A condition that holds if indices that have to be separate are not, or have no value; none, if there are no such
    /// indices.
    fn elements_meet(&self, of: &Distributed<'_>, count: &Ident) -> Option<TokenBuf> {
        let mut tests = Vec::new();
        for separation in &of.distribution.separations {
            let read = separation.indices.iter().flat_map(|e| e.reads());
            let demands = read.filter_map(|v| self.plan.var_demands.get(&v));
            for demand in demands.filter(|d| !self.is_implied(**d)) {
                let has_value = self.test(*demand);
                tests.push(code!(!(#has_value)));
            }
            let [a, b] = separation.indices.each_ref().map(|e| self.expr(e));
            tests.push(match separation.are_runs {
                true => code!(usize::abs_diff(#a, #b) < #count),
                false => code!(#a == #b),
            });
        }
        tests.into_iter().reduce(|all, test| code!(#all || #test))
    }

    /// The loop of one part, under its guards, and under the test of its seed.
    fn part(&self, of: &Distributed<'_>, seed: Option<&TokenBuf>, part: &Block) -> TokenBuf {
        if let [guard] = &part.stmts[..]
            && let StmtKind::When(demand, inner) = &guard.kind
        {
            let inside = self.with_demand(*demand).part(of, seed, inner);
            if self.is_implied(*demand) {
                return inside;
            }
            let test = self.test(*demand);
            return code!(if #test { #inside });
        }
        let run = match self.is_listing {
            true => self.framed_iterations(of.index, of.range, part, &local("trips"), true),
            false => self.part_loop(of, part),
        };
        match seed {
            Some(seed) => code!(if #seed != 0.0 { #run }),
            None => run,
        }
    }

    fn part_loop(&self, of: &Distributed<'_>, part: &Block) -> TokenBuf {
        let start = (of.index, &of.range.lo);
        let separations = &of.distribution.separations;
        let views = views(part, start, separations, self.plan, &|d| self.is_implied(d));
        let (first, lo) = (&local("first"), self.expr(&of.range.lo));
        let sequence = |view: &View| (view.sequence(&self.plan.func), view.is_written);
        let sequences: Vec<_> = views.iter().map(sequence).collect();
        let (mut split, mut declared) = (self.fork(), TokenBuf::empty());
        split.split_variables(&sequences, &mut declared);
        for n in 0..views.len() {
            declared.add(split.declare_views(of, n, &views));
        }
        let sums = self.sums(part);
        let mut streams: Vec<Stream> = Vec::new();
        for (n, view) in views.iter().enumerate() {
            let sequence = view.sequence(&self.plan.func);
            streams.push(Stream {
                name: view_name(n),
                element: sequence.ty.element().and_then(number_tokens),
                is_written: view.is_written,
                guards: view.guards.clone(),
            });
        }
        streams.extend(self.slots(part));
        let of_part = Streams {
            part,
            views: &views,
            streams: &streams,
            sums: &sums,
        };
        let run = self.unless_infinite(of, &of_part);
        code!({ let #first = #lo; #declared #run })
    }

    /// Two loops, the first one for factors that are finite, if there are factors of which that can be told beforehand.
    fn unless_infinite(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let tested = self.over_streams(of, of_part);
        let factors = factors(of_part.part, of.index, &self.plan.func);
        if factors.is_empty() {
            return tested;
        }
        let mut plain = self.fork();
        let (mut values, mut are_finite) = (TokenBuf::empty(), TokenBuf::empty());
        for (n, factor) in factors.into_iter().enumerate() {
            let (name, value) = (&local(&format!("factor_{n}")), self.expr(&factor.value));
            values.add(code!(let #name = #value;));
            are_finite.add(match n {
                0 => code!(#name.is_finite()),
                _ => code!(&& #name.is_finite()),
            });
            plain.finite_factors.push((factor.in_part, name.clone()));
        }
        let untested = plain.over_streams(of, of_part);
        code!(#values if #are_finite { #untested } else { #tested })
    }

    /// The loop over its slices.
    fn over_streams(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let streams = of_part.streams;
        let has_lanes = !of_part.sums.is_empty()
            && !streams.is_empty()
            && streams.iter().all(|s| s.guards.is_empty());
        let run = match has_lanes {
            true => self.lanes(of, of_part),
            false => {
                let trip = &local("trip");
                let body = self.iteration(of, of_part, Vec::new(), (trip, trip.clone().into()));
                self.while_up(trip, &local("trips"), body)
            }
        };
        self.apart(streams, run)
    }

    /// The loop as a function of its slices: rustc tells the optimiser of references that are parameters that they don't
    /// overlap, and of no others.
    fn apart(&self, streams: &[Stream], run: TokenBuf) -> TokenBuf {
        let (mut params, mut args, mut exact) = <(TokenBuf, TokenBuf, TokenBuf)>::default();
        let trips = &local("trips");
        let all_known = streams.iter().all(|s| s.element.is_some());
        for stream in streams {
            let (name, borrow, element) = (&stream.name, &stream.borrow(), &stream.element);
            if let Some(element) = element {
                params.add(code!(#name: #borrow [#element],));
            }
            args.add(code!(#name,));
            let slice = self.guarded_slice(code!(#borrow #name[..#trips]), borrow, &stream.guards);
            exact.add(code!(let #name = #slice;));
        }
        match all_known && streams.len() > 1 && streams.iter().any(|s| s.is_written) {
            true => code!((|#params| { #exact #run })(#args);),
            false => code!(#exact #run),
        }
    }

    /// The slice, or none of its elements for callers that lack one of the guards.
    fn guarded_slice(&self, slice: TokenBuf, borrow: &TokenBuf, guards: &[Demand]) -> TokenBuf {
        guards.iter().fold(slice, |slice, demand| {
            let test = self.test(*demand);
            code!(if #test { #slice } else { #borrow [] })
        })
    }

    /// The slice of a view's elements, and those of all views of the same array that can't be held beside it otherwise.
    fn declare_views(&self, of: &Distributed<'_>, n: usize, views: &[View]) -> TokenBuf {
        let func = &self.plan.func;
        let sequence = views[n].sequence(func);
        let same = (0..views.len()).filter(|m| views[*m].sequence(func) == sequence);
        let same: Vec<usize> = same.collect();
        if same.len() == 1 || !same.iter().any(|m| views[*m].is_written) {
            return self.declare_view(of, n, &views[n]);
        }
        if same[0] != n {
            return TokenBuf::empty();
        }
        let (from, trips) = (self.receiver_for(&sequence, true), &local("trips"));
        let names = same.iter().map(|m| view_name(*m));
        let ranges = same.iter().map(|m| {
            let at = self.first_index(of, &views[*m]);
            code!({ let at = #at; at..at + #trips })
        });
        code!(let [#(#names),*] = #from.get_disjoint_mut([#(#ranges),*]).unwrap();)
    }

    /// The index of a view's first element.
    fn first_index(&self, of: &Distributed<'_>, view: &View) -> TokenBuf {
        let (index, first) = (self.name(of.index), local("first"));
        let at = self.expr(&view.index);
        code!({ let #index = #first; #at })
    }

    /// The slice of a view's elements.
    fn declare_view(&self, of: &Distributed<'_>, n: usize, view: &View) -> TokenBuf {
        let (name, trips) = (view_name(n), local("trips"));
        let sequence = view.sequence(&self.plan.func);
        let from = self.receiver_for(&sequence, view.is_written);
        let borrow = &match view.is_written {
            true => code!(&mut),
            false => code!(&),
        };
        let is_index = matches!(&view.index, Expr::Read(p) if p.is_whole() && p.root == of.index);
        let mut slice = match is_index && counts_from_zero(&of.range.ascending()) {
            true => code!(#borrow #from[..#trips]),
            false => {
                let at = self.first_index(of, view);
                code!(#borrow #from[#at..][..#trips])
            }
        };
        slice = self.guarded_slice(slice, borrow, &view.guards);
        code!(let #name = #slice;)
    }

    /// The sums that the part adds to.
    fn sums(&self, part: &Block) -> Vec<Place> {
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

    /// The slots that the part reads.
    fn slots(&self, part: &Block) -> Vec<Stream> {
        let mut slots = Vec::new();
        part.walk(&mut |s| {
            let (StmtKind::Restore(of, _) | StmtKind::RestoreControl(of, _)) = &s.kind else {
                return;
            };
            let record = self.plan.record(*of);
            slots.push(Stream {
                name: slot_name(*of),
                element: record.kind.slot_type().as_ref().and_then(number_tokens),
                is_written: false,
                guards: Vec::from_iter((!self.is_implied(record.demand)).then_some(record.demand)),
            });
        });
        slots
    }

    /// The body of an iteration, which has the number `at` in its views and slots, and `trip` among all; it adds to these
    /// sums.
    fn iteration(
        &self,
        of: &Distributed<'_>,
        of_part: &Streams<'_>,
        sums: Vec<TokenBuf>,
        (at, trip): (&Ident, TokenBuf),
    ) -> TokenBuf {
        let mut elements = self.elements.clone();
        for (n, view) in of_part.views.iter().enumerate() {
            let name = view_name(n);
            elements.push((view.element.clone(), code!(#name[#at])));
        }
        elements.extend(of_part.sums.iter().cloned().zip(sums));
        let inside = Emit {
            elements,
            iteration_var: at.clone(),
            is_in_vector_loop: !self.is_listing && may_be_vectorized(of_part),
            ..self.fork()
        };
        let (index, value) = (self.name(of.index), self.value_at(of.range, trip));
        let body = inside.block(of_part.part);
        code!(let #index = #value; #body)
    }

    /// The value of the index in an iteration; the order of the iterations is of no account.
    fn value_at(&self, range: &Range, trip: TokenBuf) -> TokenBuf {
        if counts_from_zero(&range.ascending()) {
            return trip;
        }
        let first = local("first");
        if range.ty == Ty::USIZE {
            return code!(#first + #trip);
        }
        let (p, hi, inclusive) = (private(), self.expr(&range.hi), range.inclusive);
        code!(#p::nth(#first, #hi, #inclusive, 1, #p::Order::Forward, #trip))
    }

    /// The part's loop over groups of adjacent iterations, and the iterations that are left, with sums of their own: lanes
    /// whose number is not known are in memory.
    fn lanes(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let [trips, chunks, chunk, start, lane, rest, width] =
            &["trips", "chunks", "chunk", "start", "lane", "rest", "width"].map(local);
        let (mut split, mut within, mut remaining) = <(TokenBuf, TokenBuf, TokenBuf)>::default();
        for stream in of_part.streams {
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

/// Whether a processor can take several iterations of the part at a time: sums go from one to the next, and masks of many
/// products fill its registers.
fn may_be_vectorized(of_part: &Streams<'_>) -> bool {
    const PRODUCTS: usize = 24;
    let mut products = 0;
    of_part.part.walk(&mut |s| {
        s.walk_exprs(&mut |e| products += usize::from(matches!(e, Expr::Scale(..))));
    });
    of_part.sums.is_empty() && products <= PRODUCTS
}

/// A type of numbers; a user's type may have a name that means something else here, or lack arguments.
fn number_tokens(ty: &Ty) -> Option<TokenBuf> {
    match ty {
        Ty::Float(FloatTy::Infer) | Ty::Int(IntTy::Infer) => None,
        Ty::Float(_) | Ty::Int(_) => slot_tokens(ty),
        _ => None,
    }
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

fn view_name(n: usize) -> Ident {
    local(&format!("view_{n}"))
}
