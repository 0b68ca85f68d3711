//! The token game `tg` of `[INV]` §4, for one wanted version and without storage.

use std::cell::RefCell;
use std::collections::HashMap;

use super::graph::{Definition, Graph, Version};
use super::inverse::inverse;
use crate::ir::{Expr, Func, Ty, VarId};
use crate::passes::tbr::cost::is_cheap;

/// How many nodes the expression of a recovered value may have.
const MAX_NODES: usize = 32;

/// How a version gets its token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    /// Option 1: a definition that reads it is inverted.
    Inverted,
    /// Option 2: its definition is evaluated again.
    Evaluated,
}

/// The wanted version's value in terms of what the variables hold behind the graph's statements.
pub fn recovered(
    func: &Func,
    graph: &Graph<'_>,
    wanted: Version,
    is_held: &dyn Fn(VarId) -> bool,
) -> Option<Expr> {
    observed(func, graph, wanted, is_held, &mut |_, _, _| {})
}

/// The same; `placed` is called with each token and the definition that gives it, in the order of the game.
pub fn observed(
    func: &Func,
    graph: &Graph<'_>,
    wanted: Version,
    is_held: &dyn Fn(VarId) -> bool,
    placed: &mut dyn FnMut(Version, Rule, &Definition<'_>),
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
        let (version, rule, definition) = game.step()?;
        placed(version, rule, definition);
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

impl<'g> Game<'g> {
    /// Places a token by inversion, or else by evaluation.
    fn step(&mut self) -> Option<(Version, Rule, &'g Definition<'g>)> {
        let inverted = || Some((self.last(Game::inverted)?, Rule::Inverted));
        let evaluated = || Some((self.last(Game::evaluated)?, Rule::Evaluated));
        let ((definition, version, value), rule) = inverted().or_else(evaluated)?;
        self.tokens.insert(version, value);
        Some((version, rule, definition))
    }

    /// The token that the rule places at the last definition where it places one.
    fn last(
        &self,
        rule: fn(&Self, &Definition<'_>) -> Option<(Version, Expr)>,
    ) -> Option<(&'g Definition<'g>, Version, Expr)> {
        let mut definitions = self.graph.definitions.iter().rev();
        definitions.find_map(|d| {
            let (version, value) = rule(self, d).filter(|(_, e)| nodes(e) <= MAX_NODES)?;
            Some((d, version, value))
        })
    }

    /// Option 1: the only operand without a token, from the result and the other operands.
    fn inverted(&self, d: &Definition<'_>) -> Option<(Version, Expr)> {
        let value = self.token(d.result)?;
        let mut without = None;
        let mut several = false;
        d.value.walk(&mut |e| {
            if let Some(version) = d.operand(e).filter(|v| self.token(*v).is_none()) {
                several |= without.is_some();
                without = Some(version);
            }
        });
        let operand = without.filter(|_| !several)?;
        let is_operand = |e: &Expr| d.operand(e) == Some(operand);
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
        if let Some(version) = d.operand(e) {
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
        Some(without_zero(e))
    }
}

fn nodes(e: &Expr) -> usize {
    let mut count = 0;
    e.walk(&mut |_| count += 1);
    count
}

/// The expression, or the other summand of 0.
fn without_zero(e: Expr) -> Expr {
    let is_zero = |e: &Expr| matches!(e, Expr::Lit(text, Ty::Int(_)) if text == "0");
    match &e {
        Expr::Discrete(name, args, _) if name == "wrapping_add" => match &args[..] {
            [zero, other] | [other, zero] if is_zero(zero) => other.clone(),
            _ => e,
        },
        _ => e,
    }
}
