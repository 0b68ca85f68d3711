//! Checkpointing: reversing a loop whose tape is too large, by computing its steps again from snapshots.
//!
//! The reverse sweep of a loop needs the state in front of each step, the last one first. Instead of recording all
//! steps, one keeps a few *snapshots* of the state, restores the one before the step that is wanted, and advances from
//! there. A [`Schedule`] says when; [`reverse_loop`] does it, to any solver that implements [`CheckpointedLoop`] or
//! comes as [`Closures`].
//!
//! | schedule | for | plain steps for l steps | snapshots at once | steps on the tape |
//! | --- | --- | --- | --- | --- |
//! | [`Binomial`] | known length | r·l − C(s + r, r − 1), the optimum | s | 1 |
//! | [`TwoLevel`] | known length, memory and files | the same | m in memory, s − m in files | 1 |
//! | [`Online`] | unknown length | at most r·l, where C(s + r, s) > l | s | 1 |
//! | [`Periodic`] | small records, large states | p·(⌈l/p⌉ − 1) | ⌈l/p⌉ − 1 | p |
//! | [`StoreAll`] | comparison | 0 | 0 | l |
//!
//! Here s is the number of snapshots, the entry state's included, and r the number of repetitions: the least for which
//! C(s + r, s) ≥ l. Snapshots are held in a [`Store`]: [`Memory`], [`Files`], or [`Tiered`], which is both.
//!
//! [`reverse_loop`] starts at the loop's entry state and reverses the last step as soon as it gets there. Where other
//! code follows the loop and is reversed before it, [`LoopSweeps`] has the two sweeps apart.
//!
//! # By hand
//!
//! The heat equation with a sink, u ← u + a·Δu − b·u², n steps of it; J is half the sum of the squares of the last u.
//! The step is not linear, so that its adjoint needs u.
//!
//! ```
//! use adjoint_runtime::checkpoint::{Binomial, CheckpointedLoop, Memory, StoreAll, reverse_loop};
//! use std::ops::Range;
//!
//! const A: f64 = 0.2;
//! const B: f64 = 0.01;
//!
//! struct Heat {
//!     steps: usize,
//!     u: Vec<f64>,
//!     u_adj: Vec<f64>,
//!     /// The states in front of the recorded steps.
//!     tape: Vec<Vec<f64>>,
//! }
//!
//! impl Heat {
//!     fn new(steps: usize) -> Heat {
//!         let u: Vec<f64> = (0..50).map(|i| 1.0 + (0.3 * i as f64).sin()).collect();
//!         Heat { steps, u_adj: vec![0.0; u.len()], u, tape: Vec::new() }
//!     }
//!
//!     fn reverse_step(&mut self) {
//!         let u = self.tape.pop().expect("each step was recorded");
//!         let (new_adj, n) = (self.u_adj.clone(), u.len());
//!         for i in 0..n {
//!             let around = new_adj[(i + n - 1) % n] + new_adj[(i + 1) % n];
//!             self.u_adj[i] = (1.0 - 2.0 * A - 2.0 * B * u[i]) * new_adj[i] + A * around;
//!         }
//!     }
//! }
//!
//! impl CheckpointedLoop for Heat {
//!     type Snapshot = Vec<f64>;
//!
//!     fn advance(&mut self, _step: usize) {
//!         let (u, n) = (self.u.clone(), self.u.len());
//!         for i in 0..n {
//!             let around = u[(i + n - 1) % n] + u[(i + 1) % n];
//!             self.u[i] = u[i] + A * (around - 2.0 * u[i]) - B * u[i] * u[i];
//!         }
//!     }
//!
//!     fn reverse(&mut self, steps: Range<usize>) {
//!         for step in steps.clone() {
//!             self.tape.push(self.u.clone());
//!             self.advance(step);
//!         }
//!         if steps.end == self.steps {
//!             self.u_adj.copy_from_slice(&self.u); // dJ/du at the end
//!         }
//!         for _ in steps {
//!             self.reverse_step();
//!         }
//!     }
//!
//!     fn save(&self, snapshot: &mut Vec<f64>) {
//!         snapshot.clone_from(&self.u);
//!     }
//!
//!     fn restore(&mut self, snapshot: &Vec<f64>) {
//!         self.u.copy_from_slice(snapshot);
//!     }
//! }
//!
//! let mut all = Heat::new(200);
//! let stats = reverse_loop(&mut all, StoreAll::new(200), &mut Memory::new())?;
//! assert_eq!((stats.advanced, stats.longest_record), (0, 200));
//!
//! let mut few = Heat::new(200);
//! let stats = reverse_loop(&mut few, Binomial::new(200, 8), &mut Memory::new())?;
//! assert_eq!((stats.peak_snapshots, stats.longest_record), (8, 1));
//! assert_eq!(stats.advanced, 580);
//!
//! let bits = |gradient: &[f64]| gradient.iter().map(|g| g.to_bits()).collect::<Vec<_>>();
//! assert_eq!(bits(&few.u_adj), bits(&all.u_adj));
//! # Ok::<(), adjoint_runtime::checkpoint::StoreError>(())
//! ```
//!
//! A schedule is an iterator, so that a solver with a main loop of its own can also do what each [`Action`] says:
//!
//! ```
//! use adjoint_runtime::checkpoint::{Action, Binomial};
//!
//! // x ← sin x, five times from 1. The derivative is the product of the cosines.
//! let (mut x, mut x_adj) = (1.0_f64, 1.0);
//! let mut snapshots = [0.0; 2];
//! for action in Binomial::new(5, 2) {
//!     match action {
//!         Action::Advance { from, to } => (from..to).for_each(|_| x = x.sin()),
//!         Action::Take { slot, .. } => snapshots[slot.index] = x,
//!         Action::Restore { slot, .. } => x = snapshots[slot.index],
//!         Action::Reverse { .. } => x_adj *= x.cos(), // one step at a time
//!         Action::Drop { .. } => {}
//!     }
//! }
//!
//! let states: Vec<f64> = std::iter::successors(Some(1.0_f64), |x| Some(x.sin())).take(5).collect();
//! assert_eq!(x_adj, states.iter().rev().map(|x| x.cos()).product::<f64>());
//! ```
//!
//! # Sources
//!
//! - `[REV]` A. Griewank, A. Walther: *Algorithm 799: Revolve: an implementation of checkpointing for the reverse or
//!   adjoint mode of computational differentiation*, ACM Trans. Math. Softw. 26(1), 2000
//! - `[MRD]` Q. Wang, P. Moin, G. Iaccarino: *Minimal repetition dynamic checkpointing algorithm for unsteady adjoint
//!   calculation*, SIAM J. Sci. Comput. 31(4), 2009
//! - `[ONL]` P. Stumm, A. Walther: *New algorithms for optimal online checkpointing*, SIAM J. Sci. Comput. 32(2), 2010
//! - `[MSC]` P. Stumm, A. Walther: *MultiStage approaches for optimal offline checkpointing*, SIAM J. Sci. Comput.
//!   31(3), 2009
//! - `[EVD]` A. Griewank, A. Walther: *Evaluating Derivatives: Principles and Techniques of Algorithmic
//!   Differentiation*, 2nd edition, SIAM, 2008

mod action;
mod closures;
mod driver;
mod schedule;
mod snapshots;
mod stats;
pub(crate) mod steps;
mod store;
mod stream_checker;

pub use action::{Action, Slot, Tier};
pub use closures::Closures;
pub use driver::{CheckpointedLoop, LoopSweeps, reverse_loop};
pub use schedule::{
    Binomial, Online, Periodic, Schedule, StoreAll, TwoLevel, optimal_advances, repetitions,
};
pub use stats::LoopStats;
pub use store::{Encode, Files, Memory, Store, StoreError, Tiered};
