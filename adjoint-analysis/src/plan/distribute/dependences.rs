//! Which effects may run apart from which reads and writes, and which of two has to come first.

use super::body::Body;
use super::separations::separation;
use super::subscripts::Subscripts;
use crate::ir::{Expr, Place, Proj, Separation};

/// Pairs of numbers of statements; the first has to run before the second wherever both are in different parts.
pub type Order = Vec<(usize, usize)>;

/// What the accesses of a loop demand of its distribution.
#[derive(Default)]
pub struct Dependences {
    /// The order of its statements.
    pub order: Order,
    /// What has to hold in front of it.
    pub separations: Vec<Separation>,
}

/// How two places of one loop relate.
#[derive(Clone, PartialEq, Debug)]
enum Relation {
    /// They never overlap, in whatever iterations.
    Disjoint,
    /// They are the same in each iteration, and disjoint in two different ones.
    Same,
    /// They never overlap if this holds.
    Separate(Separation),
    /// Anything else.
    Unknown,
}

/// The dependences of the body of a loop that starts at `lo`; `None` if its iterations may not run in any order.
pub fn dependences(body: &Body<'_>, lo: &Expr) -> Option<Dependences> {
    let mut found = Dependences::default();
    let effects = body.effects();
    for &effect in &effects {
        let target = body.target(effect)?;
        if !body.is_increment(effect) && body.subscripts.element(target).is_none() {
            return None;
        }
        for n in 0..body.units.len() {
            for read in body.reads(n) {
                let pair = [n.min(effect), n.max(effect)];
                found.add(body, pair, relation([target, read], body, lo))?;
            }
        }
        for &other in effects.iter().filter(|n| **n > effect) {
            if body.is_increment(effect) && body.is_increment(other) {
                continue;
            }
            let places = [target, body.target(other)?];
            found.add(body, [effect, other], relation(places, body, lo))?;
        }
    }
    Some(found)
}

impl Dependences {
    /// Takes in how two statements relate; `None` if they may not run in any order.
    fn add(&mut self, body: &Body<'_>, [a, b]: [usize; 2], relation: Relation) -> Option<()> {
        match relation {
            Relation::Disjoint => {}
            Relation::Same => self.order.push((a, b)),
            // The places of a statement that is not always run need not exist.
            Relation::Separate(of) if body.is_always_run(a) && body.is_always_run(b) => {
                if !self.separations.iter().any(|s| s.is_same(&of)) {
                    self.separations.push(of);
                }
            }
            _ => return None,
        }
        Some(())
    }
}

fn relation([a, b]: [&Place; 2], body: &Body<'_>, lo: &Expr) -> Relation {
    let subscripts = &body.subscripts;
    if a.root != b.root || are_always_disjoint(a, b, subscripts) {
        return Relation::Disjoint;
    }
    if a == b && subscripts.element(a).is_some() {
        return Relation::Same;
    }
    separation(a, b, subscripts, lo).map_or(Relation::Unknown, Relation::Separate)
}

/// Whether the places are disjoint in any two iterations.
fn are_always_disjoint(a: &Place, b: &Place, subscripts: &Subscripts<'_>) -> bool {
    let mut steps = a.proj.iter().zip(&b.proj).enumerate();
    match steps.find(|(_, (x, y))| x != y) {
        Some((_, (Proj::Field(_), Proj::Field(_)))) => true,
        Some((n, (Proj::Head(m), Proj::Tail(l)) | (Proj::Tail(m), Proj::Head(l)))) => {
            let mut before = a.proj[..=n].iter().flat_map(Proj::operands);
            m == l && before.all(|e| subscripts.is_invariant(e))
        }
        _ => false,
    }
}
