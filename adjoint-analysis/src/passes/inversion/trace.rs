//! G_A of a block with all its edges, and the order in which a game places its tokens: for people, not for the plan.
//!
//! To-be-recorded analysis stores the value that a game found. The game is played again here, from the variables that
//! this value reads; with these alone it makes the same moves towards it.

use std::collections::{BTreeSet, HashMap};

use super::Trips;
use super::game::{Rule, observed};
use super::graph::{Definition, Graph, Version, each_write, window_start};
use super::inverse::inverse;
use crate::ir::{Expr, Func, Stmt, VarId};

/// A token that a game placed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    /// The version, counted from the start of the block.
    pub version: Version,
    /// How it got its token.
    pub rule: Rule,
}

/// The version that a game is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// The one that the last statement overwrites.
    Overwritten(VarId),
    /// The one behind the statements.
    Current(VarId),
}

/// The tokens that lead to this value in the game that found it, in their order; `stmts` start where their block does.
pub fn tokens(
    func: &Func,
    stmts: &[Stmt],
    wanted: Wanted,
    trips: &Trips<'_>,
    value: &Expr,
) -> Vec<Placed> {
    let graph = Graph::of(func, stmts, trips);
    let wanted = match wanted {
        Wanted::Overwritten(v) => graph.before_last(v),
        Wanted::Current(v) => Some(graph.current(v)),
    };
    let mut held = BTreeSet::new();
    value.walk(&mut |e| held.extend(e.own_places().iter().map(|p| p.root)));
    let mut moves = Vec::new();
    let mut note = |version: Version, rule: Rule, d: &Definition<'_>| {
        let read = operands(d).into_iter().chain([d.result]);
        moves.push((Placed { version, rule }, read.collect::<Vec<_>>()));
    };
    if let Some(wanted) = wanted {
        observed(func, &graph, wanted, &|v| held.contains(&v), &mut note);
    }
    let mut needed: BTreeSet<Version> = wanted.into_iter().collect();
    let mut tokens = Vec::new();
    let offsets = Offsets::of(stmts);
    for (mut token, read) in moves.into_iter().rev() {
        if needed.contains(&token.version) {
            needed.extend(read);
            token.version = offsets.rebased(token.version);
            tokens.push(token);
        }
    }
    tokens.reverse();
    tokens
}

/// The versions that the definition reads.
fn operands(d: &Definition<'_>) -> BTreeSet<Version> {
    let mut found = BTreeSet::new();
    d.value.walk(&mut |e| found.extend(d.operand(e)));
    found
}

/// A definition with its edges.
pub struct Defined {
    /// The version, counted from the start of the block.
    pub result: Version,
    /// What it is.
    pub value: Expr,
    /// The versions that the value reads, and whether the edge from there is in E_I.
    pub operands: Vec<(Version, bool)>,
}

/// The definitions of G_A for the statements of a block.
pub fn definitions(func: &Func, stmts: &[Stmt], trips: &Trips<'_>) -> Vec<Defined> {
    let graph = Graph::of(func, stmts, trips);
    let offsets = Offsets::of(stmts);
    let defined = |d: &Definition<'_>| {
        let edge = |v: Version| (offsets.rebased(v), is_invertible(func, d, v));
        Defined {
            result: offsets.rebased(d.result),
            value: d.value.clone().into_owned(),
            operands: operands(d).into_iter().map(edge).collect(),
        }
    };
    graph.definitions.iter().map(defined).collect()
}

/// Whether the operand follows from the result and the other operands.
fn is_invertible(func: &Func, d: &Definition<'_>, operand: Version) -> bool {
    let is_operand = |e: &Expr| d.operand(e) == Some(operand);
    let known = |e: &Expr| Some(e.clone());
    let result = Expr::Read(func.place(d.result.0));
    inverse(func, &d.value, result, &is_operand, &known).is_some()
}

/// How often each variable is written before the statements that a graph is made of.
struct Offsets(HashMap<VarId, u32>);

impl Offsets {
    fn of(stmts: &[Stmt]) -> Offsets {
        let mut counts = HashMap::new();
        for stmt in &stmts[..window_start(stmts)] {
            each_write(stmt, &mut |v| *counts.entry(v).or_default() += 1);
        }
        Offsets(counts)
    }

    fn rebased(&self, (v, n): Version) -> Version {
        (v, n + self.0.get(&v).copied().unwrap_or(0))
    }
}
