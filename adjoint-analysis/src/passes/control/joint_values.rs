//! The possible values of discrete variables at one point: the literals of each variable, and their joint combinations.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{BinOp, Expr, UnOp, VarId};
use crate::passes::sets::set::VarSet;

/// Sets of more literals than these become ⊤.
const MAX_LITERALS: usize = 256;

/// More combinations than these are not kept.
const MAX_COMBINATIONS: usize = 64;

/// Represents the numbers other than 0.
pub const NOT_ZERO: &str = "not 0";

/// One combination of values; a variable that is not in it may have any value.
type Combination = BTreeMap<VarId, String>;

/// The possible values at a point.
#[derive(Clone, PartialEq, Debug)]
pub struct LiteralState {
    /// The literals that each variable may hold. ⊤ (not in the map) = anything.
    pub sets: BTreeMap<VarId, BTreeSet<String>>,
    /// The combinations that are possible.
    combinations: BTreeSet<Combination>,
}

impl LiteralState {
    /// Nothing is known.
    pub fn new() -> LiteralState {
        LiteralState {
            sets: BTreeMap::new(),
            combinations: BTreeSet::from([Combination::new()]),
        }
    }

    /// Assigns the literal to the variable; `related` says whether combinations with it matter.
    pub fn assign(&mut self, v: VarId, literal: &str, related: bool) {
        self.sets.insert(v, BTreeSet::from([literal.to_string()]));
        if related {
            self.each_combination(|world| {
                world.insert(v, literal.to_string());
            });
        }
    }

    /// Exchanges the values of two variables.
    pub fn swap(&mut self, a: VarId, b: VarId) {
        let (x, y) = (self.sets.remove(&a), self.sets.remove(&b));
        self.sets.extend(x.map(|x| (b, x)));
        self.sets.extend(y.map(|y| (a, y)));
        self.each_combination(|world| {
            let (x, y) = (world.remove(&a), world.remove(&b));
            world.extend(x.map(|x| (b, x)));
            world.extend(y.map(|y| (a, y)));
        });
    }

    /// Drops everything known about the variable, and returns the literals that it could have.
    pub fn forget(&mut self, v: VarId) -> Option<BTreeSet<String>> {
        self.each_combination(|world| {
            world.remove(&v);
        });
        self.sets.remove(&v)
    }

    fn each_combination(&mut self, change: impl Fn(&mut Combination)) {
        let worlds = std::mem::take(&mut self.combinations);
        self.combinations = worlds
            .into_iter()
            .map(|mut world| {
                change(&mut world);
                world
            })
            .collect();
    }

    /// Whether this is the only literal that the variable can have.
    pub fn is_only(&self, v: VarId, literal: &str) -> bool {
        let set = self.sets.get(&v);
        set.is_some_and(|set| set.len() == 1 && set.contains(literal))
    }

    /// The state in which the condition has the given truth value.
    pub fn assuming(&self, condition: &Expr, holds: bool) -> LiteralState {
        let text = holds.to_string();
        let possible =
            |world: &&Combination| value(condition, world).is_none_or(|value| value == text);
        let worlds: BTreeSet<Combination> =
            self.combinations.iter().filter(possible).cloned().collect();
        // An arm that is unreachable is analysed like any other.
        match worlds.is_empty() {
            true => self.clone(),
            false => LiteralState {
                sets: self.sets.clone(),
                combinations: worlds,
            },
        }
    }

    /// Drops the literals that are in no combination.
    pub fn narrowed(mut self) -> LiteralState {
        for (v, set) in &mut self.sets {
            let possible: Option<BTreeSet<&String>> =
                self.combinations.iter().map(|w| w.get(v)).collect();
            set.retain(|literal| possible.as_ref().is_none_or(|all| all.contains(literal)));
        }
        self
    }

    /// The union of two states.
    pub fn join(&self, other: &LiteralState) -> LiteralState {
        let both = self.sets.iter().filter_map(|(v, here)| {
            let all = here | other.sets.get(v)?;
            (all.len() <= MAX_LITERALS).then_some((*v, all))
        });
        let worlds = &self.combinations | &other.combinations;
        let mut joined = LiteralState {
            sets: both.collect(),
            combinations: worlds,
        };
        // A variable that is missing in one combination is removed from all; too many combinations are dropped.
        let many = joined.combinations.len() > MAX_COMBINATIONS;
        let all: Vec<Combination> = joined.combinations.iter().cloned().collect();
        joined.each_combination(|world| {
            world.retain(|v, _| !many && all.iter().all(|other| other.contains_key(v)));
        });
        joined
    }

    /// The state at the start or an end of a loop with this entry: of assigned variables, the only literal there, if
    /// there is one; of others, what holds on entry.
    pub fn at_loop(self, entry: &LiteralState, assigned: &VarSet) -> LiteralState {
        let mut only: Combination = self.combinations.first().cloned().unwrap_or_default();
        only.retain(|v, literal| {
            let same = |world: &Combination| world.get(v) == Some(literal);
            assigned.contains(*v) && self.combinations.iter().all(same)
        });
        let mut sets = self.narrowed().sets;
        sets.retain(|v, set| assigned.contains(*v) && set.len() == 1);
        for (v, set) in &entry.sets {
            if !assigned.contains(*v) {
                sets.insert(*v, set.clone());
            }
        }
        let mut state = LiteralState {
            sets,
            combinations: entry.combinations.clone(),
        };
        state.each_combination(|world| {
            world.retain(|v, _| !assigned.contains(*v));
            world.extend(only.clone());
        });
        state
    }
}

/// The literal that an expression evaluates to in a combination, if it is known.
fn value(e: &Expr, world: &Combination) -> Option<String> {
    match e {
        Expr::Lit(text, _) => canonical(text),
        Expr::Read(p) if p.is_whole() => world.get(&p.root).cloned(),
        Expr::Unary(UnOp::Not, e) => match value(e, world)?.as_str() {
            "true" => Some("false".to_string()),
            "false" => Some("true".to_string()),
            _ => None,
        },
        Expr::Binary(op, a, b) => {
            let (a, b) = (value(a, world), value(b, world));
            link(*op, a.as_deref(), b.as_deref()).map(|holds| holds.to_string())
        }
        _ => None,
    }
}

fn link(op: BinOp, a: Option<&str>, b: Option<&str>) -> Option<bool> {
    let one_is = |text| a == Some(text) || b == Some(text);
    match op {
        BinOp::And if one_is("false") => Some(false),
        BinOp::Or if one_is("true") => Some(true),
        BinOp::And => a.zip(b).map(|_| true),
        BinOp::Or => a.zip(b).map(|_| false),
        BinOp::Eq => equal(a?, b?),
        BinOp::Ne => equal(a?, b?).map(|same| !same),
        _ => None,
    }
}

fn equal(a: &str, b: &str) -> Option<bool> {
    match (a, b) {
        (NOT_ZERO, "0") | ("0", NOT_ZERO) => Some(false),
        (NOT_ZERO, _) | (_, NOT_ZERO) => None,
        _ => Some(a == b),
    }
}

/// The canonical text of a literal, one for each value; [`None`] for a literal that is not tracked.
pub fn canonical(text: &str) -> Option<String> {
    let is_bool = matches!(text, "true" | "false");
    let number = || text.parse::<u128>().ok().map(|n| n.to_string());
    is_bool.then(|| text.to_string()).or_else(number)
}
