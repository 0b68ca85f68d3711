//! Distributed loops: each part over slices of exactly as many elements as there are iterations.
//!
//! Where indices that have to be separate are not, the loop is run as one, last iteration first.
//!
//! | file | what |
//! | --- | --- |
//! | `streams` | slices, as arguments of a closure |
//! | `view_slices` | those of elements that follow one another |
//! | `expanded` | those of locals that parts take from others, in blocks of iterations |
//! | `lanes` | sums, one for each of a few adjacent iterations |

use proc_macro2::{Ident, Span};

use super::Emit;
use super::control::counts_from_zero;
use super::frames::Slots;
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Distribution, Expr, Part, Place, Range, StmtKind, Ty, VarId};
use crate::plan::distribute::factors::factors;
use crate::plan::distribute::views::{View, views};

mod expanded;
mod lanes;
mod streams;
mod view_slices;

use streams::Stream;
use view_slices::view_name;

/// A distributed loop.
pub(super) struct Distributed<'a> {
    pub index: VarId,
    pub range: &'a Range,
    pub body: &'a Block,
    pub distribution: &'a Distribution,
    pub slots: Option<&'a Slots>,
}

/// A part, and what it reads and writes.
struct Streams<'a> {
    part: &'a Part,
    /// The body without its guards.
    block: &'a Block,
    views: &'a [View],
    streams: &'a [Stream],
    sums: &'a [Place],
}

impl Emit<'_> {
    pub(super) fn distributed_loop(&self, of: &Distributed<'_>) -> TokenBuf {
        let parts = of.distribution.parts.iter().map(|part| {
            let seed = |v| self.expr(&Expr::Read(self.plan.func.place(v)));
            self.part(of, part.seed.map(seed).as_ref(), part, &part.block)
        });
        let parts = self.in_blocks(of, parts.collect());
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
                let body = |emit: &Emit<'_>| emit.block(of.body);
                let as_one = self.framed_iterations(of.index, of.range, &body, count, false);
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
    fn part(
        &self,
        of: &Distributed<'_>,
        seed: Option<&TokenBuf>,
        part: &Part,
        block: &Block,
    ) -> TokenBuf {
        if let [guard] = &block.stmts[..]
            && let StmtKind::When(demand, inner) = &guard.kind
        {
            let inside = self.with_demand(*demand).part(of, seed, part, inner);
            if self.is_implied(*demand) {
                return inside;
            }
            let test = self.test(*demand);
            return code!(if #test { #inside });
        }
        let run = match self.is_listing {
            true => self.listed_part(of, part, block),
            false => self.part_loop(of, part, block),
        };
        match seed {
            Some(seed) => code!(if #seed != 0.0 { #run }),
            None => run,
        }
    }

    fn listed_part(&self, of: &Distributed<'_>, part: &Part, block: &Block) -> TokenBuf {
        let trip = &match counts_from_zero(&of.range.ascending()) {
            true => self.name(of.index).clone(),
            false => local("trip"),
        };
        let body = |emit: &Emit<'_>| {
            let taken = part.takes.iter().map(|v| {
                let (name, of_all) = (emit.name(*v), emit.elements_name(*v));
                code!(let #name = #of_all[#trip];)
            });
            let given = part.gives.iter().map(|v| emit.give(*v, trip));
            let (taken, given): (TokenBuf, TokenBuf) = (taken.collect(), given.collect());
            taken.then(emit.block(block)).then(given)
        };
        self.framed_iterations(of.index, of.range, &body, &local("trips"), true)
    }

    fn part_loop(&self, of: &Distributed<'_>, part: &Part, block: &Block) -> TokenBuf {
        let start = (of.index, &of.range.lo);
        let (with_taken, separations) = ((block, &part.takes[..]), &of.distribution.separations);
        let is_implied = |demand| self.is_implied(demand);
        let views = views(with_taken, start, separations, self.plan, &is_implied);
        let sequence = |view: &View| (view.sequence(&self.plan.func), view.is_written);
        let sequences: Vec<_> = views.iter().map(sequence).collect();
        let (mut split, mut declared) = (self.fork(), TokenBuf::empty());
        split.split_variables(&sequences, &mut declared);
        for n in 0..views.len() {
            declared.add(split.declare_views(of, n, &views));
        }
        let of_views = views.iter().enumerate();
        let mut streams: Vec<Stream> = of_views.map(|(n, view)| self.stream(n, view)).collect();
        let (slots, expanded) = (self.slots(block), self.expanded(part));
        declared.add(self.slots_of_block(of, &slots));
        declared.add(self.elements_as_slices(&expanded));
        streams.extend(slots);
        streams.extend(expanded);
        let of_part = Streams {
            part,
            block,
            views: &views,
            streams: &streams,
            sums: &self.sums(block),
        };
        let run = self.unless_infinite(of, &of_part);
        let (first, lo) = (&local("first"), self.first(of));
        code!({ let #first = #lo; #declared #run })
    }

    /// The value of the index in the first iteration of the loop, or of the block.
    fn first(&self, of: &Distributed<'_>) -> TokenBuf {
        let (lo, start) = (self.expr(&of.range.lo), local("block_start"));
        match of.is_in_blocks() {
            false => lo,
            true if of.range.ty == Ty::USIZE => code!(#lo + #start),
            true => self.nth_from(&lo, of.range, start.into()),
        }
    }

    /// Two loops, the first one for factors that are finite, if there are factors of which that can be told beforehand.
    fn unless_infinite(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let tested = self.over_streams(of, of_part);
        let factors = factors(
            of_part.block,
            &of_part.part.takes,
            of.index,
            &self.plan.func,
        );
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
        for v in &of_part.part.takes {
            let expanded = self.elements_name(*v);
            elements.push((self.plan.func.place(*v), code!(#expanded[#at])));
        }
        let inside = Emit {
            elements,
            iteration_var: at.clone(),
            is_in_vector_loop: !self.is_listing && may_be_vectorized(of_part),
            ..self.fork()
        };
        let (index, value) = (self.name(of.index), self.value_at(of, trip));
        let body = inside.block(of_part.block);
        let given: TokenBuf = of_part
            .part
            .gives
            .iter()
            .map(|v| self.give(*v, at))
            .collect();
        code!(let #index = #value; #body #given)
    }

    /// The value of the index in an iteration; the order of the iterations is of no account.
    fn value_at(&self, of: &Distributed<'_>, trip: TokenBuf) -> TokenBuf {
        let (range, first) = (of.range, local("first"));
        if counts_from_zero(&range.ascending()) && !of.is_in_blocks() {
            return trip;
        }
        match range.ty == Ty::USIZE {
            true => code!(#first + #trip),
            false => self.nth_from(&first.into(), range, trip),
        }
    }

    /// The value of the index so many iterations behind that with the value `first`.
    fn nth_from(&self, first: &TokenBuf, range: &Range, trip: TokenBuf) -> TokenBuf {
        let (p, hi, inclusive) = (private(), self.expr(&range.hi), range.inclusive);
        code!(#p::nth(#first, #hi, #inclusive, 1, #p::Order::Forward, #trip))
    }
}

/// Whether a processor can take several iterations of the part at a time: sums go from one to the next, and masks of many
/// products fill its registers.
fn may_be_vectorized(of_part: &Streams<'_>) -> bool {
    const PRODUCTS: usize = 24;
    let mut products = 0;
    of_part.block.walk(&mut |s| {
        s.walk_exprs(&mut |e| products += usize::from(matches!(e, Expr::Scale(..))));
    });
    of_part.sums.is_empty() && products <= PRODUCTS
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
