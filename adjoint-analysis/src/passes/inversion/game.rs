//! The token game `tg` of `[INV]` §4, for one wanted version and without storage.

use std::cell::RefCell;
use std::collections::HashMap;

use super::graph::{Definition, Graph, Version};
use super::inverse::inverse;
use crate::ir::{Expr, Func, Place, Ty, VarId};
use crate::passes::tbr::cost::is_cheap;

/// How many nodes the expression of a recovered value may have.
const MAX_NODES: usize = 32;

/// The wanted version's value in terms of what the variables hold behind the graph's statements.
pub fn recovered(
    func: &Func,
    graph: &Graph<'_>,
    wanted: Version,
    is_held: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    let held = RefCell::new(HashMap::new());
    let is_held = |v: VarId| *held.borrow_mut().entry(v).or_insert_with(|| is_held(v));
    let mut game = Game {
        func,
        graph,
        is_held: &is_held,
        tokens: HashMap::new(),
    };
    while !game.tokens.contains_key(&wanted) {
        if !game.move_by(Game::inverted) && !game.move_by(Game::evaluated) {
            return None;
        }
    }
    game.tokens.remove(&wanted)
}

struct Game<'g> {
    func: &'g Func,
    graph: &'g Graph<'g>,
    is_held: &'g dyn Fn(VarId) -> bool,
    /// The values of versions that no variable holds any more.
    tokens: HashMap<Version, Expr>,
}

impl Game<'_> {
    /// Places a token by the rule at the last definition where one can be placed.
    fn move_by(&mut self, rule: fn(&Self, &Definition<'_>) -> Option<(Version, Expr)>) -> bool {
        let mut definitions = self.graph.definitions.iter().rev();
        let placed = definitions.find_map(|d| rule(self, d).filter(|(_, e)| nodes(e) <= MAX_NODES));
        let is_placed = placed.is_some();
        self.tokens.extend(placed);
        is_placed
    }

    /// Option 1: the only operand without a token, from the result and the other operands.
    fn inverted(&self, d: &Definition<'_>) -> Option<(Version, Expr)> {
        let value = self.token(d.result)?;
        let mut without = None;
        let mut several = false;
        d.value.walk(&mut |e| {
            if let Some(version) = self.version(d, e).filter(|v| self.token(*v).is_none()) {
                several |= without.is_some();
                without = Some(version);
            }
        });
        let operand = without.filter(|_| !several)?;
        let is_operand = |e: &Expr| self.version(d, e) == Some(operand);
        let known = |e: &Expr| self.value(d, e);
        let value = inverse(self.func, &d.value, value, &is_operand, &known)?;
        Some((operand, value))
    }

    /// Option 2: the result, from operands that all have tokens.
    fn evaluated(&self, d: &Definition<'_>) -> Option<(Version, Expr)> {
        if self.token(d.result).is_some() || !is_cheap(&d.value, self.func) {
            return None;
        }
        Some((d.result, self.value(d, &d.value)?))
    }

    /// The version that the expression reads, if it is an integer variable.
    fn version(&self, d: &Definition<'_>, e: &Expr) -> Option<Version> {
        match e {
            Expr::Read(p) if is_integer(p) => Some(d.version(p.root)),
            _ => None,
        }
    }

    /// The value of a version that is known.
    fn token(&self, version: Version) -> Option<Expr> {
        let (v, _) = version;
        if self.holds(version) {
            return Some(Expr::Read(self.func.place(v)));
        }
        self.tokens.get(&version).cloned()
    }

    /// Whether the variable holds this version in the reverse sweep.
    fn holds(&self, version: Version) -> bool {
        self.graph.current(version.0) == version && (self.is_held)(version.0)
    }

    /// An expression of a definition in terms of what the variables hold behind the statements.
    fn value(&self, d: &Definition<'_>, e: &Expr) -> Option<Expr> {
        if let Some(version) = self.version(d, e) {
            return self.token(version);
        }
        let mut places = e.own_places().iter();
        if !places.all(|p| self.holds(d.version(p.root))) {
            return None;
        }
        let mut e = e.clone();
        for child in e.children_mut() {
            *child = self.value(d, child)?;
        }
        Some(e)
    }
}

fn is_integer(p: &Place) -> bool {
    p.is_whole() && matches!(p.ty, Ty::Int(_))
}

fn nodes(e: &Expr) -> usize {
    let mut count = 0;
    e.walk(&mut |_| count += 1);
    count
}
