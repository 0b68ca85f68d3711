//! The independent plan checker.
//!
//! [`check`] takes a plan and nothing else, and proves that its reverse sweep undoes the function that
//! the plan is for: it reads the values that the primal statements saw, its records and restores pair
//! up, its control flow retraces the primal's, and no adjoint is counted twice or lost. It does not
//! derive: whether `partial::sin(x)` is the right factor is for the interpreter to try. The
//! idea is that of regalloc2's symbolic checker: follow what each location holds through what was
//! planned, and trust no hint of the planner.
//!
//! # Formal definition
//!
//! **Locations.** The locations of a variable are the paths of fields by which the plan names parts of
//! it, the empty path among them (`cells`). A location holds what lies at its path and at no longer
//! one. What is behind an index belongs to the location before the index.
//!
//! **Terms.** The value of a location is a term (`term`), relative to the current iteration of each
//! loop around. With *s* a statement and *c* a location:
//!
//! ```text
//! t ::= entry(c)                  at the start of the function
//!     | op(t, ..)                 a pure operator applied; literals; lengths; the user's pure code
//!     | written(s, k)             by call s through its k-th argument, or as its result
//!     | index(s)                  of the counted loop s
//!     | join(s, c)                after branch s, where its arms leave different values
//!     | choice(t, t, t)           the same where these are literals or bools: the condition, one, the other
//!     | start(s, c)               at the start of an iteration of loop s, which writes c
//!     | exit(s, c)                after loop s: at the end of its last iteration, or before the loop if there was none
//!     | left(s, n)                whether loop s was left by its n-th `break`
//!     | unset(v)                  declared, not written
//!     | select(t, k) | update(t, k, t) | swapped(t, k, k)      parts behind the indices k, which hold terms
//!     | inserted(t, k, t) | removed(t, k)               a `Vec` with an element more or less, k its index or `last`
//!     | part(t, path) | parts(t, ..)                           parts at field paths
//! ```
//!
//! Terms are simplified by the laws of arrays, so that equal terms stand for equal values:
//!
//! ```text
//! select(update(b, k, v), k) = v                    select(update(b, j, v), k) = select(b, k)    j, k disjoint
//! update(update(b, k, u), k, v) = update(b, k, v)   update(b, k, select(b, k)) = b
//! swapped(swapped(b, j, k), j, k) = b               len(update(b, k, v)) = len(b)
//! removed(inserted(b, k, v), k) = b                 inserted(removed(b, k), k, select(b, k)) = b
//! select(inserted(b, k, v), k) = v
//! ```
//!
//! Thus the term of a location is its version, made structural: the value of `let v = e` is the term of `e`, and
//! evaluating `e` again gives the same version exactly if the operands are unchanged. Comparisons of choices between
//! literals are evaluated (`choice`), so that the test of a label is the condition of the branch that it implies. The
//! restore of an element restores the array's version exactly if the index is right.
//!
//! **Lattice.** Per location: ⊥ (out of scope; below all), the terms, each comparable with itself
//! only, and ⊤ (a fresh unknown, equal to nothing). A state is a map from locations to these. The join
//! of two states keeps what they agree in.
//!
//! **Forward.** `forward` computes σ, the state before and after each primal statement. `let`, `=`,
//! `+=`, `swap`, `push` and `pop` evaluate; a call writes `written`; a branch runs both arms and joins them, with
//! `join(s, c)` where they differ, or goes on with the one that a literal condition selects; a loop starts its body with `start(s, c)` in each location that
//! its body writes, and leaves `exit(s, c)` there. What is written only on the way to a `break` starts
//! each iteration with its value from before the loop; so does a literal that each iteration which goes on
//! is found to end with, where that is assumed of its start (`exits`). Where a `break` leaves a literal,
//! the loop leaves a choice by `left(s, n)`. A record notes the block it stands in, and the term that it saves.
//!
//! **Reverse.** `reverse` carries τ through the reverse sweep. τ starts with σ at the end for `&mut`
//! parameters, with `entry` for others, and ⊥ for all else.
//! - `let v = e`, `v = e` for a primal variable: τ(v) is the term of `e` in τ.
//! - `restore r p`: the term that `r` saved is put at `p`; its indices must have the terms they had.
//! - `push`, `pop`, `insert` and `remove` of a primal `Vec` evaluate as forward.
//! - `reverse g(..)`: each argument must have the term it had before the call, a `&mut` one that
//!   after it; then the latter get the term from before the call, or ⊤ if the plan says that the
//!   callee does not give them back.
//! - `if` must stand for a branch *s*: its condition must have the term that *s*'s had, at least where
//!   the conditions of the branches around hold that lead to it. Into each arm,
//!   a location with the term after *s* takes the term from the end of the forward arm, and one of which only a part has
//!   it, that part. After
//!   the arms, the states are joined; where both arms left that alone, it is the term after *s* again. An arm that a
//!   literal condition excludes is not proved.
//! - A loop must stand for a loop *s*: the same range, last index first, or a number of iterations whose term
//!   is that of a location that is 0 before *s* and grows by 1 in each iteration, or follows from how *s*
//!   counts (`trips`), or from the number of the iteration that left a counted loop (`exits`). For each location
//!   one of these assumptions is made on the start of a reversed iteration, tried from the strongest
//!   down until all hold at the end of the reversed body for the next one (the greatest fixpoint):
//!   *mirror*: it holds σ at the end of the forward iteration, and will hold σ at its start
//!   (`start(s, c)`), which is the end of the iteration before; tried if τ has the term after *s* on entry;
//!   *elements*: an array of which each iteration writes an element of its own, and which is there, has that
//!   element put back, the others stay as they are; *constant*: it keeps the term that τ has on entry, such an
//!   element being what the forward iteration left; *own*: that element and those of the iterations before it are as
//!   the loop left them, the others are ⊤; *nothing*: ⊤. After the loop a mirrored location
//!   has its σ from before *s*: by induction over the iterations.
//!
//! **Reads.** In a statement that comes from *s*, a read of a primal place must give the term of that
//! place before *s*, or, if *s* writes it, after *s*. If *s* both reads and writes it, the table of
//! [`crate::rules`] decides which: a partial's arguments are operands or the result. A copy that the
//! planner takes (`let result = y`) is judged where it is used, in the same way. A location that is
//! stale and not read is no fault.
//!
//! **Structure.** `primal`: without records and the planner's own variables, the forward sweep is the
//! function, by statement ids. `shape` joins the two ways of a loop that a `break` leaves.
//! `balance`: block by block, the restores of each stack are the records in reverse order, inner
//! branches, loops and calls in their places; a record in a frame is made once per iteration of the frame's
//! loop, in a slot of its own.
//!
//! **Snapshots.** `snapshots`: a plan with checkpointed loops is proved as the one that records at once what their steps
//! record when they are run again. `steps` proves that these read what they read.
//!
//! **Gradients.** `gradients`: the entries of preaccumulated gradients are what forward mode gives along the definitions of
//! their values.
//!
//! **Adjoints.** `adjoint`: adjoints of the statements of a block come in reverse order. An adjoint
//! location is zero, perhaps nonzero, or spent: going back over the statement at which the value of a place
//! begins makes a nonzero adjoint of the place spent, unless the statement's adjoint has set it. A
//! spent adjoint is not read, nor handed back. An arm that ends in a `break` is of the first reversed iteration: there, adjoints are as
//! in front of the reversed loop. Only the adjoint of the statement that gives a place its value sets
//! the place's adjoint, after its last read there and before it adds to it. An adjoint of a local is declared
//! in the mirror of the local's scope; without a value, it is zero.

mod balance;
mod faults;
mod forward;
mod fusion;
mod gradients;
mod reverse;
mod snapshots;
mod steps;
pub(super) mod terms;

pub use faults::{Fault, FaultKind};
pub use fusion::check_fused;
pub use snapshots::StepState;

use super::Plan;

/// Everything that is wrong with the plan; nothing, if it is right.
pub fn check(plan: &Plan) -> Vec<Fault> {
    check_with(plan, &|_| {})
}

/// Everything that is wrong with the plan for the extremes of its callers, and with what is fused of it.
pub fn check_for_all(plan: &Plan) -> Vec<Fault> {
    let callers = plan.extremes().into_iter();
    let mut faults: Vec<Fault> = callers
        .flat_map(|caller| check(&plan.for_caller(caller)))
        .collect();
    if let Some(fused) = &plan.fused {
        faults.extend(check_fused(fused));
    }
    faults
}

/// The same where other sets had been found for the steps of checkpointed loops: for tests of the checker.
pub fn check_with(plan: &Plan, change: &dyn Fn(&mut StepState)) -> Vec<Fault> {
    let mut faults = faults::Faults::default();
    match snapshots::unfold(plan, change, &mut faults) {
        Some((plan, states)) => check_unfolded(&plan, &states, &mut faults),
        None => check_unfolded(plan, &snapshots::States::new(), &mut faults),
    }
    faults.into_vec()
}

fn check_unfolded(plan: &Plan, states: &snapshots::States, faults: &mut faults::Faults) {
    let rewritten = self::forward::primal::compare(plan, faults);
    gradients::check(plan, faults);
    let shape = self::forward::shape::shape(plan, faults);
    balance::check(plan, &shape, faults);
    let mut values = self::terms::cells::Evaluator::new(plan);
    let facts = forward::walk(plan, &shape, &rewritten, &mut values, faults);
    steps::check(plan, &facts, states, &mut values, faults);
    reverse::walk(plan, &shape, &facts, (states, &mut values), faults);
}
