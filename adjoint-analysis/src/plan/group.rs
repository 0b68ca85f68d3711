//! Functions of one group, and their summaries: `[TBR]` §4 and §5.2 bottom-up.
//!
//! Callees come before callers. In a cycle of calls the summaries start empty and grow to a fixpoint: a function reads,
//! and depends on, its own operands and those in the summaries of its callees, so by induction over the depth of the
//! calls they are right for each run that terminates.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::build::{Config, plan_with_facts};
use super::cost::Costs;
use super::flattening::SHORT;
use crate::ir::{Demand, Func, StmtId, StmtKind};
use crate::passes::activity::Boundary;
use crate::passes::activity::excluded::depends_except_work_space;
use crate::passes::activity::summary::{Cost, Summaries, Summary};
use crate::passes::checkpoint::{effect, effects_of};
use crate::passes::flattening::inline::{inline, is_body, literal_counts};
use crate::passes::flattening::unroll::unroll;

/// A function of a group.
#[derive(Clone, Debug)]
pub struct Member {
    /// The function, with its temporaries.
    pub func: Func,
    /// Its independents and dependents, without summaries.
    pub boundary: Boundary,
    /// The number of its statement ids.
    pub statements: usize,
    /// Its optimisation settings.
    pub config: Config,
    /// Its name in the group.
    pub name: String,
    /// The names by which it calls members, with the members' names in the group.
    pub calls: Vec<(String, String)>,
}

/// The members' summaries, by their names in the group.
pub fn summaries(members: &[Member]) -> Summaries {
    let order = callees_first(members);
    let effects = members.iter().any(|m| !m.func.checkpoints.is_empty());
    let mut known: Summaries = members.iter().map(nothing).collect();
    loop {
        let before = known.clone();
        for &k in &order {
            let found = found(&members[k], &known, effects);
            if let Some(summary) = known.get_mut(&members[k].name) {
                summary.extend(&found);
            }
        }
        if known == before || !has_cycle(members, &order) {
            return known;
        }
    }
}

/// The summaries for a function, by the names that it uses.
pub fn summaries_for(member: &Member, known: &Summaries) -> Summaries {
    let calls = member.calls.iter();
    let seen = calls.filter_map(|(used, name)| Some((used.clone(), known.get(name)?.clone())));
    seen.collect()
}

fn nothing(member: &Member) -> (String, Summary) {
    let params = member.func.params.len();
    let depends = match member.boundary.is_whole(&member.func) {
        true => vec![0; params + 1],
        false => depends_except_work_space(&member.func, &member.boundary),
    };
    let summary = Summary {
        depends,
        reads: vec![Demand::NEVER; params],
        effect: None,
        body: None,
        cost: Cost::default(),
        reaches: BTreeSet::new(),
    };
    (member.name.clone(), summary)
}

fn found(member: &Member, known: &Summaries, effects: bool) -> Summary {
    let seen = summaries_for(member, known);
    let reaches = reached(member, known);
    // Bounds over the parameters of recursive calls might grow without end.
    let is_seen = effects && !reaches.contains(&member.name);
    let effect = is_seen.then(|| effect(&member.func, Some(&member.name), &effects_of(&seen)));
    let boundary = Boundary {
        recursive: recursive(&member.name, &seen),
        summaries: seen,
        ..member.boundary.clone()
    };
    let Member {
        func,
        statements,
        config,
        ..
    } = member;
    // Callers rely on what this plan reads. So it has to be the function's own, whose gradients depend on fusion, too.
    let (plan, _) = plan_with_facts(func, &boundary, *statements, *config);
    let is_recursive = reaches.contains(&member.name);
    let may_be_inlined = boundary.is_whole(func) && !is_recursive;
    let cost = match is_recursive {
        true => Cost::default(),
        false => Costs(&boundary).of(&plan),
    };
    Summary {
        depends: plan.depends,
        reads: plan.reads,
        effect,
        body: may_be_inlined.then(|| body(member, &boundary)).flatten(),
        cost,
        reaches,
    }
}

/// What can stand for calls of a member.
fn body(member: &Member, boundary: &Boundary) -> Option<Rc<Func>> {
    let mut origins = (0..member.statements as u32).map(StmtId).collect();
    let body = inline(member.func.clone(), boundary, &mut origins, &|_, _| true);
    let body = unroll(literal_counts(body), &mut origins, SHORT);
    is_body(&body).then(|| Rc::new(body))
}

/// The members that a member may call, directly or indirectly.
fn reached(member: &Member, known: &Summaries) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    for name in callees(member) {
        if let Some(summary) = known.get(name) {
            reached.insert(name.clone());
            reached.extend(summary.reaches.iter().cloned());
        }
    }
    reached
}

/// The names that a function uses for members that may call it back.
pub fn recursive(function: &str, seen: &Summaries) -> BTreeSet<String> {
    let leads_back = |summary: &Summary| summary.reaches.contains(function);
    let names = seen.iter().filter(|(_, summary)| leads_back(summary));
    names.map(|(used, _)| used.clone()).collect()
}

/// The members in an order in which callees come first, except in cycles.
fn callees_first(members: &[Member]) -> Vec<usize> {
    let (mut order, mut met) = (Vec::new(), BTreeSet::new());
    (0..members.len()).for_each(|k| visit(k, members, &mut met, &mut order));
    order
}

fn visit(k: usize, members: &[Member], met: &mut BTreeSet<usize>, order: &mut Vec<usize>) {
    if met.insert(k) {
        for callee in callees_among(&members[k], members) {
            visit(callee, members, met, order);
        }
        order.push(k);
    }
}

/// The names of the members that a member calls.
fn callees(member: &Member) -> Vec<&String> {
    let mut found = Vec::new();
    member.func.body.walk(&mut |s| {
        if let StmtKind::Call(call) = &s.kind {
            let function = call.callee.function();
            let of_name = member.calls.iter().find(|(used, _)| *used == function);
            found.extend(of_name.map(|(_, name)| name));
        }
    });
    found
}

/// The members that a member calls, by position.
fn callees_among(member: &Member, members: &[Member]) -> Vec<usize> {
    let place = |name: &String| members.iter().position(|m| m.name == *name);
    callees(member).into_iter().filter_map(place).collect()
}

/// Whether a member calls itself or one that comes later.
fn has_cycle(members: &[Member], order: &[usize]) -> bool {
    let place = |k: usize| order.iter().position(|o| *o == k);
    let late = |k: &usize| {
        let callees = callees_among(&members[*k], members);
        callees.iter().any(|c| place(*c) >= place(*k))
    };
    order.iter().any(late)
}
