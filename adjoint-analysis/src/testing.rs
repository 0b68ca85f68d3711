//! The planner as the tests of the analysis call it: for whole modules of IR functions.

use std::collections::BTreeMap;

use crate::interp::Module;
use crate::ir::{Caller, Func, Mode, StmtId};
use crate::passes::activity::Boundary;
use crate::passes::{labels, temporaries};
use crate::plan::build::{Config, plan};
use crate::plan::{Plan, check};

/// Plans the reversal of each function, all reals being independent and all outputs dependent.
///
/// # Panics
///
/// If the checker finds a fault in a plan.
pub fn plan_module(module: &Module, config: Config) -> BTreeMap<String, Plan> {
    module
        .funcs
        .iter()
        .map(|(name, func)| (name.clone(), checked_plan(func, config)))
        .collect()
}

/// The plan of one function, seen by the checker both ways.
fn checked_plan(func: &Func, config: Config) -> Plan {
    let plan = plan_function(func, config);
    for caller in Caller::EXTREMES {
        let faults = check::check(&plan.seen_by(caller));
        assert!(faults.is_empty(), "{faults:?}\n{plan}");
    }
    plan
}

/// The plan of one function.
pub fn plan_function(func: &Func, config: Config) -> Plan {
    let (func, mut origins) = temporaries::introduce(func, statements(func));
    let func = labels::introduce(func, &mut origins);
    let real = |v: &crate::ir::VarId| func.var(*v).ty.carries_floats();
    let params = || func.params.iter().copied().filter(real);
    let outputs = params().filter(|v| func.var(*v).mode == Mode::Mut);
    let boundary = Boundary {
        independents: params().collect(),
        dependents: outputs.chain(func.ret.filter(real)).collect(),
        ..Boundary::default()
    };
    plan(&func, &boundary, origins.len(), config)
}

/// One more than the greatest statement id.
fn statements(func: &Func) -> usize {
    let mut last = StmtId(0);
    func.body.walk(&mut |s| last = last.max(s.id));
    last.index() + 1
}

/// Every combination of the optimisations.
pub fn all_configs() -> Vec<Config> {
    let bit = |n: usize, k: usize| n >> k & 1 == 1;
    let config = |n| Config {
        activity: bit(n, 0),
        tbr: bit(n, 1),
        recomputation: bit(n, 2),
    };
    (0..8).map(config).collect()
}
