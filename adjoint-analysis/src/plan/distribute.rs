//! Distribution of innermost reversed loops.
//!
//! **Problem.** A reversed loop adds to several sums and elements in each iteration, so that each addition waits for the
//! one before it or for a store that it may overlap, and no compiler vectorises it.
//!
//! **Rule.** Where the iterations of a reversed loop may run in any order, the loop becomes several, one after another
//! ([`LoopHead::Distributed`]): each has some of the body's *effects*, which are the statements that write something
//! which outlives the iteration, and the *slice* that these need, which are the statements that write the locals that
//! they read.
//!
//! **Conditions**, for each effect that writes a place `w`, and each read or write of a place `q` in the body:
//!
//! ```text
//! w and q are disjoint whatever the iterations are,
//! or both are increments, which commute,
//! or both are the same element, another one in each iteration; then the parts keep the order of the two,
//! or they are disjoint if two indices are separate, which is tested in front of the loop
//! ```
//!
//! An effect that is no increment has another element in each iteration. An expensive result is not computed by two
//! parts.
//!
//! Sums of adjoints are associated in another order than without the pass, always in the same one.
//!
//! | file | what |
//! | --- | --- |
//! | `peeling` | the first and the last iteration, and what is settled in the others |
//! | `sums` | how two sums of integers differ |
//! | `subscripts` | by how much an index changes from one iteration to the next |
//! | `body` | the statements of a body, the effects, slices |
//! | `dependences` | the conditions, and which statement has to come first |
//! | `separations` | what is tested in front of the loop |
//! | `partition` | which effects share a part |
//! | `alignment` | parts that add to neighbouring elements, in one loop |
//! | `scalar_expansion` | locals that a part takes from an earlier one |
//! | `seeds` | the parts that add nothing where a seed is zero |
//! | `factors` | factors that are the same in all iterations of a part |
//! | `views` | the elements of a part that follow one another in memory |

mod alignment;
mod body;
mod dependences;
pub mod factors;
mod partition;
mod peeling;
mod scalar_expansion;
mod seeds;
mod separations;
mod subscripts;
mod sums;
pub mod views;

use self::body::Body;
use self::peeling::Outside;
use super::Plan;
use crate::ir::{Block, Distribution, LoopHead, Peeled, Range, Stmt, StmtKind, VarId};

/// The fewest iterations of a loop of which they are known.
const SHORTEST: i64 = 8;

/// Distributes the loops of the reverse sweep.
pub fn distribute(plan: &mut Plan) {
    let mut reverse = std::mem::take(&mut plan.reverse);
    let outside = Outside::of(&reverse, &plan.func);
    block(&mut reverse, &outside, plan);
    plan.reverse = reverse;
}

fn block(block: &mut Block, outside: &Outside, plan: &Plan) {
    for stmt in &mut block.stmts {
        for inner in stmt.blocks_mut() {
            self::block(inner, outside, plan);
        }
        if let Some(head) = distributed(stmt, outside, plan) {
            replace_head(stmt, head);
        }
    }
}

/// The head of the loop with its parts, if the loop may and should be distributed.
fn distributed(stmt: &Stmt, outside: &Outside, plan: &Plan) -> Option<LoopHead> {
    let StmtKind::Loop(LoopHead::Reversed(index, range), body) = &stmt.kind else {
        return None;
    };
    // Compilers leave no loop of few iterations.
    let is_short = range.literal_distance().is_some_and(|n| n < SHORTEST);
    if range.step.is_some() || is_short {
        return None;
    }
    let of = (*index, range);
    let peeled = peeling::peeled(body, of, outside, &plan.func);
    let of_interior = peeled.and_then(|p| distribution(&p.interior(body), of, p, plan));
    let distribution = of_interior.or_else(|| distribution(body, of, Peeled::default(), plan))?;
    Some(LoopHead::Distributed(*index, range.clone(), distribution))
}

/// The parts of a loop with this body, if these ends are peeled.
fn distribution(
    block: &Block,
    (index, range): (VarId, &Range),
    peeled: Peeled,
    plan: &Plan,
) -> Option<Distribution> {
    let body = Body::of(block, index, plan)?;
    let dependences = dependences::dependences(&body, &peeled.start(range))?;
    if !views::are_regular(&body) {
        return None;
    }
    Some(Distribution {
        peeled,
        parts: partition::partition(&body, &dependences.order, (index, range)),
        separations: dependences.separations,
    })
}

fn replace_head(stmt: &mut Stmt, head: LoopHead) {
    if let StmtKind::Loop(old, _) = &mut stmt.kind {
        *old = head;
    }
}
