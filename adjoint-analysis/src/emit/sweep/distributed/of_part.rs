//! A part, with what it reads and writes.

use proc_macro2::Ident;

use super::streams::Stream;
use super::{Distributed, local};
use crate::emit::Emit;
use crate::emit::token_buf::{TokenBuf, code};
use crate::ir::{Block, Expr, Part, Place};
use crate::plan::distribute::views::{View, views};

/// A part, and what it reads and writes.
pub(super) struct Streams<'a> {
    pub part: &'a Part,
    /// The body without its guards.
    pub block: &'a Block,
    /// How it lies to the loop.
    pub position: Position,
    /// The declarations of its slices.
    pub declared: TokenBuf,
    pub streams: Vec<Stream>,
    /// The elements of the current iteration, in views and of locals that it takes, and the names of their slices.
    pub elements: Vec<(Place, Ident)>,
    pub sums: Vec<Place>,
}

/// How a part lies to the loop that runs it.
#[derive(Clone, Default)]
pub(super) struct Position {
    /// By how many iterations it is ahead.
    pub ahead: usize,
    /// What the names of its slices end in.
    pub suffix: String,
    /// The name of the slice that it writes, if the loop has it from another part.
    pub target: Option<Ident>,
}

impl Emit<'_> {
    /// What a part reads and writes.
    pub(super) fn streams_of<'a>(
        &self,
        of: &Distributed<'_>,
        (part, block): (&'a Part, &'a Block),
        position: Position,
    ) -> Streams<'a> {
        let views = self.views(of, part, block);
        let sequence = |view: &View| (view.sequence(&self.plan.func), view.is_written);
        let sequences: Vec<_> = views.iter().map(sequence).collect();
        let (first, lo) = (&local("first"), self.first(of, position.ahead));
        let (mut split, mut declared) = (self.fork(), code!(let #first = #lo;));
        split.split_variables(&sequences, &mut declared);
        let (mut streams, mut elements) = (Vec::new(), Vec::new());
        for (n, view) in views.iter().enumerate() {
            let has_other = position.target.as_ref().filter(|_| view.is_written);
            let stream = self.stream(n, view, &position.suffix);
            elements.push((
                view.element.clone(),
                has_other.unwrap_or(&stream.name).clone(),
            ));
            if has_other.is_none() {
                declared.add(split.declare_views(of, n, &views, &position));
                streams.push(stream);
            }
        }
        let slots = self.slots(block, &position.suffix);
        declared.add(self.slots_from(of, &slots, &position));
        let expanded = self.expanded(part, &position.suffix);
        declared.add(self.elements_as_slices(&expanded, position.ahead));
        let taken = part.takes.iter().zip(&expanded);
        elements.extend(taken.map(|(v, of)| (self.plan.func.place(*v), of.stream.name.clone())));
        let sources = slots.into_iter().chain(expanded);
        streams.extend(sources.map(|slice| slice.stream));
        Streams {
            part,
            block,
            position,
            declared,
            streams,
            elements,
            sums: self.sums(block),
        }
    }

    pub(super) fn views(&self, of: &Distributed<'_>, part: &Part, block: &Block) -> Vec<View> {
        let start = &of.distribution.peeled.start(of.range);
        let start = (of.index, start);
        let (with_taken, separations) = ((block, &part.takes[..]), &of.distribution.separations);
        let is_implied = |demand| self.is_implied(demand);
        views(with_taken, start, separations, self.plan, &is_implied)
    }
}

/// Whether a processor can take several iterations of the parts at a time: sums go from one to the next, and masks of many
/// products fill its registers.
pub(super) fn may_be_vectorized(parts: &[&Streams<'_>]) -> bool {
    const PRODUCTS: usize = 24;
    let mut products = 0;
    for part in parts {
        part.block.walk(&mut |s| {
            s.walk_exprs(&mut |e| products += usize::from(matches!(e, Expr::Scale(..))));
        });
    }
    parts.iter().all(|part| part.sums.is_empty()) && products <= PRODUCTS
}
