//! Preaccumulation: the gradients of what a run of assignments leaves, in place of what their adjoints record.
//!
//! **Problem.** The adjoints of the statements of a run read intermediate results. Where these are not computed again, each
//! is recorded. The gradient of a result by what the run reads from outside may have fewer entries: `[CFR]` §3.
//!
//! **Transformation.** Before the analyses, a statement `y = e` whose value depends on intermediate results becomes
//!
//! ```text
//! t = ..;                      as before, for its value alone
//! let partial = ∂t/∂x;         behind it
//! let entry = ..;              sums of products of partials
//! y = preaccumulated(e; x: entry; ..)
//! ```
//!
//! Nothing useful depends on `t` any more, so it has no adjoint, and `entry` is a value that the adjoint of `y` reads:
//! activity and to-be-recorded analysis find this by themselves, and decide whether it is recorded or computed again.
//!
//! **Rows** (`rows`): one for each dependent that is assigned as a number, or as a component of a literal array or tuple. A row
//! ends at what the graph reads from outside, at dependents, which have adjoints of their own (`[FLAT]` §6.2), and at what
//! `+=` assigns.
//!
//! **Entries** (`entries`) are the reverse sweep of the run with the seed 1: each intermediate adjoint is multiplied before it
//! is passed on, and one that is 0 passes no infinite partial. So a preaccumulated statement keeps what the contract says
//! of seeds that are 0.
//!
//! Which rows pay is decided by [`crate::plan::preaccumulation`]; the checker proves their entries.

mod entries;
mod rows;

use std::collections::{BTreeMap, BTreeSet};

use self::entries::Entries;
use self::rows::Rows;
use super::assignments::assignments;
use super::flatten::flatten;
use super::runs::{Mentions, Run};
use crate::ir::{Block, Func, Stmt, StmtId, VarId};
use crate::passes::activity::Activity;

/// A function with preaccumulated rows.
#[derive(Clone, Debug)]
pub struct Preaccumulated {
    /// The function.
    pub func: Func,
    /// For each statement id, the statement that it comes from.
    pub origins: Vec<StmtId>,
    /// The number of its graphs whose rows may pay.
    pub graphs: usize,
}

/// Which rows are preaccumulated.
#[derive(Clone, Copy)]
pub enum Selection<'a> {
    /// All of them.
    All,
    /// Those of graphs with fewer entries than records that they may save, if the graphs are selected by their numbers among
    /// these, in textual order.
    Paying(&'a Records, &'a dyn Fn(usize) -> bool),
}

/// The records of reals in a plan without preaccumulation.
#[derive(Default)]
pub struct Records {
    /// How many there are of each variable.
    pub counts: BTreeMap<VarId, usize>,
    /// The statements whose adjoints read the variable.
    pub readers: BTreeMap<VarId, BTreeSet<StmtId>>,
}

impl Records {
    /// How many of these variables there are that no other statements' adjoints read.
    fn of_these_alone(&self, vars: &BTreeSet<VarId>, stmts: &BTreeSet<StmtId>) -> usize {
        let is_saved = |v: &&VarId| self.readers.get(v).is_none_or(|all| all.is_subset(stmts));
        let saved = vars.iter().filter(is_saved);
        saved.filter_map(|v| self.counts.get(v)).sum()
    }
}

/// The function with the selected rows preaccumulated.
pub fn preaccumulate(
    func: &Func,
    statements: usize,
    activity: &Activity,
    selection: Selection<'_>,
) -> Preaccumulated {
    let mut pass = Pass {
        original: func,
        activity,
        mentions: Mentions::of(func),
        selection,
        result: Preaccumulated {
            func: func.clone(),
            origins: (0..statements as u32).map(StmtId).collect(),
            graphs: 0,
        },
    };
    pass.result.func.body = pass.block(&func.body);
    pass.result
}

struct Pass<'a> {
    original: &'a Func,
    activity: &'a Activity,
    mentions: Mentions,
    selection: Selection<'a>,
    result: Preaccumulated,
}

impl Pass<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut out = Vec::new();
        let mut rest = &block.stmts[..];
        while let Some(first) = rest.first() {
            let is_assignment = |s: &&Stmt| assignments(self.original, s).is_some();
            let length = rest.iter().take_while(is_assignment).count();
            let (run, behind) = rest.split_at(length.max(1));
            match length {
                0 => {
                    let mut stmt = first.clone();
                    for inner in stmt.blocks_mut() {
                        *inner = self.block(inner);
                    }
                    out.push(stmt);
                }
                _ => self.run(run, &mut out),
            }
            rest = behind;
        }
        Block::new(out)
    }

    fn run(&mut self, run: &[Stmt], out: &mut Vec<Stmt>) {
        let around = Run::of(run, self.activity, &self.mentions);
        let mut rest = run;
        for flat in flatten(self.original, run, &around) {
            let (stmts, behind) = rest.split_at(flat.statements.len());
            rest = behind;
            let Some(rows) = Rows::of(self.original, stmts, &flat, self.activity) else {
                out.extend_from_slice(stmts);
                continue;
            };
            let is_selected = match self.selection {
                Selection::All => true,
                Selection::Paying(records, select) if rows.may_pay(&flat, records) => {
                    self.result.graphs += 1;
                    select(self.result.graphs - 1)
                }
                Selection::Paying(..) => false,
            };
            match is_selected {
                true => Entries::new(&mut self.result, &flat, &rows, out).statements(stmts),
                false => out.extend_from_slice(stmts),
            }
        }
    }
}
