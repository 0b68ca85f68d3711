//! Distributed loops: each part over slices of exactly as many elements as there are iterations.
//!
//! Where indices that have to be separate are not, the loop is run as one, last iteration first.
//!
//! | file | what |
//! | --- | --- |
//! | `of_part` | a part, with what it reads and writes |
//! | `streams` | slices, as arguments of a closure |
//! | `view_slices` | those of elements that follow one another |
//! | `aligned` | parts that share a loop |
//! | `expanded` | those of locals that parts take from others, in blocks of iterations |
//! | `peeled` | the iterations at the ends that run as they are |
//! | `lanes` | sums, one for each of a few adjacent iterations |

use proc_macro2::{Ident, Literal, Span};

use super::Emit;
use super::control::counts_from_zero;
use super::frames::Slots;
use crate::emit::private;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Demand, Distribution, Expr, Part, Range, StmtKind, Ty, VarId};
use crate::plan::distribute::factors::{Factor, factors};

mod aligned;
mod expanded;
mod lanes;
mod of_part;
mod peeled;
mod streams;
mod view_slices;

use of_part::{Position, Streams, may_be_vectorized};

/// A distributed loop.
pub(super) struct Distributed<'a> {
    pub index: VarId,
    pub range: &'a Range,
    pub body: &'a Block,
    pub distribution: &'a Distribution,
    pub slots: Option<&'a Slots>,
}

impl Emit<'_> {
    pub(super) fn distributed_loop(&self, of: &Distributed<'_>) -> TokenBuf {
        let parts = of.distribution.loops().map(|parts| {
            let seed = |v| self.expr(&Expr::Read(self.plan.func.place(v)));
            let blocks: Vec<_> = parts.iter().map(|part| (part, &part.block)).collect();
            self.parts(of, parts[0].seed.map(seed).as_ref(), &blocks)
        });
        let parts = self.between_ends(of, self.in_blocks(of, parts.collect()));
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
                let inside = of.has_interior(count);
                code!(if #count > 0 { if #inside && (#meet) { #as_one } else { #parts } })
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

    /// The loop of parts that share one, under their guards, and under the test of their seed.
    fn parts(
        &self,
        of: &Distributed<'_>,
        seed: Option<&TokenBuf>,
        parts: &[(&Part, &Block)],
    ) -> TokenBuf {
        if let Some((demand, inside)) = under_one_guard(parts) {
            let inside = self.with_demand(demand).parts(of, seed, &inside);
            if self.is_implied(demand) {
                return inside;
            }
            let test = self.test(demand);
            return code!(if #test { #inside });
        }
        let each = |run: &dyn Fn(&(&Part, &Block)) -> TokenBuf| parts.iter().map(run).collect();
        let run = match self.is_listing {
            true => each(&|(part, block)| self.listed_part(of, part, block)),
            false => self
                .aligned_loop(of, parts)
                .unwrap_or_else(|| each(&|part| self.part_loop(of, *part))),
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
        if !of.has_ends() {
            return self.framed_iterations(of.index, of.range, &body, &local("trips"), true);
        }
        let (k, body) = self.framed_iteration(of.index, of.range, &body);
        let [start, end] = ["start", "end"].map(local);
        code!(for #k in #start..#end { #body })
    }

    /// The loop of a part that has its own, and one for callers with all demands of its statements if only that has lanes.
    fn part_loop(&self, of: &Distributed<'_>, part: (&Part, &Block)) -> TokenBuf {
        let of_part = self.streams_of(of, part, Position::default());
        let run = self.loop_of(of, &of_part);
        let mut guards = of_part.streams.iter().flat_map(|s| &s.guards);
        match guards.find(|demand| !self.is_implied(**demand)) {
            Some(demand) if !of_part.sums.is_empty() => {
                let with_all = self.with_demand(*demand).part_loop(of, part);
                let test = self.test(*demand);
                code!(if #test { #with_all } else #run)
            }
            _ => run,
        }
    }

    fn loop_of(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let over_streams = |emit: &Emit<'_>| emit.over_streams(of, of_part);
        let run = self.unless_infinite(of, &[of_part], &over_streams);
        let declared = &of_part.declared;
        code!({ #declared #run })
    }

    /// The value of the index in an iteration near the start of the loop, or of the block.
    fn first(&self, of: &Distributed<'_>, ahead: usize) -> TokenBuf {
        let (lo, start) = (self.expr(&of.range.lo), local("block_start"));
        let (is_usize, number) = (of.range.ty == Ty::USIZE, Literal::usize_unsuffixed(ahead));
        let number = match (of.has_start(), ahead) {
            (false, 0) => return lo,
            (false, _) => code!(#number),
            (true, 0) => start.into(),
            (true, _) => code!((#start + #number)),
        };
        match is_usize {
            true => code!(#lo + #number),
            false => self.nth_from(&lo, of.range, number),
        }
    }

    /// Two loops, the first one for factors that are finite, if there are factors of which that can be told beforehand.
    fn unless_infinite(
        &self,
        of: &Distributed<'_>,
        parts: &[&Streams<'_>],
        run: &dyn Fn(&Emit<'_>) -> TokenBuf,
    ) -> TokenBuf {
        let tested = run(self);
        let mut all: Vec<Factor> = Vec::new();
        for Streams { part, block, .. } in parts {
            let mut new = factors(block, &part.takes, of.index, &self.plan.func);
            new.retain(|factor| !all.iter().any(|known| known.in_part == factor.in_part));
            all.extend(new);
        }
        if all.is_empty() {
            return tested;
        }
        let mut plain = self.fork();
        let (mut values, mut are_finite) = (TokenBuf::empty(), TokenBuf::empty());
        for (n, factor) in all.into_iter().enumerate() {
            let (name, value) = (&local(&format!("factor_{n}")), self.expr(&factor.value));
            values.add(code!(let #name = #value;));
            are_finite.add(match n {
                0 => code!(#name.is_finite()),
                _ => code!(&& #name.is_finite()),
            });
            plain.finite_factors.push((factor.in_part, name.clone()));
        }
        let untested = run(&plain);
        code!(#values if #are_finite { #untested } else { #tested })
    }

    /// The loop over its slices.
    fn over_streams(&self, of: &Distributed<'_>, of_part: &Streams<'_>) -> TokenBuf {
        let streams = &of_part.streams;
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
        let own = of_part.elements.iter();
        elements.extend(own.map(|(place, slice)| (place.clone(), code!(#slice[#at]))));
        elements.extend(of_part.sums.iter().cloned().zip(sums));
        let inside = Emit {
            elements,
            iteration_var: at.clone(),
            slot_suffix: of_part.position.suffix.clone(),
            is_in_vector_loop: !self.is_listing && may_be_vectorized(&[of_part]),
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
        if of.starts_at_zero() {
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

/// The guard around all of the blocks, and these without it.
fn under_one_guard<'p>(
    parts: &[(&'p Part, &'p Block)],
) -> Option<(Demand, Vec<(&'p Part, &'p Block)>)> {
    let mut guard = None;
    let mut inside = Vec::new();
    for (part, block) in parts {
        let [only] = &block.stmts[..] else {
            return None;
        };
        let StmtKind::When(demand, inner) = &only.kind else {
            return None;
        };
        if *guard.get_or_insert(*demand) != *demand {
            return None;
        }
        inside.push((*part, inner));
    }
    Some((guard?, inside))
}

fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}
