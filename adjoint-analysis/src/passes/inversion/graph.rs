//! The graph G_A of `[INV]` §3 for a run of statements: versions of variables, and the definitions that join them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::{Trips, branches, closed_form};
use crate::ir::{Block, Expr, Func, Stmt, StmtKind, Ty, VarId};
use crate::passes::control::trips::{Step, leaves};

/// How far back definitions are looked for: what lies further has seldom anything to do with an index.
const WINDOW: usize = 64;

/// A variable with the number of writes to it so far.
pub type Version = (VarId, u32);

/// `w = f(..)` between integers.
pub struct Definition<'s> {
    /// The version that is defined.
    pub result: Version,
    /// What it is.
    pub value: Cow<'s, Expr>,
    /// The versions of the variables that the value reads.
    versions: HashMap<VarId, u32>,
}

impl Definition<'_> {
    /// The version of a variable that the value reads.
    pub fn version(&self, v: VarId) -> Version {
        (v, self.versions.get(&v).copied().unwrap_or(0))
    }

    /// The version that the expression reads, if it is an integer variable.
    pub fn operand(&self, e: &Expr) -> Option<Version> {
        match e {
            Expr::Read(p) if p.is_whole() && matches!(p.ty, Ty::Int(_)) => {
                Some(self.version(p.root))
            }
            _ => None,
        }
    }
}

/// The definitions among some statements, and the versions behind them.
pub struct Graph<'s> {
    /// In the order in which they stand.
    pub definitions: Vec<Definition<'s>>,
    current: HashMap<VarId, u32>,
    /// The versions before the last statement.
    before_last: HashMap<VarId, u32>,
}

impl<'s> Graph<'s> {
    /// The graph of these statements.
    pub fn of(func: &Func, stmts: &'s [Stmt], trips: &Trips<'_>) -> Graph<'s> {
        let stmts = &stmts[window_start(stmts)..];
        let mut graph = Graph {
            definitions: Vec::new(),
            current: HashMap::new(),
            before_last: HashMap::new(),
        };
        for (k, stmt) in stmts.iter().enumerate() {
            if k + 1 == stmts.len() {
                graph.before_last = graph.current.clone();
            }
            graph.add(func, stmt, trips);
        }
        graph
    }

    fn add(&mut self, func: &Func, stmt: &'s Stmt, trips: &Trips<'_>) {
        let read = |e: &Expr| {
            let of = |v: VarId| Some((v, *self.current.get(&v)?));
            e.needs(func).into_iter().filter_map(of).collect()
        };
        let values = values(func, stmt, trips).into_iter();
        let made: Vec<_> = values.map(|(v, e)| (v, read(&e), e)).collect();
        each_write(stmt, &mut |v| *self.current.entry(v).or_default() += 1);
        for (v, versions, value) in made {
            let result = self.current(v);
            self.definitions.push(Definition {
                result,
                value,
                versions,
            });
        }
    }

    /// The version of the variable behind the statements.
    pub fn current(&self, v: VarId) -> Version {
        (v, self.current.get(&v).copied().unwrap_or(0))
    }

    /// The version that the last statement overwrites, if it does.
    pub fn before_last(&self, v: VarId) -> Option<Version> {
        let before = (v, self.before_last.get(&v).copied().unwrap_or(0));
        (before != self.current(v)).then_some(before)
    }
}

/// The values that a statement gives to integers that outlive it.
fn values<'s>(func: &Func, stmt: &'s Stmt, trips: &Trips<'_>) -> Vec<(VarId, Cow<'s, Expr>)> {
    let computed: Vec<(VarId, Expr)> = match &stmt.kind {
        StmtKind::Let(v, Some(e)) if is_integer(func, *v) => return vec![(*v, Cow::Borrowed(e))],
        StmtKind::Assign(p, e) if p.is_whole() && is_integer(func, p.root) => {
            return vec![(p.root, Cow::Borrowed(e))];
        }
        StmtKind::Loop(_, body) => match trips(stmt) {
            Some(count) => {
                let mut left = closed_form::behind_loop(func, stmt, trips);
                left.extend(behind_loop(func, body, &count));
                left
            }
            None => Vec::new(),
        },
        StmtKind::If(test, then, els) => branches::behind_branch(func, test, [then, els]),
        _ => Vec::new(),
    };
    let mut inside = BTreeSet::new();
    for block in stmt.blocks() {
        block.walk(&mut |s| inside.extend(s.declared()));
    }
    let outlives = |v: &VarId| is_integer(func, *v) && !inside.contains(v);
    let left = computed.into_iter().filter(|(v, _)| outlives(v));
    left.map(|(v, e)| (v, Cow::Owned(e))).collect()
}

/// Whether the variable is an integer, of whatever type.
pub fn is_integer(func: &Func, v: VarId) -> bool {
    matches!(func.var(v).ty, Ty::Int(_))
}

/// Where the statements start that the graph is made of.
pub fn window_start(stmts: &[Stmt]) -> usize {
    stmts.len().saturating_sub(WINDOW)
}

/// Calls `f` with the variable of each write of the statement, inner blocks included.
pub fn each_write(stmt: &Stmt, f: &mut dyn FnMut(VarId)) {
    Stmt::walk_all(std::slice::from_ref(stmt), &mut |s| {
        let written = s.written().into_iter().map(|p| p.root);
        written.chain(s.declared()).for_each(&mut *f);
    });
}

/// What a loop without `break` that runs so often leaves in its counters of other types than `usize`:
/// `v + trips * step`, in wrapping form, so that it is exact whatever the types.
fn behind_loop(func: &Func, body: &Block, trips: &Expr) -> Vec<(VarId, Expr)> {
    if leaves(body) {
        return Vec::new();
    }
    let written = body.stmts.iter().flat_map(Stmt::written);
    let written: BTreeSet<VarId> = written.map(|p| p.root).collect();
    let counted = |v: VarId| {
        let ty = &func.var(v).ty;
        let step = Step::of(&body.stmts, v).filter(|_| *ty != Ty::USIZE)?;
        let trips = Expr::Cast(Box::new(trips.clone()), ty.clone());
        let apply = |name: &str, a, b| Expr::Discrete(name.into(), vec![a, b], ty.clone());
        let is_one = matches!(&step.by, Expr::Lit(by, _) if by == "1");
        let way = if step.up {
            "wrapping_add"
        } else {
            "wrapping_sub"
        };
        let all = match is_one {
            true => trips,
            false => apply("wrapping_mul", trips, step.by),
        };
        let value = apply(way, Expr::Read(func.place(v)), all);
        Some((v, value))
    };
    written.into_iter().filter_map(counted).collect()
}
