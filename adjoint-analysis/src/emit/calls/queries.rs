//! A plan's queries of its callees, each one deduplicated: there are many calls and few different queries.

use super::links::{Direction, bits};
use crate::ir::demand::{CERTAIN, fact_bit};
use crate::ir::{Callee, Demand, StmtKind};
use crate::passes::activity::links::Port;
use crate::passes::activity::summary::ContextPolicy;
use crate::plan::{CallSite, CalleeFact, Plan};

/// How many callees can be named in a sweep: the fallback declares the names.
const CALLEES: usize = 32;

/// The queries of a plan, shared by both sweeps.
pub struct CalleeQueries<'a> {
    /// The callees that get names; those that are queried come first.
    pub callees: Vec<&'a Callee>,
    /// For each bit of a direction that denotes an answer, by position: the bit of the first port with the same query.
    ports: [[u64; 64]; 2],
    /// The same for facts, by number.
    facts: Vec<usize>,
    /// The caller's own bits in both directions.
    caller_bits: [u64; 2],
}

/// The position of a port, and the caller's own bits at each port on the other side.
type PortQuery = (Direction, usize, Vec<(usize, u64)>);

/// The activity of a call as its callee's context sees it.
#[derive(Clone, PartialEq)]
pub struct SiteActivity {
    /// Whether it is exact or closed over recursion.
    pub closing: ContextPolicy,
    /// For each argument, when it is varied.
    pub varied: Vec<u64>,
    /// For each output, when it is useful.
    pub useful: Vec<u64>,
    /// The callers for which the `&mut` arguments have to be restored.
    pub restore: Demand,
}

impl<'a> CalleeQueries<'a> {
    /// The queries of a plan.
    pub fn of(plan: &'a Plan) -> CalleeQueries<'a> {
        let mut asked = CalleeQueries {
            callees: Vec::new(),
            ports: [[0; 64]; 2],
            facts: Vec::new(),
            caller_bits: [Direction::Varied, Direction::Useful]
                .map(|which| which.caller_bits(plan)),
        };
        asked.name_callees(plan);
        asked.group_ports(plan);
        asked.group_facts(plan);
        asked
    }

    fn name_callees(&mut self, plan: &'a Plan) {
        let linked = plan.links.0.iter().map(|link| &link.callee);
        let facts = plan.callee_facts.iter().map(|fact| &fact.callee);
        linked
            .chain(facts)
            .for_each(|callee| self.name_callee(callee));
        plan.each_forward_stmt(&mut |s| match &s.kind {
            StmtKind::Forward(call) if call.callee.has_handle() => self.name_callee(&call.callee),
            _ => (),
        });
    }

    fn name_callee(&mut self, callee: &'a Callee) {
        if self.callees.len() < CALLEES && self.callee_number(callee).is_none() {
            self.callees.push(callee);
        }
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        !self.has_ports() && self.facts.is_empty()
    }

    fn has_ports(&self) -> bool {
        self.ports != [[0; 64]; 2]
    }

    fn group_ports(&mut self, plan: &'a Plan) {
        let mut first: Vec<(&Callee, PortQuery, u64)> = Vec::new();
        for link in &plan.links.0 {
            let sides = [
                (Direction::Varied, &link.outputs, &link.arguments),
                (Direction::Useful, &link.arguments, &link.outputs),
            ];
            for (which, side, others) in sides {
                for port in side {
                    let there = |other: &Port| {
                        let mask = which.certain(plan, other.mask & !port.bit);
                        (other.position, mask)
                    };
                    let question = (which, port.position, others.iter().map(there).collect());
                    let same = first.iter().find(|(callee, known, _)| {
                        *known == question && callee.is_same_function(&link.callee)
                    });
                    let answer = same.map_or(port.bit, |(_, _, bit)| *bit);
                    self.ports[which as usize][position(port.bit)] = answer;
                    first.push((&link.callee, question, answer));
                }
            }
        }
    }

    fn group_facts(&mut self, plan: &Plan) {
        let question = |fact: &CalleeFact| {
            let told = plan
                .calls
                .get(&fact.call)
                .map(|site| self.site_activity(site));
            (
                fact.argument,
                fact.restore,
                told.map(|t| (t.varied, t.useful)),
            )
        };
        let questions: Vec<_> = plan.callee_facts.iter().map(question).collect();
        let first = plan.callee_facts.iter().enumerate().map(|(i, fact)| {
            let same = |j: &usize| {
                questions[*j] == questions[i]
                    && plan.callee_facts[*j].callee.is_same_function(&fact.callee)
            };
            (0..i).find(same).unwrap_or(i)
        });
        self.facts = first.collect();
    }

    /// The number of a callee; `None` if there are too many.
    pub fn callee_number(&self, callee: &Callee) -> Option<usize> {
        let mut callees = self.callees.iter();
        callees.position(|c| c.is_same_function(callee))
    }

    /// The bits of the distinct answers that these bits denote.
    pub fn distinct_answers(&self, mask: u64, which: Direction) -> u64 {
        let ports = &self.ports[which as usize];
        bits(mask).fold(0, |answers, bit| answers | ports[position(bit)])
    }

    /// The activity of a call, in terms of distinct answers.
    pub fn site_activity(&self, site: &CallSite) -> SiteActivity {
        let masks =
            |masks: &[u64], which| masks.iter().map(|m| self.dedup_mask(*m, which)).collect();
        SiteActivity {
            closing: site.closing,
            varied: masks(&site.varied, Direction::Varied),
            useful: masks(&site.useful, Direction::Useful),
            restore: self.dedup_demand(site.restore),
        }
    }

    /// The same callers, in terms of distinct answers.
    pub fn dedup_demand(&self, demand: Demand) -> Demand {
        let facts = match demand.facts & CERTAIN {
            0 => {
                let numbers = (0..self.facts.len()).filter(|i| demand.facts & fact_bit(*i) != 0);
                numbers.fold(0, |facts, i| facts | fact_bit(self.facts[i]))
            }
            _ => demand.facts,
        };
        Demand {
            wrt: self.dedup_mask(demand.wrt, Direction::Varied),
            of: self.dedup_mask(demand.of, Direction::Useful),
            facts,
            ..demand
        }
    }

    /// A mask with all bits of the caller implies all answers.
    fn dedup_mask(&self, mask: u64, which: Direction) -> u64 {
        let own = self.caller_bits[which as usize];
        let holds_all = own != 0 && mask & own == own;
        if mask == u64::MAX || !self.has_ports() {
            return mask;
        }
        match holds_all {
            true => mask & own,
            false => mask & own | self.distinct_answers(mask & !own, which),
        }
    }
}

fn position(bit: u64) -> usize {
    bit.trailing_zeros() as usize
}
