//! G_A of a block with all its edges, and the order in which a game places its tokens: for people, not for the plan.
//!
//! To-be-recorded analysis stores the value that a game found. The game is played again here, from the variables that
//! this value reads; with these alone it makes the same moves towards it.

use std::collections::HashMap;

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

/// The tokens of the game that found this value, in their order; `stmts` start where their block does.
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
    let held = value.needs(func);
    let offsets = Offsets::of(stmts);
    let mut tokens = Vec::new();
    let mut place = |version: Version, rule: Rule| {
        let version = offsets.from_start(version);
        tokens.push(Placed { version, rule });
    };
    if let Some(wanted) = wanted {
        observed(func, &graph, wanted, &|v| held.contains(&v), &mut place);
    }
    tokens
}

/// A definition with its edges.
pub struct Defined {
    /// The version, counted from the start of the block.
    pub result: Version,
    /// What it is.
    pub value: Expr,
    /// The versions that the value reads, each once, and whether the edge from there is in E_I.
    pub operands: Vec<(Version, bool)>,
}

/// The definitions of G_A for the statements of a block.
pub fn definitions(func: &Func, stmts: &[Stmt], trips: &Trips<'_>) -> Vec<Defined> {
    let graph = Graph::of(func, stmts, trips);
    let offsets = Offsets::of(stmts);
    let defined = |d: &Definition<'_>| {
        let mut operands: Vec<(Version, bool)> = Vec::new();
        d.value.walk(&mut |e| {
            if let Some(version) = d.operand(e) {
                let edge = (offsets.from_start(version), is_invertible(func, d, version));
                if !operands.contains(&edge) {
                    operands.push(edge);
                }
            }
        });
        Defined {
            result: offsets.from_start(d.result),
            value: d.value.clone().into_owned(),
            operands,
        }
    };
    graph.definitions.iter().map(defined).collect()
}

/// Whether the operand follows from the result and the other operands.
fn is_invertible(func: &Func, d: &Definition<'_>, operand: Version) -> bool {
    let is_operand = |e: &Expr| d.operand(e) == Some(operand);
    let known = |e: &Expr| Some(e.clone());
    let result = Expr::Read(func.place(d.result.0));
    let ty = &func.var(operand.0).ty;
    inverse(&d.value, result, ty, &is_operand, &known).is_some()
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

    fn from_start(&self, (v, n): Version) -> Version {
        (v, n + self.0.get(&v).copied().unwrap_or(0))
    }
}
