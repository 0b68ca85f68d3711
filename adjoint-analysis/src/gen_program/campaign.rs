//! Many programs against one planner.

use std::ops::Range;

use super::oracle::{self, Fault, Planner};
use super::random::Random;
use super::{Bounds, Draw, Program, draw};

/// What a campaign saw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Programs judged.
    pub programs: usize,
    /// Draws that ran too long or grew too large.
    pub excessive: usize,
    /// Draws that trapped: errors of the generator.
    pub trapped: usize,
    /// Programs whose plan has a fault.
    pub failures: usize,
}

/// A program whose plan has a fault.
#[derive(Clone, PartialEq, Debug)]
pub struct Failure {
    /// The seed that draws the program, and the adjoints of its check.
    pub seed: u64,
    /// The program, as drawn.
    pub program: Program,
    /// What is wrong.
    pub fault: Fault,
}

/// Judges the planner on one program per seed.
pub fn campaign(
    seeds: Range<u64>,
    bounds: &Bounds,
    planner: &Planner<'_>,
    on_failure: &mut dyn FnMut(Failure),
) -> Counts {
    let mut counts = Counts::default();
    for seed in seeds {
        let program = counted_draw(seed, bounds, &mut counts);
        counts.programs += 1;
        if let Err(fault) = oracle::judge(&program, planner, seed) {
            counts.failures += 1;
            on_failure(Failure {
                seed,
                program,
                fault,
            });
        }
    }
    counts
}

/// The program that [`super::generate`] draws, with the draws before it counted.
fn counted_draw(seed: u64, bounds: &Bounds, counts: &mut Counts) -> Program {
    let mut rng = Random::new(seed);
    loop {
        match draw(&mut rng, bounds) {
            Draw::Accepted(program) => return *program,
            Draw::Excessive => counts.excessive += 1,
            Draw::Trapped(..) => counts.trapped += 1,
        }
    }
}
