//! The dependency graph G_A of `[INV]` §3 for the body of a loop or of the function, with the tokens of §4.
//!
//! Nodes are versions of integers, and edges are E_c: from each version that a definition reads to the one that it
//! defines. Those in E_I, which can be inverted, are thick, as in Figure 5. Versions that the reverse sweep holds where
//! it starts are filled. The others have their numbers in the order in which it gets them back, with a letter as in
//! Figure 8(b): `i` for an inversion, `f` for an evaluation, `s` for storage.
//!
//! To-be-recorded analysis plays one game for each value. The reverse sweep gets the values back from the last to the
//! first, and a version that one game has placed a token on keeps it for those that follow.
//!
//! Values that inner blocks overwrite come back where these are reversed, and have no number here.

use std::collections::{BTreeMap, BTreeSet};

use super::diagram::{Arrow, Diagram, TextBox};
use super::formula::formula;
use super::levels::{Level, levels};
use super::recovery::{How, Recovery, recoveries};
use super::view::{RecordPoint, View};
use crate::analysed::Analysed;
use crate::ir::{Expr, Stmt, StmtId, StmtKind, Ty, VarId};
use crate::passes::inversion::game::Rule;
use crate::passes::inversion::graph::{Version, each_write};
use crate::passes::inversion::trace::{self, Defined, Wanted};

/// G_A of a block.
#[derive(Clone, PartialEq, Debug)]
pub struct DependencyGraph {
    /// The number of the block: 0 for the function, then its loops.
    pub number: usize,
    /// The nodes, in the order of the statements.
    pub nodes: Vec<Node>,
    /// The edges.
    pub edges: Vec<Edge>,
}

/// A version of an integer.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    /// What defines it.
    pub text: String,
    /// What is known of it in the reverse sweep.
    pub token: Option<Token>,
}

/// Why a version is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Token {
    /// The reverse sweep of the block starts with it.
    Known,
    /// It comes back, as the first, the second, ..
    Placed(usize, Way),
}

/// The options of `[INV]` §3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Option 1.
    Inverted,
    /// Option 2.
    Evaluated,
    /// Option 3.
    Stored,
}

/// An edge between nodes, which are given by their positions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The operand.
    pub from: usize,
    /// The result.
    pub to: usize,
    /// Whether it is in E_I.
    pub is_invertible: bool,
}

/// The graphs of the blocks in which integers depend on each other and come back.
pub fn dependency_graphs(analysed: &Analysed) -> Vec<DependencyGraph> {
    let view = View::new(analysed);
    let recoveries = recoveries(&view);
    let levels = levels(&view);
    let numbered = levels.iter().enumerate();
    numbered
        .filter_map(|(number, level)| Builder::new(&view, level).graph(number, &recoveries))
        .collect()
}

struct Builder<'a, 'b> {
    view: &'a View<'b>,
    level: &'a Level<'b>,
    tokens: BTreeMap<Version, Token>,
}

impl<'a, 'b> Builder<'a, 'b> {
    fn new(view: &'a View<'b>, level: &'a Level<'b>) -> Builder<'a, 'b> {
        Builder {
            view,
            level,
            tokens: BTreeMap::new(),
        }
    }

    fn graph(mut self, number: usize, recoveries: &[Recovery]) -> Option<DependencyGraph> {
        let mut count = 0;
        for r in recoveries {
            for (version, way) in self.game(r) {
                self.tokens.entry(version).or_insert_with(|| {
                    count += 1;
                    Token::Placed(count, way)
                });
            }
        }
        let trips = |s: &Stmt| self.view.control().trips_of(s);
        let defined = trace::definitions(self.view.func(), &self.level.block.stmts, &trips);
        let operands = defined.iter().flat_map(|d| &d.operands);
        let mut versions: BTreeSet<Version> = operands.map(|(version, _)| *version).collect();
        if count == 0 || versions.is_empty() {
            return None;
        }
        versions.extend(defined.iter().map(|d| d.result));
        versions.extend(self.tokens.keys());
        let writes = Writes::of(&self.level.block.stmts);
        let mut versions: Vec<Version> = versions.into_iter().collect();
        versions.sort_by_key(|v| writes.position(*v));
        let is_free = |v: &Version| self.view.analysed.facts.own.free.contains(v.0);
        let known = versions
            .iter()
            .filter(|v| writes.is_last(**v) && is_free(v));
        for version in known {
            self.tokens.entry(*version).or_insert(Token::Known);
        }
        let node = |version: &Version| Node {
            text: self.text(*version, &writes, &defined),
            token: self.tokens.get(version).copied(),
        };
        let position = |v: Version| versions.iter().position(|known| *known == v);
        let edges = defined.iter().flat_map(|d| {
            let edge = |(from, is_invertible): &(Version, bool)| {
                Some(Edge {
                    from: position(*from)?,
                    to: position(d.result)?,
                    is_invertible: *is_invertible,
                })
            };
            d.operands.iter().filter_map(edge).collect::<Vec<_>>()
        });
        Some(DependencyGraph {
            number,
            nodes: versions.iter().map(node).collect(),
            edges: edges.collect(),
        })
    }

    /// The versions that get tokens for this value to come back, it among them.
    fn game(&mut self, r: &Recovery) -> Vec<(Version, Way)> {
        let is_whole_integer = r.place.is_whole() && matches!(r.place.ty, Ty::Int(_));
        let Some(at) = self.level.position(r).filter(|_| is_whole_integer) else {
            return Vec::new();
        };
        let (all, v) = (&self.level.block.stmts[..], r.place.root);
        let (stmts, before, wanted) = match r.when {
            RecordPoint::Overwritten => (&all[..=at], &all[..at], Wanted::Overwritten(v)),
            RecordPoint::EndOfScope => (all, all, Wanted::Current(v)),
        };
        let itself = (v, Writes::of(before).count(v));
        let (value, way) = match &r.how {
            How::Recorded => return vec![(itself, Way::Stored)],
            How::Inverted(e) => (e, Way::Inverted),
            How::Evaluated(e) | How::Copied(e) | How::Constant(e) => (e, Way::Evaluated),
        };
        self.note_known(value, stmts);
        let mut placed = Vec::new();
        if way == Way::Inverted {
            let trips = |s: &Stmt| self.view.control().trips_of(s);
            let tokens = trace::tokens(self.view.func(), stmts, wanted, &trips, value);
            placed.extend(tokens.into_iter().map(|t| match t.rule {
                Rule::Inverted => (t.version, Way::Inverted),
                Rule::Evaluated => (t.version, Way::Evaluated),
            }));
        }
        placed.push((itself, way));
        placed
    }

    /// What the value reads is known at the start if it is the last version and has not come back.
    fn note_known(&mut self, value: &Expr, stmts: &[Stmt]) {
        let all = Writes::of(&self.level.block.stmts);
        let here = Writes::of(stmts);
        for v in value.needs(self.view.func()) {
            let version = (v, here.count(v));
            let is_integer = matches!(self.view.func().var(v).ty, Ty::Int(_));
            if is_integer && all.is_last(version) {
                self.tokens.entry(version).or_insert(Token::Known);
            }
        }
    }

    fn text(&self, version: Version, writes: &Writes, defined: &[Defined]) -> String {
        let name = &self.view.func().var(version.0).name;
        let source = writes.by.get(&version);
        let Some(stmt) = source.and_then(|id| self.view.stmts.get(id)) else {
            return match writes.is_last(version) {
                true => name.clone(),
                false => format!("{name} at the start"),
            };
        };
        let line = self.view.line(stmt.id);
        let line = line.map_or(String::new(), |(line, _)| format!(" (line {line})"));
        let text = self.view.stmt(stmt);
        let definition = defined.iter().find(|d| d.result == version);
        match (&stmt.kind, definition) {
            (StmtKind::Loop(..), Some(d)) => {
                let value = formula(self.view, &d.value).code;
                format!("{name} = {value}, by {text}{line}")
            }
            (StmtKind::Loop(..) | StmtKind::If(..), _) => format!("{name} behind {text}{line}"),
            _ => format!("{text}{line}"),
        }
    }
}

/// The writes of integers by some statements.
struct Writes {
    /// The statement that wrote each version.
    by: BTreeMap<Version, StmtId>,
    /// The order of the versions.
    order: Vec<Version>,
}

impl Writes {
    fn of(stmts: &[Stmt]) -> Writes {
        let mut writes = Writes {
            by: BTreeMap::new(),
            order: Vec::new(),
        };
        for stmt in stmts {
            each_write(stmt, &mut |v| {
                let version = (v, writes.count(v) + 1);
                writes.by.insert(version, stmt.id);
                writes.order.push(version);
            });
        }
        writes
    }

    /// How often the variable is written.
    fn count(&self, v: VarId) -> u32 {
        let last = self.by.range((v, 0)..=(v, u32::MAX)).next_back();
        last.map_or(0, |((_, n), _)| *n)
    }

    fn is_last(&self, (v, n): Version) -> bool {
        self.count(v) == n
    }

    /// Versions from before the statements come first.
    fn position(&self, version: Version) -> Option<usize> {
        self.order.iter().position(|known| *known == version)
    }
}

impl Node {
    /// The text in a drawing.
    fn lines(&self) -> Vec<String> {
        let token = match self.token {
            Some(Token::Placed(number, way)) => Some(format!("{number}:{}", way.letter())),
            Some(Token::Known) | None => None,
        };
        std::iter::once(self.text.clone()).chain(token).collect()
    }
}

impl Way {
    /// The letter in Figure 8(b).
    pub fn letter(self) -> char {
        match self {
            Way::Inverted => 'i',
            Way::Evaluated => 'f',
            Way::Stored => 's',
        }
    }
}

impl DependencyGraph {
    /// The drawing.
    pub fn diagram(&self) -> Diagram {
        let text_box = |node: &Node| TextBox {
            lines: node.lines(),
            is_round: false,
            fill: match node.token {
                Some(Token::Known) => "lightblue",
                _ => "white",
            },
        };
        let arrow = |edge: &Edge| Arrow {
            from: edge.from,
            to: edge.to,
            label: String::new(),
            is_thick: edge.is_invertible,
        };
        Diagram {
            boxes: self.nodes.iter().map(text_box).collect(),
            arrows: self.edges.iter().map(arrow).collect(),
        }
    }
}
