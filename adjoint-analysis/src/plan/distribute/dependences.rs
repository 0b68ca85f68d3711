//! Which effects may run apart from which reads and writes, and which of two has to come first.

use super::body::Body;
use super::subscripts::Subscripts;
use crate::ir::{Place, Proj};

/// Pairs of numbers of statements; the first has to run before the second wherever both are in different parts.
pub type Order = Vec<(usize, usize)>;

/// How two places of one loop relate.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Relation {
    /// They never overlap, in whatever iterations.
    Disjoint,
    /// They are the same in each iteration, and disjoint in two different ones.
    Same,
    /// Anything else.
    Unknown,
}

/// The order that the body's dependences demand; `None` if its iterations may not run in any order.
pub fn order(body: &Body<'_>) -> Option<Order> {
    let mut order = Vec::new();
    let effects = body.effects();
    for &effect in &effects {
        let target = body.target(effect)?;
        if !body.is_increment(effect) && body.subscripts.element(target).is_none() {
            return None;
        }
        for n in 0..body.units.len() {
            for read in body.reads(n) {
                match relation(target, read, &body.subscripts) {
                    Relation::Disjoint => {}
                    Relation::Same => order.push((n.min(effect), n.max(effect))),
                    Relation::Unknown => return None,
                }
            }
        }
        for &other in effects.iter().filter(|n| **n > effect) {
            if body.is_increment(effect) && body.is_increment(other) {
                continue;
            }
            match relation(target, body.target(other)?, &body.subscripts) {
                Relation::Disjoint => {}
                Relation::Same => order.push((effect, other)),
                Relation::Unknown => return None,
            }
        }
    }
    Some(order)
}

fn relation(a: &Place, b: &Place, subscripts: &Subscripts<'_>) -> Relation {
    if a.root != b.root || are_always_disjoint(a, b, subscripts) {
        return Relation::Disjoint;
    }
    match a == b && subscripts.element(a).is_some() {
        true => Relation::Same,
        false => Relation::Unknown,
    }
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
