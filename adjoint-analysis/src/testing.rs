//! The planner as the tests of the analysis call it: for whole modules of IR functions.

use std::collections::BTreeMap;

use crate::interp::Module;
use crate::ir::{Func, Mode, StmtId};
use crate::passes::activity::Boundary;
use crate::passes::activity::summary::{Summaries, states_effects};
use crate::passes::rewrite::rewrite;
use crate::plan::build::{Config, plan};
use crate::plan::fusion::LONGEST_STRIP;
use crate::plan::group::{Member, summaries, summaries_for};
use crate::plan::preaccumulation::Preaccumulation;
use crate::plan::{Plan, check};

/// Plans the reversal of each function, all reals being independent and all outputs dependent. With
/// activity analysis, the functions see each other's bodies.
///
/// # Panics
///
/// If the checker finds a fault in a plan.
pub fn plan_module(module: &Module, config: Config) -> BTreeMap<String, Plan> {
    let members = members(module, config);
    let known = match config.activity {
        true => summaries(&members),
        false => Default::default(),
    };
    plans(&members, &known)
}

/// The same where no function sees the body of another: callees are asked.
///
/// # Panics
///
/// If the checker finds a fault in a plan.
pub fn plan_apart(module: &Module, config: Config) -> BTreeMap<String, Plan> {
    plans(&members(module, config), &Summaries::default())
}

/// Makes the plans of a module's functions.
pub type Planner = fn(&Module, Config) -> BTreeMap<String, Plan>;

/// How functions are seen: together, or apart where that makes a difference.
pub fn planners(config: Config) -> Vec<Planner> {
    match config.activity {
        true => vec![plan_module, plan_apart],
        false => vec![plan_module],
    }
}

fn members(module: &Module, config: Config) -> Vec<Member> {
    let names: Vec<&String> = module.funcs.keys().collect();
    let funcs = module.funcs.values();
    funcs.map(|func| member(func, &names, config)).collect()
}

fn plans(members: &[Member], known: &Summaries) -> BTreeMap<String, Plan> {
    let plans = members
        .iter()
        .map(|m| (m.name.clone(), checked_plan(m, known)));
    plans.collect()
}

fn member(func: &Func, names: &[&String], config: Config) -> Member {
    let (func, origins) = rewrite(func, statements(func), config.rewriting());
    let real = |v: &crate::ir::VarId| func.var(*v).ty.carries_floats();
    let params = || func.params.iter().copied().filter(real);
    let outputs = params().filter(|v| func.var(*v).mode == Mode::Mut);
    let boundary = Boundary {
        independents: params().collect(),
        dependents: outputs.chain(func.ret.filter(real)).collect(),
        ..Boundary::default()
    };
    Member {
        boundary,
        statements: origins.len(),
        config,
        name: func.name.clone(),
        calls: names
            .iter()
            .map(|n| (n.to_string(), n.to_string()))
            .collect(),
        func,
    }
}

/// The plan of one function, seen by the checker in all ways.
fn checked_plan(member: &Member, known: &Summaries) -> Plan {
    let plan = planned(member, known);
    let faults = check::check_for_all(&plan);
    assert!(faults.is_empty(), "{faults:?}\n{plan}");
    plan
}

fn planned(member: &Member, known: &Summaries) -> Plan {
    let boundary = Boundary {
        summaries: summaries_for(member, known),
        states_effect: states_effects(known),
        ..member.boundary.clone()
    };
    plan(&member.func, &boundary, member.statements, member.config)
}

/// The plan of one function that sees no other.
pub fn plan_function(func: &Func, config: Config) -> Plan {
    planned(&member(func, &[], config), &Summaries::default())
}

/// One more than the greatest statement id.
fn statements(func: &Func) -> usize {
    let mut last = StmtId(0);
    func.body.walk(&mut |s| last = last.max(s.id));
    last.index() + 1
}

/// Every combination of the optimisations; with preaccumulation, it is each third one.
pub fn all_configs() -> Vec<Config> {
    use Preaccumulation::{Everywhere, Off, WherePaying};
    let bit = |n: usize, k: usize| n >> k & 1 == 1;
    let config = |n| Config {
        activity: bit(n, 0),
        tbr: bit(n, 1),
        recomputation: bit(n, 2),
        inversion: bit(n, 3),
        simplification: bit(n, 4),
        distribution: bit(n, 5),
        flattening: bit(n, 7),
        preaccumulation: [Off, WherePaying, Everywhere][n % 3],
        fusion: Some([1, 2, 3, 5, LONGEST_STRIP][n % 5]),
        motion: bit(n, 6),
    };
    (0..256).map(config).collect()
}
