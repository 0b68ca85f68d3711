//! Control that costs no record: what the analyses of [`self::literals`] and [`self::trips`] know.

pub(super) mod joint_values;
pub mod literals;
pub mod loop_exits;
pub mod trips;

use std::collections::{BTreeMap, BTreeSet};

use self::literals::{Values, values};
use self::trips::trips;
use super::sets::set::VarSet;
use crate::ir::{Expr, Func, Origin, StmtId};

/// What is known of ways and trip counts.
#[derive(Clone, Debug, Default)]
pub struct Control {
    /// The literals of discrete variables.
    pub values: Values,
    /// The trip count of a loop in terms of what it leaves alone.
    pub trips: BTreeMap<StmtId, Expr>,
    /// Labels that the primal sets and never reads: they are kept only if they are worth it.
    pub silent: VarSet,
    /// Loops that are known to have nothing in them to be reversed.
    pub idle: BTreeSet<StmtId>,
}

impl Control {
    /// Looks through the function.
    pub fn of(func: &Func) -> Control {
        let label = |v: &crate::ir::VarId| func.var(*v).origin == Origin::Label;
        let mut silent: VarSet = func.var_ids().filter(label).collect();
        if !silent.is_empty() {
            func.body.walk(&mut |s| {
                let reads = s.operands().into_iter().flat_map(Expr::reads);
                reads.for_each(|v| silent.remove(v));
            });
        }
        Control {
            values: values(func),
            trips: trips(func),
            silent,
            idle: BTreeSet::new(),
        }
    }
}
