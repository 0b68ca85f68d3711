//! Makes a mutant at fault small enough to read.

use std::time::{Duration, Instant};

use super::Mutant;
use super::tree::{Tree, count, sequence, way_to};

/// How long a reduction may take: each step of one that hangs takes the limit of a mutant.
const LIMIT: Duration = Duration::from_secs(300);

/// The smallest mutant found for which `fails` holds.
pub fn reduce(mutant: &Mutant, fails: &dyn Fn(&Mutant) -> bool) -> Mutant {
    let (start, mut best) = (Instant::now(), mutant.clone());
    loop {
        let before = size(&best);
        for of in [Part::Arguments, Part::Item] {
            shorter(&mut best, of, fails, start);
        }
        if size(&best) == before || start.elapsed() > LIMIT {
            return best;
        }
    }
}

fn size(mutant: &Mutant) -> usize {
    count(&mutant.arguments) + count(&mutant.item)
}

#[derive(Clone, Copy)]
enum Part {
    Arguments,
    Item,
}

impl Part {
    fn of(self, mutant: &mut Mutant) -> &mut Vec<Tree> {
        match self {
            Part::Arguments => &mut mutant.arguments,
            Part::Item => &mut mutant.item,
        }
    }
}

/// Goes through the trees once: long runs of each sequence are dropped first, then brackets.
fn shorter(best: &mut Mutant, of: Part, fails: &dyn Fn(&Mutant) -> bool, start: Instant) {
    let mut number = 0;
    while let Some(way) = way_to(of.of(best), number)
        && start.elapsed() < LIMIT
    {
        let kept = edits(of.of(best), &way).into_iter().find_map(|edit| {
            let mut next = best.clone();
            let at = *way.last()?;
            edit.make(sequence(of.of(&mut next), &way)?, at);
            fails(&next).then_some(next)
        });
        match kept {
            Some(next) => *best = next,
            None => number += 1,
        }
    }
}

enum Edit {
    /// Drops so many trees.
    Drop(usize),
    /// Takes what is in brackets out of them.
    Unwrap,
}

impl Edit {
    fn make(&self, all: &mut Vec<Tree>, at: usize) {
        match self {
            Edit::Drop(many) => drop(all.drain(at..at + many)),
            Edit::Unwrap => {
                let content = all[at].content().unwrap_or_default().to_vec();
                all.splice(at..=at, content);
            }
        }
    }
}

/// The edits at a tree.
fn edits(trees: &mut Vec<Tree>, way: &[usize]) -> Vec<Edit> {
    let Some((at, all)) = way.last().zip(sequence(trees, way)) else {
        return Vec::new();
    };
    let behind = all.len() - at;
    let lengths = std::iter::successors(Some(behind), |n| (*n > 1).then_some(n / 2));
    let mut edits: Vec<Edit> = lengths.map(Edit::Drop).collect();
    if all[*at].content().is_some() {
        edits.push(Edit::Unwrap);
    }
    edits
}
